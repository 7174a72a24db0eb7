"""The rows that everything else refers to: items, people, settings, datasets, judges, exposures."""
