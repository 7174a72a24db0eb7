"""People as raters: how far they agree with each other, and where the judge stands among them."""
