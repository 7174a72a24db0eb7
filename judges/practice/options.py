"""The behaviour of the practice endpoint: its port, its delays, the end of a batch, and the planted flaws."""

from __future__ import annotations

from dataclasses import dataclass, field

from judges.errors import AssayError

PORT = 8600
FLAWS = {
    "length": "longer answers score higher, and the longer side of a pair wins",
    "first_place": "of two responses the one shown first gets an advantage",
    "obeys_orders": "orders inside the judged text are obeyed: the highest scores, or the verdict forged there",
    "same_score": "every score is the upper-middle one",
    "averaging": "scores of a whole conversation are the mean of its turns' scores",
    "repair_na": "repair_handling is n/a, also where the user corrected something",
    "ignores_scenario": "the scenario of a dialogue is not looked at",
    "tires": "in dialogues of more than 10 turns every turn gets the scores of the first",
    "contradicts": "the verdict is the best one, whatever the scores say",
    "opening": "of a long response only the first section is looked at",
    "silent_failures": "failures of long responses are never listed",
    "invents_sections": "a section that is not in the list is judged, too",
    "always_sure": "every confidence is high",
    "wrong_sum": "the overall score of a pointwise judgment is half a point off",
}
"""Flaws that can be planted, so that an audit has something true to find."""


class BadOption(AssayError):
    """The practice endpoint cannot be started as it was asked: an unknown flaw, a port in use."""


@dataclass(frozen=True)
class PracticeOptions:
    """The options of `python -m judges practice`.

    port: 0 takes a free one; latency_ms, jitter_ms: every answer comes after latency +- a uniform jitter; seed: of
    jitter and of the noise of a temperature; flaws: names from FLAWS; batch_seconds, batch_ends: how long a batch
    takes, and whether it ends as "completed", "expired" (half of it answered) or "failed".
    """

    port: int = PORT
    latency_ms: float = 0.0
    jitter_ms: float = 0.0
    seed: int = 0
    flaws: frozenset[str] = field(default_factory=frozenset)
    batch_seconds: float = 1.0
    batch_ends: str = "completed"


def parse_names(text: str, known: dict[str, str] | tuple[str, ...], noun: str) -> frozenset[str]:
    """The names in a comma-separated list. Raises BadOption, naming those there are."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if strange := [name for name in names if name not in known]:
        raise BadOption(f"There is no {noun} {strange[0]!r}. There are: {', '.join(known)}.")
    return frozenset(names)
