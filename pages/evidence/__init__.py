"""How far a judge can be believed."""
