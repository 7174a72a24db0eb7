"""The response to a random draw: how many of the drawn items people have labelled, in every stratum.

Weights of N_h / answered_h correct only for different response rates of strata: within a stratum, the unanswered items
may be the hard ones. So a figure represents a stratum only if nearly all of it is answered (Lohr, Sampling: Design and
Analysis, ch. 8: the bias of nonresponse grows with its share, whatever the size).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from judges.plural import many
from judges.rounding import ROUNDING
from judges.stats.approval_check import CheckResult

_MAX_NAMED_STRATA = 3
"""Strata that a sentence names."""


@dataclass(frozen=True)
class StratumResponse:
    """A part of a random sample, and how much of it was answered.

    It has a name, about how many items it was drawn from, how many of them were drawn, and how many of these have a
    label that counts.
    """

    name: str
    items: float
    drawn: int
    answered: int

    def lacks(self, least: float) -> int:
        """The number of further answers needed for that share of the drawn items, rounded up."""
        return max(0, ceil(least * self.drawn - ROUNDING) - self.answered)


@dataclass(frozen=True)
class SampleResponse:
    """The strata of the sample that a figure rests on; none where nothing is known of who was asked."""

    strata: tuple[StratumResponse, ...] = ()

    @property
    def overall(self) -> StratumResponse:
        """All strata as one."""
        items, drawn, answered = (sum(getattr(s, n) for s in self.strata) for n in ("items", "drawn", "answered"))
        return StratumResponse("", items, drawn, answered)

    def lacks(self, least: float) -> int:
        """The number of further answers needed until that share is answered, overall and in every stratum."""
        return max(self.overall.lacks(least), sum(s.lacks(least) for s in self.strata))

    def list_strata(self) -> str:
        """Every stratum with its numbers, in words."""
        named = [f"{s.name or 'no system'}: {s.answered:,} of {s.drawn:,}, for {round(s.items):,}" for s in self.strata]
        return "; ".join(named)

    def describe_unanswered(self) -> str:
        """Return a sentence with the number of unanswered items and the strata with most of them; "" for none."""
        overall = self.overall
        left = overall.drawn - overall.answered
        if not left:
            return ""
        if len(self.strata) == 1 and not overall.answered:
            return f"None of the {many(overall.drawn, 'drawn item')} is answered."
        verb = "is" if left == 1 else "are"
        return f"{left:,} of {many(overall.drawn, 'drawn item')} {verb} not answered{_name_strata(self.strata)}."

    def objections(self, least: float) -> str:
        """Return sentences that say why the figures do not represent the population; "" if enough is answered."""
        if not self.lacks(least):
            return ""
        asks = f"The policy requires answers to {100 * least:g}% of them, overall and in every stratum"
        silent = [s for s in self.strata if not s.answered and s.lacks(least)] if self.overall.answered else []
        sentences = [self.describe_unanswered(), f"{asks}."]
        sentences += [_silent(s) for s in silent[:_MAX_NAMED_STRATA]]
        if len(silent) > _MAX_NAMED_STRATA:
            sentences.append(
                f"It is the same with {many(len(silent) - _MAX_NAMED_STRATA, 'further stratum', 'further strata')}."
            )
        return " ".join(sentences)


def require_response(decision: CheckResult, response: SampleResponse, least: float) -> CheckResult:
    """A decision after the check for nonresponse: without enough answers, it becomes below minimum sample.

    An undefined decision stays undefined, because more answers of one value do not change that.
    """
    if not (against := response.objections(least)):
        return decision
    more = response.lacks(least)
    missing = f"Blind answers to {many(more, 'more drawn item')}."
    if decision.state == "undefined":
        return replace(decision, reason=f"{decision.reason} {against}")
    if decision.state != "below minimum sample":
        return replace(decision, state="below minimum sample", reason=against, missing=missing, more=(more, more))
    low, high = (max(more, end) for end in decision.more or (0, 0))
    missing = missing if (low, high) == (more, more) else decision.missing
    return replace(decision, reason=f"{decision.reason} {against}", missing=missing, more=(low, high))


def _name_strata(strata: Sequence[StratumResponse]) -> str:
    """The strata that lack most answers, in brackets; "" where there is one only."""
    if len(strata) < 2:
        return ""
    short = sorted((s for s in strata if s.answered < s.drawn), key=lambda s: (s.answered - s.drawn, s.name))
    named = [f"{s.drawn - s.answered:,} of {s.drawn:,} in {_name(s)}" for s in short[:_MAX_NAMED_STRATA]]
    rest = sum(s.drawn - s.answered for s in short[_MAX_NAMED_STRATA:])
    return f" ({', '.join([*named, *([f'{rest:,} in others'] if rest else [])])})"


def _silent(stratum: StratumResponse) -> str:
    of = f"the {round(stratum.items):,} items of {_name(stratum)}"
    if stratum.drawn == 1:
        return f"The only item drawn from {of} is not answered, so nothing speaks for them."
    return f"None of the {stratum.drawn:,} drawn from {of} is answered, so nothing speaks for them."


def _name(stratum: StratumResponse) -> str:
    return f"stratum {stratum.name}" if stratum.name else "the stratum without a system"
