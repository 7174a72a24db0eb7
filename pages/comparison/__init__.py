"""The page Comparison; page.py is its entry."""
