"""Rows of an export given to a program as they are made: a page at a time, or all of them in a stream.

Like an export to a file, each part is put on record before it is given: who took what, and whose words it shows of
which item. A page begins behind the row with which the one before it ended, whatever came in between.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from data.exporting.exporting import export_kind, told_answers
from data.exporting.kind import ExportKind, Options, Row, complete_options
from data.records import exposure
from data.records.access import allow, require
from data.records.datasets import Dataset
from data.records.tables import ExportRow
from data.store import Store, Tx
from data.store.errors import BadInput
from data.store.ids import content_id, new_id
from judges.strict_json import canonical

KEYS = {
    "items": ("id",),
    "judgments": ("item", "judge", "part", "sample"),
    "labels": ("item", "unit", "dimension", "annotator"),
    "adjudications": ("item", "unit", "dimension"),
    "gold": ("item", "unit", "dimension"),
    "scores": ("item", "unit", "dimension", "judge", "sample"),
    "samples": ("item", "unit", "dimension", "judge", "sample"),
}
"""The kinds that are given so, and the columns that tell their rows apart."""
MOST = 10_000
"""Rows of a page."""
_BATCH = 2_000
_ROUTE = "api"


@dataclass(frozen=True)
class ExportPage:
    """Rows, and the cursor of the page behind them ("": these are the last)."""

    rows: list[Row]
    next: str


@allow("researcher")
def export_page(
    store: Store, actor: str, dataset: Dataset, name: str, options: Options, cursor: str = "", most: int = 1_000
) -> ExportPage:
    """A page of an export of a kind in KEYS, for researchers and leads. Raises NotAllowed, BadInput.

    Of a cursor whose row is there no more BadInput says to begin again.
    """
    require(store, actor, "researcher")
    if not 1 <= most <= MOST:
        raise BadInput(f"A page has 1 to {MOST:,} rows, not {most:,}.")
    kind = export_kind(name)
    told = complete_options(store, dataset.id, kind, options)
    asked = content_id(dataset.id, name, told)
    left = kind.rows(store, dataset, told)
    key, times = _passed(left, name, asked, cursor) if cursor else (None, 0)
    rows = list(islice(left, most))
    more = len(rows) == most and next(left, None) is not None
    for row in rows:
        times = times + 1 if _key(name, row) == key else 1
        key = _key(name, row)
    _record(store, actor, dataset, kind, told, rows)
    return ExportPage(rows, _cursor(asked, key, times) if more else "")


@allow("researcher")
def stream_export(
    store: Store, actor: str, dataset: Dataset, name: str, options: Options
) -> Iterator[list[Row]]:
    """All rows of an export of a kind in KEYS in batches, for researchers and leads. Raises NotAllowed, BadInput."""
    require(store, actor, "researcher")
    kind = export_kind(name)
    told = complete_options(store, dataset.id, kind, options)
    left = kind.rows(store, dataset, told)
    while batch := list(islice(left, _BATCH)):
        _record(store, actor, dataset, kind, told, batch)
        yield batch


def _record(
    store: Store, actor: str, dataset: Dataset, kind: ExportKind, told: dict[str, Any], rows: list[Row]
) -> None:
    """Put on record that somebody is given these rows; it is in the store when this returns."""
    if not rows:
        return
    rests = {} if kind.provenance is None else kind.provenance(store, dataset, told)
    names = {str(row["item"]) for row in rows if "item" in row}

    def work(tx: Tx) -> None:
        require(tx, actor, "researcher")
        exposure.add_exposures(tx, actor, told_answers(tx, dataset, kind, told, names), _ROUTE)
        settings = canonical({"format": _ROUTE, **told, **rests})
        tx.append([ExportRow(new_id(), dataset.id, kind.name, settings, len(rows))])

    store.tx(actor, "export", work, target=dataset.id)


def _key(name: str, row: Row) -> list[Any]:
    return [row[column] for column in KEYS[name]]


def _cursor(asked: str, key: list[Any] | None, times: int) -> str:
    text = json.dumps([asked, key, times], ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _passed(left: Iterator[Row], name: str, asked: str, cursor: str) -> tuple[list[Any], int]:
    """Go on behind the row of a cursor: its key, and how many rows with that key lie behind."""
    try:
        of, key, times = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        sound = isinstance(key, list) and type(times) is int
    except (ValueError, TypeError, binascii.Error, RecursionError):
        sound = False
    if not sound or of != asked:
        raise BadInput("This cursor belongs to another question. Take the one that came with the page before.")
    met = 0
    for row in left:
        met += _key(name, row) == key
        if met == times:
            return key, times
    raise BadInput("The row with which the page before ended is there no more. Begin again without a cursor.")
