"""Everything about calls to an endpoint: how it is asked, errors, retries, limits, prices, estimates, batches."""
