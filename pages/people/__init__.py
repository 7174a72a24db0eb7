"""The page People; page.py is its entry."""
