"""Two judges of MT-Bench on the same answers, in words: how far they agree, and where they differ most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb

from judges.mtbench.comparison import Disagreement, PairAgreement, QuestionGap, RatingComparison
from judges.mtbench.ranks import RankComparison
from judges.mtbench.ratings import HIGHEST, LOWEST
from judges.plural import many
from judges.render.findings.findings import COUNT, Bubbles, Column, Finding, Sentence, Table, quiet, say
from judges.render.words import cell, number, span
from judges.stats.uncertainty import Interval

FIGURES = {
    "difference": ("difference", "+.2f", "The second judge's rating minus the first's, on average."),
    "equal": ("equal", ".1%", "Share of turns with the same rating from both."),
    "within one": ("within_one", ".1%", "Share of turns whose ratings are at most one point apart."),
    "Pearson": ("pearson", ".3f", "Linear correlation of the ratings."),
    "Spearman": ("spearman", ".3f", "Rank correlation; ties get the mean rank."),
    "Kendall": ("kendall", ".3f", "Concordant minus discordant pairs of turns, corrected for ties (tau-b)."),
    "QWK": ("kappa", ".3f", "Quadratic-weighted kappa: agreement corrected for chance."),
    "mean distance": ("mae", ".2f", "Mean absolute difference, in points."),
}
"""The figures of two judges by name: the field of `PairAgreement`, the format, and what they mean."""


def judges_summary(comparison: RatingComparison, names: Mapping[str, str]) -> list[Sentence]:
    """Return a sentence or two that compare the two judges."""
    overall, judge, other = comparison.overall, names[comparison.one], names[comparison.other]
    if not overall.cells:
        return [say("**{one}** and **{other}** have rated no turn of the same answer.", one=judge, other=other)]
    gap = overall.difference
    points = number(abs(gap.point or 0.0))
    ends = f"95% interval of the difference {span(gap, '+.2f')}"
    higher, lower = (other, judge) if (gap.point or 0) >= 0 else (judge, other)
    sure = gap.low is not None and gap.high is not None and (gap.low > 0 or gap.high < 0)
    values = {"higher": higher, "lower": lower, "held": points, "ends": ends}
    sentence = (
        say("**{higher}** rates higher than **{lower}** by {held} points on average ({ends}).", **values)
        if sure else say("**{higher}** and **{lower}** do not differ significantly: {held} points ({ends}).", **values)
    )  # fmt: skip
    alone = ", ".join(
        f"{many(n, 'turn')} by {name} alone" for n, name in zip(comparison.alone, (judge, other), strict=True) if n
    )
    return [
        sentence,
        quiet(
            "From {cells} of {questions} that both rated"
            + ("; left out: {alone}" if alone else "")
            + ". Intervals are by questions: the turns, samples and models of one question go together.",
            cells=many(overall.cells, "turn"), questions=many(overall.difference.items, "question"),
            alone=alone,
        ),
    ]  # fmt: skip


COLUMNS = (("figure", "22%"), ("value", "15%"), ("95% interval", "23%"), ("meaning", "40%"))
"""The columns of `figure_rows`, with their widths."""


def figure_rows(comparison: RatingComparison) -> list[tuple[str, str, str, str]]:
    """Every figure on all shared turns: its name, its value, its interval, and what it means."""
    rows = []
    for name, (field, shape, meaning) in FIGURES.items():
        figure: Interval = getattr(comparison.overall, field)
        rows.append((name, cell(figure.point, shape), span(figure, shape), meaning))
    return rows


def part_table(by: str, cut: Mapping[str, PairAgreement], names: tuple[str, str], intervals: bool) -> Table:
    """A row for each part of the answers: both means and the figures, with their intervals where they are asked for."""
    shown = {name: (field, ".2f", "") for name, field in zip(names, ("one", "other"), strict=True)} | FIGURES
    rows = []
    for part, agreement in cut.items():
        row: dict[str, object] = {by: part, "turns": agreement.cells}
        for name, (field, shape, _) in shown.items():
            figure: Interval = getattr(agreement, field)
            row[name] = f"{cell(figure.point, shape)} ({span(figure, shape)})" if intervals else figure.point
        rows.append(row)
    shapes = {} if intervals else {name: Column(shape, meaning) for name, (_, shape, meaning) in shown.items()}
    return Table(rows, {by: Column(width=200), "turns": COUNT} | shapes)


def question_table(question_gaps: Sequence[QuestionGap], names: tuple[str, str]) -> Table:
    """A row for each question, those with the largest difference first."""
    rows = [
        {
            "question": gap.question, "category": gap.category, "turns": gap.cells, names[0]: gap.one,
            names[1]: gap.other, "difference": gap.other - gap.one, "equal": gap.equal, "within one": gap.within_one,
        }
        for gap in sorted(question_gaps, key=lambda gap: -abs(gap.other - gap.one))
    ]  # fmt: skip
    shapes = {name: Column(".2f") for name in names}
    figure_columns = {name: Column(*FIGURES[name][1:]) for name in ("difference", "equal", "within one")}
    return Table(rows, {"question": Column(width=90), "turns": COUNT} | shapes | figure_columns)


def bubbles(comparison: RatingComparison, names: Mapping[str, str]) -> Bubbles:
    """Return the number of times each two ratings meet, to the tenth of a point, as samples may be averaged."""
    met = Counter(
        (round(x, 1), round(y, 1))
        for x, y in zip(*(ratings.number.tolist() for ratings in comparison.shared), strict=True)
    )
    points = [(x, y, n) for (x, y), n in sorted(met.items())]
    return Bubbles(points, names[comparison.one], names[comparison.other], (LOWEST, HIGHEST))


def largest(disagreements: Sequence[Disagreement], names: tuple[str, str]) -> Table:
    """The turns on which the two judges differ most."""
    rows = [
        {
            "question": disagreement.question,
            "category": disagreement.category,
            "model": disagreement.model + (f" · sample {disagreement.choice + 1}" if disagreement.choice else ""),
            "turn": disagreement.turn,
            names[0]: disagreement.one,
            names[1]: disagreement.other,
            "difference": disagreement.other - disagreement.one,
        }
        for disagreement in disagreements
    ]
    columns = {
        "question": Column(width=76),
        "model": Column(width=230),
        "turn": Column(",", width=48),
        **dict.fromkeys(names, Column("g")),
        "difference": Column("+g"),
    }
    return Table(rows, columns)


def rank_table(ranks: RankComparison, names: tuple[str, str]) -> Table:
    """Every model's rank with both judges, and how it changes."""
    rows = [
        {
            "model": rank.model,
            names[0]: rank.one,
            names[1]: rank.other,
            "change": rank.change.point,
            "95% interval": span(rank.change, "g"),
        }
        for rank in ranks.models
    ]
    columns = {
        "model": Column(width=260),
        **{name: Column("g", "Rank with this judge; 1 is the best.", width=130) for name in names},
        "change": Column("g", "Above 0 the second judge ranks it lower."),
        "95% interval": Column("", "Of the change: questions are drawn anew.", width=110),
    }
    return Table(rows, columns)


