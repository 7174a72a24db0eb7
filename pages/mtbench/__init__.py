"""The page MT-Bench: all that only it needs; page.py is its entry."""
