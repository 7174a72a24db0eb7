"""Three annotators and what they label: near the truth, each in their own way, at hours when people work."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from judges.cards.multi_turn_dialogue.card import allowed_verdicts
from judges.types import turn_number
from tools.sample.truth import NA, GeneratedItem, Truth, Value, clip

_DAYS = [datetime(2026, 11, day, tzinfo=UTC) for day in (2, 3, 4, 5, 6, 9, 10, 11, 12, 13)]


@dataclass(frozen=True)
class SimulatedAnnotator:
    """An annotator: how strict, how sure, which languages, and at what hour (UTC) their day begins."""

    name: str
    strictness: float
    noise: float
    languages: tuple[str, ...]
    starts: int


PEOPLE = (
    SimulatedAnnotator("mika", 0.05, 0.55, ("en", "ja"), 0),
    SimulatedAnnotator("jonas", -0.10, 0.58, ("en",), 8),
    SimulatedAnnotator("priya", 0.10, 0.56, ("en", "zh", "ja"), 4),
)
ASSISTED = 0.2
"""The share of (item, person) in which the judge's scores were on screen."""
_ANCHOR = 0.55
"""The probability that a person who sees the judge's score adopts it."""


def count_able(example: GeneratedItem) -> int:
    """Return the number of the annotators who read the item's language."""
    return sum(example.language in person.languages for person in PEOPLE)


def labels(
    items: Sequence[GeneratedItem],
    readers: Sequence[int],
    judge_values: Mapping[str, Truth],
    rng: random.Random,
    finish: Callable[[Truth, random.Random], Truth] = lambda values, rng: values,
) -> list[dict[str, Any]]:
    """Labels of `items`, number k by up to `readers[k]` people; `judge_values` are the judge's, for assisted ones.

    `finish` makes values that depend on others (a verdict on the scores) agree with them. In the order of saving.
    """
    work: dict[SimulatedAnnotator, list[GeneratedItem]] = {person: [] for person in PEOPLE}
    for example, count in zip(items, readers, strict=True):
        fit = [person for person in PEOPLE if example.language in person.languages]
        rng.shuffle(fit)
        fit.sort(key=lambda person: len(work[person]))
        for person in fit[:count]:
            work[person].append(example)
    rows: list[tuple[datetime, str, int, dict[str, Any]]] = []
    for person, own_items in work.items():
        rng.shuffle(own_items)
        for example, moment in zip(own_items, _moments(person, len(own_items), rng), strict=True):
            assisted = example.id in judge_values and rng.random() < ASSISTED
            values = _values(example.truth, person, judge_values[example.id] if assisted else {}, rng)
            stamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
            for number, ((unit, name), value) in enumerate(finish(values, rng).items()):
                row = {
                    "item": example.id,
                    "unit": unit,
                    "dimension": name,
                    "value": value,
                    "annotator": person.name,
                    "mode": "assisted" if assisted else "blind",
                    "made_at": stamp,
                }
                rows.append((moment, person.name, number, row))
    return [row for *_, row in sorted(rows, key=lambda row: row[:3])]


def _moments(person: SimulatedAnnotator, count: int, rng: random.Random) -> list[datetime]:
    """Return when each item was saved: in sittings on working days, about two minutes an item, with breaks."""
    days = sorted(rng.sample(_DAYS, min(len(_DAYS), max(1, -(-count // 14)))))
    moments: list[datetime] = []
    for number, day in enumerate(days):
        share = count * (number + 1) // len(days) - count * number // len(days)
        clock = day + timedelta(hours=person.starts, minutes=rng.randrange(20, 150), seconds=rng.randrange(60))
        for _ in range(share):
            clock += timedelta(seconds=int(rng.lognormvariate(4.6, 0.5)))
            if rng.random() < 0.06:
                clock += timedelta(minutes=rng.randrange(9, 70))
            moments.append(clock)
    return moments


def _values(truth: Truth, person: SimulatedAnnotator, judge_values: Truth, rng: random.Random) -> Truth:
    """One person's values for all cells of an item."""
    values: Truth = {}
    for cell, value in truth.items():
        anchor = judge_values.get(cell)
        if anchor is not None and rng.random() < _ANCHOR:
            values[cell] = anchor
        else:
            values[cell] = _value(cell, value, person, rng)
    return values


def _value(cell: tuple[str, str], value: Value, person: SimulatedAnnotator, rng: random.Random) -> Value:
    name = cell[1]
    if isinstance(value, bool):
        return (not value) if rng.random() < (0.25 if value else 0.03) else value
    if name == "safety":  # whether something is unsafe is clearer than how good it is
        if value == 5:
            return 4 if rng.random() < 0.004 else 5
        return 5 if rng.random() < 0.08 else clip(int(value) + rng.choice((-1, 0, 0, 1)))
    if isinstance(value, int) and name != "weakest_turn":
        return clip(value - person.strictness + rng.gauss(0, person.noise))
    if value == NA and rng.random() < 0.03:
        return 4
    return value


def finish(values: Truth, rng: random.Random) -> Truth:
    """A person's values of a dialogue, with a verdict and a weakest turn that mostly follow from their own scores."""
    units = sorted((unit for unit, name in values if name == "safety"), key=turn_number)
    turns = [[int(values[unit, name]) for name in ("context_use", "helpfulness", "safety")] for unit in units]
    if rng.random() < 0.85:
        whole = {
            name: None if values["conversation", name] == NA else int(values["conversation", name])
            for name in ("coherence", "task_completion", "repair_handling")
        }
        context, helpful, safe = (list(column) for column in zip(*turns, strict=True))
        allowed = allowed_verdicts(safe, helpful, context, whole)
        values["conversation", "verdict"] = allowed[0 if (whole["task_completion"] or 5) <= 2 else -1]
    cost = [(5 - c) + (5 - h) + 1.5 * (5 - s) for c, h, s in turns]
    if rng.random() < 0.8:
        values["conversation", "weakest_turn"] = cost.index(max(cost)) + 1 if max(cost) > 2 else "none"
    return values
