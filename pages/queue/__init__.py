"""The page Queues; page.py is its entry."""
