"""The ratings of a Bench as columns, read and counted by the rules of a protocol (docs/methods.md, MT-Bench).

First every judgment is read (`read_ratings`): a number, or the reason why there is none. Then `count_ratings` decides
what counts: failed judgments are left out or are numbers, and several judgments of one turn count each, once, or as
their mean. Every figure of this package is computed from the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, nan
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from judges.mtbench import parsing
from judges.mtbench.protocol import Duplicates, Failed, Parse, Protocol, ScaleRule
from judges.mtbench.records import Bench, Rating
from judges.stats.agreement import Codes, Floats

LOWEST, HIGHEST = 1.0, 10.0
FAILED = -1.0
"""The score that FastChat writes for a judgment without a rating; some tables count it as a number."""
REASONS = ("", "unreadable", "api_error", "out_of_range")
"""The reasons for which a judgment has no rating, in the words of imports; "" where it has one."""


class ReadingRules(NamedTuple):
    """The reading rules of a `Protocol`, in its words: how judgments become numbers, and which of them count.

    `choices` "first" counts only ratings of the first sample of an answer, because FastChat judges no other sample.
    """

    parse: Parse = "fastchat"
    failed: Failed = "left out"
    duplicates: Duplicates = "raw"
    scale: ScaleRule = "1-10"
    choices: str = "all"

    @property
    def unit(self) -> float:
        """The factor of a rating: one tenth on the scale of shares, else 1."""
        return 0.1 if self.scale == "share" else 1.0


def rules_of(protocol: Protocol) -> ReadingRules:
    """The reading rules of a protocol; all samples that were judged count."""
    return ReadingRules(protocol.parse, protocol.failed, protocol.duplicates, protocol.scale)


COMBINATIONS: tuple[tuple[Failed, Duplicates], ...] = tuple(product(get_args(Failed), get_args(Duplicates)))
"""Every way to count failed judgments together with every way to count several of one turn."""


@dataclass(frozen=True)
class RatingTable:
    """Ratings as columns of one length, a row each.

    `judge`, `question`, `model` and `category` are places in `judges`, `questions`, `models` and `categories`; `turn`
    counts from 1, `choice` and `sample` from 0 as in `Rating`, and `place` is the row's place in `Bench.ratings`.
    `number` is what was read (nan: nothing), kept also where it is off the scale, `reason` a place in `REASONS`.
    """

    judges: tuple[str, ...]
    questions: tuple[str, ...]
    models: tuple[str, ...]
    categories: tuple[str, ...]
    judge: Codes
    question: Codes
    model: Codes
    category: Codes
    turn: Codes
    choice: Codes
    sample: Codes
    place: Codes
    number: Floats
    reason: Codes

    def __len__(self) -> int:
        return len(self.number)

    def where(self, keep: NDArray[np.bool_] | Codes) -> RatingTable:
        """Some of the rows, by a mask or by their places; names keep their places."""
        columns = ("judge", "question", "model", "category", "turn", "choice", "sample", "place", "number", "reason")
        return replace(self, **{name: getattr(self, name)[keep] for name in columns})

    def narrow(self, judges: Sequence[str] = (), models: Sequence[str] = ()) -> RatingTable:
        """The rows of these judges and models; an empty list keeps all."""
        keep = np.ones(len(self), dtype=bool)
        for selection, names, column in ((judges, self.judges, self.judge), (models, self.models, self.model)):
            if selection:
                keep &= np.isin(column, [n for n, name in enumerate(names) if name in selection])
        return self.where(keep)

    @property
    def judged(self) -> list[str]:
        """The judges that have a row, in their order."""
        return [self.judges[n] for n in np.unique(self.judge)]

    @property
    def turns(self) -> list[int]:
        """The turns that have a row."""
        return [int(turn) for turn in np.unique(self.turn)]

    @property
    def turn_key(self) -> Codes:
        """A number for each (judge, model's answer, turn), the same for all samples."""
        turns = int(self.turn.max(initial=0)) + 1
        by_model = (self.judge * len(self.questions) + self.question) * len(self.models) + self.model
        return by_model * turns + self.turn

    @property
    def answer_key(self) -> Codes:
        """The same with each sample separately."""
        return self.turn_key * (int(self.choice.max(initial=0)) + 1) + self.choice

    @property
    def cell_key(self) -> Codes:
        """A number for each turn of each sample of an answer, the same with any judge."""
        return replace(self, judge=np.zeros_like(self.judge)).answer_key


def read_ratings(bench: Bench, parse: Parse = "fastchat") -> RatingTable:
    """Every rating of a Bench, read by one rule of parsing; judges, questions and models in the order of the files."""
    ratings = bench.ratings
    questions = _places([*bench.questions, *(rating.question for rating in ratings)])
    models = _places([*(answer.model for answer in bench.answers.values()), *(rating.model for rating in ratings)])
    judges = _places(rating.judge for rating in ratings)
    of_question = {key: record.category for key, record in bench.questions.items()}
    categories = _places(of_question.get(key, "") for key in questions)
    in_category = np.array([categories[of_question.get(key, "")] for key in questions], dtype=np.int64)
    rows = np.array(
        [
            (judges[r.judge], questions[r.question], models[r.model], r.turn, r.choice, r.sample)
            for r in ratings
        ],
        dtype=np.int64,
    ).reshape(-1, 6)  # fmt: skip
    read = np.array([read_rating(rating, parse) for rating in ratings], dtype=np.float64).reshape(-1, 2)
    judge, question, model, turn, choice, sample = rows.T
    return RatingTable(
        tuple(judges), tuple(questions), tuple(models), tuple(categories), judge, question, model,
        in_category[question], turn, choice, sample, np.arange(len(ratings)), read[:, 0], read[:, 1].astype(np.int64),
    )  # fmt: skip


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: n for n, name in enumerate(dict.fromkeys(names))}


