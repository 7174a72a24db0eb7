"""The page Your labels, and signing in and out; page.py is its entry."""
