"""The page Audits: all that only it needs; page.py is its entry."""
