"""The page Cards: all that only it needs; page.py is its entry."""
