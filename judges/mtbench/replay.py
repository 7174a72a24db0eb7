"""The reasons for different means of two pipelines: factors replayed one at a time on stored judgments, the rest.

The steps lead from one pipeline's mean to the other's (docs/methods.md, Why two protocols differ). Factors that need no
new call are switched one at a time: how judgments are read and counted, and which of them would be the same if answers,
references and questions were shown in the other's way. In the middle the ratings change from those of the first
pipeline to those of the other: the judge and its prompt (equal answers), and the answers. Factors that the first
pipeline's ratings can show are switched on them, before this change; the others on the other's ratings, after it.
Everything is in points of the scale 1 to 10, and the parts add up exactly.
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
    changed_questions,
    compare_pipelines,
    conversation,
    counted_choices,
    knows_references,
    shown_reference,
)
from judges.mtbench.protocol import DUPLICATES_RULES, FAILED_RULES, Parse
from judges.mtbench.ratings import RatingTable, ReadingRules, count_ratings, read_ratings, rules_of
from judges.mtbench.thinking import split_thinking
from judges.rounding import NO_SPREAD, ROUNDING
from judges.stats.agreement import Floats
from judges.stats.uncertainty import Interval, symmetric_interval

Cell = tuple[str, str, int]
"""Question, model, turn."""
PARSE, FAILED_RULE, SAMPLES, DUPLICATES = "rating read", "failed judgments", "samples", "several judgments of a turn"
THINKING, CUT, REFERENCES, QUESTIONS = "thinking shown", "answers cut at", "references shown", "questions"
SCALE = "scale of the mean"
"""Factors that are replayed, named as in the table of all."""
RATINGS = "ratings"
"""Stands among the factors for the change from the first one's ratings to the other's."""
NO_FACTORS: frozenset[str] = frozenset()
_METHOD = "linearised, by question"


class Step(NamedTuple):
    """One factor switched: the mean `before` and `after` it in this order, and `change` with its interval.

    `fair` is its change averaged over all orders of the factors and of the change of ratings among them (Shapley's
    value), `low` and `high` the least and the largest change in any order. `rows` says how many ratings it touches, of
    the first pipeline or, where `on_other`, of the other; `explanation` in words what was done.
    """

    factor: str
    before: float
    after: float
    change: Interval
    fair: float
    low: float
    high: float
    rows: int
    explanation: str
    on_other: bool = False


class Part(NamedTuple):
    """A part of the difference that is left after the replay, and that only new calls could separate."""

    name: str
    change: Interval
    cells: int
    explanation: str


@dataclass(frozen=True)
class Waterfall:
    """The steps from the mean of one pipeline to the mean of another, both on the scale 1 to 10.

    start + changes of `steps` + changes of `rest` + changes of `later` = end: `steps` are switched on the first one's
    ratings, `later` on the other's, which alone show them. `left` is the sum of `rest`, averaged over all orders, with
    its least and largest size. `reported` are the two means on their own scales, `factors` the table of all factors,
    and `unmoved` those that differ and have nothing to replay on here, with the reason. `models` are those whose
    ratings count.
    """

    one: Pipeline
    other: Pipeline
    models: tuple[str, ...]
    start: Interval
    end: Interval
    difference: Interval
    reported: tuple[float | None, float | None]
    steps: tuple[Step, ...]
    rest: tuple[Part, ...]
    later: tuple[Step, ...]
    left: tuple[float, float, float]
    factors: tuple[Factor, ...]
    unmoved: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Mean:
    """A mean over rows, and the contribution of each question to its error."""

    point: float
    pull: Floats

    @classmethod
    def of(cls, value: Floats, question: NDArray[np.int64], questions: int) -> _Mean:
        """The mean of values about so many questions, of which each row names its own."""
        point = float(value.sum()) / len(value) if len(value) else nan
        return cls(point, np.bincount(question, value - point, minlength=questions) / max(len(value), 1))

    def __sub__(self, other: _Mean) -> _Mean:
        return _Mean(self.point - other.point, self.pull - other.pull)

    def interval(self, cells: int) -> Interval:
        """With Student's t over the questions: sqrt(G / (G - 1) sum of squares); no ends where nothing varies."""
        items = len(self.pull)
        point_interval = Interval.point_only(items, cells, float(items), _METHOD, self.point)
        square = items / max(items - 1, 1) * float(self.pull @ self.pull)
        if items < 2 or square < NO_SPREAD:
            return point_interval
        return symmetric_interval(self.point, sqrt(square), items, cells, float(items), _METHOD, freedom=items - 1)


