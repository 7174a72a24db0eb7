"""Who may do what: names on trust (login comes with OIDC), roles as appended rows, checked by every write."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from data.errors import BadInput, NotAllowed, NotFound
from data.ids import new_id
from data.store import Store, Tx, remembered

Role = Literal["annotator", "researcher", "lead"]
ROLES: tuple[Role, ...] = ("annotator", "researcher", "lead")
_NAME = re.compile(r"[^<>`|\\/]{1,60}")
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories that no name may have: two names that look alike must be alike."""


@dataclass(frozen=True)
class Person:
    """Someone who works here. Annotators label; researchers also import, draw and run; leads also decide."""

    name: str
    role: Role
    active: bool
    team: str = ""

    def may(self, role: Role) -> bool:
        """Whether this person has at least that role."""
        return self.active and ROLES.index(self.role) >= ROLES.index(role)


def everyone(store: Store | Tx, active: bool = True) -> list[Person]:
    """All people by name; `active=False` includes those who left and annotators known from imports only."""
    rows = store.rows("select person, role, active, team from person_now order by lower(person)")
    return [Person(*row) for row in rows if row[2] or not active]


@dataclass(frozen=True)
class Member:
    """A person with what they did: items answered, and when they last changed anything (None: nothing yet)."""

    person: Person
    items: int
    last: datetime | None


def members(store: Store) -> list[Member]:
    """Everybody who is or was active here, by name; not the annotators known from imports only."""
    items = {str(p): int(n) for p, n in store.rows(
        "select person, count(distinct item_id) from answer where action = 'save' group by person"
    )}  # fmt: skip
    last = {str(a): t for a, t in store.rows("select actor, max(made_at) from change group by actor")}
    here = {str(r[0]) for r in store.rows("select distinct person from person_event where active")}
    return [Member(p, items.get(p.name, 0), last.get(p.name)) for p in everyone(store, active=False) if p.name in here]


def imported(store: Store) -> list[tuple[str, str, int]]:
    """(name, team, labels that hold) of the annotators that are known from imports only, most labels first."""
    rows = store.rows(
        "select p.person, p.team, coalesce(l.n, 0) from person_now p left join "
        "(select annotator, count(*) as n from label_now group by annotator) l on l.annotator = p.person "
        "where not exists (select 1 from person_event e where e.person = p.person and e.active) order by 3 desc, 1"
    )
    return [(str(a), str(b), int(c)) for a, b, c in rows]


def person(store: Store | Tx, name: str) -> Person:
    """The person of that name. Raises NotFound."""
    query = "select person, role, active, team from person_now where person = $1"
    rows = remembered(store, ("person", name), ["person_event"], lambda: store.rows(query, [name]))
    if not rows:
        raise NotFound(f"Nobody called {name!r} is known here. A lead can add people on the People page.")
    return Person(*rows[0])


def require(store: Store | Tx, name: str, role: Role) -> Person:
    """The person, who must be active and have at least that role. Raises NotAllowed with a sentence otherwise."""
    try:
        found = person(store, name)
    except NotFound as error:
        raise NotAllowed(str(error)) from None
    if not found.active:
        raise NotAllowed(f"{name} is not active in this workspace. A lead can change that on the People page.")
    if not found.may(role):
        raise NotAllowed(f"This needs the role {role}; {name} is {found.role}. A lead can change roles.")
    return found


def first_lead(store: Store | Tx) -> str:
    """The first active lead, as whom a command on this machine acts. Raises NotFound in a workspace without one."""
    rows = store.rows(
        "select n.person from person_now n join person_event e on e.person = n.person "
        "where n.active and n.role = 'lead' order by e.seq, e.id limit 1"
    )
    if not rows:
        raise NotFound("This workspace has no lead yet. Start Assay and enter a name, or give one with --as NAME.")
    return str(rows[0][0])


def set_person(store: Store, actor: str, name: str, role: Role, active: bool = True) -> Person:
    """Add a person, or change role or activity; the first person of a workspace becomes its lead by adding themself.

    A team known from an import stays. Raises NotAllowed unless a lead does it, BadInput for a name that cannot stand or
    that is somebody's but for capitals, and when the last lead would go.
    """
    name = _clean(name)
    if role not in ROLES:
        raise BadInput(f"{role!r} is no role: there are {', '.join(ROLES)}.")

    def work(tx: Tx) -> Person:
        leads = [p.name for p in everyone(tx) if p.role == "lead"]
        first = not leads
        if first and (actor != name or role != "lead"):
            raise NotAllowed("The first person of a workspace becomes its lead: enter your own name first.")
        if not first:
            require(tx, actor, "lead")
        if leads == [name] and (role != "lead" or not active):
            raise BadInput(f"{name} is the only lead. Make somebody else a lead first.")
        known = {p.name: p for p in everyone(tx, active=False)}
        if name not in known and (alike := _alike(known, name)):
            raise BadInput(f"There is {alike} already. Choose another name, or change theirs.")
        before = known.get(name)
        new = Person(name, role, active, before.team if before else "")
        if new != before:
            append(tx, [new])
        return new

    return store.tx(actor, "person", work, target=name)


def join(store: Store, name: str) -> Person:
    """Enter the workspace by name, on trust: the first person becomes lead, whoever comes later annotator.

    Somebody known and active is simply returned, also when the capitals differ. Raises BadInput for a name that cannot
    stand, NotAllowed for somebody who was made inactive.
    """
    name = _clean(name)

    def work(tx: Tx) -> Person:
        known = {p.name: p for p in everyone(tx, active=False)}
        there = known.get(name) or known.get(_alike(known, name) or "")
        if there and not there.active:
            raise NotAllowed(f"{there.name} is not active here. A lead can change that on the People page.")
        if there:
            return there
        new = Person(name, "annotator" if any(p.role == "lead" and p.active for p in known.values()) else "lead", True)
        append(tx, [new])
        return new

    return store.tx(name, "join", work, target=name)


def _clean(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not _NAME.fullmatch(name) or any(unicodedata.category(c) in _INVISIBLE for c in name):
        raise BadInput(f"{name[:60]!r} cannot be a name: 1 to 60 characters without < > ` | \\ / and invisible ones.")
    return name


def _alike(known: Iterable[str], name: str) -> str | None:
    """The name among those known that is the same but for capitals, if there is just one."""
    found = [k for k in known if k.casefold() == name.casefold()]
    return found[0] if len(found) == 1 else None


def append(tx: Tx, people: list[Person]) -> None:
    """Append the state of people as it now is; for callers that have checked the right to do so."""
    rows = [(new_id(), p.name, p.role, p.active, p.team) for p in people]
    tx.add("person_event", "id, person, role, active, team", rows)
