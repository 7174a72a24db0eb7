"""A summary of a source's files: the cells of tables, and what other tools' files say of items.

Files are read from the first row to the last, so that no scale is guessed from first rows. The result is small.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from judges.authoring.scale_inference import MISSING, is_missing_code, stray_cells, survey
from judges.importing.column_names import WORDS, normalize
from judges.importing.nested_cells import NestedColumn, nested_columns
from judges.importing.summary_rows import drop_summaries
from judges.strict_json import decode_json

MAX_FIRST_ROWS = 200
"""The number of first rows of a table that are kept, with their cells cut."""
_MAX_LATER_ROWS, _CELLS_PER_COLUMN = 300, 20
"""The most later rows that are kept too, and at least how many cells of a column they should bring."""
_MAX_CELL_LENGTH, _MAX_WORD_LENGTH, _MAX_DISTINCT_CELLS = 300, 80, 2_000
_MAX_PARTS, _MAX_NESTED_LENGTH = 20, 5_000


@dataclass
class ColumnValues:
    """The different cells of a column, or values of a name, and how many there are that are not empty.

    `cells` is empty where they are texts. Of more than can be listed (`many`) it has the first, the least and greatest.
    `counts` says how often each of them is there. `missing` of the `count` only say that there is nothing, as "n/a" or
    the code 99 do. `strays` are the few of the cells that are far off all others.
    """

    count: int = 0
    cells: list[Any] = field(default_factory=list)
    many: bool = False
    missing: int = 0
    strays: list[Any] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)


@dataclass
class TableContents:
    """A table: its columns with their cells, some rows with their cells cut, and the number of all.

    The rows are the first, and later ones that show what these do not: cells of columns that begin late, and an id that
    comes again. `nested` are the columns of objects whose fields are columns too.
    """

    columns: dict[str, ColumnValues]
    rows: list[dict[str, Any]]
    count: int
    nested: dict[str, NestedColumn] = field(default_factory=dict)


@dataclass
class ValueSummary:
    """The values that judges or people (`by`) gave to units of a sort under a name; `raters` has the count of each.

    `items` is the number of items that have one.
    """

    by: str
    kind: str
    sort: str
    name: str
    raters: dict[str, int]
    values: ColumnValues
    items: int


@dataclass
class SourceContents:
    """The tables of a source by the name of their file, what other tools' files say, and their items by kind."""

    tables: dict[str, TableContents] = field(default_factory=dict)
    value_summaries: list[ValueSummary] = field(default_factory=list)
    items: dict[str, int] = field(default_factory=dict)


class CellCollector:
    """The cells of a column so far."""

    def __init__(self) -> None:
        self.summary = ColumnValues()
        self._counts = Counter[tuple[type, Any]]()
        self._texts, self._numbers, self._none_count = False, 0, 0
        self._ends: list[tuple[float, Any]] = []

    def add(self, cell: Any) -> None:
        if is_empty(cell):
            return
        self.summary.count += 1
        if isinstance(cell, str) and (folded := cell.strip().lower()) in MISSING:
            self.summary.missing += 1
            self._none_count += folded == "none"
        if self._texts or isinstance(cell, (dict, list)) or (isinstance(cell, str) and len(cell) > _MAX_WORD_LENGTH):
            self._texts = True
            return
        number = _number(cell)
        if number is not None:
            self._numbers += 1
            ends = [*self._ends, (number, cell)]
            self._ends = [min(ends, key=itemgetter(0)), max(ends, key=itemgetter(0))]
        if len(self._counts) < _MAX_DISTINCT_CELLS:
            self._counts[type(cell), cell] += 1  # True and 1 are one key of a dict, and two cells
        else:
            self.summary.many = True

    def summarise(self) -> ColumnValues:
        surveyable = not self.summary.many or self._numbers > 0.9 * (self.summary.count - self.summary.missing)
        if not self._texts and surveyable:
            ends = [cell for _, cell in self._ends] if self.summary.many else []
            self.summary.cells = [*(cell for _, cell in self._counts), *ends]
            self.summary.counts = [*self._counts.values()] + [1] * len(ends)
            if not ends:
                self.summary.strays = stray_cells((cell, count) for (_, cell), count in self._counts.items())
                codes = filter(is_missing_code, self.summary.strays)
                self.summary.missing += sum(self._counts[type(code), code] for code in codes)
        scale = survey(self.summary.cells).answers if self._none_count else None
        if scale is not None and "none" in scale.categories:
            self.summary.missing -= self._none_count
        return self.summary


