"""The two streams of items: how they are drawn, ordered and given out."""
