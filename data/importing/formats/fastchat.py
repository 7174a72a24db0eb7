"""FastChat's files (MT-Bench): questions and answers become dialogues, and pairs where two answers were compared.

A dialogue is one model's answers to one question; its ratings are judgments of the card mt_bench, one a turn. A pair is
two models' answers to one question up to one turn, names in sorted order; people's votes are labels of it, a model's
verdicts judgments of the card plain_pairwise.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from data.importing.files.spill_file import SpillFile
from data.importing.format_file import FileStart, FormatFile
from data.importing.formats import _fastchat_rows as shapes
from data.importing.formats._fastchat_rows import Role
from data.importing.lines import Entry, Hint, Line, LineError, RejectedRow, RepeatCounter
from data.store.errors import BadInput
from data.store.ids import now
from judges.importing.column_names import parse_name
from judges.importing.jsonl import Record
from judges.mtbench.pair_turns import ANSWER, USER, join_turns
from judges.strict_json import canonical

PARAMS = {"protocol": "fastchat"}
_JUDGED = frozenset(("judge", "judgment", "judge_model"))
"""FastChat's own columns whose names sound like somebody's answers."""
TITLE = "FastChat"
LISTS = ()
ROLES_OF_FILES: dict[Role, str] = {
    "prompt": "a judge's prompts",
    "question": "questions",
    "reference": "reference answers",
    "answer": "answers of a model",
    "pair": "verdicts on pairs",
    "vote": "votes on pairs",
    "single": "ratings by a judge",
}
"""What FastChat's files hold, in the order in which they are read."""


def role(start: FileStart) -> Role:
    """Which of FastChat's files begins so. Raises BadInput where it is none of them."""
    found = _role(start)
    if found is None:
        named = ", ".join(sorted(frozenset().union(*start.shapes)))[:200] or "none"
        raise BadInput(f"{start.name} is none of FastChat's files: its keys are {named}.")
    return found


def _role(start: FileStart) -> Role | None:
    return next((found for keys in start.shapes if (found := shapes.role_of(start.name, keys)) is not None), None)


def fits(start: FileStart) -> bool:
    """Whether a file that begins so is one of FastChat's; a table in CSV is none, whatever its columns are called."""
    return start.held != "csv" and _role(start) is not None


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The items, judgments and labels of a set of files, whatever order they are given in."""
    order: list[str | None] = [*ROLES_OF_FILES]
    ordered = sorted(files, key=lambda part: order.index(part.role))
    if ordered and all(part.role in ("prompt", "question", "reference") for part in ordered):
        yield Hint("The files hold no answers, ratings or votes: questions alone make no items.")
    with contextlib.closing(_Reader()) as reader:
        for part in ordered:
            if part.role == "prompt":
                yield Hint(f"{part.name} was left aside: the prompts of a judge are no part of its judgments.")
                continue
            for number, record in enumerate(part.records):
                if not number and (left := _others(record.value)):
                    yield Hint(
                        f"{part.name}: {left}: left aside, as FastChat's files have no such columns. They are read "
                        "where the file is imported as a table (--format table)."
                    )
                if record.problem:
                    yield RejectedRow(part.name, record.line, [("", f"The line {record.problem}.")], record.text)
                    continue
                try:
                    yield from reader.take(part, record)
                except LineError as error:
                    yield RejectedRow(part.name, record.line, [error.problem], record.value)


def _others(row: Mapping[str, Any]) -> str:
    """The columns of a row that seem to be answers of judges or people, and are none of FastChat's."""
    others = (name for name in row if name not in _JUDGED and not name.startswith(("g1_", "g2_")))
    return ", ".join(name for name in others if (said := parse_name(name)).owner and not said.weak)


