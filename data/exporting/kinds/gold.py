"""The gold of every cell, with how it came about, and a judge's score beside it where one is chosen."""

from __future__ import annotations

from collections.abc import Iterator

from data.exporting.kind import (
    BEGIN,
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    ExportKind,
    Options,
    Row,
    count_rows,
    limit_clause,
    typed_schema,
)
from data.exporting.shared import BASIS, DIMENSION, JUDGE, dimensions_by_place, exact_words
from data.gold.gold import gold_sql
from data.records import datasets
from data.records.datasets import Dataset
from data.records.settings import gold_rule
from data.store import Store
from judges.types import sort_of


def rows(store: Store, dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Iterator[Row]:
    """Dimension after dimension, by item; or the first so many of each dimension."""
    judge, rule = options["judge"], gold_rule(store, dataset.id)
    by = datasets.every_judge(store).get(judge)
    name_from, waits = begin.get("item", ""), bool(begin)
    for d in dimensions_by_place(store, dataset.id):
        waits = waits and (d.sort, d.name) != (sort_of(begin["unit"]), begin["dimension"])
        if waits or options["dimension"] not in ("", d.name):
            continue
        for name, unit, code, resolution, people, low, high, probability, is_tuning, scored, judge_code in store.stream(
            "select i.name, g.unit, g.value, g.how, g.people, g.low, g.high, g.probability, t.item_id is not null, "
            f"s.judge_id is not null, s.value from ({gold_sql(d.sort, d.scale, options['basis'], rule)}) g "
            "join item i on i.id = g.item_id left join tuning_now t on t.item_id = g.item_id "
            "left join score_now s on s.item_id = g.item_id and s.unit = g.unit and s.dimension = $2 "
            f"and s.judge_id = $3 where i.name >= $4 order by i.name, g.unit{limit_clause(limit)}",
            [dataset.id, d.name, judge, name_from],
        ):
            yield {
                "item": name, "unit": unit, "dimension": d.name, "value": exact_words(d.scale, code), "code": code,
                "how": resolution, "people": people, "low": low, "high": high, "probability": probability,
                "basis": options["basis"], "tuning": is_tuning,
                "judge": judge or None, "judge_value": exact_words(d.scale, judge_code) if scored else None,
                "judge_code": judge_code, "card": by.card if by else None,
                "card_version": by.card_version if by else None, "model": by.model if by else None,
            }  # fmt: skip
        name_from = ""


def count(store: Store, dataset: Dataset, options: Options) -> int:
    """Return the number of rows."""
    rule, dimension_name = gold_rule(store, dataset.id), options["dimension"]
    dimensions = [d for d in dimensions_by_place(store, dataset.id) if dimension_name in ("", d.name)]
    return sum(
        count_rows(store, (gold_sql(d.sort, d.scale, options["basis"], rule), [dataset.id, d.name])) for d in dimensions
    )


KIND = ExportKind(
    "gold",
    "Reference labels (gold)",
    "One row for each item, unit and dimension that people have rated: the value, how it came about (one, agreed, "
    "median, majority, adjudicated), how many people, and a judge's value beside it where one is chosen.",
    typed_schema(
        item=TEXT, unit=TEXT, dimension=TEXT, value=TEXT, code=NUMBER, how=TEXT, people=INTEGER, low=NUMBER,
        high=NUMBER, probability=NUMBER, basis=TEXT, tuning=FLAG, judge=TEXT, judge_value=TEXT, judge_code=NUMBER,
        card=TEXT, card_version=TEXT, model=TEXT,
    ),
    rows,
    shows_people=True,
    shows_judges="chosen",
    count=count,
    options=(BASIS, DIMENSION, JUDGE),
    place=8,
    first=rows,
    reimport="not imported again: gold is made of labels and adjudications, which are",
)  # fmt: skip
