"""The gold rule: how several people's answers to a cell become one value, and when somebody must adjudicate.

This is the reference implementation. Tests check that the versions for many cells (`data.gold.gold.gold_sql` in SQL,
`judges.stats.raters.ratings.gold_without_self` with arrays) give the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median_low
from typing import Literal, NamedTuple

from judges.rounding import ROUNDING
from judges.types import Scale

Resolve = Literal["median", "mean", "majority"]
"""The rule by which several answers become one.

Ordered answers go by the lower `median`, or by `majority` (the lower median if the vote is drawn). Numbers of an
interval scale can also go by `mean`; then other ordered answers go by the lower median. Answers without order always
go by majority.
"""
GoldOrigin = Literal["one", "agreed", "median", "mean", "majority", "drawn"]
"""The origin of a value: one person, people who agree, the rule, or the answer that the scale has for a drawn vote."""


class ResolvedCell(NamedTuple):
    """The gold of one cell, a code of its scale (None = n/a), and how it came about."""

    value: float | None
    origin: GoldOrigin


def resolve(values: Sequence[float | None], scale: Scale, rule: Resolve = "median") -> ResolvedCell | None:
    """The gold of one cell by the rule, from people's answers: codes of the scale, and None for n/a.

    For ordered answers, gold is n/a if a majority said n/a; otherwise n/a is left out. Without order, n/a is an answer
    like any other, and a tied vote gives the scale's `drawn` category. There is no gold (None) if the scale has no such
    category, or if nobody answered.
    """
    if len(set(values)) < 2:
        return ResolvedCell(values[0], "one" if len(values) == 1 else "agreed") if values else None
    if not scale.has_order:
        return _majority(values) or (None if scale.tie_code is None else ResolvedCell(scale.tie_code, "drawn"))
    codes = [value for value in values if value is not None]
    if 2 * len(codes) < len(values):
        return ResolvedCell(None, "majority")
    if rule == "mean" and scale.kind == "interval":
        return ResolvedCell(codes[0] if min(codes) == max(codes) else fmean(codes), "mean")  # no rounding of equal ones
    return (_majority(codes) if rule == "majority" else None) or ResolvedCell(median_low(codes), "median")


def _majority(values: Sequence[float | None]) -> ResolvedCell | None:
    """The answer that more people gave than any other; None if the vote is tied."""
    votes = Counter(values).most_common(2)
    return ResolvedCell(votes[0][0], "majority") if len(votes) == 1 or votes[0][1] > votes[1][1] else None


def needs_adjudication(values: Sequence[float | None], scale: Scale, steps: int | None) -> bool:
    """Whether the answers to one cell need adjudication; `steps` is how far people may differ by the rule.

    With `steps` None: never. Otherwise always if some say n/a and others do not. Ordered answers need it if the lowest
    and the highest differ by more than `steps` (units of an interval scale). Answers without order (including flags and
    turns) have no steps: at 0 every difference needs it; from 1 on, only a tied vote does, in which no answer has more
    votes than every other.
    """
    if steps is None or len(set(values)) < 2:
        return False
    codes = [value for value in values if value is not None]
    if len(codes) < len(values):
        return True
    if scale.has_order:
        return max(codes) - min(codes) > steps + ROUNDING
    return steps == 0 or _majority(codes) is None


def distance(values: Sequence[float | None], scale: Scale) -> float:
    """Return the distance between people's answers as a share of the whole scale: 0 if they agree, 1 for its two ends.

    The distance is also 1 for n/a against a value, and for different answers without order.
    """
    if len(set(values)) < 2:
        return 0.0
    codes = [value for value in values if value is not None]
    if len(codes) < len(values) or not scale.has_order:
        return 1.0
    return (max(codes) - min(codes)) / (scale.size - 1 if scale.size else scale.hi - scale.lo)
