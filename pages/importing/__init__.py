"""The page Import; page.py is its entry."""
