"""The people of a workspace, as appended rows: who joins, in which role, and who is known from imports only."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from data.records import leads, names
from data.records.access import ROLES, Person, Role, allow, allow_change, require
from data.records.names import MACHINE_ACTOR, has_invisible_characters, match_ignoring_case
from data.records.tables import LoginEndRow, PersonEventRow
from data.records.values import put_setting
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import new_id
from judges.types import MAX_NAME_LETTERS, NO_NAME_SIGNS

_NAME = re.compile(f"[^{NO_NAME_SIGNS}]{{1,{MAX_NAME_LETTERS}}}")


@allow("anybody")
@cache_result
def all_people(store: Store | Tx, active: bool = True) -> list[Person]:
    """All people by name; `active=False` includes those who left and annotators known from imports only."""
    rows = store.rows("select person, role, active, team from person_now order by lower(person)")
    return [person for person in (Person(*row) for row in rows) if person.active or not active]


@dataclass(frozen=True)
class MemberActivity:
    """A person, how many items hold an answer of theirs, and when they last changed anything (None: nothing yet)."""

    person: Person
    items: int
    last: datetime | None


@allow("annotator")
def members(store: Store) -> list[MemberActivity]:
    """Everybody who is or was active here, by name; not the annotators known from imports only."""
    counts = "select person, count(*) from answer_now where action = 'save' group by person"
    items: dict[str, int] = dict(store.rows(counts))
    last: dict[str, datetime] = dict(store.rows("select actor, max(made_at) from change group by actor"))
    known = known_names(store)
    return [
        MemberActivity(p, items.get(p.name, 0), last.get(p.name))
        for p in all_people(store, active=False)
        if p.name in known
    ]


@allow("annotator")
def imported_annotators(store: Store) -> list[tuple[str, str, int]]:
    """(name, team, labels that hold) of the annotators that are known from imports only, most labels first."""
    rows = store.rows(
        "select p.person, p.team, coalesce(l.n, 0) from person_now p left join "
        "(select annotator, count(*) as n from label_now group by annotator) l on l.annotator = p.person "
        "where not exists (select 1 from person_event e where e.person = p.person and e.active) order by 3 desc, 1"
    )
    return [(str(a), str(b), int(c)) for a, b, c in rows]


def first_lead(store: Store | Tx) -> str:
    """The first active lead, as whom a command on this machine acts. Raises NotFound in a workspace without one."""
    rows = store.rows(
        "select n.person from person_now n join person_event e on e.person = n.person "
        "where n.active and n.role = 'lead' order by e.seq, e.id limit 1"
    )
    if not rows:
        raise NotFound("This workspace has no lead yet. Start Assay and enter a name, or give one with --as NAME.")
    return str(rows[0][0])


@allow("lead")
def set_person(store: Store, actor: str, name: str, role: Role, active: bool = True) -> Person:
    """Add a person, or change role or activity; the first person of a workspace becomes its lead by adding themself.

    Returns the person as they are afterwards. If the policy asks for two leads, a change of who leads waits until
    another lead, who is independent of the first (`data.records.leads`), sets the same; until then nothing changes. A
    team known from an import stays. Raises NotAllowed unless a lead does it, or if the second lead is not independent;
    BadInput for an invalid name, one that looks like somebody's or is reserved, and if the last lead would go.
    """
    name = _clean(name)
    if role not in ROLES:
        raise BadInput(f"{role!r} is not a role. There are: {', '.join(ROLES)}.")

    def work(tx: Tx) -> Person:
        lead = [p.name for p in all_people(tx) if p.role == "lead"]
        if not lead and (actor != name or role != "lead"):
            raise NotAllowed("The first person of a workspace becomes its lead: enter your own name first.")
        if lead:
            require(tx, actor, "lead")
        if lead == [name] and (role != "lead" or not active):
            raise BadInput(f"{name} is the only lead. Make somebody else a lead first.")
        before, new = _current_person(tx, name), Person(name, role, active)
        new = Person(name, role, active, before.team) if before else new
        if new == before:
            return new
        if lead and leads.needs_two_leads(tx) and new.may("lead") != (before is not None and before.may("lead")):
            return _propose_or_make(tx, actor, new) or before or Person(name, role, False)
        _end_pending_change(tx, name)
        change_person(tx, new)
        return new

    return store.tx(actor, "person", work, target=name)


def _current_person(tx: Tx, name: str) -> Person | None:
    """The person of that name so far. Raises BadInput where a new one cannot be called so."""
    known = {p.name: p for p in all_people(tx, active=False)}
    worked = name in known and name in known_names(tx)
    if why := names.why_reserved(name, worked):
        raise BadInput(why)
    if worked:
        return known[name]
    if name in known:
        raise BadInput(_of_a_file(name))
    if lookalike := match_ignoring_case(known, name):
        raise BadInput(f"There is {lookalike} already. Choose another name, or change theirs.")
    if lookalike := names.find_lookalike(known, name):
        raise BadInput(_looks_like(name, lookalike))
    return None


def _propose_or_make(tx: Tx, actor: str, new: Person) -> Person | None:
    """Keep a change of who leads as proposed and return None, or make it if another lead has proposed the same."""
    same = (new.name, new.role, new.active)
    waiting = leads.pending_lead_changes(tx)
    proposer = next((change.by for change in waiting if (change.person, change.role, change.active) == same), None)
    if not leads.agreed_by_two(tx, actor, proposer):
        if proposer != actor:
            put_setting(tx, leads.SCOPE, new.name, {"role": new.role, "active": new.active, "by": actor})
        return None
    put_setting(tx, leads.SCOPE, new.name, {"first": proposer})
    change_person(tx, new)
    return new


def _end_pending_change(tx: Tx, name: str) -> None:
    """End a change about a person that waits for another lead."""
    if any(change.person == name for change in leads.pending_lead_changes(tx)):
        put_setting(tx, leads.SCOPE, name, {})


@allow_change("lead", "person", "name")
def withdraw_lead_proposal(tx: Tx, actor: str, name: str) -> None:
    """Take a change of who leads back that waits for another lead (leads). Raises NotAllowed."""
    _end_pending_change(tx, name)


def make_lead_locally(store: Store, name: str) -> Person:
    """Make somebody a lead at the machine itself, whoever leads so far, with an entry in the audit log that says so.

    It is how a workspace gets a second, independent lead. Raises BadInput as `set_person` does.
    """
    name = _clean(name)

    def work(tx: Tx) -> Person:
        before = _current_person(tx, name)
        new = Person(name, "lead", True, before.team if before else "")
        _end_pending_change(tx, name)
        append_people(tx, [new])
        return new

    return store.tx(MACHINE_ACTOR, "lead", work, target=name)


@allow("anybody")
def join_workspace(store: Store, name: str) -> Person:
    """Enter the workspace by name, on trust: as a lead where nobody active is one, otherwise as an annotator.

    Somebody known and active is simply returned, even if the capitals differ. Raises BadInput for an invalid name, one
    that looks like somebody's or is reserved, NotAllowed for somebody who was made inactive.
    """
    name = _clean(name)

    def work(tx: Tx) -> Person:
        known = {p.name: p for p in all_people(tx, active=False)}
        existing = name if name in known else match_ignoring_case(known, name) or ""
        worked = existing in known_names(tx)
        if why := names.why_reserved(existing or name, worked):
            raise BadInput(why)
        if existing and not worked:
            raise NotAllowed(_of_a_file(existing))
        if existing and not known[existing].active:
            raise NotAllowed(f"{existing} is not active here. A lead can change that on the People page.")
        if existing:
            return known[existing]
        if lookalike := names.find_lookalike(known, name):
            raise BadInput(_looks_like(name, lookalike))
        new = Person(name, "annotator" if any(p.role == "lead" and p.active for p in known.values()) else "lead", True)
        append_people(tx, [new])
        return new

    return store.tx(name, "join", work, target=name)


@cache_result
def known_names(store: Store | Tx) -> frozenset[str]:
    """The names of everybody who is or was active here; not those known from imports only."""
    return frozenset(str(name) for (name,) in store.rows("select distinct person from person_event where active"))


def add_person(tx: Tx, raw_name: str, role: Role) -> str:
    """Append a new person under the name that the provider gives, or under that name with the first free number.

    For callers that have checked the right to do so.
    """
    base = " ".join(re.sub(r"[<>`|\\/]", " ", "".join(c for c in raw_name if not has_invisible_characters(c))).split())
    for n in range(1, 1_000):
        with suppress(BadInput):
            name = _clean(f"{base[:50].rstrip() or 'Somebody'}{f' {n}' if n > 1 else ''}")
            if _current_person(tx, name) is None:
                append_people(tx, [Person(name, role, True)])
                return name
    raise BadInput(f"Too many people here are called {base[:50]!r}. Ask a lead to link your account to a name.")


def change_person(tx: Tx, new: Person) -> None:
    """Append the new state of a person who was here; somebody who is not active any more is signed out everywhere.

    For callers that have checked the right to do so.
    """
    append_people(tx, [new])
    if not new.active:
        end_logins(tx, new.name)


def end_logins(tx: Tx, name: str, login: str = "") -> None:
    """End a sign-in of a person, or all that they have begun; for callers that have checked the right to do so."""
    tx.append([LoginEndRow(new_id(), name, login)])


def _of_a_file(name: str) -> str:
    return (
        f"{name} is known here from imported labels only, and is not active: labels from a file are kept apart from "
        f"those given in Assay. Choose another name, such as {name} with an initial."
    )


def _looks_like(name: str, lookalike: str) -> str:
    detail = names.explain_difference(name, lookalike)
    return (
        f"{name!r} looks like {lookalike!r}, who is known here, and is another name{f' ({detail})' if detail else ''}. "
        f"If you mean {lookalike}, write it exactly so; otherwise choose a name that cannot be confused with it."
    )


def _clean(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not _NAME.fullmatch(name) or has_invisible_characters(name):
        raise BadInput(f"{name[:60]!r} cannot be a name: 1 to 60 characters without < > ` | \\ / and invisible ones.")
    return name


def append_people(tx: Tx, people: list[Person]) -> None:
    """Append the state of people as it now is; for callers that have checked the right to do so."""
    tx.append([PersonEventRow(new_id(), p.name, p.role, p.active, p.team) for p in people])
