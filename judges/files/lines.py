"""Canonical JSON lines from plain files: items, judgments and labels, read strictly, every bad line named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from judges.errors import AssayError
from judges.prepared import prepared
from judges.scores import Given
from judges.types import ITEM, Dialogue, Identifier, Pair, Response, Strict, UnscoredReason, is_unit

MOST = 10_000
"""Bad lines after which reading stops: there is something wrong with the file, not with its lines."""
_SHOWN = 10
_KINDS = ("dialogue", "pair", "response")
_KINDS_SAID = "dialogue, pair or response"
_BESIDE_JUDGMENT = frozenset(("judge", "run"))
_BESIDE_LABEL = frozenset((
    "code", "probability", "stream", "judge", "saw", "seen", "judged_by", "card_version", "model", "imported_from",
    "imported_by", "imported_at",
))  # fmt: skip
"""What an export tells beside a judgment and a label, which is let pass, as an import does."""
_T = TypeVar("_T")


class BadLines(AssayError):
    """Lines of a file that cannot be taken; the message names each with its number."""


class JudgmentLine(Strict):
    """A judgment's line. `raw` is the text as it came, `reply` the card's JSON; with both, `reply` is what is read;

    `scores` are values without a reply.

    `unscored` and `why` stand where the endpoint already said that there is nothing to read: cut off, or refused.
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
    """(line number, judgment) of every line of a file. Raises BadLines, OSError."""
    return _all(path, judgment)


def labels(path: Path) -> list[tuple[int, LabelLine]]:
    """(line number, label) of every line of a file. Raises BadLines, OSError."""
    return _all(path, label)


def item(row: dict[str, Any]) -> Dialogue | Pair | Response:
    """The item of a line, a pair with its sections. Raises pydantic's ValidationError."""
    # In JSON there are no tuples: strict models take lists in their place only when they read JSON themselves.
    return prepared(ITEM.validate_json(json.dumps(row)))


def judgment(row: dict[str, Any]) -> JudgmentLine:
    """The judgment of a line. Raises AssayError where it says nothing, pydantic's ValidationError."""
    line = JudgmentLine.model_validate(_without(row, _BESIDE_JUDGMENT))
    if line.reply is None and line.raw is None and line.scores is None:
        raise AssayError("neither reply nor raw nor scores is there: one of them has to be.")
    return line


def label(row: dict[str, Any]) -> LabelLine:
    """The label of a line. Raises AssayError for a unit that is none, pydantic's ValidationError."""
    line = LabelLine.model_validate(_without(row, _BESIDE_LABEL))
    if not is_unit(line.unit):
        raise AssayError(f"{line.unit[:40]!r} is no unit: use conversation, turn:3, section:2/a, pair or response.")
    return line


def _without(row: dict[str, Any], beside: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in beside}


def _all(path: Path, take: Callable[[dict[str, Any]], _T]) -> list[tuple[int, _T]]:
    """Every line taken, or BadLines with all that were not."""
    found: list[tuple[int, _T]] = []
    bad: list[tuple[int, str]] = []
    for number, row in rows(path):
        try:
            if isinstance(row, str):
                raise AssayError(row)
            found.append((number, take(row)))
        except ValidationError as error:
            bad.append((number, said(error.errors())))
        except AssayError as error:
            bad.append((number, str(error)))
        if len(bad) == MOST:
            raise BadLines(f"{bad_lines(path, bad)}\n{MOST:,} lines are bad, and reading stopped at line {number:,}.")
    if bad:
        raise bad_lines(path, bad)
    if not found:
        raise BadLines(f"{path}: there is no line in it.")
    return found


def bad_lines(path: Path, bad: list[tuple[int, str]]) -> BadLines:
    """The error for (line number, what is wrong) of a file; beyond ten lines the rest is counted."""
    shown = [f"{path}, line {number}: {why}" for number, why in bad[:_SHOWN]]
    more = [f"... and {len(bad) - _SHOWN} more lines."] if len(bad) > _SHOWN else []
    return BadLines("\n".join([*shown, *more]))


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


def not_json(error: json.JSONDecodeError, where: str = "") -> str:
    """What is wrong with a text that is no JSON, as a phrase with its place; the library's own may end with `at`."""
    said = error.msg[:1].lower() + error.msg[1:]
    return f"not JSON: {said.removesuffix(' at')} {where or f'at character {error.pos + 1}'}"


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
    where = [str(part) for part in error["loc"]]
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
