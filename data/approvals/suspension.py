"""Automatic suspension: labels after an approval that no longer support it (docs/methods.md, Drift and suspension).

Here is which gold came since, and what was frozen at the approval; what follows from both is in judges/stats/drift.py.
Nothing is ever approved again by itself; a person decides.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from data import log
from data.approvals import case, policy, record
from data.approvals.case import Case
from data.approvals.record import Approval, ApprovalStatus, Fact
from data.calibration import calibration
from data.gold.gold import LABEL_CONDITIONS
from data.records import datasets
from data.records.access import act, allow
from data.records.names import APPROVAL_ACTOR, KEPT_APPROVAL_PREFIX
from data.records.outcomes import unit_sort_sql
from data.records.values import get_setting, put_setting
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotFound
from judges.plural import many
from judges.stats import approval_check, drift
from judges.stats import calibration as stats_calibration
from judges.stats.approval_check import CheckResult
from judges.stats.calibration import DimensionResult, Summary
from judges.stats.drift import DriftFinding, FrozenEvidence, GoldAgreement
from judges.stats.uncertainty import normal_quantile

_SINCE = """
select 'new labels' as what, i.dataset_id, '' as judge_id, l.dimension, max(l.seq) as seq
from label l join item i on i.id = l.item_id where l.seq > $1 group by i.dataset_id, l.dimension
union all
select 'other scores', i.dataset_id, s.judge_id, s.dimension, max(s.seq)
from score s join item i on i.id = s.item_id where s.seq > $1 and s.item_id in (select item_id from label)
group by i.dataset_id, s.judge_id, s.dimension
union all
select 'adjudications', dataset_id, '', dimension, max(seq) from adjudication where seq > $1
group by dataset_id, dimension
union all
select 'excluded items', dataset_id, '', '', max(seq) from item_use where seq > $1 group by dataset_id
union all
select 'a further draw', dataset_id, '', '', max(seq) from draw where seq > $1 and stream = 'audit' group by dataset_id
union all
select 'labels combined anew', scope, '', '', max(seq) from setting where seq > $1 and name = 'gold' group by scope
union all
select 'other items', dataset_id, '', '', max(seq) from item where seq > $1
and id in (select item_id from label) group by dataset_id
"""
"""SQL of what came since a change and can affect a figure.

A judge or dimension "" means all of the dataset's. Items without a label are in no figure: they, and their scores,
count from their first label on.
"""


class NewRows(NamedTuple):
    """New rows: what they are in words, what they affect, and the newest change among them."""

    description: str
    dataset: str
    judge: str
    dimension: str
    seq: int

    def touches(self, approval: Approval, since: int) -> bool:
        """Whether they can move the figures of an approval that was last looked at after change `since`."""
        return (
            self.seq > since and self.dataset == approval.dataset and self.judge in ("", approval.judge)
            and self.dimension in ("", approval.dimension)
        )  # fmt: skip


@dataclass(frozen=True)
class ApprovalReview:
    """The review of an approval as of now.

    `case` is its case, decided by itself under the policy that it met (None: it is gone), and `finding` what follows
    from the gold since. `against` says what of the policy is not met apart from kappa. `since` and `latest` are the
    figures of the gold since the approval and of the newest of it (None: there is none); `frozen` is what was frozen
    then.
    """

    case: Case | None
    finding: DriftFinding
    against: tuple[str, ...]
    since: Summary | None
    latest: Summary | None
    frozen: dict[str, float | None]

    @property
    def suspends(self) -> bool:
        """Whether it suspends the approval."""
        return self.finding.state == "suspended" or bool(self.against)

    @property
    def doubtful(self) -> bool:
        """Whether its gold speaks against it, even if that does not suspend it."""
        return self.finding.state != "holds"

    @property
    def why(self) -> str:
        """The reasons, in sentences, and whether the way figures are made may be among them."""
        noted = (self.doubtful or self.against) and is_of_older_version(self.frozen)
        version_notes = [_OLDER_VERSION_NOTE] if noted else []
        return " ".join([*self.finding.sentences, *self.against, *version_notes])


_OLDER_VERSION_NOTE = (
    "It was approved by an older version of Assay, which counted the first of several samples, weighted items as if "
    "all drawn ones had been answered, and formed the bound in another way: figures may differ for that alone."
)


def is_of_older_version(frozen: Mapping[str, float | None]) -> bool:
    """Whether an approval's evidence is from before looks were counted, and figures were made as they are today."""
    return "looks" not in frozen


_reviewed_upto: weakref.WeakKeyDictionary[Store, dict[str, int]] = weakref.WeakKeyDictionary()
"""Up to which change each approval was reviewed. If it is lost, everything since the approval is reviewed again."""


