"""What a statistic of a dimension is: a name, how it is loaded, and the findings that page and report draw of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from data.gold.gold import Basis
from data.store import Store
from judges.render.findings.findings import Finding
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult
from judges.types import Dimension

EPSILON = 0.2
"""The handicap of the alternative-annotator test in a report: that for experts, the strictest on the people's side."""
F = TypeVar("F")
Json = dict[str, Any]


@dataclass(frozen=True)
class Of:
    """What a statistic is of: a judge (by id) on a dataset, in a dimension, on a basis.

    `drop` is a category that is left out on both sides, "" for none; `epsilon` the handicap of the test of people.
    """

    store: Store
    dataset: str
    judge: str
    dimension: Dimension
    basis: Basis
    drop: str = ""
    epsilon: float = EPSILON

    @property
    def place(self) -> tuple[Store, str, str, Dimension]:
        """The first arguments of a query."""
        return self.store, self.dataset, self.judge, self.dimension


@dataclass(frozen=True)
class Statistic(Generic[F]):
    """A statistic whose figures are an F.

    `name` stands in addresses, `title` above what is drawn. `load` reads and computes the figures, `empty` are those of
    a dimension in which people and judge meet nowhere (then nothing is loaded). `findings` are what they come to, and
    nothing where they say nothing; `plain` are the same with every digit, as keys of a dimension in figures.json.
    `stands` says whether a dimension has it at all, `drops` whether ties can be left out of it. `folded`: a report
    has it behind a line that opens it. `reading` names what explains it (pages/ui/explanations.py).
    """

    name: str
    title: str
    load: Callable[[Of], F]
    findings: Callable[[F, DimensionResult, Policy], Sequence[Finding]]
    empty: F
    plain: Callable[[F], Json] = lambda _: {}
    stands: Callable[[DimensionResult], bool] = lambda _: True
    drops: bool = True
    folded: bool = False
    reading: tuple[str, ...] = ()

    def of(self, found: Mapping[str, Any]) -> F:
        """Its figures among those of all statistics of a dimension."""
        figures: F = found[self.name]
        return figures
