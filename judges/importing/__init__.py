"""Plain files for the command line: items, judgments and labels as lines, and what a run has written so far."""
