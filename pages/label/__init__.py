"""Labelling: the overview, the review desk and its queues."""
