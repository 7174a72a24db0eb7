"""The answers of judges each time they were asked, one row for each sample."""

from __future__ import annotations

from functools import partial

from data.exporting.kind import ExportKind
from data.exporting.kinds import scores
from data.exporting.shared import DIMENSION, JUDGE

rows = partial(scores.rows, single=True)


KIND = ExportKind(
    "samples",
    "Judges' single samples",
    "One row for each item, unit, dimension, judge and sample: what a judge said each time; its score combines them.",
    scores.COLUMNS,
    rows,
    query=partial(scores.query, single=True),
    options=(JUDGE, DIMENSION),
    place=21,
    shows_people=False,
    shows_judges="all",
    first=rows,
    reimport="imported again in every format, with its items, as values without replies",
)
