"""Assay's own JSON lines: the head of an export, cards, items, judgments, labels, adjudications, a gold rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from data.intake.jsonl import Record
from data.intake.lines import Bad, Entry, Line

FORMAT = 2
"""The newest form of these lines that is read and written; an export names its own in its first line. Without that

line it is 1, which knew neither cards nor scores.
"""
KINDS = ("dialogue", "pair", "response")
_NEEDED = ({"id", "kind"}, {"item", "card"}, {"item", "dimension"})


def fits(keys: frozenset[str]) -> bool:
    """Whether an object with these keys is meant as a canonical line."""
    return any(needed <= keys for needed in _NEEDED) or keys in ({"gold_rule"}, {"card"}, {"assay"})


def read(file: str, records: Iterable[Record]) -> Iterator[Entry]:
    """The lines of one file."""
    for record in records:
        if record.problem:
            yield Bad(file, record.line, [("", f"The line {record.problem}.")], record.text)
        elif "assay" not in record.value:
            yield line(file, record)
        elif newer := _newer(record.value["assay"]):
            yield Bad(file, record.line, [("assay", newer)], record.value)


def _newer(head: object) -> str:
    """Why the lines after this first one cannot all be read, "" where they can."""
    told = head.get("format") if isinstance(head, dict) else None
    if not isinstance(told, int) or told < 1:
        return "The first line names no format: it would be a whole number, as in {\"assay\": {\"format\": 2}}."
    if told <= FORMAT:
        return ""
    return (
        f"The file is an export of a newer Assay (format {told}; this one reads up to {FORMAT}): update this Assay, or "
        "take the good rows, which leaves out what it does not know."
    )


def line(file: str, record: Record) -> Entry:
    """What one object is: an item has a kind, a judgment a card, a label a dimension, an adjudication who made it."""
    value = record.value
    if isinstance(value.get("card"), dict):
        return Line(file, record.line, "card", value, value)
    if "card" in value and "annotator" not in value:
        given = [key for key in ("reply", "raw", "scores") if value.get(key) is not None]
        if len(given) == 1:
            return Line(file, record.line, "judgment", value, value)
        problem = "A judgment has one of reply, raw and scores" + (", not several." if given else ".")
        return Bad(file, record.line, [("reply", problem)], value)
    if "adjudicator" in value and "annotator" not in value:
        return Line(file, record.line, "adjudication", value, value)
    if "gold_rule" in value:
        return Line(file, record.line, "rule", value, value)
    if "dimension" in value:
        return Line(file, record.line, "label", value, value)
    if "kind" in value or "turns" in value:
        return Line(file, record.line, "item", value, value)
    keys = ", ".join(list(map(str, value))[:8]) or "none"
    problem = (
        "The line is neither an item (it would have id and kind), nor a judgment (item and card), nor a label (item "
        "and dimension), nor an adjudication (item, dimension and adjudicator), nor a card (card), nor a rule "
        "(gold_rule). Its keys: "
        f"{keys[:200]}."
    )
    return Bad(file, record.line, [("", problem)], value)
