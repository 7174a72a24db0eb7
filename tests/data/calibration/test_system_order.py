"""The order of systems from a store: what is drawn together, and whose ratings count."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from data.calibration.slices import measure_system_order
from data.records.datasets import dataset_judges, dataset_named
from data.reports.statistics import STATISTICS, load_figures
from data.store import open_store
from judges.cards import card
from judges.cards.mt_bench.card import DIMENSIONS
from judges.stats.system_order import SystemOrder
from tests import seeds
from tests.data.cells import Cell, fill

ANSWERS = {"a": (9, 4), "b": (6, 6), "c": (3, 3), "": (1, 10)}
"""What people and judge give every answer of a system."""


def rows(system: str, question: str, **meta: str) -> list[dict[str, Any]]:
    """An answer, its judgment, and a person's rating."""
    name, (human, judge) = f"{question}/{system or 'nobody'}", ANSWERS[system]
    turns = [{"turn": 1, "role": "user", "text": f"Q{question}"}, {"turn": 1, "role": "assistant", "text": name}]
    return [
        {"id": name, "kind": "dialogue", "system": system, "turns": turns, "meta": meta},
        {"item": name, "card": "mt_bench", "model": "j", "params": {}, "part": "turn:1",
         "reply": {"turn": 1, "judgment": f"[[{judge}]]"}},
        {"item": name, "unit": "turn:1", "dimension": "rating", "value": human, "annotator": "pat", "mode": "blind",
         "made_at": "2026-01-31T12:00:00Z"},
    ]  # fmt: skip


@pytest.mark.parametrize("named", [True, False])
def test_systems_are_ordered_by_question_where_every_item_names_one(tmp_path: Path, named: bool) -> None:
    lines = [line for n in range(4) for system in ANSWERS for line in rows(system, str(n), **{"question_id": str(n)})]
    if not named:
        lines += rows("a", "9")
    store = seeds.workspace(tmp_path / "a.duckdb", lines, review=False)
    demo = dataset_named(store, "demo").id
    judge = dataset_judges(store, demo)[0].id
    order = measure_system_order(store, demo, judge, DIMENSIONS[0], "all")
    assert [(system.name, system.human, system.judge, system.items) for system in order.systems] == [
        ("a", 9, 4, 4 if named else 5), ("b", 6, 6, 4), ("c", 3, 3, 4)
    ]  # fmt: skip
    assert order.kendall.point == pytest.approx(1 / 3) and order.flipped == 1
    assert order.kendall.items == (4 if named else 13)
    statistic = STATISTICS["systems"]
    loaded: SystemOrder = load_figures(store, "systems", demo, judge, DIMENSIONS[0], "all")
    assert statistic.to_json(loaded)["systems"]["pairs_flipped"] == 1


@pytest.mark.parametrize(("sort", "name"), [("side", "aggregate"), ("pair", "verdict")])
def test_what_is_asked_of_a_pair_puts_no_systems_in_order(tmp_path: Path, sort: str, name: str) -> None:
    [d] = [d for d in card("long_form_pairwise").dimensions if (d.sort, d.name) == (sort, name)]
    unit = "response/a" if sort == "side" else sort
    with closing(open_store(f"duckdb:///{tmp_path / 'pairs.duckdb'}")) as store:
        cells = [Cell(n, unit, (float(n % 2),), float(n % 2), dimension=name) for n in range(6)]
        dataset, judge = fill(store, cells, "d", "pair", "long_form_pairwise", systems=lambda n: (f"s{n % 3}", "t"))
        assert load_figures(store, "systems", dataset, judge, d, "all") is None
