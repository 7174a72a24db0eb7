"""The judge's weakest turn beside people's, at which preference data fork (docs/methods.md, Weakest turn)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judges.plural import many
from judges.rounding import ROUNDING
from judges.stats.agreement import Floats
from judges.stats.clustered import share_from_counts
from judges.stats.uncertainty import Interval
from judges.types import Dimension

NEAR_TURNS = 1
"""Turns that lie no further apart than this are near."""


class NamedTurns(NamedTuple):
    """A dialogue: its assistant turns, those that people find weakest (none: they name no turn), and the judge's.

    `labelled`: people named it; else it is the turn, or the turns, that they scored lowest. The judge's is 0 where it
    says that none is weakest. `weight`: the number of dialogues that it represents.
    """

    turns: tuple[int, ...]
    people: frozenset[int]
    judge: int
    labelled: bool = True
    weight: float = 1.0


@dataclass(frozen=True)
class WeakestTurns:
    """The shares of dialogues with the same turn (`equal`), or at most one apart (`near`), where both name one.

    `equal_by_chance` and `near_by_chance` are the shares that a random assistant turn would reach. Of these dialogues,
    people named the turn in `labelled`, and scored it lowest in the others. In all further dialogues only people, only
    the judge, or neither names one.
    """

    equal: Interval
    near: Interval
    equal_by_chance: float | None
    near_by_chance: float | None
    labelled: int
    people_only: int
    judge_only: int
    neither: int


def lowest_turns(scores: Mapping[int, Sequence[float]]) -> frozenset[int]:
    """The turns with the lowest mean of what people gave; none where all turns have the same, or there is one only."""
    means = {turn: float(np.mean(values)) for turn, values in scores.items() if len(values)}
    least = min(means.values(), default=0.0)
    lowest = frozenset(turn for turn, mean in means.items() if mean <= least + ROUNDING)
    return lowest if len(lowest) < len(means) else frozenset()


def turn_dimensions(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The dimensions of a card whose answer is a turn."""
    return [d for d in dimensions if d.scale.kind == "turn" and d.asked]


def scored_dimensions(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The dimensions of turns whose lowest scores give the weakest turn where nobody names it."""
    return [d for d in dimensions if d.sort == "turn" and d.scale.kind == "ordinal" and d.asked]


def measure_weakest_turns(dialogues: Sequence[NamedTurns]) -> WeakestTurns:
    """The figures; a dialogue is one cell, so that its interval is Wilson's (by weights: on the effective number)."""
    complete = [dialogue for dialogue in dialogues if dialogue.people and dialogue.judge]
    weight = np.array([dialogue.weight for dialogue in complete], dtype=np.float64)
    (equal, equal_by_chance), (near, near_by_chance) = (_share(complete, weight, reach) for reach in (0, NEAR_TURNS))
    return WeakestTurns(
        equal,
        near,
        equal_by_chance,
        near_by_chance,
        sum(dialogue.labelled for dialogue in complete),
        sum(bool(dialogue.people) and not dialogue.judge for dialogue in dialogues),
        sum(not dialogue.people and bool(dialogue.judge) for dialogue in dialogues),
        sum(not dialogue.people and not dialogue.judge for dialogue in dialogues),
    )


def _share(dialogues: Sequence[NamedTurns], weight: Floats, reach: int) -> tuple[Interval, float | None]:
    """Return how often the judge's turn is at most `reach` from people's, and how often a random turn would be."""
    if not dialogues:
        return share_from_counts(weight, weight), None
    hits, luck = [], []
    for dialogue in dialogues:
        near_turns = {turn for turn in dialogue.turns if any(abs(turn - p) <= reach for p in dialogue.people)}
        hits.append(dialogue.judge in near_turns)
        luck.append(len(near_turns) / len(dialogue.turns))
    interval = share_from_counts(np.array(hits, dtype=np.float64) * weight, weight, len(dialogues))
    return interval, float(np.average(luck, weights=weight))


def explain(weakest_turns: WeakestTurns) -> list[str]:
    """The same as sentences."""
    equal, near = weakest_turns.equal, weakest_turns.near
    if equal.point is None:
        return ["In no dialogue do both people and judge name a weakest turn."]
    ends = "no interval" if equal.low is None else f"95% interval {equal.low:.0%} to {equal.high:.0%}"
    sentences = [
        f"Both name a weakest turn in {many(equal.cells, 'dialogue')}: the same one in {equal.point:.1%} of them "
        f"({ends}; by chance {weakest_turns.equal_by_chance:.1%}), within one turn in {near.point:.1%} (by chance "
        f"{weakest_turns.near_by_chance:.1%})."
    ]
    if by_scores := equal.cells - weakest_turns.labelled:
        sentences.append(f"In {by_scores:,} of them nobody named a turn; the turn that people scored lowest is used.")
    alone = [
        f"{words} in {n:,}"
        for n, words in (
            (weakest_turns.people_only, "only people name one"),
            (weakest_turns.judge_only, "only the judge"),
            (weakest_turns.neither, "neither"),
        )
        if n
    ]
    if alone:
        sentences.append(f"Not included: {', '.join(alone)}.")
    if equal.is_too_small:
        sentences.append("Fewer than 30 dialogues: no conclusion.")
    return sentences


def as_json(weakest_turns: WeakestTurns) -> dict[str, object]:
    """The same as values of JSON."""
    return {
        "dialogues": weakest_turns.equal.cells, "equal": weakest_turns.equal.point,
        "equal_interval": weakest_turns.equal.ends, "equal_by_chance": weakest_turns.equal_by_chance,
        "within_one": weakest_turns.near.point, "within_one_interval": weakest_turns.near.ends,
        "within_one_by_chance": weakest_turns.near_by_chance, "labelled": weakest_turns.labelled,
        "people_only": weakest_turns.people_only, "judge_only": weakest_turns.judge_only,
        "neither": weakest_turns.neither,
    }  # fmt: skip
