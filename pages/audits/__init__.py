"""The page Audits; page.py is its entry."""
