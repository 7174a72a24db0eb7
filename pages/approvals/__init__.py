"""The page Approvals; page.py is its entry."""
