"""The statistics of a dimension, a module for each; statistics.py has them in their order."""
