"""Items put aside for tuning: no draw takes them, no figure counts them, and nobody chooses the evidence with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.approvals import check_results
from data.calibration import calibration
from data.cards import cards
from data.exporting import exporting, files
from data.gold import excluded_items
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, items, people
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed
from judges.examples import parse_example
from tests import seeds

WHY = "the prompt was tuned on it"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ten judged dialogues; bo has answered all of them beside the judge and ben the first three blind."""
    items = [seeds.dialogue(n, system="x") for n in range(1, 11)]
    label = {"unit": "turn:1", "dimension": "helpfulness", "value": 2, "made_at": "2026-01-31T12:00:00Z"}
    labels = [{**label, "item": i["id"], "annotator": "bo", "mode": "assisted"} for i in items]
    blind = [{**label, "item": i["id"], "annotator": "ben", "mode": "blind", "value": 3} for i in items[:3]]
    store = open_store(f"duckdb:///{tmp_path}/tuning.duckdb")
    for name in ("lea", "ann"):
        people.join_workspace(store, name)
    lines = [*items, *(seeds.judgment(i) for i in items), *labels]
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "a.jsonl", lines)), ImportPlan("demo"))
    import_source(
        store,
        "lea",
        from_path(seeds.lines(tmp_path / "b.jsonl", blind)),
        ImportPlan("demo", sampling="random", population=10_000),
    )
    yield store
    store.close()


def ids(store: Store, *numbers: int) -> list[str]:
    return items.item_ids_of_names(store, demo(store), [f"d-{n:04d}" for n in numbers])


def demo(store: Store) -> str:
    return datasets.dataset_named(store, "demo").id


def cells(store: Store, basis: str = "all") -> int:
    judge = datasets.dataset_judges(store, demo(store))[0][0]
    [dimension] = [d for d in calibration.compared_dimensions(store, judge) if d.name == "helpfulness"]
    ratings = calibration.load_paired_ratings(store, demo(store), judge, dimension, basis)  # type: ignore[arg-type]
    sums = calibration.load_rating_sums(store, demo(store), judge, [dimension], basis)[0]  # type: ignore[arg-type]
    assert len(ratings.human) == sums.cells.sum()
    return len(ratings.human)


def test_what_is_put_aside_is_in_no_draw_and_no_figure_until_it_is_taken_back(store: Store) -> None:
    judge = datasets.dataset_judges(store, demo(store))[0][0]
    dimensions = calibration.compared_dimensions(store, judge)
    [dimension] = [d for d in dimensions if d.name == "helpfulness"]
    assert cells(store) == 10
    mark = check_results.fingerprint_cells(store, demo(store), judge, dimension, "all")
    assert excluded_items.exclude_items(store, "lea", demo(store), ids(store, 4, 5), WHY) == 2
    assert excluded_items.exclude_items(store, "lea", demo(store), ids(store, 5), WHY) == 0, "it is aside already"
    assert cells(store) == 8
    assert check_results.fingerprint_cells(store, demo(store), judge, dimension, "all") != mark
    assert calibration.basis_sizes(store, demo(store), dimensions)["all"].labels == 11, "8 of bo, 3 of ben"
    assert [(u.name, u.why, u.person, u.drawn) for u in excluded_items.list_excluded(store, demo(store))] == [
        ("d-0004", WHY, "lea", False),
        ("d-0005", WHY, "lea", False),
    ]
    [share] = queue.plan_audit(store, demo(store), 6, "")
    assert share.items == 8
    # All eight others are drawn, and nothing is left: the two aside are no part of the population.
    assert queue.draw_audit(store, "lea", demo(store), 10, "", seed=1) == 8
    assert not set(ids(store, 4, 5)) & excluded_items.audit_sample_items(store, demo(store))
    assert {r[0] for r in store.rows("select probability from draw")} == {1.0}
    assert excluded_items.readmit_items(store, "lea", demo(store), ids(store, 4), "it was not used after all") == 1
    assert cells(store) == 9
    assert queue.draw_audit(store, "lea", demo(store), 1, "", seed=2) == 1


def test_of_many_items_that_the_gate_counts_five_are_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    every = ids(store, *range(1, 8))
    monkeypatch.setattr(excluded_items, "blind_sample_items", lambda *_: set(every))
    names = "d-0001, d-0002, d-0003, d-0004, d-0005"
    for count, more in ((5, ""), (6, " and 1 more"), (7, " and 2 more")):
        with pytest.raises(BadInput, match=f"^{names}{more} cannot be put aside: people have labelled them blind in "):
            excluded_items.exclude_items(store, "lea", demo(store), every[:count], WHY)


