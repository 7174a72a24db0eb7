"""The practice endpoint as tests need it: with faults that can be foretold, limits, keys, and a log of what was asked.

`python -m tests.practice` serves it, with every option that `python -m judges practice` has and those of faults.
"""
