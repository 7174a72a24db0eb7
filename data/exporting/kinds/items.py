"""Items as Assay's own lines, which an import takes as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa

from data.exporting.kind import BEGIN, INTEGER, TEXT, ExportKind, Options, Query, Row, limit_clause, typed_schema
from data.records.datasets import Dataset
from data.store import Store

_SIDE = pa.struct([("system", TEXT), ("text", TEXT)])
_TURN = pa.struct([("turn", INTEGER), ("role", TEXT), ("text", TEXT), ("name", TEXT)])


def _query(dataset: Dataset, _options: Options, limit: int = 0, begin: Options = BEGIN) -> Query:
    query = f"select content from item where dataset_id = $1 and name >= $2 order by name{limit_clause(limit)}"
    return query, [dataset.id, begin.get("id", "")]


def rows(store: Store, dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Iterator[Row]:
    """One item after another, by name."""
    for (content,) in store.stream(*_query(dataset, options, limit, begin)):
        item = json.loads(content)
        yield {k: v for k, v in item.items() if not (k == "meta" and not v) and not (k == "sections" and v is None)}


KIND = ExportKind(
    "items",
    "Items",
    "The dialogues, pairs and responses themselves, as lines that Assay imports.",
    typed_schema(
        id=TEXT, kind=TEXT, scenario=TEXT, system=TEXT, turns=pa.list_(_TURN), input=TEXT, response_a=_SIDE,
        response_b=_SIDE, sections=TEXT, task=TEXT, output=TEXT, reference=TEXT, meta=TEXT,
    ),
    rows,
    shows_judges="none",
    query=_query,
    first=rows,
    place=10,
    shows_people=False,
    reimport="imported again in every format; CSV takes the apostrophe before a formula for its own",
)  # fmt: skip
