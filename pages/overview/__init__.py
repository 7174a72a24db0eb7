"""The page Overview: all that only it needs; page.py is its entry."""
