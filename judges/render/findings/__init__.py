"""Findings from figures, a module for each statistic: sentences, tables and plots as data, for page and report."""
