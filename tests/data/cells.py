"""Cells of gold and scores, written straight into the tables of a store."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from data.records.datasets import ensure_dataset
from data.store import Store
from data.store.ids import content_id, new_id, now


@dataclass(frozen=True)
class Cell:
    """What people (in that order, as person0, person1, ...) and the judge say of one unit of one item.

    `judge` None is n/a, "unscored" no score at all. `probability` is that of the item's draw; None: it was not drawn.
    """

    item: int
    unit: str
    people: tuple[float | None, ...]
    judge: float | str | None
    mode: str = "blind"
    probability: float | None = None
    dimension: str = "helpfulness"


def fill(
    store: Store, cells: list[Cell], name: str = "demo", kind: str = "dialogue", card: str = "multi_turn_dialogue",
    meta: dict[int, str] | None = None, systems: Callable[[int], tuple[str, str]] = lambda n: (f"s{n % 2}", ""),
    units: Callable[[int], int] = lambda n: 1,
) -> tuple[str, str]:  # fmt: skip
    """Write the cells as a dataset with one judge; (dataset id, judge id). Items with one probability are a stratum.

    `meta` and `systems` are of the item of that number, and `units` is how many units its text is said to have.
    """
    judge = content_id("judge", name)
    items = {number: content_id(name, number) for number in {c.item for c in cells}}

    def work(tx: Any) -> str:
        dataset: str = ensure_dataset(tx, name)
        tx.add("judge", "id, card, card_version, model, params, synthetic", [(judge, card, "1", "m", "{}", False)])
        tx.add(
            "item",
            "id, dataset_id, name, kind, system_a, system_b, content, meta, hash, cells",
            [
                (i, dataset, f"item {n}", kind, *systems(n), _content(n, kind, name), (meta or {}).get(n, "{}"), i,
                 units(n))
                for n, i in items.items()
            ],
        )
        drawn = {_draw(c): c.probability for c in cells if c.probability}
        draws = {key: new_id() for key in drawn}
        tx.add(
            "draw",
            "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons",
            [(draws[n, m], dataset, items[n], "audit", m, "", str(p), p, 0.0, "[]") for (n, m), p in drawn.items()],
        )
        tx.add(
            "label",
            "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, seen, "
            "probability, replaces, withdrawn, made_at",
            [
                (new_id(), "", items[c.item], c.unit, c.dimension, value, f"person{n}", c.mode,
                 draws.get(_draw(c), ""), "", False, None, None, None, False, now())
                for c in cells for n, value in enumerate(c.people)
            ],
        )  # fmt: skip
        scores = {(c.item, c.unit, c.dimension): c.judge for c in cells if c.judge != "unscored"}
        tx.add(
            "score",
            "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample",
            [("", judge, items[n], unit, dim, value, None, "", 0) for (n, unit, dim), value in scores.items()],
        )
        tx.add(
            "judgment",
            "id, judge_id, item_id, part, sample, raw, unscored, why",
            [
                (new_id(), judge, i, "", 0, "{}", "" if any(k[0] == n for k in scores) else "refused", "")
                for n, i in items.items()
            ],
        )
        return dataset

    return store.tx("test", "fill", work), judge


def _content(number: int, kind: str, dataset: str) -> str:
    """An item that the desk can show, and of which no other dataset has a copy."""
    if kind == "pair":
        sides = {f"response_{side}": {"system": side, "text": f"Answer {side} to {number}."} for side in "ab"}
        question = f"Question {number} of {dataset}."
        return json.dumps({"id": f"item {number}", "kind": "pair", "input": question, **sides})
    turns = [{"turn": t, "role": r, "text": f"{r} {t}"} for t in (1, 2) for r in ("user", "assistant")]
    scene = f"Scene {number} of {dataset}."
    return json.dumps({"id": f"item {number}", "kind": "dialogue", "scenario": scene, "turns": turns})


def _draw(cell: Cell) -> tuple[int, str]:
    """The draw that a cell's labels come from: those given after a reveal are from a blind one."""
    return cell.item, "assisted" if cell.mode == "assisted" else "blind"
