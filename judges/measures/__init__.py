"""What audits measure with: associations, clustered shares, cues in texts, families of models, overlap."""
