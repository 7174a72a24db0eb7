"""People beside the judge: how far they agree with each other, and whether it could stand in for one of them."""

from __future__ import annotations

from judges.plural import many
from judges.render.findings.findings import Finding, Intervals, Sentence, say
from judges.render.svg import IntervalRow
from judges.render.words import cell
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import AlternativeAnnotatorTest
from judges.stats.raters.human_ceiling import HumanCeiling, explain
from judges.stats.uncertainty import Interval


def findings(ceiling: HumanCeiling | None, gold: Interval | None, title: str = "") -> list[Finding]:
    """A sentence and a plot; `gold` is the judge against gold, where it is the same figure."""
    parts: list[Finding] = [say("{said}", said=explain(ceiling))]
    if ceiling is None:
        return parts
    rows: list[tuple[str, Interval | None, str, str]] = [
        ("two people", ceiling.between, "meets policy", f"{many(ceiling.between.cells, 'pair')} of labels"),
        ("judge and one person", ceiling.judge, "inconclusive", f"{many(ceiling.items, 'item')}, the same ratings"),
        ("judge and gold", gold, "inconclusive", f"{many(gold.items, 'item')}, as above" if gold else ""),
        ("alpha, all people", ceiling.alpha, "meets policy",
         f"{many(ceiling.cells, 'rating')}, {ceiling.people:,} people"),
    ]  # fmt: skip
    spans = [
        IntervalRow.of(name, i, state, f"{cell(i.point, '.2f')} · {on}")
        for name, i, state, on in rows
        if i is not None
    ]
    return [*parts, Intervals(spans, title=title)]


def test(outcome: AlternativeAnnotatorTest) -> Sentence:
    """The outcome of the alternative-annotator test, without a person's name."""
    if not outcome.enough:
        return say(
            "Not tested: the test needs {needed} people who each share {least} items or more with others and with "
            "the judge; there {are} {n}.",
            n=len(outcome.people), least=alternative_annotator.MIN_ITEMS, needed=alternative_annotator.MIN_PEOPLE,
            are="is" if len(outcome.people) == 1 else "are",
        )  # fmt: skip
    return say(
        ("The judge may" if outcome.passed else "The judge is not shown to be able to")
        + " replace one annotator: it wins against "
        "**{won} of {n}** people, and half are required (winning rate ω {omega}, advantage ρ {rho}, ε {epsilon}).",
        won=sum(person.won for person in outcome.people), n=len(outcome.people), omega=cell(outcome.omega, ".2f"),
        rho=cell(outcome.rho, ".2f"), epsilon=f"{outcome.epsilon:g}",
    )  # fmt: skip
