"""A first reading of files: their formats and contents, before anybody has said what they are."""
