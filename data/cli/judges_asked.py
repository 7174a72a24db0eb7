"""The judges of a dataset that a command was asked about."""

from __future__ import annotations

import argparse

from data.records import judge_lookup
from data.records.datasets import Dataset
from data.store import Store


def add_judge(parser: argparse.ArgumentParser, default: str = "the only one") -> None:
    """Add the option that names a judge."""
    says = f"{judge_lookup.SAYS} (default: {default})"
    parser.add_argument("--judge", metavar="JUDGE", default="", help=says)


def judges(store: Store, dataset: Dataset, wanted: str) -> list[tuple[str, str, str]]:
    """(judge id, card, model) of the judges that `wanted` names; "" is all. Raises NotFound, naming those there are."""
    return [
        (one.id, one.card, one.model) for one in judge_lookup.lookup_judges(store, dataset.id, dataset.name, wanted)
    ]


def judge(store: Store, dataset: Dataset, wanted: str) -> tuple[str, str, str]:
    """The one judge that `wanted` names. Raises NotFound, and BadInput where it fits several."""
    one = judge_lookup.lookup_judge(store, dataset.id, dataset.name, wanted)
    return one.id, one.card, one.model
