"""The page Assignments: all that only it needs; page.py is its entry."""