@allow("annotator")
def suspend_unsupported(store: Store) -> list[Approval]:
    """Suspend approvals that the policy they were given under no longer supports; return those suspended now.

    Only approvals that new rows can affect are reviewed, each dimension by itself (`judges.stats.drift`). Audit alarms
    and changes of the policy suspend nothing by themselves.
    """
    upto, looked = store.newest(), _reviewed_upto.setdefault(store, {})
    waiting = [a for a in record.approvals_in_force(store) if looked.get(a.id, a.seq) < upto]
    if not waiting:
        return []
    came = _rows_since(store, min(looked.get(a.id, a.seq) for a in waiting))
    moved = [a for a in waiting if any(rows.touches(a, looked.get(a.id, a.seq)) for rows in came)]
    _compute_figures(store, moved)
    suspensions = []
    for approval in waiting:
        if approval in moved and review_approval(store, approval).suspends:
            suspensions += _suspend(store, approval)
        looked[approval.id] = upto
    return suspensions


@allow("lead")
def find_doubted(store: Store, dataset_id: str = "") -> list[tuple[Approval, ApprovalReview]]:
    """Return the approvals in force in a dataset ("" = in all) that a lead has to review, with their reviews.

    An approval that a lead reviewed and kept is left out, unless something else speaks against it by now. Those of an
    older version are reviewed even without new rows, because their figures may be computed differently today.
    """
    approvals = record.approvals_in_force(store, dataset_id)
    came = _rows_since(store, min(approval.seq for approval in approvals)) if approvals else []
    moved = [approval for approval in approvals if any(rows.touches(approval, approval.seq) for rows in came)]
    reviews = [
        (approval, review_approval(store, approval))
        for approval in approvals
        if approval in moved
        or is_of_older_version({name: figure for name, figure, _ in record.frozen_evidence(store, approval.id)})
    ]
    return [
        (approval, review)
        for approval, review in reviews
        if review.doubtful and not find_keeper(store, approval, review)
    ]


@allow("lead")
def keep_approved(
    store: Store, actor: str, approval: Approval, reason: str, seen: Collection[str] | None = None
) -> None:
    """Record that a lead has reviewed an approval, and keeps it until something else speaks against it.

    `seen` are the kinds of reasons against it that the lead was shown (None: all there are). Raises NotAllowed, and
    BadInput without a reason, if there is nothing to review, and if there are further reasons.
    """
    why = policy.check_reason(reason)

    def work(tx: Tx) -> None:
        in_force = record.approval_statuses(tx).get(approval.key, ApprovalStatus()).in_force
        reasons = review_approval(store, approval).finding.reasons
        if in_force is None or in_force.id != approval.id or not reasons:
            raise BadInput("There is nothing to review here any more. Load the page again.")
        if seen is not None and not set(reasons) <= set(seen):
            raise BadInput("There are new reasons against it since you looked. Review the current figures first.")
        name = f"{approval.dimension} ({approval.sort})"
        review = {"dimension": name, "reasons": sorted(reasons), "reason": why, "person": actor}
        put_setting(tx, approval.dataset, f"{KEPT_APPROVAL_PREFIX}{approval.id}", review)

    act(store, actor, "lead", "keep approval", work, approval.dataset)


def find_keeper(store: Store, approval: Approval, approval_review: ApprovalReview) -> tuple[str, str] | None:
    """Return who reviewed everything that speaks against an approval and keeps it, and why; None if nobody did."""
    review = get_setting(store, approval.dataset, f"{KEPT_APPROVAL_PREFIX}{approval.id}", {})
    known = bool(review) and set(approval_review.finding.reasons) <= set(review["reasons"])
    return (str(review["person"]), str(review["reason"])) if known else None


def _rows_since(store: Store, seq: int) -> list[NewRows]:
    return [NewRows(*row) for row in store.rows(_SINCE, [seq])]


def _compute_figures(store: Store, moved: Sequence[Approval]) -> None:
    """Compute the figures of the approvals to review together; the store caches them."""
    for dataset_id, judge_id in sorted({(approval.dataset, approval.judge) for approval in moved}):
        of_judge = [approval for approval in moved if (approval.dataset, approval.judge) == (dataset_id, judge_id)]
        keys = {approval.key[2:] for approval in of_judge}
        with suppress(NotFound):
            synthetic = datasets.find_dataset(store, dataset_id).synthetic
            dimensions = [d for d in calibration.compared_dimensions(store, judge_id) if (d.sort, d.name) in keys]
            for basis in {approval.requirements.basis(synthetic) for approval in of_judge}:
                calibration.comparison_inputs(store, dataset_id, judge_id, dimensions, basis)


