"""The sentences of a dashboard tile, for somebody who knows no statistics."""

from __future__ import annotations

from collections.abc import Sequence

from data.dashboard.dashboard import SystemMeans, Tile
from judges.plural import many
from judges.render.words import number
from judges.stats import bins
from judges.stats.means import MIN_ITEMS
from judges.stats.ppi import CorrectedMean, MeanComparison
from judges.stats.rates import UNITS
from judges.stats.slices import MeanSlice
from judges.stats.uncertainty import MIN_CLUSTERS, Interval

UNCORRECTED_NOTE = "Too few labels, or none where they are needed: these figures are the judge's own, not corrected"
"""The note above the systems of a tile that have no corrected figure."""


def tile_figure(tile: Tile, value: float) -> str:
    """A mean as people read it: 3.92, or 46%."""
    return number(value, ".2f") if tile.counted.mean else f"{100 * value:.0f}%"


def tile_ends(tile: Tile, interval: Interval) -> str:
    """The ends of an interval: 3.80 to 4.04; "" where there are none."""
    if interval.low is None or interval.high is None:
        return ""
    return f"{tile_figure(tile, interval.low)} to {tile_figure(tile, interval.high)}"


def tile_axis(tile: Tile, most: int) -> tuple[float, float, list[tuple[float, str]]]:
    """The ends of a tile's axis, and its ticks, at most so many: (place, text)."""
    if not tile.counted.mean:
        return 0.0, 1.0, [(n / 4, f"{25 * n}%") for n in range(5)]
    scale = tile.counted.dimension.scale
    return scale.lo, scale.hi, [(n, number(n, "g")) for n in bins.axis_ticks(scale, most)]


def _corrected_figure(tile: Tile, system: SystemMeans) -> str:
    return tile_figure(tile, system.means[tile.headline].interval.point or 0.0)


def explain_tile(tile: Tile) -> list[str]:
    """Return the sentences of a tile, for somebody who knows no statistics."""
    sure = [s for s in tile.systems if s.means[tile.headline].interval.point is not None]
    refused = [s for s in tile.systems if s.means[tile.headline].refused]
    if refused and not sure:
        return [*_coverage_sentences(refused, tile), "So the figures here are the judge's own."]
    if not sure:
        most = int(max((s.means[tile.headline].interval.n_eff for s in tile.systems), default=0) + 1e-9)
        # There would be items enough if all had been drawn with one chance and none were n/a.
        enough = any(s.means[tile.headline].n >= MIN_CLUSTERS and s.means[tile.headline].missing for s in tile.systems)
        unequal = ", counting for less what was likelier to be drawn or called n/a" if enough else ""
        return [
            f"No system has enough labelled items for a corrected figure ({MIN_CLUSTERS} are needed, the most is "
            f"{most}{unequal}), so the figures here are the judge's own."
        ]
    others, best, worst = len(tile.systems) - len(sure) - len(refused), sure[0], sure[-1]
    top, low = _corrected_figure(tile, best), _corrected_figure(tile, worst)
    compared = f"{len(sure)} systems with {'a corrected figure' if refused else 'enough labelled items'}"
    if len(sure) > 1 and top == low:
        those = f"The {compared}" if others or refused else f"All {len(sure)} systems"
        same = f"{those} come out alike, at {top}{_ends(tile)}."
        return [
            same,
            *_difference_sentences(tile),
            *_small_sample_sentences(others),
            *_coverage_sentences(refused, tile),
        ]
    first = f"{_describe_figure(tile, best, len(sure) > 1)}{_span(tile, best)}."
    among = f"Among the {compared}, " if (others or refused) and len(sure) > 1 else ""
    sentences = [among + ("people" + first.removeprefix("People") if among else first)]
    ties = [_system_name(s) for s in sure[1:] if _corrected_figure(tile, s) == top]
    if ties:
        sentences.append(f"{' and '.join(ties)} {'comes' if len(ties) == 1 else 'come'} out at the same figure.")
    if len(sure) > 1:
        sentences += [f"Lowest is {_system_name(worst)}, with {low}.", *_difference_sentences(tile)]
    else:
        sentences += _bias_sentences(tile, best)
    return sentences + _small_sample_sentences(others) + _coverage_sentences(refused, tile)


def _coverage_sentences(refused: Sequence[SystemMeans], tile: Tile) -> list[str]:
    """Explain why systems have no corrected figure: their labels do not cover what is to be corrected."""
    return [
        f"Labels of {_system_name(s)} do not cover what is to be corrected: "
        f"{100 * s.means[tile.headline].uncovered:.0f}% of the judge's answers lie where nobody has labelled one. "
        "Draw an audit sample over all its items, and label it."
        for s in refused
    ]


def _small_sample_sentences(others: int) -> list[str]:
    """That some systems have the judge's own figure only."""
    if not others:
        return []
    whose = "One other has" if others == 1 else f"{others} others have"
    return [f"{whose} too few labelled items for a corrected figure: do not compare the judge's own with those."]


def _ends(tile: Tile) -> str:
    scale = tile.counted.dimension.scale
    return f" on a scale of {scale.lo:g} to {scale.hi:g}" if tile.counted.mean else ""


def _system_name(system: SystemMeans) -> str:
    return system.name or "the unnamed system"


def _describe_figure(tile: Tile, system: SystemMeans, compared: bool) -> str:
    value, ask = _corrected_figure(tile, system), tile.counted
    most = " highest" if compared else ""
    if ask.mean:
        return f"People would rate {_system_name(system)}{most}, {value} on average{_ends(tile)}"
    more = ", most of all" if compared else ""
    if ask.sided:
        return f"People would say that {_system_name(system)} wins {value} of its pairs{more}"
    cells = UNITS[ask.dimension.sort]
    answer = ask.describe_mean(tile.headline)
    return f"People would say “{answer}” of {value} of the {cells} of {_system_name(system)}{more}"


