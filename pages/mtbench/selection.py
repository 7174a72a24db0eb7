"""The data from which the parts of the page MT-Bench are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from data.records.datasets import Dataset
from judges.mtbench.ratings import ReadingRules
from judges.mtbench.records import Bench

MAX_SHOWN_ROWS = 25
"""Rows of a table of these parts that are shown without scrolling."""


class BenchSelection(NamedTuple):
    """A dataset with all that it holds, its judges' names by id, those of them that rate, and the reading rules."""

    dataset: Dataset
    bench: Bench
    names: Mapping[str, str]
    raters: Mapping[str, str]
    rules: ReadingRules

    @property
    def key(self) -> str:
        """The start of the components' keys: other figures are other components."""
        return f"{self.dataset.id}:{':'.join(self.rules)}"
