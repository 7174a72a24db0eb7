"""Gold: what the labels of a cell resolve to, which cells wait for adjudication, and which items never count."""
