"""A judge's scores of each system under test, summed up: tallies in memory that follow the store.

Scores are only ever appended, so sums over items can be kept, and each look adds just what came since the last one.
If new scores belong to items that were counted before (another part, another sample), their judge is summed up anew.
So it is when its first several samples come, whatever they are of: all its scores are then combined in that change.
The store stays the only truth; tallies that are thrown away are made again. An item enters a sum once, by its own sums
over its cells, so that intervals by items can be made of them (judges/stats/ppi.py).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from data.calibration import calibration
from data.records.outcomes import (
    CountedDimension,
    counted_dimension,
    is_answer_sql,
    pair_name,
    unit_sort_sql,
    verdict_codes,
)
from data.store import Store, placeholders, quote_sql
from judges.stats import bins, ppi
from judges.stats.agreement import Floats
from judges.stats.ppi import Moments
from judges.types import SORTS_WITH_SEVERAL_UNITS, Dimension

IMPORTED = "imported"
"""The beginning of the name that scores from files have instead of a run's id."""
RUN_KEY = f"coalesce(m.run_id, '{IMPORTED}' || m.seq)"
"""SQL of the run that a judgment `m` is of, or of the change that its file came in with; one in each change."""
_TOLERANCE = 1e-6
_NO_LABELS = ppi.moments([], [], [], [])


@dataclass
class AggregateGroup:
    """The scores of one run and system.

    It has the items with a value, ratings (n/a too), and how often each answer was given; `totals` and `cross` by
    outcome: totals of (T, M) over items, and of their products (TT, TM, MM).
    """

    items: int
    cells: int
    counts: Floats
    totals: Floats
    cross: Floats
    squares: float = 0.0
    """Sum of the squares of all values, where their mean is taken."""

    def __add__(self, other: AggregateGroup) -> AggregateGroup:
        return AggregateGroup(
            self.items + other.items, self.cells + other.cells, self.counts + other.counts, self.totals + other.totals,
            self.cross + other.cross, self.squares + other.squares,
        )  # fmt: skip

    @property
    def valued(self) -> float:
        """Cells with a value."""
        return float(self.counts.sum())

    def moments(self, counted: CountedDimension, outcome: int, labelled: Moments | None) -> Moments:
        """The moments of a mean, of items with a value, with those of the labelled items where there are any."""
        tt, tm, mm = self.cross[outcome]
        totals, cross = self.totals[outcome], np.array([[tt, tm], [tm, mm]])
        if counted.mean:
            codes, counts = np.array(counted.codes), self.counts
        else:  # of an outcome that is or is not
            codes, counts = np.array([0.0, 1.0]), np.array([totals[1] - totals[0], totals[0]])
        squares = self.squares if counted.mean else float(counts @ codes**2)
        base = _NO_LABELS if labelled is None else labelled
        outside = counts[(codes < base.seen[0] - _TOLERANCE) | (codes > base.seen[1] + _TOLERANCE)].sum()
        uncovered = float(outside / counts.sum())
        return base._replace(items=self.items, whole=totals, whole_cross=cross, squares=squares, uncovered=uncovered)


Key = tuple[str, str]
"""Unit sort and name of a dimension."""
Groups = dict[tuple[str, str], AggregateGroup]
"""By run and system."""


