"""Multiple testing: p-values adjusted so that all tests can be read at one level."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: p'_(i) = max over j <= i of min(1, (m - j + 1) p_(j)), p ascending.

    Rejecting where p' <= alpha keeps the chance of any false rejection at alpha. ValueError for a p outside 0..1.
    Source: Holm 1979.
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, position in enumerate(_ascending(p_values)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values of Benjamini and Yekutieli, in the order given.

        p'_(i) = min over j >= i of min(1, m c(m) / j p_(j)),   c(m) = 1 + 1/2 + ... + 1/m,   p ascending

    Rejecting if p' <= alpha keeps the false discovery rate at alpha, under any dependence of the tests. ValueError for
    a p outside 0..1. Source: Benjamini and Yekutieli 2001.
    """
    order, count = _ascending(p_values), len(p_values)
    stretch = count * sum(1 / n for n in range(1, count + 1))
    adjusted, smallest = [0.0] * count, 1.0
    for rank in range(count, 0, -1):
        position = order[rank - 1]
        smallest = min(smallest, stretch / rank * p_values[position])
        adjusted[position] = smallest
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("A p-value lies between 0 and 1.")
    return sorted(range(len(p_values)), key=lambda i: p_values[i])
