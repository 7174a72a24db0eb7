"""The case for a dimension: the evidence for a decision on publishing it, and what speaks against approving it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from data.approvals import check_results, plans
from data.approvals.label_caveats import NOTABLE_SHARE, LabelOrigin, label_origin
from data.approvals.policy import requirements, to_stored
from data.approvals.record import Fact, case_address
from data.approvals.rules import RULES, Requirements
from data.audits import audits
from data.calibration import baselines, human_ceiling
from data.cards import cards
from data.gold import disputes, fewshot
from data.gold.gold import BASES, Basis
from data.records import datasets
from data.records.access import allow
from data.records.datasets import Dataset
from data.records.outcomes import unit_sort_sql
from data.records.settings import gold_rule
from data.records.tables import JudgeRow
from data.store import Store, cache_result
from data.store.errors import NotFound
from data.store.ids import content_id
from judges.audits import AuditFinding
from judges.client.endpoint import is_practice
from judges.plural import many
from judges.stats.calibration import DimensionResult
from judges.stats.check_states import may_be_approved
from judges.stats.intervals import BOOTSTRAP
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.uncertainty import Interval
from judges.strict_json import canonical
from judges.types import sort_of


@dataclass(frozen=True)
class Case:
    """A dimension of a judge on a dataset, as an approval would decide on it.

    `result` is its row on the basis of the approval check, decided with the judge's other dimensions; `requirements` is
    what is required. `alarms` are the audits in alarm by name if the policy asks about them, else None.
    `jointly_tested` are the keys of all dimensions decided together. `has_imported_labels`: the dataset has imported
    labels or decisions.
    """

    dataset: Dataset
    judge: JudgeRow
    result: DimensionResult
    requirements: Requirements
    alarms: Mapping[str, AuditFinding] | None
    jointly_tested: tuple[str, ...]
    has_imported_labels: bool = False

    @property
    def basis(self) -> Basis:
        """The basis: the labels that count."""
        return self.requirements.basis(self.dataset.synthetic)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The key of the decision: dataset, judge, sort, dimension."""
        return self.dataset.id, self.judge.id, self.result.dimension.sort, self.result.dimension.name

    @property
    def address(self) -> str:
        """The dimension of the judge, as addresses have it."""
        return case_address(self.key)

    @property
    def coverage(self) -> float | None:
        """The share of the cells with gold that the judge has answered; None without gold.

        n/a is an answer only where people say n/a too. Otherwise a judge could say n/a on hard cells and be compared
        with people on easy ones only.
        """
        gate = self.result.gate
        return 1 - (gate.unscored + self.judge_only_na) / gate.gold_cells if gate.gold_cells else None

    @property
    def judge_only_na(self) -> int:
        """Cells for which people have a value and the judge says n/a."""
        gate = self.result.gate
        return gate.gold_cells - gate.unscored - gate.cells - gate.na_human

    @property
    def people_only_na(self) -> int:
        """Cells for which the judge has a value and people say n/a."""
        gate = self.result.gate
        return gate.gold_cells - gate.unscored - gate.cells - gate.na_judge

    @property
    def judge_is_synthetic(self) -> bool:
        """Whether the judge is rules or a generator instead of a language model."""
        return self.judge.synthetic or is_practice(self.judge.model)

    @property
    def synthetic(self) -> bool:
        """Whether the judge or the data is made up, so that an approval says nothing about any language model."""
        return self.dataset.synthetic or self.judge_is_synthetic

    @property
    def objections(self) -> list[str]:
        """The reasons that refuse an approval, each a sentence; empty if it may be approved."""
        return list(_find_objections(self))


@allow("annotator")
def cases(store: Store, dataset_id: str, judge_id: str) -> list[Case]:
    """The case of every dimension of a judge on a dataset, decided together as the workspace's policy asks.

    Raises NotFound for a dataset or judge that is not here, or whose card is not.
    """
    dataset, judge = datasets.find_dataset(store, dataset_id), datasets.find_judge(store, judge_id)
    required = requirements(store)
    if cards.card_of_judge_if_known(store, judge_id) is None:
        raise NotFound(f"The card {judge.card!r} of this judge is not here, so the meaning of its scores is unknown.")
    lines = check_results.dimension_results(store, dataset_id, judge_id)
    alarms = audits.run_audits(store, dataset_id, judge_id).alarms if required.alarms else None
    together = tuple(line.key for line in lines)
    imported = has_imported_labels(store, dataset_id)
    return [Case(dataset, judge, line, required, alarms, together, imported) for line in lines]


