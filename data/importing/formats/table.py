"""Tables read through a mapping: rows become items, the columns of judges and people judgments and labels of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from data.importing.format_file import FormatFile
from data.importing.formats import messages
from data.importing.lines import Entry, Hint, Line, LineError, RejectedRow, RepeatCounter
from data.importing.mapping.mapping import (
    UNITS,
    ColumnMapping,
    JudgmentColumns,
    LabelColumns,
    ValueSource,
    interpret_cell,
)
from data.importing.mapping.score_collector import ScoreCollector
from data.store.ids import content_id, now
from judges.authoring.scale_inference import is_missing
from judges.importing.columns import cell_text, name_side
from judges.importing.item_keys import time_in_seconds
from judges.importing.jsonl import Record
from judges.importing.speakers import ROLES, read_messages, speaker_name
from judges.importing.summary_rows import drop_summaries, explain_summaries
from judges.plural import many, verb
from judges.protocols.orders import names_sides
from judges.strict_json import BadJson, canonical, parse_json, show_value

TITLE = "a table"
_GROUP, _DIGITS = 10_000, 20


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The items, judgments and labels of the tables, one after the other; each has its mapping."""
    for file in files:
        assert file.mapping is not None
        yield from _read(file.name, file.records, file.mapping)


def _read(file: str, records: Iterable[Record], mapping: ColumnMapping) -> Iterator[Entry]:
    reader = _Table(file, mapping)
    spread = mapping.kind == "dialogue" and mapping.items and not mapping.field("turns")
    closed: set[str] = set()
    summaries: list[str] = []
    items = drop_summaries(records, lambda record: {} if record.problem else record.value, summaries)
    for name, group in groupby(items, key=lambda r: "" if r.problem else reader.name(r)):
        rows = []
        for record in group:
            if record.problem:
                yield RejectedRow(file, record.line, [("", f"The row {record.problem}.")], record.text)
            elif not name:
                empty = " and ".join(mapping.id.columns)
                yield RejectedRow(file, record.line, [("id", f"The row has no id: {empty} is empty.")], record.value)
            elif spread:
                rows.append(record)
            else:
                yield from reader.row(record, name)
                if not reader.long:
                    yield from reader.ratings.lines()
        if rows and (name in closed or len(rows) > _GROUP):
            why = "are not consecutive: sort the table by its id" if name in closed else f"are more than {_GROUP}"
            problem = f"The rows of the dialogue {show_value(name)} {why}."
            yield RejectedRow(file, rows[0].line, [("id", problem)], rows[0].value, name)
        elif rows:
            closed.add(name)
            yield from reader.rows(rows, name)
            yield from reader.ratings.lines()
    yield from reader.ratings.lines()
    yield from reader.left_out()
    if summaries:
        yield Hint(f"{file}: {explain_summaries(summaries)}.")


