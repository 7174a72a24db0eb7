"""Exports: what each kind holds, that it goes in again as it came out, and who may take it."""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.approvals import check_results, policy
from data.approvals.record import Approval
from data.calibration import calibration
from data.cards import cards
from data.cli import main
from data.desk import labels
from data.exporting import delivery, exporting, files
from data.exporting.conversations import is_trainable, item_messages, split_at_unit, to_message
from data.exporting.kind import ExportOption, complete_options, resolve_option
from data.exporting.kinds import chats, preference_turns
from data.importing.files.source import from_path
from data.importing.formats.messages import to_dialogue
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, exposure, guidelines, people
from data.records.access import Role
from data.records.datasets import Dataset
from data.records.settings import GoldRule, QueueRules, set_gold_rule, set_queue_rules
from data.records.tables import JudgmentRow
from data.store import Store, Tx, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import content_id, new_id, now
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards import card
from judges.types import ITEM, Dialogue, Scale
from tests import seeds
from tests.data.cells import Cell, fill
from tests.data.imports import bring, label, pair, verdict

Json = dict[str, Any]
FIRST_TEXT = "user says thing 1 of dialogue 1. "


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The workspace, for tests that change nothing that another one looks at."""
    store = workspace(tmp_path_factory.mktemp("export"))
    yield store
    store.close()


@pytest.fixture
def fresh_store(tmp_path: Path) -> Iterator[Store]:
    """One for a test that changes it."""
    store = workspace(tmp_path)
    yield store
    store.close()


@pytest.fixture
def empty_store(tmp_path: Path) -> Iterator[Store]:
    """A workspace with nothing in it but its lead."""
    store = open_store(f"duckdb:///{tmp_path / 'bare.duckdb'}")
    people.join_workspace(store, "lea")
    yield store
    store.close()


def workspace(folder: Path) -> Store:
    """Six judged dialogues: four in the audit sample, answered by ann and ben; all in the review queue; four pairs."""
    items = [seeds.dialogue(n) for n in range(1, 7)]
    replies = [seeds.judgment(i, seeds.reply(i, helpfulness=2, verdict="good")) for i in items]
    store = seeds.workspace(folder / "a.duckdb", [*items, *replies], names=("lea", "ann", "ben"), audit=4)
    people.set_person(store, "lea", "rex", "researcher")
    dataset = datasets.dataset_named(store, "demo").id
    set_queue_rules(store, "lea", dataset, QueueRules(overlap=2))
    for person, value in (("ann", 4.0), ("ben", 2.0)):
        for item in queue.claim_items(store, person, dataset, "audit", queue.QueueFilters(), [], 8):
            answer(store, person, item, value)
    pairs = [pair(f"p{n}", a=f"First {n}.", b=f"Second {n}.") for n in range(1, 5)]
    human_labels = [label(f"p{n}", word) for n, word in enumerate(("a", "b", "tie"), 1)]
    judged = [verdict(f"p{n}", "b") for n in range(1, 5)]
    seeds.lines(folder / "pairs.jsonl", [*pairs, *judged, *human_labels])
    import_source(store, "lea", from_path(folder / "pairs.jsonl"), ImportPlan("pairs", sampling="random"))
    return store


def answer(
    store: Store,
    person: str,
    target: queue.OfferedItem | str,
    value: float,
    key: str = "",
    version: str = "",
    **more: Any,
) -> str:
    """Save the helpfulness of the first turn, and the verdict."""
    item, draw = (target, None) if isinstance(target, str) else (target.item, target.draw)
    cells = {("turn:1", "helpfulness"): value, ("conversation", "verdict"): value - 1.0, **more.pop("cells", {})}
    values = [{"unit": u, "dimension": d, "v": v, "saw": True, "seen": 2.0} for (u, d), v in cells.items()]
    entry = {"key": new_id(), "person": person, "action": "save", "item": item, "claim": draw, "version": version}
    saved, refused = labels.save_answers(store, person, [{**entry, "values": values, "ms": 1, **more}])
    assert saved, refused
    return str(entry["key"])


def demo(store: Store, name: str = "demo") -> Dataset:
    return datasets.dataset_named(store, name)


def rows(store: Store, kind: str, name: str = "demo", **options: Any) -> list[Json]:
    export = exporting.export_kind(kind)
    records = list(
        export.rows(store, demo(store, name), {o.name: options.get(o.name, o.default) for o in export.options})
    )
    assert export.parts or {key for row in records for key in row} <= set(export.columns.names)
    return records


def export_file(store: Store, file: Path, kind: str, name: str = "demo", actor: str = "rex", **options: Any) -> Path:
    format = file.suffix.removeprefix(".")
    exporting.write_export(store, actor, demo(store, name), exporting.export_kind(kind),
                           options, format, file)  # type: ignore[arg-type]
    return file


def test_every_kind_is_found_by_being_there_and_says_what_it_gives() -> None:
    names = {path.stem for path in (Path(exporting.__file__).parent / "kinds").glob("[a-z]*.py")}
    assert set(exporting.export_kinds()) == names
    assert all(kind.description.endswith(".") and kind.title for kind in exporting.export_kinds().values())
    with pytest.raises(NotFound, match="There is no export called 'nothing'"):
        exporting.export_kind("nothing")


@pytest.mark.slow
def test_a_preview_shows_the_first_rows_and_counts_all(store: Store) -> None:
    for kind in exporting.export_kinds().values():
        if kind.name != "examples":
            every = rows(store, kind.name)
            assert exporting.preview_export(store, "rex", demo(store), kind, {}) == (every[:5], len(every)), kind.name
    for dimension, count in (("verdict", 8), ("safety", 0)):  # of four dialogues, by two people; nobody was asked
        preview = exporting.preview_export(
            store, "rex", demo(store), exporting.export_kind("labels"), {"dimension": dimension}
        )
        assert preview == (rows(store, "labels", dimension=dimension)[:5], count)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["demo", "pairs"])
def test_rows_are_counted_as_they_are_given_and_have_the_keys_of_their_columns(store: Store, name: str) -> None:
    card = {"demo": "multi_turn_dialogue", "pairs": "plain_pairwise"}[name]
    for kind in exporting.export_kinds().values():
        options = {o.name: o.default for o in kind.options} | ({"card": card} if kind.name == "examples" else {})
        every = list(kind.rows(store, demo(store, name), options))
        assert kind.size(store, demo(store, name), options) == len(every), kind.name
        keys = {key for row in every for key in row}
        assert kind.parts or keys <= set(kind.columns.names), kind.name
        assert name == "demo" or kind.name != "preference_pairs" or keys == set(kind.columns.names)


def test_a_preview_follows_what_is_written(store: Store) -> None:
    whole = exporting.export_kind("dataset")
    _, before = exporting.preview_export(store, "rex", demo(store), whole, {})
    guidelines.write_guidelines(store, "lea", demo(store).id, "Read the whole text.")
    _, after = exporting.preview_export(store, "rex", demo(store), whole, {})
    assert after == before + 1 == len(rows(store, "dataset"))


def test_labels_tell_who_how_and_with_which_probability(store: Store) -> None:
    helpfulness = [r for r in rows(store, "labels") if r["dimension"] == "helpfulness"]
    assert len(helpfulness) == 8
    blind = [r for r in helpfulness if r["mode"] == "blind"]
    assisted = [r for r in helpfulness if r["mode"] == "assisted"]
    # Three systems with two dialogues each, four drawn of six: whatever the strata, a probability is known for each.
    assert {r["annotator"] for r in blind} == {"ann", "ben"}
    assert all(0 < r["probability"] <= 1 and r["stream"] == "audit" for r in helpfulness)
    assert all(not r["saw"] and r["seen"] is None for r in blind)
    assert all(r["saw"] and r["seen"] == "2" for r in assisted)
    assert {(r["value"], r["code"]) for r in helpfulness} == {("4", 4.0), ("2", 2.0)}
    words = {r["value"] for r in rows(store, "labels") if r["dimension"] == "verdict"}
    assert words == {"excellent", "borderline"}, "codes 3 and 1 of poor, borderline, good, excellent"


def test_people_have_the_same_other_name_in_every_export(fresh_store: Store) -> None:
    store = fresh_store
    with_names = rows(store, "labels")
    first = rows(store, "labels", names=False)
    # In the order in which the workspace came to know them: lea, ann, ben.
    assert {(a["annotator"], b["annotator"]) for a, b in zip(with_names, first, strict=True)} == {
        ("ann", "person-2"),
        ("ben", "person-3"),
    }
    people.join_workspace(store, "aaron")
    assert rows(store, "labels", names=False) == first


def test_gold_says_how_it_came_about_and_scores_by_whom(store: Store) -> None:
    judge = datasets.dataset_judges(store, demo(store).id)[0][0]
    gold = [r for r in rows(store, "gold", judge=judge) if r["dimension"] == "helpfulness"]
    # ann says 4 and ben 2: the lower median of the two is 2, and the judge says 2.
    assert {(r["value"], r["how"], r["people"], r["low"], r["high"], r["judge_value"]) for r in gold} == {
        ("2", "median", 2, 2.0, 4.0, "2")
    }
    scores = rows(store, "scores", dimension="verdict")
    assert len(scores) == 6 and {r["value"] for r in scores} == {"good"}
    judges = {(r["card"], r["model"], r["judge"], bool(r["card_version"])) for r in scores}
    assert judges == {("multi_turn_dialogue", "judge-one", judge, True)}


@pytest.mark.slow
def test_a_dataset_goes_in_again_with_the_same_gold_and_fingerprints(store: Store, tmp_path: Path) -> None:
    again = open_store(f"duckdb:///{tmp_path}/b.duckdb")
    people.join_workspace(again, "lea")
    for name in ("demo", "pairs"):
        file = export_file(store, tmp_path / f"{name}.jsonl", "dataset", name)
        done = import_source(again, "lea", from_path(file), ImportPlan(name, sampling="random"))
        assert not done.preview.rejected
        dataset, copy = demo(store, name), demo(again, name)
        assert rows(store, "gold", name) == rows(again, "gold", name)
        [(a, *_)], [(b, *_)] = datasets.dataset_judges(store, dataset.id), datasets.dataset_judges(again, copy.id)
        for d in calibration.compared_dimensions(store, a):
            for basis in ("imported", "blind", "assisted", "all"):
                exported, imported = (
                    check_results.fingerprint_cells(s, i, j, d, basis)
                    for s, i, j in ((store, dataset.id, a), (again, copy.id, b))
                )
                assert exported == imported
        figures = [
            check_results.summaries(s, i, j, "imported") for s, i, j in ((store, dataset.id, a), (again, copy.id, b))
        ]
        assert [f.interval for f in figures[0]] == [f.interval for f in figures[1]]
    again.close()


def test_what_was_not_drawn_at_random_stays_so_when_it_comes_back(store: Store, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in export_file(store, tmp_path / "d.jsonl", "dataset").read_text().splitlines()]
    lines = [{**line, "probability": None} if "annotator" in line else line for line in lines]
    again = open_store(f"duckdb:///{tmp_path}/c.duckdb")
    people.join_workspace(again, "lea")
    import_source(
        again, "lea", from_path(seeds.lines(tmp_path / "e.jsonl", lines)), ImportPlan("demo", sampling="random")
    )
    judge = datasets.dataset_judges(again, demo(again).id)[0][0]
    bases = calibration.basis_sizes(again, demo(again).id, calibration.compared_dimensions(again, judge))
    assert bases["gate"].labels == bases["imported"].labels == 0 < bases["blind"].labels
    again.close()


def test_better_turns_become_preferences_forked_before_the_turn(fresh_store: Store) -> None:
    store = fresh_store
    one, other = [str(r[0]) for r in store.rows("select id from item where kind = 'dialogue' order by name limit 2")]
    weakest = {("conversation", "weakest_turn"): 2.0}
    last = [str(r[0]) for r in store.rows("select id from answer_now where item_id = $1 and person = 'ann'", [one])]
    repairs = [
        {"unit": "turn:2", "text": "  改めて、返金を始めます。\n\nDone.  "},
        {"unit": "turn:1", "text": "Hello!"},
    ]
    answer(store, "ann", one, 4.0, version=last[0] if last else "", repairs=repairs, cells=weakest)
    unchanged = {"unit": "turn:1", "text": "assistant says thing 1 of dialogue 2."}
    before = [str(r[0]) for r in store.rows("select id from answer_now where item_id = $1 and person = 'ann'", [other])]
    answer(store, "ann", other, 4.0, version=before[0] if before else "", repairs=[unchanged])
    first, second = rows(store, "preference_turns")
    assert first["prompt"] == [{"role": "user", "content": FIRST_TEXT}]
    assert first["chosen"] == [{"role": "assistant", "content": "Hello!"}]
    assert first["rejected"] == [{"role": "assistant", "content": "assistant says thing 1 of dialogue 1. "}]
    assert [m["role"] for m in second["prompt"]] == ["user", "assistant", "user"]
    assert second["chosen"][0]["content"] == "改めて、返金を始めます。\n\nDone."
    assert [r["weakest"] for r in (first, second)] == [False, True]
    assert rows(store, "preference_turns", weakest=True) == [second]
    assert first["annotator"] == "person-2" and rows(store, "preference_turns", names=True)[0]["annotator"] == "ann"
    assert rows(store, "preference_turns", scenario=True)[0]["prompt"][0] == {
        "role": "system",
        "content": "Customer 1 wants order 37 refunded.",
    }


def test_the_weakest_turn_takes_anybodys_rewrite_and_forks_without_one_are_marked(fresh_store: Store) -> None:
    store = fresh_store
    first, second, third = [
        str(r[0]) for r in store.rows("select id from item where kind = 'dialogue' order by name")
    ][:3]

    def say(person: str, item: str, turn: int, repairs: list[Json] | None = None) -> None:
        last = store.rows("select id from answer_now where item_id = $1 and person = $2", [item, person])
        answer(
            store, person, item, 4.0, version=str(last[0][0]) if last else "", repairs=repairs or [],
            cells={("conversation", "weakest_turn"): float(turn)},
        )  # fmt: skip

    say("ann", first, 2)
    say("ben", first, 2, [{"unit": "turn:2", "text": "Ben's."}, {"unit": "turn:3", "text": "Not the weakest."}])
    say("lea", first, 3)  # two of three say turn 2: that is gold, whoever wrote it better
    say("ann", second, 3)
    say("ann", third, 0)
    rewrites = rows(store, "preference_turns", weakest=True, names=True)
    assert [(r["item"], r["unit"], r["annotator"]) for r in rewrites] == [("d-0001", "turn:2", "ben")]
    both = rows(store, "preference_turns", weakest=True, unwritten=True)
    assert [(r["item"], r["unit"], r["written"], r["weakest"]) for r in both] == [
        ("d-0001", "turn:2", True, True), ("d-0002", "turn:3", False, True)
    ]  # fmt: skip
    assert (both[1]["chosen"], both[1]["annotator"]) == (None, None) and both[1]["prompt"][-1]["role"] == "user"
    judge = datasets.dataset_judges(store, demo(store).id)[0][0]
    judged = store.rows("select value from score_now where dimension = 'weakest_turn' and value > 0")
    by = rows(store, "preference_turns", weakest_by=judge, unwritten=True, weakest=True)
    assert len([r for r in by if not r["written"]]) + len({r["item"] for r in by if r["written"]}) == len(judged)
    kind = exporting.export_kind("preference_turns")
    assert kind.shown_judges({"weakest_by": judge}) == (False, judge), "whoever takes it has seen what the judge said"
    assert kind.shown_judges({"weakest_by": ""}) == (False, "")


def test_calls_of_tools_go_out_as_they_came_in(tmp_path: Path) -> None:
    def call(n: int, name: str, arguments: str) -> Json:
        return {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}

    chat = [
        to_message("user", "Where is it warmer?"),
        to_message("assistant", "")
        | {"tool_calls": [call(1, "weather", '{"city": "東京"}'), call(2, "weather", "{}")]},
        to_message("tool", "9") | {"name": "weather", "tool_call_id": "call_1"},
        to_message("tool", "3") | {"name": "weather", "tool_call_id": "call_2"},
        to_message("assistant", "") | {"tool_calls": [call(3, "say", "{}")]},
        to_message("tool", "") | {"name": "say", "tool_call_id": "call_3"},
        to_message("assistant", "In Tokyo."),
        to_message("user", "Thanks."),
        to_message("assistant", "You are welcome."),
    ]
    dialogue = ITEM.validate_python(to_dialogue({"id": "t", "messages": chat})[0])
    assert isinstance(dialogue, Dialogue) and item_messages(dialogue) == chat and is_trainable(chat)
    before = split_at_unit(dialogue, "turn:1")
    assert before == (chat[:6], "In Tokyo.") and is_trainable(before[0])
    assert not is_trainable(
        [to_message("assistant", "") | {"tool_calls": []}, to_message("tool", "9"), to_message("assistant", "a")]
    )
    calls = [to_message("assistant", "") | {"tool_calls": [1]}, to_message("tool", "9")]
    exchange = [to_message("user", "Why?"), to_message("assistant", "So.")]
    assert is_trainable(exchange[:1] + calls + exchange[1:]) and not is_trainable(calls + exchange), (
        "nobody has asked yet"
    )
    greeting = Dialogue.model_validate({"id": "g", "kind": "dialogue", "scenario": "A call.", "turns": [
        {"turn": 1, "role": "assistant", "text": "Hello."}, {"turn": 2, "role": "user", "text": "Hi."},
        {"turn": 2, "role": "assistant", "text": "How can I help?"}]})  # fmt: skip
    assert split_at_unit(greeting, "turn:1") is split_at_unit(greeting, "turn:1", scenario=True) is None
    only = to_dialogue(
        {"id": "o", "messages": [*chat[:4], to_message("user", "And?"), to_message("assistant", "No.")]}
    )[0]
    assert not is_trainable(item_messages(ITEM.validate_python(only))), "nobody answered the first question"
    item = {"kind": "dialogue", "id": "f", "turns": [
        {"turn": 1, "role": "user", "text": "Why?"}, {"turn": 1, "role": "assistant", "text": "So."},
        {"turn": 2, "role": "user", "text": "And?"}, {"turn": 2, "role": "assistant", "text": " "}]}  # fmt: skip
    both = ("turn:1", "turn:2")
    forks = {unit: preference_turns._fork_row(json.dumps(item), unit, {"scenario": False}) for unit in both}
    assert forks["turn:1"] and forks["turn:1"]["rejected"] == [to_message("assistant", "So.")] and not forks["turn:2"]
    last = f"turn:{only['turns'][-1]['turn']}"
    assert preference_turns._fork_row(json.dumps(only), last, {"scenario": False}) is None
    kind = replace(
        exporting.export_kind("chats"), columns=pa.schema([exporting.export_kind("chats").columns.field("messages")])
    )
    files.write_rows([{"messages": chat}], kind, "parquet", tmp_path / "a.parquet", lambda _: None)
    [row] = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert [{k: v for k, v in m.items() if v is not None} for m in row["messages"]] == chat


def test_calls_and_results_of_tools_are_messages_whatever_is_missing() -> None:
    def messages(*entries: tuple[str, str, str]) -> list[Json]:
        turns = [{"turn": 1, "role": role, "text": text} | ({"name": name} if name else {}) for role, text,
                                                            name in entries]
        last = {"turn": 2, "role": "assistant", "text": "End."}
        return item_messages(Dialogue.model_validate({"id": "d", "kind": "dialogue", "turns": [*turns, last]}))[:-1]

    def call_message(*calls: tuple[int, str, str]) -> Json:
        return to_message("assistant", "") | {"tool_calls": [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}} for n, name,
            arguments in calls
        ]}  # fmt: skip

    def tool_reply(text: str, **fields: str) -> Json:
        return to_message("tool", text) | fields

    ask, f, g = ("user", "Q", ""), ("tool", "f(1)", "f"), ("tool", "g()", "g")
    question = to_message("user", "Q")
    assert messages(ask, f, ("assistant", "", "")) == [question, call_message((1, "f", "1"))]
    assert messages(ask, f, ("assistant", " A ", "")) == [
        question, call_message((1, "f", "1")), to_message("assistant", " A ")
    ]  # fmt: skip
    assert messages(ask, ("assistant", "", "")) == [question, to_message("assistant", "")]
    assert messages(("assistant", " ", ""), ask) == [to_message("assistant", " "), question]
    assert messages(ask, f, g, ("tool", "G", "g"), ("tool", "F", "f"), ("tool", "X", "f"), ("assistant", "", "")) == [
        question, call_message((1, "f", "1"), (2, "g", "")), tool_reply("G", name="g", tool_call_id="call_2"),
        tool_reply("F", name="f", tool_call_id="call_1"), tool_reply("X", name="f"),
    ]  # fmt: skip
    assert messages(ask, f, ("tool", "F", ""), ("tool", "Y", ""), g) == [
        question, call_message((1, "f", "1")), tool_reply("F", name="f", tool_call_id="call_1"), tool_reply("Y"),
        call_message((2, "g", "")),
    ]  # fmt: skip
    assert messages(ask, ("tool", "f(1", "f"), ("tool", "h()", "f")) == [question, tool_reply("f(1", name="f"),
                    tool_reply("h()", name="f")]


def test_preferences_of_pairs_leave_ties_out(store: Store) -> None:
    preferences = rows(store, "preference_pairs", "pairs")
    assert [(r["item"], r["chosen"][0]["content"], r["rejected"][0]["content"]) for r in preferences] == [
        ("p1", "First 1.", "Second 1."),
        ("p2", "Second 2.", "First 2."),
    ]
    assert {tuple(m["role"] for m in r["prompt"]) for r in preferences} == {("user",)}
    assert [(r["chosen_system"], r["rejected_system"]) for r in preferences] == [("x", "y"), ("y", "x")]


def test_ratings_of_pairs_that_choose_no_side_are_no_preferences(fresh_store: Store, tmp_path: Path) -> None:
    answers = {"kind": "ordinal", "lo": 0, "hi": 2}
    recipe = {"name": "zz_alike", "title": "Alike", "kind": "pair", "dimensions": [
        {"name": "likeness", "unit": "pair", "definition": "How alike they are.", "answers": answers}]}  # fmt: skip
    spec = from_recipe(check_recipe(recipe)).spec
    lines = [{"card": spec}, pair("r1", a="First.", b="Second."), label("r1", 1, dimension="likeness")]
    import_source(
        fresh_store, "lea", from_path(seeds.lines(tmp_path / "r.jsonl", lines)), ImportPlan("alike", sampling="all")
    )
    assert fresh_store.rows("select value from label where dimension = 'likeness'") == [(1.0,)]
    assert rows(fresh_store, "preference_pairs", "alike") == []


def test_a_judges_verdicts_are_given_out_only_where_it_is_approved(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge = datasets.dataset_judges(store, demo(store, "pairs").id)[0][0]
    with pytest.raises(BadInput, match="not approved for verdict on pairs"):
        export_file(store, tmp_path / "no.jsonl", "preference_pairs", "pairs", by_judge=judge)
    assert not list(tmp_path.iterdir())
    key = (demo(store, "pairs").id, judge, "pair", "verdict")
    approval = type("Held", (), {"key": key, "requirements": policy.requirements(store), "at": now()})
    active_approvals: Callable[..., list[Approval]] = lambda *_: [approval]  # type: ignore[list-item]  # noqa: E731
    monkeypatch.setattr("data.approvals.approvals.active_approvals", active_approvals)
    assert [r["item"] for r in rows(store, "preference_pairs", "pairs", by_judge=judge)] == ["p1", "p2", "p3", "p4"]


def test_verdicts_of_other_judges_and_other_datasets_do_not_go_out_with_an_approved_one(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    more = [verdict(f"p{n}", "a", model="unapproved") for n in range(1, 5)]
    import_source(fresh_store, "lea", from_path(seeds.lines(tmp_path / "more.jsonl", more)), ImportPlan("pairs"))
    other_rows = [pair("q1", a="First q.", b="Second q."), verdict("q1", "a")]
    import_source(fresh_store, "lea", from_path(seeds.lines(tmp_path / "apart.jsonl", other_rows)), ImportPlan("apart"))
    dataset = demo(fresh_store, "pairs").id
    [judge] = [key for key, model, *_ in fresh_store.rows("select id, model from judge where card = 'plain_pairwise'")
               if model == "m"]  # fmt: skip
    key = (dataset, judge, "pair", "verdict")
    approval = type("Held", (), {"key": key, "requirements": policy.requirements(fresh_store), "at": now()})
    monkeypatch.setattr("data.approvals.approvals.active_approvals", lambda *_: [approval])
    preferences = rows(fresh_store, "preference_pairs", "pairs", by_judge=judge)
    # The approved judge found b better of all four pairs; another one, whom nobody has approved, found a.
    assert [(r["item"], r["chosen"][0]["content"]) for r in preferences] == [
        (f"p{n}", f"Second {n}.") for n in range(1, 5)
    ]
    assert {(r["judge"], r["dimension"]) for r in preferences} == {(judge, "verdict")}


def test_what_other_cards_ask_of_pairs_stops_no_verdicts_of_an_approved_judge(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"kind": "unordered", "categories": ["a", "b", "tie"]}
    recipe = {"name": "aa_style", "title": "Style", "kind": "pair", "dimensions": [
        {"name": "style", "unit": "pair", "definition": "Which is better written?", "answers": answers}]}  # fmt: skip
    cards.save_card(fresh_store, "lea", recipe)
    dataset = demo(fresh_store, "pairs")
    judge = datasets.dataset_judges(fresh_store, dataset.id)[0][0]
    with pytest.raises(BadInput, match="not approved for verdict on pairs"):
        rows(fresh_store, "preference_pairs", "pairs", by_judge=judge)
    key = (dataset.id, judge, "pair", "verdict")
    approval = type("Held", (), {"key": key, "requirements": policy.requirements(fresh_store), "at": now()})
    monkeypatch.setattr("data.approvals.approvals.active_approvals", lambda *_: [approval])
    preferences = rows(fresh_store, "preference_pairs", "pairs", by_judge=judge)
    assert [(r["item"], r["dimension"]) for r in preferences] == [(f"p{n}", "verdict") for n in range(1, 5)]


def test_one_turn_below_the_answer_keeps_a_chat_out(fresh_store: Store) -> None:
    gold = {0: (5.0, 5.0), 1: (5.0, 3.0), 2: (4.0, 4.0), 3: (3.0, 3.0), 4: (4.0, 5.0)}
    cells = [Cell(n, f"turn:{t}", (v,), v, "blind", 0.5) for n, both in gold.items() for t, v in enumerate(both, 1)]
    fill(fresh_store, cells, "turns")
    chat_rows = rows(fresh_store, "chats", "turns", by="helpfulness", least="4", basis="gate")
    values = [(r["item"], r["value"], r["units"]) for r in chat_rows]
    assert values == [("item 0", "5", 2), ("item 2", "4", 2), ("item 4", "4", 2)]
    best = rows(fresh_store, "chats", "turns", by="helpfulness", basis="gate")
    assert [r["item"] for r in best] == ["item 0"], "without an answer only the best is good enough"


def test_a_turn_that_waits_and_has_no_gold_until_then_keeps_a_chat_out(fresh_store: Store) -> None:
    people_say = {0: ((5.0, 5.0), (3.0, 5.0)), 1: ((5.0, 5.0), (5.0, 5.0))}
    cells = [
        Cell(n, f"turn:{t}", values, 4.0, "blind", 0.5) for n, turns in people_say.items()
        for t, values in enumerate(turns, 1)
    ]  # fmt: skip
    dataset, _ = fill(fresh_store, cells, "turns")
    for waiting, items in (("counted", ["item 0", "item 1"]), ("out", ["item 1"])):
        set_gold_rule(fresh_store, "lea", dataset, GoldRule(apart=1, waiting=waiting))  # type: ignore[arg-type]
        chats = rows(fresh_store, "chats", "turns", by="helpfulness", least="3", basis="gate")
        assert [(r["item"], r["units"]) for r in chats] == [(item, 2) for item in items]


def test_a_chat_ends_with_what_the_assistant_said(fresh_store: Store) -> None:
    messages = [("user", "A?"), ("assistant", "B."), ("user", "Thanks.")]
    turns = [{"turn": 1 + n // 2, "role": role, "text": text} for n, (role, text) in enumerate(messages)]
    item = {"id": "d", "kind": "dialogue", "scenario": "", "turns": turns}
    bring(fresh_store, [item, label("d", 5, unit="turn:1", dimension="helpfulness")])
    [chat] = rows(fresh_store, "chats", "d", by="helpfulness", basis="all")
    assert [(m["role"], m["content"]) for m in chat["messages"]] == messages[:2]


def test_chats_are_those_that_reach_the_answer(store: Store) -> None:
    # The gold of the verdict is the lower median of excellent (3) and borderline (1).
    assert rows(store, "chats", basis="gate") == []
    chat_rows = rows(store, "chats", basis="gate", least="borderline")
    assert chat_rows and {r["value"] for r in chat_rows} == {"borderline"}
    assert [m["role"] for m in chat_rows[0]["messages"]] == ["user", "assistant"] * 3
    assert {r["item"] for r in rows(store, "chats", by="helpfulness", least="3", basis="gate")} == set()
    with pytest.raises(BadInput, match="allowed are poor, borderline, good, excellent"):
        rows(store, "chats", least="splendid")
    with pytest.raises(BadInput, match="'sparkle' is not a dimension"):
        rows(store, "chats", by="sparkle")


def test_chats_are_chosen_by_a_judge_only_where_it_is_approved(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge = datasets.dataset_judges(store, demo(store).id)[0][0]
    with pytest.raises(BadInput, match=r"not approved for helpfulness on demo: no chats are chosen by its scores\."):
        export_file(store, tmp_path / "no.jsonl", "chats", by_judge=judge, by="helpfulness")
    key = (demo(store).id, judge, "turn", "helpfulness")
    approval = type("Held", (), {"key": key, "requirements": policy.requirements(store), "at": now()})
    monkeypatch.setattr("data.approvals.approvals.active_approvals", lambda *_: [approval])
    chat_rows = rows(store, "chats", by_judge=judge, by="helpfulness", least="2")
    low = dict(store.rows("select i.name, min(s.value) from score_now s join item i on i.id = s.item_id "
                          "where s.dimension = 'helpfulness' group by i.name"))  # fmt: skip
    assert [r["item"] for r in chat_rows] == sorted(name for name, value in low.items() if value >= 2) and chat_rows
    assert {(r["judge"], r["basis"], r["units"]) for r in chat_rows} == {(judge, None, 3)}
    assert rows(store, "chats", by_judge=judge, by="helpfulness") == []
    with pytest.raises(BadInput, match="not approved for verdict"):
        rows(store, "chats", by_judge=judge)


def test_a_turn_of_which_the_judges_reply_could_not_be_used_keeps_a_chat_out(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a chat was given out by its other turns."""
    cells = [Cell(n, f"turn:{t}", (), 5.0) for n in range(2) for t in range(1, 3 - n)]
    dataset, judge = fill(fresh_store, cells, "turns")
    reply = JudgmentRow(new_id(), judge, content_id("turns", 1), "turn:2", 0, "", "refused", "no answer")
    fresh_store.tx("test", "reply", lambda tx: tx.append([reply]))
    key = (dataset, judge, "turn", "helpfulness")
    approval = type("Held", (), {"key": key, "requirements": policy.requirements(fresh_store), "at": now()})
    monkeypatch.setattr("data.approvals.approvals.active_approvals", lambda *_: [approval])
    chat_rows = rows(fresh_store, "chats", "turns", by_judge=judge, by="helpfulness")
    assert [(r["item"], r["units"]) for r in chat_rows] == [("item 0", 2)]


