"""Rows of an export given to a program as they are made: a page at a time, or all of them in a stream.

Like an export to a file, each part is put on record before it is given: who took what, and whose words it shows of
which item. A page begins behind the row with which the one before it ended, whatever came in between.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from data.exporting.exporting import answers_in_rows, export_kind
from data.exporting.kind import BEGIN, ExportKind, Options, Row, complete_options
from data.records import exposure
from data.records.access import act, allow, require
from data.records.datasets import Dataset
from data.records.tables import ExportRow
from data.store import Store, Tx
from data.store.errors import BadInput
from data.store.ids import content_id, new_id
from judges.strict_json import BadJson, canonical, parse_json

KEYS = {
    "items": ("id",),
    "judgments": ("item", "judge", "part", "sample"),
    "labels": ("item", "unit", "dimension", "annotator"),
    "adjudications": ("item", "unit", "dimension"),
    "gold": ("item", "unit", "dimension"),
    "scores": ("item", "unit", "dimension", "judge", "sample"),
    "samples": ("item", "unit", "dimension", "judge", "sample"),
}
"""The kinds that are delivered this way, and the columns that identify their rows."""
MAX_PAGE_ROWS = 10_000
"""Rows of a page."""
_BATCH = 2_000
_EXPECTED_ROWS_PER_ITEM = 256
"""The number of rows of a cursor's own item that are expected before it; if there are more, more are read."""
_ROUTE = "api"


@dataclass(frozen=True)
class ExportPage:
    """Rows, and the cursor of the page behind them ("": these are the last)."""

    rows: list[Row]
    next: str


@allow("researcher")
def export_page(
    store: Store, actor: str, dataset: Dataset, name: str, options: Options, cursor: str = "", limit: int = 1_000
) -> ExportPage:
    """A page of an export of a kind in KEYS, for researchers and leads. Raises NotAllowed, BadInput.

    Of a cursor whose row is there no more BadInput says to begin again.
    """
    require(store, actor, "researcher")
    if not 1 <= limit <= MAX_PAGE_ROWS:
        raise BadInput(f"A page has 1 to {MAX_PAGE_ROWS:,} rows, not {limit:,}.")
    kind = export_kind(name)
    full_options = complete_options(store, dataset.id, kind, options)
    query_id = content_id(dataset.id, name, full_options)
    begin, times = _read_cursor(name, query_id, cursor) if cursor else (BEGIN, 0)
    rows = _rows_behind(store, dataset, kind, full_options, begin, times, limit + 1)
    more = len(rows) > limit
    for row in rows[:limit]:
        times = times + 1 if (key := _key(name, row)) == begin else 1
        begin = key
    _record(store, actor, dataset, kind, full_options, rows[:limit])
    return ExportPage(rows[:limit], _cursor(query_id, list(begin.values()), times) if more else "")


@allow("researcher")
def stream_export(
    store: Store, actor: str, dataset: Dataset, name: str, options: Options
) -> Iterator[list[Row]]:
    """All rows of an export of a kind in KEYS in batches, for researchers and leads. Raises NotAllowed, BadInput."""
    require(store, actor, "researcher")
    kind = export_kind(name)
    full_options = complete_options(store, dataset.id, kind, options)
    left = kind.rows(store, dataset, full_options)
    while batch := list(islice(left, _BATCH)):
        _record(store, actor, dataset, kind, full_options, batch)
        yield batch


def _record(
    store: Store, actor: str, dataset: Dataset, kind: ExportKind, options: dict[str, Any], rows: list[Row]
) -> None:
    """Put on record that somebody is given these rows; it is in the store when this returns."""
    if not rows:
        return
    provenance = kind.provenance(store, dataset, options)
    names = {str(row["item"]) for row in rows if "item" in row}

    def work(tx: Tx) -> None:
        exposure.add_exposures(tx, actor, answers_in_rows(tx, dataset, kind, options, names), _ROUTE)
        settings = canonical({"format": _ROUTE, **options, **provenance})
        tx.append([ExportRow(new_id(), dataset.id, kind.name, settings, len(rows))])

    act(store, actor, "researcher", "export", work, dataset.id)


def _key(name: str, row: Row) -> Row:
    return {column: row[column] for column in KEYS[name]}


def _cursor(query_id: str, key: list[Any], times: int) -> str:
    text = json.dumps([query_id, key, times], ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(name: str, query_id: str, cursor: str) -> tuple[Row, int]:
    """The key of the row that a page ended with, and how many rows with that key lie behind. Raises BadInput."""
    try:
        of, key, times = parse_json(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode())
        row = dict(zip(KEYS[name], key, strict=True))
        sound = of == query_id and type(times) is int and all(c == "sample" or type(v) is str for c, v in row.items())
    except (ValueError, TypeError, BadJson):
        sound = False
    if not sound:
        raise BadInput("This cursor belongs to another request. Use the one from the previous page.")
    return row, times


def _rows_behind(
    store: Store, dataset: Dataset, kind: ExportKind, options: dict[str, Any], begin: Options, times: int, limit: int
) -> list[Row]:
    """Return up to so many rows after that of a cursor; only its own item's rows are made again. Raises BadInput."""
    assert kind.first is not None
    most = limit + (_EXPECTED_ROWS_PER_ITEM if begin else 0)
    while True:
        rows = list(islice(kind.first(store, dataset, options, most, begin), most))
        same = [place for place, row in enumerate(rows, 1) if _key(kind.name, row) == begin]
        position = 0 if not begin else same[times - 1] if len(same) >= times > 0 else None
        if len(rows) < most:  # these are the last
            if position is None:
                raise BadInput("The last row of the previous page no longer exists. Start again without a cursor.")
            return rows[position:]
        if position is not None and len(rows) - position >= limit:
            return rows[position : position + limit]
        most *= 4
