"""The state of a judge's dimensions: their figures on a basis and on the approval check's, and what the check found."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from data.approvals import plans, policy
from data.calibration import calibration
from data.calibration.nonresponse import sample_responses
from data.gold.gold import Basis
from data.records import datasets
from data.records.access import allow
from data.records.settings import Waiting, gold_rule
from data.store import Store, cache_each, cache_result
from judges.client.endpoint import is_practice
from judges.stats import calibration as stats_calibration
from judges.stats.approval_check import CheckResult, check_dimensions
from judges.stats.calibration import DimensionResult, Summary
from judges.stats.nonresponse import require_response
from judges.stats.sequential import LookPlan
from judges.types import SORTS, Dimension


@allow("annotator")
@cache_result
def summaries(
    store: Store, dataset_id: str, judge_id: str, basis: Basis, dropped: bool = False, waiting: Waiting | None = None
) -> list[Summary]:
    """Return the figures of every dimension of a judge on a basis.

    `dropped` leaves out ties on both sides. `waiting` says how cells that wait for adjudication count (None: by the
    dataset's rule).
    """
    dimensions = calibration.compared_dimensions(store, judge_id)
    cells = calibration.comparison_inputs(store, dataset_id, judge_id, dimensions, basis, dropped, waiting)
    return [
        stats_calibration.summarise(ratings, d, d.scale.drawn if dropped else "")
        for ratings, d in zip(cells, dimensions, strict=True)
    ]


@allow("annotator")
@cache_result
def with_and_without_waiting(
    store: Store, dataset_id: str, judge_id: str, basis: Basis, dropped: bool = False
) -> list[tuple[Summary, Summary]]:
    """Return the figures with and without waiting cells, for each dimension where cells wait for adjudication."""
    if gold_rule(store, dataset_id).apart is None:
        return []
    counted = summaries(store, dataset_id, judge_id, basis, dropped, "counted")
    if not any(summary.people.waiting for summary in counted):
        return []
    out = summaries(store, dataset_id, judge_id, basis, dropped, "out")
    return [pair for pair in zip(counted, out, strict=True) if pair[0].people.waiting]


@allow("annotator")
def dimension_results(
    store: Store, dataset_id: str, judge_id: str, shown: Sequence[Summary] | None = None
) -> list[DimensionResult]:
    """Return every dimension of a judge with the result of the approval check.

    The figures are on the approval check's basis (or `shown`). They are checked together with all others of the
    dataset's judges, with regard to nonresponse, and sorted by the sort of their unit, then by name. All of them use
    the same labels, so they share the error that the workspace's policy allows. Only here are figures checked.
    """
    states = _states(store, dataset_id, judge_id)  # first, as it asks for all judges together
    gate = _summaries_by_judge(store, dataset_id, [judge_id])[judge_id]
    lines = [
        DimensionResult(summary, other, states[other.dimension.sort, other.dimension.name])
        for summary, other in zip(shown or gate, gate, strict=True)
    ]
    return sorted(lines, key=lambda line: (SORTS.index(line.dimension.sort), line.dimension.name))


def _states(store: Store, dataset_id: str, judge_id: str) -> dict[tuple[str, str], CheckResult]:
    """The result of the approval check for every dimension of a judge, by unit sort and name."""
    rules, judges = policy.requirements(store), dict.fromkeys([judge_id, *_judges(store, dataset_id)])
    checked = _summaries_by_judge(store, dataset_id, list(judges))
    intervals = {
        (judge, summary.dimension.sort, summary.dimension.name): summary.interval
        for judge, figures in checked.items()
        for summary in figures
    }
    states = check_dimensions(intervals, rules.policy, plans.look_plan(store, dataset_id))
    dimensions = [summary.dimension for summary in checked[judge_id]]
    answered = sample_responses(store, dataset_id, judge_id, dimensions, policy.approval_basis(store, dataset_id))
    return {
        (d.sort, d.name): require_response(states[judge_id, d.sort, d.name], answered[d.sort, d.name], rules.answered)
        for d in dimensions
    }


def _judges(store: Store, dataset_id: str) -> list[str]:
    """The judges whose dimensions may be decided on; practice judges are left out where they are refused."""
    made_up = policy.is_synthetic(store, dataset_id)
    judges = datasets.dataset_judges(store, dataset_id)
    return [judge.id for judge in judges if made_up or not (judge.synthetic or is_practice(judge.model))]


def _summaries_by_judge(store: Store, dataset_id: str, judge_ids: Sequence[str]) -> dict[str, list[Summary]]:
    """The figures of every dimension that the approval check counts, by judge; of a plan, those of its newest look."""
    basis, plan = policy.approval_basis(store, dataset_id), plans.look_plan(store, dataset_id)

    def make(places: Sequence[int]) -> list[list[Summary]]:
        lacking = [judge_ids[n] for n in places]
        ratings = calibration.paired_ratings_by_judge(store, dataset_id, lacking, basis)
        wholes = {judge: [stats_calibration.summarise(cells, d) for d, cells in ratings[judge]] for judge in lacking}
        return [_figures(store, dataset_id, judge, wholes[judge], basis, plan) for judge in lacking]

    keys = [("checked", dataset_id, judge, basis, plan) for judge in judge_ids]
    return dict(zip(judge_ids, cache_each(store, keys, make), strict=True))


def _figures(
    store: Store, dataset_id: str, judge_id: str, full_summaries: list[Summary], basis: Basis, plan: LookPlan | None
) -> list[Summary]:
    if plan is None:
        return full_summaries
    first = policy.requirements(store).policy.first
    looks = [(summary, plan.newest_look(summary.interval.items, first)) for summary in full_summaries]
    return [
        summary if items in (0, summary.interval.items)
        else stats_calibration.summarise(
            calibration.load_paired_ratings(store, dataset_id, judge_id, summary.dimension, basis, items),
            summary.dimension,
        )
        for summary, items in looks
    ]  # fmt: skip


NO_CELLS = hashlib.sha256().hexdigest()[:20]
"""The fingerprint where there are none."""


@cache_result
def fingerprint_cells(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> str:
    """Twenty hex digits of the SHA-256 of the cells behind a figure: item, unit, people's value, the judge's, weight.

    Items go by the hash of their content, in order, so that the same labels and scores have the same fingerprint in
    any workspace, however they came there.
    """
    digest = hashlib.sha256()
    met = calibration.paired_cells_sql(store, dataset_id, judge_id, dimension, basis)
    rows = store.rows(
        f"with met as ({met}) "
        "select i.hash, m.unit, m.human, m.judge, m.scored, m.weight from met m join item i on i.id = m.item_id "
        "order by i.hash, m.unit, m.human, m.judge, m.scored, m.weight",
        [dataset_id, dimension.name, judge_id],
    )
    for row in rows:
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()[:20]