def test_pairs_that_no_template_takes_are_left_out(empty_store: Store) -> None:
    pairs: list[Json] = [
        pair("p0", a="One.", b=" One. "), pair("p1", a=" ", b="Two."), pair("p2", a="One.", b=""),
        {**pair("p3"), "input": " "}, pair("p4", a=None, b="Two."), pair("p5", a="One.", b=None),
        {**pair("p6"), "input": [{"turn": 1, "role": "user", "text": "Q"},
        {"turn": 1, "role": "assistant", "text": "A"},
                                 {"turn": 2, "role": "user", "text": "R"}]},
        pair("p7"),
    ]  # fmt: skip
    bring(empty_store, [seeds.dialogue(1), *pairs, *(label(f"p{n}", "a") for n in range(8))])
    assert [(r["item"], r["prompt"]) for r in rows(empty_store, "preference_pairs", "d")] == [
        ("p6", [to_message("user", "Q"), to_message("assistant", "A"), to_message("user", "R")]),
        ("p7", [to_message("user", "Why?")]),
    ]


def test_so_many_examples_are_given_as_are_asked_for(empty_store: Store) -> None:
    items = [seeds.dialogue(n) for n in range(1, 4)]
    judged = [seeds.judgment(item, seeds.reply(item, helpfulness=2)) for item in items]
    human_labels = [
        label(item["id"], 5, unit=f"turn:{turn}", dimension="helpfulness", mode="assisted")
        for item in items for turn in (1, 2)
    ]  # fmt: skip
    bring(empty_store, [*items, *judged, *human_labels])
    for limit, count in ((2, 2), (0, 3)):
        examples = rows(empty_store, "examples", "d", card="multi_turn_dialogue", few=limit)
        assert [row["item"] for row in examples] == [f"d-000{n}" for n in range(1, count + 1)]
        assert {row["shows"] for row in examples} == {"as people have it: helpfulness (2 ratings)"}


