"""The audit log: who did what when."""
