"""Rows below the first that belong to the header of a table: a second row of names, and the rows of Qualtrics."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from judges.authoring.scale_inference import survey
from judges.importing.column_names import is_unnamed

_LETTERS = 80
_Row = TypeVar("_Row")


def join_headers(names: Sequence[str], second: Sequence[str]) -> list[str]:
    """The names of a table below whose groups of columns a second row says what each holds; empty for any other.

    Human, "", LLM, "" and tone, truth, tone, truth are Human tone, Human truth, LLM tone and LLM truth.
    """
    groups: list[str] = []
    for place, name in enumerate(names):
        groups.append((groups[-1] if groups else "") if is_unnamed(name, place) else name)
    below = [cell.strip() for cell in second]
    continued = [cell for place, cell in enumerate(below) if groups[place] and is_unnamed(names[place], place)]
    inner = [cell for cell, group in zip(below, groups, strict=True) if cell and group]
    labels = all(len(cell) <= _LETTERS for cell in below) and not survey(below).numbers
    if len(continued) < 2 or not all(continued) or not labels or len(set(inner)) == len(inner):
        return []
    joined = [f"{group} {cell}".strip() for group, cell in zip(groups, below, strict=True)]
    return joined if all(joined) and len(set(joined)) == len(joined) else []


def drop_questions(rows: Iterable[_Row], cells: Callable[[_Row], Mapping[str, Any]]) -> Iterator[_Row]:
    """The rows without the two first where Qualtrics has the texts of the questions and their ids.

    `cells` gives the cells of a row.
    """
    rest = iter(rows)
    first = list(itertools.islice(rest, 2))
    has_ids = len(first) == 2 and any(str(cell).startswith('{"ImportId"') for cell in cells(first[1]).values())
    yield from rest if has_ids else itertools.chain(first, rest)
