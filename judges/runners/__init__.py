"""Runners in other processes; the process that owns a run gives them work and receives their messages."""
