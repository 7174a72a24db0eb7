"""The statistics of a dimension, an entry each: how it is loaded, and the findings that page and report draw of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from data.approvals import auto_accept, policy
from data.approvals.auto_accept import AutoAcceptTarget, AutoAcceptThreshold
from data.calibration import (
    anchoring,
    baselines,
    calibration,
    confidence,
    human_ceiling,
    missingness,
    rates,
    slices,
)
from data.calibration.anchoring import Anchor
from data.calibration.auto_accept import confidence_sources
from data.calibration.confidence import ConfidenceReliability
from data.gold.gold import Basis
from data.records import combinations
from data.records.access import allow
from data.store import Store, cache_result
from judges.reading.confidence import source_words
from judges.render.findings import agreement as agreement_findings
from judges.render.findings import anchoring as anchoring_findings
from judges.render.findings import auto_accept as auto_accept_findings
from judges.render.findings import baselines as baselines_findings
from judges.render.findings import confidence as confidence_findings
from judges.render.findings import human_ceiling as human_ceiling_findings
from judges.render.findings import other_metrics as other_metrics_findings
from judges.render.findings import rates as rates_findings
from judges.render.findings import sample_size as sample_size_findings
from judges.render.findings import self_consistency as self_consistency_findings
from judges.render.findings import slices as slices_findings
from judges.render.findings import system_order as system_order_findings
from judges.render.findings import threshold as threshold_findings
from judges.render.findings.findings import Finding, Sentence, quiet
from judges.stats import auto_accept as selective_figures
from judges.stats import bins, threshold
from judges.stats import missingness as missingness_figures
from judges.stats import other_metrics as other_metrics_figures
from judges.stats import rates as rates_figures
from judges.stats import system_order as system_order_figures
from judges.stats.approval_check import CheckPolicy
from judges.stats.baselines import Baselines
from judges.stats.calibration import DimensionResult, PairedRatings
from judges.stats.missingness import Missingness
from judges.stats.other_metrics import OtherMetrics
from judges.stats.ppi import CorrectedMean
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import AlternativeAnnotatorTest
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.rates import AnswerRates
from judges.stats.self_consistency import SelfConsistency
from judges.stats.slices import SlicedKappa
from judges.stats.system_order import SystemOrder
from judges.stats.threshold import ThresholdPoint
from judges.stats.uncertainty import Interval
from judges.types import Dimension

EPSILON = 0.2
"""The handicap of the alternative-annotator test in a report: that for experts, the strictest on the people's side."""
F = TypeVar("F")
Json = dict[str, Any]


@dataclass(frozen=True)
class StatisticInput:
    """The input of a statistic: a judge (by id) on a dataset, in a dimension, on a basis.

    `drop`: cells in the scale's drawn category ("tie") are left out; `epsilon` is the handicap of the test of people.
    """

    store: Store
    dataset: str
    judge: str
    dimension: Dimension
    basis: Basis
    drop: bool = False
    epsilon: float = EPSILON

    @property
    def place(self) -> tuple[Store, str, str, Dimension]:
        """The first arguments of a query."""
        return self.store, self.dataset, self.judge, self.dimension

    def ratings(self) -> PairedRatings:
        """Load the cells that kappa is computed from; ties are still among them."""
        return calibration.load_paired_ratings(*self.place, self.basis)


@dataclass(frozen=True)
class Statistic(Generic[F]):
    """A statistic whose figures are an F.

    `name` is used in addresses, `title` is above what is drawn. `load` reads and computes the figures, which
    `load_figures` keeps; `empty` are those of a dimension in which people and judge share no cell (then nothing is
    loaded). `describe` gives the findings that figures show, and `as_json` the same with every digit, under the key
    `json_key` of a dimension in figures.json ("" none); figures that are None show nothing. `applies` says whether a
    dimension has it at all, `can_drop_ties` whether ties can be left out of it. `collapsed`: a report has it behind a
    line that opens it. `explanations` names what explains it (pages/ui/explanations.py).
    """

    name: str
    title: str
    load: Callable[[StatisticInput], F]
    describe: Callable[[Any, DimensionResult, CheckPolicy], Sequence[Finding]]
    empty: F
    json_key: str = ""
    as_json: Callable[[Any], Any] = lambda _: None
    applies: Callable[[DimensionResult], bool] = lambda _: True
    can_drop_ties: bool = True
    collapsed: bool = False
    explanations: tuple[str, ...] = ()

    def findings(self, figures: F, line: DimensionResult, policy: CheckPolicy) -> Sequence[Finding]:
        """Return what the figures show, or nothing."""
        return [] if figures is None else self.describe(figures, line, policy)

    def to_json(self, figures: F) -> Json:
        """Return the figures with every digit, under their key; none if they have no key."""
        return {self.json_key: None if figures is None else self.as_json(figures)} if self.json_key else {}


