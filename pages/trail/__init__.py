"""The page Audit log; page.py is its entry."""