def replay(pipeline: Pipeline, other: Pipeline, models: Sequence[str] = ()) -> Waterfall | None:
    """The steps from one pipeline's mean to the other's, over the models that both rated (or those of `models`).

    None if either has no rating of such a model's first sample.
    """
    tables = [_table(run, run.protocol.parse) for run in (pipeline, other)]
    named = [{table.models[n] for n in np.unique(table.model)} for table in tables]
    common = [name for name in tables[0].models if name in named[0] & named[1] and (not models or name in models)]
    if not common:
        return None
    common_tables = [table.narrow(models=common) for table in tables]
    questions = list(dict.fromkeys(table.questions[n] for table in common_tables for n in np.unique(table.question)))
    pair = _Both(
        _ReplayedRatings(pipeline, other, common, questions), _ReplayedRatings(other, pipeline, common, questions)
    )
    if not (pair.first.rated and pair.second.rated):
        return None
    (first, start), (second, end) = pair.first.state(NO_FACTORS), pair.second.state(NO_FACTORS)
    steps, switched, later = pair.step_path()
    at, last = len(first), len(second)
    return Waterfall(
        pipeline, other, tuple(common), start.interval(at), end.interval(last), (end - start).interval(min(at, last)),
        (start.point * rules_of(pipeline.protocol).unit, end.point * rules_of(other.protocol).unit),
        steps, pair.rest(switched), later, pair.contributions(RATINGS), tuple(compare_pipelines(pipeline, other)),
        (*((name, "it changes no mean here") for name in pair.still), *_fixed_factors(pair)),
    )  # fmt: skip


def _table(run: Pipeline, parse: Parse) -> RatingTable:
    """All that the pipeline's judge rated."""
    return read_ratings(run.bench, parse).narrow(judges=[run.judge])


class _State(NamedTuple):
    """The ratings that count with some factors switched, and their mean."""

    counted: RatingTable
    mean: _Mean