@allow("annotator")
@cache_result
def load_figures(
    store: Store, name: str, dataset: str, judge: str, dimension: Dimension, basis: Basis, drop: bool = False,
    epsilon: float = EPSILON,
) -> Any:  # fmt: skip
    """The figures of the statistic of that name, of what `StatisticInput` says."""
    return STATISTICS[name].load(StatisticInput(store, dataset, judge, dimension, basis, drop, epsilon))


def kappa_figures(interval: Interval) -> dict[str, Any]:
    """Kappa with its ends, bound and standard error, and what it is from, under keys that stay as they are."""
    return {
        "kappa": interval.point, "low": interval.low, "high": interval.high, "bound": interval.lower_bound,
        "se": interval.se, "items": interval.items, "ratings": interval.cells, "n_eff": interval.n_eff,
        "method": interval.method, "undefined_replicates": interval.undefined,
    }  # fmt: skip


class Agreement(NamedTuple):
    """The baselines, and why replies of the judge could not be used, each reason with its number."""

    floors: Baselines
    replies: Sequence[tuple[str, int]]


def _agreement(of: StatisticInput) -> Agreement:
    dimensions = calibration.compared_dimensions(of.store, of.judge)
    floors = baselines.measure_baselines(of.store, of.dataset, of.judge, dimensions, of.basis, of.drop)
    replies = calibration.count_unscored(of.store, of.dataset, of.judge)
    return Agreement(floors[of.dimension.sort, of.dimension.name], replies)


def _agreement_findings(agreement: Agreement, line: DimensionResult, _: CheckPolicy) -> list[Finding]:
    shown, title = line.shown, line.dimension.title
    return [
        *agreement_findings.kappa_findings(line),
        *baselines_findings.findings(agreement.floors),
        agreement_findings.confusion(shown, f"{title}: people and judge, ratings"),
        *agreement_findings.spread(shown, f"{title}: how often each answer is given"),
        *agreement_findings.omissions(shown, agreement.replies if shown.unscored else ()),
    ]


def _agreement_plain(agreement: Agreement) -> Json:
    floors, rule = agreement.floors, agreement.floors.length
    length = None if rule is None else {
        **kappa_figures(rule.rule), "agreement": rule.exact, "judge": kappa_figures(rule.judge),
        "ahead": kappa_figures(rule.difference),
    }  # fmt: skip
    return {
        "standing": floors.standing, "items": floors.items, "constant": floors.constant,
        "constant_agreement": floors.share, "length": length,
    }  # fmt: skip


AGREEMENT = Statistic(
    "agreement", "Agreement", _agreement, _agreement_findings, Agreement(Baselines(0), ()), "baselines",
    _agreement_plain,
)  # fmt: skip

OTHER_METRICS = Statistic[OtherMetrics | None](
    "others", "Other metrics",
    lambda of: other_metrics_figures.measure_other_metrics(
        of.ratings(), of.dimension, of.dimension.scale.drawn if of.drop else ""
    ),
    lambda metrics, line, _: other_metrics_findings.findings(metrics, line.dimension),
    None, "others", other_metrics_figures.as_json, explanations=("others", "AC2"),
)  # fmt: skip


def _has_system_mean(dimension: Dimension) -> bool:
    """Whether the answers have a mean that says something of a system: those in order, and yes and no (its share)."""
    return dimension.is_of_one_system and (dimension.scale.has_order or dimension.scale.kind == "flag")


def _system_order(of: StatisticInput) -> SystemOrder | None:
    return slices.measure_system_order(*of.place, of.basis) if _has_system_mean(of.dimension) else None


SYSTEM_ORDER = Statistic[SystemOrder | None](
    "systems", "Order of systems", _system_order,
    lambda order, *_: system_order_findings.findings(order), None, "systems", system_order_figures.as_json,
    applies=lambda line: _has_system_mean(line.dimension),
    can_drop_ties=False, explanations=("systems",),
)  # fmt: skip

MISSING_SCORES = Statistic[Missingness | None](
    "missing", "Missing scores", lambda of: missingness.measure_missingness(*of.place, of.basis, drop=of.drop),
    lambda gaps, *_: other_metrics_findings.missing_values(gaps) if gaps.cells else [], None, "missing_counted",
    missingness_figures.as_json, applies=lambda line: bool(line.shown.unscored), explanations=("missing",),
)  # fmt: skip


def _slices_findings(slices: Sequence[SlicedKappa], line: DimensionResult, _: CheckPolicy) -> list[Finding]:
    drawn = [
        finding
        for cut in slices
        for finding in (slices_findings.plot(cut, line.shown.interval), slices_findings.table(cut))
    ]
    return [*slices_findings.tests(slices), *drawn]


