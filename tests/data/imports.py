"""What the tests of importing share: a workspace with a lead, sources of lines, and what a store then holds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data.importing.files.source import Source, from_bytes
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from data.records import people
from data.store import Store, open_store

TABLES = (
    "dataset",
    "intake",
    "item",
    "card",
    "judge",
    "judgment",
    "score",
    "remark",
    "label",
    "adjudication",
    "setting",
    "person_event",
    "change",
)


def workspace(folder: Path) -> Store:
    """A new workspace whose lead is lea."""
    store = open_store(f"duckdb:///{folder / 'store.duckdb'}")
    people.join_workspace(store, "lea")
    return store


def text(rows: list[Any]) -> bytes:
    """JSON lines of rows; a row that is bytes stands as it is."""
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)


def source(rows: list[Any], name: str = "rows.jsonl") -> Source:
    """An upload of JSON lines."""
    return from_bytes([(name, text(rows))])


def bring(store: Store, rows: list[Any], good: bool = False, **options: Any) -> Any:
    """Import rows into the dataset `d`."""
    return import_source(store, "lea", source(rows), ImportPlan("d", **options), "good rows" if good else "refuse")


def wrong(store: Store, rows: list[Any], **options: Any) -> list[tuple[int, str, str]]:
    """(line, field, sentence) of everything that is wrong with rows."""
    return [
        (p.line, p.field, p.sentence) for p in preview_import(store, source(rows), ImportPlan("d", **options)).problems
    ]


def counts(store: Store) -> dict[str, int]:
    """How many rows each table has."""
    return {table: store.rows(f"select count(*) from {table}")[0][0] for table in TABLES}


def pair(name: str = "p1", a: str = "A short answer.", b: str = "Another.", **more: Any) -> dict[str, Any]:
    """A pair."""
    sides = {"response_a": {"system": "x", "text": a}, "response_b": {"system": "y", "text": b}}
    return {"id": name, "kind": "pair", "input": "Why?", **sides, **more}


def label(item: str, value: Any, **more: Any) -> dict[str, Any]:
    """A label of the verdict of a pair, or whatever `more` makes of it."""
    line = {"item": item, "unit": "pair", "dimension": "verdict", "value": value, "annotator": "ann", "mode": "blind"}
    return {**line, "made_at": "2026-01-31T12:00:00Z", **more}


def adjudication_line(item: str, value: Any, **more: Any) -> dict[str, Any]:
    """An adjudication of the verdict of a pair on which ann and ben lie apart."""
    labels = [{"annotator": "ann", "value": "a", "mode": "blind"}, {"annotator": "ben", "value": "b", "mode": "blind"}]
    line = {"item": item, "unit": "pair", "dimension": "verdict", "value": value, "adjudicator": "cy", "labels": labels}
    return {**line, "reason": "It answers.", "saw_judge": False, "made_at": "2026-02-01T12:00:00Z", **more}


def verdict(item: str, value: str, **more: Any) -> dict[str, Any]:
    """A judgment of the card plain_pairwise."""
    return {"item": item, "card": "plain_pairwise", "model": "m", "params": {}, "reply": {"verdict": value}, **more}


def wrecks(value: Any, chance: random.Random) -> Iterator[Any]:
    """The value with one thing in it put out of shape, again and again."""
    odd: list[Any] = [None, 0, -1.5, True, "", "京", "[", '{"a": 1}', [], {}, [None], [[]], {"role": "user"}, "x" * 500]
    for _ in range(60):
        copy = json.loads(json.dumps(value))
        place: Any = copy
        while isinstance(place, (dict, list)) and place:
            key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], (dict, list)) or not place[key] or chance.random() < 0.15:
                place[key] = chance.choice(odd)
                break
            place = place[key]
        yield copy
