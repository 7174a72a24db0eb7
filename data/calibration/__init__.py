"""The comparison of gold and scores: one table of ratings for each dimension, and the figures made of it."""
