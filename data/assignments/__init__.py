"""Work that is given to people, and how far they are with it."""
