"""MT-Bench: the contents of its files as records, its protocols as data, and the figures from both."""
