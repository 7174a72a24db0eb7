"""The page MT-Bench; page.py is its entry."""
