"""Figures that look further into an agreement: slices, its growth with gold, confidence, judges side by side."""
