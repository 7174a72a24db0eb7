"""Cards without a folder of their own: made of a recipe, applied per turn, with few-shot examples."""