class _ReplayedRatings:
    """The ratings of one pipeline, with any of the factors switched to the other's choice."""

    def __init__(self, run: Pipeline, other: Pipeline, models: list[str], questions: list[str]) -> None:
        self.run, self.other, self.names = run, other, questions
        self.tables = {p: _table(run, p).narrow(models=models) for p in {run.protocol.parse, other.protocol.parse}}
        table = self.tables[run.protocol.parse]
        at = {name: n for n, name in enumerate(questions)}
        self.place = np.array([at.get(name, -1) for name in table.questions], dtype=np.int64)
        self.has_samples = bool(table.choice.any())
        self.choices, self.other_choices = counted_choices(run, other)
        same_bench = run.bench is other.bench or run.bench.ratings == other.bench.ratings
        self.same = same_bench and run.judge == other.judge
        self.masks: dict[str, NDArray[np.bool_]] = {}
        self.all_rating_factors: list[str] = []
        left = np.logical_and.reduce([parsed.reason == 0 for parsed in self.tables.values()]) & (table.choice == 0)
        self.rated = bool(left.any())
        for name, (find, _) in _LEFT_OUT.items():
            mask = None if self.same else find(self, table)
            if mask is not None and mask.any():
                if not (left & ~mask).any():
                    self.all_rating_factors.append(name)
                    continue
                left &= ~mask
                self.masks[name] = mask
        self.states: dict[frozenset[str], _State] = {}

    def state(self, switched: frozenset[str]) -> _State:
        """The ratings that count with these factors switched, and their mean in points from 1 to 10."""
        if switched not in self.states:
            protocol, other = self.run.protocol, self.other.protocol
            table = self.tables[other.parse if PARSE in switched else protocol.parse]
            rules = ReadingRules(
                failed=other.failed if FAILED_RULE in switched else protocol.failed,
                duplicates=other.duplicates if DUPLICATES in switched else protocol.duplicates,
                choices=self.other_choices if SAMPLES in switched else self.choices,
            )
            keep = np.ones(len(table), dtype=bool)
            for name in switched & self.masks.keys():
                keep &= ~self.masks[name]
            counted = count_ratings(table.where(keep), rules)
            mean = _Mean.of(counted.number, self.place[counted.question], len(self.names))
            self.states[switched] = _State(counted, mean)
        return self.states[switched]

    def cells(self, switched: frozenset[str]) -> dict[Cell, float]:
        """The mean of each turn of a model's answer to a question."""
        row, sums = self.state(switched).counted, dict[Cell, tuple[float, int]]()
        columns = (row.question.tolist(), row.model.tolist(), row.turn.tolist(), row.number.tolist())
        for question, model, turn, value in zip(*columns, strict=True):
            key = row.questions[question], row.models[model], turn
            total, n = sums.get(key, (0.0, 0))
            sums[key] = total + value, n + 1
        return {key: total / n for key, (total, n) in sums.items()}

    def left_out(self, switched: frozenset[str]) -> tuple[set[Cell], str]:
        """The turns whose ratings these factors leave out, and the names of the factors that do."""
        names = [name for name in self.masks if name in switched]
        return self.cells(switched.difference(names)).keys() - self.cells(switched).keys(), " and ".join(names)


def _texts(table: RatingTable, hit: Callable[[str, str, int, int], bool]) -> NDArray[np.bool_]:
    """A mask of rows by a condition on question, model, choice and turn."""
    columns = (table.question.tolist(), table.model.tolist(), table.choice.tolist(), table.turn.tolist())
    keys = list(zip(*columns, strict=True))
    known = {key: hit(table.questions[key[0]], table.models[key[1]], *key[2:]) for key in set(keys)}
    return np.array([known[key] for key in keys], dtype=bool)


def _thinking(of: _ReplayedRatings, table: RatingTable) -> NDArray[np.bool_] | None:
    """Answers with thinking, which one judge was shown and the other not."""
    if of.run.protocol.thinking == of.other.protocol.thinking:
        return None

    def hit(question: str, model: str, choice: int, turn: int) -> bool:
        texts = conversation(of.run.bench, question, model, choice, turn) or ()
        return any(thinks for text in texts for thinks, _ in split_thinking(text))

    return _texts(table, hit)


def _cut(of: _ReplayedRatings, table: RatingTable) -> NDArray[np.bool_] | None:
    """Answers that the other would have cut elsewhere, unless the other judged the very same texts."""
    own_cut, other_cut = of.run.protocol.cut_at, of.other.protocol.cut_at
    if own_cut == other_cut:
        return None
    shorter = min(cut for cut in (own_cut, other_cut) if cut)

    def hit(question: str, model: str, choice: int, turn: int) -> bool:
        texts = conversation(of.run.bench, question, model, choice, turn)
        if texts is None or texts == conversation(of.other.bench, question, model, choice, turn):
            return False
        # A cut text is exactly as long as its cut; an uncut one is longer than the other's cut.
        limit = shorter - 1 if own_cut and (not other_cut or own_cut < other_cut) else shorter
        return any(len(text) > limit for text in texts)

    return _texts(table, hit)


