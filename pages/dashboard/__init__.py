"""The page Dashboard: all that only it needs; page.py is its entry."""
