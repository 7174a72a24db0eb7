"""The page Calibration: all that only it needs; page.py is its entry."""
