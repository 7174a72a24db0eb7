"""The page Import: all that only it needs; page.py is its entry."""
