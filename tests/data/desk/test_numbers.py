"""Numbers and a judge's aggregates on the desk: what is shown, saved to the last digit, and what need not be said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.adjudication import adjudication_items
from data.cards import cards
from data.desk import desk, labels
from data.exporting.exporting import export_kind
from data.gold import disputes
from data.queue import queue
from data.records import datasets, exposure, people, settings
from data.records.settings import GoldRule
from data.store import Store
from data.store.ids import new_id
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards.pointwise_quality.card import DEFAULT
from pages.adjudication.board import board_data as board
from pages.ui.sheet import sheet_data
from tests.data.imports import bring, workspace

Json = dict[str, Any]
EXACT = 0.12345678901234568


def numbers_card() -> Json:
    """A card with a number, half points and a percentage."""
    dimensions = [
        {"name": name, "unit": "response", "definition": f"How {name}?", "answers": {"kind": "interval", **scale}}
        for name, scale in (
            ("polite", {"lo": 0, "hi": 1}),
            ("fluent", {"lo": 1, "hi": 5, "step": 0.5}),
            ("sure", {"lo": 0, "hi": 100, "step": 0.25, "na": True}),
        )
    ]
    recipe = {"name": "numbers", "title": "N", "kind": "response", "dimensions": dimensions}
    return {"card": from_recipe(check_recipe(recipe)).spec}


def rating_reply() -> Json:
    scores = [{"name": n, "score": 4, "justification": "j", "confidence": "high"} for n, _ in DEFAULT]
    return {"dimensions": scores, "overall_score": 4.0, "trustworthy_aggregate": True, "decision_basis": "b"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = workspace(tmp_path)
    for name in ("ann", "ben"):
        people.join_workspace(store, name)
    item = {"id": "r1", "kind": "response", "task": "t", "output": "o"}
    values = {"polite": EXACT, "fluent": 3.5, "sure": 33.25}
    scores = [{"unit": "response", "dimension": d, "value": v} for d, v in values.items()]
    rows = [numbers_card(), item, {"item": "r1", "card": "numbers", "model": "m", "scores": scores},
            {"item": "r1", "card": "pointwise_quality", "model": "m", "reply": rating_reply()}]  # fmt: skip
    bring(store, rows)
    yield store
    store.close()


def cells(view: desk.DeskView) -> dict[str, Json]:
    return {c["dimension"]: c for r in sheet_data.sheet_data(view)["rows"] for g in r["groups"] for c in g["cells"]}


def open_view(store: Store, person: str, card: str) -> desk.DeskView:
    [judge] = [j for j, name, *_ in datasets.dataset_judges(store, datasets.all_datasets(store)[0].id) if name == card]
    [item] = store.rows("select id from item")
    return desk.desk_views(store, person, [queue.OfferedItem("", str(item[0]), "open", "assisted", judge, ())])[0]


def save(store: Store, person: str, view: desk.DeskView, values: dict[str, float | None], **more: Any) -> str:
    rows = [{"unit": "response", "dimension": d, "v": v} for d, v in values.items()]
    answer = {"key": new_id(), "person": person, "action": "save", "item": view.item.id, "values": rows, **more}
    saved, refused = labels.save_answers(store, person, [answer])
    return str(saved[0].key) if saved else refused[0].why


def test_numbers_are_drawn_as_answers_or_as_a_field_and_saved_to_the_last_digit(store: Store) -> None:
    view = open_view(store, "ann", "numbers")
    by_dimension = cells(view)
    assert [(s["v"], s["t"]) for s in by_dimension["fluent"]["steps"]][:3] == [(1.0, "1"), (1.5, "1.5"), (2.0, "2")]
    assert by_dimension["fluent"]["range"] is None and by_dimension["fluent"]["judge"]["v"] == 3.5
    assert (
        by_dimension["polite"]["range"] == {"lo": 0, "hi": 1, "step": 0, "by": 0.01}
        and not by_dimension["polite"]["steps"]
    )
    assert by_dimension["sure"]["range"] == {"lo": 0, "hi": 100, "step": 0.25, "by": 1.0}
    assert [s["t"] for s in by_dimension["sure"]["steps"]] == ["n/a"] and by_dimension["polite"]["judge"]["v"] == EXACT
    assert "allowed are 1 to 5 in steps of 0.5" in save(store, "ann", view, {"fluent": 2.2})
    assert "0 to 1" in save(store, "ann", view, {"polite": 1.0000001})
    key = save(store, "ann", view, {"polite": EXACT, "fluent": 2.5, "sure": None})
    stored = dict(store.rows("select dimension, value from label_now where annotator = 'ann'"))
    assert stored == {"polite": EXACT, "fluent": 2.5, "sure": None}
    again = open_view(store, "ann", "numbers")
    assert again.version == key and cells(again)["polite"]["mine"] == {"v": EXACT}
    assert not save(store, "ann", again, {"polite": 0.1 + 0.2, "fluent": 2.5}, version=key).startswith("You")
    assert store.rows("select value from label_now where dimension = 'polite'") == [(0.1 + 0.2,)]


def test_aggregates_are_shown_in_their_place_may_be_answered_and_need_not(store: Store) -> None:
    view = open_view(store, "ann", "pointwise_quality")
    by_dimension = cells(view)
    required = [name for name, c in by_dimension.items() if c["by"] == view.judge_id and not c["optional"]]
    assert required == [name for name, _ in DEFAULT] and list(by_dimension)[-2:] == [
        "overall_score", "trustworthy_aggregate"
    ]  # fmt: skip
    aggregates = {name: c["judge"]["v"] for name, c in by_dimension.items() if c["optional"]}
    assert aggregates == {"overall_score": 4.0, "trustworthy_aggregate": 1.0}
    key = save(store, "ann", view, {"coherence": 3.0, "overall_score": 3.75, "trustworthy_aggregate": 0.0})
    query = "select dimension, value from label_now where annotator = 'ann' order by dimension"
    assert store.rows(query) == [("coherence", 3.0), ("overall_score", 3.75), ("trustworthy_aggregate", 0.0)]
    asked_of = ["response/coherence", "response/overall_score", "response/trustworthy_aggregate"]
    save(store, "ann", view, {"coherence": 3.0}, version=key, asked=asked_of)
    assert store.rows(query) == [("coherence", 3.0)], "it is taken back like any other"
    blind = desk.desk_views(store, "ben", [queue.OfferedItem("x", view.item.id, "audit", "blind", view.judge_id, ())])[
        0
    ]
    assert {c["judge"] for c in cells(blind).values() if c["optional"]} == {None}
    line = {"item": "r1", "unit": "response", "dimension": "overall_score", "value": 4.25, "annotator": "cy"}
    bring(store, [{**line, "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}])
    assert store.rows("select value from label_now where dimension = 'overall_score'") == [(4.25,)]
    dataset = datasets.all_datasets(store)[0]
    kind = export_kind("gold")
    rows = list(kind.rows(store, dataset, {o.name: o.default for o in kind.options}))
    assert {r["dimension"]: r["value"] for r in rows} == {"coherence": "3", "overall_score": "4.25"}
    assert cards.find_dimension(store, "response", "response", "overall_score") is not None


def test_two_numbers_that_lie_apart_come_to_the_board_with_a_field(store: Store) -> None:
    view = open_view(store, "ann", "numbers")
    dataset = datasets.all_datasets(store)[0].id
    settings.set_gold_rule(store, "lea", dataset, GoldRule("median", 1))
    save(store, "ann", view, {"sure": 12.25})
    save(store, "ben", view, {"sure": 71.5})
    [item] = adjudication_items.load_adjudication_items(store, "lea", disputes.cells_to_adjudicate(store, dataset), 5)
    drawn = board.item_data(item, "lea")
    [cell] = drawn["cells"]
    assert cell["range"]["by"] == 1.0 and cell["apart"] == "differ by 59.25"
    assert sorted(s["v"] for s in cell["said"]) == [12.25, 71.5]
    assert not exposure.revealed_items(store, "lea", [view.item.id])
