"""The page The review desk: all that only it needs; page.py is its entry."""
