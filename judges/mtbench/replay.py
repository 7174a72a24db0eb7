"""Why two pipelines give different means: what can be replayed on stored judgments, one factor at a time, and the rest.

The way leads from one pipeline's mean to the other's (docs/methods.md, Why two protocols differ). First the
factors that need no new call are switched on the ratings of the first: how they are read and counted, and which of them
would stand as they are under the other's way to show answers, references and questions. Then the cells that only one
has are set aside, and what is left on the shared ones is the judge and its prompt (equal answers) and the answers.
Everything is in points of the scale 1 to 10. The steps add up exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.mtbench.pipelines import (
    Factor,
    Pipeline,
    compare_pipelines,
    conversation,
    knows_references,
    shown_reference,
)
from judges.mtbench.protocol import Parse, Protocol
from judges.mtbench.ratings import Counted, RatingTable, Rules, count_ratings, read_ratings, rules_of
from judges.mtbench.thinking import split_thinking
from judges.stats.agreement import Floats
from judges.stats.uncertainty import Interval, t_interval

Cell = tuple[str, str, int]
"""Question, model, turn."""
PARSE, FAILED_RULE, SAMPLES, DUPLICATES = "rating read", "failed judgments", "samples", "several judgments of a turn"
THINKING, CUT, REFERENCES, QUESTIONS = "thinking shown", "answers cut at", "references shown", "questions"
SCALE = "scale of the mean"
"""Factors that are replayed, named as in the table of all."""
NOTHING: frozenset[str] = frozenset()
_METHOD = "linearised, by question"
_FLAT = 1e-12
"""Below it a change is rounding."""


class Step(NamedTuple):
    """One factor switched: the mean `before` and `after` it in this order, and `change` with its interval.

    `fair` is its change averaged over all orders of the factors (Shapley's value), `low` and `high` the least and the
    largest change in any order. `rows` says how many ratings it touches, `told` in words what was done.
    """

    factor: str
    before: float
    after: float
    change: Interval
    fair: float
    low: float
    high: float
    rows: int
    told: str


class Part(NamedTuple):
    """What is left after the replay: a part of the difference that only new calls could take apart."""

    name: str
    change: Interval
    cells: int
    told: str


@dataclass(frozen=True)
class Waterfall:
    """The way from the mean of one pipeline to that of another, both on the scale 1 to 10.

    start + changes of `steps` + changes of `rest` = end. `reported` are the two means on their own scales, `factors`
    the table of all factors, and `unmoved` those that differ and have nothing to replay on here, with the reason.
    """

    one: Pipeline
    other: Pipeline
    start: Interval
    end: Interval
    difference: Interval
    reported: tuple[float | None, float | None]
    steps: tuple[Step, ...]
    rest: tuple[Part, ...]
    factors: tuple[Factor, ...]
    unmoved: tuple[tuple[str, str], ...]


class _Mean:
    """A mean over rows, and what each question adds to its error."""

    def __init__(self, value: Floats, question: NDArray[np.int64], questions: int) -> None:
        self.point = float(value.sum()) / len(value) if len(value) else nan
        self.pull = np.bincount(question, value - self.point, minlength=questions) / max(len(value), 1)

    def __sub__(self, other: _Mean) -> _Mean:
        made = object.__new__(_Mean)
        made.point, made.pull = self.point - other.point, self.pull - other.pull
        return made

    def interval(self, cells: int) -> Interval:
        """With Student's t over the questions: sqrt(G / (G - 1) sum of squares); no ends where nothing varies."""
        items = len(self.pull)
        none = Interval.point_only(items, cells, float(items), _METHOD, self.point)
        square = items / max(items - 1, 1) * float(self.pull @ self.pull)
        if items < 2 or square < _FLAT:
            return none
        return t_interval(self.point, sqrt(square), items - 1, items, cells, float(items), _METHOD)


def replay(one: Pipeline, other: Pipeline, models: Sequence[str] = ()) -> Waterfall | None:
    """The way from one pipeline's mean to the other's, over the models that both rated (or those of `models`).

    None where either has no rating of such a model's first sample.
    """
    tables = [_table(run, run.protocol.parse) for run in (one, other)]
    named = [{table.models[n] for n in np.unique(table.model)} for table in tables]
    common = [name for name in tables[0].models if name in named[0] & named[1] and (not models or name in models)]
    if not common:
        return None
    asked = [table.only(models=common) for table in tables]
    questions = list(dict.fromkeys(table.questions[n] for table in asked for n in np.unique(table.question)))
    own, theirs = _Replayed(one, other, common, questions), _Replayed(other, one, common, questions, ())
    if not (own.rated and theirs.rated):
        return None
    start, end = own.mean(NOTHING), theirs.mean(NOTHING)
    steps, unmoved = _steps(own)
    at, last = len(own.rows(NOTHING)), len(theirs.rows(NOTHING))
    return Waterfall(
        one, other, start.interval(at), end.interval(last), (end - start).interval(min(at, last)),
        (start.point * rules_of(one.protocol).unit, end.point * rules_of(other.protocol).unit),
        tuple(steps), _rest(own, theirs, frozenset(step.factor for step in steps)),
        tuple(compare_pipelines(one, other)), tuple(unmoved),
    )  # fmt: skip


def _table(run: Pipeline, parse: Parse) -> RatingTable:
    """All that the pipeline's judge rated."""
    return read_ratings(run.bench, parse).only(judges=[run.judge])


class _Replayed:
    """The ratings of one pipeline, with any of the factors as the other has them."""

    def __init__(
        self, run: Pipeline, other: Pipeline, models: list[str], questions: list[str],
        left_out: Sequence[str] = (THINKING, CUT, REFERENCES, QUESTIONS),
    ) -> None:  # fmt: skip
        self.run, self.other, self.names = run, other, questions
        self.tables = {p: _table(run, p).only(models=models) for p in {run.protocol.parse, other.protocol.parse}}
        table = self.tables[run.protocol.parse]
        at = {name: n for n, name in enumerate(questions)}
        self.place = np.array([at.get(name, -1) for name in table.questions], dtype=np.int64)
        self.several = bool(table.choice.any())
        alike = run.bench is other.bench or run.bench.ratings == other.bench.ratings
        self.same = alike and run.judge == other.judge
        self.masks: dict[str, NDArray[np.bool_]] = {}
        self.whole: list[str] = []
        left = np.logical_and.reduce([each.reason == 0 for each in self.tables.values()]) & (table.choice == 0)
        self.rated = bool(left.any())
        for name in left_out:
            mask = None if self.same else _LEFT_OUT[name](self, table)
            if mask is not None and mask.any():
                if not (left & ~mask).any():
                    self.whole.append(name)
                    continue
                left &= ~mask
                self.masks[name] = mask
        self.found: dict[frozenset[str], tuple[Counted, _Mean]] = {}

    def counted(self, switched: frozenset[str]) -> Counted:
        """What counts of them with these factors switched."""
        if switched not in self.found:
            mine, theirs = self.run.protocol, self.other.protocol
            table = self.tables[theirs.parse if PARSE in switched else mine.parse]
            rules = Rules(
                failed=theirs.failed if FAILED_RULE in switched else mine.failed,
                duplicates=theirs.duplicates if DUPLICATES in switched else mine.duplicates,
                choices=_choices(theirs, mine) if SAMPLES in switched else _choices(mine, theirs),
            )
            keep = np.ones(len(table), dtype=bool)
            for name in switched & self.masks.keys():
                keep &= ~self.masks[name]
            counted = count_ratings(table.where(keep), rules)
            self.found[switched] = counted, _Mean(counted.value, self.place[counted.row.question], len(self.names))
        return self.found[switched][0]

    def rows(self, switched: frozenset[str]) -> RatingTable:
        """Whose they are."""
        return self.counted(switched).row

    def mean(self, switched: frozenset[str]) -> _Mean:
        """Their mean, in points from 1 to 10."""
        self.counted(switched)
        return self.found[switched][1]

    def cells(self, switched: frozenset[str]) -> dict[Cell, float]:
        """The mean of each turn of a model's answer to a question."""
        counted = self.counted(switched)
        row, sums = counted.row, dict[Cell, tuple[float, int]]()
        columns = (row.question.tolist(), row.model.tolist(), row.turn.tolist(), counted.value.tolist())
        for question, model, turn, value in zip(*columns, strict=True):
            key = row.questions[question], row.models[model], turn
            total, n = sums.get(key, (0.0, 0))
            sums[key] = total + value, n + 1
        return {key: total / n for key, (total, n) in sums.items()}


def _choices(protocol: Protocol, beside: Protocol) -> str:
    """Which samples count under a protocol beside another: where only one has several, the first does in the other."""
    return "first" if protocol.samples == 1 and beside.samples > 1 else "all"




def _texts(table: RatingTable, hit: Callable[[str, str, int, int], bool]) -> NDArray[np.bool_]:
    """A mask of rows by what holds of a question, model, choice and turn."""
    known: dict[tuple[int, int, int, int], bool] = {}
    found = np.zeros(len(table), dtype=bool)
    columns = (table.question.tolist(), table.model.tolist(), table.choice.tolist(), table.turn.tolist())
    for n, key in enumerate(zip(*columns, strict=True)):
        if key not in known:
            question, model, choice, turn = key
            known[key] = hit(table.questions[question], table.models[model], choice, turn)
        found[n] = known[key]
    return found


def _thinking(of: _Replayed, table: RatingTable) -> NDArray[np.bool_] | None:
    """Answers with thinking, which one judge was shown and the other not."""
    if of.run.protocol.thinking == of.other.protocol.thinking:
        return None

    def hit(question: str, model: str, choice: int, turn: int) -> bool:
        texts = conversation(of.run.bench, question, model, choice, turn) or ()
        return any(thinks for text in texts for thinks, _ in split_thinking(text))

    return _texts(table, hit)


def _cut(of: _Replayed, table: RatingTable) -> NDArray[np.bool_] | None:
    """Answers that the other would have cut elsewhere, unless the other judged the very same texts."""
    mine, theirs = of.run.protocol.cut_at, of.other.protocol.cut_at
    if mine == theirs:
        return None
    shorter = min(cut for cut in (mine, theirs) if cut)

    def hit(question: str, model: str, choice: int, turn: int) -> bool:
        texts = conversation(of.run.bench, question, model, choice, turn)
        if texts is None or texts == conversation(of.other.bench, question, model, choice, turn):
            return False
        # A text that was cut is as long as the cut; one that was not is longer than the other's.
        limit = shorter - 1 if mine and (not theirs or mine < theirs) else shorter
        return any(len(text) > limit for text in texts)

    return _texts(table, hit)


def _references(of: _Replayed, table: RatingTable) -> NDArray[np.bool_] | None:
    """Turns of questions whose judges were shown different references, or only one of them any."""
    if not (knows_references(of.run) and knows_references(of.other)):
        return None

    at = {
        (question, turn): shown_reference(of.run, name, turn) != shown_reference(of.other, name, turn)
        for question, name in enumerate(table.questions) for turn in table.turns
    }  # fmt: skip
    keys = zip(table.question.tolist(), table.turn.tolist(), strict=True)
    return np.array([at[key] for key in keys], dtype=bool)


def _questions(of: _Replayed, table: RatingTable) -> NDArray[np.bool_] | None:
    """Questions that both have, with different texts."""
    mine, theirs = of.run.bench.questions, of.other.bench.questions
    changed = {key for key in mine.keys() & theirs.keys() if mine[key].turns != theirs[key].turns}
    return np.isin(table.question, [n for n, name in enumerate(table.questions) if name in changed])


_LEFT_OUT: dict[str, Callable[[_Replayed, RatingTable], NDArray[np.bool_] | None]] = {
    THINKING: _thinking, CUT: _cut, REFERENCES: _references, QUESTIONS: _questions,
}  # fmt: skip
_WHY = {
    THINKING: "answers with thinking are left out: their ratings were given with it, or without it, in view",
    CUT: "answers that would be cut elsewhere are left out: their ratings are of another text",
    REFERENCES: "turns judged beside other references, or beside one only here, are left out",
    QUESTIONS: "questions with another text are left out",
}


def _steps(own: _Replayed) -> tuple[list[Step], list[tuple[str, str]]]:
    """Every factor that differs and touches a rating, switched one after the other; and the others that differ."""
    mine, theirs = own.run.protocol, own.other.protocol
    factors: dict[str, str] = {}
    for name, differs, why in (
        (PARSE, mine.parse != theirs.parse, "every text is read by the other's rule"),
        (FAILED_RULE, mine.failed != theirs.failed, _FAILED_SAID[theirs.failed]),
        (SAMPLES, mine.samples != theirs.samples and own.several, _samples_said(theirs, mine)),
        (DUPLICATES, mine.duplicates != theirs.duplicates, _MANY_SAID[theirs.duplicates]),
    ):
        if differs:
            factors[name] = why
    factors |= {name: _WHY[name] for name in own.masks}
    moved = {name: _contributions(own, name, tuple(factors)) for name in factors}
    # What changes nothing in any order is no step; without it the others' contributions are the same.
    still = [name for name, (_, low, high) in moved.items() if low == high == 0 and name not in own.masks]
    steps, switched = [], NOTHING
    for name in factors:
        if name in still:
            continue
        before, after = own.mean(switched), own.mean(switched | {name})
        touched = _touched(own.counted(switched), own.counted(switched | {name}))
        change = (after - before).interval(len(own.rows(switched)))
        steps.append(Step(name, before.point, after.point, change, *moved[name], touched, factors[name]))
        switched |= {name}
    return steps, [(name, "it changes no mean here") for name in still] + _unmoved(own)


def _unmoved(own: _Replayed) -> list[tuple[str, str]]:
    """Factors that differ and cannot be replayed on these ratings, with the reason."""
    mine, theirs = own.run.protocol, own.other.protocol
    found = [(name, "it touches every rating that is left, so nothing is left to compare") for name in own.whole]
    if mine.samples != theirs.samples and not own.several:
        found.append((SAMPLES, "one sample was judged; more of them take new answers and new calls"))
    for name, differs in ((THINKING, mine.thinking != theirs.thinking), (CUT, mine.cut_at != theirs.cut_at)):
        if differs and name not in (*own.masks, *own.whole):
            why = "no answer is touched by it" if own.run.bench.answers else "the texts of the answers are not known"
            found.append((name, "these are the same judgments" if own.same else why))
    if not own.same and not (knows_references(own.run) and knows_references(own.other)):
        found.append((REFERENCES, "the references of one of them are not known"))
    if mine.scale != theirs.scale:
        found.append((SCALE, "a change of unit: everything here is in points from 1 to 10"))
    return found


_FAILED_SAID = {
    "left out": "judgments without a rating are left out", "counted": "judgments without a rating count as -1",
    "all failed": "judgments without a rating count as -1, unless all of their turn failed",
}  # fmt: skip
_MANY_SAID = {
    "raw": "each judgment of a turn counts", "first": "the first judgment of a turn counts",
    "averaged": "the mean of a turn's judgments counts",
}  # fmt: skip


def _samples_said(protocol: Protocol, beside: Protocol) -> str:
    only = "the first sample of an answer counts" if _choices(protocol, beside) == "first" else "all samples count"
    return f"{only}, as under the other protocol"


def _touched(before: Counted, after: Counted) -> int:
    """How many ratings count before and not after, or after and not before, or with another number."""
    one = dict(zip(before.row.place.tolist(), before.value.tolist(), strict=True))
    two = dict(zip(after.row.place.tolist(), after.value.tolist(), strict=True))
    return sum(one.get(place) != two.get(place) for place in one.keys() | two.keys())


def _contributions(own: _Replayed, name: str, names: tuple[str, ...]) -> tuple[float, float, float]:
    """Shapley's value of a factor, and the least and the largest change that it makes in any order.

        fair = sum over sets S of the other factors of |S|! (k - |S| - 1)! / k! (mean(S + factor) - mean(S))
    """
    others = [each for each in names if each != name]
    k, fair, changes = len(names), 0.0, []
    for size in range(k):
        for chosen in combinations(others, size):
            before, after = own.mean(frozenset(chosen)).point, own.mean(frozenset((*chosen, name))).point
            changes.append(after - before)
            fair += factorial(size) * factorial(k - size - 1) / factorial(k) * (after - before)
    return fair, min(changes), max(changes)


def _rest(own: _Replayed, theirs: _Replayed, switched: frozenset[str]) -> tuple[Part, ...]:
    """The rest of the way: turns of one alone, equal answers, other answers, turns of the other alone."""
    here, there = own.cells(switched), theirs.cells(NOTHING)
    shared = [key for key in here if key in there]
    last, end, size = own.mean(switched), theirs.mean(NOTHING), len(own.names)
    if own.same and abs(end.point - last.point) < _FLAT:
        return ()
    judged = _judged(own.run, theirs.run)
    if not shared:
        told = "no turn of an answer was judged in both, so that nothing can be told apart"
        return (Part(f"{judged}, and answers", (end - last).interval(0), 0, told),)
    names = {name: n for n, name in enumerate(own.names)}
    at = np.array([names[question] for question, *_ in shared], dtype=np.int64)
    x, y = (np.array([cells[key] for key in shared], dtype=np.float64) for cells in (here, there))
    alike = _same_answers(own.run, theirs.run, shared)
    alone = len(here) - len(shared), len(there) - len(shared)
    same, others = (_Mean(np.where(mask, y - x, 0.0), at, size) for mask in (alike, ~alike))
    first, second = _Mean(x, at, size), _Mean(y, at, size)
    parts = (
        Part("turns of the first alone", (first - last).interval(alone[0]), alone[0], _ALONE[0]),
        Part(judged, same.interval(int(alike.sum())), int(alike.sum()), "where the answers are the same text"),
        Part(f"answers, with {judged}", others.interval(int((~alike).sum())), int((~alike).sum()), _OTHER_TEXT),
        Part("turns of the other alone", (end - second).interval(alone[1]), alone[1], _ALONE[1]),
    )
    return tuple(part for part in parts if part.cells or abs(part.change.point or 0.0) > _FLAT)


_ALONE = (
    "turns of answers that the other has no rating of; a turn with several rows counts once from here on",
    "turns of answers that the first has no rating of, or that were left out in its replay",
)
_OTHER_TEXT = "where the answers are other texts, or their texts are not known"


def _judged(one: Pipeline, other: Pipeline) -> str:
    """What of the judge's side differs, in words; references and questions that differ were left out before."""
    differs = {factor.name: factor.differs for factor in compare_pipelines(one, other)}
    words = [word for name, word in (("judge", "judge"), ("judge's prompt", "prompt")) if differs[name] is not False]
    return " and ".join(words) if words else "the judge asked again"


def _same_answers(one: Pipeline, other: Pipeline, cells: Sequence[Cell]) -> NDArray[np.bool_]:
    """Whether the texts of a cell are known and the same in both, in every sample that both have."""
    choices: dict[tuple[str, str], list[int]] = {}
    for question, model, choice in one.bench.answers.keys() & other.bench.answers.keys():
        choices.setdefault((question, model), []).append(choice)

    def same(question: str, model: str, turn: int) -> bool:
        pairs = [
            [conversation(run.bench, question, model, choice, turn) for run in (one, other)]
            for choice in choices.get((question, model), [])
        ]
        return bool(pairs) and all(a is not None and a == b for a, b in pairs)

    return np.array([same(*cell) for cell in cells], dtype=bool)
