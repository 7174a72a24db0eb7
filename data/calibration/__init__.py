"""Where gold and scores meet: one table of ratings for each dimension, and the figures made of it."""
