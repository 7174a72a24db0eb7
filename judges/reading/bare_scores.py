"""Scores that came without the judge's reply: the text that is stored instead, and its reading.

Files of other teams often have only a judge's values. Such a judgment gives the values of some cells of an item; cells
that it does not name do not count as missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import Field, ValidationError

from judges.card import Card, Item
from judges.errors import AssayError, BadScale
from judges.types import Dialogue, Reading, Remark, Score, Strict, units

SOURCE = "as imported"
"""The source of the confidence of such a score: the file."""
_BEGINS = '{"scores":['


class NoCell(AssayError):
    """A score is about a unit that the item lacks, or about a dimension that the card does not have."""


class BareScore(Strict):
    """One score as a file gives it; `value` as people write it, null where the judge gave none."""

    unit: str
    dimension: str
    value: Any
    confidence: float | None = Field(default=None, ge=0, le=1)
    note: str = Field(default="", max_length=100_000)


def to_raw(scores: Iterable[BareScore]) -> str:
    """The text that is stored as the raw reply of a judgment that has only scores."""
    rows = [score.model_dump(exclude_defaults=True) for score in scores]
    return json.dumps({"scores": rows}, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def from_raw(raw: str) -> list[BareScore] | None:
    """The scores of a text that `to_raw` made; None for any other text."""
    if not raw.startswith(_BEGINS):
        return None
    try:
        record = json.loads(raw)
        if list(record) != ["scores"]:
            return None
        return [BareScore.model_validate(row) for row in record["scores"]]
    except (ValueError, RecursionError, ValidationError):
        return None


def read_scores(card: Card, scores: Iterable[BareScore], item: Item) -> Reading:
    """The reading of the scores for an item.

    A value off its scale has no score and is marked as a broken rule. If no score is left, the judgment is unscored as
    `out_of_range`, or as `incomplete` if there was no value at all. Raises NoCell.
    """
    item_units = units(item)
    turns = frozenset(item.assistant_turns) if isinstance(item, Dialogue) else None
    by_cell: dict[tuple[str, str], Score] = {}
    remarks: list[Remark] = []
    off = ""
    for score in scores:
        dimension = card.dimension(score.dimension, score.unit) if score.unit in item_units else None
        if dimension is None:
            raise NoCell(_no_cell(card, score, item_units))
        if score.note.strip():
            remarks.append(Remark(score.unit, score.dimension, "note", score.note.strip()))
        if score.value is None or (isinstance(score.value, str) and not score.value.strip()):
            continue
        try:
            value = dimension.judged.code(dimension.judged.parse_text(score.value), turns)
        except BadScale as error:
            off = off or f"{score.unit} {score.dimension}: {error}"
            remarks.append(Remark(score.unit, score.dimension, "rule", str(error)))
            continue
        source = SOURCE if score.confidence is not None else ""
        by_cell[score.unit, score.dimension] = Score(score.unit, score.dimension, value, score.confidence, source)
    if not by_cell:
        return Reading(unscored="out_of_range" if off else "incomplete", why=off or "no value was given")
    return Reading(tuple(by_cell.values()), tuple(remarks))


def _no_cell(card: Card, score: BareScore, item_units: list[str]) -> str:
    if score.unit not in item_units:
        return f"The item has no unit {score.unit[:40]!r}. It has: {', '.join(item_units[:12])}."
    names = dict.fromkeys(f"{d.name} ({d.sort})" for d in card.dimensions)
    return f"The card {card.name} has no {score.dimension[:60]!r} of {score.unit}. It has: {', '.join(names)}."
