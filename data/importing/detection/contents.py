"""What the files of a source hold, in a summary: the cells of tables, and what other tools' files say of items.

It is read from the first row to the last, so that a scale is not guessed from a beginning; what it gives is small.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from data.importing.detection.detection import DetectedFile, read_format
from data.importing.files.source import Source
from data.importing.formats import TOOLS
from data.importing.lines import Line, NamedValue
from data.importing.source_reader import Progress
from judges.types import is_unit, sort_of

ROWS = 200
"""Rows of a table that are shown unchanged, their cells cut."""
_CELL, _WORD, _MOST, _OFTEN = 300, 80, 2_000, 2_000


@dataclass
class ColumnValues:
    """The different cells of a column, or values of a name, and how many there are that are not empty.

    `cells` is empty where they are texts. Of more than can be listed (`many`) it has the first, the least and greatest.
    """

    count: int = 0
    cells: list[Any] = field(default_factory=list)
    many: bool = False


@dataclass
class TableContents:
    """A table: its columns with their cells, its first rows with their cells cut, and the number of rows."""

    columns: dict[str, ColumnValues]
    rows: list[dict[str, Any]]
    count: int


@dataclass
class ValueSummary:
    """What judges or people (`by`) said of units of a sort under a name, and how often each of them."""

    by: str
    kind: str
    sort: str
    name: str
    who: dict[str, int]
    values: ColumnValues


@dataclass
class SourceContents:
    """The tables of a source by the name of their file, what other tools' files say, and their items by kind."""

    tables: dict[str, TableContents] = field(default_factory=dict)
    sayings: list[ValueSummary] = field(default_factory=list)
    items: dict[str, int] = field(default_factory=dict)


class _Column:
    """The cells of a column so far."""

    def __init__(self) -> None:
        self.summary = ColumnValues()
        self._cells: dict[Any, Any] = {}
        self._texts, self._numbers = False, 0
        self._ends: list[tuple[float, Any]] = []

    def add(self, cell: Any) -> None:
        """Another cell."""
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return
        self.summary.count += 1
        if self._texts or isinstance(cell, (dict, list)) or (isinstance(cell, str) and len(cell) > _WORD):
            self._texts = True
            return
        number = _number(cell)
        if number is not None:
            self._numbers += 1
            ends = [*self._ends, (number, cell)]
            self._ends = [min(ends, key=itemgetter(0)), max(ends, key=itemgetter(0))]
        if len(self._cells) < _MOST:
            # True and 1 are one key of a dict, and two cells.
            self._cells.setdefault((type(cell), cell), cell)
        else:
            self.summary.many = True

    def summarise(self) -> ColumnValues:
        """What they are."""
        few = not self.summary.many or self._numbers > 0.9 * self.summary.count
        if not self._texts and few:
            ends = [cell for _, cell in self._ends] if self.summary.many else []
            self.summary.cells = [*self._cells.values(), *ends]
        return self.summary


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return None
    try:
        number = float(cell)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def summarize_rows(file: str, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> SourceContents:
    """The contents of a table of which only its columns and these rows are known."""
    return SourceContents({file: _table(rows, columns)})


def read_contents(source: Source, found: list[DetectedFile], progress: Progress | None = None) -> SourceContents:
    """What the tables and other tools' files of a source hold; files of Assay's own formats need no telling."""
    contents = SourceContents()

    def tell(count: int) -> None:
        if progress is not None and count % _OFTEN == 0:
            progress(source.at, source.size, count)

    for known in found:
        if known.format == "table":
            with known.file.open() as stream:
                rows = (record.value for record in known.records(stream) if not record.problem)
                contents.tables[known.file.name] = _table(rows, (), tell)
    others = [known for known in found if known.format in TOOLS]
    if others:
        _count_values(others, contents, tell)
    return contents


def _table(
    rows: Iterable[dict[str, Any]], names: Sequence[str], tell: Callable[[int], None] = lambda count: None
) -> TableContents:
    """What the rows of a table hold; it has the columns of these names, and those that its rows have."""
    columns = {name: _Column() for name in names}
    shown: list[dict[str, Any]] = []
    count = 0
    for count, row in enumerate(rows, 1):
        for name, cell in row.items():
            columns.setdefault(name, _Column()).add(cell)
        if count <= ROWS:
            shown.append({name: _cut(cell) for name, cell in row.items()})
        tell(count)
    return TableContents({name: column.summarise() for name, column in columns.items()}, shown, count)


def _cut(cell: Any) -> Any:
    if isinstance(cell, (dict, list)):
        return cell if len(str(cell)) <= _CELL else str(cell)[:_CELL]
    return cell[:_CELL] if isinstance(cell, str) else cell


def _count_values(others: list[DetectedFile], facts: SourceContents, tell: Callable[[int], None]) -> None:
    by_name: dict[tuple[str, str, str, str], tuple[Counter[str], _Column]] = {}
    items: Counter[str] = Counter()
    for number, entry in enumerate(_entries(others), 1):
        if isinstance(entry, Line) and entry.sort == "item":
            items[str(entry.data.get("kind"))] += 1
        elif isinstance(entry, NamedValue):
            sort = sort_of(entry.unit) if is_unit(entry.unit) else ""
            who, values = by_name.setdefault((entry.by, entry.kind, sort, entry.name), (Counter(), _Column()))
            who[entry.who] += 1
            values.add(entry.value)
        tell(number)
    facts.items = dict(items)
    facts.sayings = [
        ValueSummary(*key, dict(who.most_common(50)), values.summarise()) for key, (who, values) in by_name.items()
    ]


def _entries(others: list[DetectedFile]) -> Iterator[Any]:
    for name in sorted({known.format for known in others}):
        yield from read_format(name, [known for known in others if known.format == name])
