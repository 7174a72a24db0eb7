"""The page Export: all that only it needs; page.py is its entry."""
