"""Long dialogues in windows: which turns each call judges, what it knows of the turns before, and the fused reading.

A judge's attention drops over many turns; a window has few, and a summary of what came before (docs/methods.md, Both
orders, windows, chapters). The plan follows from the judge's parameters alone, so it can be made again from a stored
reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel, create_model

from judges.card import Card
from judges.protocols import combination
from judges.reading.confidence import combine_confidence
from judges.types import Dialogue, Dimension, Reading, Remark, Score, Turn, turn_number

SUMMARY_WORDS = 80
"""The number of words that a summary is asked not to exceed."""
_MAX_ATTENTIVE_TURNS = 6
"""Assistant turns above which no window is rounded: a judge's attention drops over more."""
_MAX_SUMMARY_CHARACTERS = 2000
"""The most characters of a summary that are passed on: a longer one ignored its limit and would fill the next call."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a dialogue: the k-th of n, its utterances, and the assistant turns in it that are scored."""

    number: int
    of: int
    turns: tuple[Turn, ...]

    @property
    def scored(self) -> list[int]:
        """The numbers of the assistant turns."""
        return [t.turn for t in self.turns if t.role == "assistant"]

    @property
    def last(self) -> bool:
        """Whether no window follows."""
        return self.number == self.of

    @property
    def place(self) -> str:
        """The turns in words: "turns 5-8", "turn 3"."""
        first, last = self.scored[0], self.scored[-1]
        return f"turn {first}" if first == last else f"turns {first}-{last}"


