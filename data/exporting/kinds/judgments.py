"""The replies of judges, unchanged, as lines that an import takes and reads anew."""

from __future__ import annotations

import json
from collections.abc import Iterator

from data.exporting.kind import BEGIN, INTEGER, TEXT, ExportKind, Options, Query, Row, limit_clause, typed_schema
from data.exporting.shared import JUDGE
from data.records import datasets
from data.records.datasets import Dataset
from data.store import Store


def _query(dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Query:
    judge = options["judge"]
    only = " and m.judge_id = $3" if judge else ""
    return (
        "select i.name, m.judge_id, m.part, m.sample, m.raw, m.unscored, m.why, m.run_id "
        "from judgment m join item i on i.id = m.item_id left join unscored_now u on u.id = m.id "
        f"where i.dataset_id = $1 and i.name >= $2{only} and (m.unscored = '' or u.id is not null) "
        f"order by i.name, m.judge_id, m.part, m.sample, m.seq, m.id{limit_clause(limit)}",
        [dataset.id, begin.get("item", ""), *([judge] if judge else [])],
    )


def rows(store: Store, dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Iterator[Row]:
    """The replies that hold: those that could be read, and those that could not and were not asked for again."""
    known = datasets.every_judge(store)
    for name, judge_id, part, sample, raw, unscored, why, run in store.stream(*_query(dataset, options, limit, begin)):
        by = known[judge_id]
        yield {
            "item": name, "card": by.card, "model": by.model, "params": json.loads(by.params), "part": part,
            "sample": sample, "raw": raw, "unscored": unscored or None, "why": why, "judge": judge_id,
            "card_version": by.card_version, "run": run,
        }  # fmt: skip


KIND = ExportKind(
    "judgments",
    "Judges' replies",
    "Every judge's reply to every item as it came, with card, version, model, parameters and run.",
    typed_schema(
        item=TEXT, card=TEXT, model=TEXT, params=TEXT, part=TEXT, sample=INTEGER, raw=TEXT, unscored=TEXT, why=TEXT,
        judge=TEXT, card_version=TEXT, run=TEXT,
    ),
    rows,
    query=_query,
    first=rows,
    options=(JUDGE,),
    place=12,
    shows_people=False,
    shows_judges="all",
    reimport="imported again in every format, with its items; cards without a folder come with the dataset",
)  # fmt: skip