def _span(tile: Tile, system: SystemMeans) -> str:
    ends = tile_ends(tile, system.means[tile.headline].interval)
    return f" (with 95% confidence {ends})" if ends else ""


def _bias_sentences(tile: Tile, system: SystemMeans) -> list[str]:
    mean = system.means[tile.headline]
    digits = 2  # of both, so that the two figures and their difference add up as they are read
    gap = round(mean.judge, digits) - round(mean.interval.point or 0.0, digits)
    if tile_figure(tile, mean.judge) == tile_figure(tile, mean.interval.point or 0.0):
        return ["The judge itself says the same."]
    difference = f"{tile_gap(tile, abs(gap))} {'more' if gap > 0 else 'less'}"
    return [f"The judge itself says {tile_figure(tile, mean.judge)}, {difference}."]


def tile_gap(tile: Tile, gap: float) -> str:
    """A difference as people read it: .21, or 12 points (of a hundred)."""
    unit = "" if tile.counted.mean else " point" if _gap_figure(tile, abs(gap)) == "1" else " points"
    return _gap_figure(tile, gap) + unit


def _gap_figure(tile: Tile, gap: float) -> str:
    return number(gap, ".2f") if tile.counted.mean else number(100 * gap, ".0f")


def _difference_sentences(tile: Tile) -> list[str]:
    differences, pairs = [c for c in tile.comparisons if c.differs], len(tile.comparisons)
    if not pairs:
        return []
    if pairs == 1 or (len(differences) == 1 and pairs > 2):
        only = "" if pairs == 1 else f" The other {pairs - 1} pairs of systems do not differ significantly."
        return [describe_difference(tile, (differences or tile.comparisons)[0]) + only]
    if not differences:
        return ["None of them differ significantly: this order may be chance."]
    if len(differences) == pairs:
        return ["All of them differ significantly."]
    return [f"{len(differences)} of the {pairs} pairs of systems differ significantly."]


def describe_difference(tile: Tile, pair: MeanComparison) -> str:
    """Return the result of comparing two systems, in a sentence."""
    system, other = (_system_name(tile.systems[n]) for n in (pair.one, pair.other))
    gap, low, high = pair.difference.point or 0.0, pair.difference.low or 0.0, pair.difference.high or 0.0
    ends = f"({_gap_figure(tile, low)} to {tile_gap(tile, high)})"
    if not pair.differs:
        return f"{system} and {other} do not differ significantly: the difference is {tile_gap(tile, gap)} {ends}."
    if tile.counted.mean:
        return f"{system} is rated {tile_gap(tile, gap)} higher than {other} {ends}."
    if tile.counted.sided:
        return f"{system} wins {tile_gap(tile, gap)} more often than {other} {ends}."
    answer = tile.counted.describe_mean(tile.headline)
    return f"People say “{answer}” of {system} {tile_gap(tile, gap)} more often than of {other} {ends}."


def explain_missing_figure(mean_slice: MeanSlice) -> str:
    """Explain why a slice has no mean, or none that is corrected, or no interval; "" if it has all."""
    mean = mean_slice.mean
    if mean is None and mean_slice.judge.items >= MIN_ITEMS:
        return "not shown: the mean of all would then tell those of the slices that have too few items"
    if mean is None:
        return f"too few: fewer than {MIN_ITEMS} items, of which a mean would give single scores away"
    if mean.refused:
        return f"not corrected: {100 * mean.uncovered:.0f}% of the judge's answers lie where nobody has labelled one"
    if mean.missing:
        return f"not corrected: {lacking_labels(mean)}"
    return "" if mean.interval.low is not None else "no interval: the labels of this slice have no spread"


def lacking_labels(mean: CorrectedMean) -> str:
    """Return how many items are labelled where these are too few for a corrected mean, and how many are needed."""
    worth = "" if mean.n < MIN_CLUSTERS else f", worth {int(mean.interval.n_eff)} (unequal chances, n/a)"
    return f"{mean.n:,} labelled{worth}, {MIN_CLUSTERS} needed"


def slice_size(mean_slice: MeanSlice) -> str:
    """The items of a slice, and how many of them have labels."""
    labelled = "" if mean_slice.mean is None else f" · {mean_slice.mean.n:,} labelled"
    return f"{many(mean_slice.judge.items, 'item')}{labelled}"


def tile_span(tile: Tile, interval: Interval | None) -> str:
    """A figure with the ends of its interval: 3.92 (3.80 to 4.04); "–" where there is none."""
    if interval is None or interval.point is None:
        return "–"
    ends = [tile_figure(tile, end) for end in (interval.low, interval.high) if end is not None]
    return tile_figure(tile, interval.point) + (f" ({' to '.join(ends)})" if ends else "")


def describe_rest(tile: Tile, overall: MeanSlice, system: str, outcome: int) -> str:
    """Return the result of all slices together, in a sentence or two."""
    of = system or ("all systems together" if len(tile.systems) > 1 else _system_name(tile.systems[0]))
    phrase = "" if tile.counted.mean else f" “{tile.counted.describe_mean(outcome)}” in"
    own = f"the judge itself says{phrase} {tile_span(tile, overall.judge)}"
    if overall.mean is None or overall.mean.interval.point is None:
        return f"Of {of}, {own}; {explain_missing_figure(overall)}."
    mean = " on average" if tile.counted.mean else ""
    return f"Of {of}, people would say{phrase} {tile_span(tile, overall.mean.interval)}{mean}; {own}."
