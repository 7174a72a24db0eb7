"""Canonical JSON lines from plain files: items, judgments and labels, read strictly, every bad line named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from judges.errors import AssayError
from judges.importing.repeated_problems import Groups
from judges.prepared import prepared
from judges.protocols.call_plan import unpacked
from judges.protocols.order_halves import Half, Waiting, asked
from judges.protocols.order_halves import kept as of_orders
from judges.protocols.orders import Order
from judges.reading.bare_scores import Given, kept
from judges.strict_json import not_json
from judges.types import ITEM, WAYS, Dialogue, Identifier, Pair, Response, Strict, UnscoredReason, is_unit

MOST = 10_000
"""Bad lines after which reading stops: there is something wrong with the file, not with its lines."""
_SHOWN = 10
_WHOLE = 2**28
"""Bytes of the largest file that is read as a whole to say what it is."""
_KINDS = ("dialogue", "pair", "response")
_KINDS_SAID = "dialogue, pair or response"
_BESIDE_JUDGMENT = frozenset(("judge", "run"))
_BESIDE_LABEL = frozenset((
    "code", "probability", "stream", "judge", "saw", "seen", "judged_by", "card_version", "model", "imported_from",
    "imported_by", "imported_at",
))  # fmt: skip
"""What an export gives beside a judgment and a label, which is ignored, as in an import."""
_T = TypeVar("_T")


class BadLines(AssayError):
    """Lines of a file that cannot be taken; the message names each with its number."""


class JudgmentLine(Strict):
    """A judgment's line.

    `raw` is the text as it came, `reply` the card's JSON; with both, `reply` is what is read. `scores` are values
    without a reply. `order` says that the reply is to a pair as A/B or as B/A only, as the judge saw it.

    `unscored` and `why` are set where the endpoint already said that there is nothing to read: cut off, or refused.
    """

    item: Identifier
    card: str = Field(min_length=1, max_length=100)
    model: str = Field(min_length=1, max_length=300)
    params: dict[str, Any] = Field(default_factory=dict)
    part: str = ""
    sample: int | None = Field(default=None, ge=0, le=100_000)
    reply: dict[str, Any] | None = None
    raw: str | None = None
    scores: list[Given] | None = Field(default=None, min_length=1)
    order: Order | None = None
    card_version: str | None = None
    unscored: UnscoredReason | None = None
    why: str = ""


class LabelLine(Strict):
    """A label's line: what a person answers in one cell. `made_at` is an ISO time."""

    item: Identifier
    unit: str
    dimension: str
    value: Any
    annotator: str
    mode: Literal["blind", "assisted", "revealed"]
    made_at: str
    team: str = ""


def items(path: Path) -> dict[str, Dialogue | Pair | Response]:
    """The items of a file by id, in its order, pairs with their sections. Raises BadLines, OSError."""
    found: dict[str, Dialogue | Pair | Response] = {}

    def take(row: dict[str, Any]) -> Dialogue | Pair | Response:
        made = item(row)
        if made.id in found:
            raise AssayError(f"the id {made.id} stands in an earlier line too: each item needs one of its own.")
        found[made.id] = made
        return made

    _all(path, take)
    return found


def judgments(path: Path) -> list[tuple[int, JudgmentLine]]:
    """(line number, judgment) of every line of a file, the two orders of a pair made one (`joined`).

    Raises BadLines, OSError.
    """
    return joined(_all(path, judgment))


def judgment(row: dict[str, Any]) -> JudgmentLine:
    """The judgment of a line. Raises AssayError where it says nothing, pydantic's ValidationError."""
    line = JudgmentLine.model_validate(_without(row, _BESIDE_JUDGMENT))
    if line.reply is None and line.raw is None and line.scores is None:
        raise AssayError("neither reply nor raw nor scores is there: one of them has to be.")
    if line.order is not None and (line.part or unpacked(line.raw or "") is not None):
        raise AssayError("a judgment of one part, or of several calls, has no order: leave out order.")
    return line


def joined(lines: list[tuple[int, JudgmentLine]]) -> list[tuple[int, JudgmentLine]]:
    """The lines, those of the two orders of a pair made one (judges/protocols/order_halves.py), at the place of the
    second.

    One order without the other is a judgment of a judge that was asked in that order.
    """
    waiting, told = Waiting(), dict[int, tuple[Order, Half]]()
    found: dict[int, JudgmentLine] = {}
    for number, line in lines:
        if line.order is None:
            found[number] = line
            continue
        half = _half(line)
        who = (line.item, line.card, line.model, json.dumps(line.params, sort_keys=True))
        mate = waiting.meet(who, line.order, line.sample, half, number)
        told[number] = line.order, half
        found[number] = line
        if mate == -1:
            del found[number]
        elif mate is not None:
            del found[mate]
            found[number] = _of_orders(line, dict([told[mate], told[number]]))
    for number in waiting.left:
        found[number] = _of_orders(found[number], dict([told[number]]))
    return sorted(found.items(), key=lambda row: row[0])


