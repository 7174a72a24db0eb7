"""Cards without a folder of their own: made of a recipe, laid over another, with few-shot examples."""
