"""The parameters that say how a judge is asked. They are part of its identity."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from judges.types import Kind, Strict

Probe = Literal["", "scenario_swapped", "reference_removed", "injected_order"]
CombinationRule = Literal["first", "median", "mean", "vote"]
"""The rule by which several samples make one answer (judges/protocols/combination.py)."""
_ONLY: dict[str, set[Kind]] = {
    "orders": {"pair"},
    "window": {"dialogue"},
    "window_over": {"dialogue"},
    "context": {"pair"},
}
_QUIET = {"verdict": "last", "probe": "", "seed": None, "logprobs": False, "protocol": "", "prompt": "", "wording": ""}
"""Parameters that are left out of a judge's identity while they have these values."""


class Params(Strict):
    """The parameters of a judge. `tokens` are the endpoint's; another value of any of them is another judge.

    samples: how often each item is asked; combine: how several samples make one answer ("": as the card has it, as in
    runs from before there was a choice); orders: a pair as A/B only, as B/A only, or as both; window: assistant turns
    per window for dialogues of more than `window_over` turns (0: never cut); context: tokens that fit into one call,
    above which a pair is judged chapter by chapter (0: never cut); verdict: which rating in a prose reply counts
    ("last", or FastChat's reading, the first); probe: a change made to the item before it is shown, to see what it
    does. A judge of a protocol of MT-Bench also has the protocol's mark, the family of its prompts, and the fingerprint
    of their wording.
    """

    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    samples: int = Field(default=1, ge=1, le=50)
    combine: Literal["", "first", "median", "mean", "vote"] = "median"
    max_tokens: int = Field(default=2048, ge=16, le=200_000)
    logprobs: bool = False
    orders: Literal["ab", "ba", "both"] = "ab"
    window: int = Field(default=5, ge=0, le=50)
    window_over: int = Field(default=10, ge=1, le=1000)
    context: int = Field(default=0, ge=0, le=10_000_000)
    verdict: Literal["last", "fastchat"] = "last"
    probe: Probe = ""
    protocol: str = Field(default="", max_length=200)
    prompt: str = Field(default="", max_length=200)
    wording: str = Field(default="", max_length=64)

    def identity(self, kind: Kind) -> dict[str, Any]:
        """Return the parameters that are stored and hashed into the id: those that matter for this kind of item."""
        return {
            name: value
            for name, value in self.model_dump().items()
            if kind in _ONLY.get(name, {kind})
            and not (name in _QUIET and value == _QUIET[name])
            and not (name == "combine" and (self.samples == 1 or not value))
        }
