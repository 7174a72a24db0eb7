"""The page Workspace; page.py is its entry."""
