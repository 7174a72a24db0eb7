"""The page Annotators; page.py is its entry."""
