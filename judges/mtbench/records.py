"""The records of an MT-Bench directory, or of a dataset made from one, independent of the form of the files.

Names of models and questions are as in the files; ids are text. `Bench` contains all of it; every figure of this
package is computed from one, whether it was read from files or from a dataset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from judges.protocols.orders import Order

Winner = Literal["a", "b", "tie", ""]
SWAPPED_WINNER: Mapping[Winner, Winner] = {"a": "b", "b": "a", "tie": "tie", "": ""}
"""A winner once the two models stand in each other's place."""
SWAPPED_ORDER: Mapping[Order | Literal[""], Order | Literal[""]] = {"ab": "ba", "ba": "ab", "": ""}
"""An order once the two models stand in each other's place; "" is both."""
WITH_REFERENCE = ("math", "reasoning", "coding")
"""The categories whose judges are shown a reference, where there is one: as FastChat does with single-math-v1."""


class BenchQuestion(NamedTuple):
    """A question of several turns. `reference`: its own reference answers, which only people are shown."""

    id: str
    category: str
    turns: tuple[str, ...]
    reference: tuple[str, ...] = ()
    temperature: float | None = None


class Answer(NamedTuple):
    """One choice (sample, from 0) of a model's answers to a question, a text for each turn, as it came.

    `continues` is the choice whose first turn really came before the later turns; None if it is its own. With another
    choice, the conversation never took place in this form. `cut_at`: the number of characters at which its texts were
    cut, 0 if not.
    """

    question: str
    model: str
    choice: int
    turns: tuple[str, ...]
    continues: int | None = None
    cut_at: int = 0


class PromptText(NamedTuple):
    """One prompt of a judge as judge_prompts.jsonl has it; `template` has fields in braces."""

    name: str
    type: str
    system: str
    template: str


class Judge(NamedTuple):
    """A judge as its files name it.

    `prompt` is the family that its prompts' names share (single-v1, also for single-math-v1-multi-turn), `wording` the
    fingerprint of their text ("" where the files do not tell it): a name alone stands for several texts. `protocol` is
    the name of the protocol it belongs to, as far as that is known.
    """

    id: str
    model: str
    prompt: str
    wording: str
    protocol: str = ""


class Rating(NamedTuple):
    """A judge's judgment of one turn of one answer: its text, and the number that its file states.

    `sample` counts a judge's judgments of the same answer, from 0. `stated` None: the file states none; -1 is kept as
    it is. `error`: why there is no judgment at all ("" where there is one).
    """

    judge: str
    question: str
    model: str
    choice: int
    turn: int
    sample: int
    text: str
    stated: float | None
    error: str = ""


class Game(NamedTuple):
    """A judge's verdict on two models' answers up to one turn, shown in one order; `a` and `b` are in sorted order.

    `winner` is in terms of a and b, whatever the order; "" with an `error`. `order` "" is a verdict over both orders.
    """

    judge: str
    question: str
    turn: int
    a: str
    b: str
    order: Order | Literal[""]
    winner: Winner
    text: str = ""
    error: str = ""


class Vote(NamedTuple):
    """A person's vote on two models' answers up to one turn; `group` is expert, author or the like ("": none).

    `at` is when it was made, in seconds since 1970, where the file tells it.
    """

    voter: str
    group: str
    question: str
    turn: int
    a: str
    b: str
    winner: Winner
    at: float | None = None


@dataclass(frozen=True)
class Bench:
    """Everything of one set of answers. Mappings keep the order of the files.

    `answers` are by (question, model, choice), `references` by the name of the judge that they are for, then question.
    """

    questions: Mapping[str, BenchQuestion] = field(default_factory=dict)
    answers: Mapping[tuple[str, str, int], Answer] = field(default_factory=dict)
    references: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    judges: Mapping[str, Judge] = field(default_factory=dict)
    ratings: tuple[Rating, ...] = ()
    games: tuple[Game, ...] = ()
    votes: tuple[Vote, ...] = ()
    prompts: tuple[PromptText, ...] = ()

    @property
    def models(self) -> list[str]:
        """The models that answers, ratings, games or votes name, in the order in which they are met."""
        names = [answer.model for answer in self.answers.values()] + [rating.model for rating in self.ratings]
        names += [name for game in self.games for name in (game.a, game.b)]
        names += [name for vote in self.votes for name in (vote.a, vote.b)]
        return list(dict.fromkeys(names))


def match_orders(games: Sequence[Game]) -> list[list[int]]:
    """The places of two games each that are one pair in both orders, or of one game that has no other.

    If a pair was judged again, the first game in one order belongs to the first in the other, the second to the second.
    """
    matches: list[list[int]] = []
    waiting: dict[tuple[object, ...], list[list[int]]] = defaultdict(list)
    for n, game in enumerate(games):
        pair = game.judge, game.question, game.turn, game.a, game.b
        if game.order and (others := waiting[*pair, SWAPPED_ORDER[game.order]]):
            others.pop(0).append(n)
        else:
            matches.append([n])
            waiting[*pair, game.order].append(matches[-1])
    return matches


def judge_names(judges: Iterable[Judge]) -> dict[str, str]:
    """Judges by id: the model, with as much of prompt, wording, protocol and id as tells it from the others."""
    parts = {
        judge.id: [judge.model, judge.prompt, judge.wording[:6], judge.protocol, judge.id[:6]] for judge in judges
    }  # fmt: skip

    def join_parts(key: str, depth: int) -> str:
        return " · ".join(part for part in parts[key][:depth] if part)

    names = {}
    for key in parts:
        others = [other for other in parts if other != key]
        names[key] = next(
            (name for n in range(1, 5) if (name := join_parts(key, n)) not in {join_parts(two, n) for two in others}),
            join_parts(key, 5),
        )
    return names
