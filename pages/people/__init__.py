"""The page People: all that only it needs; page.py is its entry."""
