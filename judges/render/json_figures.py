"""A figure with its interval as JSON has it, under keys that stay from version to version of a report."""

from __future__ import annotations

from typing import Any

from judges.stats.uncertainty import Interval


def kappa(interval: Interval) -> dict[str, Any]:
    """Kappa with its ends, bound and standard error, and what it is from."""
    return {
        "kappa": interval.point, "low": interval.low, "high": interval.high, "bound": interval.lower_bound,
        "se": interval.se, "items": interval.items, "ratings": interval.cells, "n_eff": interval.n_eff,
        "method": interval.method, "undefined_replicates": interval.undefined,
    }  # fmt: skip
