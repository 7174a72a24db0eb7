"""The floors of a dimension: what rules that do not read the text reach, and whether the judge beats them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judges.baselines import Floors
from judges.calibrate import Line
from judges.counted import many
from pages.parts import text
from pages.parts.calibrated import number, span

_MARKS = {"beats": "✓ above", "not shown to beat": "○ not shown", "falls short of": "✕ below", "cannot tell": "–"}


def marks(lines: Sequence[Line], found: Mapping[tuple[str, str], Floors]) -> list[str]:
    """Whether each dimension's judge lies above the floor, for the table of dimensions."""
    return [_MARKS[found[line.dimension.sort, line.dimension.name].standing] for line in lines]


def panel(found: Floors) -> None:
    """The two rules beside the judge: a warning where it is not shown to beat one of them, and the figures."""
    if found.judge is None:
        return
    rule = found.length
    against = [(rule.standing, "only looks at length")] if rule is not None else []
    for standing, what in [*against, (found.above_constant, "always says the same")]:
        if standing in _WARNED:
            text.warn("This judge {how} a rule that {what}.", how=_WARNED[standing], what=what)
    if rule is not None:
        text.quiet(
            "A rule that only looks at length, fitted on other items than those it answers for, has a kappa of {rule} "
            "({span}) and {exact} equal answers; the judge is ahead by {ahead} ({ahead_span}){standing}.",
            rule=number(rule.rule.point, ".2f"), span=span(rule.rule), exact=f"{rule.exact:.0%}",
            ahead=number(rule.ahead.point, "+.2f"), ahead_span=span(rule.ahead),
            standing=_SAID[rule.standing],
        )  # fmt: skip
    text.quiet(
        "Always saying “{answer}” gives {share} equal answers, and a kappa of 0 by definition. Both rules on {items}.",
        answer=found.constant or "", share=f"{found.share or 0:.0%}", items=many(found.items, "item"),
    )  # fmt: skip


_WARNED = {"not shown to beat": "is not shown to beat", "falls short of": "agrees worse with people than"}
_SAID = {
    "beats": ", and beats it",
    "not shown to beat": ", which does not show that it beats the rule",
    "falls short of": ", so it agrees worse",
    "cannot tell": ", from which nothing can be told",
}