def _slices_plain(slices: Sequence[SlicedKappa]) -> list[Json]:
    return [
        {
            "by": cut.by, "p": cut.test.p if cut.test else None, "p_holm": cut.test.adjusted if cut.test else None,
            "slices": [{"slice": s.name, **kappa_figures(s.interval), "bias": s.bias} for s in cut.slices],
        }
        for cut in slices
    ]  # fmt: skip


SLICES = Statistic[Sequence[SlicedKappa]](
    "slices", "Slices", lambda of: slices.kappa_by_slice(*of.place, of.basis, of.drop), _slices_findings, (),
    "slices", _slices_plain, collapsed=True, explanations=("slices",),
)  # fmt: skip

SAMPLE_SIZE = Statistic[Sequence[Interval]](
    "size", "Sample size", lambda of: slices.kappa_growth(*of.place, of.basis, of.drop),
    lambda steps, line, policy: sample_size_findings.growth(
        steps, (), policy, f"{line.dimension.title}: kappa by sample size"
    ),
    (), "by_items", lambda steps: [kappa_figures(step) for step in steps], collapsed=True,
    explanations=("curve", "planner"),
)  # fmt: skip


class People(NamedTuple):
    """The ceiling (None: no rating has labels of two people) and the test (None: it cannot be tried)."""

    ceiling: HumanCeiling | None = None
    test: AlternativeAnnotatorTest | None = None


def _people_findings(people: People, line: DimensionResult, _: CheckPolicy) -> list[Finding]:
    title = f"{line.dimension.title}: agreement between people, and of the judge with them"
    drawn = human_ceiling_findings.findings(people.ceiling, line.shown.interval, title)
    return drawn if people.test is None else [*drawn, human_ceiling_findings.test(people.test)]


def _people_plain(people: People) -> Json | None:
    """People stand in it without their names."""
    cap, test = people
    return None if cap is None else {
        "people": cap.people, "ratings": cap.cells, "items": cap.items, "between": kappa_figures(cap.between),
        "alpha": kappa_figures(cap.alpha), "judge": kappa_figures(cap.judge) if cap.judge else None,
        "judge_minus_between": kappa_figures(cap.difference) if cap.difference else None,
        "alternative": None if test is None else alternative_annotator.as_json(test),
    }  # fmt: skip


HUMAN_AGREEMENT = Statistic(
    "people", "Human agreement",
    lambda of: People(
        human_ceiling.measure_ceiling(*of.place), human_ceiling.alternative_annotator_test(*of.place, of.epsilon)
    ),
    _people_findings, People(), "people", _people_plain, can_drop_ties=False, explanations=("ceiling", "alpha"),
)  # fmt: skip

THRESHOLD = Statistic[Sequence[ThresholdPoint]](
    "flag", "Binary threshold", lambda of: threshold.threshold_curve(of.ratings(), of.dimension.scale),
    lambda curve, line, _: threshold_findings.curve(curve, f"{line.dimension.title}: as a flag, by threshold"), (),
    applies=lambda line: line.dimension.scale.is_numeric, can_drop_ties=False, collapsed=True,
    explanations=("threshold",),
)  # fmt: skip


class RateFigures(NamedTuple):
    """Every answer with its rates, and by an answer's place the share that the dashboard shows (PPI++)."""

    answers: Sequence[AnswerRates]
    means: Mapping[int, CorrectedMean]


def _rates_plain(rate_figures: RateFigures) -> list[Json]:
    means = rate_figures.means
    return [
        rates_figures.as_json(a)
        | {"ppi": kappa_figures(means[a.rates.place].interval) if a.rates.place in means else None}
        for a in rate_figures.answers
    ]


RATES = Statistic(
    "rates", "Precision and recall",
    lambda of: RateFigures(rates.answer_rates(*of.place, of.basis), rates.corrected_means(*of.place, of.basis)),
    lambda figures, line, _: (
        rates_findings.findings(figures.answers, figures.means, line.dimension) if figures.answers else []
    ),
    RateFigures((), {}), "rates", _rates_plain,
    applies=lambda line: not line.dimension.scale.has_order, can_drop_ties=False,
    explanations=("rates", "prevalence"),
)  # fmt: skip


def _equality(line: DimensionResult) -> list[Sentence]:
    """Return a sentence on what counts as the same answer, if that is not plain."""
    sentence = bins.describe_equality(line.dimension.scale)
    return [quiet("{sentence}", sentence=sentence)] if sentence else []


def _confidence_findings(reliability: ConfidenceReliability, line: DimensionResult, _: CheckPolicy) -> list[Finding]:
    drawn: list[Finding] = []
    for source, (curve, cells) in reliability.by_source.items():
        title = f"{line.dimension.title}: accuracy by confidence ({source_words(source).name})"
        drawn += confidence_findings.sentences(curve, source, cells, reliability.scored)
        drawn += _equality(line)
        drawn.append(confidence_findings.plot(curve, title))
        drawn.append(confidence_findings.table(curve, line.dimension.scale.has_order))
    return drawn


