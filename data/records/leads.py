"""The leads, and which two of them are independent: neither made the other a lead, and no one person made both.

Names are taken on trust, so a lead could make a second lead and agree with themself under that name. Therefore a
decision that needs two leads (four eyes) needs two of whom neither depends on the other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from data.records.access import allow
from data.records.names import MACHINE_ACTOR, SIGN_IN_ACTOR
from data.records.values import WORKSPACE, get_setting
from data.store import Store, Tx, cache_result
from data.store.errors import NotAllowed

SCOPE = "person"
"""The scope of changes of who leads that wait for another lead; each is named after the person concerned."""
_OUTSIDE_ACTORS = (MACHINE_ACTOR, SIGN_IN_ACTOR)
"""The actors that can vouch for a lead: the operator of the machine, or the provider's groups."""
MAKE_LEAD_COMMAND = "python -m data lead NAME"
NO_INDEPENDENT_LEADS = (
    "Two independent leads are required, and there are none: one lead, or the same person, made all others leads. "
    f"Make a lead on the command line of this machine: {MAKE_LEAD_COMMAND}."
)
"""The sentence on a page if an approval waits for two leads whom this workspace cannot have."""


@dataclass(frozen=True)
class LeadEvent:
    """From here on `person` leads, or does not: by a lead, by themself as the first one, or at the machine.

    `first` is the lead who had proposed it if `by` has agreed to it, "" if no agreement was needed.
    """

    person: str
    leads: bool
    by: str
    first: str = ""


@dataclass(frozen=True)
class LeadProposal:
    """A change of who leads that waits for another lead: role and activity of a person, proposed by whom, and when."""

    person: str
    role: str
    active: bool
    by: str
    at: datetime


def needs_two_leads(store: Store | Tx) -> bool:
    """Whether the policy asks for two leads."""
    return bool(get_setting(store, WORKSPACE, "approvals", {}).get("four_eyes"))


@allow("annotator")
@cache_result
def lead_history(store: Store | Tx) -> tuple[LeadEvent, ...]:
    """Everything that ever said who leads, in its order."""
    rows = store.rows(
        "select e.person, e.active and e.role = 'lead', coalesce(i.inviter, c.actor), s.value from person_event e "
        "join change c on c.seq = e.seq left join setting s on s.seq = e.seq and s.scope = $1 and s.name = e.person "
        "left join invitation i on i.seq = e.seq and i.state = 'accepted' "
        "order by e.seq, e.id",
        [SCOPE],
    )
    return tuple(
        LeadEvent(str(person), bool(leads), str(by), str(json.loads(setting).get("first", "")) if setting else "")
        for person, leads, by, setting in rows
    )


@allow("annotator")
def pending_lead_changes(store: Store | Tx) -> list[LeadProposal]:
    """The changes of who leads that wait for another lead, the oldest first."""
    rows = store.rows(
        "select s.name, s.value, c.made_at from setting s join change c on c.seq = s.seq join ("
        "select name, max(seq) as seq from setting where scope = $1 group by name) n "
        "on n.name = s.name and n.seq = s.seq where s.scope = $1 order by s.seq, s.name",
        [SCOPE],
    )
    proposals = [(str(name), json.loads(value), at) for name, value, at in rows]
    return [
        LeadProposal(name, str(proposal["role"]), bool(proposal["active"]), str(proposal["by"]), at)
        for name, proposal, at in proposals if "role" in proposal
    ]  # fmt: skip


def are_independent(events: Sequence[LeadEvent], lead: str, other: str) -> bool:
    """Whether two people lead, and are independent of each other."""
    leads, dependencies = _replay_events(events)
    return _are_independent(leads, dependencies, lead, other)


def current_leads(events: Sequence[LeadEvent]) -> frozenset[str]:
    """Return the people who lead now."""
    return frozenset(_replay_events(events)[0])


