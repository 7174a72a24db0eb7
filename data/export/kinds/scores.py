"""What judges gave, one row for each item, unit, dimension and judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.datasets import Dataset
from data.export.kind import FLAG, NUMBER, TEXT, WHOLE, Kind, Options, Row, columns, limit, number
from data.export.shared import DIMENSION, JUDGE, judges, words
from data.store import Store


def _query(dataset: Dataset, options: Options, most: int = 0) -> tuple[str, list[Any]]:
    params, only = [dataset.id], ""
    for column, value in (("s.judge_id", options["judge"]), ("s.dimension", options["dimension"])):
        if value:
            params.append(value)
            only += f" and {column} = ${len(params)}"
    return (
        "select i.name, i.kind, s.unit, s.dimension, s.judge_id, s.value, s.confidence, s.source, s.sample, m.run_id "
        "from score_now s join item i on i.id = s.item_id join judgment m on m.id = s.judgment_id "
        f"where i.dataset_id = $1{only} order by i.name, s.judge_id, s.unit, s.dimension{limit(most)}",
        params,
    )


def rows(store: Store, dataset: Dataset, options: Options, most: int = 0) -> Iterator[Row]:
    """The values that stand for each judge, or the first so many."""
    known, say = judges(store), words(store)
    for name, kind, unit, dimension, judge_id, code, confidence, source, sample, run in store.stream(
        *_query(dataset, options, most)
    ):
        by = known[judge_id]
        yield {
            "item": name, "unit": unit, "dimension": dimension, "judge": judge_id,
            "value": say(kind, unit, dimension, code), "code": code, "confidence": confidence, "source": source,
            "sample": sample, "card": by.card, "card_version": by.card_version, "model": by.model,
            "params": by.params, "synthetic": by.synthetic, "run": run,
        }  # fmt: skip


def count(store: Store, dataset: Dataset, options: Options) -> int:
    """How many there are."""
    return number(store, _query(dataset, options))


KIND = Kind(
    "scores",
    "Judges' scores",
    "One row for each item, unit, dimension and judge: the value in words and as a number, and how sure the judge was.",
    columns(
        item=TEXT, unit=TEXT, dimension=TEXT, judge=TEXT, value=TEXT, code=NUMBER, confidence=NUMBER, source=TEXT,
        sample=WHOLE, card=TEXT, card_version=TEXT, model=TEXT, params=TEXT, synthetic=FLAG, run=TEXT,
    ),
    rows,
    count,
    (JUDGE, DIMENSION),
    place=20,
    people=False,
    judges="all",
    first=rows,
)  # fmt: skip
