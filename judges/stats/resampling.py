"""Items drawn with replacement, and the totals of a table of sums per item in each sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judges.stats.agreement import Floats

Counts = NDArray[np.integer[Any]] | Floats
_AT_ONCE = 1 << 21  # draws held in memory at a time, 16 MB
_KEPT = 6_000_000  # draws that are kept for the next figure, 12 MB: 2,000 replicates of 3,000 items
_READY = 1_000_000  # of so many they are kept as the floats that products take, 8 MB


def resample(per_item: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Totals of `replicates` samples of G items, (replicates, columns), from their sums (G, columns).

    The order in which the items come is no matter: the same items give the same totals. ValueError for fewer than 2
    replicates.
    """
    return _totals(sort_rows(per_item), _draws(len(per_item), replicates, rng))


def resample_seeded(per_item: Floats, replicates: int, seed: int) -> Floats:
    """The same with a generator of that seed, whose draws are kept where they are not many.

    The dimensions of a judge mostly rest on equally many items: then all of them share the draws.
    """
    items = len(per_item)
    if items * replicates <= _KEPT:
        return _totals(sort_rows(per_item), _kept(items, replicates, seed))
    return resample(per_item, replicates, np.random.default_rng(seed))


def sort_rows(per_item: Floats) -> Floats:
    """The rows sorted by what is in them, so that names of items, which order them in a store, change no digit.

    Nor does the unit of weights: sums that differ by rounding alone count as equal.
    """
    if not per_item.size:
        return per_item
    largest = np.abs(per_item).max(axis=0)
    ordered: Floats = per_item[np.lexsort(np.round(per_item / np.where(largest > 0, largest, 1.0), 9).T[::-1])]
    return ordered


def _totals(per_item: Floats, draws: Iterable[Counts]) -> Floats:
    return np.concatenate([counts.astype(np.float64, copy=False) @ per_item for counts in draws])


def _draws(items: int, replicates: int, rng: np.random.Generator) -> Iterator[Counts]:
    """How often each item is drawn in each replicate, (rows, items), as many rows at a time as memory likes."""
    if replicates < 2:
        raise ValueError("A bootstrap needs at least 2 replicates; 2,000 are usual.")
    step = max(1, _AT_ONCE // max(1, items))
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        # G draws counted are Multinomial(G, 1/G), an order of magnitude faster than rng.multinomial.
        drawn = rng.integers(0, max(1, items), size=(rows, items)) + np.arange(rows)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items)


@lru_cache(maxsize=3)
def _kept(items: int, replicates: int, seed: int) -> tuple[Counts, ...]:
    """Draws of a seed. No count is above the number of items, so four bytes are enough, and two below 65,536."""
    smallest: type = np.uint16 if items < 1 << 16 else np.uint32
    kept = np.float64 if items * replicates <= _READY else smallest
    return tuple(counts.astype(kept) for counts in _draws(items, replicates, np.random.default_rng(seed)))
