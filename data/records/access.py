"""The permissions of people: their roles, and the store as one person may query it.

A page has a `Visit`, never the store itself. A function of data that a page calls is decorated with `allow`, which
looks the person up at each call. Other functions cannot use a visit, because it can neither read nor write. Commands,
workers and the functions that such a function calls have the store itself, and are not checked.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, wraps
from typing import Any, Concatenate, Literal, NoReturn, ParamSpec, TypeVar, final

from data.records import names
from data.store import Reader, Store, Tx, cache_result
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import now

Role = Literal["annotator", "researcher", "lead"]
Least = Literal["anybody", "annotator", "researcher", "lead"]
"""The least role that a function needs. `anybody`: also people who have not said who they are, if names are trusted."""
ROLES: tuple[Role, ...] = ("annotator", "researcher", "lead")
R = TypeVar("R", bound=Reader)
T = TypeVar("T")
P = ParamSpec("P")


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


@cache_result
def find_person(store: Store | Tx, name: str) -> Person:
    """The person of that name. Raises NotFound."""
    rows = store.rows("select person, role, active, team from person_now where person = $1", [name])
    if not rows:
        raise NotFound(f"Nobody called {name!r} is known here. A lead can add people on the People page.")
    return Person(*rows[0])


def require(store: Store | Tx, name: str, role: Role) -> Person:
    """The person, who must be active and have at least that role. Raises NotAllowed with a sentence otherwise."""
    try:
        person = find_person(store, name)
    except NotFound as error:
        raise NotAllowed(str(error)) from None
    if not person.active:
        raise NotAllowed(f"{name} is not active in this workspace. A lead can change that on the People page.")
    if not person.may(role):
        raise NotAllowed(f"This needs the role {role}; {name} is {person.role}. A lead can change roles.")
    return person


def act(store: Store, actor: str, role: Role, action: str, work: Callable[[Tx], T], target: str = "") -> T:
    """One change (`Store.tx`) of a person who has at least that role when it is written. Raises NotAllowed."""

    def work_if_allowed(tx: Tx) -> T:
        require(tx, actor, role)
        return work(tx)

    return store.tx(actor, action, work_if_allowed, target)


@cache_result
def find_visitor(store: Store | Tx, name: str) -> Person | None:
    """The person of that name who may be here; None for nobody, and for a name that is kept for Assay itself."""
    try:
        person = find_person(store, name)
    except NotFound:
        return None
    return person if person.active and not names.why_reserved(name, known=True) else None


@dataclass(frozen=True)
class Login:
    """A sign-in at the provider: of whom, when (UTC, the provider's clock), and whether it has ended."""

    person: str
    issued: datetime
    ended: bool


@cache_result
def find_login(store: Store | Tx, login: str) -> Login | None:
    """The sign-in of that id; None where nobody has come in by it."""
    rows = store.rows(
        "select l.person, l.issued, count(e.id) > 0 from login l left join login_end e on e.person = l.person "
        "and (e.login_id = l.id or (e.login_id = '' and e.seq > l.seq)) where l.id = $1 group by l.person, l.issued",
        [login],
    )
    return Login(*rows[0]) if rows else None


def session_age() -> timedelta:
    """For how long a sign-in holds. Raises BadInput where the environment says what that cannot be."""
    return _hours(os.environ.get("ASSAY_SESSION_HOURS", "").strip() or "12")


def is_switched_on(name: str, usual: str = "0") -> bool:
    """Whether a variable of the environment that is 1 or 0 is 1. Raises BadInput for anything else."""
    text = os.environ.get(name, "").strip() or usual
    if text not in ("0", "1"):
        raise BadInput(f"{name} is {text[:40]!r}. It has to be 0 or 1.")
    return text == "1"


@cache
def _hours(text: str) -> timedelta:
    if not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", text) or not float(text):
        raise BadInput(f"ASSAY_SESSION_HOURS is {text!r}: give the hours for which a sign-in is valid, such as 12.")
    return timedelta(hours=float(text))


@final
class Visit(Store):
    """The store as one person may ask it, "" being nobody: only through functions decorated with `allow`.

    `login` is the sign-in at the provider by which the person is here, "" for none. It is None if names are taken on
    trust, or if the code that makes the visit knows the person by other means.
    """

    def __init__(self, store: Store, person: str, login: str | None = None) -> None:
        self._store, self.person, self.login = store, person, login
        self.name, self.memory = store.name, {}
        self._latest: tuple[tuple[int | None, ...], Person | None, datetime | None] = (), None, None

    def visitor(self) -> Person | None:
        """The person of this visit, if they may be here, else None. Looked up anew when people or sign-ins changed."""
        stamp = tuple(map(self._store.table_version, ("person_event", "login", "login_end")))
        if stamp != self._latest[0]:
            self._latest = stamp, *self._look_up()
        _, person, issued = self._latest
        return person if issued is None or now() - issued < session_age() else None

    def _look_up(self) -> tuple[Person | None, datetime | None]:
        visitor = find_visitor(self._store, self.person) if self.person else None
        if self.login is None:
            return visitor, None
        login = find_login(self._store, self.login)
        if login is None or login.ended or login.person != self.person:
            return None, None
        return visitor, login.issued

    def admit(self, role: Least, acting: str | None) -> Store:
        """Return the store itself if this person has at least that role, and is the one who acts. Raises NotAllowed."""
        if role != "anybody" or self.login is not None:
            visitor = self.visitor()
            if visitor is None:
                raise NotAllowed(
                    f"{self.person} cannot work here now. Sign in again; a lead can see why on the People page."
                    if self.person
                    else "Nobody is signed in here. Sign in first."
                )
            if role != "anybody":
                require(self._store, visitor.name, role)
        if acting is not None and acting != self.person:
            raise NotAllowed(f"{self.person or 'Nobody'} is signed in here, so nothing is done as {acting!r}.")
        return self._store

    def newest(self) -> int:
        return self._store.newest()

    def _refuse(self, *args: Any, **options: Any) -> NoReturn:
        raise NotAllowed("A page does not ask the store itself. Call a function of data that bears `allow`.")

    rows = frame = moment = stream = write = check_writable = digests = backup = close = table_version = _refuse


def allow(role: Least) -> Callable[[Callable[Concatenate[R, P], T]], Callable[Concatenate[R, P], T]]:
    """Let a visit call a function of a store and of values, from that role on. The outermost decorator.

    Who acts is its parameter `actor`, else `person`, and must be the visitor.
    """

    def guard(function: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
        parameters = list(inspect.signature(function).parameters)
        parameter = next((name for name in ("actor", "person") if name in parameters), "")
        place = parameters.index(parameter) - 1 if parameter else -1

        @wraps(function)
        def call(store: R, /, *args: P.args, **options: P.kwargs) -> T:
            if not isinstance(store, Visit):
                return function(store, *args, **options)
            actor: Any = None
            if parameter:
                actor = args[place] if place < len(args) else options.get(parameter, "")
            admitted: Any = store.admit(role, actor)
            return function(admitted, *args, **options)

        call.__dict__.update(least_role=role, acting=parameter)
        return call

    return guard


def allow_change(
    role: Role, action: str, target: str = ""
) -> Callable[[Callable[Concatenate[Tx, P], T]], Callable[Concatenate[Store, P], T]]:
    """Make a function of a transaction one change of a store (`act`), which a visit may call, too (`allow`).

    The person with that role is its parameter `actor`, else `person`; the change is about the parameter named `target`.
    """

    def make(function: Callable[Concatenate[Tx, P], T]) -> Callable[Concatenate[Store, P], T]:
        signature = inspect.signature(function)
        acting = "actor" if "actor" in signature.parameters else "person"

        @allow(role)
        @wraps(function)
        def call(store: Store, /, *args: P.args, **options: P.kwargs) -> T:
            values = signature.bind(store, *args, **options).arguments
            about = values.get(target, "")
            return act(store, values[acting], role, action, lambda tx: function(tx, *args, **options), about)

        return call

    return make