def is_empty(cell: Any) -> bool:
    """Whether there is nothing in a cell."""
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())


def _number(cell: Any) -> float | None:
    """The number that a cell is, by which those of a column are put in order."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, str) and cell.count(",") + cell.count("%") and "." not in cell:
        cell = cell.strip().removesuffix("%").replace(",", ".")
    try:
        number = float(cell)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def summarize_rows(file: str, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> SourceContents:
    """The contents of a table of which only its columns and these rows are known."""
    rows = list(rows)
    return SourceContents({file: read_table(rows, columns, nested_columns(rows))})


def read_table(
    rows: Iterable[dict[str, Any]], names: Sequence[str], nested: dict[str, NestedColumn],
    tell: Callable[[int], None] = lambda count: None,
) -> TableContents:  # fmt: skip
    """Return the contents of a table from its rows; it has the columns of these names, and those that its rows have."""
    columns = defaultdict[str, CellCollector](CellCollector, {name: CellCollector() for name in names})
    shown: list[dict[str, Any]] = []
    later = _LaterRows(shown)
    count = 0
    for count, row in enumerate(drop_summaries(rows, lambda row: row, []), 1):
        for name, cell in row.items():
            columns[name].add(cell)
        if count <= MAX_FIRST_ROWS or later.show_more(row, columns):
            shown.append({name: _cut(cell) for name, cell in row.items()})
        tell(count)
    return TableContents({name: column.summarise() for name, column in columns.items()}, shown, count, nested)


class _LaterRows:
    """The choice of rows below the first ones that show what the first ones do not."""

    def __init__(self, shown: list[dict[str, Any]]) -> None:
        self._first_rows = shown
        self._column_count = 0
        self._lacking: dict[str, int] = {}
        self._ids: dict[str, set[str]] = {}
        self._left = dict.fromkeys(("lacking", "ids"), _MAX_LATER_ROWS)

    def show_more(self, row: Mapping[str, Any], columns: Collection[str]) -> bool:
        """Whether a row has a cell in a column of which few were met, or an id of the first rows again."""
        if len(columns) > self._column_count:
            self._look_at(list(columns)[self._column_count :])
            self._column_count = len(columns)
        filled = [name for name in self._lacking if not is_empty(row.get(name))]
        for name in filled:
            self._lacking[name] -= 1
            if not self._lacking[name]:
                del self._lacking[name]
        again = any(str(row.get(name)) in cells for name, cells in self._ids.items())
        for sort, hit in (("lacking", bool(filled)), ("ids", again)):
            if hit and self._left[sort]:
                self._left[sort] -= 1
                if not self._left[sort]:
                    (self._lacking if sort == "lacking" else self._ids).clear()
                return True
        return False

    def _look_at(self, names: Iterable[str]) -> None:
        """Find what the first rows show of some columns."""
        for name in names:
            cells = [row[name] for row in self._first_rows if not is_empty(row.get(name))]
            if len(cells) < _CELLS_PER_COLUMN:
                self._lacking[name] = _CELLS_PER_COLUMN - len(cells)
            if normalize(name) in WORDS["ids"] or normalize(name).endswith("_id"):
                self._ids[name] = {str(cell) for cell in cells}


def _cut(cell: Any) -> Any:
    if isinstance(cell, (dict, list)):
        part = cell if len(str(cell)) <= _MAX_CELL_LENGTH else _cut_parts(cell)
        return part if len(str(part)) <= _MAX_NESTED_LENGTH else str(cell)[:_MAX_CELL_LENGTH]
    if not isinstance(cell, str) or len(cell) <= _MAX_CELL_LENGTH:
        return cell
    value = _cut(decoded) if (decoded := decode_json(cell)) is not cell else cell[:_MAX_CELL_LENGTH]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut_parts(value: Any) -> Any:
    """The first parts of a list or an object, with their texts cut, so that they still show what it holds."""
    if isinstance(value, list):
        return [_cut_parts(part) for part in value[:_MAX_PARTS]]
    if isinstance(value, dict):
        return {key: _cut_parts(value[key]) for key in list(value)[:_MAX_PARTS]}
    return value[:_MAX_WORD_LENGTH] if isinstance(value, str) else value
