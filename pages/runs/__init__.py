"""The page Runs; page.py is its entry."""
