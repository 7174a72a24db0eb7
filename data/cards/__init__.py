"""The cards of a workspace, and by which of them people label."""
