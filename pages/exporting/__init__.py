"""The page Export; page.py is its entry."""
