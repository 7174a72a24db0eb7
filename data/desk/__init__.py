"""The review desk: what it shows of an item, and how answers are saved."""
