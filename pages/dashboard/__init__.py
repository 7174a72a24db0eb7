"""The page Dashboard; page.py is its entry."""
