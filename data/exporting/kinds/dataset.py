"""A whole dataset as lines of Assay's own: cards, items, replies, labels, adjudications, their rule, guidelines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from data.cards import cards
from data.exporting.kind import TEXT, ExportKind, Options, Row, typed_schema
from data.exporting.kinds import adjudications, items, judgments, labels
from data.exporting.shared import NAMES
from data.records import guidelines
from data.records.datasets import Dataset
from data.records.settings import gold_rule
from data.store import Store
from judges.importing.contents import FORMAT
from judges.version import VERSION


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """Cards first, then items, so that what is said of them finds them."""
    yield {"assay": {"format": FORMAT, "dataset": dataset.name, "version": VERSION}}
    yield from ({"card": spec} for spec in cards.portable_cards(store, dataset.id))
    yield from items.rows(store, dataset, options)
    yield from judgments.rows(store, dataset, {"judge": ""})
    yield from labels.rows(store, dataset, {"dimension": "", **options})
    yield from adjudications.rows(store, dataset, options)
    yield {"gold_rule": asdict(gold_rule(store, dataset.id))}
    if guideline := guidelines.current_guidelines(store, dataset.id):
        yield {"guidelines": guideline.text}


def count(store: Store, dataset: Dataset, options: Options) -> int:
    """Return the number of lines of all sorts, including the first line and the rule."""
    every = {"judge": "", "dimension": "", **options}
    lines: int = sum(module.KIND.size(store, dataset, every) for module in (items, judgments, labels, adjudications))
    has_guidelines = guidelines.current_guidelines(store, dataset.id) is not None
    return lines + len(cards.portable_cards(store, dataset.id)) + 2 + has_guidelines


KIND = ExportKind(
    "dataset",
    "The whole dataset",
    "The cards it needs, items, judges' replies, people's labels, adjudications, how labels are combined and the "
    "guidelines, in one file: imported by a lead, as drawn at random, into an empty workspace, it gives the same "
    "reference labels (gold) and the same figures. In a sample that is not labelled in full, each label has the "
    "probability of its draw but not the response rate of its stratum: there, strata with fewer labels weigh less.",
    typed_schema(id=TEXT, item=TEXT),
    rows,
    shows_people=True,
    shows_judges="all",
    count=count,
    options=(NAMES,),
    place=5,
    reimport="imported again whole, by itself",
    parts=(items.KIND, judgments.KIND, labels.KIND, adjudications.KIND),
)
