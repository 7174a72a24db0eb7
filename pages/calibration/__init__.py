"""The page Calibration; page.py is its entry."""