def test_what_an_export_shows_of_judges_and_people_follows_from_its_kind_and_options(store: Store) -> None:
    judge = datasets.dataset_judges(store, demo(store).id)[0][0]
    names = {row["id"] for row in rows(store, "items")}
    exposures = {
        kind.name: set().union(*exporting.answers_in_rows(store, demo(store), kind, {}, names).values())
        for kind in exporting.export_kinds().values()
    }
    people, both = {exposure.OTHER_PEOPLE}, {exposure.OTHER_PEOPLE, judge}
    assert exposures == {
        "items": set(), "judgments": {judge}, "scores": {judge}, "samples": {judge}, "gold": people,
        "adjudications": people, "labels": both, "dataset": both, "examples": both, "candidates": both,
        "preference_pairs": people, "preference_turns": people, "chats": people,
    }  # fmt: skip
    for name, option in (("gold", "judge"), ("preference_turns", "weakest_by"), ("preference_pairs", "by_judge")):
        answers = exporting.answers_in_rows(store, demo(store), exporting.export_kind(name), {option: judge}, names)
        assert set().union(*answers.values()) == both and len(answers) == len(names)
    assert exporting.answers_in_rows(store, demo(store), exporting.export_kind("labels"), {}, set()) == {}


def test_candidates_come_with_their_reasons(store: Store) -> None:
    candidates = rows(store, "candidates")
    disputed = [r for r in candidates if r["disputed"]]
    assert {"turn 1 helpfulness: people say 2 and 4"} <= {text for r in disputed for text in r["reasons"]}
    assert [r["need"] for r in candidates] == sorted((r["need"] for r in candidates), reverse=True)
    assert len(rows(store, "candidates", most=1)) == 1
    first = {r["item"]: r["messages"][0] for r in candidates}["d-0001"]
    assert first == {"role": "user", "content": FIRST_TEXT}, "the chat alone: its scenario is in the content"


