"""The page Your labels, and signing in and out: all that only it needs; page.py is its entry."""
