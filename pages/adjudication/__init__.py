"""The page Adjudication: all that only it needs; page.py is its entry."""
