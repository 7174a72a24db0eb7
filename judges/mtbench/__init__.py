"""MT-Bench: its files' contents as records, its protocols as data, and the figures that follow from both."""
