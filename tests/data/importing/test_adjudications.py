"""Adjudications and the gold rule go out with a dataset and come in again: the same gold, and nothing by half."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.adjudication import adjudication, adjudication_items
from data.cli import main
from data.exporting import exporting
from data.gold import disputes
from data.gold.gold import BASES
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.records import datasets, people
from data.records.settings import GoldRule, gold_rule, set_gold_rule
from data.store import Store, open_store
from data.store.errors import AssayError
from data.store.ids import new_id
from data.trail import trail
from data.workspace.verify import verify
from tests.data.cells import Cell, fill
from tests.data.imports import adjudication_line, bring, counts, label, pair, source, workspace, wrong

Json = dict[str, Any]
RULE = {"gold_rule": {"resolve": "median", "apart": 0}}
BOTH = [pair(), label("p1", "a"), label("p1", "b", annotator="ben")]


def open_workspace(folder: Path) -> Store:
    """A new workspace with two who may adjudicate."""
    store = open_store(f"duckdb:///{folder}/s.duckdb")
    for name in ("lea", "res"):
        people.join_workspace(store, name)
    people.set_person(store, "lea", "res", "researcher")
    return store


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Store]]:
    """Two workspaces; the tests use datasets of their own."""
    stores = open_workspace(tmp_path_factory.mktemp("from")), open_workspace(tmp_path_factory.mktemp("to"))
    yield stores
    for store in stores:
        store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = workspace(tmp_path)
    yield store
    store.close()


def lines(store: Store, name: str, kind: str = "dataset", **options: Any) -> list[Json]:
    export = exporting.export_kind(kind)
    values = {o.name: options.get(o.name, o.default) for o in export.options}
    return list(export.rows(store, datasets.dataset_named(store, name), values))


def waits(store: Store, name: str) -> set[tuple[str, str, str]]:
    dataset = datasets.dataset_named(store, name).id
    return {(c.name, c.unit, c.dimension) for c in disputes.cells_to_adjudicate(store, dataset)}


def import_rows(store: Store, rows: list[Json], name: str, actor: str = "lea") -> Any:
    return import_source(store, actor, source(rows), ImportPlan(name, sampling="random"))


FIVE, FOUR = (1.0, 2.0, 3.0, 4.0, 5.0), (0.0, 1.0, 2.0, 3.0)
PLACES: dict[tuple[str, str], tuple[float | None, ...]] = {
    ("turn:1", "helpfulness"): FIVE, ("turn:2", "helpfulness"): FIVE,
    ("conversation", "verdict"): FOUR, ("conversation", "repair_handling"): (None, *FIVE),
}  # fmt: skip
ACTS = ("decide", "see and decide", "take back", "leave")


def random_cells(rng: random.Random) -> list[Cell]:
    """Cells of twelve items on which one to four people say anything, in every mode, some of them drawn at random."""
    return [
        Cell(item, unit, tuple(rng.choices(values, k=rng.randint(1, 4))), 3.0, mode, rng.choice((None, 0.5)), dimension)
        for item in range(12)
        for (unit, dimension), values in PLACES.items()
        for mode in (rng.choice(("blind", "blind", "assisted", "revealed")),)
    ]


@pytest.mark.slow
def test_gold_is_the_same_where_a_dataset_comes_in_again(two: tuple[Store, Store]) -> None:
    origin, target = two
    rng, name, rule = random.Random(1), "again", GoldRule("majority", 0)
    dataset, _ = fill(origin, random_cells(rng), name)
    set_gold_rule(origin, "lea", dataset, rule)
    for n, c in enumerate(disputes.cells_to_adjudicate(origin, dataset)):
        actor, value = rng.choice(("lea", "res")), rng.choice(PLACES[c.unit, c.dimension])
        if (act := ACTS[n % len(ACTS)]) == "leave":
            continue
        if act == "see and decide":
            adjudication.reveal_while_adjudicating(origin, actor, c.item)
        decision = (c.item, c.unit, c.dimension, "n/a" if value is None else value, "why", c.token)
        record = adjudication.adjudicate(origin, actor, new_id(), *decision)
        if act == "take back":
            adjudication.withdraw_adjudication(origin, actor, new_id(), record.id)
    out = lines(origin, name)
    done = import_rows(target, out, name)
    decisions = lines(origin, name, "adjudications")
    assert done.preview.ok and done.preview.new.adjudications == len(decisions) > 9
    # Who works there has made none of them: whoever bears the name in the file is kept as another person.
    imported = [{**d, "adjudicator": f"{d['adjudicator']} (file)"} for d in decisions]
    assert imported == lines(target, name, "adjudications") and {d["saw_judge"] for d in decisions} == {True, False}
    for basis in [basis for basis in BASES if basis != "gate"]:
        for dimension in {dimension for _, dimension in PLACES}:
            gold, target_gold = (lines(s, name, "gold", basis=basis, dimension=dimension) for s in (origin, target))
            assert gold == target_gold, (basis, dimension)
    assert waits(origin, name) == waits(target, name) != set()
    assert gold_rule(target, done.dataset_id) == rule
    before = counts(target)
    assert import_rows(target, out, name).preview.new.total == 0 and counts(target) == before


def test_what_was_decided_with_the_judge_in_view_counts_on_no_blind_basis(two: tuple[Store, Store]) -> None:
    origin, target = two
    dataset, _ = fill(origin, [Cell(n, "turn:1", (3.0, 5.0), 3.0, "blind", 0.5) for n in (0, 1)], "view")
    set_gold_rule(origin, "lea", dataset, GoldRule("median", 1))
    for n, c in enumerate(disputes.cells_to_adjudicate(origin, dataset)):
        if n:
            adjudication.reveal_while_adjudicating(origin, "res", c.item)
        adjudication.adjudicate(origin, "res", new_id(), c.item, c.unit, c.dimension, 4, "why", c.token)
    import_rows(target, lines(origin, "view"), "view")
    # The lower median of 3 and 5 is 3; 4 is what was decided.
    for basis, expected in (("gate", []), ("imported", [4.0, 3.0]), ("blind", [4.0, 3.0]), ("all", [4.0, 4.0])):
        assert [row["code"] for row in lines(target, "view", "gold", basis=basis, dimension="helpfulness")] == expected
    done = adjudication_items.adjudicated_cells(target, "lea", datasets.dataset_named(target, "view").id)
    assert {(d.value, d.person, d.labels, d.saw_judge) for d in done} == {
        ("4", "res (file)", "person0 3, person1 5", False), ("4", "res (file)", "person0 3, person1 5", True),
    }  # fmt: skip
    assert {d.at for d in done} == {
        d.at for d in adjudication_items.adjudicated_cells(origin, "res", dataset)
    }  # when it was made, not when it came


def test_a_decision_whose_labels_changed_waits_there_too(two: tuple[Store, Store]) -> None:
    origin, target = two
    others = [pair("p2"), label("p2", "a"), label("p2", "b", annotator="ben")]
    dataset = import_rows(origin, [*BOTH, *others, RULE], "changed").dataset_id
    for c in disputes.cells_to_adjudicate(origin, dataset):
        adjudication.adjudicate(origin, "res", new_id(), c.item, c.unit, c.dimension, 1, "why", c.token)
    import_rows(origin, [label("p1", "tie", annotator="ben", made_at="2026-03-01T12:00:00Z")], "changed")
    out = lines(origin, "changed")
    assert import_rows(origin, out, "changed").preview.new.total == 0  # nothing comes back to where it was made
    import_rows(target, out, "changed")
    assert waits(origin, "changed") == waits(target, "changed") == {("p1", "pair", "verdict")}
    assert [row["how"] for row in lines(target, "changed", "gold", dimension="verdict")] == [
        "adjudicated",
        "adjudicated",
    ]


def test_other_names_stand_everywhere(two: tuple[Store, Store]) -> None:
    origin, target = two
    import_rows(origin, [*BOTH, adjudication_line("p1", "b", adjudicator="res"), RULE], "named")
    output = json.dumps([row for row in lines(origin, "named", names=False) if "unit" in row])
    assert '"person-' in output and not any(f'"{name}"' in output for name in ("ann", "ben", "res"))
    assert import_rows(target, lines(origin, "named", names=False), "named").preview.ok
    assert lines(target, "named", "gold", dimension="verdict") == lines(origin, "named", "gold", dimension="verdict")
    assert len(lines(target, "named", names=False)) == len(lines(origin, "named"))  # whoever is named there is known


def test_a_dataset_keeps_its_own_rule(store: Store) -> None:
    people.join_workspace(store, "res")
    people.set_person(store, "lea", "res", "researcher")
    rows = [*BOTH, RULE]
    # A researcher brings in all but the rule, which only a lead may set, on whatever way.
    assert (
        "Only a lead can import that" in preview_import(store, source(rows), ImportPlan("d"), actor="res").warnings[0]
    )
    done = import_source(store, "res", source(rows), ImportPlan("d"))
    assert (done.preview.new.labels, done.preview.new.rules, gold_rule(store, done.dataset_id)) == (2, 0, GoldRule())
    done = bring(store, rows)  # the lead brings what is missing
    assert str(done.preview.new) == "0 items, 0 judgments, 0 labels and how labels are combined"
    assert gold_rule(store, done.dataset_id) == GoldRule("median", 0) and not done.preview.warnings
    before = counts(store)
    done = bring(store, [{"gold_rule": {"resolve": "majority", "apart": None}}, RULE][:1])
    assert done.preview.warnings == [
        "d keeps how it combines labels (median, people may differ by 0 steps). Ignored: the rule of the file "
        "(majority, people may differ by any number of steps)."
    ]
    assert bring(store, rows).preview.known.rules == 1 and counts(store) == before


def test_what_stands_here_is_not_replaced_but_by_a_later_import(store: Store) -> None:
    first = adjudication_line("p1", "a")
    bring(store, [*BOTH, first, RULE])
    assert str(bring(store, [first]).preview.known) == "0 items, 0 judgments, 0 labels and 1 adjudication"
    earlier, later = (adjudication_line("p1", "b", made_at=f"2026-0{month}-01T00:00:00Z") for month in (1, 3))
    sentence = "The dataset holds a later decision of cy on verdict of pair of 'p1' (2026-02-01 12:00)."
    assert wrong(store, [earlier]) == [(1, "made_at", sentence)]
    bring(store, [later])
    assert [row["value"] for row in lines(store, "d", "gold")] == ["b"]
    [done] = adjudication_items.adjudicated_cells(store, "lea", datasets.dataset_named(store, "d").id)
    adjudication.withdraw_adjudication(store, "lea", new_id(), done.id)
    assert bring(store, [first, later]).preview.new.total == 0  # what was taken back stays so
    other = adjudication_line("p1", "tie", made_at="2026-02-02T00:00:00Z")
    preview = preview_import(store, source([other, other]), ImportPlan("d"))
    assert (preview.ok, preview.new.adjudications, preview.repeated.adjudications) == (True, 1, 1)
    [cell] = disputes.cells_to_adjudicate(store, datasets.dataset_named(store, "d").id)
    adjudication.adjudicate(store, "lea", new_id(), cell.item, cell.unit, cell.dimension, 1, "my own", cell.token)
    [(line, field, sentence)] = wrong(
        store, [adjudication_line("p1", "b", reason="another", made_at="2099-01-01T00:00:00Z")]
    )
    assert (line, field) == (1, "adjudicator") and sentence.startswith(
        "lea already decided on verdict of pair of 'p1' here"
    )
    assert verify(store) == []


@pytest.mark.parametrize("row", [adjudication_line("p1", "b"), {"gold_rule": {"resolve": "majority", "apart": 2}}])
def test_what_was_decided_while_an_import_was_read_stands(store: Store, row: Json) -> None:
    dataset = bring(store, BOTH).dataset_id

    def meanwhile(*_: int) -> None:
        if gold_rule(store, dataset) == GoldRule():
            set_gold_rule(store, "lea", dataset, GoldRule("median", 0))
            [cell] = disputes.cells_to_adjudicate(store, dataset)
            adjudication.adjudicate(
                store, "lea", new_id(), cell.item, cell.unit, cell.dimension, 1, "my own", cell.token
            )

    with pytest.raises(AssayError, match="somebody else added the same things"):
        import_source(store, "lea", source([row]), ImportPlan("d"), progress=meanwhile)
    assert gold_rule(store, dataset) == GoldRule("median", 0) and counts(store)["adjudication"] == 1


def test_an_import_stands_on_the_trail_as_such(store: Store) -> None:
    bring(store, [*BOTH, adjudication_line("p1", "b"), RULE])
    entries = {entry.kind: entry.description for entry in trail.trail_entries(store, trail.TrailFilter())[:5]}
    assert entries["imports"] == "imported 1 item, 2 labels, 1 adjudication, how labels are combined from rows.jsonl"
    assert entries["adjudications"] == "imported adjudications of 1 rating"
    assert entries["settings"].startswith("changed how labels are combined: ")
    assert {p.name: (p.role, p.active) for p in people.all_people(store, active=False)}["cy"] == ("annotator", False)


LABELS = adjudication_line("p1", "a")["labels"]
BAD: list[tuple[Json, str, str]] = [
    (adjudication_line("p9", "a"), "item", "The item 'p9' is missing"),
    (adjudication_line("p1", "c"), "value", "value: 'c' is not on the scale"),
    (adjudication_line("p1", None), "value", "value is null"),
    (adjudication_line("p1", "a", unit="turn:1"), "unit", "'p1' has no unit 'turn:1'"),
    (adjudication_line("p1", "a", dimension="charm"), "dimension", "No card asks people for 'charm'"),
    (adjudication_line("p1", "a", adjudicator="<b>"), "adjudicator", "cannot be a person's name"),
    (adjudication_line("p1", "a", adjudicator=7), "adjudicator", "adjudicator: must be a valid string"),
    (adjudication_line("p1", "a", reason="  "), "reason", "reason: "),
    (adjudication_line("p1", "a", reason="x" * 2_001), "reason", "at most 2000"),
    (adjudication_line("p1", "a", saw_judge="no"), "saw_judge", "must be a valid boolean"),
    (adjudication_line("p1", "a", made_at="soon"), "", "made_at must be a time"),
    (adjudication_line("p1", "a", labels=[]), "labels", "at least 1 item"),
    (adjudication_line("p1", "a", labels=[{**LABELS[0], "value": "c"}]), "labels.0.value", "'c' is not on the scale"),
    (
        adjudication_line("p1", "a", labels=[LABELS[0], {**LABELS[1], "annotator": "|"}]),
        "labels.1.annotator",
        "cannot be",
    ),
    (adjudication_line("p1", "a", labels=[{**LABELS[0], "mode": "assisted"}]), "saw_judge", "saw_judge must be true"),
    (
        adjudication_line("p1", "a", labels=[{**LABELS[0], "mode": "revealed"}]),
        "labels.0.mode",
        "'blind' or 'assisted'",
    ),
    ({k: v for k, v in adjudication_line("p1", "a").items() if k != "saw_judge"}, "saw_judge", "saw_judge is missing."),
    (adjudication_line("p1", "a", mode="blind"), "mode", "'mode' is an unknown key"),
    ({"gold_rule": {"resolve": "best", "apart": 1}}, "gold_rule.resolve", "'median', "),
    ({"gold_rule": {"resolve": "median", "apart": -1}}, "gold_rule.apart", "greater than or equal to 0"),
    ({"gold_rule": {"resolve": "median"}}, "gold_rule.apart", "gold_rule.apart is missing."),
    ({"gold_rule": "median"}, "gold_rule", "must be a valid dictionary"),
    ({**RULE, "item": "p1"}, "item", "'item' is an unknown key"),
]


def test_a_bad_line_is_a_sentence_with_its_place_and_nothing_is_written(store: Store) -> None:
    rows = [*BOTH, *(bad for bad, _, _ in BAD)]
    before = counts(store)
    with pytest.raises(ImportRefused) as refused:
        bring(store, rows)
    assert counts(store) == before
    problems = {p.line: p for p in refused.value.preview.problems}
    for n, (bad, field, says) in enumerate(BAD, len(BOTH) + 1):
        assert (problems[n].file, problems[n].field) == ("rows.jsonl", field) and says in problems[n].sentence, (
            bad,
            problems[n],
        )
    assert len(problems) == len(BAD) == refused.value.preview.problem_count
    done = bring(store, [*rows, adjudication_line("p1", "b"), adjudication_line("p1", "a"), RULE, RULE], good=True)
    assert str(done.preview.new) == "1 item, 0 judgments, 2 labels, 1 adjudication and how labels are combined"
    assert done.preview.rejected == len(BAD) + 1  # one cell has one decision; the same rule may stand there twice
    two_rules = [RULE, {"gold_rule": {"resolve": "majority", "apart": 0}}]
    assert [(at, field) for at, field, _ in wrong(store, two_rules)] == [(2, "gold_rule")]


def test_a_preview_shows_decisions_as_they_would_be_stored(store: Store) -> None:
    preview = preview_import(
        store, source([*BOTH, adjudication_line("p1", "b", adjudicator="res", reason="So.")]), ImportPlan("d")
    )
    [row] = preview.rows["adjudications"]
    expected = {
        "item": "p1", "unit": "pair", "dimension": "verdict", "adjudicator": "res", "value": "b", "reason": "So.",
    }  # fmt: skip
    assert row.items() >= expected.items()


def test_who_may_not_adjudicate_may_not_bring_it_in(store: Store) -> None:
    people.join_workspace(store, "ann")
    before = counts(store)
    with pytest.raises(AssayError, match="needs the role researcher"):
        import_source(store, "ann", source([*BOTH, adjudication_line("p1", "b")]), ImportPlan("d"))
    assert counts(store) == before


def test_a_dataset_goes_from_one_workspace_to_another_by_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = workspace(tmp_path)
    bring(store, [*BOTH, adjudication_line("p1", "b"), RULE])
    store.close()
    file = tmp_path / "d.jsonl"
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/store.duckdb")
    assert main(["export", "--dataset", "d", "--kind", "dataset", "--out", str(file)]) == 0
    assert "Wrote 6 rows" in capsys.readouterr().out
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/other.duckdb")
    assert main(["import", str(file), "--dataset", "d", "--sampling", "random", "--as", "lea"]) == 0
    text = "Added 1 item, 0 judgments, 2 labels, 1 adjudication and how labels are combined to d; 0 were there already."
    assert text in capsys.readouterr().out
