"""Recall, precision and false positive rate of a flag, or of every category against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judges.plural import many
from judges.render.findings.findings import Column, Finding, Intervals, Table, quiet, say
from judges.render.svg import IntervalRow
from judges.render.words import cell, span
from judges.stats import rates
from judges.stats.ppi import CorrectedMean
from judges.stats.rates import AnswerRates
from judges.stats.uncertainty import MIN_CLUSTERS, Interval
from judges.types import Dimension

_MAX_ANSWERS = 4
"""Of more answers there is only the table."""


def findings(answers: Sequence[AnswerRates], means: Mapping[int, CorrectedMean], dimension: Dimension) -> list[Finding]:
    """Sentences for every answer, a plot of a flag, and a table; `means` by an answer's place are the dashboard's."""
    parts: list[Finding] = []
    for answer in answers if len(answers) <= _MAX_ANSWERS else ():
        head, *rest = rates.explain(answer, dimension)
        parts.append(say("**{head}** {rest}", head=head, rest=" ".join(rest)))
    if answers and answers[0].rates.people.items < MIN_CLUSTERS:
        parts.append(quiet("Fewer than {n} items: no conclusion.", n=MIN_CLUSTERS))
    if len(answers) == 1:
        flag_rates = answers[0].rates
        rows = [
            _row("recall", flag_rates.recall),
            _row("false positive rate", flag_rates.false_positive_rate, "beside"),
            _row("precision", flag_rates.precision),
        ]
        parts.append(Intervals(rows, title="Recall, false positives and precision"))
    return [*parts, _table(answers, means)]


def _table(answer_rates: Sequence[AnswerRates], means: Mapping[int, CorrectedMean]) -> Table:
    rows = [
        {
            "answer": a.rates.answer, "people": a.rates.people.point, "judge": a.rates.judge.point,
            "recall": a.rates.recall.point, "of recall": span(a.rates.recall, ".0%"),
            "precision": a.rates.precision.point, "of precision": span(a.rates.precision, ".0%"),
            "fpr": a.rates.false_positive_rate.point, "of fpr": span(a.rates.false_positive_rate, ".0%"),
            "corrected": span(a.prevalence.interval, ".1%"),
        }
        | ({"dashboard": span(m.interval, ".1%")} if (m := means.get(a.rates.place)) else {})
        for a in answer_rates
    ]  # fmt: skip
    return Table(rows, _COLUMNS, f"{rates.READING_HELP} {rates.PPI}" if means else rates.READING_HELP)


def _row(name: str, interval: Interval, state: str = "other") -> IntervalRow:
    on = f"{cell(interval.point, '.0%')} of {many(interval.cells, 'rating')}" if interval.cells else "no such ratings"
    return IntervalRow.of(name, interval, state, on)


_ENDS = Column("", "By items (clustered).", "95% interval")
_COLUMNS = {
    "people": Column(".0%", "Prevalence: how often people give this answer."),
    "judge": Column(".0%", "How often the judge gives it, in the same ratings."),
    "recall": Column(".0%", "True positive rate, sensitivity: of the ratings where people give this answer."),
    "of recall": _ENDS,
    "precision": Column(".0%", "Positive predictive value: of the ratings where the judge gives this answer."),
    "of precision": _ENDS,
    "fpr": Column(
        ".0%", "False positive rate, 1 - specificity: of the ratings where people give another answer.", "FPR"
    ),
    "of fpr": _ENDS,
    "corrected": Column("", "Corrected prevalence (Rogan and Gladen) over all that the judge judged."),
    "dashboard": Column("", "Corrected prevalence as the dashboard shows it (PPI++).", "PPI++"),
}
