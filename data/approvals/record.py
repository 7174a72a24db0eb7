"""Decisions on record: who approved, proposed, declined or suspended what, when, why, and on which evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from data.approvals import policy
from data.approvals.actions import PAST_FORMS, Action
from data.approvals.rules import Requirements
from data.records.access import allow
from data.records.tables import ApprovalEvidenceRow, ApprovalRow
from data.store import Row, Store, Tx, cache_result
from data.store.ids import new_id
from judges.strict_json import canonical

Fact = tuple[str, float | None, str]
"""A frozen piece of evidence: its name, its figure (None where it has none), and what is said of it."""

_COLUMNS = (
    "select a.id, a.dataset_id, a.judge_id, a.sort, a.dimension, a.decision, a.reason, a.state, a.print, a.person, "
    "c.made_at, a.seq, a.policy from approval a join change c on c.seq = a.seq"
)


def case_address(key: tuple[str, str, str, str]) -> str:
    """A dimension of a judge (dataset, judge, sort, dimension) as addresses have it: judge.sort.dimension."""
    return ".".join(key[1:])


@dataclass(frozen=True)
class Approval:
    """One decision on a dimension of a judge on a dataset (both by id); `sort` is the sort of unit.

    `state` is the approval check's state at that time. `requirements` is what it was checked against, `fingerprint`
    that of the labels and scores behind it, `at` the time in UTC.
    """

    id: str
    dataset: str
    judge: str
    sort: str
    dimension: str
    decision: Action
    reason: str
    state: str
    fingerprint: str
    person: str
    at: datetime
    seq: int
    requirements: Requirements = field(default_factory=Requirements)

    @property
    def done(self) -> str:
        """The decision as what was done: "approved"."""
        return PAST_FORMS[self.decision]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The key of the decision: dataset, judge, sort, dimension."""
        return self.dataset, self.judge, self.sort, self.dimension

    @property
    def address(self) -> str:
        """Its dimension of its judge, as addresses have it."""
        return case_address(self.key)

    def is_based_on(self, fingerprint: str, requirements: Requirements) -> bool:
        """Whether it was decided on this evidence, by its fingerprint, and on this policy."""
        return (self.fingerprint, self.requirements) == (fingerprint, requirements)


@dataclass(frozen=True)
class ApprovalStatus:
    """The state of one dimension: the decision in force, and a proposal that waits for another lead."""

    in_force: Approval | None = None
    proposed: Approval | None = None

    @property
    def approved(self) -> Approval | None:
        """The approval that holds, if one does."""
        return self.in_force if self.in_force is not None and self.in_force.decision == "approve" else None


@allow("annotator")
@cache_result
def approval_statuses(store: Store | Tx) -> dict[tuple[str, str, str, str], ApprovalStatus]:
    """Return the state of everything that was ever decided on.

    A proposal changes nothing that is in force. Any other decision replaces the one in force and ends an open
    proposal.
    """
    statuses: dict[tuple[str, str, str, str], ApprovalStatus] = {}
    for row in sorted(map(_read, store.rows(_COLUMNS)), key=lambda a: (a.seq, a.id)):
        before = statuses.get(row.key, ApprovalStatus())
        statuses[row.key] = ApprovalStatus(before.in_force, row) if row.decision == "propose" else ApprovalStatus(row)
    return statuses


@allow("annotator")
def approvals_in_force(store: Store | Tx, dataset_id: str = "") -> list[Approval]:
    """Return the approvals in force in a dataset; "" means any."""
    approved = (status.approved for status in approval_statuses(store).values())
    return [approval for approval in approved if approval is not None and dataset_id in ("", approval.dataset)]


@allow("annotator")
def current_approvals(store: Store | Tx, dataset_id: str = "", judge_id: str = "") -> list[Approval]:
    """Return the decision in force for each (dataset, judge, sort, dimension), the newest first; "" means any.

    If no approval is in force, a proposal takes its place.
    """
    decisions = [status.approved or status.proposed or status.in_force for status in approval_statuses(store).values()]
    chosen = [a for a in decisions if a and dataset_id in ("", a.dataset) and judge_id in ("", a.judge)]
    return sorted(chosen, key=lambda a: (-a.seq, a.sort, a.dimension))


