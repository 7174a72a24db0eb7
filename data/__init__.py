"""The workspace: everything that is stored, who may write it, and what comes in and goes out. SQL stands here only."""
