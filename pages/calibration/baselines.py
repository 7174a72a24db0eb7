"""The baselines of a dimension: the kappa of rules that do not read the text, and whether the judge beats them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judges.plural import many
from judges.stats.baselines import Baselines
from judges.stats.calibration import DimensionResult
from pages.ui import text
from pages.ui.agreement_tables import number, span

_MARKS = {"beats": "✓ beats", "not shown to beat": "○ inconclusive", "falls short of": "✕ below", "cannot tell": "–"}


def marks(lines: Sequence[DimensionResult], found: Mapping[tuple[str, str], Baselines]) -> list[str]:
    """Whether the judge beats the baselines in each dimension, for the table of dimensions."""
    return [_MARKS[found[line.dimension.sort, line.dimension.name].standing] for line in lines]


def panel(found: Baselines) -> None:
    """The two rules beside the judge: a warning where it is not shown to beat one of them, and the figures."""
    if found.judge is None:
        return
    rule = found.length
    against = [(rule.standing, "the length baseline")] if rule is not None else []
    for standing, what in [*against, (found.above_constant, "the majority-class baseline")]:
        if standing in _WARNED:
            text.warn("This judge {how} {what}.", how=_WARNED[standing], what=what)
    if rule is not None:
        text.quiet(
            "Length baseline: a rule that predicts the answer from the length of the text alone (cross-fitted) has "
            "kappa {rule} ({span}) and {exact} agreement. Judge minus baseline: {ahead} ({ahead_span}){standing}.",
            rule=number(rule.rule.point, ".2f"), span=span(rule.rule), exact=f"{rule.exact:.0%}",
            ahead=number(rule.ahead.point, "+.2f"), ahead_span=span(rule.ahead),
            standing=_SAID[rule.standing],
        )  # fmt: skip
    text.quiet(
        "Majority-class baseline: always “{answer}” has {share} agreement, and kappa 0 by definition. Both baselines "
        "are computed on the same {items}.",
        answer=found.constant or "", share=f"{found.share or 0:.0%}", items=many(found.items, "item"),
    )  # fmt: skip


_WARNED = {"not shown to beat": "is not shown to beat", "falls short of": "agrees less with people than"}
_SAID = {
    "beats": ": it beats the length baseline",
    "not shown to beat": ", which does not show that it beats the baseline",
    "falls short of": ": it agrees less than the baseline",
    "cannot tell": ", too few items for a conclusion",
}
