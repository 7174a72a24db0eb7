"""The user interface. Pages get rows from data and decisions from judges, and draw; they compute and store nothing."""
