"""Approvals: a lead's decision on (judge, dimension, dataset). Every route refuses what the policy refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from data import log
from data.approvals import case, policy, record
from data.approvals.actions import ACTIONS, PAST_FORMS, Action
from data.approvals.case import Case
from data.approvals.record import Approval, ApprovalStatus, Fact, approval_statuses
from data.approvals.suspension import ApprovalReview, find_doubted, find_keeper, review_approval, suspend_unsupported
from data.records import datasets, leads
from data.records.access import act, allow, find_person, require
from data.records.names import APPROVAL_ACTOR
from data.store import Store, Tx
from data.store.errors import BadInput, NotApprovable, NotFound
from judges.stats.check_states import may_be_approved


def active_approvals(store: Store, dataset_id: str) -> list[Approval]:
    """Return the approvals in force in a dataset ("" = in all), after suspending those that are no longer supported."""
    suspend_unsupported(store)
    approvals = record.approvals_in_force(store, dataset_id)
    return sorted(approvals, key=lambda a: (a.dataset, a.judge, a.sort, a.dimension))


@allow("annotator")
def find_status(store: Store, key: tuple[str, str, str, str]) -> ApprovalStatus:
    """Return the state of a dimension, after suspending approvals that are no longer supported."""
    suspend_unsupported(store)
    return approval_statuses(store).get(key, ApprovalStatus())


@allow("lead")
def record_decision(
    store: Store, actor: str, dataset_id: str, judge_id: str, sort: str, dimension: str,
    decision: Action, reason: str, seen: str = "",
) -> Approval:  # fmt: skip
    """Record a lead's decision, with its reason and a frozen copy of its evidence.

    `seen` marks what the lead was shown (`data.approvals.case.seen_mark`). To propose or approve, it must match the
    current state. Everything is computed anew from the store under the write lock; nothing is taken from the caller.

    Raises NotAllowed for anybody but a lead, NotFound if something does not exist, BadInput without a reason or for a
    decision that cannot follow the one before it, and NotApprovable if the policy refuses: a state other than *meets
    policy* among all decisions on these labels, a probe, a practice judge on data that are not synthetic, too little
    coverage, alarms if the policy asks for none, no second lead if it asks for one, and figures that are not those that
    were seen.
    """
    if decision not in ACTIONS:
        raise BadInput(f"{decision!r} is not a decision. Choose one of: {', '.join(get_args(Action))}.")
    why = policy.check_reason(reason)
    require(store, actor, "lead")
    key = dataset_id, judge_id, sort, dimension
    grants = ACTIONS[decision].grants
    # Computed before the lock is taken, so that under the lock only what came in between has to be.
    early = _find_kept_case(store, key, grants)
    if early is not None and not (grants and (early.objections or seen != case.seen_mark(store, early))):
        case.case_facts(store, early)

    def work(tx: Tx) -> str:
        approval_status, current = approval_statuses(tx).get(key, ApprovalStatus()), _find_kept_case(store, key, grants)
        _check_allowed_next(approval_status, decision)
        if current is None:
            return record.append_decision(tx, key, decision, why, actor, "undefined", policy.requirements(tx), "", [])
        mark = case.case_fingerprint(store, current)
        if grants:
            if seen or not current.objections:
                _check_seen(store, current, seen)
            _check_grant(tx, current, approval_status, decision, actor, mark)
        *facts, last = case.case_facts(store, current)
        facts += [*_people_facts(tx, approval_status, decision, actor), last]
        return record.append_decision(
            tx, key, decision, why, actor, current.result.check.state, current.requirements, mark, facts
        )

    id_ = act(store, actor, "lead", decision, work, dataset_id)
    about = {"dataset_id": dataset_id, "judge": judge_id, "unit": sort, "dimension": dimension}
    log.info("approval_decided", decision=decision, person=actor, **about)
    return next(approval for approval in record.decision_history(store, *key) if approval.id == id_)


@allow("lead")
def grant_refusals(store: Store, actor: str, candidate: Case, approval_status: ApprovalStatus) -> dict[Action, str]:
    """Return why `record_decision` refuses this lead to approve or to propose a case as it stands; "" where it may."""
    mark, refusals = case.case_fingerprint(store, candidate), dict[Action, str]()
    for decision in (action for action, entry in ACTIONS.items() if entry.grants):
        refusals[decision] = ""
        try:
            _check_grant(store, candidate, approval_status, decision, actor, mark)
        except NotApprovable as refusal:
            refusals[decision] = str(refusal)
    return refusals


def _find_kept_case(store: Store, key: tuple[str, str, str, str], grants: bool) -> Case | None:
    """Return the case, cached until a row is written; None if what was decided on is gone.

    Under the write lock nobody else commits, so the store shows the state at this very change.
    """
    try:
        return case.find_case(store, *key)
    except NotFound:
        if grants or key not in approval_statuses(store):
            raise
        return None


def _check_allowed_next(approval_status: ApprovalStatus, decision: Action) -> None:
    """Raise BadInput for a decision that cannot follow the one in force."""
    if decision == "suspend" and not approval_status.approved:
        raise BadInput("Nothing is approved here that could be suspended. Decline it instead.")
    if decision == "decline" and approval_status.approved:
        raise BadInput("This is approved. Suspend it to remove it from the dashboard.")


def _check_seen(store: Store, current: Case, seen: str) -> None:
    if not seen:
        raise NotApprovable("Say which figures were seen: a decision is made on figures that somebody has looked at.")
    if seen != case.seen_mark(store, current):
        raise NotApprovable(
            "Something changed since you looked: labels, scores, the policy or an audit. Nothing was decided. Review "
            "the current figures, and decide on those."
        )


def _check_grant(
    tx: Store | Tx, case: Case, approval_status: ApprovalStatus, decision: Action, actor: str, mark: str
) -> None:
    """Raise NotApprovable if the policy refuses it, the same was decided already, or a second lead is missing."""
    if case.objections:
        raise NotApprovable(" ".join(case.objections))
    approved, proposed = approval_status.approved, approval_status.proposed
    if approved and approved.is_based_on(mark, case.requirements):
        raise NotApprovable(f"{approved.person} has approved this already, on the same evidence and policy.")
    fresh = proposed is not None and proposed.is_based_on(mark, case.requirements)
    if decision == "propose" and proposed and fresh and find_person(tx, proposed.person).may("lead"):
        raise NotApprovable(f"{proposed.person} has proposed this already, on the same evidence and policy.")
    if decision == "propose" or not case.requirements.four_eyes:
        return
    if proposed is None:
        raise NotApprovable("Two leads are required (policy): propose it first, and another lead approves it.")
    if not fresh:
        raise NotApprovable(
            f"The figures or the policy changed since {proposed.person} proposed this. It has to be proposed again."
        )
    if proposed.person == actor:
        raise NotApprovable(
            f"Two leads are required (policy): {actor} has proposed this, so another lead has to approve."
        )
    if not find_person(tx, proposed.person).may("lead"):
        raise NotApprovable(
            f"{proposed.person}, who proposed this, is not a lead any more. Another lead has to propose it again."
        )
    if against := leads.explain_dependence(leads.lead_history(tx), proposed.person, actor):
        raise NotApprovable(against)


def _people_facts(tx: Tx, approval_status: ApprovalStatus, decision: Action, actor: str) -> Iterator[Fact]:
    """Give as evidence who decides, who proposed it, and how each became a lead."""
    events = leads.lead_history(tx)
    yield f"who {PAST_FORMS[decision]}", None, f"{actor}, {leads.describe_lead_origin(events, actor)}"
    if decision == "approve" and approval_status.proposed is not None:
        proposer = approval_status.proposed.person
        two = "independent leads" if leads.are_independent(events, proposer, actor) else "not independent leads"
        yield (
            "who had proposed",
            None,
            f"{proposer}, {leads.describe_lead_origin(events, proposer)}; with {actor}: {two}",
        )


# -- what there is to look at -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenDecisions:
    """The approvals and cases that a lead may want to review.

    `suspended`: suspended automatically and not decided on since. `proposed`: waits for a lead (another one where two
    are required). `eligible`: meets the policy, and nobody has decided on it. `doubted`: approvals to review, with the
    reason. `older`: other approvals that met an older policy, with what is required today. Nothing is in two of them: a
    new proposal is in `proposed`.
    """

    suspended: tuple[Approval, ...] = ()
    proposed: tuple[Approval, ...] = ()
    eligible: tuple[Case, ...] = ()
    doubted: tuple[tuple[Approval, str], ...] = ()
    older: tuple[tuple[Approval, str], ...] = ()

    def __bool__(self) -> bool:
        return any(count for count, _ in self.counts)

    @property
    def counts(self) -> list[tuple[int, str]]:
        """The number of each of these in the order of the fields, with what they are in words."""
        return [
            (len(self.suspended), "suspended by new evidence"),
            (len(self.proposed), "proposed, waiting for a lead"),
            (len(self.eligible), "meeting the policy, not decided"),
            (len(self.doubted), "approved, to be reviewed"),
            (len(self.older), "approved under an older policy"),
        ]


@allow("annotator")
def find_open_decisions(store: Store, dataset_id: str = "") -> OpenDecisions:
    """Return what there is to decide in a dataset ("" = in all), after suspending what is no longer supported."""
    suspend_unsupported(store)
    statuses = {key: s for key, s in approval_statuses(store).items() if dataset_id in ("", key[0])}
    active = [s.in_force for s in statuses.values() if s.in_force and not s.proposed]
    eligible = [
        c
        for d in datasets.all_datasets(store) if dataset_id in ("", d.id)
        for judge in datasets.dataset_judges(store, d.id)
        for c in _cases_if_known(store, d.id, judge.id) if not c.objections and c.key not in statuses
    ]  # fmt: skip
    doubtful = [(a, review) for a, review in find_doubted(store, dataset_id) if not statuses[a.key].proposed]
    doubts = {a.id for a, _ in doubtful}
    return OpenDecisions(
        tuple(a for a in active if a.decision == "suspend" and a.person == APPROVAL_ACTOR),
        tuple(s.proposed for s in statuses.values() if s.proposed),
        tuple(eligible),
        tuple((a, review.why) for a, review in doubtful),
        tuple(under_older_policy(store, [a for a in active if a.decision == "approve" and a.id not in doubts])),
    )


def under_older_policy(store: Store, approvals: Sequence[Approval]) -> list[tuple[Approval, str]]:
    """Return those of the approvals that met an older policy which required less than today's, with both in a sentence.

    They stay approved: people change the policy, and it is for people to change each approval under it.
    """
    explanations = [(a, policy.explain_stricter(store, a.requirements, a.at)) for a in approvals]
    return [(a, why) for a, why in explanations if why]


@dataclass(frozen=True)
class PolicyToday:
    """The comparison of an approved dimension with today's policy.

    `stricter_now`: what that policy requires in addition, as a sentence ("" nothing). `explanation`: the state
    by the approval check with its figures, in sentences. `met`: nothing would refuse an approval.
    """

    stricter_now: str = ""
    explanation: str = ""
    met: bool = True

    @property
    def mark(self) -> str:
        """The label of an approved dimension, wherever its figures are shown."""
        if self.stricter_now:
            return "approved under an older policy"
        return "approved" if self.met else "policy no longer met"

    @property
    def warning(self) -> str:
        """All of it in sentences; "" if it was approved under today's policy and meets it."""
        return f"{self.stricter_now} {self.explanation}".strip() if self.stricter_now or not self.met else ""


