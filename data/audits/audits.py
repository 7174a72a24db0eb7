"""The audits of a workspace: what each known failure looks like for a judge on a dataset, and the limits of alarm."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from data import log
from data.audits import evidence as gathered
from data.audits.evidence import GatheredEvidence, Scope
from data.cards import cards
from data.records import exposure, leads
from data.records.access import allow, allow_change
from data.records.values import WORKSPACE, get_setting, put_setting
from data.store import Store, Tx, cache_each, cache_result, compute_once
from data.store.errors import BadInput
from judges.audits import Audit, AuditFinding, Flag, all_audits

_SETTING, _PROPOSED = "audits", "audits proposed"
_GATHERING = threading.Lock()
"""One at a time, because the evidence of a large dataset takes much memory."""


@dataclass(frozen=True)
class AuditResults:
    """The findings of a judge on a dataset, by audit in the order of its card, and what they rest on."""

    findings: dict[str, AuditFinding]
    scope: Scope

    @property
    def alarms(self) -> dict[str, AuditFinding]:
        """The audits in alarm, by name: what speaks against publishing the judge's scores."""
        return _in_alarm(self.findings)


def _in_alarm(findings: dict[str, AuditFinding]) -> dict[str, AuditFinding]:
    return {name: finding for name, finding in findings.items() if finding.verdict == "alarm"}


@allow("annotator")
def run_audits(store: Store, dataset_id: str, judge_id: str, max_replies: int = gathered.MAX_REPLIES) -> AuditResults:
    """Return what every audit of the judge's card finds, computed again only if rows that it uses were added.

    Of more than `max_replies` replies, those to a random sample of items are looked at, and the scope says so. Raises
    NotFound, UnknownCard.
    """

    def make_results(base: Callable[[], GatheredEvidence]) -> AuditResults:
        key = ("audit", dataset_id, judge_id, max_replies, "scope")
        [scope] = cache_each(store, [key], lambda _: [base().scope()])
        return AuditResults(_findings(store, dataset_id, judge_id, max_replies, base), scope)

    try:
        return make_results(_raise_unknown)
    except _Unknown:
        with _GATHERING:
            return make_results(
                compute_once(partial(gathered.gather_audit_evidence, store, dataset_id, judge_id, max_replies))
            )


@allow("annotator")
def known_alarms(store: Store, dataset_id: str, judge_id: str, cheap: int = 500) -> dict[str, AuditFinding] | None:
    """Return the alarms for a page about something else; None if they are not known yet and slow to compute.

    They are computed at once if the judge has given at most `cheap` replies in the dataset. Also None if its card no
    longer exists.
    """
    if cards.card_of_judge_if_known(store, judge_id) is None:
        return None

    def base() -> GatheredEvidence:
        if _count_replies(store, dataset_id, judge_id) > cheap:
            raise _Unknown
        return gathered.gather_audit_evidence(store, dataset_id, judge_id)

    try:
        return _in_alarm(_findings(store, dataset_id, judge_id, gathered.MAX_REPLIES, compute_once(base)))
    except _Unknown:
        return None


@cache_result
def _count_replies(store: Store, dataset_id: str, judge_id: str) -> int:
    query = (
        "select count(*) from judgment m join item i on i.id = m.item_id where i.dataset_id = $1 and m.judge_id = $2"
    )
    return int(store.rows(query, [dataset_id, judge_id])[0][0])


@allow("annotator")
def visible_flags(
    store: Store, actor: str, judge_id: str, flags: Sequence[Flag], limit: int = sys.maxsize
) -> list[Flag]:
    """Return the first items behind a finding that a person may be shown, and record that they are shown.

    Items that they may still get to answer blind are left out, because a flag shows what the judge said.
    """
    hidden = exposure.blind_pending(store, actor)
    shown = [flag for flag in flags if flag.item not in hidden][:limit]
    exposure.record_exposures(store, actor, {flag.item: [judge_id] for flag in shown}, "audits")
    return shown


class _Unknown(Exception):
    """Raised where a finding would have to be computed."""


def _raise_unknown() -> GatheredEvidence:
    raise _Unknown