def test_nobody_chooses_what_the_gate_counts(store: Store) -> None:
    before = store.newest()
    with pytest.raises(BadInput, match="d-0002 cannot be put aside: people have labelled them blind"):
        excluded_items.exclude_items(store, "lea", demo(store), ids(store, 2, 4), WHY)
    with pytest.raises(BadInput, match="Say why"):
        excluded_items.exclude_items(store, "lea", demo(store), ids(store, 4), " ")
    with pytest.raises(NotAllowed):
        excluded_items.exclude_items(store, "ann", demo(store), ids(store, 4), WHY)
    with pytest.raises(BadInput, match="has no item d-0099"):
        ids(store, 99)
    with pytest.raises(BadInput, match=r"^One of these items is not in this dataset\. Load the page again\.$"):
        excluded_items.exclude_items(store, "lea", demo(store), [*ids(store, 4), "none"], WHY)
    assert store.newest() == before
    assert cells(store, "imported") == 3 and cells(store, "gate") == 0


def test_nor_by_taking_back_what_was_answered_meanwhile(store: Store, tmp_path: Path) -> None:
    queue.draw_audit(store, "lea", demo(store), 10, "", seed=1)
    excluded_items.exclude_items(store, "lea", demo(store), ids(store, 4), WHY)
    assert [u.drawn for u in excluded_items.list_excluded(store, demo(store))] == [True]
    label = {"unit": "turn:1", "dimension": "helpfulness", "value": 4, "made_at": "2026-02-01T12:00:00Z"}
    line = {**label, "item": "d-0004", "annotator": "ben", "mode": "blind"}
    import_source(
        store,
        "lea",
        from_path(seeds.lines(tmp_path / "c.jsonl", [line])),
        ImportPlan("demo", sampling="random", population=10_000),
    )
    assert cells(store, "imported") == 3, "what is aside does not count, however it is answered"
    with pytest.raises(BadInput, match="d-0004 cannot be counted again"):
        excluded_items.readmit_items(store, "lea", demo(store), ids(store, 4), "it agrees so well")


def test_examples_come_from_items_that_the_gate_never_uses_and_are_put_aside(store: Store, tmp_path: Path) -> None:
    queue.draw_audit(store, "lea", demo(store), 4, "", seed=1)
    barred = excluded_items.audit_sample_items(store, demo(store)) | set(ids(store, 1, 2, 3))
    kind, dataset = exporting.export_kind("examples"), datasets.dataset_named(store, "demo")
    options = {"card": "multi_turn_dialogue", "few": 2}
    first, count = exporting.preview_export(store, "lea", dataset, kind, options)
    assert count == 2 and not excluded_items.list_excluded(store, demo(store)), "looking puts nothing aside"
    done = exporting.write_export(store, "lea", dataset, kind, options, "jsonl", tmp_path / "examples.jsonl")
    assert (done.lines, done.excluded) == (2, 2)
    lines = [json.loads(line) for line in done.file.read_text().splitlines()]
    assert lines == first
    names = [line["item"] for line in lines]
    assert not set(items.item_ids_of_names(store, demo(store), names)) & barred
    assert [u.name for u in excluded_items.list_excluded(store, demo(store))] == sorted(names)
    assert [line["reply"]["per_turn"][0]["scores"]["helpfulness"] for line in lines] == [2, 2], "as bo has it"
    assert cells(store) == 8
    card = cards.attach_examples(store, "lea", "multi_turn_dialogue", [parse_example(line, "a line") for line in lines])
    assert len(card.examples) == 2
    everything, excluded_ids = 10, set(items.item_ids_of_names(store, demo(store), names))
    queue.draw_audit(store, "lea", demo(store), everything, "", seed=2)
    assert len(
        excluded_items.audit_sample_items(store, demo(store))
    ) == 8 and not excluded_ids & excluded_items.audit_sample_items(store, demo(store))


def test_an_item_drawn_while_the_file_was_written_stops_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, dataset = exporting.export_kind("examples"), datasets.dataset_named(store, "demo")
    real = files.write_rows

    def slow(*arguments: object) -> int:
        lines: int = real(*arguments)
        queue.draw_audit(store, "lea", demo(store), 10, "", seed=1)
        return lines

    monkeypatch.setattr("data.exporting.files.write_rows", slow)
    with pytest.raises(BadInput, match="has just been drawn"):
        exporting.write_export(
            store, "lea", dataset, kind, {"card": "multi_turn_dialogue"}, "jsonl", tmp_path / "e.jsonl"
        )
    assert not list(tmp_path.glob("e.jsonl*")) and not excluded_items.list_excluded(store, demo(store))
    assert store.rows("select count(*) from export") == [(0,)]
