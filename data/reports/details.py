"""What a report looks into one dimension with: people beside the judge, slices, growth with gold, confidence."""

from __future__ import annotations

from dataclasses import dataclass, field

from data.annotators import annotators
from data.approvals import auto_accept
from data.approvals.auto_accept import AutoAcceptTarget, AutoAcceptThreshold
from data.calibration import confidence, human_ceiling, missingness, other_metrics, rates, slices
from data.calibration import selective as figures
from data.calibration.self_consistency import measure_repeats
from data.gold.gold import Basis
from data.store import Store
from judges.stats.learning_curve import curve
from judges.stats.missingness import Missing
from judges.stats.other_metrics import Others
from judges.stats.ppi import Corrected
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import Test
from judges.stats.raters.human_ceiling import Ceiling
from judges.stats.rates import Answer
from judges.stats.reliability import Reliability, reliability
from judges.stats.self_consistency import Repeats
from judges.stats.slices import Sliced, sliced
from judges.stats.uncertainty import Interval
from judges.types import Dimension

EPSILON = 0.2
"""The handicap of the alternative-annotator test in a report: that for experts, the strictest on the people's side."""


@dataclass(frozen=True)
class Depth:
    """The further figures of a dimension in a report.

    They are how far people agree with each other (None: no rating has two of them), the test whether the judge could
    replace one (None: fewer than three people), kappa by slice, kappa on the first n items, and how often the judge is
    right by its confidence, by the source of that confidence; recall and false positive rate of every answer without
    order, with the mean that the dashboard shows beside it (PPI++) by the answer's place; which verdicts can be
    accepted without review, as the rule in force asks, or else by the source that most ratings have, with the usual
    target (None: no confidence); the gain of asking it several times (`repeats`); the figures of other papers
    (`others`), and those under each way of counting what is missing.
    """

    ceiling: Ceiling | None = None
    test: Test | None = None
    slices: tuple[Sliced, ...] = ()
    curve: tuple[Interval, ...] = ()
    sure: dict[str, Reliability] = field(default_factory=dict)
    rates: tuple[Answer, ...] = ()
    means: dict[int, Corrected] = field(default_factory=dict)
    selective: AutoAcceptThreshold | None = None
    repeats: Repeats | None = None
    others: Others | None = None
    missing: Missing | None = None


def depth(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, epsilon: float = EPSILON
) -> Depth:
    """All of it for a dimension on a basis; ceiling and test rest on blind labels, whatever the basis."""
    ratings = annotators.labels(store, dataset_id, dimension, "blind", judge_id).ratings
    found = human_ceiling.measure_ceiling(store, dataset_id, judge_id, dimension)
    several = found is not None and found.judge is not None and found.people >= alternative_annotator.MIN_PEOPLE
    parted = slices.slice_cells(store, dataset_id, judge_id, dimension, basis)
    weights = dimension.scale.weights
    certain = confidence.confidence_cells(store, dataset_id, judge_id, dimension, basis).by_source
    made = {source: reliability(cells) for source, cells in certain.items()}
    return Depth(
        found,
        alternative_annotator.test(ratings, epsilon) if several else None,
        tuple(sliced(parted.cells, parted.size, weights, parted.cuts, parted.gap)),
        tuple(curve(*slices.cells_in_order(store, dataset_id, judge_id, dimension, basis), weights)),
        {source: one for source, one in made.items() if one is not None},
        tuple(rates.answer_rates(store, dataset_id, judge_id, dimension, basis)),
        rates.corrected_means(store, dataset_id, judge_id, dimension, basis),
        _selective(store, dataset_id, judge_id, dimension, basis),
        measure_repeats(store, dataset_id, judge_id, dimension, basis),
        other_metrics.measure_other_metrics(store, dataset_id, judge_id, dimension, basis),
        missingness.measure_missingness(store, dataset_id, judge_id, dimension, basis),
    )


def _selective(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> AutoAcceptThreshold | None:
    rule = auto_accept.rule_in_force(store, dataset_id, judge_id, dimension)
    source = next(iter(figures.confidence_sources(store, dataset_id, judge_id, dimension)), "")
    if rule is None and not source:
        return None
    wanted = AutoAcceptTarget(source) if rule is None else rule.wanted
    return auto_accept.find_threshold(store, dataset_id, judge_id, dimension, basis, wanted)
