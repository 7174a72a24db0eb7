"""Assay's own JSON lines: an export's head, cards, items, judgments, labels, adjudications, gold rule, guidelines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from data.importing.format_file import FileStart, FormatFile
from judges.importing.contents import FORMAT, holds_lines, line_of_columns, sort_of_line
from judges.importing.entries import Entry, Hint, Line, RejectedRow, ScoreCollector
from judges.jsonl import Record

TITLE = "Assay's JSON lines"
_SCORED = ("item", "card", "model", "params", "card_version")
_MISSHAPEN = (
    "This is no row of an export of scores: in one, item, card, model, unit and dimension are texts, sample, samples "
    "and confidence are numbers, and params is an object."
)


def fits(start: FileStart) -> bool:
    """Whether a file that begins so has canonical lines, or is an export of Assay in CSV or Parquet."""
    return holds_lines(start.rows, start.container in ("csv", "parquet"))


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The lines of the files, one file after the other."""
    for file in files:
        records = file.records
        if file.container in ("csv", "parquet"):
            records = (replace(row, value=line_of_columns(row.value, file.container == "csv")) for row in records)
        yield from _read(file.name, records)


def _read(file: str, records: Iterable[Record]) -> Iterator[Entry]:
    """The lines of one file; scores of a judge that stand in rows of their own are put together as its judgments."""
    ratings = ScoreCollector()
    for record in records:
        if record.problem:
            yield RejectedRow(file, record.line, [("", f"The line {record.problem}.")], record.text)
        elif sort_of_line(record.value) == "score":
            try:
                yield from _add_ratings(ratings, file, record)
            except (KeyError, TypeError, ValueError, OverflowError):
                yield RejectedRow(file, record.line, [("", _MISSHAPEN)], record.value)
        elif "assay" not in record.value:
            yield to_line(file, record)
        elif newer := _newer(record.value["assay"]):
            yield RejectedRow(file, record.line, [("assay", newer)], record.value)
    yield from ratings.lines()


def _add_ratings(ratings: ScoreCollector, file: str, record: Record) -> Iterator[Entry]:
    """Add what a row of an export of scores or samples holds; a row of several samples together is no single answer."""
    row = record.value
    if row.get("sample") is None and int(row.get("samples") or 1) > 1:
        yield Hint(
            "Scores that several samples came to are left out: they may lie between the answers of a scale. Export the "
            "samples, or the dataset, and import that."
        )
        return
    data = {name: row[name] for name in _SCORED if row.get(name) is not None}
    params = row.get("params") or {}
    data["params"] = json.loads(params) if isinstance(params, str) else params
    if row.get("sample") is not None:
        sample = float(row["sample"])
        data["sample"] = int(sample) if sample.is_integer() else row["sample"]
    value, code = row.get("value"), row.get("code")
    between = isinstance(code, float) and not code.is_integer()  # in words it is rounded
    score = {"unit": row["unit"], "dimension": row["dimension"], "value": code if between else value}
    if row.get("confidence") is not None:
        score["confidence"] = float(row["confidence"])
    ratings.add(file, record.line, row, data, score)


def _newer(head: object) -> str:
    """Return the reason why the lines after this first one cannot all be read; "" if they can."""
    form = head.get("format") if isinstance(head, dict) else None
    if not isinstance(form, int) or form < 1:
        return "The first line has no format number. Give a whole number, as in {\"assay\": {\"format\": 2}}."
    if form <= FORMAT:
        return ""
    return (
        f"The file is an export of a newer Assay (format {form}; this one reads up to {FORMAT}): update this Assay, or "
        "take the good rows, which leaves out what it does not know."
    )


def to_line(file: str, record: Record) -> Entry:
    """Return an object as a line: items have a kind, judgments a card, labels a dimension, adjudications a person."""
    value = record.value
    if isinstance(value.get("card"), dict):
        return Line(file, record.line, "card", value, value)
    if value.keys() >= {"how", "people", "value"}:
        problem = "This is exported gold, which is made of labels: import the export of labels, or the whole dataset."
        return RejectedRow(file, record.line, [("", problem)], value)
    if "card" in value and "annotator" not in value:
        fields = [key for key in ("reply", "raw", "scores") if value.get(key) is not None]
        if len(fields) == 1:
            return Line(file, record.line, "judgment", value, value)
        problem = "A judgment has one of reply, raw and scores" + (", not several." if fields else ".")
        return RejectedRow(file, record.line, [("reply", problem)], value)
    if "adjudicator" in value and "annotator" not in value:
        return Line(file, record.line, "adjudication", value, value)
    if "gold_rule" in value:
        return Line(file, record.line, "rule", value, value)
    if value.keys() == {"guidelines"}:
        return Line(file, record.line, "guidelines", value, value)
    if "dimension" in value:
        return Line(file, record.line, "label", value, value)
    if "kind" in value or "turns" in value:
        return Line(file, record.line, "item", value, value)
    keys = ", ".join(list(map(str, value))[:8]) or "none"
    problem = (
        f"Unknown kind of line, with the keys {keys[:200]}. An item has id and kind; a judgment item and card; a label "
        "item and dimension; an adjudication item, dimension and adjudicator; a card has card, a rule gold_rule, "
        "guidelines have guidelines."
    )
    return RejectedRow(file, record.line, [("", problem)], value)
