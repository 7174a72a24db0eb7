"""Runners in other processes, which the process that owns a run gives work and hears."""