@allow("annotator")
def decision_history(
    store: Store | Tx, dataset_id: str, judge_id: str, sort: str = "", dimension: str = ""
) -> list[Approval]:
    """Every decision on one dimension of a judge on a dataset, or on any ("") of them, the newest first."""
    where = " where a.dataset_id = $1 and a.judge_id = $2 and $3 in ('', a.sort) and $4 in ('', a.dimension)"
    decisions = [_read(row) for row in store.rows(_COLUMNS + where, [dataset_id, judge_id, sort, dimension])]
    return sorted(decisions, key=lambda a: (a.seq, a.id), reverse=True)


@allow("annotator")
def frozen_evidence(store: Store | Tx, approval_id: str) -> list[Fact]:
    """The evidence that a decision was made on, as it was then, in the order in which it was frozen."""
    rows = store.rows("select name, figure, told from approval_evidence where approval_id = $1", [approval_id])
    facts = [(str(n), None if f is None else float(f), str(t)) for n, f, t in rows]
    order = json.loads(next((text for name, _, text in facts if name == _ORDER), "[]"))
    places = {name: place for place, name in enumerate(order)}
    return sorted((f for f in facts if f[0] != _ORDER), key=lambda f: (places.get(f[0], len(places)), f[0]))


_ORDER = "order"
"""Rows of a table have no order of their own; this one keeps that of the others."""


_FACTS = {
    "gate": "approval check",
    "checked bound": "lower bound of the approval check",
    "errors asked": "standard errors required",
    "decisions sharing the error": "decisions that share the error rate",
    "effective items": "effective sample size",
    "cells": "ratings compared",
    "cells with gold": "ratings with reference labels (gold)",
    "coverage": "answered by the judge",
    "exact agreement": "% agreement",
    "agreement within one": "% agreement within one",
    "mean difference": "bias (judge - people)",
    "people of a cell": "people per rating",
    "commonest answer's share": "share of the most frequent answer",
    "table of cells": "confusion matrix",
    "table of weights": "confusion matrix, weighted",
    "floor: one answer throughout": "baseline: most frequent answer",
    "floor: length alone": "baseline: length",
    "ceiling": "agreement between people",
    "gold rule": "how labels are combined",
    "basis": "labels used",
    "looks": "when it is looked at",
    "kappa with what waits": "kappa with ratings that wait for adjudication",
    "kappa without what waits": "kappa without ratings that wait for adjudication",
    "mean difference with what waits": "bias with ratings that wait for adjudication",
    "mean difference without what waits": "bias without ratings that wait for adjudication",
    "items drawn and put aside": "items drawn and excluded",
}
"""Today's names of evidence that is stored under an older name."""


def fact_title(fact: str) -> str:
    """Return today's name of a piece of evidence, as "newest gold: mean difference, low end"; the stored one stays."""
    if fact in _FACTS:
        return _FACTS[fact]
    head, between, rest = fact.partition(": ")
    if between:
        return f"{head}: {fact_title(rest)}"
    name, comma, end = fact.partition(", ")
    return f"{_FACTS.get(name, name)}{comma}{end}"


def append_decision(
    tx: Tx, key: tuple[str, str, str, str], decision: Action, reason: str, person: str,
    state: str, rules: Requirements, print_: str, facts: Iterable[Fact],
) -> str:  # fmt: skip
    """Append a decision with its evidence, and return its id. The caller has checked the permission."""
    id_, evidence = new_id(), list(facts)
    tx.append([ApprovalRow(id_, *key, decision, reason, state, canonical(policy.to_stored(rules)), print_, person)])
    evidence.append((_ORDER, None, canonical([name for name, _, _ in evidence])))
    tx.append([ApprovalEvidenceRow(id_, *fact) for fact in evidence])
    return id_


_WORDS = {
    "eligible": "meets policy", "promising": "inconclusive", "below": "fails",
    "not enough gold": "below minimum sample",
}  # fmt: skip
"""Today's words for states that are stored under an older one."""


def _read(row: Row) -> Approval:
    *key, state, print_, person, at, seq, rules = row
    terms = policy.from_stored(json.loads(rules))
    return Approval(*(*key, _WORDS.get(state, state), print_, person, at, seq, terms))
