"""The page The review desk; page.py is its entry."""
