"""The page Workspace: all that only it needs; page.py is its entry."""
