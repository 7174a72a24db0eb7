"""Conversations rebuilt from traces, and scores brought to what they are about: a turn, a conversation, a response."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from operator import attrgetter
from typing import Any, NamedTuple

from data.importing.conversations.call_chains import TraceSpan, first_new_entry, main_conversation
from data.importing.conversations.tool_reader import ToolReader
from data.importing.conversations.utterances import Utterance, to_turns
from judges.importing.entries import Line, NamedValue, ToolEntry
from judges.types import Kind

Key = tuple[str, str]
PEOPLE_WORDS = "human|people|person|user|thumb|annotat|expert|rater|customer"
"""A pattern of words in the names of scores that people give."""
_HEARD = ("assistant", "tool")


@dataclass(slots=True)
class TraceScore:
    """A score that a judge or a person (`by`) gave to a span, a trace or a session.

    It is a number (or yes or no), a label in words, or both. `key` is the score's own id, which shows whether it occurs
    twice. `answer` is the id of the response that it is about.
    """

    name: str
    by: str
    rater: str
    key: str = ""
    trace: str = ""
    span: str = ""
    session: str = ""
    answer: str = ""
    number: Any = None
    label: Any = None
    note: str = ""
    made_at: str = ""
    file: str = ""
    line: int = 0

    @property
    def names(self) -> str:
        """The id of what the score is about, as the file has it."""
        return self.span or self.trace or self.session or self.answer


class _Place(NamedTuple):
    item: str
    kind: Kind
    unit: str


class TraceReader(ToolReader):
    """Reads a tool whose files hold traces: `take` adds spans and scores, in any order."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._traces: dict[str, list[tuple[Key, str]]] = {}
        self._sessions: dict[str, str] = {}
        self._meta: dict[str, dict[str, Any]] = {}
        self._parents: dict[Key, str] = {}
        self._answers: dict[str, Key] = {}
        self._scores: list[TraceScore] = []
        self._keys: set[str] = set()
        self._dialogues = False
        self._items: dict[str, _Place] = {}
        self._wholes: dict[str, _Place] = {}
        self._placed: dict[Key, _Place] = {}
        self._ignored: set[Key] = set()

    def set_place(self, record: TraceSpan | TraceScore) -> None:
        """Write down the file and the line that is being read, unless that was done before."""
        if not record.file:
            record.file, record.line = self.file, self.line

    def add(self, call: TraceSpan, answer: str = "") -> None:
        """A span; `answer` is the id of the response that it got. An outer one with input and output is the root."""
        key = (call.trace, call.span)
        if not call.trace or not call.span:
            self.add_fault("span", "has no id, or names no trace.", call.name, {"name": call.name})
            return
        if key in self._parents:
            self.add_hint("{n} spans that stand in the files twice were read once.")
            return
        self._parents[key] = call.parent
        if not call.sort and not call.parent and call.inputs and call.answer:
            call.sort = "root"
        if call.session:
            self._sessions.setdefault(call.trace, call.session)
            self._dialogues = True
        if answer:
            self._answers[answer] = key
        if call.meta and not call.sort:
            self._meta.setdefault(call.trace, {}).update(call.meta)
        if call.sort:
            self._dialogues = (
                self._dialogues or call.sort == "tool" or any(utterance.role in _HEARD for utterance in call.inputs)
            )
            self.set_place(call)
            self._shelf.put_object(key, call)
            self._traces.setdefault(call.trace, []).append((key, call.session))

    def session(self, trace: str, session: str) -> None:
        """Tell to which session a trace belongs."""
        if session:
            self._sessions.setdefault(trace, session)
            self._dialogues = True

    def score(self, score: TraceScore) -> None:
        """A score; one without a value is reported, and one that was there before is passed over."""
        if score.number is None and score.label in (None, ""):
            self.add_hint("{n} scores without a value were left out.")
        elif not score.key or score.key not in self._keys:
            self._keys.add(score.key)
            self.set_place(score)
            self._scores.append(score)

    def entries(self) -> Iterator[ToolEntry]:
        """The items, then their scores and labels, then what could not be imported."""
        groups: dict[str, dict[str, list[Key]]] = {}
        for trace, spans in self._traces.items():
            for span, own in spans:
                key = own or self._sessions.get(trace) or trace
                groups.setdefault(key, {}).setdefault(trace, []).append(span)
        orphan_count = sum(
            1 for (trace, _), parent in self._parents.items() if parent and (trace, parent) not in self._parents
        )
        self.add_hint("{n} spans name a parent that is not in the files: their traces may be cut.", orphan_count)
        for key, traces in groups.items():
            yield from self._conversation(key, traces)
        if not groups and self._scores:
            yield from self._items_without_texts()
        yield from self._named_values()
        yield from self.problems()

    def _conversation(self, key: str, traces: dict[str, list[Key]]) -> Iterator[Line]:
        """The item that the calls of a session, or of a trace that is in none, amount to."""
        load, start = self._shelf.get_object, attrgetter("start")
        loaded = {trace: sorted(map(load, spans), key=start) for trace, spans in traces.items()}
        chat: list[Utterance] = []
        marks: list[tuple[Key, int]] = []
        spread: list[tuple[str, int, int]] = []
        model = ""
        for trace, calls in sorted(loaded.items(), key=lambda pair: pair[1][0].start):
            chain, ignored_spans = main_conversation(calls)
            self._ignored.update((trace, span) for span in ignored_spans)
            self.add_hint(
                "{n} calls of models with other prompts beside a conversation were left out.", len(ignored_spans)
            )
            if chain is None:
                continue
            begin, before = first_new_entry(chat, chain.utterances[: chain.heard]), len(chat)
            if chain.system and not chat:
                chat.append(Utterance("system", chain.system))
                before += 1
            chat += chain.utterances[begin:]
            marks += [((trace, span), max(before + n - begin, 0)) for span, n, _ in chain.marks]
            spread.append((trace, before, len(chat)))
            model = model or chain.model
        yield from self._item(key, loaded, model, chat, marks, spread)

    def _item(
        self, key: str, loaded: dict[str, list[TraceSpan]], model: str, chat: list[Utterance],
        marks: list[tuple[Key, int]], spread: list[tuple[str, int, int]],
    ) -> Iterator[Line]:  # fmt: skip
        calls = [call for spans in loaded.values() for call in spans]
        scenario, entries, numbers = to_turns(chat)
        answered = {entry["turn"] for entry in entries if entry["role"] == "assistant"}
        if not answered:
            why = "has no answer that could be judged: its trace was cut, or its texts were not recorded."
            self.add_fault("conversation", why, key, {"id": key}, at=(calls[0].file, calls[0].line))
            return
        meta = {name: value for trace in loaded for name, value in self._meta.get(trace, {}).items()}
        meta |= {name: value for call in reversed(calls) for name, value in call.meta.items()}
        is_response = not self._dialogues and len(entries) == 2 and entries[0]["role"] == "user"
        data: dict[str, Any] = {"id": key[:300], "kind": "response" if is_response else "dialogue", "system": model}
        if is_response:
            task = "\n\n".join(filter(None, (scenario, entries[0]["text"])))
            data |= {"task": task, "output": entries[1]["text"], "reference": str(meta.pop("reference", ""))}
        else:
            data |= {"scenario": scenario, "turns": entries}
        place = _Place(data["id"], data["kind"], "response" if is_response else "conversation")
        self._items[key] = place
        if self._scores:
            self._locate(key, place, numbers, answered, marks, spread)
        yield Line(calls[0].file, calls[0].line, "item", {**data, "meta": meta}, {"id": key})

    def _locate(
        self, key: str, place: _Place, numbers: list[int], answered: set[int], marks: list[tuple[Key, int]],
        spread: list[tuple[str, int, int]],
    ) -> None:  # fmt: skip
        """Keep where the spans and traces of an item stand in it."""

        def turn(number: int) -> _Place:
            known = number in answered and place.kind == "dialogue"
            return _Place(place.item, place.kind, f"turn:{number}") if known else place

        for span, index in marks:
            self._placed[span] = turn(numbers[min(index, len(numbers) - 1)])
        for trace, start, end in spread:
            turns = sorted({number for number in numbers[start:end] if number in answered})
            covers_item = not turns or key == trace or (len(spread) == 1 and len(turns) > 1)
            self._wholes[trace] = place if covers_item else turn(turns[-1])

    def _items_without_texts(self) -> Iterator[Line]:
        """Items without texts, where the import has scores and no traces at all."""
        self.add_hint(
            "the files hold scores and no traces, so their items have no texts: to have them, import the traces "
            "together with the scores."
        )
        for score in self._scores:
            name = score.names[:300]
            if name and name not in self._items:
                self._items[name] = _Place(name, "response", "response")
                data = {"id": name, "kind": "response", "task": "", "output": ""}
                yield Line(score.file, score.line, "item", data, data, weak=True)

    def _named_values(self) -> Iterator[NamedValue]:
        """Yield the values given to the items. Those of a name are labels if all have one and some have no number."""
        partly_numbered = {score.name for score in self._scores if score.number is None}
        partly_labelled = {score.name for score in self._scores if score.label in (None, "")}
        outer_places = self._place_outer_spans()
        for score in self._scores:
            place = self._place(score, outer_places)
            if place is None:
                continue
            in_words = score.name in partly_numbered and score.name not in partly_labelled
            number = score.number is not None and not in_words
            value, extra_label = (score.number, score.label) if number else (score.label, None)
            note = "\n\n".join(filter(None, (str(extra_label) if extra_label not in (None, "") else "", score.note)))
            yield NamedValue(
                score.file, score.line, place.item, place.kind, place.unit, score.name, value, score.by, score.rater,
                note, score.made_at,
                row={"name": score.name, "of": score.names, "value": value},
            )  # fmt: skip

    def _place(self, score: TraceScore, outer_places: dict[Key, _Place]) -> _Place | None:
        """Return the place that a score is about; None (and a report) if it is not known."""
        key = self._answers.get(score.answer) if score.answer and not score.span else (score.trace, score.span)
        place = None
        if key is not None and key[1]:
            key = key if key[0] else self._by_span.get(key[1], key)
            if key in self._ignored:
                self.add_hint("{n} scores of calls that are no part of a conversation were left out.")
                return None
            place = self._placed.get(key) or outer_places.get(key)
            if place is None and key in self._parents:
                around = (self._placed[span] for span in self._spans_around(key) if span in self._placed)
                place = next(around, self._wholes.get(key[0]))
        elif score.trace:
            place = self._wholes.get(score.trace)
        elif score.session:
            place = self._items.get(score.session)
        place = place or (None if self._traces else self._items.get(score.names[:300]))
        if place is None:
            why = "refers to nothing that could be imported from these files: import it with what it refers to."
            value = score.number if score.label is None else score.label
            row = {"name": score.name, "of": score.names, "value": value}
            self.add_fault("score", why, score.names or "it names no trace", row, at=(score.file, score.line))
        return place

    def _place_outer_spans(self) -> dict[Key, _Place]:
        """Return the places of spans around calls: that of the last call, or the whole trace for the outermost span."""
        self._by_span: dict[str, Key] = {}
        if any(score.span and not score.trace for score in self._scores):
            for key in self._parents:
                self._by_span.setdefault(key[1], key)
        places: dict[Key, _Place] = {}
        if any(score.span for score in self._scores):
            for key, place in self._placed.items():
                for outer in takewhile(lambda span: span not in self._placed, self._spans_around(key)):
                    places[outer] = place if self._parents[outer] else self._wholes.get(outer[0], place)
        return places

    def _spans_around(self, key: Key) -> Iterator[Key]:
        """The spans around a span that are in the files, from the inside out; where they lie in a circle, each once."""
        met = {key}
        while (key := (key[0], self._parents.get(key, ""))) in self._parents and key not in met:
            met.add(key)
            yield key


def nanoseconds(value: Any) -> int:
    """A time since 1970: from nanoseconds to seconds as numbers or their texts, or an ISO time; 0 for none."""
    if isinstance(value, str) and not value.isdecimal():
        try:
            time = datetime.fromisoformat(value.strip())
            return round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1e6) * 1_000
        except (ValueError, OverflowError):
            value = value.strip()
    try:
        number = (int(value) if value.isdecimal() else float(value)) if isinstance(value, str) else value or 0
        unit = next((unit for most, unit in ((1e17, 1), (1e14, 1_000), (1e11, 1_000_000)) if number > most), 10**9)
        return int(number * unit)
    except (TypeError, ValueError, OverflowError):
        return 0


def iso_time(value: Any) -> str:
    """A time as an ISO text, "" where it is none."""
    at = nanoseconds(value)
    try:
        return datetime.fromtimestamp(at / 1e9, UTC).isoformat() if at > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""
