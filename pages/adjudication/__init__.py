"""The page Adjudication; page.py is its entry."""
