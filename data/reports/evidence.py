"""All that a report of one judge on one dataset rests on, gathered from the store in one go."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

from data.approvals import check_results, policy, record, suspension
from data.approvals.record import Approval
from data.approvals.rules import Requirements
from data.audits import audits
from data.audits.audits import AuditResults
from data.calibration import both_orders, calibration, means, score_sums, weakest_turns
from data.calibration.calibration import BasisSize
from data.calibration.means import MeanRow
from data.calibration.score_sums import Mean
from data.cards import cards
from data.gold import fewshot
from data.gold.gold import Basis
from data.records import datasets
from data.records.access import allow
from data.records.datasets import Dataset
from data.records.settings import GoldRule, gold_rule
from data.reports.statistics import EPSILON, HUMAN_AGREEMENT, STATISTICS, People, load_figures
from data.store import Store
from judges.card import Card
from judges.stats import calibration as stats_calibration
from judges.stats.both_orders import PositionalAgreement
from judges.stats.calibration import DimensionResult, Summary
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.weakest_turns import WeakestTurns
from judges.types import Dimension

LIBRARIES = ("duckdb", "numpy")
"""Those that the figures go through; they are named with their versions."""
Progress = Callable[[str], None]
"""Is told what is being done."""


@dataclass(frozen=True)
class ReportedJudge:
    """The judge: its card and version, its model and parameters, what it judged of the dataset and when."""

    id: str
    card: str
    version: str
    model: str
    params: dict[str, Any]
    synthetic: bool
    items: int
    judgments: int
    first: datetime | None
    last: datetime | None
    runs: tuple[tuple[datetime, str], ...]
    unscored: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class DimensionEvidence:
    """A dimension in a report.

    It has its figures and those of the approval check, those on every basis with labels (True: ties dropped), the
    fingerprints of the bases, the figures of all statistics by their names, and, where ratings wait for adjudication,
    the figures with and without them.
    """

    line: DimensionResult
    bases: dict[tuple[Basis, bool], Summary]
    fingerprints: dict[Basis, str]
    statistics: Mapping[str, Any]
    waiting: tuple[Summary, Summary] | None = None

    @property
    def dimension(self) -> Dimension:
        """The dimension that was asked, and its unit."""
        return self.line.dimension

    @property
    def ceiling(self) -> HumanCeiling | None:
        """The agreement of people with each other in it."""
        people: People = self.statistics[HUMAN_AGREEMENT.name]
        return people.ceiling


@dataclass(frozen=True)
class Evidence:
    """Everything in a report.

    `gate` is what the approval check counts; `basis` the labels that the figures shown first are computed from: those
    of the approval check where it has gold.

    `decisions` are all on record in their order, `in_force` the ids of those that hold, or wait for another lead.
    `overall` are the means over all items, `turns` the judge's weakest turns beside people's, `epsilon` the handicap of
    the alternative-annotator test. `fingerprint` is one over those of all dimensions and bases; `at` when any of
    it last changed.
    """

    dataset: Dataset
    items: int
    judge: ReportedJudge
    card: Card | None
    requirements: Requirements
    rule: GoldRule
    gate: Basis
    basis: Basis
    basis_sizes: dict[Basis, BasisSize]
    dimensions: tuple[DimensionEvidence, ...]
    audits: AuditResults | None
    decisions: tuple[Approval, ...]
    in_force: frozenset[str]
    means: tuple[Mean, ...]
    position: PositionalAgreement | None
    overall: tuple[MeanRow, ...]
    turns: dict[Dimension, WeakestTurns]
    epsilon: float
    examples: int
    fingerprint: str
    at: datetime | None
    libraries: dict[str, str]


@allow("annotator")
def gather_report_evidence(
    store: Store, dataset_id: str, judge_id: str, progress: Progress = lambda _: None, epsilon: float = EPSILON
) -> Evidence:
    """The evidence as it now is; `progress` is called with what is being worked on. Raises NotFound."""
    dataset = datasets.find_dataset(store, dataset_id)
    judge = _judge(store, dataset_id, judge_id)
    requirements, card = policy.requirements(store), cards.card_of_judge_if_known(store, judge_id)
    dimensions = calibration.compared_dimensions(store, judge_id)
    basis_sizes = {b: r for b, r in calibration.basis_sizes(store, dataset_id, dimensions).items() if r.labels}
    gate = requirements.basis(dataset.synthetic)
    basis: Basis = gate if gate in basis_sizes or not basis_sizes else next(iter(basis_sizes))
    progress("Holding the judge against the gold")
    bases: list[Basis] = list(dict.fromkeys((gate, basis, *basis_sizes)))
    figures = {b: check_results.summaries(store, dataset_id, judge_id, b) for b in bases}
    lines = check_results.dimension_results(store, dataset_id, judge_id, None if basis == gate else figures[basis])
    dims = []
    wait = {
        pair[0].dimension: pair for pair in check_results.with_and_without_waiting(store, dataset_id, judge_id, basis)
    }
    for line in lines:
        place = dimensions.index(line.dimension)
        progress(f"Looking into {line.dimension.title}")
        without_ties = {
            (b, True): _figures_without_ties(store, dataset_id, judge_id, line.dimension, b)
            for b in basis_sizes if line.dimension.scale.drawn
        }  # fmt: skip
        dims.append(
            DimensionEvidence(
                line,
                {(b, False): figures[b][place] for b in basis_sizes} | without_ties,
                {
                    b: check_results.fingerprint_cells(store, dataset_id, judge_id, line.dimension, b)
                    for b in basis_sizes
                },
                {
                    name: load_figures(store, name, dataset_id, judge_id, line.dimension, basis, epsilon=epsilon)
                    if line.shown.cells
                    else statistic.empty
                    for name, statistic in STATISTICS.items()
                },
                wait.get(line.dimension),
            )
        )
    progress("Looking for known failures")
    suspension.suspend_unsupported(store)  # after everything that came since has been looked at
    decided, statuses = record.decision_history(store, dataset_id, judge_id), record.approval_statuses(store).values()
    prints = [(dim.line.key, basis, print_) for dim in dims for basis, print_ in sorted(dim.fingerprints.items())]
    return Evidence(
        dataset=dataset,
        items=datasets.count_items(store, dataset_id),
        judge=judge,
        card=card,
        requirements=requirements,
        rule=gold_rule(store, dataset_id),
        gate=gate,
        basis=basis,
        basis_sizes=basis_sizes,
        dimensions=tuple(dims),
        audits=audits.run_audits(store, dataset_id, judge_id) if card is not None else None,
        decisions=tuple(sorted(decided, key=lambda d: (d.seq, d.sort, d.dimension, d.id))),
        in_force=frozenset(a.id for status in statuses for a in (status.in_force, status.proposed) if a),
        means=tuple(score_sums.score_means(store, dataset_id, judge_id)),
        position=both_orders.load_positional_agreement(store, dataset_id, judge_id),
        overall=means.overall_means(store, dataset_id, judge_id),
        turns=weakest_turns.compare_weakest_turns(store, dataset_id, judge_id, basis),
        epsilon=epsilon,
        examples=len(fewshot.items_in_prompt(store, judge_id)),
        fingerprint=hashlib.sha256(repr(sorted(prints)).encode()).hexdigest()[:20],
        at=_newest(store, dataset_id, judge_id),
        libraries={"Python": platform.python_version()} | {name: version(name) for name in LIBRARIES},
    )


def _figures_without_ties(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> Summary:
    """The figures of a dimension without the cells in which either side says that it is a tie."""
    cells = calibration.comparison_input(store, dataset_id, judge_id, dimension, basis, dropped=True)
    return stats_calibration.summarise(cells, dimension, dimension.scale.drawn)


def _judge(store: Store, dataset_id: str, judge_id: str) -> ReportedJudge:
    judge = datasets.find_judge(store, judge_id)
    ((judgments, items, first, last),) = store.rows(
        "select count(*), count(distinct m.item_id), min(c.made_at), max(c.made_at) from judgment m "
        "join item i on i.id = m.item_id left join change c on c.seq = m.seq "
        "where i.dataset_id = $1 and m.judge_id = $2",
        [dataset_id, judge_id],
    )
    runs = store.rows(
        "select c.made_at, e.kind from run r join change c on c.seq = r.seq join run_now e on e.run_id = r.id "
        "where r.dataset_id = $1 and r.judge_id = $2 order by r.seq",
        [dataset_id, judge_id],
    )
    return ReportedJudge(
        judge.id, judge.card, judge.card_version, judge.model, judge.parameters, judge.synthetic,
        int(items), int(judgments), first, last, tuple((at, str(kind)) for at, kind in runs),
        tuple(calibration.count_unscored(store, dataset_id, judge_id)),
    )  # fmt: skip


def _newest(store: Store, dataset_id: str, judge_id: str) -> datetime | None:
    """Return the time when anything that the report uses was last added; the check and audits use all judges."""
    of_items = "select max(x.seq) as seq from {table} x join item i on i.id = x.item_id where i.dataset_id = $1"
    of_judge = "select max(x.seq) as seq from {table} x where x.dataset_id = $1 and x.judge_id = $2"
    parts = [
        "select max(seq) as seq from item where dataset_id = $1",
        *(of_items.format(table=t) for t in ("label", "answer", "draw", "adjudication", "item_use", "judgment")),
        of_items.format(table="fit") + " and x.judge_id = $2",
        *(of_judge.format(table=t) for t in ("run", "approval")),
        "select max(seq) as seq from setting where scope in ('workspace', $1)",
    ]
    rows = store.rows(
        f"select max(c.made_at) from change c join ({' union all '.join(parts)}) n on n.seq = c.seq",
        [dataset_id, judge_id],
    )
    return rows[0][0] if rows else None
