"""People's labels, one row for each item, unit, dimension and person, as lines that an import takes."""

from __future__ import annotations

from collections.abc import Iterator

from data.exporting.kind import BEGIN, FLAG, NUMBER, TEXT, ExportKind, Options, Query, Row, limit_clause, typed_schema
from data.exporting.shared import DIMENSION, NAMES, code_words, format_time, person_names
from data.records import datasets
from data.records.datasets import Dataset
from data.store import Store


def _query(dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Query:
    dimension = options["dimension"]
    only = " and l.dimension = $3" if dimension else ""
    return (
        "select i.name, i.kind, l.unit, l.dimension, l.value, l.annotator, l.mode, l.made_at, l.judge_id, l.saw, "
        "l.seen, case when t.item_id is null then coalesce(d.probability, l.probability) end, o.stream, "
        "n.source, c.actor, c.made_at "
        "from label_now l join item i on i.id = l.item_id "
        "left join draw_now d on d.id = l.draw_id and d.stream = 'audit' left join draw o on o.id = l.draw_id "
        "left join tuning_now t on t.item_id = l.item_id left join intake n on n.seq = l.seq and l.answer_id = '' "
        "left join change c on c.seq = n.seq "
        f"where i.dataset_id = $1 and i.name >= $2{only} order by i.name, l.unit, l.dimension, l.annotator, l.seq, l.id"
        f"{limit_clause(limit)}",
        [dataset.id, begin.get("item", ""), *([dimension] if dimension else [])],
    )


def _count_query(dataset: Dataset, options: Options) -> Query:
    only = " and l.dimension = $2" if options["dimension"] else ""
    query = f"select 1 from label_now l join item i on i.id = l.item_id where i.dataset_id = $1{only}"
    return query, [dataset.id, *([options["dimension"]] if only else [])]


def rows(store: Store, dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Iterator[Row]:
    """The labels that hold, or the first so many.

    `probability` is that with which the item was drawn (none: not at random, or the item was put aside as a tuning item
    since, so that no approval check may count it). Of an imported label the file, who imported it and when are given
    beside it; then mode and probability are that person's word.
    """
    known, say, name_of = datasets.every_judge(store), code_words(store), person_names(store, options["names"])
    for name, kind, unit, dimension, code, annotator, mode, made_at, judge, saw, seen, probability, stream, *came in (
        store.stream(*_query(dataset, options, limit, begin))
    ):
        source, importer, at = came
        by = known.get(judge)
        yield {
            "item": name, "unit": unit, "dimension": dimension, "value": say(kind, unit, dimension, code), "code": code,
            "annotator": name_of(annotator), "mode": mode, "made_at": format_time(made_at), "probability": probability,
            "stream": stream, "judge": judge or None, "saw": saw,
            "seen": say(kind, unit, dimension, seen) if saw else None, "judged_by": by.card if by else None,
            "card_version": by.card_version if by else None, "model": by.model if by else None,
            "imported_from": source, "imported_by": name_of(importer) if importer else None,
            "imported_at": format_time(at) if at else None,
        }  # fmt: skip


KIND = ExportKind(
    "labels",
    "People's labels",
    "One row for each item, unit, dimension and person, with mode, time, the judge's value that was on screen and the "
    "probability of the draw; as lines that Assay imports.",
    typed_schema(
        item=TEXT, unit=TEXT, dimension=TEXT, value=TEXT, code=NUMBER, annotator=TEXT, mode=TEXT, made_at=TEXT,
        probability=NUMBER, stream=TEXT, judge=TEXT, saw=FLAG, seen=TEXT, judged_by=TEXT, card_version=TEXT, model=TEXT,
        imported_from=TEXT, imported_by=TEXT, imported_at=TEXT,
    ),
    rows,
    shows_people=True,
    query=_count_query,
    options=(DIMENSION, NAMES),
    place=14,
    shows_judges="all",
    first=rows,
    reimport="imported again in every format, with its items; cards without a folder come with the dataset",
)  # fmt: skip
