"""A designed experiment on two pipelines of MT-Bench: their judging crossed, factor by factor, on the same answers.

Stored data cannot replay who judges, by which prompt, with which references, and what is shown. These explain the rest
of a difference between two means. A full factorial design asks every combination of the two pipelines' choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

from judges.card import Card
from judges.mtbench.protocol import Protocol
from judges.types import Dialogue

Side = Literal["a", "b"]
FACTORS: dict[str, tuple[str, ...]] = {
    "judge": ("judge",),
    "prompt": ("prompts",),
    "references": ("references",),
    "shown": ("thinking", "cut_at"),
    "settings": ("judge_temperature", "judge_max_tokens"),
}
"""The factors that can be crossed -> the fields of a protocol that each stands for."""


class ExperimentArm(NamedTuple):
    """One combination: whose choice it takes of each factor, and the protocol that it amounts to."""

    sides: Mapping[str, Side]
    protocol: Protocol


class Effect(NamedTuple):
    """The change of the mean from A's choice of a factor to B's: from A's arm alone, and averaged over all arms."""

    factor: str
    alone: float | None
    main: float | None


def differing_factors(a: Protocol, b: Protocol, among: Iterable[str] = tuple(FACTORS)) -> list[str]:
    """The factors in which two protocols differ, of those that are asked for."""
    return [name for name in among if any(getattr(a, field) != getattr(b, field) for field in FACTORS[name])]


def is_same_to_judge(a: Card, b: Card, answers: Sequence[Dialogue]) -> bool:
    """Whether two cards show a judge the same content of every answer, with the same variant of their prompts."""
    return all(
        a.variant(item, part) == b.variant(item, part) and a.fields(item, part) == b.fields(item, part)
        for item in answers
        for part in a.parts(item)
    )


def cross_protocols(a: Protocol, b: Protocol, factors: Sequence[str]) -> list[ExperimentArm]:
    """All combinations of the choices of two protocols in some factors, that of A first; the rest is as in A.

    The arm of A is A itself; others are called after both and what they take of B: fastchat-swallow-judge-prompt.
    """
    arms = []
    for sides in product(("a", "b"), repeat=len(factors)):
        side_by_factor: dict[str, Side] = dict(zip(factors, sides, strict=True))  # type: ignore[arg-type]
        taken = [name for name, side in side_by_factor.items() if side == "b"]
        fields = {field: getattr(b, field) for name in taken for field in FACTORS[name]}
        named = {"name": "-".join([a.name, b.name, *taken])[-60:].lstrip("-_"), "title": ""} if taken else {}
        arms.append(ExperimentArm(side_by_factor, a.model_copy(update={**fields, **named})))
    return arms


def estimate_effects(arms: Sequence[ExperimentArm], means: Sequence[float | None]) -> list[Effect]:
    """The effect of each factor on the mean of a full factorial design, given the mean of each arm.

    alone = mean(arm of A with B's choice) - mean(arm of A); main = mean over all pairs of arms that differ in this
    factor only of (B's choice - A's). None where an arm that it needs has no mean.
    """
    value = {tuple(arm.sides.items()): mean for arm, mean in zip(arms, means, strict=True)}
    effects = []
    for factor in arms[0].sides if arms else ():
        steps = []
        for arm in arms:
            if arm.sides[factor] == "b":
                before = value[tuple({**arm.sides, factor: "a"}.items())]
                after = value[tuple(arm.sides.items())]
                steps.append(None if before is None or after is None else after - before)
        main = None if None in steps else sum(step for step in steps if step is not None) / len(steps)
        effects.append(Effect(factor, steps[0], main))
    return effects