def _references(of: _ReplayedRatings, table: RatingTable) -> NDArray[np.bool_] | None:
    """Turns of questions whose judges were shown different references, or only one of them any."""
    if not (knows_references(of.run) and knows_references(of.other)):
        return None

    at = {
        (question, turn): shown_reference(of.run, name, turn) != shown_reference(of.other, name, turn)
        for question, name in enumerate(table.questions) for turn in table.turns
    }  # fmt: skip
    keys = zip(table.question.tolist(), table.turn.tolist(), strict=True)
    return np.array([at[key] for key in keys], dtype=bool)


def _questions(of: _ReplayedRatings, table: RatingTable) -> NDArray[np.bool_] | None:
    """Questions that both have, with different texts."""
    changed, _ = changed_questions(of.run.bench, of.other.bench)
    return np.isin(table.question, [n for n, name in enumerate(table.questions) if name in changed])


_LEFT_OUT: dict[str, tuple[Callable[[_ReplayedRatings, RatingTable], NDArray[np.bool_] | None], str]] = {
    THINKING: (
        _thinking, "answers with thinking are left out: their ratings were given with it, or without it, in view"
    ),
    CUT: (_cut, "answers that would be cut elsewhere are left out: their ratings are of another text"),
    REFERENCES: (_references, "turns judged with other references, or with a reference only here, are left out"),
    QUESTIONS: (_questions, "questions with another text are left out"),
}  # fmt: skip
"""Factors for which ratings are left out: a mask of these ratings, and what is said of them."""


def _fixed_factors(pair: _Both) -> list[tuple[str, str]]:
    """Factors that differ and cannot be replayed on these ratings, with the reason."""
    own, other_replay = pair.first, pair.second
    protocol, other = own.run.protocol, other_replay.run.protocol
    why = "it touches every rating of one of them, so that none is left to compare"
    factors = [(name, why) for name in pair.all_rating_factors]
    if protocol.samples != other.samples and not (own.has_samples or other_replay.has_samples):
        factors.append((SAMPLES, "one sample was judged; more of them take new answers and new calls"))
    for name, differs in ((THINKING, protocol.thinking != other.thinking), (CUT, protocol.cut_at != other.cut_at)):
        if differs and name not in (*pair.factors, *pair.still, *pair.all_rating_factors):
            known = own.run.bench.answers and other_replay.run.bench.answers
            why = "no answer is touched by it" if known else "the texts of the answers are not known"
            factors.append((name, "these are the same judgments" if own.same else why))
    if not own.same and not (knows_references(own.run) and knows_references(other_replay.run)):
        factors.append((REFERENCES, "the references of one of them are not known"))
    if protocol.scale != other.scale:
        factors.append((SCALE, "a change of unit: everything here is in points from 1 to 10"))
    return factors


_SAMPLES_COUNTED = {
    "first": "the first sample of an answer counts, as in the other", "all": "all samples count, as in the other",
}  # fmt: skip
"""The samples that count once the factor is switched, in words."""


def _count_changed(before: RatingTable, after: RatingTable) -> int:
    """The number of ratings that count only before, only after, or with another number."""
    first = dict(zip(before.place.tolist(), before.number.tolist(), strict=True))
    second = dict(zip(after.place.tolist(), after.number.tolist(), strict=True))
    return sum(first.get(place) != second.get(place) for place in first.keys() | second.keys())


