"""What leads decide, and about whom."""
