"""Files of Assay's own JSON lines, read strictly: every bad line is named, with what is wrong with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from judges import jsonl
from judges.card import Card
from judges.errors import AssayError
from judges.importing.lines import (
    FAILED,
    JudgmentLine,
    LabelLine,
    explain_errors,
    parse_item,
    parse_judgment,
    parse_label,
)
from judges.importing.repeated_problems import RepeatedProblems
from judges.plural import many, verb
from judges.protocols.order_halves import OrderMatcher, OrderReply, pack_orders, params_with_orders
from judges.protocols.orders import Order
from judges.reading import bare_scores
from judges.types import Dialogue, Pair, Response

MAX_BAD_LINES = 10_000
"""Reading stops after this many bad lines, because then the file is wrong, not its lines."""
_MAX_SHOWN_PROBLEMS = 10
_MAX_WHOLE_FILE_BYTES = 2**28
"""Bytes of the largest file that is read as a whole to say what it is."""
_T = TypeVar("_T")


class BadLines(AssayError):
    """Lines of a file that cannot be read; the message names each with its number."""


def read_items(path: Path) -> dict[str, Dialogue | Pair | Response]:
    """The items of a file by id, in its order, pairs with their sections. Raises BadLines, OSError."""
    items: dict[str, Dialogue | Pair | Response] = {}
    _all(path, partial(add_item, items))
    return items


def add_item(items: dict[str, Dialogue | Pair | Response], row: dict[str, Any]) -> None:
    """Add the item of a line to those before it. Raises AssayError if one of them has its id, ValidationError."""
    item = parse_item(row)
    if item.id in items:
        raise AssayError(f"the id {item.id} is in an earlier line too: each item needs its own id.")
    items[item.id] = item


def read_labels(path: Path) -> list[tuple[int, LabelLine]]:
    """(line number, label) of every line of a file. Raises BadLines, OSError."""
    return _all(path, parse_label)


def read_judgments(path: Path) -> list[tuple[int, JudgmentLine]]:
    """(line number, judgment) of every line of a file, the two orders of a pair made one (`joined`).

    Raises BadLines, OSError.
    """
    return join_orders(_all(path, parse_judgment))


def join_orders(lines: list[tuple[int, JudgmentLine]]) -> list[tuple[int, JudgmentLine]]:
    """The lines, with the two orders of a pair combined at the place of the second line (`order_halves`).

    An order without the other is a judgment of a judge that was asked in this order only.
    """
    waiting, half_by_place = OrderMatcher(), dict[int, tuple[Order, OrderReply]]()
    line_by_place: dict[int, JudgmentLine] = {}
    for place, (_, line) in enumerate(lines):
        if line.order is None:
            line_by_place[place] = line
            continue
        half = _order_reply(line)
        key = (line.item, line.card, line.model, json.dumps(line.params, sort_keys=True))
        mate = waiting.meet(key, line.order, line.sample, half, place)
        half_by_place[place] = line.order, half
        line_by_place[place] = line
        if mate == -1:
            del line_by_place[place]
        elif mate is not None:
            del line_by_place[mate]
            line_by_place[place] = _of_orders(line, dict([half_by_place[mate], half_by_place[place]]))
    for place in waiting.left:
        line_by_place[place] = _of_orders(line_by_place[place], dict([half_by_place[place]]))
    return [(lines[place][0], line_by_place[place]) for place in sorted(line_by_place)]


def _order_reply(line: JudgmentLine) -> OrderReply:
    raw = line.raw or "" if line.reply is None else json.dumps(line.reply, ensure_ascii=False, sort_keys=True)
    raw = raw if line.scores is None else bare_scores.to_raw(line.scores)
    return (raw, line.unscored, line.why) if line.unscored in FAILED else (raw, None, "")


def _of_orders(line: JudgmentLine, reply_by_order: dict[Order, OrderReply]) -> JudgmentLine:
    params, raw = params_with_orders(line.params, reply_by_order), pack_orders(reply_by_order)
    other: dict[str, Any] = {"order": None, "reply": None, "scores": None, "unscored": None, "why": ""}
    return line.model_copy(update={"params": params, "raw": raw, **other})


def check_items(path: Path, card: Card, limit: int = 0) -> tuple[int, Counter[str]]:
    """The number of items for the card in a file, at most `limit` (0: all), and the number of each other kind.

    Raises BadLines, which names every bad line, also if there is no item of the card's kind.
    """
    problems = RepeatedProblems()
    names: set[str] = set()
    others: Counter[str] = Counter()
    count = bad = 0
    for number, row in read_lines(path):
        if limit and count >= limit:
            break
        try:
            item = parse_item(_object(row))
            problem = f"there is an item {item.id} before it" if item.id in names else ""
            names.add(item.id)
            if item.kind != card.kind:
                others[item.kind] += 1
            else:
                count += 1
        except (ValidationError, AssayError) as error:
            problem = " ".join(_problem(error).split())[:300]
            count += 1
        if problem:
            bad += 1
            problems.add((path.name, number), problem)
    if bad and bad == count and (sentence := describe_single_value(path)):
        raise BadLines(sentence)
    if bad:
        listed = "\n".join(problems.sentences(_MAX_SHOWN_PROBLEMS))
        line_count = "1 line" if bad == 1 else f"{bad:,} lines"
        raise BadLines(f"{path.name} holds {line_count} that cannot be judged:\n{listed}")
    if not count and not others:
        raise BadLines(f"{path.name} holds no items.")
    if not count:
        raise BadLines(f"{path.name}: {describe_other_kinds(others)}: the card {card.name} judges a {card.kind}.")
    return count, others


def describe_other_kinds(others: Counter[str]) -> str:
    """Return a phrase with the numbers of items of other kinds that were passed over; "" for none."""
    phrases = [f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in sorted(others.items())]
    return f"{' and '.join(phrases)} {'was' if others.total() == 1 else 'were'} passed over" if phrases else ""


def stream_items(path: Path, kind: str, limit: int = 0) -> Iterator[tuple[str, Dialogue | Pair | Response]]:
    """(id, item) of every line of that kind, one at a time; for a file that passed `check_items`."""
    count = 0
    for _, row in read_lines(path):
        if limit and count >= limit:
            return
        item = parse_item(_object(row))
        if item.kind == kind:
            count += 1
            yield item.id, item


def _all(path: Path, take: Callable[[dict[str, Any]], _T]) -> list[tuple[int, _T]]:
    """All lines of a file; raises BadLines with every line that cannot be read."""
    lines = take_lines(path, read_lines(path), lambda _, row: take(row))
    if not lines:
        raise BadLines(f"{path}: there is no line in it.")
    return lines


def take_lines(
    path: Path, rows: Iterable[tuple[int, dict[str, Any] | str]], take: Callable[[int, dict[str, Any]], _T]
) -> list[tuple[int, _T]]:
    """(number, result) for every (number, object); raises BadLines with all objects that cannot be read."""
    lines: list[tuple[int, _T]] = []
    bad: list[tuple[int, str]] = []
    for number, row in rows:
        try:
            lines.append((number, take(number, _object(row))))
        except (ValidationError, AssayError) as error:
            bad.append((number, _problem(error)))
        if len(bad) == MAX_BAD_LINES:
            raise BadLines(
                f"{bad_lines(path, bad)}\n{MAX_BAD_LINES:,} lines are bad, and reading stopped at line {number:,}."
            )
    if bad:
        raise bad_lines(path, bad) if lines else BadLines(describe_single_value(path) or str(bad_lines(path, bad)))
    return lines


def _object(row: dict[str, Any] | str) -> dict[str, Any]:
    if isinstance(row, str):
        raise AssayError(row)
    return row


def _problem(error: ValidationError | AssayError) -> str:
    return explain_errors(error.errors()) if isinstance(error, ValidationError) else str(error)


def bad_lines(path: Path, bad: list[tuple[int, str]]) -> BadLines:
    """The error for a file's (line number, problem) pairs: equal problems once, and a count beyond ten sorts."""
    groups = RepeatedProblems()
    for number, why in bad:
        groups.add((str(path), number), why)
    return BadLines("\n".join(groups.sentences(_MAX_SHOWN_PROBLEMS)))


