"""The panel Agreement: figures, baselines, table and marginals, n/a and what was not scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from data.calibration import concordance
from data.calibration.calibration import MOST, Found
from data.records.exposure import NOTE
from judges.plural import many
from judges.render import words
from judges.render.words import cell, span
from judges.stats import agreement, bins
from judges.stats.calibration import Line, Summary
from judges.stats.concordance import CALLED, Concordance
from judges.stats.intervals import BOOTSTRAP, Interval
from pages.calibration import baselines
from pages.ui import charts, explanations, figure_cache, links, rows, session, text


def panel(at: figure_cache.Place, line: Line, key: str) -> None:
    """A click on the table lists the items, a click on an item opens the desk."""
    store, shown = session.store(), line.shown
    _figures(line, f"figures:{key}")
    if line.dimension.scale.kind == "interval" and shown.cells:
        beside = concordance.beside(store, at.dataset, at.judge, line.dimension, at.basis)
        if beside is not None:
            _beside(beside, shown, key)
    baselines.panel(baselines.floors(store, at.plain, at.basis, at.dropped)[line.dimension.sort, line.dimension.name])
    left, right = st.columns([3, 2], gap="large")
    with left:
        explanations.beside("Confusion matrix", "table", key=f"table:{key}")
        cell = _table(shown, f"table:{key}")
        if cell is not None:
            people, judge = (shown.codes[n] for n in cell)
            found = figure_cache.items_in(store, at.plain, session.me().name, line.dimension, at.basis, people, judge)
            _listed(
                found, shown, cell, f"items:{key}:{cell}", lambda item: links.go("desk", dataset=at.name, item=item)
            )
    with right:
        explanations.beside("Distribution of answers", "marginals", "n/a", "AC2", key=f"margins:{key}")
        margins = agreement.marginals(shown.table)
        if margins is not None:
            _spread(shown, *margins, f"margins:{key}")
        _missing(shown, figure_cache.unscored(store, at.plain) if shown.unscored else [])


def _figures(line: Line, key: str) -> None:
    """The figures in one row with how to read them, and how the interval was made."""
    summary, interval = line.shown, line.shown.interval
    ordered = bool(summary.dimension.scale.weights)
    scale = summary.dimension.scale
    name, how = ("Kappa (QWK)", "Quadratic-weighted kappa") if ordered else ("Kappa", "Cohen's kappa, unweighted")
    if scale.kind == "interval":
        name, how = "Kappa (CCC)", "Lin's concordance, by the six sums that quadratic-weighted kappa has"
    shown = [
        (name, cell(interval.point), f"{how}: 1 is full agreement, 0 is chance."),
        ("95% interval", span(interval), "Cluster bootstrap: whole items are resampled."),
        ("Lower bound", cell(line.bound), "One-sided; the approval check compares it with the required kappa.")
        if line.gated
        else ("Lower bound", cell(interval.lower_bound), "One-sided, 95%, at a single look."),
        ("% agreement", cell(summary.exact, ".1%"), "Share of ratings where judge and people give the same answer."),
    ]
    if ordered:
        shown += [
            (
                f"Within {bins.step(scale).removesuffix(' step')}",
                cell(summary.within_one, ".1%"),
                f"Share of ratings that differ by {bins.step(scale)} or less.",
            ),
            (
                "Bias (judge - people)",
                cell(summary.mean_difference, "+.2f"),
                "Mean difference: above 0 the judge is higher.",
            ),
        ]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        for name, value, tip in shown:
            st.metric(text.plain(name), text.plain(value), help=text.plain(tip), width="content")
    made = {
        BOOTSTRAP: "cluster bootstrap over items, 2,000 replicates, the wider of percentile and studentised at each "
        "end",
        "linearised": "linearisation over items",
    }
    worth = "" if abs(interval.n_eff - interval.items) < 0.05 else f" (effective sample size {interval.n_eff:,.1f})"
    with st.container(horizontal=True, vertical_alignment="center"):
        text.quiet(
            "From {cells} of {items}{worth} that both people and judge scored. Interval: {method}."
            + (" Fewer than 30 items: no conclusion." if interval.verdictless else ""),
            cells=many(summary.cells, "rating"), items=many(interval.items, "item"), worth=worth,
            method=made.get(interval.method, interval.method),
        )  # fmt: skip
        if summary.rounded:
            text.quiet(
                "In {n} the judge's samples combine to a value between two answers. Kappa and bias use that value; "
                "% agreement, within one and the tables use the nearest answer.",
                n=many(summary.rounded, "rating"),
            )
        names = ("kappa", "interval", "bound", "exact", "bias", "baseline")
        explanations.how(*names, key=key, values=explanations.of(summary))


def _beside(found: Concordance, summary: Summary, key: str) -> None:
    """Correlations, ICC and mean error with their intervals, and what each of them says."""
    st.dataframe(
        [
            {"figure": CALLED[name], "value": one.point, "95% interval": _to(one), "meaning": _MEANINGS[name]}
            for name, one in found._asdict().items()
        ],
        hide_index=True, key=f"beside:{key}", width="content", placeholder="–",
        column_config={"value": st.column_config.NumberColumn(format="%.3f")},
    )  # fmt: skip
    text.quiet(
        "On this interval scale kappa is Lin's concordance correlation, to which quadratic-weighted kappa is equal. "
        "Correlations ignore a constant bias; concordance, ICC and the mean absolute error (scale width {width}) do "
        "not.",
        width=f"{bins.width(summary.dimension.scale):g}",
    )


def _to(one: Interval) -> str:
    return "–" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"


_MEANINGS = {
    "icc": "Two-way random effects, absolute agreement, single rater; also called ICC(2,1).",
    "pearson": "Linear correlation of the values.",
    "spearman": "Rank correlation; ties get the mean rank.",
    "kendall": "Concordant minus discordant pairs of ratings, corrected for ties (tau-b).",
    "mae": "Mean absolute difference of judge and people, in units of the scale.",
}


def _table(summary: Summary, key: str) -> tuple[int, int] | None:
    """The table of agreement; the cell that was clicked."""
    if not summary.cells:
        st.caption(text.NO_RATINGS)
        return None
    chosen = charts.confusion(summary.counts, summary.answers, key)
    st.caption(
        "Number of ratings and share of the row: how often the judge gave this answer where people gave that one. "
        "Outlined: agreement. Click a cell, or move with the arrow keys and press Enter, to list its items."
    )
    if summary.binned:
        st.caption(
            "Values are grouped into ten equal bins in this table only; the figures above use the values themselves."
        )
    return chosen


def _listed(
    found: Sequence[Found], summary: Summary, cell: tuple[int, int], key: str, go: Callable[[str], None]
) -> None:
    """The items of a cell of the table; `go` gets the one that is clicked."""
    people, judge = (summary.answers[n] for n in cell)
    total = int(summary.counts[cell])
    text.say(
        "People: **{people}**, judge: **{judge}**. {n}. Click one to open it on the desk.",
        people=people, judge=judge,
        n=many(total, "rating") + (f", {len(found):,} listed" if total > len(found) else ""),
    )  # fmt: skip
    if total > len(found):
        text.quiet("At most {most} are listed. {note}", most=MOST, note=NOTE)
    frame = pd.DataFrame(
        [(f.name, f.unit, f.systems, f.came) for f in found], columns=["item", "unit", "system", "gold from"]
    )
    one = rows.clicked(frame, found, key, height="content" if len(found) <= 8 else 320)
    if one is not None:
        go(one.item)


def _spread(summary: Summary, people: Sequence[float], judge: Sequence[float], key: str) -> None:
    """Both marginals, and the warnings that belong to them."""
    charts.marginals(people, judge, summary.answers, key)
    st.caption("Share of each answer. Different distributions mean that judge and people use the scale differently.")
    for who, shares in (("People", people), ("The judge", judge)):
        if max(shares) == 1:
            text.warn("{who} always gave one and the same answer: kappa is 0 or undefined.", who=who)
    if summary.fragile:
        name = "AC2" if summary.dimension.scale.weights else "AC1"
        text.warn(
            "{share} of all answers are the same: kappa is then unstable (the kappa paradox). Gwet's {name}, which is "
            "less affected by prevalence, is {ac}. It does not replace kappa.",
            share=f"{summary.commonest:.0%}", name=name, ac=cell(summary.ac, ".2f"),
        )  # fmt: skip
    apart = summary.correlation is not None and summary.interval.point is not None
    if apart and summary.correlation - summary.interval.point > 0.15:
        text.warn(
            "Correlation is high (r {r}) and agreement is not: the judge ranks as people do, on another level.",
            r=f"{summary.correlation:.2f}",
        )


def _missing(summary: Summary, replies: Sequence[tuple[str, int]]) -> None:
    """What kappa leaves out: n/a of either side, and cells that the judge gave no score."""
    na = summary.na
    if summary.dimension.scale.na and na.cells:
        text.say(
            "**n/a**: people {people}, judge {judge} of {cells}. On whether the question applies they agree in "
            "{agreed} (kappa {kappa}). The figures above use the ratings that both scored.",
            people=f"{summary.na_human:,}", judge=f"{summary.na_judge:,}", cells=many(na.cells, "rating"),
            agreed=cell(na.agreement, ".1%"), kappa=cell(na.kappa, ".2f"),
        )  # fmt: skip
    if summary.unscored:
        failed = "Unusable replies over the whole dataset: {why}. " if replies else ""
        text.say(
            "**Unscored**: {cells} with gold {have} no score of this judge. "
            + failed
            + "A failed reply is not a low score; it is left out of all figures.",
            cells=many(summary.unscored, "rating"), have="has" if summary.unscored == 1 else "have",
            why=", ".join(f"{n:,} {words.REASONS.get(reason, reason)}" for reason, n in replies),
        )  # fmt: skip
