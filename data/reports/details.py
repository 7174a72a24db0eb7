"""What a report looks into one dimension with: people beside the judge, slices, growth with gold, confidence."""

from __future__ import annotations

from dataclasses import dataclass, field

from data.annotators import annotators
from data.approvals import auto_accept
from data.approvals.auto_accept import Found, Wanted
from data.calibration import confidence, human_ceiling, missingness, other_metrics, rates, slices
from data.calibration import selective as figures
from data.calibration.self_consistency import repeated
from data.gold.gold import Basis
from data.store import Store
from judges.stats.learning_curve import kappa_by_size
from judges.stats.missingness import Missingness
from judges.stats.other_metrics import OtherMetrics
from judges.stats.ppi import CorrectedMean
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import AlternativeAnnotatorTest
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.rates import AnswerRates
from judges.stats.reliability import Reliability, reliability
from judges.stats.self_consistency import SelfConsistency
from judges.stats.slices import SlicedKappa, slice_kappa
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

    ceiling: HumanCeiling | None = None
    test: AlternativeAnnotatorTest | None = None
    slices: tuple[SlicedKappa, ...] = ()
    curve: tuple[Interval, ...] = ()
    sure: dict[str, Reliability] = field(default_factory=dict)
    rates: tuple[AnswerRates, ...] = ()
    means: dict[int, CorrectedMean] = field(default_factory=dict)
    selective: Found | None = None
    repeats: SelfConsistency | None = None
    others: OtherMetrics | None = None
    missing: Missingness | None = None


def depth(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, epsilon: float = EPSILON
) -> Depth:
    """All of it for a dimension on a basis; ceiling and test rest on blind labels, whatever the basis."""
    ratings = annotators.dimension_labels(store, dataset_id, dimension, "blind", judge_id).ratings
    found = human_ceiling.ceiling(store, dataset_id, judge_id, dimension)
    several = found is not None and found.judge is not None and found.people >= alternative_annotator.MIN_PEOPLE
    parted = slices.parted(store, dataset_id, judge_id, dimension, basis)
    weights = dimension.scale.weights
    certain = confidence.certain(store, dataset_id, judge_id, dimension, basis).by_source
    made = {source: reliability(cells) for source, cells in certain.items()}
    return Depth(
        found,
        alternative_annotator.run_test(ratings, epsilon) if several else None,
        tuple(slice_kappa(parted.cells, parted.size, weights, parted.cuts, parted.gap)),
        tuple(kappa_by_size(*slices.in_order(store, dataset_id, judge_id, dimension, basis), weights)),
        {source: one for source, one in made.items() if one is not None},
        tuple(rates.found(store, dataset_id, judge_id, dimension, basis)),
        rates.means(store, dataset_id, judge_id, dimension, basis),
        _selective(store, dataset_id, judge_id, dimension, basis),
        repeated(store, dataset_id, judge_id, dimension, basis),
        other_metrics.others(store, dataset_id, judge_id, dimension, basis),
        missingness.missing(store, dataset_id, judge_id, dimension, basis),
    )


def _selective(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> Found | None:
    rule = auto_accept.rule(store, dataset_id, judge_id, dimension)
    source = next(iter(figures.sources(store, dataset_id, judge_id, dimension)), "")
    if rule is None and not source:
        return None
    wanted = Wanted(source) if rule is None else rule.wanted
    return auto_accept.found(store, dataset_id, judge_id, dimension, basis, wanted)
