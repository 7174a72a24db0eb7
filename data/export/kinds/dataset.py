"""A whole dataset as lines of Assay's own: cards, items, replies, labels, adjudications, gold rule, guidelines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from data import cards, guidelines
from data.datasets import Dataset
from data.export.kind import TEXT, Kind, Options, Row, columns
from data.export.kinds import adjudications, items, judgments, labels
from data.export.shared import NAMES
from data.settings import gold_rule
from data.store import Store
from judges.files.contents import FORMAT


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """Cards first, then items, so that what is said of them finds them."""
    yield {"assay": {"format": FORMAT, "dataset": dataset.name}}
    yield from ({"card": spec} for spec in cards.travelling(store, dataset.id))
    yield from items.rows(store, dataset, options)
    yield from judgments.rows(store, dataset, {"judge": ""})
    yield from labels.rows(store, dataset, {"dimension": "", **options})
    yield from adjudications.rows(store, dataset, options)
    yield {"gold_rule": asdict(gold_rule(store, dataset.id))}
    if held := guidelines.current(store, dataset.id):
        yield {"guidelines": held.text}


def count(store: Store, dataset: Dataset, options: Options) -> int:
    """How many there are of all sorts, the first line and the rule among them."""
    every = {"judge": "", "dimension": "", **options}
    lines: int = sum(one.count(store, dataset, every) for one in (items, judgments, labels, adjudications))
    return lines + len(cards.travelling(store, dataset.id)) + 2 + (guidelines.current(store, dataset.id) is not None)


KIND = Kind(
    "dataset",
    "The whole dataset",
    "The cards it needs, items, judges' replies, people's labels, adjudications, the gold rule and the guidelines in "
    "one file that Assay imports: imported by a lead, as drawn at random, into an empty workspace, they give the same "
    "gold and the same figures. Of a sample that is not answered in full, each answer tells the probability of its "
    "draw and not the share of its stratum that answered: there, strata that answered less weigh less.",
    columns(id=TEXT, item=TEXT),
    rows,
    count,
    (NAMES,),
    place=5,
    judges="all",
    lines=True,
    again="imported again whole, by itself",
)
