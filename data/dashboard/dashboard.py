"""The dashboard: what may be published of the systems under test, and what is withheld and why.

Only dimensions that a lead has approved, and whose approval still holds, have figures here. Each system has the judge's
own mean and the corrected one (judges/stats/ppi.py), which people would give; where too little is labelled there is
only the judge's own, and it is called so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from operator import add

from data.approvals import approvals, check_results, policy, record
from data.approvals.approvals import PolicyToday
from data.approvals.record import Approval
from data.calibration import calibration
from data.calibration.aggregates import IMPORTED, RUN_KEY, AggregateGroup, Groups, Key, load_tallies
from data.calibration.calibration import ListedCell
from data.calibration.labelled_items import labelled_items
from data.records import datasets, exposure
from data.records.access import allow
from data.records.datasets import Dataset
from data.records.names import APPROVAL_ACTOR
from data.records.outcomes import CountedDimension, counted_dimension, pair_name, rating_condition
from data.store import Store, cache_result
from judges.stats import bins
from judges.stats.check_states import STATES, may_be_approved
from judges.stats.means import MIN_ITEMS
from judges.stats.ppi import CorrectedMean, MeanComparison, Moments, compare_means, correct_mean
from judges.types import SORTS, Dimension

MAX_LISTED_ITEMS = 200
"""Items behind a number that are listed at most."""
UNDECIDED = "not decided"
"""The state of what may be approved and is not."""


@dataclass(frozen=True)
class RunMeans:
    """The judge's own means in one run, by outcome, over so many items."""

    run: str
    items: int
    means: tuple[float, ...]


@dataclass(frozen=True)
class SystemMeans:
    """A system under test on a tile of the dashboard.

    It has its means, one for each outcome; how often each answer was given (shares of the ratings with a value); the
    share of n/a among the judge's ratings, and of its replies that could not be read; its runs in order.
    """

    name: str
    items: int
    unscored: float
    na: float
    answer_shares: tuple[float, ...]
    means: tuple[CorrectedMean, ...]
    trend: tuple[RunMeans, ...]


@dataclass(frozen=True)
class Tile:
    """An approved dimension: its systems, and the comparisons between them.

    The systems are sorted by the leading mean, highest first. Those with only the judge's own figure come last, because
    it cannot be compared with a corrected one. `headline` is the outcome that leads: the mean, "yes" of a flag, wins of
    a verdict on pairs, the highest category of an ordered scale, else the commonest answer. `policy_today` is how the
    approval compares with the policy of today.
    """

    approval: Approval
    counted: CountedDimension
    systems: tuple[SystemMeans, ...]
    comparisons: tuple[MeanComparison, ...]
    headline: int
    policy_today: PolicyToday

    @property
    def key(self) -> str:
        """Its name in addresses: turn.helpfulness."""
        return f"{self.approval.sort}.{self.approval.dimension}"


@dataclass(frozen=True)
class WithheldDimension:
    """A dimension that is not published, with its state (by the approval check or a decision) and why, in a sentence.

    `public_reason` is the same without a figure of the dimension, for people who may see none.
    """

    dimension: Dimension
    state: str
    why: str
    public_reason: str


@dataclass(frozen=True)
class ScoringRun:
    """The origin of a part of the scores: a run of the judge, or an import, and its time."""

    key: str
    at: datetime | None

    @property
    def imported(self) -> bool:
        """Whether it came in from files."""
        return self.key.startswith(IMPORTED)


@allow("annotator")
def approvals_by_judge(store: Store, dataset_id: str) -> dict[str, list[Approval]]:
    """The approvals that hold, by judge, in the order in which the dataset lists its judges."""
    by_judge: dict[str, list[Approval]] = {judge.id: [] for judge in datasets.dataset_judges(store, dataset_id)}
    for approval in approvals.active_approvals(store, dataset_id):
        if approval.judge in by_judge:
            by_judge[approval.judge].append(approval)
    return {judge: judge_approvals for judge, judge_approvals in by_judge.items() if judge_approvals}


@allow("annotator")
def tiles(store: Store, dataset_id: str, judge_id: str, judge_approvals: Sequence[Approval]) -> list[Tile]:
    """The figures of a judge's approved dimensions, by the sort of their unit, then by name."""
    known: dict[Key, Dimension] = {(d.sort, d.name): d for d in calibration.compared_dimensions(store, judge_id)}
    shown = {(a.sort, a.dimension): a for a in judge_approvals if (a.sort, a.dimension) in known}
    dimensions = sorted((known[key] for key in shown), key=lambda d: (SORTS.index(d.sort), d.name))
    synthetic = policy.is_synthetic(store, dataset_id)
    bases = [shown[d.sort, d.name].requirements.basis(synthetic) for d in dimensions]  # what each approval was given on
    counted = load_tallies(store, dataset_id, judge_id, dimensions)
    gold = labelled_items(store, dataset_id, judge_id, dimensions, bases)
    unscored = unscored_shares(store, dataset_id, judge_id)
    order = [run.key for run in scoring_runs(store, dataset_id, judge_id)]
    today = approvals.compare_with_today(store, list(shown.values()))
    return [
        _tile(a := shown[key], today[a.key], counted_dimension(known[key]), counted[key], gold[key], unscored, order)
        for key in ((d.sort, d.name) for d in dimensions)
    ]


