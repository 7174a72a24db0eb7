"""Cards without a folder: built from a recipe, applied per turn, or with few-shot examples."""
