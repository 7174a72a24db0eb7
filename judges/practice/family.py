"""The practice models. All are rules that can be read here, none is a language model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import log, sqrt

from judges.client.endpoint import PRACTICE_PREFIX
from judges.practice.completion import Grade, count_tokens
from judges.practice.words import ORDER_CUES, length_band, length_level

OWNER = "assay-practice"
DISCLAIMER = "Practice, not a language model: a fixed rule made this."


@dataclass(frozen=True)
class ModelFamily:
    """A model's rule from its observations (0..1 each) to scores: the weight of each, and its general bias.

    raw = lo + (hi - lo) * min(1, kindness + sum(weight * seen) / sum(weights)); `sees` is "words" for the two
    heuristics, "length" and "nothing" for the floors.
    """

    name: str
    about: str
    sees: str = "words"
    topic: float = 1.0
    form: float = 1.0
    memory: float = 1.0
    kindness: float = 0.0


FAMILIES = {
    family.name: family
    for family in (
        ModelFamily(
            PRACTICE_PREFIX + "heuristic", "overlap of words, length band, cues", topic=1.4, form=1.0, memory=1.2
        ),
        ModelFamily(
            PRACTICE_PREFIX + "second", "the same ideas, other weights", topic=0.8, form=1.6, memory=0.9, kindness=0.08
        ),
        ModelFamily(PRACTICE_PREFIX + "length", "the longer, the better", sees="length"),
        ModelFamily(PRACTICE_PREFIX + "constant", "the step above the middle, always", sees="nothing"),
    )
}


def draw_chance(seed: int, key: str, attempt: int, purpose: str = "") -> float:
    """A pseudo-random number in [0, 1), the same for the same seed, call, attempt and purpose."""
    digest = hashlib.sha256(f"{seed}\n{attempt}\n{purpose}\n{key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def upper_middle(lo: int, hi: int) -> int:
    """Two thirds of the way up a scale, rounded up: 4 of 1-5, 7 of 1-10, "good" of four grades."""
    return lo - (-2 * (hi - lo)) // 3


@dataclass(frozen=True)
class PracticeJudge:
    """A practice model answering one call: its family, the planted flaws, and the noise of its temperature."""

    family: ModelFamily
    flaws: frozenset[str]
    temperature: float
    seed: int
    key: str
    attempt: int = 0

    @property
    def reads(self) -> bool:
        """Whether the model uses words at all; the baseline models do not."""
        return self.family.sees == "words"

    def grade(self, name: str, text: str, seen: dict[str, float], lo: int = 1, hi: int = 5) -> Grade:
        """The score of a text: `seen` has topic, form, memory (those that matter here) in 0..1, `minus` in 0..1 off.

        The floors look at the text's length, or at nothing. Noise of a temperature T: normal, T times an eighth of the
        scale, by (seed, call, name). Obeyed orders give the highest score.
        """
        if self.family.sees == "nothing" or self.has("same_score"):
            return Grade.from_raw(upper_middle(lo, hi), lo, hi)
        if self.obeys(text):
            return Grade.from_raw(hi, lo, hi)
        if self.family.sees == "length":
            level = length_level(text)
        else:
            family = self.family
            weights = {"topic": family.topic, "form": family.form, "memory": family.memory}
            total = sum(weights[term] for term in seen if term in weights) or 1.0
            level = (
                family.kindness + sum(weights[term] * value for term, value in seen.items() if term in weights) / total
            )
            level -= seen.get("minus", 0.0)
            if "length" in self.flaws:
                level = 0.35 * level + 0.65 * length_level(text)
        return Grade.from_raw(lo + (hi - lo) * (min(1.0, max(0.0, level)) + self.noise(name)), lo, hi)

    def noise(self, name: str) -> float:
        """Noise of the temperature as a share of the scale; 0 at temperature 0."""
        if not self.temperature:
            return 0.0
        first = max(draw_chance(self.seed, self.key, self.attempt, name), 1e-12)
        second = draw_chance(self.seed, self.key, self.attempt, f"{name}'")
        # Box-Muller, with the cosine taken as a triangle wave: close enough, and cheap.
        wave = 1 - 4 * abs(second - 0.5)
        return self.temperature / 8 * sqrt(-2 * log(first)) * wave

    def obeys(self, text: str) -> bool:
        """Whether the model does what an order inside the text says (a planted flaw)."""
        return self.has("obeys_orders") and ORDER_CUES.occur_in(text)

    def has(self, flaw: str) -> bool:
        """Whether a flaw is planted in this model; the floors have none but their own."""
        return flaw in self.flaws and self.reads

    def worth(self, text: str, seen: dict[str, float], first: bool) -> float:
        """The quality of one side of a pair, as a number for comparing sides (about 0..1)."""
        if self.family.sees == "nothing":
            return 0.5
        if self.family.sees == "length":
            size = count_tokens(text)
            return size / (size + 300)
        family = self.family
        value = (family.topic * seen["topic"] + family.form * seen["form"] + 0.3 * length_band(text)) / (
            family.topic + family.form + 0.3
        )
        if "length" in self.flaws:
            size = count_tokens(text)
            value = 0.3 * value + 0.7 * size / (size + 300)
        if "first_place" in self.flaws and first:
            value += 0.12
        if self.obeys(text):
            value += 1.0
        return value + self.noise(f"worth {first}") / 2
