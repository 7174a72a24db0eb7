"""Names, roles, and who may change them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.queue import queue
from data.records import people, settings
from data.records.access import ROLES, Person, find_person, require
from data.records.datasets import all_datasets, dataset_named
from data.records.leads import LeadEvent, lead_history, pending_lead_changes
from data.records.names import SAMPLE_ACTOR
from data.records.settings import QueueRules
from data.records.values import WORKSPACE, put_setting
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.workspace.bootstrap import open_workspace
from tests import seeds


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")


def test_the_first_becomes_lead_and_whoever_comes_later_annotator(store: Store) -> None:
    assert people.join_workspace(store, "  Lea   Ox ") == Person("Lea Ox", "lead", True)
    assert people.join_workspace(store, "美香").role == "annotator"
    assert people.join_workspace(store, "Lea Ox").role == "lead", "entering again changes nothing"
    assert store.rows("select count(*) from person_event") == [(2,)]
    assert people.first_lead(store) == "Lea Ox"


def test_whoever_enters_by_name_where_nobody_is_lead_becomes_lead(store: Store) -> None:
    store.tx("ann", "sign in", lambda tx: people.add_person(tx, "ann", "annotator"))
    assert people.join_workspace(store, "lea") == Person("lea", "lead", True)
    assert people.join_workspace(store, "bob") == Person("bob", "annotator", True)


def test_twenty_first_people_at_once_make_one_lead(store: Store) -> None:
    gate = threading.Barrier(20)

    def work(n: int) -> None:
        gate.wait()
        people.join_workspace(store, f"p{n}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sum(p.role == "lead" for p in people.all_people(store)) == 1


def test_the_same_name_in_other_capitals_or_composition_is_the_same_person(store: Store) -> None:
    people.join_workspace(store, "José")
    assert people.join_workspace(store, "jose\u0301").name == "José"
    assert len(people.all_people(store)) == 1
    with pytest.raises(BadInput, match="José already"):
        people.set_person(store, "José", "JOSÉ", "annotator")


@pytest.mark.parametrize(
    "name",
    ["", "   ", "x" * 61, "a<b", "a|b", "a\\b", "a/b", "`a`", "a\x00b", "a\u202eb", "a\u200bb", "a\ud800b", "\u2028"],
)
def test_what_cannot_be_a_name(store: Store, name: str) -> None:
    for refused in (lambda: people.join_workspace(store, name), lambda: people.set_person(store, "x", name, "lead")):
        with pytest.raises(BadInput):
            refused()
    assert store.newest() == 0


@pytest.mark.parametrize(
    "name", ["Ann O'Hara", "Ann-Marie", "山田 太郎", "김", "=1+1", "**bold**", "[a](http:x)", "x; drop table label"]
)
def test_what_can(store: Store, name: str) -> None:
    assert people.join_workspace(store, name).name == name
    assert find_person(store, name).name == name


def test_roles_include_those_below(store: Store) -> None:
    may = {r: [Person("a", r, True).may(x) for x in ROLES] for r in ROLES}
    assert may == {
        "annotator": [True, False, False], "researcher": [True, True, False], "lead": [True, True, True],
    }  # fmt: skip
    assert not Person("a", "lead", False).may("annotator")


def test_leads_change_roles_and_nobody_else(store: Store) -> None:
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    assert people.set_person(store, "lea", "ann", "researcher").role == "researcher"
    people.set_person(store, "lea", "new", "annotator")
    before = store.newest()
    for actor in ("ann", "new", "nobody"):
        with pytest.raises(NotAllowed):
            people.set_person(store, actor, actor, "lead")
    with pytest.raises(BadInput, match="not a role"):
        people.set_person(store, "lea", "ann", "king")  # type: ignore[arg-type]
    people.set_person(store, "lea", "ann", "researcher")
    assert store.newest() == before, "what changes nothing is not written"


def test_the_last_lead_cannot_go(store: Store) -> None:
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    with pytest.raises(BadInput, match="only lead"):
        people.set_person(store, "lea", "lea", "annotator")
    with pytest.raises(BadInput, match="only lead"):
        people.set_person(store, "lea", "lea", "lead", active=False)
    people.set_person(store, "lea", "lea", "lead")
    people.set_person(store, "lea", "ann", "lead")
    people.set_person(store, "lea", "lea", "annotator")
    assert people.first_lead(store) == "ann"


def test_two_leads_who_let_each_other_go_at_once_leave_one(store: Store) -> None:
    people.join_workspace(store, "a")
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
    assert sum(p.role == "lead" for p in people.all_people(store)) == 1


def test_who_was_let_go_has_no_rights_at_once_and_can_come_back(store: Store) -> None:
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    require(store, "ann", "annotator")
    people.set_person(store, "lea", "ann", "annotator", active=False)
    with pytest.raises(NotAllowed, match="not active"):
        require(store, "ann", "annotator")
    with pytest.raises(NotAllowed, match="not active"):
        people.join_workspace(store, "Ann")
    assert [p.name for p in people.all_people(store)] == ["lea"]
    assert [m.person for m in people.members(store)] == [Person("ann", "annotator", False), Person("lea", "lead", True)]
    people.set_person(store, "lea", "ann", "annotator")
    assert require(store, "ann", "annotator").active


def test_who_proposed_a_lead_stays_known_where_two_make_one(store: Store) -> None:
    people.join_workspace(store, "lea")
    people.make_lead_locally(store, "lou")
    store.tx("lea", "policy", lambda tx: put_setting(tx, WORKSPACE, "approvals", {"four_eyes": True}))
    assert not people.set_person(store, "lea", "ann", "lead").active, "it waits"
    assert people.set_person(store, "lou", "ann", "lead") == Person("ann", "lead", True)
    assert lead_history(store)[-1] == LeadEvent("ann", True, "lou", "lea")


def test_a_change_that_takes_one_lead_ends_the_one_that_waits_for_a_second(store: Store) -> None:
    people.join_workspace(store, "lea")
    people.make_lead_locally(store, "lou")
    store.tx("lea", "policy", lambda tx: put_setting(tx, WORKSPACE, "approvals", {"four_eyes": True}))
    people.set_person(store, "lea", "ann", "lead")
    assert [change.person for change in pending_lead_changes(store)] == ["ann"]
    assert people.set_person(store, "lou", "ann", "researcher") == Person("ann", "researcher", True)
    assert pending_lead_changes(store) == []


def test_what_is_read_in_a_change_is_what_holds_there(store: Store) -> None:
    people.join_workspace(store, "lea")
    find_person(store, "lea")

    def work(tx: object) -> str:
        people.append_people(tx, [Person("lea", "annotator", True)])  # type: ignore[arg-type]
        return find_person(tx, "lea").role  # type: ignore[arg-type]

    assert store.tx("lea", "person", work) == "annotator"
    assert find_person(store, "lea").role == "annotator"


def test_unknown_people(store: Store) -> None:
    with pytest.raises(NotFound, match="no lead yet"):
        people.first_lead(store)
    with pytest.raises(NotFound, match="Nobody called 'x'"):
        find_person(store, "x")
    for name, role in (("y", "lead"), ("x", "researcher")):
        with pytest.raises(NotAllowed, match="becomes its lead"):
            people.set_person(store, "x", name, role)
    assert people.set_person(store, "x", "x", "lead") == find_person(store, "x") == Person("x", "lead", True)


def test_annotators_of_imports_stand_apart_from_whoever_works_here(tmp_path: Path) -> None:
    items = [seeds.dialogue(1)]
    label = {
        "item": "d-0001", "unit": "turn:1", "dimension": "helpfulness", "value": 4, "annotator": "mika",
        "mode": "blind", "made_at": "2026-01-31T12:00:00Z",
    }  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, label], review=False)
    assert [(n, k) for n, _, k in people.imported_annotators(store)] == [("mika", 1)]
    assert "mika" not in [m.person.name for m in people.members(store)]
    with pytest.raises(NotAllowed):
        people.join_workspace(store, "mika")
    for name in ("mika", "MIKA", "mikа", "ｍｉｋａ"):
        with pytest.raises((NotAllowed, BadInput), match="mika"):
            people.join_workspace(store, name)
        with pytest.raises(BadInput, match="mika"):
            people.set_person(store, "lea", name, "annotator")
    assert [n for n, _, _ in people.imported_annotators(store)] == ["mika"]
    assert people.join_workspace(store, "mika s").active


def test_of_those_known_from_imports_who_labelled_most_comes_first(tmp_path: Path) -> None:
    label = {"item": "d-0001", "dimension": "helpfulness", "value": 4, "made_at": "2026-01-31T12:00:00Z"}
    labelled = (("ada", 1), ("zoe", 1), ("zoe", 2))
    labels = [{**label, "mode": "blind", "annotator": name, "unit": f"turn:{turn}"} for name, turn in labelled]
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(1), *labels], review=False)
    assert [(n, k) for n, _, k in people.imported_annotators(store)] == [("zoe", 2), ("ada", 1)]
    store.close()


def test_labels_under_the_name_of_somebody_here_stand_as_those_of_another(tmp_path: Path) -> None:
    """Whoever imports labels cannot make them those of a person who works here, nor of one who looks like it."""
    label = {"item": "d-0001", "unit": "turn:1", "dimension": "helpfulness", "value": 4, "mode": "blind",
            "made_at": "2026-01-31T12:00:00Z"}  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(1)], review=False)
    named = ["ann", "ANN", "аnn", "ann (file)", "bob", "bob (file)", "Assay samples", "lea"]
    file = seeds.lines(tmp_path / "l.jsonl", [{**label, "annotator": name} for name in named])

    def bring() -> list[str]:
        import_source(store, "lea", from_path(file), ImportPlan("demo", sampling="random", population=99))
        return sorted(n for n, _, _ in people.imported_annotators(store))

    first = bring()
    assert first == sorted([
        "ann (file)", "ANN (file)", "аnn (file)", "ann (file 2)", "bob", "bob (file)", "Assay samples (file)",
        "lea (file)",
    ])  # fmt: skip
    before = store.newest()
    assert bring() == first and store.newest() == before, "the same again adds nothing"
    with pytest.raises(NotAllowed, match="imported labels"):
        people.join_workspace(store, "bob")
    assert {n for (n,) in store.rows("select annotator from label")} == set(first)
    late = seeds.lines(tmp_path / "f.jsonl", [{**label, "annotator": "zed", "made_at": "2199-01-01T00:00:00Z"}])
    with pytest.raises(ImportRefused, match="in the future"):
        import_source(store, "lea", from_path(late), ImportPlan("demo", sampling="random", population=99))


@pytest.mark.parametrize(
    "name",
    [
        "Assay samples",
        "assay  SAMPLES",
        "Аssаy samples",
        "Assay-Samples",
        "Assay",
        "x (file)",
        "x (file 3).",
        "assay∕gate",
        "assay⁄command line",
        "assay╱gate",
    ],
)
def test_what_assay_does_by_itself_has_a_name_that_nobody_can_take(store: Store, name: str) -> None:
    people.join_workspace(store, "lea")
    before = store.newest()
    for refused in (
        lambda: people.join_workspace(store, name),
        lambda: people.set_person(store, "lea", name, "annotator"),
    ):
        with pytest.raises(BadInput, match="is reserved for"):
            refused()
    assert store.newest() == before


def test_no_name_can_make_the_sample_appear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"duckdb:///{tmp_path / 'a.duckdb'}"
    monkeypatch.setenv("ASSAY_SAMPLES", "0")
    store = open_workspace(url)
    people.join_workspace(store, "lea")
    for action, actor in (("join", SAMPLE_ACTOR), ("person", "lea")):  # as an older version took it
        store.tx(actor, action, lambda tx: people.append_people(tx, [Person(SAMPLE_ACTOR, "researcher", True)]))
    store.close()
    store = open_workspace(url)
    assert all_datasets(store) == []
    with pytest.raises(BadInput):
        people.join_workspace(store, SAMPLE_ACTOR)


@pytest.mark.parametrize(
    "name",
    [
        "Lеa",
        "ｌｅａ",
        "Léa",
        "L e a",
        "lеа",
        "ᏞᎬᎪ",
        "𝐋𝐞𝐚",
        "L\u0323ea",
        "ʟᴇᴀ",
        "Muller",
        "山田太郎",
        "エ藤",
        "l0u",
        "∣ea",
        "ӏou",
        "ןea",
        "ⳑea",
        "lεa",
    ],
)
def test_a_name_that_looks_like_somebodys_is_told_apart(store: Store, name: str) -> None:
    for known in ("Lea", "Müller", "山田 太郎", "工藤", "lou"):
        people.join_workspace(store, known)
    with pytest.raises(BadInput, match=r"looks like '(Lea|Müller|山田 太郎|工藤|lou)', who is known here"):
        people.join_workspace(store, name)
    with pytest.raises(BadInput, match="looks like"):
        people.set_person(store, "Lea", name, "lead")


def test_names_that_differ_are_not_refused(store: Store) -> None:
    known = ["Lea", "Leo", "Ilia", "Lila", "Иван", "Анна", "かとう", "がとう", "山田", "山口", "김민준", "김민수",
             "Bernd", "José", "Josef", "Νίκος", "दिन", "दीन", "Ana 🌸", "Ana",
             "Al", "Il", "Li", "ann", "anne"]  # fmt: skip
    for name in known:
        assert people.join_workspace(store, name).name == name
    assert {p.name for p in people.all_people(store)} == set(known)


def test_every_change_of_the_rules_is_kept_and_checked(tmp_path: Path) -> None:
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(1)], review=False)
    dataset = dataset_named(store, "demo").id
    with pytest.raises(NotAllowed):
        settings.set_queue_rules(store, "ann", dataset, QueueRules(overlap=2))
    assert queue.count_open(store, "ann", dataset, "review") == 0
