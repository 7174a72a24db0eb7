"""What comes in and goes out."""