def _tile(
    approval: Approval, today: PolicyToday, counted: CountedDimension, groups: Groups,
    gold: Mapping[str, list[Moments]], unscored: Mapping[str, float], order: Sequence[str],
) -> Tile:  # fmt: skip
    systems, reach = [], reach_of_mean(counted)
    for name in sorted({system for _, system in groups}):
        own = {run: group for (run, system), group in groups.items() if system == name}
        total = reduce(add, own.values())
        if not total.items:
            continue  # n/a throughout
        means = tuple(
            correct_mean(
                total.moments(counted, n, gold[name][n] if name in gold else None), reach, share=not counted.mean
            )
            for n in range(counted.outcomes)
        )
        systems.append(
            SystemMeans(
                name, total.items, unscored.get(name, 0.0), 1 - total.valued / total.cells,
                tuple((total.counts / max(total.valued, 1)).tolist()), means, _trend(own, counted, order),
            )
        )  # fmt: skip
    lead = _lead(counted, systems)
    systems.sort(key=lambda s: (s.means[lead].interval.point is None, -_leading(s.means[lead]), s.name))
    are_of_same_pairs = counted.sided or counted.dimension.is_of_side
    pairs = compare_means([s.means[lead].interval for s in systems], are_of_same_pairs)
    return Tile(approval, counted, tuple(systems), tuple(pairs), lead, today)


def reach_of_mean(counted: CountedDimension) -> tuple[float, float]:
    """The ends between which the means of a dimension lie: those of its scale, 0 and 1 for shares."""
    low = bins.first_value(counted.dimension.scale)
    return (low, low + bins.scale_width(counted.dimension.scale)) if counted.mean else (0.0, 1.0)


def filter_system(tile: Tile, system: str) -> Tile:
    """A tile with one of its systems, and nothing to compare it with."""
    return replace(tile, systems=tuple(s for s in tile.systems if s.name == system), comparisons=())


def _leading(mean: CorrectedMean) -> float:
    return mean.judge if mean.interval.point is None else mean.interval.point


def _lead(counted: CountedDimension, systems: Sequence[SystemMeans]) -> int:
    if counted.sided or not systems:
        return 0
    if counted.dimension.scale.kind == "ordered":
        return counted.outcomes - 1
    total = [sum(s.answer_shares[n] for s in systems) for n in range(counted.outcomes)]
    return total.index(max(total))


def _trend(own: dict[str, AggregateGroup], counted: CountedDimension, order: Sequence[str]) -> tuple[RunMeans, ...]:
    points = []
    for run in sorted(own, key=lambda r: order.index(r) if r in order else -1):
        group = own[run]
        if group.items >= MIN_ITEMS:  # fewer would reveal single scores
            means = tuple(float(group.totals[n][0] / group.totals[n][1]) for n in range(counted.outcomes))
            points.append(RunMeans(run, group.items, means))
    return tuple(points)


@allow("annotator")
@cache_result
def scoring_runs(store: Store, dataset_id: str, judge_id: str) -> list[ScoringRun]:
    """The runs and imports that a judge's scores of a dataset came from, the oldest first."""
    rows = store.rows(
        f"with came as (select {RUN_KEY} as run, min(m.seq) as seq from judgment m "
        "join item i on i.id = m.item_id where i.dataset_id = $1 and m.judge_id = $2 group by 1) "
        "select r.run, c.made_at from came r left join change c on c.seq = r.seq order by r.seq",
        [dataset_id, judge_id],
    )
    return [ScoringRun(str(run), at) for run, at in rows]


def run_names(scoring_runs: Sequence[ScoringRun]) -> dict[str, str]:
    """Runs by key in words, no two alike: their date, the time where dates are equal, a number where those are."""
    days = [f"{run.at:%Y-%m-%d}" if run.at else "" for run in scoring_runs]
    named, runs, times = dict[str, str](), Counter(days), Counter[str]()
    for run, day in zip(scoring_runs, days, strict=True):
        when = f"{run.at:%Y-%m-%d %H:%M}" if run.at and runs[day] > 1 else day
        name = f"imported {when}" if run.imported else when
        times[name] += 1
        named[run.key] = f"{name} ({times[name]})" if times[name] > 1 else name
    return named


