"""The synthetic judges of dialogues: their scores for what they notice of the truth, with the usual weaknesses.

They are lenient, overlook forgotten facts, take length for help, let coherence be the mean of the turns, call repair
not applicable although the user corrected, and sometimes give a verdict that their own scores do not allow.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from judges.cards.multi_turn_dialogue.card import VERDICTS, allowed_verdicts
from judges.types import turn_number
from tools.sample import remarks
from tools.sample.truth import NA, GeneratedItem, clip


@dataclass(frozen=True)
class JudgeProfile:
    """The errors of a judge. `notices`: the chance to see a planted fault, by kind; `noise`: of a score, in points."""

    model: str
    params: dict[str, Any]
    notices: dict[str, float]
    noise: float
    leniency: float
    averages: float
    """The probability that coherence is simply the mean of the turn scores."""
    contradicts: float = 0.06
    """The probability that the verdict is better than the scores allow."""
    wavers: float = 0.3
    """Noise between two samples of the same reply, in points."""


_A = {
    "forgotten": 0.45,
    "contradiction": 0.55,
    "ignored_correction": 0.5,
    "unsafe": 0.75,
    "sycophancy": 0.4,
    "padding": 0.45,
    "evasion": 0.8,
}
JUDGE_A = JudgeProfile(
    "synthetic-judge-a", {"temperature": 0.3, "samples": 3}, _A, noise=0.45, leniency=0.15, averages=0.5
)
JUDGE_B = JudgeProfile(
    "synthetic-judge-b",
    {"temperature": 0.7, "samples": 1},
    {kind: chance * 0.6 for kind, chance in _A.items()},
    noise=0.75,
    leniency=0.5,
    averages=0.75,
    contradicts=0.12,
)


class SimulatedReply:
    """A judge's opinion of one dialogue; samples of its reply differ a little around it."""

    def __init__(self, example: GeneratedItem, profile: JudgeProfile, rng: random.Random) -> None:
        self.example, self.profile = example, profile
        self.turns = sorted((unit for unit, name in example.truth if name == "safety"), key=turn_number)
        kinds: dict[str, str] = {}
        for fault in example.faults:
            kinds.setdefault(fault.unit, fault.kind)
        self.noticed = {unit: rng.random() < profile.notices.get(kinds.get(unit, ""), 0.5) for unit in self.turns}
        self.beliefs = {unit: self._turn(unit, kinds.get(unit), rng) for unit in self.turns}
        self.averages = rng.random() < profile.averages
        self.overlooks_repair = rng.random() < 0.3
        self.sees_repair = rng.random() < 0.08
        self.conversation_values = {
            name: self._number("conversation", name) + rng.gauss(profile.leniency * 1.5, profile.noise * 1.7)
            for name in ("coherence", "task_completion", "repair_handling")
        }

    def _number(self, unit: str, name: str) -> float:
        value = self.example.truth[unit, name]
        return 4.0 if value == NA or isinstance(value, str) else float(value)

    def _turn(self, unit: str, kind: str | None, rng: random.Random) -> tuple[float, float, float]:
        profile = self.profile
        context, helpful, safe = (self._number(unit, name) for name in ("context_use", "helpfulness", "safety"))
        noticed, length = self.noticed[unit], self.example.lengths[unit]
        if context <= 3:
            context = context + 0.5 if noticed else 4.6
        elif rng.random() < 0.12:
            context = 2.6
        helpful += rng.gauss(profile.leniency, profile.noise) + 0.25 * max(-1.0, min(2.0, (length - 35) / 25))
        if kind == "padding" and not noticed:
            helpful += 1.2
        if safe < 5:
            safe = safe if noticed else 5.0
        elif rng.random() < 0.015:
            safe = 4.0
        return context + rng.gauss(profile.leniency, profile.noise), helpful, safe

    def reply(self, rng: random.Random) -> dict[str, Any]:
        """One sample of the judge's reply, in the form of the card."""
        profile, example = self.profile, self.example
        scores = {unit: self._scores(unit, rng) for unit in self.turns}
        cost = {unit: (5 - c) + (5 - h) + 2 * (5 - s) for unit, (c, h, s) in scores.items()}
        worst = max(cost, key=lambda unit: cost[unit])
        weak = int(worst[5:]) if cost[worst] >= 2 else None
        flat = [score for turn in scores.values() for score in turn]
        mean = sum(flat) / len(flat)
        coherence = clip(mean if self.averages else self._wavering(self.conversation_values["coherence"], rng))
        task = clip(self._wavering(self.conversation_values["task_completion"], rng))
        repair = self._repair(rng)
        whole = {"coherence": coherence, "task_completion": task, "repair_handling": repair}
        context, helpful, safe = (list(values) for values in zip(*scores.values(), strict=True))
        allowed = allowed_verdicts(safe, helpful, context, whole)
        verdict = allowed[-1]
        if verdict == "borderline" and mean < 3.2:
            verdict = "poor"
        if verdict != "excellent" and rng.random() < profile.contradicts:
            verdict = VERDICTS[VERDICTS.index(verdict) + 1]
        if verdict in ("poor", "borderline") and weak is None:
            weak = int(worst[5:])
        noted = weak or int(worst[5:])
        return {
            "per_turn": [self._entry(unit, scores[unit], rng) for unit in self.turns],
            "conversation_level": {
                "coherence": {"score": coherence, "note": remarks.coherence(example, coherence, noted, rng)},
                "task_completion": {"score": task, "note": remarks.task(example, task, noted, rng)},
                "repair_handling": {
                    "score": NA if repair is None else repair,
                    "note": remarks.repair(example, repair, rng),
                },
            },
            "verdict": verdict,
            "decision_basis": remarks.basis(example, verdict, noted, rng),
            "weakest_turn": weak,
        }

    def _wavering(self, belief: float, rng: random.Random) -> float:
        return belief + rng.gauss(0, self.profile.wavers)

    def _scores(self, unit: str, rng: random.Random) -> tuple[int, int, int]:
        context, helpful, safe = self.beliefs[unit]
        return (
            clip(self._wavering(context, rng)),
            clip(self._wavering(helpful, rng)),
            clip(safe + (rng.choice((-1, 0, 1)) if safe < 5 and rng.random() < 0.3 else 0)),
        )

    def _repair(self, rng: random.Random) -> int | None:
        if self.example.corrected:
            if self.overlooks_repair:
                return None
            return clip(self._wavering(self.conversation_values["repair_handling"], rng))
        return 5 if self.sees_repair else None

    def _entry(self, unit: str, scores: tuple[int, int, int], rng: random.Random) -> dict[str, Any]:
        problems = self.example.issues.get(unit, [])
        low = min(scores) <= 3 or scores[2] < 5
        noticed = bool(problems) and (low or self.noticed[unit])
        named = list(problems) if noticed else remarks.quibble(self.example.lengths[unit], rng)
        return {
            "turn": turn_number(unit),
            "role": "assistant",
            "scores": dict(zip(("context_use", "helpfulness", "safety"), scores, strict=True)),
            "issues": named,
        }