class _Reader:
    """What was read so far, on the disk: questions, references and answers wait for what refers to them."""

    def __init__(self) -> None:
        self.questions, self.references, self.answers = SpillFile(), SpillFile(), SpillFile()
        self.named: dict[str, str] = {}
        self.pairs: set[str] = set()
        self.votes = RepeatCounter()
        self.time = now().isoformat()

    def close(self) -> None:
        """Forget everything."""
        for shelf in (self.questions, self.references, self.answers):
            shelf.close()

    def take(self, part: FormatFile, record: Record) -> Iterator[Entry]:
        """What one row amounts to."""
        row, key = record.value, shapes.question_id(record.value)
        if part.role == "question":
            self._question(row, key)
        elif part.role == "reference":
            yield from self._reference(part, row, key)
        elif part.role == "answer":
            yield self._answer(part, record, row, key)
        elif part.role == "single":
            yield from self._single(part, record, row, key)
        else:
            yield from self._compared(part, record, row, key)

    def _question(self, row: dict[str, Any], key: str) -> None:
        held: dict[str, Any] = {"turns": shapes.text_list(row, "turns")}
        held |= {name: row[name] for name in ("category", "required_temperature") if row.get(name) is not None}
        if row.get("reference"):
            held["reference"] = shapes.text_list(row, "reference")
        if key in self.questions and self.questions.get(key) != held:
            raise LineError("question_id", f"The question {key} stands twice, with different texts.")
        self.questions.put(key, held)

    def _reference(self, part: FormatFile, row: dict[str, Any], key: str) -> Iterator[Entry]:
        given = shapes.answer_turns(row)
        held = self.references.get(key)
        if held is None:
            self.references.put(key, given)
        elif held != given:
            yield Hint(f"{part.name}: its references differ from those of an earlier file; the earlier ones are shown.")

    def _answer(self, part: FormatFile, record: Record, row: dict[str, Any], key: str) -> Entry:
        model, given = shapes.first_text(row, "model_id", "model"), shapes.answer_turns(row)
        self.named[PurePosixPath(part.name).stem] = model
        question = self.questions.get(key)
        name = f"{key}/{model}"
        if question is None:
            why = f"The question {key} is not in the files: question.jsonl is needed beside the answers."
            return RejectedRow(part.name, record.line, [("question_id", why)], row, name)
        if len(given) > len(question["turns"]):
            why = f"There are {len(given)} answers to the {len(question['turns'])} turns of question {key}."
            return RejectedRow(part.name, record.line, [("choices", why)], row, name)
        self.answers.put((key, model), given)
        turns = [
            {"turn": turn, "role": role, "text": said}
            for turn, both in enumerate(zip(question["turns"], given, strict=False), 1)
            for role, said in zip(("user", "assistant"), both, strict=True)
        ]
        meta = self._meta(key, question)
        own, given = question.get("reference"), self.references.get(key)
        meta |= {"reference": own or given} if own or given else {}
        # A question's own reference is shown to people, and never to a judge.
        meta |= {"reference_answer": given or []} if own else {}
        data = {"id": name, "kind": "dialogue", "system": model, "turns": turns, "meta": meta}
        return Line(part.name, record.line, "item", data, row)

    def _shown(self, key: str, turn: int) -> dict[str, Any]:
        """The reference answers that a judge of a pair is shown, up to its turn."""
        given = self.references.get(key)
        return {"reference_answer": given[:turn]} if given else {}

    def _meta(self, key: str, question: dict[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {n: question[n] for n in ("category", "required_temperature") if n in question}
        return {"question_id": key, **kept}

    def _single(self, part: FormatFile, record: Record, row: dict[str, Any], key: str) -> Iterator[Entry]:
        stem = PurePosixPath(part.name).stem
        model = shapes.first_text(row, "model", "model_id") if row.get("model") or row.get("model_id") else stem
        model = self.named.get(model, model)
        judge = shapes.judge_model(row, part.name)
        found = shapes.read_ratings(row, part.name)
        if not found:
            yield Hint(f"{part.name}: rows whose scores are -1 without a judgment were left out: they were not asked.")
        for rating in found:
            reply = {"turn": rating.turn, "judgment": rating.judgment, "score": rating.score}
            data = {
                "item": f"{key}/{model}",
                "card": "mt_bench",
                "model": judge,
                "params": PARAMS,
                "part": f"turn:{rating.turn}",
                "sample": rating.sample,
                "reply": reply,
                "raw": rating.judgment or canonical(reply),
            }
            yield Line(part.name, record.line, "judgment", data, row)

    def _compared(self, part: FormatFile, record: Record, row: dict[str, Any], key: str) -> Iterator[Entry]:
        """A vote, or a judge's verdict, on two answers; the pair itself comes before what is first said of it."""
        found, turn = shapes.read_verdict(row), row.get("turn", 1)
        if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= 100:
            raise LineError("turn", "turn must be a number from 1.")
        name = f"{key}/{found.a}~{found.b}/turn{turn}"
        if name not in self.pairs:
            self.pairs.add(name)
            yield self._pair(part, record, name, key, found, turn)
        if part.role == "vote" and shapes.is_person(row):
            yield self._vote(part, record, row, name, found)
            return
        data = {"item": name, "card": "plain_pairwise", "model": shapes.judge_model(row, part.name), "params": PARAMS}
        if games := shapes.read_games(row, found):
            for game in games:
                reply = {"verdict": game.winner or "tie", "reason": game.reason}
                unscored = ("api_error", game.error) if game.error else None
                told = {**data, "order": game.order, "reply": reply}
                yield Line(part.name, record.line, "judgment", told, row, unscored=unscored)
            return
        kept = {k: v for k, v in row.items() if k.startswith(("model_", "g1_", "g2_", "winner")) and "prompt" not in k}
        data |= {"reply": {"verdict": found.winner, "reason": found.reason}, "raw": canonical(kept)}
        unscored = ("api_error", found.error) if found.error else None
        yield Line(part.name, record.line, "judgment", data, row, unscored=unscored)

    def _pair(self, part: FormatFile, record: Record, name: str, key: str, found: shapes.Verdict, turn: int) -> Line:
        question = self.questions.get(key)
        sides = [self.answers.get((key, model)) for model in (found.a, found.b)]
        full = question is not None and all(given is not None and len(given) >= turn for given in sides)
        data = {
            "id": name,
            "kind": "pair",
            "input": join_turns(question["turns"][:turn], USER) if question else "",
            "meta": {**self._meta(key, question or {}), "turn": turn, **self._shown(key, turn)},
        }
        for side, model, given in zip("ab", (found.a, found.b), sides, strict=True):
            said = join_turns(given[:turn], ANSWER) if given is not None and len(given) >= turn else None
            data[f"response_{side}"] = {"system": model, "text": said}
        return Line(part.name, record.line, "item", data, record.value, weak=not full)

    def _vote(self, part: FormatFile, record: Record, row: dict[str, Any], name: str, found: shapes.Verdict) -> Line:
        person, given = shapes.first_text(row, "judge"), row.get("tstamp")
        if found.error:
            raise LineError("winner", "winner is error: a person's vote must be one of the models, or tie.")
        made_at, nth = self.time, None
        if isinstance(given, (int, float)) and 0 < given < 4e9:
            made_at = datetime.fromtimestamp(given, UTC).isoformat()
        else:
            nth = self.votes.count(name, person, found.winner)
        data = {
            "item": name,
            "unit": "pair",
            "dimension": "verdict",
            "value": found.winner,
            "annotator": person,
            "mode": "blind",
            "made_at": made_at,
            "team": shapes.voter_group(person),
        }
        return Line(part.name, record.line, "label", data, row, nth=nth)
