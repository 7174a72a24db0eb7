"""A whole dataset as lines of Assay's own: items, judges' replies, people's labels."""

from __future__ import annotations

from collections.abc import Iterator

from data.datasets import Dataset
from data.export.kind import TEXT, Kind, Options, Row, columns
from data.export.kinds import items, judgments, labels
from data.export.shared import NAMES
from data.store import Store


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """Items first, so that what is said of them finds them."""
    yield from items.rows(store, dataset, options)
    yield from judgments.rows(store, dataset, {"judge": ""})
    yield from labels.rows(store, dataset, {"dimension": "", **options})


def count(store: Store, dataset: Dataset, options: Options) -> int:
    """How many there are of all sorts."""
    every = {"judge": "", "dimension": "", **options}
    return sum(one.count(store, dataset, every) for one in (items, judgments, labels))


KIND = Kind(
    "dataset",
    "The whole dataset",
    "Items, judges' replies and people's labels in one file that Assay imports: imported as drawn at random into an "
    "empty workspace, they give the same figures. Adjudications and the dataset's rules do not go with them.",
    columns(id=TEXT, item=TEXT),
    rows,
    count,
    (NAMES,),
    place=5,
    lines=True,
)
