"""Who may do what: a visit passes only through functions that bear `allow`, as who it is, and as they stand now."""

import pytest

from data.records import access, people
from data.records.access import Visit, allow, allow_change, find_person
from data.records.values import get_setting, put_setting
from data.store import Store, Tx, cache_each, cache_result, open_store
from data.store.errors import NotAllowed


@pytest.fixture
def store(tmp_path):
    """A workspace with lea (lead), rob (researcher) and ann (annotator)."""
    with_people = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(with_people, "lea")
    people.set_person(with_people, "lea", "rob", "researcher")
    people.join_workspace(with_people, "ann")
    yield with_people
    with_people.close()


@allow("annotator")
def names(store: Store | Tx) -> list[str]:
    return [str(name) for (name,) in store.rows("select person from person_now order by person")]


@allow("researcher")
def by_actor(store: Store, note: str, actor: str = "") -> str:
    return f"{actor}: {note}"


@allow("annotator")
@cache_result
def by_person(store: Store, person: str) -> str:
    return f"{person}: {len(store.rows('select 1 from person_event'))}"


@allow("lead")
def of_others(store: Store, name: str) -> str:
    return name


@allow_change("researcher", "note", "about")
def put_note(tx: Tx, actor: str, about: str, note: str = "x") -> str:
    put_setting(tx, "notes", about, f"{actor}: {note}")
    return note


@allow("anybody")
def greeting(store: Store) -> str:
    return type(store).__name__


def test_a_visit_itself_gives_nothing(store):
    visit = Visit(store, "lea")
    calls = [
        lambda: visit.rows("select 1"), lambda: visit.frame("select 1"), lambda: visit.stream("select 1"),
        lambda: visit.write(lambda tx: None), lambda: visit.tx("lea", "x", lambda tx: None), visit.close,
        lambda: visit.backup(None), lambda: people.known_names(visit), visit.check_writable, lambda: visit.digests(1),
        lambda: visit.moment({}), lambda: visit.table_version("person_event"),
    ]  # fmt: skip
    for ask in calls:
        with pytest.raises(NotAllowed):
            ask()
    assert visit.newest() == store.newest() and visit.name == store.name


def test_the_store_itself_is_not_asked(store):
    assert names(store) == ["ann", "lea", "rob"]
    assert by_actor(store, "x", actor="anybody at all") == "anybody at all: x"
    assert store.tx("lea", "look", lambda tx: names(tx)) == ["ann", "lea", "rob"]


@pytest.mark.parametrize(
    ("person", "passes"),
    [
        ("lea", {"names", "by_actor", "of_others"}), ("rob", {"names", "by_actor"}), ("ann", {"names"}),
        ("", set()), ("nobody here", set()), ("Assay", set()),
    ],
)  # fmt: skip
def test_each_role_gets_what_it_is_for(store, person, passes):
    visit, passed = Visit(store, person), set()
    tries = {
        "names": lambda: names(visit),
        "by_actor": lambda: by_actor(visit, "x", actor=person),
        "of_others": lambda: of_others(visit, "ann"),
    }
    for name, ask in tries.items():
        try:
            ask()
            passed.add(name)
        except NotAllowed:
            continue
    assert passed == passes
    assert greeting(visit) == type(store).__name__, "the function itself has the store"


def test_nobody_acts_as_somebody_else(store):
    visit = Visit(store, "rob")
    assert by_actor(visit, "x", actor="rob") == by_actor(visit, "x", "rob") == "rob: x"
    argument_lists = [("x", "lea"), ("x",)]
    for args in argument_lists:
        with pytest.raises(NotAllowed, match="rob is signed in"):
            by_actor(visit, *args)
    with pytest.raises(NotAllowed, match="rob is signed in"):
        by_actor(visit, "x", actor="lea")
    with pytest.raises(NotAllowed, match="rob is signed in"):
        by_person(visit, "ann")


def test_what_is_kept_is_given_to_those_who_may_have_it(store):
    lea, ann = Visit(store, "lea"), Visit(store, "ann")
    assert by_person(lea, "lea").startswith("lea: ")
    with pytest.raises(NotAllowed):
        by_person(ann, "lea")


def test_what_is_kept_without_a_guard_is_given_to_no_visit(store):
    """Not even where the answer is known already: that depended on who had asked before."""
    assert people.known_names(store) == {"ann", "lea", "rob"}
    with pytest.raises(NotAllowed, match="bears `allow`"):
        people.known_names(Visit(store, "lea"))
    with pytest.raises(NotAllowed, match="bears `allow`"):
        cache_each(Visit(store, "lea"), [("here", "lea")], lambda _: [1])


def test_whoever_was_nobody_when_they_were_first_seen_can_enter(store):
    """A browser may know a name from another workspace at the same address."""
    visit = Visit(store, "eve")
    assert visit.visitor() is None and access.find_visitor(store, "eve") is None
    people.join_workspace(store, "eve")
    assert visit.visitor() == Visit(store, "eve").visitor() == find_person(store, "eve")


def test_a_changed_role_holds_at_the_next_call(store):
    visit = Visit(store, "rob")
    assert by_actor(visit, "x", "rob")
    people.set_person(store, "lea", "rob", "annotator")
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        by_actor(visit, "x", "rob")
    people.set_person(store, "lea", "rob", "annotator", active=False)
    with pytest.raises(NotAllowed, match="cannot work here"):
        names(visit)
    people.set_person(store, "lea", "rob", "lead")
    assert of_others(visit, "ann") == "ann"


def test_the_guard_names_its_role():
    assert names.least_role == "annotator" and by_actor.least_role == "researcher"
    assert access.find_visitor.__name__ == "find_visitor" and not hasattr(access.find_visitor, "least_role")


def test_a_change_is_of_whoever_may_make_it_and_says_what_it_is_about(store):
    assert put_note(store, "rob", "a") == "x" and put_note(Visit(store, "lea"), about="b", actor="lea", note="y") == "y"
    changes = store.rows("select actor, action, target from change order by seq desc limit 2")
    assert changes == [("lea", "note", "b"), ("rob", "note", "a")]
    assert [get_setting(store, "notes", about) for about in "ab"] == ["rob: x", "lea: y"]
    for caller, actor in ((store, "ann"), (store, "eve"), (Visit(store, "ann"), "ann"), (Visit(store, "lea"), "rob")):
        with pytest.raises(NotAllowed):
            put_note(caller, actor, "c")
    assert get_setting(store, "notes", "c") is None and put_note.least_role == "researcher"
