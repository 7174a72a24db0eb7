"""Wins, losses and ties of models in pairs, judged in both orders; and the same derived from single ratings.

As in FastChat, a verdict that changes with the order is a tie, and a pair of verdicts with a failed one is left out.
Intervals are clustered by question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judges.mtbench.ratings import RatingTable
from judges.mtbench.records import SWAPPED_WINNER, Bench, Winner, match_orders
from judges.mtbench.rows import INCONSISTENT
from judges.stats.agreement import Codes, Floats
from judges.stats.clustered import mean_by_item, share_by_item, with_t_ends
from judges.stats.uncertainty import Interval


class VerdictCount(NamedTuple):
    """The outcome of a judge's verdicts: pairs `decided`, including ties because the two orders differ.

    `inconsistent` counts these ties, `failed` the pairs left out because a verdict failed, `single` the pairs asked in
    one order only, whose verdict counts unchanged.
    """

    judge: str
    decided: int
    inconsistent: int
    failed: int
    single: int


class WinRate(NamedTuple):
    """A model's games with a judge: shares of wins, losses and ties, and `adjusted` = (win + tie / 2) / n.

    `against` is the other model ("": all others together).
    """

    judge: str
    model: str
    against: str
    games: int
    win: Interval
    loss: Interval
    tie: Interval
    adjusted: Interval


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on pairs over both orders, as columns of one length, and what became of the others (`counts`).

    `judge`, `question`, `a` and `b` are places in `judges`, `questions` and `models`; the name of `a` is before that of
    `b`. `score` is 1 where `a` wins, 0 where `b` does, one half for a tie.
    """

    judges: tuple[str, ...]
    questions: tuple[str, ...]
    models: tuple[str, ...]
    judge: Codes
    question: Codes
    turn: Codes
    a: Codes
    b: Codes
    score: Floats
    counts: tuple[VerdictCount, ...] = ()

    def __len__(self) -> int:
        return len(self.score)


SCORES: Mapping[Winner, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}
"""The score that a verdict gives to the first of its two models."""


def decide_games(bench: Bench) -> Verdicts:
    """One verdict for each pair of answers of a judge: that of both orders where they agree, else a tie."""
    games = []
    for game in bench.games:
        a, b, winner = sort_names(game.a, game.b, "" if game.error else game.winner)
        games.append(game._replace(a=a, b=b, winner=winner))
    judges = list(dict.fromkeys(game.judge for game in games))
    questions = list(dict.fromkeys(game.question for game in games))
    models = sorted({name for game in games for name in (game.a, game.b)})
    rows: list[tuple[float, ...]] = []
    counts = {judge: [0, 0, 0, 0] for judge in judges}
    for match in match_orders(games):
        judge, question, turn, a, b, order, *_ = games[match[0]]
        winners, count = {games[n].winner for n in match}, counts[judge]
        if "" in winners:
            count[2] += 1
            continue
        count[0] += 1
        count[1] += len(winners) > 1 or any(games[n].text == INCONSISTENT for n in match)
        count[3] += len(match) == 1 and order != ""
        score = SCORES[winners.pop() if len(winners) == 1 else "tie"]
        rows.append((judges.index(judge), questions.index(question), turn, models.index(a), models.index(b), score))
    columns = np.array(rows, dtype=np.float64).reshape(-1, 6).T
    of_judge, of_question, turns, first, second = columns[:5].astype(np.int64)
    return Verdicts(
        tuple(judges), tuple(questions), tuple(models), of_judge, of_question, turns, first, second, columns[5],
        tuple(VerdictCount(judge, *count) for judge, count in counts.items()),
    )  # fmt: skip


def sort_names(a: str, b: str, winner: Winner) -> tuple[str, str, Winner]:
    """Two models in sorted order, and the winner turned with them."""
    return (a, b, winner) if a <= b else (b, a, SWAPPED_WINNER[winner])


def verdicts_from_ratings(table: RatingTable) -> Verdicts:
    """Verdicts derived from single ratings: the higher rating wins, equal ones are a tie.

    They compare every two models whose answers to a question a judge rated at a turn. Several ratings of an answer are
    averaged, and failed ones are ignored. This is FastChat's way from single ratings to pairs; the judge compared
    nothing itself.
    """
    rows = table.where(table.reason == 0)
    order = sorted(range(len(table.models)), key=lambda n: table.models[n])
    models = tuple(table.models[n] for n in order)
    sets, group = np.unique(np.stack([rows.judge, rows.question, rows.turn]), axis=1, return_inverse=True)
    place = group.ravel() * len(models) + np.argsort(order)[rows.model]
    shape = sets.shape[1], len(models)
    sums, sizes = (np.bincount(place, weight, minlength=shape[0] * shape[1]) for weight in (rows.number, None))
    with np.errstate(invalid="ignore"):
        rated = np.round(sums / sizes, 9).reshape(shape)
    a, b = np.triu_indices(len(models), 1)
    gap = rated[:, a] - rated[:, b]
    at, pair = np.nonzero(np.isfinite(gap))
    score = (np.sign(gap[at, pair]) + 1) / 2
    return Verdicts(
        table.judges, table.questions, models, sets[0][at], sets[1][at], sets[2][at], a[pair], b[pair], score
    )


def win_rates(games: Verdicts, pairs: bool = False) -> list[WinRate]:
    """Every judge's models, best first, against all others together, or against each other one (`pairs`).

    Shares have Wilson's interval and the adjusted rate Student's, by questions (`judges.stats.clustered`).
    """
    rates = []
    for judge in np.unique(games.judge).tolist():
        mask = games.judge == judge
        # Every verdict is a game of both models.
        model, other = (np.concatenate(sides)[np.tile(mask, 2)] for sides in ((games.a, games.b), (games.b, games.a)))
        score = np.concatenate([games.score[mask], 1 - games.score[mask]])
        question = np.tile(games.question[mask], 2)
        for model_code in np.unique(model).tolist():
            for against in np.unique(other[model == model_code]).tolist() if pairs else [None]:
                among = (model == model_code) if against is None else (model == model_code) & (other == against)
                whom = "" if against is None else games.models[against]
                rates.append(_rate(games.judges[judge], games.models[model_code], whom, score[among], question[among]))
    return sorted(rates, key=lambda rate: (games.judges.index(rate.judge), rate.against, -(rate.adjusted.point or 0.0)))


def _rate(judge: str, model: str, against: str, score: Floats, question: Codes) -> WinRate:
    win, loss, tie = (share_by_item(score == value, question) for value in (1.0, 0.0, 0.5))
    adjusted = with_t_ends(mean_by_item(score, question), 0.0, 1.0)
    return WinRate(judge, model, against, len(score), win, loss, tie, adjusted)
