"""What columns of tables and names of values mean: cards, questions and scales."""
