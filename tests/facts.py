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
    if (values := _fields(value)) is not None:
        yield begin + type(value).__name__
        for key, item in values.items():
            yield from facts(str(key), item, depth + 1, longest)
    elif isinstance(value, (Sequence, Set)) and not isinstance(value, str):
        items = sorted(value) if isinstance(value, Set) else value
        yield f"{begin}{len(items)}"
        for item in items[:longest]:
            yield from facts("", item, depth + 1, longest)
        if len(items) > longest and all(isinstance(item, (int, float)) for item in items):
            yield f"{'  ' * (depth + 1)}sum {_flat(float(sum(items)))}"
    else:
        yield begin + (flat if flat is not None else type(value).__name__)


def tallies(rows: Sequence[Mapping[str, Any]], most: int = 8) -> Iterator[str]:
    """For each column of rows, its commonest values and how often they occur, in the order of the values."""
    for column in {key: None for row in rows for key in row}:
        counts = Counter(_flat(row[column]) or str(row[column]) for row in rows if column in row)
        unique = len(counts) == len(rows) > most  # names and texts: a few will do
        commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[: 2 if unique else most]
        text = ", ".join(f"{value[:60]} x{times}" for value, times in sorted(commonest))
        yield f"  {column} ({len(counts)}): {text}"


def text_of(document: str) -> str:
    """What an HTML document says, a line for each of its paragraphs, headings and rows."""
    body = re.sub(r"(?s)<(style|script|svg)\b.*?</\1>", "", document)
    body = re.sub(r"<[^>]*>", " ", re.sub(r"</?(p|li|tr|h\d|summary|div)\b[^>]*>", "\n", body))
    return "\n".join(filter(None, (" ".join(line.split()) for line in unescape(body).split("\n"))))


def picture_lines(picture: str) -> Iterator[str]:
    """Each piece of an SVG with its places and what it says, a line for all pieces of one sort that follow another."""
    sort, pieces = "", list[str]()
    for piece in ElementTree.fromstring(picture).iter():
        name = piece.tag.rpartition("}")[2]
        if name in ("svg", "style", "title", "g"):
            continue
        if name != sort and pieces:
            yield f"  {sort}: {'; '.join(pieces)}"
            pieces = []
        sort, at = name, (piece.get(place, "") for place in _PLACES)
        pieces.append(" ".join(filter(None, (*at, piece.get("class"), "".join(piece.itertext())))))
    yield f"  {sort}: {'; '.join(pieces)}"


@contextmanager
def collect_refusals() -> Iterator[list[str]]:
    """A list to which it is added with which error, and in which words, what is done meanwhile is refused."""
    refusals: list[str] = []
    try:
        yield refusals
    except (AssayError, ValueError) as error:
        refusals.append(f"{type(error).__name__}: {error}")


def refusal(call: Callable[[], Any]) -> str:
    """The same of a call; "" where it is not refused."""
    with collect_refusals() as refusals:
        call()
    return "".join(refusals)


def _fields(value: Any) -> dict[str, Any] | None:
    """The fields of a record but for those that are empty; None of what is none."""
    if isinstance(value, (Store, Card, Dimension, type)):
        return None
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        values = {field.name: getattr(value, field.name) for field in fields(value)}
    elif isinstance(value, BaseModel):
        values = {name: getattr(value, name) for name in type(value).model_fields}
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        values = dict(value._asdict())
    else:
        return None
    return {
        name: item
        for name, item in values.items()
        if not (item is None or (hasattr(item, "__len__") and not len(item)))
    }


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
    if (values := _fields(value)) is not None:
        texts = [(key, _flat(item)) for key, item in values.items()]
        if any(text is None for _, text in texts):
            return None
        line = "; ".join(f"{_flat(key) or key}={text}" for key, text in texts)
        return f"{{{line}}}" if len(line) <= 220 else None
    if isinstance(value, (Sequence, Set)) and not isinstance(value, bytes):
        listed = [_flat(item) for item in (sorted(value) if isinstance(value, Set) else value)]
        if any(text is None for text in listed):
            return None
        line = ", ".join(text or "''" for text in listed)
        return f"[{line}]" if len(line) <= 220 else None
    return None if hasattr(value, "__dict__") else str(value)
