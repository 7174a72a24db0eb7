"""The page Overview; page.py is its entry."""
