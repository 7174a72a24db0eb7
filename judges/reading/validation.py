"""Check that a card's `read` gives what the card asks: every cell once, on its scale, and no other cell.

A card is code that a user wrote: an error in it is reported in a sentence and never stored as a judgment.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from judges.card import Card, Item, describe_origin
from judges.errors import BadCard
from judges.sections import unasked_units
from judges.types import Dialogue, Dimension, Reading, Scale, Score, UnscoredReason, sort_of, units

_Fits = frozenset[float | None] | Callable[[Any, Item], bool]
_REASONS = get_args(UnscoredReason)
_SORTS = ("note", "issue", "rule")
_MAX_ERROR_CHARACTERS, _MAX_CACHED = 200, 256


def validate_reading(card: Card, model: Any, item: Item, part: str) -> Reading:
    """The card's checked reading of a valid reply. Raises BadCard if `read` fails or gives what is not asked.

    A cell that is asked and has no score makes the reading unscored as `incomplete`, unless a remark of the sort `rule`
    about its unit and dimension says why. If an item is judged in parts, only the part needs scores.
    """
    try:
        reading = card.read_part(model, item, part) if card.read_part else card.read(model, item)
    except RecursionError:
        raise
    except Exception as error:
        own = getattr(getattr(card.read, "__code__", None), "co_filename", "")
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own]
        line = f", line {lines[-1]}" if lines and own.endswith("card.py") else ""
        why = f"failed on item {item.id}: {describe_error(error)}"
        raise BadCard(f"{describe_origin(card)}{line}: read() {why}. Fix that, and go on.") from error
    if not isinstance(reading, Reading):
        raise BadCard(
            f"{describe_origin(card)}: read() gives {type(reading).__name__}, but must give a Reading(scores, remarks)."
        )
    if reading.unscored is not None:
        if reading.unscored not in _REASONS:
            reason = str(reading.unscored)[:40]
            raise BadCard(
                f"{describe_origin(card)}: read() gives unscored = {reason!r}. Allowed are {', '.join(_REASONS)}."
            )
        return reading
    try:
        scored = _check_scores(card, item, reading)
    except _OffStep as off:
        return Reading(unscored="out_of_range", why=str(off))
    _check_remarks(card, reading)
    return _missing(card, item, part, reading, scored)


def describe_error(error: Exception) -> str:
    """What a card's own code raised, on one line of at most 200 characters without a full stop."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:_MAX_ERROR_CHARACTERS].rstrip(":. ")


def _check_scores(card: Card, item: Item, reading: Reading) -> set[tuple[str, str]]:
    """The cells that are scored. BadCard for one that is not asked, not on its scale, or scored twice; or _OffStep."""
    item_units = units(item)
    if any(getattr(score, "unit", "") not in item_units for score in reading.scores):
        item_units = [*item_units, *unasked_units(item)]
    checks = _asks(card.dimensions, item_units).checks
    scored: set[tuple[str, str]] = set()
    for score in reading.scores:
        try:
            unit, name, value = score.unit, score.dimension, score.value
            fits = checks.get((unit, name))
            good = fits is not None and (value in fits if isinstance(fits, frozenset) else fits(value, item))
        except (AttributeError, TypeError):
            score_text = " ".join(repr(score).split())[:_MAX_ERROR_CHARACTERS]
            raise BadCard(
                f"{describe_origin(card)}: read() gives {score_text}, which is not a Score(unit, dimension, number)."
            ) from None
        if fits is None:
            raise _wrong(card, score, "which the card does not ask of this item" + _instead(card, item, score))
        if not good:
            dimension = card.dimension(name, unit)
            assert dimension is not None  # `checks` has cells of the card's dimensions only
            scale = dimension.scale
            if scale.kind == "interval" and isinstance(value, (int, float)) and scale.lo <= value <= scale.hi:
                raise _OffStep(f"{unit} {name}: {value:g} is not on the scale: allowed are {scale.words}")
            raise _wrong(card, score, f"which is not on its scale: allowed are {_describe_allowed(scale, value)}")
        scored.add((unit, name))
    if len(scored) < len(reading.scores):
        cells = [(score.unit, score.dimension) for score in reading.scores]
        twice = next(score for n, score in enumerate(reading.scores) if cells.index(cells[n]) < n)
        raise _wrong(card, twice, "after another score for the same: each is scored once")
    return scored


