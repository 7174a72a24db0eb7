"""The rows at the end of a spreadsheet that sum up the rows above, as "Total" and "Mean" do: they are no items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from judges.authoring.scale_inference import survey
from judges.importing.column_names import WORDS, normalize
from judges.importing.columns import cell_text
from judges.plural import verb

_WORDS = frozenset(WORDS["summary_rows"])
_LETTERS = 40
_Row = TypeVar("_Row")


def drop_summaries(
    rows: Iterable[_Row], cells: Callable[[_Row], Mapping[str, Any]], dropped: list[str]
) -> Iterator[_Row]:
    """The rows without those at the end that sum up the others; the names of these are added to `dropped`.

    `cells` gives the cells of a row.
    """
    last: list[tuple[str, _Row]] = []
    for row in rows:
        if name := _summary(cells(row)):
            last.append((name, row))
            continue
        yield from (earlier for _, earlier in last)
        last.clear()
        yield row
    dropped += [name for name, _ in last]


def explain_summaries(dropped: list[str]) -> str:
    """A phrase on rows that are dropped, for the end of a sentence."""
    rows, sums = verb(len(dropped), "row is", "rows are"), verb(len(dropped), "it sums", "they sum")
    return f"the last {rows} left out ({', '.join(dropped)}), as {sums} up the rows above"


def _summary(row: Mapping[str, Any]) -> str:
    """The name of a row whose first filled cell is a word such as total, with nothing but numbers after it; else ""."""
    texts = (text for cell in row.values() if (text := cell_text(cell).strip()))
    if normalize((name := next(texts, ""))[:_LETTERS]) not in _WORDS:
        return ""
    values = survey(text for text in texts if not text.startswith("#"))
    return name if values.numbers and not values.words else ""
