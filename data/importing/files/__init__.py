"""Files as they come: what a file is by its content, and its records one after the other."""