def _confidence_plain(reliability: ConfidenceReliability) -> list[Json]:
    return [
        {
            "source": source, "error": curve.ece, "error_by_chance": curve.ece_if_calibrated,
            "ranks": curve.auroc.point if curve.auroc else None, "items": curve.items, "ratings": curve.cells,
            "levels": [
                {"low": n.low, "high": n.high, "stated": n.stated, "share": n.share, "ratings": n.cells,
                 "right": n.accuracy.point, "right_low": n.accuracy.low, "right_high": n.accuracy.high,
                 "near": n.near.point}
                for n in curve.levels
            ],
        }
        for source, (curve, _) in reliability.by_source.items()
    ]  # fmt: skip


CONFIDENCE = Statistic(
    "confidence", "Confidence", lambda of: confidence.confidence_reliability(*of.place, of.basis),
    _confidence_findings, ConfidenceReliability({}, 0), "confidence", _confidence_plain,
    can_drop_ties=False, collapsed=True, explanations=("confidence", "reliability", "ranking"),
)  # fmt: skip


def _auto_accept(of: StatisticInput) -> AutoAcceptThreshold | None:
    """As the rule in force asks, or else with the usual target."""
    rule = auto_accept.rule_in_force(*of.place)
    source = next(iter(confidence_sources(*of.place)), "")
    if rule is None and not source:
        return None
    return auto_accept.find_threshold(*of.place, of.basis, AutoAcceptTarget(source) if rule is None else rule.request)


def _auto_accept_findings(threshold: AutoAcceptThreshold, line: DimensionResult, _: CheckPolicy) -> list[Finding]:
    near, title = threshold.request.near and line.dimension.scale.has_order, line.dimension.title
    sentences = auto_accept_findings.sentences(threshold.result, near, len(threshold.confidence.item), threshold.spared)
    plot = auto_accept_findings.plot(threshold.result, f"{title}: agreement on what is accepted automatically")
    sentences += _equality(line)
    return [*sentences, plot, auto_accept_findings.table(threshold.result)] if plot is not None else [*sentences]


def _auto_accept_plain(threshold: AutoAcceptThreshold) -> Json:
    counts = {"scored_items": len(threshold.confidence.item), "spared_items": threshold.spared}
    return {**asdict(threshold.request), **selective_figures.as_json(threshold.result), **counts}


AUTO_ACCEPT = Statistic[AutoAcceptThreshold | None](
    "selective", "Auto-accept", _auto_accept, _auto_accept_findings, None, "selective", _auto_accept_plain,
    can_drop_ties=False, explanations=("selective", "sequence"),
)  # fmt: skip


class SampleFigures(NamedTuple):
    """The result of several samples (None: the judge gave one of each rating), and how they are combined, in words."""

    repeats: SelfConsistency | None = None
    combined: str = ""


def _samples(of: StatisticInput) -> SampleFigures:
    repeats = confidence.measure_repeats(*of.place, of.basis)
    return SampleFigures(repeats, combinations.describe_combinations(of.store).get(of.judge, ""))


SELF_CONSISTENCY = Statistic(
    "samples", "Self-consistency", _samples,
    lambda samples, line, _: (
        [*self_consistency_findings.findings(samples.repeats, samples.combined), *_equality(line)]
        if samples.repeats
        else []
    ),
    SampleFigures(), can_drop_ties=False,
)  # fmt: skip


def _anchoring_findings(anchor: Anchor, line: DimensionResult, _: CheckPolicy) -> list[Finding]:
    return anchoring_findings.findings(*anchor, f"{line.dimension.title}: blind beside assisted labels")


ANCHORING = Statistic[Anchor | None](
    "blind", "Anchoring", lambda of: anchoring.anchor(*of.place, policy.approval_basis(of.store, of.dataset)),
    _anchoring_findings, None, "assisted_minus_blind",
    lambda anchor: kappa_figures(anchor.difference) if anchor.blind.cells and anchor.assisted.cells else None,
    can_drop_ties=False, explanations=("anchoring",),
)  # fmt: skip

STATISTICS: dict[str, Statistic[Any]] = {
    statistic.name: statistic
    for statistic in (
        AGREEMENT, OTHER_METRICS, SYSTEM_ORDER, MISSING_SCORES, SLICES, SAMPLE_SIZE, HUMAN_AGREEMENT, THRESHOLD, RATES,
        CONFIDENCE, AUTO_ACCEPT, SELF_CONSISTENCY, ANCHORING,
    )
}  # fmt: skip
"""By name, in the order in which page and report have them."""
