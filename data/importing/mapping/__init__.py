"""The meaning of columns of tables and names of values: cards, questions and scales."""
