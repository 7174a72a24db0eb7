"""The people who label a dataset, and how far they agree."""
