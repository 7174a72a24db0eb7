"""Cases of evaluations and annotations: what was asked and answered, with what judges and people said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data.importing.conversations.tool_reader import ToolReader
from data.importing.conversations.utterances import Utterance, read_messages, text_of, to_turns
from data.store.ids import content_id
from judges.importing.column_names import WORDS, normalize
from judges.importing.entries import Line, NamedValue, ToolEntry
from judges.strict_json import decode_json

_FIELDS = WORDS["fields"]
_TASKS = (*(name for name in _FIELDS["task"] if name != "text"), "inputs", "user")
_OUTPUTS = (*_FIELDS["output"], "outputs", "prediction", "assistant", "text", "content")
REFERENCES: tuple[str, ...] = tuple(_FIELDS["reference"])
"""The names of fields with the answer that was expected."""
_SIDES = re.compile(r"(.*?)[ _-]?(left|right|a|b|1|2|chosen|rejected)", re.IGNORECASE)
_FIRST = ("left", "a", "1", "chosen")
_SPEAKER, _SPOKEN = ("author", "speaker", "role", "from", "name"), ("text", "content", "dialogue", "utterance", "value")


@dataclass(slots=True)
class CaseRating:
    """A rating that a judge or a person (`by`) gave to a case: to the whole, to a turn, or to a side.

    `utterance` is the number of the rated utterance in the case, from 0.
    """

    name: str
    by: str
    rater: str
    value: Any
    note: str = ""
    made_at: str = ""
    confidence: float | None = None
    utterance: int | None = None
    side: str = ""


@dataclass(slots=True)
class EvaluationCase:
    """A case under its id: its utterances, or the two answers of a pair, and everybody's opinions."""

    id: str
    utterances: list[Utterance]
    opinions: list[CaseRating] = field(default_factory=list)
    sides: tuple[str, str] | None = None
    reference: str = ""
    system: str = ""
    scenario: str = ""
    meta: dict[str, Any] = field(default_factory=dict)


