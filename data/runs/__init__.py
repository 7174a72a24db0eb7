"""Runs in a workspace: what is asked for, what is left to ask, replies as they come, threads, batches."""