class _JudgeTallies:
    """The tallies of one judge on one dataset, up to change `seq`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seq, self.stamp = 0, -1
        self.groups: dict[Key, Groups] = {}


_kept: weakref.WeakKeyDictionary[Store, dict[tuple[str, str], _JudgeTallies]] = weakref.WeakKeyDictionary()
_making = threading.Lock()


def load_tallies(store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension]) -> dict[Key, Groups]:
    """The groups of each of those dimensions, up to date."""
    with _making:
        tallies = _kept.setdefault(store, {}).setdefault((dataset_id, judge_id), _JudgeTallies())
    with tallies.lock:
        _update_tallies(store, dataset_id, judge_id, tallies)
        new = [d for d in dimensions if (d.sort, d.name) not in tallies.groups]
        tallies.groups |= {(d.sort, d.name): {} for d in new}
        _add_groups(tallies, _grouped_scores(store, dataset_id, judge_id, new, 0, tallies.seq))
        return {(d.sort, d.name): dict(tallies.groups[d.sort, d.name]) for d in dimensions}


def _update_tallies(store: Store, dataset_id: str, judge_id: str, tallies: _JudgeTallies) -> None:
    """Take in what came since the last look."""
    stamp = store.follow(["score"])[0] or 0
    if stamp == tallies.stamp:
        return
    upto = store.newest()
    if tallies.groups and store.rows(
        "select 1 from score where judge_id = $1 and seq > $2 and seq <= $3 limit 1", [judge_id, tallies.seq, upto]
    ):
        again = store.rows(
            "with fresh as (select item_id from score where judge_id = $1 and seq > $2 and seq <= $3 "
            "union select item_id from combination where judge_id = $1 and seq > $2 and seq <= $3) "
            "select 1 from score s join fresh f on f.item_id = s.item_id where s.judge_id = $1 and s.seq <= $2 limit 1",
            [judge_id, tallies.seq, upto],
        )
        if again:
            tallies.groups.clear()
        else:
            questions = [
                d for d in calibration.compared_dimensions(store, judge_id) if (d.sort, d.name) in tallies.groups
            ]
            _add_groups(tallies, _grouped_scores(store, dataset_id, judge_id, questions, tallies.seq, upto))
    tallies.seq, tallies.stamp = upto, stamp


def _add_groups(tallies: _JudgeTallies, rows: Iterable[tuple[Key, str, str, AggregateGroup]]) -> None:
    for key, run, system, group in rows:
        groups = tallies.groups[key]
        groups[run, system] = groups[run, system] + group if (run, system) in groups else group


def scoring_change_sql(store: Store, judge_id: str, until: str = "") -> tuple[str, str]:
    """SQL: the change that gives a score `s` of the judge $2 its run and day, and the join that this needs.

    Where several samples are combined it is that of the item's last one, of those that `until` allows: all items of a
    judge are combined in the change that brings its first several samples.
    """
    if not store.rows("select 1 from combination where judge_id = $1 limit 1", [judge_id]):
        return "s.seq", ""
    newest = f"select item_id, max(seq) as seq from score where judge_id = $2{until} group by item_id"
    return "o.seq", f"join ({newest}) o on o.item_id = s.item_id "


def _grouped_scores(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], since: int, up_to: int
) -> Iterator[tuple[Key, str, str, AggregateGroup]]:
    """Dimension, run, system and a part of their group, of the scores of changes after `since` up to `up_to`.

    How often each answer was given comes of one pass over the scores; where an item has one cell, so do its sums. Of
    turns and sections a second pass sums up every item first.
    """
    if not dimensions:
        return
    called = sorted({d.name for d in dimensions})
    params = [dataset_id, judge_id, since, up_to, *called]
    came = (
        f"came as (select m.seq, max({RUN_KEY}) as run from judgment m "
        "where m.judge_id = $2 and m.seq > $3 group by m.seq)"
    )
    seq, origin = scoring_change_sql(store, judge_id, " and seq <= $4")
    scores = (
        f"score_now s {origin}where s.judge_id = $2 and s.seq > $3 and s.seq <= $4 "
        f"and s.dimension in ({placeholders(called, 5)})"
    )
    asks: dict[Key, CountedDimension] = {(d.sort, d.name): counted_dimension(d) for d in dimensions}
    for run, a, b, name, unit, value, n in store.rows(
        f"with {came}, cells as (select {seq} as seq, s.item_id, s.dimension, s.value, "
        "case when s.unit like 'turn:%' then 'turn' when s.unit like 'section:%' then 'section/' || right(s.unit, 1) "
        "when s.unit like 'response/%' then 'side/' || right(s.unit, 1) else s.unit end as unit "
        f"from {scores}) "
        "select c.run, i.system_a, i.system_b, s.dimension, s.unit, s.value, count(*) from cells s "
        "join item i on i.id = s.item_id left join came c on c.seq = s.seq "
        "where i.dataset_id = $1 group by 1, 2, 3, 4, 5, 6",
        params,
    ):
        sort, _, side = str(unit).partition("/")
        ask = asks.get((sort, str(name)))
        if ask is not None:
            for system, code in _systems_of_score(ask, str(a), str(b), side, None if value is None else float(value)):
                yield (sort, str(name)), str(run or IMPORTED), system, _single(ask, code, int(n))
    for sort in SORTS_WITH_SEVERAL_UNITS:
        of_sort = [asks[key] for key in asks if key[0] == sort]
        if of_sort:
            yield from _by_item(store, of_sort, came, scores, seq, params)


def _systems_of_score(
    counted: CountedDimension, a: str, b: str, side: str, value: float | None
) -> list[tuple[str, float | None]]:
    """Return the systems that a score is of, each with the value that the score has for it."""
    if counted.sided:
        codes = [None, None] if value is None else [_turn(counted, value, first) for first in (True, False)]
        return [(a, codes[0]), (b, codes[1])]
    if counted.dimension.sort == "pair":
        return [(pair_name(a, b), value)]
    return [(b if side == "b" else a, value)]


def _turn(counted: CountedDimension, value: float, first: bool) -> float:
    """A verdict as a win (0), tie (1) or loss (2) of the first system, or of the second."""
    return float(next(n for n in range(3) if verdict_codes(counted, n)[0 if first else 1] == value))


def _single(counted: CountedDimension, value: float | None, n: int) -> AggregateGroup:
    """So many cells with one value; of items that have one cell also their sums."""
    counts, size = np.zeros(len(counted.codes)), counted.outcomes
    totals, cross = np.zeros((size, 2)), np.zeros((size, 3))
    if value is None:
        return AggregateGroup(0, n, counts, totals, cross)
    counts[int(bins.row_numbers([value], counted.dimension.scale)[0]) if not counted.sided else int(value)] = n
    squares = n * value * value if counted.mean else 0.0
    if counted.dimension.has_several_units:
        return AggregateGroup(0, n, counts, totals, cross, squares)
    t = [value] if size == 1 else [float(k == counts.argmax()) for k in range(size)]
    for k, x in enumerate(t):
        totals[k], cross[k] = (n * x, n), (n * x * x, n * x, n)
    return AggregateGroup(n, n, counts, totals, cross, squares)


def _by_item(
    store: Store, asks: Sequence[CountedDimension], came: str, scores: str, seq: str, params: Sequence[object]
) -> Iterator[tuple[Key, str, str, AggregateGroup]]:
    """The sums over items, of dimensions whose items have several cells each."""
    side = "right(s.unit, 1) as side" if asks[0].dimension.sort == "section" else "'a' as side"
    own, sums = [], []
    for n, ask in enumerate(asks):
        condition = f"s.dimension = {quote_sql(ask.dimension.name)} and {unit_sort_sql(ask.dimension.sort, 's')}"
        own.append(f"count(case when {condition} then s.value end) as m{n}")
        sums.append(f"sum(case when m{n} > 0 then 1 else 0 end), sum(m{n}), sum(m{n} * m{n})")
        for k in range(ask.outcomes):
            code = ask.codes[1 if ask.outcomes == 1 else k]
            is_it = is_answer_sql("s.value", code, ask.dimension.scale)
            value = "s.value" if ask.mean else f"case when {is_it} then 1.0 else 0.0 end"
            t = f"t{n}_{k}"
            own.append(f"coalesce(sum(case when {condition} then {value} end), 0) as {t}")
            sums.append(f"sum({t}), sum({t} * {t}), sum({t} * m{n})")
    for run, system, *rest in store.rows(
        f"with {came}, own as (select s.item_id, {side}, max({seq}) as seq, {', '.join(own)} from {scores} "
        "group by 1, 2) select c.run, case when o.side = 'b' then i.system_b else i.system_a end, "
        f"{', '.join(sums)} from own o join item i on i.id = o.item_id left join came c on c.seq = o.seq "
        "where i.dataset_id = $1 group by 1, 2",
        params,
    ):
        numbers = iter(float(x) for x in rest)
        for ask in asks:
            items, m, mm = (next(numbers) for _ in range(3))
            by_outcome = np.array([[next(numbers) for _ in range(3)] for _ in range(ask.outcomes)])
            totals = np.column_stack([by_outcome[:, 0], np.full(ask.outcomes, m)])
            cross = np.column_stack([by_outcome[:, 1:], np.full(ask.outcomes, mm)])
            counts = np.zeros(len(ask.codes))
            group = AggregateGroup(int(items), 0, counts, totals, cross)
            yield (ask.dimension.sort, ask.dimension.name), str(run or IMPORTED), str(system), group