class _Both:
    """Both pipelines' ratings, with any set of factors as the other has them: the states that lie between the means.

    A state is the set of what was switched: factors, and `RATINGS` once the ratings are those of the other. On those a
    factor that was not switched yet is as the first has it.
    """

    def __init__(self, own: _ReplayedRatings, other_replay: _ReplayedRatings) -> None:
        self.first, self.second = own, other_replay
        protocol, other = own.run.protocol, other_replay.run.protocol
        self.all_rating_factors = list(dict.fromkeys((*own.all_rating_factors, *other_replay.all_rating_factors)))
        for name in self.all_rating_factors:
            own.masks.pop(name, None)
            other_replay.masks.pop(name, None)
        for run, counterpart in ((own, other_replay), (other_replay, own)):
            # Where no other sample was judged, only the first one counts, whatever the protocol says.
            run.other_choices = run.other_choices if counterpart.has_samples else "first"
        switches_samples = any(run.has_samples and run.choices != run.other_choices for run in (own, other_replay))
        factors = {
            PARSE: "every text is read by the other's rule" if protocol.parse != other.parse else "",
            FAILED_RULE: f"failed judgments {FAILED_RULES[other.failed]}" if protocol.failed != other.failed else "",
            SAMPLES: _SAMPLES_COUNTED[own.other_choices] if switches_samples else "",
            DUPLICATES: (
                f"of several judgments of a turn {DUPLICATES_RULES[other.duplicates]}"
                if protocol.duplicates != other.duplicates
                else ""
            ),
        } | {name: why for name, (_, why) in _LEFT_OUT.items() if name in own.masks or name in other_replay.masks}
        self.factors = {name: explanation for name, explanation in factors.items() if explanation}
        # A factor that changes nothing in any state is no step; without it the other contributions are the same.
        masked = own.masks | other_replay.masks
        self.still = [n for n in self.factors if n not in masked and self.contributions(n)[1:] == (0.0, 0.0)]
        for name in self.still:
            del self.factors[name]

    def state(self, switched: frozenset[str]) -> _State:
        """Return the ratings that count in a state, and their mean."""
        if RATINGS in switched:
            return self.second.state(frozenset(self.factors) - switched)
        return self.first.state(switched)

    def contributions(self, name: str) -> tuple[float, float, float]:
        """Shapley's value of a factor or of the ratings, and the least and the largest change that it makes.

            fair = sum over states S of the others of |S|! (k - |S| - 1)! / k! (mean(S + it) - mean(S))
        """
        others = [factor for factor in (*self.factors, *(() if self.first.same else (RATINGS,))) if factor != name]
        if self.first.same and name == RATINGS:
            return 0.0, 0.0, 0.0
        k, fair, changes = len(others) + 1, 0.0, []
        for size in range(k):
            for chosen in combinations(others, size):
                before, after = (self.state(frozenset(switched)).mean for switched in (chosen, (*chosen, name)))
                change = after.point - before.point
                changes.append(change)
                fair += factorial(size) * factorial(k - size - 1) / factorial(k) * change
        return fair, min(changes), max(changes)

    def step_path(self) -> tuple[tuple[Step, ...], frozenset[str], tuple[Step, ...]]:
        """The steps on the first one's ratings, the factors that they switch, and the steps on the other's."""
        steps, later, switched = list[Step](), list[Step](), NO_FACTORS
        for name in self.factors:
            step = self._step(name, switched)
            if step.rows or self.first.same:
                steps.append(step)
                switched |= {name}
        state = switched | {RATINGS}
        # The other way round, as on the way from the other to the first.
        for name in reversed(self.factors):
            if name not in switched:
                later.append(self._step(name, state))
                state |= {name}
        return tuple(steps), switched, tuple(later)

    def _step(self, name: str, state: frozenset[str]) -> Step:
        (first, before), (second, after) = self.state(state), self.state(state | {name})
        change, on_other = (after - before).interval(max(len(first), len(second))), RATINGS in state
        explanation = "until here, " * (on_other and name in _LEFT_OUT) + self.factors[name]
        return Step(
            name, before.point, after.point, change, *self.contributions(name), _count_changed(first, second),
            explanation, on_other,
        )  # fmt: skip

    def rest(self, switched: frozenset[str]) -> tuple[Part, ...]:
        """The change of ratings: turns of one alone, equal answers, other answers, turns of the other alone.

        Turns that both rated, and of which a factor has left out one rating, are parts of their own.
        """
        if self.first.same:
            return ()
        own, other_replay, unswitched = self.first, self.second, frozenset(self.factors) - switched
        own_cells, other_cells = own.cells(switched), other_replay.cells(unswitched)
        shared = [key for key in own_cells if key in other_cells]
        last, end = (self.state(factors).mean for factors in (switched, switched | {RATINGS}))
        judged, size = _judge_differences(own.run, other_replay.run), len(own.names)
        if not shared:
            explanation = "no turn of an answer was judged in both, so nothing can be separated"
            return (Part(f"{judged}, and answers", (end - last).interval(0), 0, explanation),)
        names = {name: n for n, name in enumerate(own.names)}

        def columns(cells: dict[Cell, float], keys: Sequence[Cell]) -> tuple[Floats, NDArray[np.int64]]:
            """The ratings of these turns, and the places of their questions."""
            places = np.array([names[question] for question, *_ in keys], dtype=np.int64)
            return np.array([cells[key] for key in keys], dtype=np.float64), places

        (x, at), (y, _) = columns(own_cells, shared), columns(other_cells, shared)
        matches = _same_answers(own.run, other_replay.run, shared)
        same, others = (_Mean.of(np.where(mask, y - x, 0.0), at, size) for mask in (matches, ~matches))
        first, second = _Mean.of(x, at, size), _Mean.of(y, at, size)
        (own_left, own_reason), (other_left, other_reason) = own.left_out(switched), other_replay.left_out(unswitched)
        touched = [key for key in own_cells if key in other_left], [key for key in other_cells if key in own_left]
        alone = len(own_cells) - len(shared) - len(touched[0]), len(other_cells) - len(shared) - len(touched[1])
        before = _Mean.of(*columns(own_cells, shared + touched[0]), size)
        after = _Mean.of(*columns(other_cells, shared + touched[1]), size)
        parts = (
            Part("turns of the first alone", (before - last).interval(alone[0]), alone[0], _ALONE[0]),
            Part(f"turns of the first: {other_reason}", (first - before).interval(len(touched[0])), len(touched[0]),
                 "turns that both rated; the other's ratings of them come in at a later step"),
            Part(judged, same.interval(int(matches.sum())), int(matches.sum()), "where the answers are the same text"),
            Part(f"answers, with {judged}", others.interval(int((~matches).sum())), int((~matches).sum()), _OTHER_TEXT),
            Part(f"turns of the other: {own_reason}", (after - second).interval(len(touched[1])), len(touched[1]),
                 "turns that both rated; the first one's ratings of them were left out at an earlier step"),
            Part("turns of the other alone", (end - after).interval(alone[1]), alone[1], _ALONE[1]),
        )  # fmt: skip
        return tuple(part for part in parts if part.cells or abs(part.change.point or 0.0) > ROUNDING)


