"""The rates of a judge's true and false findings in a dimension, also of a score that is used as a flag."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np

from data.calibration.aggregates import load_tallies
from data.calibration.calibration import comparison_input, load_paired_ratings
from data.calibration.labelled_items import labelled_items
from data.gold.gold import Basis
from data.records.access import allow
from data.records.outcomes import counted_dimension, nearest_sql, unit_sort_sql
from data.store import Store, cache_result
from judges.stats.ppi import CorrectedMean, Moments, correct_mean
from judges.stats.rates import AnswerRates, JudgeShare, judge_share, rates_by_answer
from judges.stats.threshold import ThresholdRates, rates_at_threshold
from judges.types import Dimension


def answer_rates(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> list[AnswerRates]:
    """Every answer of a flag or an unordered scale with its rates, and how often people would give it."""
    if dimension.scale.has_order or not dimension.scale.size:
        return []
    ratings = comparison_input(store, dataset_id, judge_id, dimension, basis)
    return rates_by_answer(ratings, dimension, whole_rates(store, dataset_id, judge_id, dimension))


def whole_rates(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> dict[float, JudgeShare]:
    """Return the share of each answer among all cells to which the judge gave a value, by code."""
    rows = store.rows(
        f"with own as (select s.item_id, {nearest_sql('s.value')} as value, count(*) as n from score_now s "
        "join item i on i.id = s.item_id "
        f"where i.dataset_id = $1 and s.dimension = $2 and s.judge_id = $3 and {unit_sort_sql(dimension.sort, 's')} "
        "and s.value is not null group by 1, 2), "
        "every as (select item_id, sum(n) as m from own group by item_id) "
        "select o.value, sum(o.n), sum(o.n * o.n), sum(o.n * e.m), "
        "(select sum(m) from every), (select sum(m * m) from every) "
        "from own o join every e on e.item_id = o.item_id group by o.value",
        [dataset_id, dimension.name, judge_id],
    )
    return {float(v): judge_share(*(float(x) for x in (t, m, tt, tm, mm))) for v, t, tt, tm, m, mm in rows}


def corrected_means(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> dict[int, CorrectedMean]:
    """The corrected share (PPI++) of each answer over all systems, by the answer's place; {} where it is not kept so.

    Verdicts on the better of two are kept as wins of each system, and parts of pairs under both of them.
    """
    ask = counted_dimension(dimension)
    if ask.sided or ask.mean or dimension.is_of_side:  # whose items would count twice, under both their systems
        return {}
    key = dimension.sort, dimension.name
    groups = load_tallies(store, dataset_id, judge_id, [dimension])[key].values()
    if not any(tally.items for tally in groups):
        return {}  # n/a throughout, or nothing at all
    group = reduce(add, groups)
    by_system = labelled_items(store, dataset_id, judge_id, [dimension], [basis])[key].values()
    means = {}
    for outcome in range(ask.outcomes):
        labelled = [moments[outcome] for moments in by_system]
        place = 1 if dimension.scale.kind == "flag" else outcome
        means[place] = correct_mean(group.moments(ask, outcome, _pool(labelled)), (0.0, 1.0), share=True)
    return means


def _pool(moments: list[Moments]) -> Moments | None:
    """The labelled items of several systems together."""
    if not moments:
        return None
    return moments[0]._replace(
        labelled=sum(m.labelled for m in moments), cells=sum(m.cells for m in moments),
        weights=(sum(m.weights[0] for m in moments), sum(m.weights[1] for m in moments)),
        total=np.sum([m.total for m in moments], axis=0), cross=np.sum([m.cross for m in moments], axis=0),
        seen=(min(m.seen[0] for m in moments), max(m.seen[1] for m in moments)),
    )  # fmt: skip


@allow("annotator")
@cache_result
def flag_at(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, at: float
) -> ThresholdRates:
    """The rates of the flag that a score is from a threshold on, with intervals."""
    ratings = load_paired_ratings(store, dataset_id, judge_id, dimension, basis)
    return rates_at_threshold(ratings, dimension, at)
