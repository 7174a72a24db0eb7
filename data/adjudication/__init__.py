"""The parts of adjudication: the cells on which people disagree, what the page shows of them, how gold came about."""