def bad_rows(path: Path, bad: list[tuple[int, str]]) -> BadLines:
    """The error for rows of a table, which also names the option that leaves them out."""
    return BadLines(f"{bad_lines(path, bad)}\n--good-rows leaves {verb(len(bad), 'this', 'these')} out.")


def explain_left_out(path: Path, bad: list[tuple[int, str]], noun: str) -> str:
    """A sentence on bad rows, or what else the noun says, of a table that are left out."""
    return f"{path}: {many(len(bad), noun)} {verb(len(bad), 'is', 'are')} left out: {bad[0][1]}"


def describe_single_value(path: Path) -> str:
    """A sentence if a file contains no lines because all of it is one JSON value; "" for other files."""
    if path.stat().st_size > _MAX_WHOLE_FILE_BYTES:
        return ""
    try:
        content = path.read_bytes().strip()
        value = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, dict) and b"\n" not in content:
        return ""  # a line of its own
    shape = f"one JSON object (its keys: {', '.join(list(value)[:8])[:200]})" if isinstance(value, dict) else ""
    shape = f"a JSON list of {len(value):,}" if isinstance(value, list) else shape
    return f"{path} is {shape}, and JSON lines are taken: write its rows one object a line." if shape else ""


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """(number, object) of every line that is not empty; a bad line gives a sentence instead of an object."""
    with path.open("rb") as file:
        yield from number_records(jsonl.read_jsonl(file))


def number_records(records: Iterable[jsonl.Record]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """(number, object) of every record; a bad one gives a sentence instead of an object."""
    for record in records:
        yield record.line, f"{record.problem.removeprefix('is ')}." if record.problem else record.value