def lacks_independent_leads(events: Sequence[LeadEvent]) -> bool:
    """Whether no two of the leads are independent, so that nothing that needs two leads could be decided."""
    leads, dependencies = _replay_events(events)
    return not any(_are_independent(leads, dependencies, lead, other) for lead, other in combinations(leads, 2))


def agreed_by_two(tx: Tx, actor: str, proposer: str | None) -> bool:
    """Whether what another lead has proposed is in force now that this lead says the same.

    It is not if nobody proposed it, if the same lead says it again, or if the proposer is no lead any more. Raises
    NotAllowed if the two are not independent.
    """
    events = lead_history(tx)
    if proposer is None or proposer == actor or proposer not in current_leads(events):
        return False
    if against := explain_dependence(events, proposer, actor):
        raise NotAllowed(against)
    return True


def describe_lead_origin(events: Sequence[LeadEvent], name: str) -> str:
    """Return in words how somebody came to lead, the last time."""
    leads, origin = set[str](), "no lead"
    for event in events:
        if event.leads and event.person == name and (name not in leads or event.by in _OUTSIDE_ACTORS):
            origin = _describe_origin(event)
        (leads.add if event.leads else leads.discard)(event.person)
    return origin


def explain_dependence(events: Sequence[LeadEvent], lead: str, other: str) -> str:
    """Say why two leads are not independent, and what to do; "" if they are."""
    if are_independent(events, lead, other):
        return ""
    if lead == other:
        return f"Two leads are required, and {lead} is one."
    origins = "; ".join(f"{name}: {describe_lead_origin(events, name)}" for name in (lead, other))
    return (
        f"Two independent leads are required, and {lead} and {other} are not independent: one of them, or one person, "
        f"made the other a lead ({origins}). An independent lead is one on whom two such leads agreed, or one who was "
        f"made a lead on the command line of this machine: {MAKE_LEAD_COMMAND}."
    )


def _describe_origin(event: LeadEvent) -> str:
    if event.by == MACHINE_ACTOR:
        return "made a lead on the command line of this machine"
    if event.by == SIGN_IN_ACTOR:
        return "a lead by a group of the sign-in provider"
    if event.first:
        return f"made a lead by {event.first} and {event.by}"
    return "the first lead" if event.by == event.person else f"made a lead by {event.by}"


def _replay_events(events: Sequence[LeadEvent]) -> tuple[set[str], dict[str, frozenset[str]]]:
    """Return who leads at the end, and, by name, which leads each of them depends on.

    A person made a lead by one lead alone may be the same person as that lead, or as anybody that lead depends on. Two
    independent leads, or whoever operates the machine, can vouch for them; then they depend on nobody any more.
    """
    leads, dependencies = set[str](), dict[str, frozenset[str]]()
    for event in events:
        if not event.leads:
            leads.discard(event.person)
            continue
        if event.person in leads and event.by not in _OUTSIDE_ACTORS:
            continue
        vouched = event.by in _OUTSIDE_ACTORS or _are_independent(leads, dependencies, event.first, event.by)
        if vouched or (not leads and event.by == event.person):
            dependencies[event.person] = frozenset()
        else:
            makers = leads if event.by == event.person else {event.by, event.first} - {""}
            origins = frozenset().union(*(_origins(dependencies, maker) for maker in makers))
            dependencies[event.person] = dependencies.get(event.person, frozenset()) | origins
        leads.add(event.person)
    return leads, dependencies


def _are_independent(leads: set[str], dependencies: dict[str, frozenset[str]], lead: str, other: str) -> bool:
    are_leads = lead in leads and other in leads and lead != other
    return are_leads and _origins(dependencies, lead).isdisjoint(_origins(dependencies, other))


def _origins(dependencies: dict[str, frozenset[str]], name: str) -> frozenset[str]:
    """A person and everybody behind them, however far back."""
    origins, ahead = {name}, [name]
    while ahead:
        new = dependencies.get(ahead.pop(), frozenset()) - origins
        origins |= new
        ahead += new
    return frozenset(origins)