def _suspend(store: Store, approval: Approval) -> list[Approval]:
    """Suspend it, unless somebody has decided meanwhile, or it holds by now."""

    def work(tx: Tx) -> bool:
        in_force = record.approval_statuses(tx).get(approval.key, ApprovalStatus()).in_force
        review = review_approval(store, approval)
        if in_force is None or in_force.id != approval.id or not review.suspends:
            return False
        # Under the write lock nobody else commits, so the store shows the state at this very change.
        current = review.case
        came = (rows.description for rows in _rows_since(store, approval.seq) if rows.touches(approval, approval.seq))
        arrivals = ", ".join(dict.fromkeys(came))
        state, mark = (
            (current.result.check.state, case.case_fingerprint(store, current)) if current else ("undefined", "")
        )
        evidence = [*case.case_facts(store, current), *suspension_facts(review)] if current else []
        why = f"Since the approval came {arrivals}. {_describe_change(review)}{review.why}"
        record.append_decision(
            tx, approval.key, "suspend", why, APPROVAL_ACTOR, state, approval.requirements, mark, evidence
        )
        return True

    done = store.tx(APPROVAL_ACTOR, "suspend", work, target=approval.dataset)
    if done:
        about = dict(zip(("dataset_id", "judge", "unit", "dimension"), approval.key, strict=True))
        log.info("approval_decided", decision="suspend", person=APPROVAL_ACTOR, **about)
    return [s.in_force] if done and (s := record.approval_statuses(store)[approval.key]).in_force else []


@cache_result
def review_approval(store: Store, approval: Approval) -> ApprovalReview:
    """The state of an approval now."""
    frozen = {name: figure for name, figure, _ in record.frozen_evidence(store, approval.id)}
    try:
        current = _single_dimension_case(store, approval)
    except NotFound as error:
        sentence = f"It cannot be compared with labels any more: {error}"
        return ApprovalReview(None, DriftFinding("suspended", ("no gold",), (sentence,)), (), None, None, frozen)
    since, latest = _new_gold_summaries(store, approval, current)
    variant = replace(current, result=replace(current.result, check=CheckResult("meets policy", "")))  # all but kappa
    new, newest = (None if figures is None else GoldAgreement.from_summary(figures) for figures in (since, latest))
    finding = drift.assess_drift(
        frozen_figures(frozen), GoldAgreement.from_summary(current.result.gate), new, newest,
        approval.requirements.policy,
    )  # fmt: skip
    return ApprovalReview(current, finding, tuple(variant.objections), since, latest, frozen)


def frozen_figures(frozen: dict[str, float | None]) -> FrozenEvidence:
    """Return what was frozen at an approval. An error that was not frozen itself is that of the interval's ends."""
    kappa, se = frozen.get("kappa"), frozen.get("kappa, standard error")
    low, high = frozen.get("kappa, low end"), frozen.get("kappa, high end")
    if se is None and low is not None and high is not None:
        se = (high - low) / (2 * normal_quantile(0.975))
    return FrozenEvidence(kappa, se, frozen.get("items"), frozen.get("effective items"))


def _single_dimension_case(store: Store, approval: Approval) -> Case:
    """The case of an approval now, its dimension decided by itself under the policy that it met."""
    dimension = next(
        (d for d in calibration.compared_dimensions(store, approval.judge) if (d.sort, d.name) == approval.key[2:]),
        None,
    )
    if dimension is None:
        raise NotFound(f"the judge's card has no {approval.dimension!r} of a {approval.sort}.")
    dataset, judge = datasets.find_dataset(store, approval.dataset), datasets.find_judge(store, approval.judge)
    requirements = replace(approval.requirements, alarms=False)
    basis = requirements.basis(dataset.synthetic)
    cells = calibration.comparison_input(store, approval.dataset, approval.judge, dimension, basis)
    summary = stats_calibration.summarise(cells, dimension)
    line = DimensionResult(summary, summary, approval_check.check_dimension(summary.interval, requirements.policy))
    return Case(
        dataset, judge, line, requirements, None, (line.key,), case.has_imported_labels(store, approval.dataset)
    )