def _findings(
    store: Store, dataset_id: str, judge_id: str, max_replies: int, base: Callable[[], GatheredEvidence]
) -> dict[str, AuditFinding]:
    """Return the findings, each cached by itself; `base` gives the evidence."""
    limits, findings, new_audits = audit_limits(store), {}, list[str]()
    for name in [name for name in cards.card_of_judge(store, judge_id).audits if name in all_audits()]:
        audit = all_audits()[name]
        limit = limits.get(name, audit.threshold or 0.0)
        key = ("audit", dataset_id, judge_id, max_replies, name, limit)
        [findings[name]] = cache_each(store, [key], partial(_find, audit, limit, base, new_audits))
    if new_audits:
        alarms = sum(findings[name].verdict == "alarm" for name in new_audits)
        log.info("audits_run", dataset_id=dataset_id, judge=judge_id, audits=len(new_audits), alarms=alarms)
    return findings


def _find(
    audit: Audit, limit: float, base: Callable[[], GatheredEvidence], new_audits: list[str], _: Sequence[int]
) -> list[AuditFinding]:
    finding = audit.find(base().evidence, limit)
    new_audits.append(audit.name)
    return [finding]


@allow("annotator")
def audit_limits(store: Store | Tx) -> dict[str, float]:
    """The limits that the workspace has set, by audit; for others the audit's own default holds."""
    limits = get_setting(store, WORKSPACE, _SETTING, {})
    return {name: float(value) for name, value in limits.items() if name in all_audits()}


def limit_range(audit: Audit) -> tuple[float, float]:
    """The lowest and highest limit that an audit can be given: 0 to 1 for shares and correlations."""
    default = audit.threshold or 0.0
    return (0.0, 1.0) if default <= 1 else (0.0, 10 * default)


@dataclass(frozen=True)
class ProposedLimit:
    """A limit that waits for another lead (None: the audit's default), and who has proposed it."""

    value: float | None
    by: str


@allow("annotator")
def proposed_limits(store: Store | Tx) -> dict[str, ProposedLimit]:
    """The limits that wait for another lead, by audit."""
    proposals = get_setting(store, WORKSPACE, _PROPOSED, {})
    return {str(name): ProposedLimit(proposal["value"], str(proposal["by"])) for name, proposal in proposals.items()}


@allow_change("lead", "audit limit", "name")
def set_audit_limit(tx: Tx, actor: str, name: str, value: float | None) -> bool:
    """Set the limit of an audit for the whole workspace (leads); None is its default. Return whether it is in force.

    If the policy asks for two leads, a limit is part of the policy: the change waits as `proposed` until another lead,
    who is independent of the first (`data.records.leads`), sets the same. Setting what is in force withdraws what
    waits. Raises NotAllowed, BadInput for an audit that does not exist or has no limit, and for a value out of range.
    """
    audit = all_audits().get(name)
    if audit is None or audit.threshold is None:
        having = ", ".join(a.name for a in all_audits().values() if a.threshold is not None) or "none"
        raise BadInput(f"There is no audit {name!r} whose limit can be set. There are: {having}.")
    low, high = limit_range(audit)
    if value is not None and not (math.isfinite(value) and low <= value <= high):
        raise BadInput(f"The limit of {audit.title!r} is {value:g}: it must be from {low:g} to {high:g}.")
    before = get_setting(tx, WORKSPACE, _SETTING, {})
    after = {k: v for k, v in before.items() if k != name} | ({} if value is None else {name: value})
    wait = proposed_limits(tx)
    proposal = wait.pop(name, None)
    proposer = proposal.by if proposal is not None and proposal.value == value else None
    holds = after == before or not leads.needs_two_leads(tx) or leads.agreed_by_two(tx, actor, proposer)
    if not holds and proposer != actor:
        _put(tx, wait | {name: ProposedLimit(value, actor)})
    if holds and proposal is not None:
        _put(tx, wait)
    if holds and after != before:
        put_setting(tx, WORKSPACE, _SETTING, after)
    return holds


def _put(tx: Tx, wait: dict[str, ProposedLimit]) -> None:
    put_setting(tx, WORKSPACE, _PROPOSED, {name: asdict(proposal) for name, proposal in wait.items()})