def read_rating(rating: Rating, parse: Parse = "fastchat") -> tuple[float, int]:
    """The number that a judgment gives (nan: none), and why it counts as none, as a place in `REASONS`.

    The text decides, or with "stated" the number of the file; a file without texts is always read by its numbers. A
    mark of a failed call takes precedence over a number. -1 is not a rating; half points are; values below 1 or above
    10 are not.
    """
    text = rating.text
    if rating.error or parsing.is_failed_call(text):
        return nan, 2
    stated = rating.stated
    if text.strip() and parse != "stated":
        stated = parsing.rating(text, "last" if parse == "last" else "fastchat")
    if stated is None or stated == FAILED or not isfinite(stated):
        return nan, 1
    return stated, 0 if LOWEST <= stated <= HIGHEST else 3


def count_ratings(table: RatingTable, rules: ReadingRules) -> RatingTable:
    """The ratings that count by the rules, which first treat failed judgments, then several judgments of one turn.

    `number` is then what counts, on the protocol's scale. Of a mean the other columns are those of its first rating.

    - failed "left out": they are no rows; "counted": -1 is a number like any other, and so is one that is off the
      scale, as in a table that filters nothing; "all failed": -1 counts, unless all judgments of the turn failed.
    - duplicates "raw": each row counts; "first": the first of a turn (by sample, then by order); "averaged": the mean
      of a turn's. A turn is one turn of a model's answer to a question, judged by one judge, whatever the sample.
    """
    if rules.choices == "first":
        table = table.where(table.choice == 0)
    failed, off_scale = table.reason > 0, table.reason == REASONS.index("out_of_range")
    is_number = ~failed | off_scale if rules.failed == "counted" else ~failed
    table = replace(table, number=np.where(is_number, table.number, FAILED))
    if rules.failed == "left out":
        table = table.where(~failed)
    elif rules.failed == "all failed":
        table = table.where(np.isin(table.turn_key, table.turn_key[~failed]))
    if rules.duplicates != "raw" and len(table):
        order = np.lexsort((table.place, table.sample, table.choice, table.turn_key))
        _, first, group = np.unique(table.turn_key[order], return_index=True, return_inverse=True)
        firsts = table.where(order[first])
        if rules.duplicates == "averaged":
            firsts = replace(firsts, number=np.bincount(group, table.number[order]) / np.bincount(group))
        table = firsts.where(np.argsort(order[first], kind="stable"))
    # Divided, as .1 times 3 is not .3.
    return replace(table, number=table.number / (1 / rules.unit))


class JudgeCount(NamedTuple):
    """The numbers of a judge's judgments, by sort.

    `judgments` counts all of them, `turns` the turns of a model's answer that they are about (samples not counted
    separately), `failed` the failed ones by reason, `doubled` those beyond the first of the same sample's turn.
    `repeated` counts turns whose text was judged more than once (again, or as a copy among samples). The ratings differ
    in `differing` of these, by `spread` points on average over the repeated ones (highest - lowest; None without any).
    `changed` counts judgments whose text gives another number than the file states.
    """

    judge: str
    judgments: int
    turns: int
    failed: Mapping[str, int]
    doubled: int
    repeated: int
    differing: int
    spread: float | None
    changed: int


def count_judgments(bench: Bench, table: RatingTable) -> list[JudgeCount]:
    """The numbers of every judge that has a row."""
    seen, counts = _same_text(bench, table), []
    changed = np.isin(table.place, changed_ratings(bench, table))
    for name in table.judged:
        mask = table.judge == table.judges.index(name)
        rows = table.where(mask)
        read = rows.reason == 0
        group = np.unique(seen[mask][read], return_inverse=True)[1]
        size = np.bincount(group)
        low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
        np.minimum.at(low, group, rows.number[read])
        np.maximum.at(high, group, rows.number[read])
        gap = (high - low)[size > 1]
        failed = {why: n for code, why in enumerate(REASONS) if code and (n := int((rows.reason == code).sum()))}
        counts.append(JudgeCount(
            name, len(rows), len(np.unique(rows.turn_key)), failed, len(rows) - len(np.unique(rows.answer_key)),
            len(gap), int((gap > 0).sum()), float(gap.mean()) if len(gap) else None, int(changed[mask].sum()),
        ))  # fmt: skip
    return counts


def _same_text(bench: Bench, table: RatingTable) -> Codes:
    """A number for each text that a judge judged (a sample's conversation up to a turn); equal texts share it."""
    if not table.choice.any():
        return table.answer_key
    texts: dict[tuple[object, ...], int] = {}
    codes = np.empty(len(table), dtype=np.int64)
    for n, place in enumerate(table.place.tolist()):
        rating = bench.ratings[place]
        answer = bench.answers.get((rating.question, rating.model, rating.choice))
        text_key: object = answer.turns[: rating.turn] if answer else rating.choice
        codes[n] = texts.setdefault((rating.judge, rating.question, rating.model, rating.turn, text_key), len(texts))
    return codes


def changed_ratings(bench: Bench, table: RatingTable) -> Codes:
    """The places in `Bench.ratings` of rows whose text gives another number than the file states; none is -1 there."""
    stated = np.array([bench.ratings[place].stated for place in table.place.tolist()], dtype=np.float64)
    texts = np.array([bool(bench.ratings[place].text.strip()) for place in table.place.tolist()], dtype=bool)
    read = np.where(np.isnan(table.number), FAILED, table.number)
    changed: Codes = table.place[texts & ~np.isnan(stated) & (read != stated)]
    return changed
