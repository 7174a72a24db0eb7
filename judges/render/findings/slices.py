"""Slices of the items: whether the judge agrees with people equally well on all of them."""

from __future__ import annotations

from collections.abc import Sequence

from judges.plural import many
from judges.render.findings.findings import COUNT, Column, Intervals, Sentence, Table, quiet, say, warn
from judges.render.svg import IntervalRow
from judges.render.words import cell, p_value, span
from judges.stats.slices import KappaSlice, SlicedKappa
from judges.stats.uncertainty import MIN_CLUSTERS, Interval

ALPHA = 0.05
"""An adjusted p up to which slices are said to differ."""


def tests(slices: Sequence[SlicedKappa]) -> list[Sentence]:
    """Return sentences on the tests of all ways of slicing; every one is named."""
    tested = [sliced for sliced in slices if sliced.test is not None]
    differences = [sliced for sliced in tested if sliced.test is not None and sliced.test.adjusted <= ALPHA]
    sentences = []
    for sliced in differences:
        worst, best = _ends(sliced)
        sentences.append(
            warn(
                "Agreement differs by **{by}**: kappa {low} on {worst}, {high} on {best} (p {p}, adjusted for {ways}).",
                by=sliced.by, low=cell(worst.interval.point, ".2f"), worst=worst.name,
                high=cell(best.interval.point, ".2f"), best=best.name,
                p=p_value(sliced.test.adjusted if sliced.test else 1.0), ways=many(len(tested), "way") + " of slicing",
            )
        )  # fmt: skip
    rest = [sliced.by for sliced in tested if sliced not in differences]
    if rest:
        sentences.append(
            say(
                "No significant difference by {rest}. That does not prove equal agreement: see how wide the intervals "
                "are.",
                rest=" and ".join([", ".join(rest[:-1]), rest[-1]] if rest[1:] else rest),
            )
        )
    untested = [sliced for sliced in slices if sliced.test is None]
    large = [sliced for sliced in untested if sum(not s.interval.is_too_small for s in sliced.slices) > 1]
    for group, why in (
        ([sliced for sliced in untested if sliced not in large], "fewer than two slices have {least} items."),
        (
            large,
            "at most one slice of {least} items has a kappa with an error. One in which judge and people always agree, "
            "or one of them always gives the same answer, has none.",
        ),
    ):
        if group:
            names, reason = ", ".join(sliced.by for sliced in group), why.format(least=MIN_CLUSTERS)
            sentences.append(quiet("Not tested by {names}: {why}", names=names, why=reason))
    return sentences


def _ends(sliced: SlicedKappa) -> tuple[KappaSlice, KappaSlice]:
    """The slices with the lowest and the highest kappa, among slices with enough data."""
    solid = [s for s in sliced.slices if s.interval.point is not None and not s.interval.is_too_small]
    ordered = sorted(solid, key=lambda s: s.interval.point or 0.0)
    return ordered[0], ordered[-1]


def rank_slices(sliced: SlicedKappa) -> list[KappaSlice]:
    """The slices in the order in which they are drawn: the best first, those without a kappa last."""
    return sorted(sliced.slices, key=lambda s: (s.interval.point is None, -(s.interval.point or 0.0)))


def plot(sliced: SlicedKappa, overall: Interval) -> Intervals:
    """The slices with their intervals, best first, under all items."""
    rows = [IntervalRow.of("all", overall, "beside", _remark(overall, None))]
    for slice_ in rank_slices(sliced):
        i = slice_.interval
        state = "below minimum sample" if i.is_too_small else "meets policy"
        rows.append(IntervalRow.of(slice_.name, i, state, _remark(i, slice_.bias)))
    return Intervals(
        rows, overall.point, "all", (0.0, 1.0), f"Kappa by {sliced.by}",
        "Mark: kappa of the slice, with its 95% interval by items. □ fewer than 30 items: no conclusion. Dashed: all "
        "items.",
    )  # fmt: skip


def _remark(interval: Interval, lenient: float | None) -> str:
    point = "undefined" if interval.point is None else cell(interval.point, ".2f")
    caveat = " · too few" if interval.is_too_small else ""
    bias = "" if lenient is None else f" · bias {cell(lenient, '+.2f')}"
    return f"{point} ({span(interval)}) · {many(interval.items, 'item')}{bias}{caveat}"


def table(sliced: SlicedKappa) -> Table:
    """The same in figures."""
    rows = [
        {
            sliced.by: s.name, "items": s.interval.items, "ratings": s.interval.cells, "kappa": s.interval.point,
            "95% interval": span(s.interval, ".3f"), "bias": s.bias,
        }
        for s in rank_slices(sliced)
    ]  # fmt: skip
    return Table(rows, {"items": COUNT, "ratings": COUNT, "kappa": Column(".3f"), "bias": Column("+.2f")})