def test_candidates_are_exactly_those_found_low_or_disputed(fresh_store: Store) -> None:
    people_say = {0: (2.0, 2.0), 1: (3.0, 3.0), 2: (3.0, 5.0), 3: (3.0, 4.0), 4: (1.0, 3.0), 5: (5.0, 5.0)}
    fill(fresh_store, [Cell(n, "turn:1", values, 4.0, "blind", 0.5) for n, values in people_say.items()], "few")
    candidates = rows(fresh_store, "candidates", "few", basis="gate")
    # Low is 1 + a quarter of the four steps, 2, and below; two steps apart is disputed. Of two labels the lower counts.
    # What is worth collecting: 1 - .2 of a low one, 1 - .5 of a disputed one, and 1 - .2 x .5 of both.
    assert [(r["item"], r["need"], r["low"], r["disputed"], r["doubted"], r["reasons"]) for r in candidates] == [
        ("item 4", 0.9, True, True, False,
         ["turn 1 helpfulness is 1", "turn 1 helpfulness: people say 1 and 3"]),
        ("item 0", 0.8, True, False, False, ["turn 1 helpfulness is 2"]),
        ("item 2", 0.5, False, True, False, ["turn 1 helpfulness: people say 3 and 5"]),
    ]  # fmt: skip


def test_what_waits_for_adjudication_is_disputed_though_it_has_no_gold_until_then(fresh_store: Store) -> None:
    people_say = {0: (1.0, 5.0), 1: (1.0, 1.0), 2: (3.0, 3.0)}
    cells = [Cell(n, "turn:1", values, 4.0, "blind", 0.5) for n, values in people_say.items()]
    dataset, _ = fill(fresh_store, cells, "few")
    set_gold_rule(fresh_store, "lea", dataset, GoldRule(apart=1, waiting="out"))
    assert [r["item"] for r in rows(fresh_store, "gold", "few", basis="gate")] == ["item 1", "item 2"]
    candidates = rows(fresh_store, "candidates", "few", basis="gate")
    assert [(r["item"], r["low"], r["disputed"], r["reasons"]) for r in candidates] == [
        ("item 1", True, False, ["turn 1 helpfulness is 1"]),
        ("item 0", False, True, ["turn 1 helpfulness: people say 1 and 5"]),
    ]


