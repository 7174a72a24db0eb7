"""Turn a reply into scores: read, validated, or refused with a reason. The main module is reading."""
