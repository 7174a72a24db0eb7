"""All that belongs to a call to an endpoint: manner, faults, retries, limits, prices, estimates, batches."""
