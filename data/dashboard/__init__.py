"""What the dashboard is made of: sums of scores that follow the store, labels beside them, the sentences."""
