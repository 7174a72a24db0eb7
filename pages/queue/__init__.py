"""The page Queues: all that only it needs; page.py is its entry."""