def test_who_may_export_and_that_it_stands_on_the_trail(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        export_file(store, tmp_path / "no.jsonl", "items", actor="ann")
    with pytest.raises(NotAllowed):
        exporting.preview_export(store, "ann", demo(store), exporting.export_kind("items"), {})
    with pytest.raises(BadInput, match="only be JSON lines"):
        export_file(store, tmp_path / "no.csv", "dataset")
    with pytest.raises(BadInput, match="has no option judge"):
        export_file(store, tmp_path / "no.jsonl", "items", judge="x")
    with pytest.raises(BadInput, match="Judge: 'nobody' is not there"):
        export_file(store, tmp_path / "no.jsonl", "scores", judge="nobody")
    assert not list(tmp_path.iterdir())
    export_file(store, tmp_path / "yes.jsonl", "scores", judge="judge-one")
    query = (
        "select e.kind, e.settings, e.lines, c.actor from export e join change c on c.seq = e.seq order by e.seq desc"
    )
    kind, options, lines, actor = store.rows(query)[0]
    judge = datasets.dataset_judges(store, demo(store).id)[0][0]
    assert (kind, lines, actor) == ("scores", 84, "rex"), "six dialogues of 3 x 3 turn scores and 5 of the conversation"
    assert json.loads(options) == {"format": "jsonl", "judge": judge, "dimension": ""}


def test_what_very_many_items_show_is_on_record_by_small_changes_before_the_file_is_there(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One change would hold a row for each judgment in memory, and the lock for as long."""
    monkeypatch.setattr(exporting, "_ITEMS_PER_CHANGE", 2)
    really, parts, file = exposure.add_exposures, list[int](), tmp_path / "scores.jsonl"

    def add_exposures(tx: Tx, person: str, judges_by_item: Mapping[str, Collection[str]], route: str) -> int:
        parts.append(len(judges_by_item))
        assert not file.exists()
        return really(tx, person, judges_by_item, route)

    monkeypatch.setattr(exposure, "add_exposures", add_exposures)
    demo, before = datasets.dataset_named(fresh_store, "demo"), fresh_store.newest()
    done = exporting.write_export(fresh_store, "rex", demo, exporting.export_kind("scores"), {}, "jsonl", file)
    assert parts == [2, 2, 2] and done.lines and file.exists()
    changes = fresh_store.rows("select action, count(*) from change where seq > $1 group by 1 order by 1", [before])
    assert changes == [("export", 1), ("exposure", 2)]
    exposed = fresh_store.rows("select distinct item_id from exposure where person = 'rex' and route = 'export'")
    assert set(exposed) == set(fresh_store.rows("select id from item where dataset_id = $1", [demo.id]))


def test_csv_runs_nothing_in_a_spreadsheet_and_the_others_keep_every_text(tmp_path: Path) -> None:
    kind = exporting.export_kind("items")
    items = [
        {"id": "=1+1", "kind": "response", "task": "+x", "output": "-y\n@z", "reference": "@SUM(1)",
         "meta": {"a": "話"}}
    ]  # fmt: skip
    for format in ("csv", "jsonl", "parquet"):
        assert files.write_rows(iter(items), kind, format, tmp_path / f"a.{format}", lambda _: None) == 1
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        [cells] = csv.DictReader(file)
    assert (cells["id"], cells["task"], cells["output"], cells["reference"]) == ("'=1+1", "'+x", "'-y\n'@z", "'@SUM(1)")
    assert cells["meta"] == '{"a": "話"}' and cells["scenario"] == ""
    assert json.loads((tmp_path / "a.jsonl").read_text())["id"] == "=1+1"


def test_the_command_writes_the_same_file_and_refuses_in_sentences(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    same = export_file(fresh_store, tmp_path / "same.csv", "scores", judge="judge-one").read_bytes()
    fresh_store.close()
    monkeypatch.setenv("ASSAY_STORE", fresh_store.url)
    file = tmp_path / "scores.csv"
    call = ["export", "--dataset", "demo", "--kind", "scores", "--judge", "judge-one", "--out", str(file)]
    assert main(call) == 0
    output = capsys.readouterr()
    assert file.read_bytes() == same
    assert output.out == f"Wrote 84 rows (judges' scores) to {file}.\n"
    assert output.err.endswith('rows = load_dataset("csv", data_files="scores.csv", split="train")\n')
    assert main(call) == 1 and "is there already" in capsys.readouterr().err
    assert main([*call, "--force", "--as", "ann"]) == 1 and "needs the role researcher" in capsys.readouterr().err
    assert main([*call, "--few", "3", "--force"]) == 1 and "has no option few" in capsys.readouterr().err
    nothing = tmp_path / "none.csv"
    assert main(["export", "--dataset", "demo", "--kind", "adjudications", "--out", str(nothing)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "There is nothing of this kind in the dataset: the file holds no row."
    ]
    assert main(["export", "--kind", "list"]) == 0
    assert capsys.readouterr().out.count("\n") > len(exporting.export_kinds())


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30).filter(
    lambda text: text.strip()
)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Store, Path]]:
    """Two workspaces and a folder."""
    folder = tmp_path_factory.mktemp("any")
    one, other = (open_store(f"duckdb:///{folder}/{n}.duckdb") for n in (1, 2))
    for store in (one, other):
        people.join_workspace(store, "lea")
    yield one, other, folder
    one.close()
    other.close()


@settings(max_examples=8)
@given(
    texts=st.lists(TEXTS, min_size=2, max_size=6),
    meta=st.dictionaries(TEXTS, st.integers(-(2**53), 2**53) | TEXTS, max_size=2),
)
def test_any_item_goes_out_and_in_unchanged(two: tuple[Store, Store, Path], texts: list[str], meta: Json) -> None:
    one, other, folder = two
    scenario, text, *more = texts
    items = [
        {"id": "d", "kind": "dialogue", "scenario": scenario, "meta": meta, "turns": [
            {"turn": n, "role": role, "text": words}
            for n, words in enumerate(texts, 1) for role in ("user", "assistant")]},
        {"id": "r", "kind": "response", "task": scenario, "output": text, "reference": "".join(more)},
        {"id": "p", "kind": "pair", "input": scenario, "response_a": {"text": text}, "response_b": {"text": None}},
        {"id": "s", "kind": "pair", "input": scenario, "response_a": {"text": text}, "response_b": {"text": text},
         "sections": [{"label": "Own cut", "a": [0, len(text)], "b": None}]},
    ]  # fmt: skip
    name = new_id()
    import_source(one, "lea", from_path(seeds.lines(folder / "in.jsonl", items)), ImportPlan(name))
    import_source(
        other, "lea", from_path(export_file(one, folder / "out.jsonl", "items", name, actor="lea")), ImportPlan(name)
    )
    query = "select name, content, hash, meta from item where dataset_id = $1 order by name"
    assert one.rows(query, [demo(one, name).id]) == other.rows(query, [demo(other, name).id])


@pytest.mark.parametrize("format", files.FORMATS)
def test_calls_of_tools_go_out_and_in_unchanged_in_every_format(
    two: tuple[Store, Store, Path], format: files.Format
) -> None:
    one, other, folder = two
    turns = [
        {"turn": 1, "role": "user", "text": "Is it warm?"},
        {"turn": 1, "role": "tool", "name": "weather", "text": 'weather({"city": "東京"})'},
        {"turn": 1, "role": "tool", "name": "weather", "text": "9"},
        {"turn": 1, "role": "assistant", "text": "No."},
    ]
    items = [
        {"id": "d", "kind": "dialogue", "turns": turns},
        {"id": "p", "kind": "pair", "input": turns[:3], "response_a": {"text": "No."}, "response_b": {"text": "9"}},
    ]  # fmt: skip
    name = new_id()
    import_source(one, "lea", from_path(seeds.lines(folder / "in.jsonl", items)), ImportPlan(name))
    out = folder / f"tools.{format}"
    exporting.write_export(one, "lea", demo(one, name), exporting.export_kind("items"), {}, format, out)
    import_source(other, "lea", from_path(out), ImportPlan(name))
    query = "select name, content, hash from item where dataset_id = $1 order by name"
    assert one.rows(query, [demo(one, name).id]) == other.rows(query, [demo(other, name).id]) != []


@pytest.mark.parametrize(("roles", "texts", "expected"), [
    ("ua", "xx", True), ("sua", "xxx", True), ("uaua", "xxxx", True), ("u", "x", True), ("", "", False),
    ("s", "x", False), ("au", "xx", False), ("uua", "xxx", False), ("uaa", "xxx", False), ("usa", "xxx", False),
    ("ua", "x ", False), ("sua", " xx", False),
])  # fmt: skip
def test_only_chats_that_templates_take_are_given_out(roles: str, texts: str, expected: bool) -> None:
    named = {"u": "user", "a": "assistant", "s": "system"}
    chat = [to_message(named[role], text) for role, text in zip(roles, texts, strict=True)]
    assert is_trainable(chat) is expected


def test_the_lowest_answer_that_makes_a_chat_is_a_step_of_its_scale() -> None:
    known = {d.name: d for d in card("multi_turn_dialogue").dimensions}
    categorical, numeric = known["verdict"], known["repair_handling"]
    assert [chats._least(categorical, text) for text in ("", "poor", "excellent")] == [3.0, 0.0, 3.0]
    assert [chats._least(numeric, text) for text in ("", "4", "4.0")] == [5.0, 4.0, 4.0]
    lowest = "At least: n/a cannot be the lowest answer, because it has no place in the order."
    for text, message in (("n/a", lowest), ("9", "At least: ")):
        with pytest.raises(BadInput, match=f"^{message}"):
            chats._least(numeric, text)
    with pytest.raises(BadInput, match="'²' is not on the scale"):
        chats._least(numeric, "²")
    below = replace(numeric, scale=Scale("interval", lo=-2, hi=2, step=0.5))
    named = replace(categorical, scale=Scale("ordered", categories=("1", "2", "3")))
    assert [chats._least(below, text) for text in ("-1", "-1.5", "２", "")] == [-1.0, -1.5, 2.0, 2.0]
    assert [chats._least(named, text) for text in ("2", "")] == [1.0, 2.0]
    assert chats._names([numeric, categorical, numeric]) == "repair_handling, verdict" and chats._names([]) == "none"


def test_the_first_rows_are_for_researchers(store: Store) -> None:
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        exporting.preview_export(store, "ann", demo(store), exporting.export_kind("labels"), {})


def test_how_many_rows_an_export_has_is_for_researchers(store: Store) -> None:
    kind, dataset = exporting.export_kind("labels"), datasets.all_datasets(store)[0]
    with pytest.raises(NotAllowed):
        exporting.count_export(store, "nobody", dataset, kind, {})


def test_pages_of_gold_put_together_are_the_whole_export(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each begins behind the row with which the one before it ended, also within an item and at the next question."""
    monkeypatch.setattr(delivery, "_EXPECTED_ROWS_PER_ITEM", 0)
    monkeypatch.setattr(delivery, "_BATCH", 5)
    batches = list(delivery.stream_export(store, "rex", demo(store), "gold", {}))
    assert [len(batch) for batch in batches] == [5, 3]
    whole = [row for batch in batches for row in batch]
    assert len({row["dimension"] for row in whole}) == 2
    collected, cursor = list[Json](), ""
    for most, more in ((3, True), (3, True), (2, False)):
        page = delivery.export_page(store, "rex", demo(store), "gold", {}, cursor, most)
        collected, cursor = [*collected, *page.rows], page.next
        assert (len(page.rows), bool(cursor)) == (most, more)
    assert collected == whole


@pytest.mark.slow
@pytest.mark.parametrize("dimension", ["", "helpfulness", "verdict"])
def test_rows_of_gold_begin_with_an_item_of_a_dimension_and_none_before_it_is_made(
    store: Store, dimension: str
) -> None:
    kind, whole = exporting.export_kind("gold"), rows(store, "gold", dimension=dimension)
    assert kind.first is not None and len({row["dimension"] for row in whole}) == (1 if dimension else 2)
    options = complete_options(store, demo(store).id, kind, {"dimension": dimension})
    places = [(row["dimension"], row["item"]) for row in whole]
    for begin, place in zip(whole, places, strict=True):
        assert list(kind.first(store, demo(store), options, 99, begin)) == whole[places.index(place) :]


def test_a_page_has_so_many_rows_and_goes_on_from_a_cursor_of_its_own_question(store: Store) -> None:
    def page(most: int, cursor: str = "", **options: str) -> delivery.ExportPage:
        return delivery.export_page(store, "rex", demo(store), "labels", options, cursor, most)

    for most in (0, 10_001):
        with pytest.raises(BadInput, match=f"A page has 1 to 10,000 rows, not {most:,}"):
            page(most)
    assert len(page(1).rows) == 1 and page(10_000).next == ""
    cursor = page(1).next
    assert page(1, cursor).rows == rows(store, "labels")[1:2]
    of, key, times = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    for bad in ([of, key, str(times)], [of, key[:-1], times], [of, [*key[:-1], 7], times], [of, key], "x", [of, 1, 1]):
        with pytest.raises(BadInput, match="This cursor belongs to another request"):
            page(1, base64.urlsafe_b64encode(json.dumps(bad).encode()).decode())
    for other in ("?", cursor[:-2]):
        with pytest.raises(BadInput, match="This cursor belongs to another request"):
            page(1, other)
    with pytest.raises(BadInput, match="This cursor belongs to another request"):
        page(1, cursor, dimension="verdict")
    for missing in ([of, key, 2], [of, key, 0], [of, ["d-0000", *key[1:]], 1]):
        with pytest.raises(BadInput, match=r"no longer exists\. Start again without a cursor"):
            page(1, base64.urlsafe_b64encode(json.dumps(missing).encode()).decode())


def test_whoever_loses_the_role_while_an_export_is_written_does_not_get_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def set_role(role: Role) -> None:
        people.set_person(store, "lea", "rex", role)

    before = store.rows("select count(*) from export")
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        exporting.write_export(
            store, "rex", demo(store), exporting.export_kind("labels"), {}, "csv", tmp_path / "a.csv",
            lambda _: set_role("annotator"),
        )  # fmt: skip
    assert not (tmp_path / "a.csv").exists() and store.rows("select count(*) from export") == before
    set_role("researcher")
    monkeypatch.setattr(delivery, "_BATCH", 2)
    batches = delivery.stream_export(store, "rex", demo(store), "labels", {})
    assert len(next(batches)) == 2
    set_role("annotator")
    with pytest.raises(NotAllowed, match="needs the role researcher"):
        next(batches)
    for limit in (1, 0):
        with pytest.raises(NotAllowed, match="needs the role researcher"):
            delivery.export_page(store, "rex", demo(store), "labels", {}, limit=limit)
    [(rows_given,)] = store.rows("select lines from export order by seq desc limit 1")
    assert rows_given == 2
    set_role("researcher")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("all", "all"), ("j-12", "j-12"), ("j-1", "j-12"), ("gpt", "j-12"), ("0.5", "j-12"), ("o-7", "o-7"), ("gp", ""),
        ("", ""), ("-12", ""),
    ],
)  # fmt: skip
def test_a_value_of_an_option_is_one_of_some_by_its_beginning_or_its_name(
    store: Store, value: str, expected: str
) -> None:
    """What is no choice is none, also where there is only one that an empty text could mean."""
    known = {"j-12": "gpt · 0.5", "o-7": "other"}
    for choices in (known, dict(list(known.items())[:1])):
        option = ExportOption("judge", "Judge", "Whose scores.", "all", choices=lambda *_, known=choices: known)
        if expected in (*choices, "all"):
            assert resolve_option(store, "d", option, value) == expected
            continue
        with pytest.raises(BadInput, match=rf"^Judge: '{value}' is not there\. There are: gpt · 0\.5 \(j-12\)"):
            resolve_option(store, "d", option, value)
