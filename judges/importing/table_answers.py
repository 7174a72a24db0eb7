"""Judges' and people's answers in a table, read through a mapping: each becomes a judgment or a label of an item."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from judges.authoring.scale_inference import is_missing
from judges.importing.columns import cell_text, name_side
from judges.importing.entries import Entry, Hint, Line, LineError, RejectedRow, RepeatCounter, ScoreCollector
from judges.importing.item_keys import time_in_seconds
from judges.importing.mapping import (
    UNITS,
    ColumnMapping,
    JudgmentColumns,
    LabelColumns,
    ValueSource,
    interpret_cell,
    lacks_answer,
)
from judges.importing.speakers import ROLES
from judges.importing.summary_rows import drop_summaries, explain_summaries
from judges.jsonl import Record
from judges.plural import many, verb
from judges.protocols.orders import names_sides
from judges.strict_json import canonical, show_value

_GROUP, _DIGITS = 10_000, 20
_MAX_NAME = 300
"""The longest name that an item may have; a longer one, as of texts, is cut and told apart by a hash."""


class AnswerReader:
    """A mapping at work on the rows of one file. `time` is the time of answers that have none."""

    def __init__(self, file: str, mapping: ColumnMapping, time: str) -> None:
        self.file, self.mapping, self.time = file, mapping, time
        self._answers: list[JudgmentColumns | LabelColumns] = [*mapping.judgments, *mapping.labels]
        self.repeats = RepeatCounter()
        self.ratings = ScoreCollector()
        self._answers_by_columns: dict[tuple[str, ...], list[JudgmentColumns | LabelColumns]] = {}
        for answer in self._answers:
            self._answers_by_columns.setdefault(tuple(_source(answer).columns), []).append(answer)
        # If each answer in a column is taken from some rows only, a row may be none of these.
        self._answers_by_columns = {
            columns: answers for columns, answers in self._answers_by_columns.items()
            if columns and all(answer.only for answer in answers)
        }
        self._unmatched: Counter[tuple[str, ...]] = Counter()
        self._of_users = 0
        by_row = [columns for answer in self._answers for columns in (answer.only, answer.dimension.columns)]
        by_row += [a.annotator.columns if isinstance(a, LabelColumns) else a.model.columns for a in self._answers]
        self._person_columns = {c for label in mapping.labels for c in (*label.only, *label.annotator.columns)}
        self._person_columns -= {column for judged in mapping.judgments for column in judged.only}
        self._row_columns = sorted({column for columns in by_row for column in columns})
        scored = [judged for judged in mapping.judgments if not judged.reply]
        self.long = any(j.dimension.columns or j.unit.columns or j.turn or j.only for j in scored)

    def name(self, record: Record) -> str:
        """The id of a row's item: its columns, a hash of what the mapping takes from the row, or else its number."""
        if self.mapping.id:
            name = self.mapping.id.text(record.value, "/").strip()
            return name if len(name) <= _MAX_NAME else f"{name[:100]} {hashlib.sha256(name.encode()).hexdigest()}"
        if self.mapping.textless:
            return f"row {record.line}"
        texts = [source.text(record.value) for _, source in sorted(self.mapping.fields.items())]
        digest = hashlib.sha256(canonical([texts]).encode("utf-8", "surrogatepass")).hexdigest()
        return f"row-{digest[:12]}"

    def read(self, records: Iterable[Record]) -> Iterator[Entry]:
        """Everything that the rows hold, in their order; what is left out is said at the end."""
        spread = self.mapping.kind == "dialogue" and self.mapping.items and not self.mapping.field("turns")
        closed: set[str] = set()
        summaries: list[str] = []
        items = drop_summaries(records, lambda record: {} if record.problem else record.value, summaries)
        for name, group in groupby(items, key=lambda r: "" if r.problem else self.name(r)):
            rows = []
            for record in group:
                if record.problem:
                    yield RejectedRow(self.file, record.line, [("", f"The row {record.problem}.")], record.text)
                elif not name:
                    problem = f"The row has no id: {' and '.join(self.mapping.id.columns)} is empty."
                    yield RejectedRow(self.file, record.line, [("id", problem)], record.value)
                elif spread:
                    rows.append(record)
                else:
                    if self.mapping.items:
                        yield from self.read_item(record, name)
                    yield from self._read_row(record, name, None)
                    if not self.long:
                        yield from self.ratings.lines()
            if rows and (name in closed or len(rows) > _GROUP):
                why = "are not consecutive: sort the table by its id" if name in closed else f"are more than {_GROUP}"
                problem = f"The rows of the dialogue {show_value(name)} {why}."
                yield RejectedRow(self.file, rows[0].line, [("id", problem)], rows[0].value, name)
            elif rows:
                closed.add(name)
                yield from self.rows(rows, name)
                yield from self.ratings.lines()
        yield from self.ratings.lines()
        yield from self.left_out()
        if summaries:
            yield Hint(f"{self.file}: {explain_summaries(summaries)}")

    def read_item(self, record: Record, name: str) -> Iterator[Entry]:
        """The item of a row: none here, where only answers are read."""
        yield from ()

    def read_dialogue(self, first: Record, name: str, utterances: Iterable[tuple[str, str]]) -> Iterator[Entry]:
        """The dialogue of some rows: none here, where only answers are read."""
        yield from ()

    def rows(self, records: list[Record], name: str) -> Iterator[Entry]:
        """The rows of one dialogue."""
        try:
            placed = self._utterances(records)
        except LineError as error:
            yield RejectedRow(self.file, records[0].line, [error.problem], records[0].value, name)
            return
        yield from self.read_dialogue(records[0], name, [utterance for _, utterance in placed])
        number, answered = 1, False
        spoken: list[Record] = []
        for with_answers, (role, _) in placed:
            if role in ("user", "system") and answered:
                number, answered = number + 1, False
            for record in with_answers:
                if role not in ("assistant", "tool"):
                    self._of_users += sum(not _is_of_whole(a) and _has(a, record.value) for a in self._answers)
                    continue
                answered = True
                spoken.append(record)
                yield from self._read_row(record, name, number)
        # What is said of the whole dialogue may stand beside what a user says, as in its first row.
        dialogue_answers = [
            answer
            for answer in self._answers
            if _is_of_whole(answer) and not any(_has(answer, r.value) for r in spoken)
        ]
        for record in records if dialogue_answers else ():
            yield from self._read_answers(record, name, None, dialogue_answers)

    def _utterances(self, records: list[Record]) -> list[tuple[list[Record], tuple[str, str]]]:
        """(rows, (role, text)) of everything that was said in a dialogue, in order.

        An utterance has several rows where a row is an answer to one question, or one person's or judge's.
        """
        mapping = self.mapping
        if mapping.field("turn"):
            records = sorted(records, key=lambda r: _number("turn", mapping.field("turn").text(r.value), ""))
        placed: dict[tuple[Any, ...], list[Record]] = {}
        times_said = RepeatCounter()
        for n, record in enumerate(records):
            turn = mapping.field("turn").text(record.value)
            answer_of = tuple(cell_text(record.value.get(column)) for column in self._row_columns)
            for role, text in self._row_utterances(record.value):
                nth = times_said.count(*answer_of, turn, role, text) if self._row_columns else n
                placed.setdefault((turn, role, text, nth), []).append(record)
        return [(rows, (role, text)) for (_, role, text, _), rows in placed.items()]

    def _row_utterances(self, row: dict[str, Any]) -> list[tuple[str, str]]:
        """(role, text) of what was said in a row."""
        mapping = self.mapping
        if mapping.field("text"):
            raw_role = mapping.field("role").text(row).strip().lower()
            role = mapping.roles.get(raw_role) or ROLES.get(raw_role)
            if role is None:
                problem = f"The role must be user, assistant, system or tool (it is {show_value(raw_role)})."
                raise LineError("role", problem)
            return [(role, mapping.field("text").text(row))]
        texts = ((role, mapping.field(role).value(row)) for role in ("user", "assistant"))
        return [(role, cell_text(text)) for role, text in texts if text is not None]

    def _read_row(self, record: Record, name: str, turn: int | None) -> Iterator[Entry]:
        """Read all answers of a row, and count the values that no answer of the mapping applies to."""
        for columns, known in self._answers_by_columns.items():
            if not lacks_answer(_source(known[0]).value(record.value), known[0].answers):
                self._unmatched[columns] += not any(answer.has(record.value) for answer in known)
        yield from self._read_answers(record, name, turn, self._answers)

    def _read_answers(
        self, record: Record, name: str, turn: int | None, answers: Iterable[JudgmentColumns | LabelColumns]
    ) -> Iterator[Entry]:
        for answer in answers:
            if not _has(answer, record.value):
                continue
            try:
                if isinstance(answer, JudgmentColumns):
                    entry = self._judgment(record, name, answer, turn)
                else:
                    entry = self._label(record, name, answer, turn)
            except LineError as error:
                entry = RejectedRow(self.file, record.line, [error.problem], record.value)
            if entry is not None:
                yield entry

    def left_out(self) -> Iterator[Hint]:
        """Give a sentence for each column of answers with values left out, because no answer applies to their rows.

        And one for all values beside what a user says.
        """
        if count := self._of_users:
            yield Hint(
                f"{self.file}: {many(count, 'value')} beside what a user says {verb(count, 'is', 'are')} left out, as "
                "turns are rated by what the assistant says. If a speaker has the wrong role, say it in the mapping."
            )
        for columns, count in self._unmatched.items():
            if count:
                answers = self._answers_by_columns[columns]
                by = " and ".join(dict.fromkeys(column for answer in answers for column in answer.only))
                yield Hint(
                    f"{self.file}: {many(count, 'value')} of {' and '.join(columns)} {verb(count, 'is', 'are')} left "
                    f"out: the mapping does not know what stands in {by} there."
                )

    def _judgment(self, record: Record, name: str, judged: JudgmentColumns, turn: int | None) -> Entry | None:
        row = record.value
        cell = judged.raw.value(row) if judged.raw else judged.value.value(row)
        data: dict[str, Any] = {"item": name, "card": judged.card, "model": judged.model.text(row)}
        data["params"] = judged.params
        data |= {"order": text.strip().lower()} if (text := judged.order.text(row)) else {}
        number = judged.turn.text(row).strip() or str(turn or "")
        if sample := judged.sample.text(row).strip():
            data["sample"] = _whole_number(sample)
        if judged.value and not judged.reply:
            self._score(record, data, judged, cell, number)
            return None
        if judged.card == "mt_bench":
            data["part"] = _unit("turn", number)
        if judged.raw:
            data |= {"reply": cell, "raw": canonical(cell)} if isinstance(cell, dict) else {"raw": cell_text(cell)}
            return Line(self.file, record.line, "judgment", data, row)
        cells = {c: row.get(c) for c in [*judged.value.columns, *judged.reason.columns]}
        data["raw"] = canonical(cells)
        value = self._interpret(row, cell, judged)
        unscored = None
        if value is None:
            unscored = ("unreadable", f"{show_value(cell_text(cell))} is none of the values that the mapping knows")
            value = ""
        if judged.card == "mt_bench":
            score = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
            at = _whole_number(number.removeprefix("turn:"))
            data["reply"] = {"turn": at if isinstance(at, int) else 0, "score": score}
        else:
            data["reply"] = {"verdict": value, "reason": judged.reason.text(row)}
        return Line(self.file, record.line, "judgment", data, row, unscored=unscored)

    def _score(
        self, record: Record, data: dict[str, Any], judged: JudgmentColumns, cell: Any, number: str
    ) -> None:
        """Keep one value of a judge until its other values for this item are there."""
        row = record.value
        value = self._interpret(row, cell, judged)
        score: dict[str, Any] = {
            "unit": _unit(judged.unit.text(row).strip() or ("turn" if number else UNITS[self.mapping.kind]), number),
            "dimension": judged.dimension.text(row).strip(),
            "value": (None if is_missing(cell) else cell_text(cell)) if value is None else value,
            "note": judged.reason.text(row),
        }
        if sure := judged.confidence.text(row).strip():
            score["confidence"] = _number("confidence", sure)
        # Rows of several people repeat what a judge said, and rows of a dialogue what is said of all of it.
        repeats = bool(number) and not score["unit"].startswith("turn:")
        repeats |= not self._person_columns <= set(judged.model.columns)
        self.ratings.add(self.file, record.line, row, data, score, repeats)

    def _interpret(self, row: dict[str, Any], cell: Any, answer: JudgmentColumns | LabelColumns) -> Any:
        """Return the meaning of a cell, as `interpret_cell`; in verdicts on a pair a system's name means its side."""
        value = interpret_cell(cell, answer.values, answer.answers)
        if value is None and answer.answers is not None and names_sides(answer.answers.scale):
            # A judge's verdict is kept as it saw the pair, and a name is that of the item's side.
            swapped = isinstance(answer, JudgmentColumns) and answer.order.text(row).strip().lower() == "ba"
            sides = ("b", "a") if swapped else ("a", "b")
            return name_side(cell, *(self.mapping.field(f"system_{side}").value(row) for side in sides)) or None
        return value

    def _label(self, record: Record, name: str, label: LabelColumns, turn: int | None) -> Entry | None:
        row = record.value
        cell = label.value.value(row)
        empty = lacks_answer(cell, label.answers) or cell_text(cell).strip() in label.missing
        if label.answers is not None and empty:
            return None
        value = self._interpret(row, cell, label)
        if value is None:
            scale = label.answers.scale.words if label.answers else ""
            known = f"allowed are {scale}" if scale else f"the mapping knows {', '.join(label.values)[:100]}"
            raise LineError("value", f"value: {show_value(cell_text(cell))} is no answer here: {known}.")
        unit = _unit(label.unit.text(row).strip(), label.turn.text(row).strip() or str(turn or ""))
        made_at = label.made_at.text(row).strip()
        data = {
            "item": name,
            "unit": unit,
            "dimension": label.dimension.text(row).strip(),
            "value": value,
            "annotator": label.annotator.text(row).strip(),
            "mode": label.mode.text(row).strip() or "blind",
            "made_at": made_at or self.time,
            "team": label.team.text(row).strip(),
        }
        if label.probability:
            chance = label.probability.text(row).strip()
            data["probability"] = _number("probability", chance) if chance else None
        key = (name, unit, data["dimension"], data["annotator"], value, data["mode"])
        nth, moment = None if made_at else self.repeats.count(*key), time_in_seconds(label.latest.text(row))
        if nth and turn and unit == "conversation":
            return None  # each row of a dialogue has what is said of all of it
        return Line(self.file, record.line, "label", data, row, nth=nth, moment=moment)