@cache_result
def unscored_shares(store: Store, dataset_id: str, judge_id: str) -> dict[str, float]:
    """By system, and by pair of systems ("a ~ b"), the share of a judge's replies of which no sample could be read.

    A judge that looks at an item part by part, such as turn by turn, gives a reply for each.
    """
    unread, replies = Counter[str](), Counter[str]()
    for a, b, kind, unread_count, reply_count in store.rows(
        "select i.system_a, i.system_b, i.kind, count(*) - sum(p.usable), count(*) from (select item_id, part, "
        "max(case when unscored = '' then 1 else 0 end) as usable from judgment where judge_id = $2 "
        "group by item_id, part) p join item i on i.id = p.item_id where i.dataset_id = $1 group by 1, 2, 3 "
        "order by 1, 2, 3",
        [dataset_id, judge_id],
    ):
        for name in dict.fromkeys((a, b, pair_name(a, b)) if kind == "pair" else (a,)):
            unread[name] += int(unread_count)
            replies[name] += int(reply_count)
    return {name: unread[name] / reply_count for name, reply_count in replies.items()}


@allow("annotator")
def withheld_dimensions(
    store: Store, dataset_id: str, judge_id: str, judge_approvals: Sequence[Approval]
) -> list[WithheldDimension]:
    """The dimensions of a judge that are not published, and why: all but those that `tiles` has of these approvals."""
    approved_places = {(a.sort, a.dimension) for a in judge_approvals}
    decided = {(a.sort, a.dimension): a for a in record.current_approvals(store, dataset_id, judge_id)}
    withheld, four_eyes = [], policy.requirements(store).four_eyes
    for line in check_results.dimension_results(store, dataset_id, judge_id):
        place = (line.dimension.sort, line.dimension.name)
        if place in approved_places:
            continue
        decision = decided.get(place)
        if decision is not None and decision.decision != "approve":
            withheld.append(_withheld_by_decision(line.dimension, decision, four_eyes))
        else:
            state, outside = line.check.state, STATES[line.check.state].outside
            if may_be_approved(state):
                withheld.append(WithheldDimension(line.dimension, UNDECIDED, outside, outside))
            else:
                withheld.append(WithheldDimension(line.dimension, state, line.check.reason, outside))
    return withheld


def _withheld_by_decision(dimension: Dimension, decision: Approval, four_eyes: bool) -> WithheldDimension:
    """The decision against a dimension, taken by a person or by the approval check (data/approvals/suspension.py)."""
    word, alone = decision.done, decision.person == APPROVAL_ACTOR
    summary = f"{word.capitalize()} by {'Assay' if alone else decision.person} on {decision.at:%Y-%m-%d}"
    if decision.decision == "propose":
        lead = "another lead" if four_eyes else "a lead"
        return WithheldDimension(dimension, word, *2 * (f"{summary}; {lead} has to approve it.",))
    outside = f"{summary}: new labels no longer support it." if alone else f"{summary}: {decision.reason}"
    return WithheldDimension(dimension, word, f"{summary}: {decision.reason}", outside)


@allow("annotator")
def list_items(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, system: str, answer: int | None, person: str,
    limit: int = MAX_LISTED_ITEMS,
) -> list[ListedCell]:  # fmt: skip
    """The cells behind a number: those of a system that the judge gave the n-th answer, or n/a (None); by item name.

    Items that may still come to this person to be answered blind are left out, as the list shows what the judge said;
    that the others are shown is recorded.
    """
    ask = counted_dimension(dimension)
    rows = store.rows(
        "select i.id, i.name, i.system_a, i.system_b, s.unit from score_now s join item i on i.id = s.item_id "
        f"where i.dataset_id = $1 and s.judge_id = $2 and s.dimension = $3 and {rating_condition(ask, answer, '$4')} "
        f"and not (i.id = any($5)) order by i.name, s.unit limit {limit:d}",
        [dataset_id, judge_id, dimension.name, system, sorted(exposure.blind_pending(store, person))],
    )
    exposure.record_exposures(store, person, {str(row[0]): [judge_id] for row in rows}, "dashboard")
    return [
        ListedCell(str(i), str(name), " · ".join(x for x in (a, b) if x), str(unit)) for i, name, a, b, unit in rows
    ]


@dataclass(frozen=True)
class PublishedJudge:
    """Everything that a dashboard shows of one judge on one dataset."""

    dataset: Dataset
    name: str
    synthetic: bool
    tiles: tuple[Tile, ...]
    withheld: tuple[WithheldDimension, ...]
    runs: tuple[ScoringRun, ...]


@allow("annotator")
def load_judge(store: Store, dataset: Dataset, judge_id: str) -> PublishedJudge:
    """Everything that a dashboard shows of one judge on a dataset."""
    judge = {j.id: j for j in datasets.dataset_judges(store, dataset.id)}[judge_id]
    decisions = approvals_by_judge(store, dataset.id).get(judge_id, [])
    return PublishedJudge(
        dataset, f"{judge.model} · {judge.card}", judge.synthetic,
        tuple(tiles(store, dataset.id, judge_id, decisions)),
        tuple(withheld_dimensions(store, dataset.id, judge_id, decisions)),
        tuple(scoring_runs(store, dataset.id, judge_id)),
    )  # fmt: skip