@cache_result
def has_imported_labels(store: Store, dataset_id: str) -> bool:
    """Whether a dataset has labels, or decisions on cells, that came in from files."""
    query = (
        "select 1 from intake n where n.dataset_id = $1 and (n.labels > 0 or n.seq in "
        "(select seq from adjudication where dataset_id = $1)) limit 1"
    )
    return bool(store.rows(query, [dataset_id]))


def find_case(store: Store, dataset_id: str, judge_id: str, sort: str, dimension: str) -> Case:
    """The case of one of them. Raises NotFound."""
    judge_cases = cases(store, dataset_id, judge_id)
    for case in judge_cases:
        if case.key[2:] == (sort, dimension):
            return case
    names = ", ".join(f"{c.result.dimension.name} ({c.result.dimension.sort})" for c in judge_cases) or "none"
    raise NotFound(f"This judge's card has no dimension {dimension!r} of a {sort} for people. It has: {names}.")


@allow("lead")
def case_fingerprint(store: Store, case: Case) -> str:
    """The fingerprint of the labels and scores behind a case (data/approvals/check_results.py)."""
    return check_results.fingerprint_cells(store, case.dataset.id, case.judge.id, case.result.dimension, case.basis)


@allow("annotator")
def seen_mark(store: Store, case: Case) -> str:
    """Return a mark of what is shown of a case: its fingerprint, state and alarms, and the requirements.

    A decision is valid for exactly this mark, and is refused if it has changed.
    """
    alarms = sorted(case.alarms or ()) if case.requirements.alarms else []
    return content_id(
        case_fingerprint(store, case), case.result.check.state, to_stored(case.requirements), alarms
    )


@dataclass(frozen=True)
class CaseContext:
    """The facts that are shown next to a case and do not decide it.

    `ceiling`: how far people agree with each other (None if no two labelled the same cell). `waiting`: ratings that
    wait for adjudication. `alarms`: audits in alarm (None if nobody has looked yet). `cautions`: what to consider about
    the labels, a sentence each. `origin`: where the labels are from.
    """

    ceiling: HumanCeiling | None
    waiting: int
    alarms: Mapping[str, AuditFinding] | None
    cautions: tuple[str, ...] = ()
    origin: str = ""


@allow("annotator")
def case_context(store: Store, case: Case) -> CaseContext:
    """Return what is shown next to a case."""
    alarms = case.alarms
    if alarms is None:
        alarms = audits.known_alarms(store, case.dataset.id, case.judge.id)
    labels = _origin_of_labels(store, case)
    caveats = list(labels.cautions())
    if case.people_only_na and case.people_only_na >= NOTABLE_SHARE * case.result.gate.gold_cells:
        caveats.append(
            f"People say n/a in {case.people_only_na:,} of {case.result.gate.gold_cells:,} ratings to which the "
            "judge gave a value: kappa leaves those out."
        )
    ceiling = human_ceiling.measure_ceiling(
        store, case.dataset.id, case.judge.id, case.result.dimension, _blind_label_set(case)
    )
    return CaseContext(ceiling, count_waiting(store, case), alarms, tuple(caveats), labels.origin())


def _origin_of_labels(store: Store, case: Case) -> LabelOrigin:
    judge, counts = case.judge, case.basis == "imported"
    return label_origin(store, case.dataset.id, judge.id, judge.card, case.result.dimension, counts)


@allow("annotator")
def kappa_between_people(store: Store, case: Case) -> Interval | None:
    """Return only kappa between two people, which is faster."""
    dimension = case.result.dimension
    return human_ceiling.kappas_between_people(
        store, case.dataset.id, case.judge.id, [dimension], _blind_label_set(case)
    )[dimension]


def _blind_label_set(case: Case) -> human_ceiling.BlindLabelSet:
    """Return which labels people's agreement uses: imported ones only if the approval check counts them."""
    return "blind" if case.basis == "imported" else "here"


def count_waiting(store: Store, case: Case) -> int:
    """Return the number of cells of the dimension that wait for adjudication."""
    sort, name = case.key[2:]
    cells = disputes.cells_to_adjudicate(store, case.dataset.id)
    return sum(cell.dimension == name and sort_of(cell.unit) == sort for cell in cells)


