"""Items in a file of JSON lines, checked before anything is asked about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from judges.card import Card, Item
from judges.errors import AssayError
from judges.prepared import prepared
from judges.types import ITEM

_SHOWN = 10


class BadItems(AssayError):
    """Lines of a file that are no items of the card's kind, with their numbers."""


def check(path: Path, card: Card, limit: int = 0) -> int:
    """How many items the file holds for the card, at most `limit` (0: all). Raises BadItems naming every bad line."""
    problems: list[str] = []
    names: set[str] = set()
    count = bad = 0
    for number, line in _lines(path):
        if limit and count >= limit:
            break
        try:
            item = _item(line)
            problem = ""
            if item.kind != card.kind:
                problem = f"{item.id} is a {item.kind}, and the card {card.name} judges a {card.kind}"
            elif item.id in names:
                problem = f"there is an item {item.id} before it"
            names.add(item.id)
        except (ValidationError, AssayError, ValueError) as error:
            problem = _sentence(error)
        count += 1
        if problem:
            bad += 1
            problems += [f"line {number}: {problem}"] if bad <= _SHOWN else []
    if bad:
        more = f"\n... and {bad - _SHOWN:,} more" if bad > _SHOWN else ""
        listed = "\n".join(problems)
        raise BadItems(f"{path.name} holds {bad:,} lines that cannot be judged:\n{listed}{more}")
    if not count:
        raise BadItems(f"{path.name} holds no items.")
    return count


def items(path: Path, limit: int = 0) -> Iterator[tuple[str, Item]]:
    """(id, item) of every line, as they are read; for a file that `check` has passed."""
    for count, (_, line) in enumerate(_lines(path)):
        if limit and count >= limit:
            return
        item = _item(line)
        yield item.id, item


def _item(line: bytes) -> Item:
    item = prepared(ITEM.validate_json(line))
    item.model_dump_json()  # half a surrogate pair can neither be sent nor kept
    return item


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line.removeprefix(b"\xef\xbb\xbf")


def _sentence(error: Exception) -> str:
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_context=False, include_input=False)
        told = [f"{'.'.join(str(p) for p in e['loc']) or 'it'}: {e['msg']}" for e in found[:3]]
        return "; ".join(told)[:300]
    return " ".join(str(error).split())[:300]