def _check_remarks(card: Card, reading: Reading) -> None:
    """Raise BadCard for a remark of an unknown sort, or a remark whose fields are not all texts."""
    for remark in reading.remarks:
        try:
            fields = (remark.unit, remark.dimension, remark.text)
            texts = remark.sort in _SORTS and all(isinstance(text, str) for text in fields)
        except (AttributeError, TypeError):
            texts = False
        if not texts:
            line = " ".join(repr(remark).split())[:_MAX_ERROR_CHARACTERS]
            raise BadCard(
                f'{describe_origin(card)}: read() gives {line}. A remark is Remark(unit, dimension or "", sort, text), '
                f"and its sort is {' or '.join(_SORTS)}."
            )


def _missing(card: Card, item: Item, part: str, reading: Reading, cells: set[tuple[str, str]]) -> Reading:
    """The reading; unscored if an asked cell has neither a score nor a rule that says why."""
    due: list[str] = units(item)
    if part:
        due = [part]
    elif card.parts(item) != [""]:
        if not cells:
            return Reading(unscored="incomplete", why="read() gives no score")
        scored = {unit for unit, _ in cells}
        due = [unit for unit in due if unit in scored]
    left = [cell for cell in _asks(card.dimensions, due).due if cell not in cells]
    if left:
        rule_cells = {(remark.unit, remark.dimension) for remark in reading.remarks if remark.sort == "rule"}
        left = [cell for cell in left if cell not in rule_cells]
    if not left:
        return reading
    named = ", ".join(f"{unit} {name}" for unit, name in left[:5])
    return Reading(unscored="incomplete", why=f"no score for {named}{' and more' if len(left) > 5 else ''}")


@dataclass(frozen=True, slots=True)
class _RequiredCells:
    """The cells of dimensions on some units: a check of the value by (unit, name), and the cells that need a score."""

    of: tuple[Dimension, ...]
    checks: dict[tuple[str, str], _Fits]
    due: tuple[tuple[str, str], ...]


_REQUIRED: dict[tuple[int, tuple[str, ...]], _RequiredCells] = {}


def _asks(dimensions: tuple[Dimension, ...], item_units: Sequence[str]) -> _RequiredCells:
    """The required cells, cached by units and by the identity of `dimensions`, because hashing these is slow."""
    key = (id(dimensions), tuple(item_units))
    entry = _REQUIRED.get(key)
    if entry is None or entry.of is not dimensions:
        if len(_REQUIRED) >= _MAX_CACHED:
            _REQUIRED.clear()
        cells = [(unit, d) for unit in item_units for d in dimensions if d.sort == sort_of(unit)]
        checks = {(unit, d.name): _code(d.judged) for unit, d in cells}
        required = tuple((unit, d.name) for unit, d in cells if d.asked)
        entry = _REQUIRED[key] = _RequiredCells(dimensions, checks, required)
    return entry


def _code(scale: Scale) -> _Fits:
    """The codes of a scale, or a test whether a number is one; a turn is an assistant turn of the item, or 0."""
    if scale.kind == "turn":
        return lambda value, item: value == 0 or (isinstance(item, Dialogue) and value in item.assistant_turns)
    if scale.kind == "interval":
        return lambda value, _: scale.na if value is None else scale.lo <= value <= scale.hi and scale.on_step(value)
    codes = frozenset[float | None](float(scale.base + n) for n in range(scale.size))
    return codes | {None} if scale.na else codes


class _OffStep(Exception):
    """A number between two answers of an interval scale: the judge's error, as a reply's model cannot check steps."""


def _wrong(card: Card, score: Score, why: str) -> BadCard:
    value = (
        "n/a" if score.value is None else f"{score.value:g}" if isinstance(score.value, float) else repr(score.value)
    )
    cell = f"{str(score.unit)[:40]} {str(score.dimension)[:60]}"
    return BadCard(f"{describe_origin(card)}: read() gives {cell} = {value[:40]}, {why}.")


def _instead(card: Card, item: Item, score: Score) -> str:
    """Return the names that may have been meant: the dimensions of such a unit, or the units of the item."""
    item_units = units(item)
    if score.unit not in item_units:
        return f" (it has {', '.join(item_units[:5])})"
    sort = sort_of(score.unit)
    names = [d.name for d in card.dimensions if d.sort == sort]
    return f" (of a {sort} it asks {', '.join(names[:8]) or 'nothing'})"


def _describe_allowed(scale: Scale, value: float | None) -> str:
    """The codes of a scale in words; for a number off it, with the bounds that its key in the reply's model needs."""
    if scale.has_categories:
        named = ", ".join(f"{n} for {word}" for n, word in enumerate(scale.categories))
        return named + (", None for n/a" if scale.na else "")
    if not scale.is_numeric or value is None:
        return "0 and 1" if scale.kind == "flag" else scale.words
    return f"{scale.words}. Bound the key of Reply that it comes from: Field(ge={scale.lo:g}, le={scale.hi:g})"
