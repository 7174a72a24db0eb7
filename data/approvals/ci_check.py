"""Whether a judge meets the policy, for a pipeline: a verdict on each dimension, and one exit code for all.

0: every requested dimension meets the whole policy. 1: at least one does not. 2: none fails, but at least one is
undecided, and may meet the policy with more labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from data.approvals import case, record
from data.approvals.case import Case
from data.approvals.suspension import suspend_unsupported
from data.records.access import allow, require
from data.records.datasets import Dataset
from data.records.judge_lookup import lookup_judge
from data.store import Store
from data.store.errors import NotFound
from judges.plural import many
from judges.stats.check_states import State, may_be_approved

Verdict = Literal["meets", "does not meet", "cannot be said"]
CODES: dict[Verdict, int] = {"meets": 0, "does not meet": 1, "cannot be said": 2}
_OPEN_STATES: tuple[State, ...] = ("inconclusive", "below minimum sample", "undefined")
"""The states in which the labels do not settle the question yet."""


@dataclass(frozen=True)
class DimensionVerdict:
    """The verdict on a dimension: the approval check's state and why, kappa with its lower bound, and the requirement.

    `against` says in sentences which parts of the policy are not met; `approved`: a lead's approval is in force.
    """

    unit: str
    dimension: str
    verdict: Verdict
    state: State
    reason: str
    kappa: float | None
    bound: float | None
    threshold: float
    items: int
    against: tuple[str, ...]
    approved: bool

    @property
    def line(self) -> str:
        """The verdict as a line for people."""
        figure = "kappa undefined" if self.kappa is None else f"kappa {self.kappa:.3f}"
        bound = "" if self.bound is None else f", lower bound {self.bound:.3f}"
        why = " ".join(self.against) or self.reason
        return (
            f"{self.verdict:<14} {self.unit}.{self.dimension}: {self.state}, {figure}{bound}, required "
            f"{self.threshold:g}, {many(self.items, 'item')}{f'. {why}' if why else ''}"
        )


@dataclass(frozen=True)
class JudgeVerdict:
    """The verdict on a judge on a dataset: on all requested dimensions together, and on each."""

    dataset: str
    judge: str
    card: str
    model: str
    verdict: Verdict
    dimensions: tuple[DimensionVerdict, ...]

    @property
    def code(self) -> int:
        """The exit code."""
        return CODES[self.verdict]

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain values, with the exit code and a line for people of each dimension."""
        lines = [asdict(d) | {"against": list(d.against), "line": d.line} for d in self.dimensions]
        return {**asdict(self), "dimensions": lines, "code": self.code}


@allow("annotator")
def check_judge(
    store: Store, actor: str, dataset: Dataset, judge: str, dimensions: Sequence[str] = ()
) -> JudgeVerdict:
    """The verdict on a judge of a dataset, in these dimensions or in all that people are asked about.

    A dimension is named `helpfulness`, or `turn.helpfulness` where several units have one of that name. Raises NotFound
    for a judge or a dimension that is not there, NotAllowed for somebody who does not work here.
    """
    require(store, actor, "annotator")
    traits = lookup_judge(store, dataset, judge)
    suspend_unsupported(store)
    cases, statuses = case.cases(store, dataset.id, traits.id), record.approval_statuses(store)
    names = {name for c in cases for name in _names(c)}
    if missing := [name for name in dimensions if name not in names]:
        listing = ", ".join(sorted(name for name in names if "." in name)) or "none"
        raise NotFound(f"{traits.model} has no dimension {missing[0]!r} for people. There are: {listing}.")
    verdicts = tuple(
        _verdict(c, statuses.get(c.key, record.ApprovalStatus()))
        for c in cases
        if not dimensions or not _names(c).isdisjoint(dimensions)
    )
    worst: Verdict = next(
        (v for v in ("does not meet", "cannot be said", "meets") if any(d.verdict == v for d in verdicts)),
        "cannot be said",
    )
    return JudgeVerdict(dataset.name, traits.id, traits.card, traits.model, worst, verdicts)


def _names(case: Case) -> set[str]:
    d = case.result.dimension
    return {d.name, f"{d.sort}.{d.name}"}


def _verdict(case: Case, approval_status: record.ApprovalStatus) -> DimensionVerdict:
    d, check, interval = case.result.dimension, case.result.check, case.result.gate.interval
    against = tuple(case.objections) if may_be_approved(check.state) else ()
    verdict: Verdict = "cannot be said" if check.state in _OPEN_STATES else "does not meet"
    if may_be_approved(check.state) and not against:
        verdict = "meets"
    return DimensionVerdict(
        d.sort, d.name, verdict, check.state, check.reason, interval.point, check.bound,
        case.requirements.policy.threshold, interval.items, against, approval_status.approved is not None,
    )  # fmt: skip
