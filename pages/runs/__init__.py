"""The page Runs: all that only it needs; page.py is its entry."""
