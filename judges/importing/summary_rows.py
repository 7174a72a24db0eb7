"""The rows of a spreadsheet that sum up the rows above, as "Total" and "Mean" do: they are no items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from judges.authoring.scale_inference import survey
from judges.importing.column_names import WORDS, normalize
from judges.importing.columns import cell_text
from judges.plural import many, verb

_WORDS = frozenset(WORDS["summary_rows"])
_LETTERS = 40
_Row = TypeVar("_Row")


def drop_summaries(
    rows: Iterable[_Row], cells: Callable[[_Row], Mapping[str, Any]], dropped: list[str]
) -> Iterator[_Row]:
    """The rows without those that sum up the others; the names of these are added to `dropped`.

    They are at the end, or have fewer filled cells than the row above. `cells` gives the cells of a row.
    """
    last: list[tuple[str, _Row]] = []
    above: Mapping[str, Any] = {}
    for row in rows:
        if name := _summary(cells(row)):
            if _count_filled(cells(row)) < _count_filled(above):
                dropped.append(name)
            else:
                last.append((name, row))
            continue
        yield from (earlier for _, earlier in last)
        last.clear()
        above = cells(row)
        yield row
    dropped += [name for name, _ in last]


def explain_summaries(dropped: list[str]) -> str:
    """A sentence on rows that are dropped."""
    names = list(dict.fromkeys(dropped))
    sums = verb(len(dropped), "is left out, as it sums up others", "are left out, as they sum up others")
    return f"{many(len(dropped), 'row')} ({', '.join(names[:8])}) {sums}."


def _count_filled(row: Mapping[str, Any]) -> int:
    return sum(bool(cell_text(cell).strip()) for cell in row.values())


def _summary(row: Mapping[str, Any]) -> str:
    """The name of a row whose first filled cell is a word such as total, with nothing but numbers after it; else ""."""
    texts = (text for cell in row.values() if (text := cell_text(cell).strip()))
    if normalize((name := next(texts, ""))[:_LETTERS]) not in _WORDS:
        return ""
    values = survey(text for text in texts if not text.startswith("#"))
    return name if values.numbers and not values.words else ""
