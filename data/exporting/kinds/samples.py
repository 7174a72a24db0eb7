"""What judges said each time they were asked, one row for each sample."""

from __future__ import annotations

from functools import partial

from data.exporting.kind import ExportKind, Options, count_rows
from data.exporting.kinds import scores
from data.exporting.shared import DIMENSION, JUDGE
from data.records.datasets import Dataset
from data.store import Store

rows = partial(scores.rows, single=True)


def count(store: Store, dataset: Dataset, options: Options) -> int:
    """How many there are."""
    return count_rows(store, scores.query(dataset, options, single=True))


KIND = ExportKind(
    "samples",
    "Judges' single samples",
    "One row for each item, unit, dimension, judge and sample: what a judge said each time; its score combines them.",
    scores.COLUMNS,
    rows,
    count,
    (JUDGE, DIMENSION),
    place=21,
    people=False,
    judges="all",
    first=rows,
    again="imported again in every format, with its items, as values without replies",
)
