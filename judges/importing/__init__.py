"""Plain files: lines of items, judgments and labels, the partial output of a run, and tables and what they mean."""