def _half(line: JudgmentLine) -> Half:
    if line.scores is not None:
        return kept(line.scores), line.unscored, line.why
    raw = line.raw or "" if line.reply is None else json.dumps(line.reply, ensure_ascii=False, sort_keys=True)
    return raw, line.unscored, line.why if line.unscored else ""


def _of_orders(line: JudgmentLine, held: dict[Order, Half]) -> JudgmentLine:
    changes = {"params": asked(line.params, held), "raw": of_orders(held), "order": None, "reply": None, "scores": None}
    return line.model_copy(update={**changes, "unscored": None, "why": ""})


def labels(path: Path) -> list[tuple[int, LabelLine]]:
    """(line number, label) of every line of a file. Raises BadLines, OSError."""
    return _all(path, label)


def item(row: dict[str, Any]) -> Dialogue | Pair | Response:
    """The item of a line, a pair with its sections. Raises pydantic's ValidationError."""
    # In JSON there are no tuples: strict models take lists in their place only when they read JSON themselves.
    return prepared(ITEM.validate_json(json.dumps(row)))


def label(row: dict[str, Any]) -> LabelLine:
    """The label of a line. Raises AssayError for a unit that is none, pydantic's ValidationError."""
    line = LabelLine.model_validate(_without(row, _BESIDE_LABEL))
    if not is_unit(line.unit):
        raise AssayError(f"{line.unit[:40]!r} is no unit: use conversation, turn:3, section:2/a, pair or response.")
    return line


def _without(row: dict[str, Any], beside: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in beside}


def _all(path: Path, take: Callable[[dict[str, Any]], _T]) -> list[tuple[int, _T]]:
    """Every line of a file taken, or BadLines with all that were not."""
    found = taken(path, rows(path), lambda _, row: take(row))
    if not found:
        raise BadLines(f"{path}: there is no line in it.")
    return found


def taken(
    path: Path, given: Iterable[tuple[int, dict[str, Any] | str]], take: Callable[[int, dict[str, Any]], _T]
) -> list[tuple[int, _T]]:
    """(number, what was taken) of every (number, object); BadLines with all that could not be taken."""
    found: list[tuple[int, _T]] = []
    bad: list[tuple[int, str]] = []
    for number, row in given:
        try:
            if isinstance(row, str):
                raise AssayError(row)
            found.append((number, take(number, row)))
        except ValidationError as error:
            bad.append((number, said(error.errors())))
        except AssayError as error:
            bad.append((number, str(error)))
        if len(bad) == MOST:
            raise BadLines(f"{bad_lines(path, bad)}\n{MOST:,} lines are bad, and reading stopped at line {number:,}.")
    if bad:
        raise bad_lines(path, bad) if found else BadLines(whole(path) or str(bad_lines(path, bad)))
    return found


def bad_lines(path: Path, bad: list[tuple[int, str]]) -> BadLines:
    """The error for (line number, what is wrong) of a file: what is alike once, beyond ten sorts a count."""
    groups = Groups()
    for number, why in bad:
        groups.add((str(path), number), why)
    return BadLines("\n".join(groups.told(_SHOWN)))


def whole(path: Path) -> str:
    """What a file is that holds no line because all of it is one JSON value, in a sentence; "" for other files."""
    if path.stat().st_size > _WHOLE:
        return ""
    try:
        held = path.read_bytes().strip()
        value = json.loads(held)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, dict) and b"\n" not in held:
        return ""  # a line of its own
    what = f"one JSON object (its keys: {', '.join(list(value)[:8])[:200]})" if isinstance(value, dict) else ""
    what = f"a JSON list of {len(value):,}" if isinstance(value, list) else what
    return f"{path} is {what}, and JSON lines are taken: write its rows one object a line." if what else ""


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """(number, object) of every line that is not empty; a sentence in its place where it is none."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip():
                yield number, _row(text)


def _row(line: bytes) -> dict[str, Any] | str:
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        return f"{not_json(error)}."
    except RecursionError:
        return "nested too deeply."
    except UnicodeError:
        return "not UTF-8, or half of a surrogate pair: save the file as UTF-8."
    except ValueError as error:
        return f"not JSON: {error}."
    return value if isinstance(value, dict) else "not an object: each line is one JSON object."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def said(errors: Sequence[Any]) -> str:
    """What pydantic found wrong with an item or another line, in words: the first three things."""
    return "; ".join(_said(error) for error in errors[:3])


def _said(error: Any) -> str:
    where = [str(part) for part in error["loc"] if part not in WAYS]
    if where[:1] and where[0] in _KINDS:
        where = where[1:]
    named, sort = ".".join(where), error["type"]
    if sort in ("union_tag_not_found", "union_tag_invalid"):
        return f"kind is {'missing' if sort.endswith('found') else 'another one'}: it has to be {_KINDS_SAID}"
    if sort == "json_invalid":
        return "it is no JSON object"
    if sort == "missing":
        return f"{named} is missing"
    return f"{named}: {error['msg'][:1].lower()}{error['msg'][1:]}" if named else str(error["msg"])