@allow("annotator")
def case_facts(store: Store, case: Case) -> list[Fact]:
    """Return the evidence of a case, as frozen with a decision: every figure, the tables, and how they were made."""
    return list(_facts(store, case))


def _find_objections(case: Case) -> Iterator[str]:
    check = case.result.check
    if case.judge.probe:
        yield (
            f"This judge was given altered items (the probe {case.judge.probe}): its scores measure a weakness of the "
            "judge, and do not describe these items."
        )
    if case.judge_is_synthetic and not case.dataset.synthetic:
        yield (
            "This is a practice judge, not a language model: its scores can be published for synthetic data only, and "
            "this dataset is not marked as synthetic."
        )
    unproven = case.has_imported_labels and not case.requirements.imported
    if unproven and case.dataset.synthetic and not case.judge_is_synthetic:
        yield (
            "This dataset is marked as synthetic, so its imported labels and decisions count though nobody can check "
            "them. A language model can be published only in a dataset that is not marked as synthetic, on labels "
            "given here."
        )
    if not may_be_approved(check.state):
        yield f"The approval check says: {check.state}. {check.reason} {check.still_needed}".strip()
    yield from filter(None, (rule.unmet(case.requirements, case) for rule in RULES.values()))


def _facts(store: Store, case: Case) -> Iterator[Fact]:
    line, gate, interval = case.result, case.result.gate, case.result.gate.interval
    yield "dataset", None, case.dataset.name
    yield "dataset is synthetic", float(case.dataset.synthetic), ""
    yield "judge", None, f"{case.judge.model}, card {case.judge.card} (version {case.judge.card_version})"
    yield "judge's parameters", None, case.judge.params
    yield "judge is practice or synthetic", float(case.judge_is_synthetic), ""
    yield "gate", None, f"{line.check.state}: {line.check.reason}"
    yield "kappa", interval.point, "rows people, columns judge, full scale"
    yield "kappa, standard error", interval.se, "by items"
    yield "kappa, low end", interval.low, f"{interval.level:.0%} interval"
    yield "kappa, high end", interval.high, f"{interval.level:.0%} interval"
    yield "kappa, lower bound", interval.lower_bound, "one-sided, 95%"
    yield from plans.look_facts(store, case.dataset.id, line.check, case.requirements)
    yield "items", float(interval.items), "items with a rating of both people and judge"
    yield "effective items", interval.n_eff, "n_eff after Kish, of the weights: items of the stratum / those answered"
    yield "cells", float(gate.cells), "ratings of both people and judge"
    yield "cells with gold", float(gate.gold_cells), ""
    yield "coverage", case.coverage, "share of the ratings with reference labels; n/a counts where people say it too"
    yield "exact agreement", gate.exact, ""
    yield "agreement within one", gate.within_one, ""
    yield "mean difference", gate.mean_difference, "judge minus the mean of people's values, in steps of the scale"
    yield "mean difference, low end", gate.bias.low, f"{gate.bias.level:.0%} interval"
    yield "mean difference, high end", gate.bias.high, f"{gate.bias.level:.0%} interval"
    people = gate.people
    labels_per_cell = people.labels / gate.gold_cells if gate.gold_cells else None
    yield "people of a cell", labels_per_cell, f"{people.fewest} to {people.most}: kappa is agreement with their labels"
    yield "correlation", gate.correlation, ""
    yield "commonest answer's share", gate.commonest, ""
    yield "Gwet's AC", gate.ac, ""
    yield "n/a of people", float(gate.na_human), "ratings"
    yield "n/a of the judge", float(gate.na_judge), "ratings"
    alone = "ratings to which {} gave a value; no figure counts them"
    yield "n/a of people alone", float(case.people_only_na), alone.format("the judge")
    yield "n/a of the judge alone", float(case.judge_only_na), alone.format("people")
    yield "agreement on n/a", gate.na.agreement, "" if gate.na.kappa is None else f"kappa {gate.na.kappa:.4f}"
    yield "answers", None, canonical(list(gate.answers))
    yield "table of cells", None, canonical(gate.counts.tolist())
    yield "table of weights", None, canonical(gate.table.tolist())
    yield "decided together", float(len(case.jointly_tested)), ", ".join(case.jointly_tested)
    yield "policy", None, canonical(to_stored(case.requirements))
    context = case_context(store, case)
    if context.alarms is None:
        yield "audits in alarm", None, "not computed"
    else:
        listing = "; ".join(f"{name}: {alarm.why}" for name, alarm in context.alarms.items())
        yield "audits in alarm", float(len(context.alarms)), listing
    limits = audits.audit_limits(store)
    yield "limits of audits set here", float(len(limits)), canonical(limits) if limits else ""
    yield from _floors(store, case)
    yield from _ceiling(context.ceiling)
    for counted, out in check_results.with_and_without_waiting(store, case.dataset.id, case.judge.id, case.basis):
        for name, summary in (("with", counted), ("without", out)) if counted.dimension == line.dimension else ():
            yield f"kappa {name} what waits", summary.interval.point, f"{counted.people.waiting:,} ratings wait"
            yield f"mean difference {name} what waits", summary.mean_difference, "judge minus people"
    rule = gold_rule(store, case.dataset.id)
    threshold = "never" if rule.apart is None else f"from a difference of more than {many(rule.apart, 'step')}"
    yield "gold rule", None, f"{rule.resolve}; adjudicated {threshold}"
    yield (
        "waiting for adjudication",
        float(count_waiting(store, case)),
        f"ratings, {'left out of kappa' if rule.waiting == 'out' else 'counted as combined'} until then",
    )
    yield "basis", None, BASES[case.basis]
    yield from _origin_of_labels(store, case).facts()
    yield from _adjudication_facts(store, case)
    shown = len(fewshot.items_in_prompt(store, case.judge.id))
    ((tuned,),) = store.rows("select count(*) from tuning_now where dataset_id = $1", [case.dataset.id])
    yield "items left out", float(shown + tuned), f"{shown} as examples of the prompt, {tuned} as used for tuning"
    drawn = "; 2,000 replicates, seed 0" if interval.method == BOOTSTRAP else ""
    yield "interval", None, f"{interval.method}, clustered by item, level {interval.level:g}{drawn}"
    yield "fingerprint", None, case_fingerprint(store, case)


