"""The page Cards; page.py is its entry."""
