"""How the practice endpoint behaves: delays, limits, faults, planted flaws, and what it refuses to support."""

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

REFUSABLE = ("json_schema", "json_object", "logprobs", "temperature", "seed", "max_tokens", "max_completion_tokens")
"""Parameters that real endpoints are known to refuse with status 400; the practice endpoint can, too."""


class BadOption(AssayError):
    """The practice endpoint cannot be started as it was asked: an unknown fault, flaw or parameter, a port in use."""


@dataclass(frozen=True)
class Fault:
    """A fault with its probability. `detail` is what the fault lets one choose (docs in judges/practice/faults.py)."""

    name: str
    share: float = 1.0
    detail: str = ""


@dataclass(frozen=True)
class Options:
    """What `python -m judges practice` lets one choose.

    latency_ms, jitter_ms: every answer comes after latency +- a uniform jitter; faults: see judges/practice/faults.py;
    script: instead of `faults`, the fault of the first, second, ... time that a call is asked ("" = none; calls asked
    more often than the script is long are answered); rpm: requests a minute, above which the answer is 429 (0: any);
    key_variable: name of an environment variable that holds the key to demand ("": none is demanded); echo_key: error
    messages repeat the key that was sent, as some proxies do; batch_seconds, batch_ends: how long a batch takes, and
    whether it ends as "completed", "expired" (half of it answered) or "failed"; log_keys: how many calls the log keeps.
    """

    port: int = PORT
    latency_ms: float = 0.0
    jitter_ms: float = 0.0
    faults: tuple[Fault, ...] = ()
    script: tuple[str, ...] = ()
    seed: int = 0
    rpm: int = 0
    refuses: frozenset[str] = field(default_factory=frozenset)
    flaws: frozenset[str] = field(default_factory=frozenset)
    key_variable: str = ""
    echo_key: bool = False
    batch_seconds: float = 1.0
    batch_ends: str = "completed"
    log_keys: int = 200_000


def named(text: str, known: dict[str, str] | tuple[str, ...], what: str) -> frozenset[str]:
    """The names in a comma-separated list. Raises BadOption, naming those there are."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if strange := [name for name in names if name not in known]:
        raise BadOption(f"There is no {what} {strange[0]!r}. There are: {', '.join(known)}.")
    return frozenset(names)