def plan_windows(item: Dialogue, size: int, over: int, of: int = 0) -> list[Window]:
    """The windows of a dialogue of more than `over` assistant turns, in order; [] where it stays whole.

    Their number brings their length nearest to `size`, with at most one turn more than that, and no window is
    lengthened beyond 6 turns. They are as even as possible, longer ones first: 11 turns by 5 are 6 + 5. An utterance is
    in the window of the assistant turn that answers it; utterances after the last turn are in the last window. `of` is
    the number of windows of a judgment that was already begun. Older ones were cut into ceil(turns / size) windows, 11
    turns into 4 + 4 + 3, and are still read and continued in this way.
    """
    at = [index for index, turn in enumerate(item.turns) if turn.role == "assistant"]
    if not size or len(at) <= over or len(at) <= size:
        return []
    older = -(-len(at) // size)
    nearest, longest = (2 * len(at) + size) // (2 * size), max(size, min(size + 1, _MAX_ATTENTIVE_TURNS))
    count = older if of == older else max(2, nearest, -(-len(at) // longest))
    base, longer = divmod(len(at), count)
    out, start, done = [], 0, 0
    for number in range(1, count + 1):
        done += base + (number <= longer)
        end = len(item.turns) if number == count else at[done - 1] + 1
        out.append(Window(number, count, tuple(item.turns[start:end])))
        start = end
    return out


def allows_windows(card: Card) -> bool:
    """Whether a card's judgments can be made in windows: JSON replies about the turns of a whole dialogue."""
    return card.kind == "dialogue" and card.text is None and any(d.sort == "turn" for d in card.dimensions)


def window_fields(window: Window, summary: str) -> dict[str, Any]:
    """The fields that a window's call is shown in addition to the dialogue."""
    return {} if window.number == 1 else {"summary_of_earlier_turns": summary or "(There is none.)"}


def window_instructions(window: Window, conversation: bool) -> str:
    """The text after the material of a window; `conversation`: the card scores the whole conversation too."""
    scored = ", ".join(map(str, window.scored))
    sentences = [
        f"This dialogue is judged in {window.of} parts; this is part {window.number}.",
        f"Score exactly these assistant turns: {scored}.",
    ]
    if window.number > 1:
        sentences.append("summary_of_earlier_turns tells what came before them: it is context, and is not scored.")
    if conversation and window.last:
        sentences.append("This is the end: judge what is about the whole conversation on the summary and these turns.")
    elif conversation:
        sentences.append(
            "Judge what is about the whole conversation as far as it has come, with n/a, where that is allowed, for "
            "what cannot be told yet."
        )
    if not window.last:
        sentences.append(
            f'Add one more key to the reply, "summary": at most {SUMMARY_WORDS} words on the whole dialogue so '
            "far, with what the later turns have to be judged by: facts, corrections, promises, open tasks. It "
            "judges nothing."
        )
    return " ".join(sentences)


def with_summary(card: Card, window: Window) -> Card:
    """The card for reading a window's reply: with a `summary`, which the last window does not need.

    The reading's `facts["summary"]` is that summary, cut at 2,000 characters.
    """

    def read(reply: Any, item: Any) -> Reading:
        plain = card.reply.model_construct(**{name: getattr(reply, name) for name in card.reply.model_fields})
        reading = card.read(plain, item)
        return replace(reading, facts={**reading.facts, "summary": reply.summary.strip()[:_MAX_SUMMARY_CHARACTERS]})

    return replace(card, reply=_with_summary_field(card.reply, window.last), read=read)


@cache
def _with_summary_field(reply: type[BaseModel], last: bool) -> type[BaseModel]:
    extra: Any = (str, "") if last else (str, ...)
    return create_model(reply.__name__, __base__=reply, summary=extra)


def fuse_windows(card: Card, windows: Sequence[Window], readings: Sequence[Reading]) -> Reading:
    """One reading of a dialogue from those of its windows.

    - A turn has the scores, issues and notes of its window.
    - A dimension of the conversation that may be n/a is about something that happens, such as a task or a correction:
      the latest window with an answer counts (it knows the rest from the summary); n/a if none has.
    - Any other one is about all turns: the lower of the last window's answer and the mean over the windows, weighted
      by their assistant turns (`combination`). The last window alone judges the whole, and no summary may wash out
      what an earlier window saw. Answers without an order: the vote; a flag: raised if any window raised it.
    - The verdict is the last window's, if the combined scores allow it by the card's own rule; else the lowest that
      another window gave and they allow; else the allowed one that is nearest to the last window's. A note says what
      the windows said.
    - The weakest turn is that with the lowest sum of scores; of equals one that a window named, then the first. None
      if no window named one.
    - Confidence, source "windows", for the conversation: `agreement_confidence` of the windows that have an answer.

    `facts["windows"]` is, by dimension of the conversation, what the windows said in words.
    """
    scores = [score for reading in readings for score in reading.scores if score.unit != "conversation"]
    votes = {d: _answers(d, windows, readings) for d in card.dimensions if d.sort == "conversation"}
    votes = {d: answers for d, answers in votes.items() if answers}
    verdict = next((d for d in votes if d.name == "verdict" and d.scale.kind == "ordered"), None)
    for dimension, answers in votes.items():
        if dimension is verdict or dimension.scale.kind == "turn":
            continue
        there_is, value = _combine_windows(dimension, answers)
        if there_is:
            scores.append(_score(dimension, value, answers, readings))
    remarks = [_remark(w, remark) for w, reading in zip(windows, readings, strict=True) for remark in reading.remarks]
    if verdict is not None:
        chosen = _verdict(card, verdict, votes[verdict], scores)
        scores.append(_score(verdict, chosen, votes[verdict], readings))
        if any(value != chosen for value, _ in votes[verdict]):
            words = ", ".join(verdict.scale.format(value) for value, _ in votes[verdict])
            text = f"The windows said {words}; their scores together make it {verdict.scale.format(chosen)}."
            remarks.append(Remark("conversation", verdict.name, "note", text))
    for dimension, answers in votes.items():
        if dimension.scale.kind == "turn":
            scores.append(Score("conversation", dimension.name, _weakest(card, scores, answers)))
    facts: dict[str, Any] = {
        "windows": {d.name: [d.scale.format(v) for v, _ in answers] for d, answers in votes.items()}
    }
    expected = {k: v for r in readings for k, v in r.facts.get("expected", {}).items() if k[0] != "conversation"}
    if expected:
        facts["expected"] = expected
    order = {d.name: n for n, d in enumerate(card.dimensions)}
    turns = [s for s in scores if s.unit != "conversation"]
    conversation = sorted((s for s in scores if s.unit == "conversation"), key=lambda s: order.get(s.dimension, 0))
    return Reading((*turns, *conversation), tuple(remarks), facts=facts)


WindowScores = list[tuple[float | None, float]]
"""The scores of the windows in one dimension of the conversation, with the number of assistant turns of each."""


def _answers(dimension: Dimension, windows: Sequence[Window], readings: Sequence[Reading]) -> WindowScores:
    return [
        (score.value, float(len(window.scored)))
        for window, reading in zip(windows, readings, strict=True)
        for score in reading.scores
        if score.unit == "conversation" and score.dimension == dimension.name
    ]


def _combine_windows(dimension: Dimension, answers: WindowScores) -> tuple[bool, float | None]:
    scale = dimension.scale
    known = [(value, weight) for value, weight in answers if value is not None]
    if scale.na or not known:
        return True, known[-1][0] if known else None
    there_is, combined = combination.combine_answers(scale, answers)
    if scale.has_order and combined is not None:
        return True, min(known[-1][0], combined)
    return there_is, combined


def _verdict(card: Card, dimension: Dimension, answers: WindowScores, scores: Sequence[Score]) -> float | None:
    stated = [value for value, _ in answers if value is not None]
    if not stated:
        return None
    codes = {(s.unit, s.dimension): s.value for s in scores}
    words = card.allowed(codes) if card.allowed is not None else ()
    if not words:
        combined = _combine_windows(dimension, answers)[1]
        return stated[-1] if combined is None else combined
    allowed = [float(dimension.scale.categories.index(word)) for word in words]
    if stated[-1] in allowed:
        return stated[-1]
    possible = [code for code in stated if code in allowed]
    nearest = min(allowed, key=lambda code: (abs(code - stated[-1]), code))
    return min(possible, default=nearest)


def _weakest(card: Card, scores: Sequence[Score], answers: WindowScores) -> float:
    named = {value for value, _ in answers if value}
    sums: dict[float, float] = {}
    for score in scores:
        dimension = card.dimension(score.dimension, score.unit)
        ordered = dimension is not None and dimension.scale.has_order
        if score.unit.startswith("turn:") and ordered and score.value is not None:
            turn = float(turn_number(score.unit))
            sums[turn] = sums.get(turn, 0.0) + score.value
    if not named or not sums:
        return 0.0
    return min(sums, key=lambda turn: (sums[turn], turn not in named, turn))


def _score(dimension: Dimension, value: float | None, answers: WindowScores, readings: Sequence[Reading]) -> Score:
    values = [value for value, _ in answers]
    known = [value for value in values if value is not None] or values
    agreed = combination.agreement_confidence(dimension.scale, known)
    last = next((s for s in reversed(readings[-1].scores) if s.dimension == dimension.name), None)
    of_last = (last.confidence, last.source) if last is not None and last.value == value else (None, "")
    return Score("conversation", dimension.name, value, *combine_confidence((agreed, "windows"), of_last))


def _remark(window: Window, remark: Remark) -> Remark:
    if remark.unit != "conversation":
        return remark
    place = window.place[:1].upper() + window.place[1:]
    return remark._replace(text=f"{place}: {remark.text}")