_ALONE = (
    "turns of answers that the other has no rating of; a turn with several rows counts once from here on",
    "turns of answers that the first has no rating of; a turn with several rows counts with each from here on",
)
_OTHER_TEXT = "where the answers are other texts, or their texts are not known"


def _judge_differences(pipeline: Pipeline, other: Pipeline) -> str:
    """Return the differences on the judge's side; references and questions that differ were left out before."""
    differs = {factor.name: factor.differs for factor in compare_pipelines(pipeline, other)}
    words = [word for name, word in (("judge", "judge"), ("judge's prompt", "prompt")) if differs[name] is not False]
    return " and ".join(words) if words else "the judge asked again"


def _same_answers(pipeline: Pipeline, other: Pipeline, cells: Sequence[Cell]) -> NDArray[np.bool_]:
    """Whether the texts of a cell are known and the same in both, in every sample that both have."""
    choices: dict[tuple[str, str], list[int]] = {}
    for question, model, choice in pipeline.bench.answers.keys() & other.bench.answers.keys():
        choices.setdefault((question, model), []).append(choice)

    def same(question: str, model: str, turn: int) -> bool:
        pairs = [
            [conversation(run.bench, question, model, choice, turn) for run in (pipeline, other)]
            for choice in choices.get((question, model), [])
        ]
        return bool(pairs) and all(a is not None and a == b for a, b in pairs)

    return np.array([same(*cell) for cell in cells], dtype=bool)
