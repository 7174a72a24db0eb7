"""The page Assignments; page.py is its entry."""