def example_lines(
    file: str, rows: list[dict[str, Any]], mapping: ColumnMapping
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the canonical lines of a table's first rows, and what is wrong with the rows, as far as it shows."""
    lines: list[dict[str, Any]] = []
    wrong: list[str] = []
    for entry in _read(file, (Record(n, row) for n, row in enumerate(rows, 1)), mapping):
        if isinstance(entry, Line):
            lines.append(entry.data)
        elif isinstance(entry, RejectedRow):
            wrong += [f"Row {entry.line}: {sentence}" for _, sentence in entry.problems]
    return lines, wrong


class _Table:
    """A mapping at work on the rows of one file."""

    def __init__(self, file: str, mapping: ColumnMapping) -> None:
        self.file, self.mapping = file, mapping
        self._answers: list[JudgmentColumns | LabelColumns] = [*mapping.judgments, *mapping.labels]
        self.repeats = RepeatCounter()
        self.time = now().isoformat()
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
            return self.mapping.id.text(record.value, "/").strip()
        if self.mapping.textless:
            return f"row {record.line}"
        texts = [source.text(record.value) for _, source in sorted(self.mapping.fields.items())]
        return f"row-{content_id(texts)[:12]}"

    def row(self, record: Record, name: str) -> Iterator[Entry]:
        """A row that is an item of its own, or scores and labels of one."""
        if self.mapping.items:
            try:
                item = self._item(record.value, name)
                yield Line(self.file, record.line, "item", item, record.value, weak=self.mapping.textless)
            except LineError as error:
                yield RejectedRow(self.file, record.line, [error.problem], record.value, name)
        yield from self._read_row(record, name, None)

    def rows(self, records: list[Record], name: str) -> Iterator[Entry]:
        """The rows of one dialogue."""
        row, line = records[0].value, records[0].line
        try:
            placed = self._utterances(records)
        except LineError as error:
            yield RejectedRow(self.file, line, [error.problem], row, name)
            return
        turns = messages.number_turns([utterance for _, utterance in placed])
        data = {**self._common(row, name), "turns": turns}
        yield Line(self.file, line, "item", data, row)
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

    def _common(self, row: dict[str, Any], name: str) -> dict[str, Any]:
        """Return the fields that items of all kinds have."""
        mapping = self.mapping
        data: dict[str, Any] = {"id": name, "kind": mapping.kind}
        data["meta"] = {column: row[column] for column in mapping.meta if row.get(column) not in (None, "")}
        if mapping.kind != "pair":
            data["system"] = mapping.field("system").text(row)
        if mapping.kind == "dialogue":
            data["scenario"] = mapping.field("scenario").text(row)
        return data

    def _item(self, row: dict[str, Any], name: str) -> dict[str, Any]:
        mapping, data = self.mapping, self._common(row, name)
        if mapping.kind == "pair":
            data["input"] = mapping.field("input").text(row)
            for side in ("a", "b"):
                text = mapping.field(f"response_{side}").value(row)
                system = mapping.field(f"system_{side}").text(row)
                data[f"response_{side}"] = {"system": system, "text": None if text is None else cell_text(text)}
        elif mapping.kind == "response":
            if not mapping.textless and mapping.field("output").value(row) is None:
                raise LineError("output", "There is no output in this row.")
            data |= {field: mapping.field(field).text(row) for field in ("task", "output", "reference")}
        else:
            data["turns"], scenario = _turns(mapping.field("turns").value(row), mapping.roles)
            data["scenario"] = data["scenario"] or scenario
        return data

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

    # -- what judges and people said ----------------------------------------------------------------------------

    def _read_row(self, record: Record, name: str, turn: int | None) -> Iterator[Entry]:
        """Read all answers of a row, and count the values that no answer of the mapping applies to."""
        for columns, known in self._answers_by_columns.items():
            if not is_missing(_source(known[0]).value(record.value)):
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
        repeats = not self._person_columns <= set(judged.model.columns)
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
        if label.answers is not None and (is_missing(cell) or cell_text(cell).strip() in label.missing):
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


def _turns(cell: Any, roles: Mapping[str, str]) -> tuple[list[Any], str]:
    """The turns and the scenario of a dialogue in one cell; `roles` are those of speakers whose names say none."""
    value = cell
    if isinstance(cell, str):
        try:
            value = parse_json(cell)
        except BadJson as bad:
            raise LineError("turns", f"turns {bad}.") from None
    if not isinstance(turns := read_messages(value) or value, list):
        shown = show_value(json.dumps(value)[:60])
        raise LineError("turns", f"turns must be a JSON list of what was said (it is {shown}).")
    if turns and isinstance(turns[0], dict) and "turn" in turns[0]:
        return turns, ""
    names = [speaker_name(message) for message in turns if isinstance(message, dict)]
    if unknown := next((name for name in names if name and name not in roles and name not in ROLES), ""):
        problem = f"The speaker {show_value(unknown)} is no user, assistant, system or tool: say which in the mapping."
        raise LineError("turns", problem)
    if roles:
        turns = [{**message, "role": roles.get(name, name)} for message, name in zip(turns, names, strict=True)]
    data, _ = messages.to_dialogue({"messages": turns})
    return data["turns"], data["scenario"]