def flips(ranks: RankComparison, names: tuple[str, str]) -> list[Finding]:
    """The pairs of models that the two judges put in opposite orders."""
    pairs = comb(len(ranks.models), 2)
    if not pairs:
        return []
    if not ranks.flipped:
        return [say("Both judges put the **{n} models** in the same order.", n=f"{len(ranks.models):,}")]
    settled = sum(pair.settled for pair in ranks.flipped)
    rows = [
        {
            "model": pair.a,
            "and": pair.b,
            names[0]: f"{cell(pair.one.point, '+.3f')} ({span(pair.one, '+.2f')})",
            names[1]: f"{cell(pair.other.point, '+.3f')} ({span(pair.other, '+.2f')})",
            "flips in": pair.likely,
        }
        for pair in ranks.flipped
    ]
    columns = {
        "model": Column(width=220),
        "and": Column(width=220),
        **{name: Column("", "Mean of the first model minus that of the second.", width=190) for name in names},
        "flips in": Column(".0%", "Share of resamples in which the judges put them in opposite orders."),
    }
    return [
        say(
            "**{n}** of {every} of models {stand} in the opposite order with the two judges, {settled} of them beyond "
            "chance with both.",
            n=len(ranks.flipped), every=many(pairs, "pair"), stand="stands" if len(ranks.flipped) == 1 else "stand",
            settled=settled or "none",
        ),
        Table(rows, columns),
    ]  # fmt: skip
