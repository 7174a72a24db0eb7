"""Plain files for the command line: items, judgments and labels as lines, and the partial output of a run."""
