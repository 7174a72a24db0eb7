"""The page Approvals: all that only it needs; page.py is its entry."""
