"""Items as Assay's own lines, which an import takes as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from data.exporting.kind import TEXT, WHOLE, ExportKind, Options, Row, count_rows, typed_schema
from data.records.datasets import Dataset
from data.store import Store

_SIDE = pa.struct([("system", TEXT), ("text", TEXT)])
_TURN = pa.struct([("turn", WHOLE), ("role", TEXT), ("text", TEXT)])


def _query(dataset: Dataset) -> tuple[str, list[Any]]:
    return "select content from item where dataset_id = $1 order by name", [dataset.id]


def rows(store: Store, dataset: Dataset, _options: Options) -> Iterator[Row]:
    """One item after another, by name."""
    for (content,) in store.stream(*_query(dataset)):
        item = json.loads(content)
        yield {k: v for k, v in item.items() if not (k == "meta" and not v) and not (k == "sections" and v is None)}


def count(store: Store, dataset: Dataset, _options: Options) -> int:
    """How many there are."""
    return count_rows(store, _query(dataset))


KIND = ExportKind(
    "items",
    "Items",
    "The dialogues, pairs and responses themselves, as lines that Assay imports.",
    typed_schema(
        id=TEXT, kind=TEXT, scenario=TEXT, system=TEXT, turns=pa.list_(_TURN), input=TEXT, response_a=_SIDE,
        response_b=_SIDE, sections=TEXT, task=TEXT, output=TEXT, reference=TEXT, meta=TEXT,
    ),
    rows,
    count,
    place=10,
    people=False,
    again="imported again in every format; CSV takes the apostrophe before a formula for its own",
)  # fmt: skip
