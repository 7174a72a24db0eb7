"""The known failures of judges, measured on what is stored."""
