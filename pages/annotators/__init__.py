"""The page Annotators: all that only it needs; page.py is its entry."""
