"""Names, roles, and who may change them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from data import people, queue, settings
from data.datasets import dataset
from data.errors import BadInput, NotAllowed, NotFound
from data.people import Person
from data.settings import QueueRules
from data.store import Store, open_store
from tests import seeds


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")


def test_the_first_becomes_lead_and_whoever_comes_later_annotator(store: Store) -> None:
    assert people.join(store, "  Lea   Ox ") == Person("Lea Ox", "lead", True)
    assert people.join(store, "美香").role == "annotator"
    assert people.join(store, "Lea Ox").role == "lead", "entering again changes nothing"
    assert store.rows("select count(*) from person_event") == [(2,)]
    assert people.first_lead(store) == "Lea Ox"


def test_twenty_first_people_at_once_make_one_lead(store: Store) -> None:
    gate = threading.Barrier(20)

    def work(n: int) -> None:
        gate.wait()
        people.join(store, f"p{n}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sum(p.role == "lead" for p in people.everyone(store)) == 1


def test_the_same_name_in_other_capitals_or_composition_is_the_same_person(store: Store) -> None:
    people.join(store, "José")
    assert people.join(store, "jose\u0301").name == "José"
    assert len(people.everyone(store)) == 1
    with pytest.raises(BadInput, match="José already"):
        people.set_person(store, "José", "JOSÉ", "annotator")


@pytest.mark.parametrize(
    "name",
    ["", "   ", "x" * 61, "a<b", "a|b", "a\\b", "a/b", "`a`", "a\x00b", "a\u202eb", "a\u200bb", "a\ud800b", "\u2028"],
)
def test_what_cannot_be_a_name(store: Store, name: str) -> None:
    for refused in (lambda: people.join(store, name), lambda: people.set_person(store, "x", name, "lead")):
        with pytest.raises(BadInput):
            refused()
    assert store.newest() == 0


@pytest.mark.parametrize(
    "name", ["Ann O'Hara", "Ann-Marie", "山田 太郎", "김", "=1+1", "**bold**", "[a](http:x)", "x; drop table label"]
)
def test_what_can(store: Store, name: str) -> None:
    assert people.join(store, name).name == name
    assert people.person(store, name).name == name


def test_roles_include_those_below(store: Store) -> None:
    may = {r: [Person("a", r, True).may(x) for x in people.ROLES] for r in people.ROLES}
    assert may == {
        "annotator": [True, False, False], "researcher": [True, True, False], "lead": [True, True, True],
    }  # fmt: skip
    assert not Person("a", "lead", False).may("annotator")


def test_leads_change_roles_and_nobody_else(store: Store) -> None:
    people.join(store, "lea")
    people.join(store, "ann")
    assert people.set_person(store, "lea", "ann", "researcher").role == "researcher"
    people.set_person(store, "lea", "new", "annotator")
    before = store.newest()
    for actor in ("ann", "new", "nobody"):
        with pytest.raises(NotAllowed):
            people.set_person(store, actor, actor, "lead")
    with pytest.raises(BadInput, match="no role"):
        people.set_person(store, "lea", "ann", "king")  # type: ignore[arg-type]
    people.set_person(store, "lea", "ann", "researcher")
    assert store.newest() == before, "what changes nothing is not written"


def test_the_last_lead_cannot_go(store: Store) -> None:
    people.join(store, "lea")
    people.join(store, "ann")
    with pytest.raises(BadInput, match="only lead"):
        people.set_person(store, "lea", "lea", "annotator")
    with pytest.raises(BadInput, match="only lead"):
        people.set_person(store, "lea", "lea", "lead", active=False)
    people.set_person(store, "lea", "ann", "lead")
    people.set_person(store, "lea", "lea", "annotator")
    assert people.first_lead(store) == "ann"


def test_two_leads_who_let_each_other_go_at_once_leave_one(store: Store) -> None:
    people.join(store, "a")
    people.set_person(store, "a", "b", "lead")
    gate, refused = threading.Barrier(2), []

    def work(actor: str, other: str) -> None:
        gate.wait()
        try:
            people.set_person(store, actor, other, "annotator")
        except (NotAllowed, BadInput) as error:
            refused.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(refused) == 1
    assert sum(p.role == "lead" for p in people.everyone(store)) == 1


def test_who_was_let_go_has_no_rights_at_once_and_can_come_back(store: Store) -> None:
    people.join(store, "lea")
    people.join(store, "ann")
    people.require(store, "ann", "annotator")
    people.set_person(store, "lea", "ann", "annotator", active=False)
    with pytest.raises(NotAllowed, match="not active"):
        people.require(store, "ann", "annotator")
    with pytest.raises(NotAllowed, match="not active"):
        people.join(store, "Ann")
    assert [p.name for p in people.everyone(store)] == ["lea"]
    assert [m.person for m in people.members(store)] == [Person("ann", "annotator", False), Person("lea", "lead", True)]
    people.set_person(store, "lea", "ann", "annotator")
    assert people.require(store, "ann", "annotator").active


def test_what_is_read_in_a_change_is_what_holds_there(store: Store) -> None:
    people.join(store, "lea")
    people.person(store, "lea")

    def work(tx: object) -> str:
        people.append(tx, [Person("lea", "annotator", True)])  # type: ignore[arg-type]
        return people.person(tx, "lea").role  # type: ignore[arg-type]

    assert store.tx("lea", "person", work) == "annotator"
    assert people.person(store, "lea").role == "annotator"


def test_unknown_people(store: Store) -> None:
    with pytest.raises(NotFound, match="no lead yet"):
        people.first_lead(store)
    with pytest.raises(NotFound, match="Nobody called 'x'"):
        people.person(store, "x")
    with pytest.raises(NotAllowed, match="becomes its lead"):
        people.set_person(store, "x", "y", "lead")


def test_annotators_of_imports_stand_apart_until_a_lead_takes_them_in(tmp_path: Path) -> None:
    items = [seeds.dialogue(1)]
    label = {
        "item": "d-0001", "unit": "turn:1", "dimension": "helpfulness", "value": 4, "annotator": "mika",
        "mode": "blind", "made_at": "2026-01-31T12:00:00Z",
    }  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, label], review=False)
    assert [(n, k) for n, _, k in people.imported(store)] == [("mika", 1)]
    assert "mika" not in [m.person.name for m in people.members(store)]
    with pytest.raises(NotAllowed):
        people.join(store, "mika")
    people.set_person(store, "lea", "mika", "annotator")
    assert people.imported(store) == []
    assert people.join(store, "mika").active


def test_every_change_of_the_rules_is_kept_and_checked(tmp_path: Path) -> None:
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(1)], review=False)
    found = dataset(store, "demo").id
    with pytest.raises(NotAllowed):
        settings.set_rules(store, "ann", found, QueueRules(overlap=2))
    assert queue.waiting(store, "ann", found, "review") == 0
