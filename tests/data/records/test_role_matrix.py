"""Everybody who may not, at every function that pages and programs may call: refused before anything else happens."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

import data
from data.records import invitations, logins, people
from data.records.access import ROLES, Visit, find_person
from data.records.logins import Account
from data.store import Store, open_store
from data.store.errors import NotAllowed
from data.store.ids import now

Guarded = Any
"""A function with what `allow` has put on it: `least_role`, `acting`."""
ASKED_FOR = ("person_now", "login", "person_event")
"""What is read to see who somebody is."""


def guarded_functions() -> dict[str, Guarded]:
    """Every function of data that bears `allow`, by its full name."""
    functions: dict[str, Guarded] = {}
    for module in pkgutil.walk_packages(data.__path__, "data."):
        if module.name != "data.__main__":
            imported_module = importlib.import_module(module.name)
            for name, function in vars(imported_module).items():
                if (
                    inspect.isfunction(function)
                    and hasattr(function, "least_role")
                    and function.__module__ == module.name
                ):
                    functions[f"{module.name}.{name}"] = function
    return functions


class Untouched:
    """An argument that nobody looks at: whatever is done with it fails."""

    def _fail(self, *_: Any) -> Any:
        raise AssertionError("An argument was looked at before the person was.")

    __getattr__ = __iter__ = __len__ = __getitem__ = __eq__ = __bool__ = __str__ = __hash__ = _fail  # type: ignore[assignment]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A workspace with lea, rob and ann in the three roles, and gone, who was a lead and is not active any more."""
    opened = open_store(f"duckdb:///{tmp_path_factory.mktemp('matrix') / 'a.duckdb'}")
    people.join_workspace(opened, "lea")
    for name, role in (("rob", "researcher"), ("ann", "annotator"), ("gone", "lead")):
        people.set_person(opened, "lea", name, role)  # type: ignore[arg-type]
    people.set_person(opened, "lea", "gone", "lead", active=False)
    yield opened
    opened.close()


def add_sign_in(store: Store, name: str, key_suffix: str, ago: timedelta = timedelta(0)) -> str:
    """The id of a sign-in of somebody here."""
    invitations.invite_locally(store, f"{name}@example.org", "", "annotator", person=name)
    account = Account("https://login", name, f"{name}@example.org", name, None, now() - ago, f"{name} {key_suffix}")
    logins.sign_in(store, account)
    return account.key


@pytest.fixture(scope="module")
def outsiders(store: Store) -> dict[str, Visit]:
    """Visits that nothing is to be had by, not even of what is open to anybody on trust where people sign in."""
    ended, holds = add_sign_in(store, "lea", "ended"), add_sign_in(store, "lea", "holds")
    anns = add_sign_in(store, "ann", "of ann")
    logins.sign_out(store, "lea", ended)
    assert Visit(store, "lea", holds).visitor() == find_person(store, "lea")
    old = add_sign_in(store, "rob", "old", timedelta(minutes=5))
    people.set_person(store, "lea", "rob", "researcher", active=False)
    people.set_person(store, "lea", "rob", "researcher")
    return {
        "nobody": Visit(store, "", ""), "a forged sign-in": Visit(store, "lea", "forged"),
        "a replayed cookie": Visit(store, "lea", ended), "another's sign-in": Visit(store, "lea", anns),
        "from before a deactivation": Visit(store, "rob", old), "somebody removed": Visit(store, "gone", holds),
        "a stranger": Visit(store, "eve", "eve"),
    }  # fmt: skip


def attempts(outsiders: dict[str, Visit], store: Store) -> Iterator[tuple[str, Visit, Guarded, dict[str, str]]]:
    """(who and what, their visit, the function, arguments that say who acts) of all that must be refused."""
    insiders = {name: Visit(store, name) for name in ("ann", "rob", "lea")}
    on_trust = {"nobody on trust": "", "a removed name": "gone", "an unknown name": "eve", "a kept name": "Assay"}
    for full, function in guarded_functions().items():
        least = function.least_role
        named = [name for name in ("actor", "person") if name in inspect.signature(function).parameters][:1]
        refused = dict(outsiders)
        if least != "anybody":
            refused |= {label: Visit(store, name) for label, name in on_trust.items()}
            below = ROLES.index(least)
            refused |= {role: insiders[name] for role, name in zip(ROLES[:below], insiders, strict=False)}
        for label, visit in refused.items():
            yield f"{label}: {full}", visit, function, dict.fromkeys(named, visit.person)
            if named:
                yield f"{label} as lea: {full}", visit, function, dict.fromkeys(named, "lea")
        if function.acting:  # bound to who acts; of the others a person is somebody that they are about
            for name in ("ann", "rob"):
                yield f"lea as {name}: {full}", insiders["lea"], function, dict.fromkeys(named, name)
            yield f"ann as lea: {full}", insiders["ann"], function, dict.fromkeys(named, "lea")


def test_nobody_passes_who_may_not(
    outsiders: dict[str, Visit], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, newest = type(store).rows, store.newest()

    def rows(self: Store, sql: str, params: Any = ()) -> Any:
        assert any(f"from {table}" in sql for table in ASKED_FOR), f"This was asked before the person was: {sql}"
        return real(self, sql, params)

    def fail(*_: Any, **__: Any) -> Any:
        raise AssertionError("Something was written, or read in bulk, before the person was looked up.")

    tried, passed = 0, []
    with monkeypatch.context() as patch:
        patch.setattr(type(store), "rows", rows)
        for name in ("write", "frame", "stream", "backup"):
            patch.setattr(type(store), name, fail)
        for label, visit, function, actors in attempts(outsiders, store):
            parameters = list(inspect.signature(function).parameters.values())[1:]
            kwargs = {
                parameter.name: actors.get(parameter.name, Untouched())
                for parameter in parameters
                if parameter.kind is not parameter.VAR_KEYWORD
            }
            tried += 1
            place = (
                len(kwargs)
                if all(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
                else 0
            )
            values = list(kwargs.values())
            for arguments, named in ((values[:place], dict(list(kwargs.items())[place:])), ((), kwargs)):
                try:
                    function(visit, *arguments, **named)
                except NotAllowed:
                    continue
                except BaseException as error:
                    passed.append(f"{label}: {error!r}")
                else:
                    passed.append(label)
    assert not passed, f"{len(passed)} of {tried} attempts passed:\n" + "\n".join(passed[:20])
    assert tried >= 3_000, f"only {tried} attempts: what is walked does not hold what pages call any more"
    assert store.newest() == newest


def test_everybody_is_let_in_who_may(store: Store) -> None:
    for name, role in (("ann", "annotator"), ("rob", "researcher"), ("lea", "lead")):
        visit = Visit(store, name)
        for least in ROLES[: ROLES.index(role) + 1]:  # type: ignore[arg-type]
            assert visit.admit(least, name) is store
    for name in ("lea", "ann"):
        assert Visit(store, name, add_sign_in(store, name, "again")).admit("annotator", None) is store


def test_other_peoples_work_is_nobodys_to_ask_for(store: Store) -> None:
    """Functions about one person's own work give nobody another's."""
    own = [function for function in guarded_functions().values() if function.acting == "person"]
    assert len(own) >= 10
    for function in own:
        parameters = list(inspect.signature(function).parameters)[1:]
        with pytest.raises(NotAllowed, match="signed in here"):
            function(Visit(store, "lea"), **{name: "ann" if name == "person" else Untouched() for name in parameters})


def test_the_walk_finds_what_is_guarded() -> None:
    functions = guarded_functions()
    assert len(functions) >= 230 and {"anybody", *ROLES} == {function.least_role for function in functions.values()}
