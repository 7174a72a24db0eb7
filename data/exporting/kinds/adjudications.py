"""The adjudications of a dataset, as lines that an import takes."""

from __future__ import annotations

from collections.abc import Iterator

from data.exporting.kind import BEGIN, FLAG, NUMBER, TEXT, ExportKind, Options, Query, Row, limit_clause, typed_schema
from data.exporting.shared import NAMES, code_words, format_time, person_names
from data.gold.disputes import decision_time, labels_from_json
from data.records.datasets import Dataset
from data.store import Store


def _query(dataset: Dataset, _options: Options, limit: int = 0, begin: Options = BEGIN) -> Query:
    return (
        "select i.name, i.kind, a.unit, a.dimension, a.value, a.person, a.reason, a.saw_judge, c.made_at, a.labels "
        "from adjudication_now a join item i on i.id = a.item_id join change c on c.seq = a.seq "
        f"where a.dataset_id = $1 and i.name >= $2 order by i.name, a.unit, a.dimension{limit_clause(limit)}",
        [dataset.id, begin.get("item", "")],
    )


def rows(store: Store, dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN) -> Iterator[Row]:
    """The decisions in force, each with the labels that it was made on."""
    say, name_of = code_words(store), person_names(store, options["names"])
    for name, kind, unit, dimension, code, person, reason, saw, made_at, labels in store.stream(
        *_query(dataset, options, limit, begin)
    ):
        yield {
            "item": name, "unit": unit, "dimension": dimension, "value": say(kind, unit, dimension, code), "code": code,
            "adjudicator": name_of(person), "reason": reason, "saw_judge": bool(saw),
            "made_at": format_time(decision_time(labels, made_at)),
            "labels": [
                {"annotator": name_of(s.person), "value": say(kind, unit, dimension, s.value), "mode": s.mode}
                for s in labels_from_json(labels)
            ],
        }  # fmt: skip


KIND = ExportKind(
    "adjudications",
    "Adjudications",
    "One row for each rating that was adjudicated: the value, who, why, when, whether the judge was in view, and the "
    "labels behind it; as lines that Assay imports.",
    typed_schema(
        item=TEXT, unit=TEXT, dimension=TEXT, value=TEXT, code=NUMBER, adjudicator=TEXT, reason=TEXT, saw_judge=FLAG,
        made_at=TEXT, labels=TEXT,
    ),
    rows,
    shows_people=True,
    shows_judges="none",
    query=_query,
    first=rows,
    options=(NAMES,),
    place=15,
    reimport="imported again in every format, with its items; cards without a folder come with the dataset",
)  # fmt: skip