class CaseReader(ToolReader):
    """Reads a tool whose files hold cases: `take` adds them."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._dialogues = False
        self._names: dict[str, str] = {}

    def add(self, case: EvaluationCase) -> None:
        """A case; one without an answer is reported."""
        if case.sides is None and not any(utterance.role == "assistant" for utterance in case.utterances):
            why = "has no answer that could be judged."
            self.add_fault("case", why, case.id, {"id": case.id})
            return
        content = content_id([list(utterance) for utterance in case.utterances], case.sides, case.scenario, case.system)
        name = (case.id.strip() or f"case-{content[:12]}")[:280]
        if self._names.setdefault(name, content) != content:
            # The same name means something else in another file or run.
            self.add_hint("{n} cases have the name of another one; a part of their content's hash was added.")
            name = f"{name} {content[:6]}"
        self._names.setdefault(name, content)
        case.id = name
        users = sum(utterance.role == "user" for utterance in case.utterances)
        self._dialogues |= case.sides is None and (
            users > 1 or any(utterance.role == "tool" for utterance in case.utterances)
        )
        self._shelf.put_object(len(self._shelf), (self.file, self.line, case))

    def entries(self) -> Iterator[ToolEntry]:
        """The items, each followed by its scores and labels, then what could not be imported."""
        ids: set[str] = set()
        for number in range(len(self._shelf)):
            file, line, case = self._shelf.get_object(number)
            data, numbers = self._item(case)
            if case.id not in ids:
                yield Line(file, line, "item", data, {"id": case.id})
            ids.add(case.id)
            for rating in case.opinions:
                if rating.value is None or rating.value == "" or isinstance(rating.value, (dict, list)):
                    self.add_hint("{n} scores without a single value were left out.")
                    continue
                yield NamedValue(
                    file, line, case.id, data["kind"], _unit(rating, data, numbers), rating.name, rating.value,
                    rating.by, rating.rater, rating.note, rating.made_at,
                    {"id": case.id, "name": rating.name, "value": rating.value}, rating.confidence,
                )  # fmt: skip
        yield from self.problems()

    def _item(self, case: EvaluationCase) -> tuple[dict[str, Any], list[int]]:
        """The item of a case, and the turn of each of its utterances."""
        if case.sides is not None:
            texts = [utterance.text for utterance in case.utterances if utterance.role in ("user", "system")]
            sides = {
                f"response_{side}": {"system": "", "text": text} for side, text in zip("ab", case.sides, strict=True)
            }
            data = {"id": case.id, "kind": "pair", "input": "\n\n".join(texts), **sides, "meta": case.meta}
            return data, []
        scenario, entries, numbers = to_turns(case.utterances)
        scenario = "\n\n".join(filter(None, (case.scenario, scenario)))
        if self._dialogues or case.scenario or not 1 <= len(entries) <= 2:
            meta = {**case.meta, **({"reference": case.reference} if case.reference else {})}
            head = {"id": case.id, "kind": "dialogue", "scenario": scenario, "system": case.system}
            return {**head, "turns": entries, "meta": meta}, numbers
        task = "\n\n".join(filter(None, (scenario, *(e["text"] for e in entries if e["role"] == "user"))))
        data = {
            "id": case.id, "kind": "response", "task": task, "output": entries[-1]["text"], "reference": case.reference,
            "system": case.system, "meta": case.meta,
        }  # fmt: skip
        return data, numbers


def _unit(rating: CaseRating, data: Mapping[str, Any], numbers: Sequence[int]) -> str:
    if data["kind"] == "pair":
        return f"response/{rating.side}" if rating.side else "pair"
    if data["kind"] == "response":
        return "response"
    turn = numbers[rating.utterance] if rating.utterance is not None and 0 <= rating.utterance < len(numbers) else 0
    answered = any(entry["turn"] == turn and entry["role"] == "assistant" for entry in data["turns"])
    return f"turn:{turn}" if answered else "conversation"


def text_fields(fields: Mapping[str, Any]) -> tuple[list[Utterance], tuple[str, str] | None, str, list[str]]:
    """Return the utterances in the fields of a record, the two answers of a pair, a reference, and the fields used."""
    plain_names = {normalize(name): name for name in reversed(list(fields))}
    reference = next((plain_names[n] for n in REFERENCES if n in plain_names), "")
    used = [reference] if reference else []
    for name, value in fields.items():
        if (utterances := _chat(value)) is not None:
            sides, side_fields = _sides({n: v for n, v in fields.items() if n != name})
            return utterances, sides, text_of(fields.get(reference)), [*used, name, *side_fields]
    sides, side_fields = _sides(fields)
    task_names = [n for n in _TASKS if n in plain_names and plain_names[n] not in side_fields]
    tasks = [text for n in task_names if (text := text_of(fields[plain_names[n]])).strip()]
    utterances = [Utterance("user", "\n\n".join(tasks))] if tasks else []
    used += [plain_names[n] for n in task_names] + side_fields
    if sides:
        return utterances, sides, text_of(fields.get(reference)), used
    output = next((plain_names[n] for n in _OUTPUTS if n in plain_names and plain_names[n] not in used), "")
    if not output:
        rest = [n for n, v in fields.items() if n not in used and isinstance(v, str) and v.strip()]
        output = max(rest, key=lambda n: len(fields[n]), default="")
    if output and text_of(fields[output]).strip():
        utterances.append(Utterance("assistant", text_of(fields[output])))
    return utterances, None, text_of(fields.get(reference)), [*used, output]


def _sides(fields: Mapping[str, Any]) -> tuple[tuple[str, str] | None, list[str]]:
    """The texts of two fields that are named as the sides of a pair, and their names; (None, []) without such."""
    names_by_stem: dict[str, list[str]] = {}
    for name, value in fields.items():
        match = _SIDES.fullmatch(name)
        if match and isinstance(value, str) and (match[1] or len(match[2]) > 1):
            names_by_stem.setdefault(match[1], []).append(name)
    for names in names_by_stem.values():
        if len(names) == 2:
            first = [n for n in names if n.lower().endswith(_FIRST)]
            a, b = (first[0], next(n for n in names if n != first[0])) if len(first) == 1 else names
            return (fields[a], fields[b]), [a, b]
    return None, []


def _chat(value: Any) -> list[Utterance] | None:
    """The messages of a field, also where they name speakers in words of their own: then the first one asks."""
    value = decode_json(value)
    if not isinstance(value, list) or not value or not all(isinstance(message, dict) for message in value):
        return None
    if (utterances := read_messages(value)) is not None:
        return utterances
    speaker = next((k for k in _SPEAKER if all(k in message for message in value)), "")
    spoken = next((k for k in _SPOKEN if all(k in message for message in value)), "")
    if not speaker or not spoken:
        return None
    first = value[0][speaker]
    return [
        Utterance("user" if message[speaker] == first else "assistant", text_of(message[spoken])) for message in value
    ]


def as_confidence(value: Any) -> float | None:
    """Return the confidence that a model states, if it is a number from 0 to 1; otherwise None."""
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None


def plain_fields(value: Any, but: Sequence[str] = ()) -> dict[str, Any]:
    """The short plain values of an object, to be kept beside an item."""
    value = decode_json(value)
    fields = value.items() if isinstance(value, dict) else ()
    values = {k: v for k, v in fields if isinstance(v, (str, int, float, bool)) and k not in but and len(str(v)) <= 200}
    return dict(list(values.items())[:20])
