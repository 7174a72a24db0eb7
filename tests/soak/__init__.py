"""What must never be lost: each trial at a small count in the tests, at its release count in `make soak`.

`trials` has every trial with its two counts and its target, and `__main__` runs them in pieces, goes on where it was
interrupted, and prints the table of docs/durability.md. A trial that is a test of its own stands beside that test.
"""
