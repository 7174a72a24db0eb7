"""What stands around a call to an endpoint: manner, faults, retries, limits, prices, estimates, batches."""
