"""Items in a file of JSON lines, checked before anything is asked about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from judges.card import Card, Item
from judges.errors import AssayError
from judges.importing.lines import said, whole
from judges.importing.repeated_problems import Groups
from judges.prepared import prepared
from judges.types import ITEM

_SHOWN = 10


class BadItems(AssayError):
    """Lines of a file that are no items of the card's kind, with their numbers."""


def check(path: Path, card: Card, limit: int = 0) -> tuple[int, Counter[str]]:
    """How many items the file holds for the card, at most `limit` (0: all), and how many of each other kind it holds.

    Raises BadItems naming every bad line, and where there is no item of the card's kind.
    """
    problems = Groups()
    names: set[str] = set()
    others: Counter[str] = Counter()
    count = bad = 0
    for number, line in _lines(path):
        if limit and count >= limit:
            break
        try:
            item = _item(line)
            problem = f"there is an item {item.id} before it" if item.id in names else ""
            names.add(item.id)
            if item.kind != card.kind:
                others[item.kind] += 1
            else:
                count += 1
        except (ValidationError, AssayError, ValueError) as error:
            problem = _sentence(error)
            count += 1
        if problem:
            bad += 1
            problems.add((path.name, number), problem)
    if bad and bad == count and (sentence := whole(path)):
        raise BadItems(sentence)
    if bad:
        listed = "\n".join(problems.told(_SHOWN))
        held = "1 line" if bad == 1 else f"{bad:,} lines"
        raise BadItems(f"{path.name} holds {held} that cannot be judged:\n{listed}")
    if not count and not others:
        raise BadItems(f"{path.name} holds no items.")
    if not count:
        raise BadItems(f"{path.name}: {passed_over(others)}: the card {card.name} judges a {card.kind}.")
    return count, others


def passed_over(others: Counter[str]) -> str:
    """How many items of other kinds were passed over, in words; "" for none."""
    said = [f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in sorted(others.items())]
    return f"{' and '.join(said)} {'was' if others.total() == 1 else 'were'} passed over" if said else ""


def items(path: Path, kind: str, limit: int = 0) -> Iterator[tuple[str, Item]]:
    """(id, item) of every line of that kind, as they are read; for a file that `check` has passed."""
    count = 0
    for _, line in _lines(path):
        if limit and count >= limit:
            return
        item = _item(line)
        if item.kind == kind:
            count += 1
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
        return said(error.errors(include_url=False, include_context=False, include_input=False))[:300]
    return " ".join(str(error).split())[:300]
