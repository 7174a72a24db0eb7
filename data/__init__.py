"""The workspace: everything that is stored, who may write it, and what is imported and exported. All SQL is here."""
