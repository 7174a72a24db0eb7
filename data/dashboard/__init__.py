"""The dashboard: tiles of approved dimensions, what is withheld, breakdowns, and the sentences of a tile."""
