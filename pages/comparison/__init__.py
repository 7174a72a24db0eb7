"""The page Comparison: all that only it needs; page.py is its entry."""
