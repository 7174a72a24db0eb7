"""What adjudication is made of: which cells lie apart, what the page shows of them, how gold came about."""
