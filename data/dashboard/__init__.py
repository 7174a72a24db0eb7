"""The parts of the dashboard: sums of scores that follow the store, labels beside them, the sentences."""
