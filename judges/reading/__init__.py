"""A reply becomes scores: read, validated, or refused with a reason. The front module is reading."""