def _ceiling(top: HumanCeiling | None) -> Iterator[Fact]:
    if top is None:
        yield "ceiling", None, "no rating has labels of two people"
        return
    yield "ceiling", top.between.point, f"kappa between {top.people} people, in pairs, on {top.cells:,} ratings"
    yield "ceiling, low end", top.between.low, f"{top.between.level:.0%} interval"
    yield "ceiling, high end", top.between.high, f"{top.between.level:.0%} interval"
    yield "Krippendorff's alpha", top.alpha.point, "between people"


def _floors(store: Store, case: Case) -> Iterator[Fact]:
    dimension = case.result.dimension
    measured = baselines.measure_baselines(store, case.dataset.id, case.judge.id, [dimension], case.basis)
    floor = measured[dimension.sort, dimension.name]
    yield "floor: one answer throughout", floor.share, f"% agreement of always saying {floor.constant}"
    if floor.length is not None:
        text = f"kappa of the length baseline; the judge {floor.length.standing} it"
        yield "floor: length alone", floor.length.rule.point, text


def _adjudication_facts(store: Store, case: Case) -> Iterator[Fact]:
    """Give how many cells were adjudicated without the judge in view, by whom, and how many of them came from files.

    Decisions with the judge in view never count. Those from files count only if imported labels do.
    """
    rows = store.rows(
        "select a.person, coalesce(c.actor, ''), count(*) from adjudication_now a left join intake n on n.seq = a.seq "
        "left join change c on c.seq = n.seq where a.dataset_id = $1 and a.dimension = $2 "
        f"and {unit_sort_sql(case.result.dimension.sort, 'a')} and not a.saw_judge group by 1, 2 order by 1, 2",
        [case.dataset.id, case.result.dimension.name],
    )
    counts = case.basis == "imported"
    settled: Counter[str] = Counter()
    imports: Counter[str] = Counter()
    for person, importer, n in rows:
        if counts or not importer:
            settled[str(person)] += int(n)
        if importer:
            imports[str(importer)] += int(n)
    yield "adjudicated", float(settled.total()), canonical(settled) if settled else "ratings"
    note = "they count" if counts else "they do not count, by the policy"
    text = f"{note}; imported by {canonical(imports)}" if imports else ""
    yield "adjudicated in files", float(imports.total()), text
