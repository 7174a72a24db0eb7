"""Judgments of several calls: both orders of a pair, windows of a dialogue, chapters of an input, and probes."""
