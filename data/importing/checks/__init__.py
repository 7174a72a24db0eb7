"""Checks of lines, a module for each sort of line: what passes becomes rows in the spool."""
