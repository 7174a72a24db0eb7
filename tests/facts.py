"""Values as facts, one a line, as archives keep them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from html import unescape
from typing import Any
from xml.etree import ElementTree

import numpy as np
from pydantic import BaseModel

from data.store import Store
from judges.card import Card
from judges.errors import AssayError
from judges.types import Dimension

_PLACES = "d x y x1 y1 x2 y2 cx cy width height fill-opacity".split()


def facts(name: str, value: Any, depth: int = 0, longest: int = 40) -> Iterator[str]:
    """What a value holds, as lines: records with their fields, what is short in one line, of long lists the first."""
    begin = "  " * depth + (f"{name}: " if name else "- ")
    if (flat := _flat(value)) is not None and len(flat) + len(begin) <= 240:
        yield begin + flat
        return
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if (held := _fields(value)) is not None:
        yield begin + type(value).__name__
        for key, one in held.items():
            yield from facts(str(key), one, depth + 1, longest)
    elif isinstance(value, (Sequence, Set)) and not isinstance(value, str):
        there = sorted(value) if isinstance(value, Set) else value
        yield f"{begin}{len(there)}"
        for one in there[:longest]:
            yield from facts("", one, depth + 1, longest)
        if len(there) > longest and all(isinstance(one, (int, float)) for one in there):
            yield f"{'  ' * (depth + 1)}sum {_flat(float(sum(there)))}"
    else:
        yield begin + (flat if flat is not None else type(value).__name__)


def tallies(rows: Sequence[Mapping[str, Any]], most: int = 8) -> Iterator[str]:
    """For each column of rows, its commonest values and how often they occur, in the order of the values."""
    for column in {key: None for row in rows for key in row}:
        found = Counter(_flat(row[column]) or str(row[column]) for row in rows if column in row)
        each = len(found) == len(rows) > most  # names and texts: a few will do
        told = sorted(found.items(), key=lambda one: (-one[1], one[0]))[: 2 if each else most]
        shown = ", ".join(f"{value[:60]} x{times}" for value, times in sorted(told))
        yield f"  {column} ({len(found)}): {shown}"


def text_of(document: str) -> str:
    """What an HTML document says, a line for each of its paragraphs, headings and rows."""
    body = re.sub(r"(?s)<(style|script|svg)\b.*?</\1>", "", document)
    body = re.sub(r"<[^>]*>", " ", re.sub(r"</?(p|li|tr|h\d|summary|div)\b[^>]*>", "\n", body))
    return "\n".join(filter(None, (" ".join(line.split()) for line in unescape(body).split("\n"))))


def drawn(picture: str) -> Iterator[str]:
    """Each piece of an SVG with its places and what it says, a line for all pieces of one sort that follow another."""
    sort, told = "", list[str]()
    for piece in ElementTree.fromstring(picture).iter():
        name = piece.tag.rpartition("}")[2]
        if name in ("svg", "style", "title", "g"):
            continue
        if name != sort and told:
            yield f"  {sort}: {'; '.join(told)}"
            told = []
        sort, at = name, (piece.get(one, "") for one in _PLACES)
        told.append(" ".join(filter(None, (*at, piece.get("class"), "".join(piece.itertext())))))
    yield f"  {sort}: {'; '.join(told)}"


@contextmanager
def told_refusals() -> Iterator[list[str]]:
    """A list to which it is added with which error, and in which words, what is done meanwhile is refused."""
    told: list[str] = []
    try:
        yield told
    except (AssayError, ValueError) as error:
        told.append(f"{type(error).__name__}: {error}")


def refusal(call: Callable[[], Any]) -> str:
    """The same of a call; "" where it is not refused."""
    with told_refusals() as told:
        call()
    return "".join(told)


def _fields(value: Any) -> dict[str, Any] | None:
    """The fields of a record but for those that are empty; None of what is none."""
    if isinstance(value, (Store, Card, Dimension, type)):
        return None
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        held = {one.name: getattr(value, one.name) for one in fields(value)}
    elif isinstance(value, BaseModel):
        held = {name: getattr(value, name) for name in type(value).model_fields}
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        held = dict(value._asdict())
    else:
        return None
    return {name: one for name, one in held.items() if not (one is None or (hasattr(one, "__len__") and not len(one)))}


def _flat(value: Any) -> str | None:
    """A value in one line; None where it does not fit in one."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, (str, date)):
        return str(value).replace("\n", "\\n")
    if isinstance(value, Dimension):
        return f"{value.sort}/{value.name}"
    if isinstance(value, Card):
        return f"card {value.name}"
    if (held := _fields(value)) is not None:
        told = [(key, _flat(one)) for key, one in held.items()]
        if any(one is None for _, one in told):
            return None
        shown = "; ".join(f"{_flat(key) or key}={one}" for key, one in told)
        return f"{{{shown}}}" if len(shown) <= 220 else None
    if isinstance(value, (Sequence, Set)) and not isinstance(value, bytes):
        listed = [_flat(one) for one in (sorted(value) if isinstance(value, Set) else value)]
        if any(one is None for one in listed):
            return None
        shown = ", ".join(one or "''" for one in listed)
        return f"[{shown}]" if len(shown) <= 220 else None
    return None if hasattr(value, "__dict__") else str(value)