def compare_with_today(store: Store, approvals: Sequence[Approval]) -> dict[tuple[str, str, str, str], PolicyToday]:
    """The state of each of those approvals, by what it is of."""
    judges = dict.fromkeys(approval.key[:2] for approval in approvals)
    cases = {c.key: c for dataset_id, judge_id in judges for c in _cases_if_known(store, dataset_id, judge_id)}
    return {
        a.key: _policy_today(policy.explain_stricter(store, a.requirements, a.at), cases.get(a.key)) for a in approvals
    }


def _policy_today(older: str, case: Case | None) -> PolicyToday:
    if case is None:
        return PolicyToday(older, "By today's policy: undefined. Its judge's card is not here.", False)
    check, against = case.result.check, case.objections
    if against and may_be_approved(check.state):
        says = f"By today's policy it would be refused. {' '.join(against)}"
    else:
        rest = [objection for objection in against if check.reason not in objection]
        says = " ".join([f"By today's policy: {check.state}. {check.reason}", *rest])
    return PolicyToday(older, says, not against)


class ApprovalNote(NamedTuple):
    """The notes that are shown with an approval in force.

    `older`: the older policy that it met ("" none). `review`: its review. `confirmation`: who reviewed what speaks
    against it and keeps it, with the reason.
    """

    older: str = ""
    review: ApprovalReview | None = None
    confirmation: tuple[str, str] | None = None

    @property
    def doubted(self) -> bool:
        """Whether a lead has to review it."""
        return self.review is not None and self.review.doubtful and self.confirmation is None


@allow("annotator")
def approval_note(store: Store, approval_status: ApprovalStatus) -> ApprovalNote:
    """Return the notes to show with the state of a dimension; they are empty if no approval is in force."""
    approval = approval_status.approved
    if approval is None:
        return ApprovalNote()
    review = review_approval(store, approval)
    return ApprovalNote(
        policy.explain_stricter(store, approval.requirements, approval.at),
        review,
        find_keeper(store, approval, review) if review.doubtful else None,
    )


@allow("annotator")
def kappa_at_decision(store: Store, approval: Approval) -> float | None:
    """Return kappa at the time of a decision, from the evidence frozen with it."""
    return next((figure for name, figure, _ in record.frozen_evidence(store, approval.id) if name == "kappa"), None)


def _cases_if_known(store: Store, dataset_id: str, judge_id: str) -> list[Case]:
    try:
        return case.cases(store, dataset_id, judge_id)
    except NotFound:  # a card that is not here any more
        return []
