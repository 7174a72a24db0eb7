"""The page Audit log: all that only it needs; page.py is its entry."""