def _is_of_whole(columns: JudgmentColumns | LabelColumns) -> bool:
    """Whether answers are about whole dialogues, in whichever row of one they stand."""
    return columns.unit.constant == "conversation" or (isinstance(columns, JudgmentColumns) and bool(columns.raw))


def _has(columns: JudgmentColumns | LabelColumns, row: dict[str, Any]) -> bool:
    """Whether a row has something in the columns of an answer."""
    return columns.has(row) and cell_text(_source(columns).value(row)).strip() != ""


def _source(columns: JudgmentColumns | LabelColumns) -> ValueSource:
    """Return the source of an answer: the raw reply if it is mapped, otherwise the value."""
    return columns.raw if isinstance(columns, JudgmentColumns) and columns.raw else columns.value


def _unit(unit: str, turn: str) -> str:
    """A unit as it is written in full: `turn`, or a number, is that turn."""
    number = turn.removeprefix("turn:")
    return f"turn:{number}" if unit == "turn" else f"turn:{unit}" if unit.isdigit() else unit


def _whole_number(text: str) -> int | str:
    """Read a whole number. Anything else, or one too long, stays text, and is refused later with the reason."""
    return int(text) if text.isdecimal() and len(text) < _DIGITS else text


def _number(field: str, text: str, range_: str = " from 0 to 1") -> float:
    """Read a number. Raises LineError, with the range that it must be in, for what is none."""
    try:
        return float(text)
    except ValueError:
        raise LineError(field, f"{field} must be a number{range_} (it is {show_value(text)}).") from None