def _new_gold_summaries(store: Store, approval: Approval, case: Case) -> tuple[Summary | None, Summary | None]:
    """Return the figures of the gold since an approval, and of the newest of it if that is not all; None without any.

    An item is new if its first blind label of a random draw is. A correction of an older one, or a further label of the
    same item, affects only the figures of all gold.
    """
    dimension, basis = case.result.dimension, case.basis
    first = (
        "select l.item_id, min(l.seq) as seq from label l join item i on i.id = l.item_id "
        "left join draw d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and l.dimension = $2 and {unit_sort_sql(dimension.sort, 'l')} "
        f"and not l.withdrawn and {LABEL_CONDITIONS[basis]} group by l.item_id having min(l.seq) > {approval.seq:d}"
    )
    came = store.rows(f"select seq from ({first}) f order by 1 desc", [approval.dataset, approval.dimension])
    seqs = [int(row[0]) for row in came]

    def figures(after: int) -> Summary:
        among = f" and l.item_id in (select item_id from ({first}) f where f.seq >= {after:d})"
        cells = calibration.load_paired_ratings(store, approval.dataset, approval.judge, dimension, basis, among=among)
        return stats_calibration.summarise(cells, dimension)

    if not seqs:
        return None, None
    newest = seqs[drift.LATEST_ITEMS - 1] if len(seqs) > drift.LATEST_ITEMS else seqs[-1]
    return figures(seqs[-1]), figures(newest) if newest > seqs[-1] else None


# -- in figures and words ---------------------------------------------------------------------------------------------


def suspension_facts(review: ApprovalReview) -> Iterator[Fact]:
    """Give what was frozen at the approval and what came since, as evidence besides the case's, which uses all gold."""
    for name in _PARTS:
        yield f"{THEN}{name}", review.frozen.get(name), "frozen at the approval"
    since = review.finding.since
    for head, summary, interval in ((NEW, review.since, since), (NEWEST, review.latest, None)):
        if summary is None:
            continue
        own = interval or summary.interval
        ends = "any-time, 95% each" if interval else f"{own.level:.0%} interval, good for one look"
        yield f"{head}kappa", own.point, "of items whose first label came after the approval"
        yield f"{head}kappa, low end", own.low, ends
        yield f"{head}kappa, high end", own.high, ends
        yield f"{head}items", float(own.items), ""
        yield f"{head}mean difference", summary.mean_difference, "judge - people, in steps of the scale"
    if change := review.finding.change:
        yield f"{CHANGE}kappa", change.point, "kappa since the approval minus kappa at it"
        yield f"{CHANGE}kappa, low end", change.low, "any-time, two-sided 95%"
        yield f"{CHANGE}kappa, high end", change.high, "any-time, two-sided 95%"


_PARTS = ("kappa", "kappa, low end", "kappa, high end", "items", "mean difference")
"""The figures of a time, as the names of those facts end."""
THEN, NEW, NEWEST, CHANGE = "at the approval: ", "since the approval: ", "newest gold: ", "change: "
"""The beginnings of the names of those facts."""


class PeriodFigure(NamedTuple):
    """Kappa of some gold, its ends and items, and the judge's mean minus people's there; None where there is none."""

    period: str
    kappa: float | None
    low: float | None
    high: float | None
    items: float | None
    bias: float | None


def period_figures(facts: Sequence[Fact]) -> list[PeriodFigure]:
    """Return the figures at the approval, since then, of the newest and of all gold, from such evidence; else none."""
    known = {name: figure for name, figure, _ in facts}
    heads = {THEN: "at the approval", NEW: "labels since", NEWEST: "newest labels", "": "all labels now"}
    return [
        PeriodFigure(period, *(known.get(f"{head}{part}") for part in _PARTS))
        for head, period in heads.items() if f"{head}kappa" in known and f"{NEW}kappa" in known
    ]  # fmt: skip


@allow("annotator")
def current_period_figures(store: Store, approval: Approval) -> list[PeriodFigure]:
    """Return the current figures of an approval in force, or the frozen ones of a suspension; empty without any."""
    if approval.decision != "approve":
        return period_figures(record.frozen_evidence(store, approval.id))
    review = review_approval(store, approval)
    if review.case is None:
        return []
    gate = review.case.result.gate
    now = gate.interval
    figures = zip(_PARTS, (now.point, now.low, now.high, float(now.items), gate.mean_difference), strict=True)
    return period_figures([*suspension_facts(review), *((name, figure, "") for name, figure in figures)])


def _describe_change(review: ApprovalReview) -> str:
    if review.case is None:
        return ""
    now = review.case.result.gate.interval
    before = _describe_figures(review.frozen.get("kappa"), review.frozen.get("items"))
    if {"pooled", "weights"} & set(review.finding.reasons):  # which tell what it is now
        return f"At the approval kappa was {before}. "
    after = _describe_figures(now.point, now.items)
    return f"At the approval kappa was {before}; with all labels it is {after}. "


def _describe_figures(kappa: float | None, items: float | None) -> str:
    figure = "undefined" if kappa is None else f"{kappa:z.2f}"
    return f"{figure} on {many(int(items or 0), 'item')}"
