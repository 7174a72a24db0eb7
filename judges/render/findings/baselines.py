"""Baselines that do not read the text, and whether the judge beats them."""

from __future__ import annotations

from judges.plural import many
from judges.render.findings.findings import Sentence, quiet, warn
from judges.render.words import cell, span
from judges.stats.baselines import Baselines

_SHORTFALLS = {"not shown to beat": "is not shown to beat", "falls short of": "agrees less with people than"}
_STANDINGS = {
    "beats": ": it beats the length baseline",
    "not shown to beat": ", which does not show that it beats the baseline",
    "falls short of": ": it agrees less than the baseline",
    "cannot tell": ", too few items for a conclusion",
}
MARKS = {"beats": "✓ beats", "not shown to beat": "○ inconclusive", "falls short of": "✕ below", "cannot tell": "–"}
"""Whether the judge beats the baselines, in a table of dimensions."""


def findings(baselines: Baselines) -> list[Sentence]:
    """A warning where the judge is not shown to beat a baseline, and the figures; nothing where it has no kappa."""
    if baselines.judge is None:
        return []
    rule, sentences = baselines.length, []
    against = [(rule.standing, "the length baseline")] if rule is not None else []
    for standing, baseline in [*against, (baselines.above_constant, "the majority-class baseline")]:
        if standing in _SHORTFALLS:
            sentences.append(warn("This judge {how} {what}.", how=_SHORTFALLS[standing], what=baseline))
    if rule is not None:
        figures = (
            "kappa {rule} ({span}) and {exact} agreement. Judge minus baseline: {ahead} ({ahead_span}){standing}."
            if rule.difference.point is not None
            else "{exact} agreement."
        )
        why = rule.caveat
        sentences.append(
            quiet(
                "Length baseline: a rule that predicts the answer from the length of the text alone (cross-fitted) has "
                + figures + (" {why}" if why else ""),
                rule=cell(rule.rule.point, ".2f"), span=span(rule.rule), exact=f"{rule.exact:.0%}",
                ahead=cell(rule.difference.point, "+.2f"), ahead_span=span(rule.difference),
                standing="" if why else _STANDINGS[rule.standing], why=why,
            )
        )  # fmt: skip
    sentences.append(
        quiet(
            "Majority-class baseline: always “{answer}” has {share} agreement"
            + (", and kappa 0 by definition" if baselines.share != 1 else "")
            + ". Both baselines are computed on the same {items}.",
            answer=baselines.constant or "", share=f"{baselines.share or 0:.0%}", items=many(baselines.items, "item"),
        )
    )  # fmt: skip
    return sentences
