"""People as raters: how far they agree with each other, and how the judge compares with them."""
