"""One dimension of a judge in full: its state, table, marginals, n/a, and what is shown beside a kappa."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from data.calibration.anchoring import Arms
from data.calibration.calibration import MOST, Found
from data.records.exposure import NOTE
from judges.plural import many
from judges.render.svg import Row
from judges.stats import bins
from judges.stats.agreement import Floats
from judges.stats.calibration import Line, Summary
from judges.stats.concordance import CALLED, Concordance
from judges.stats.intervals import BOOTSTRAP
from judges.stats.uncertainty import Interval
from pages.ui import charts, explanations, tables, text
from pages.ui.agreement_tables import number, span

_BADGES = {
    "meets policy": ":green-badge[:material/check_circle: meets policy]",
    "inconclusive": ":orange-badge[:material/trending_up: inconclusive]",
    "fails": ":red-badge[:material/cancel: fails]",
    "below minimum sample": ":gray-badge[:material/hourglass_empty: below minimum sample]",
    "undefined": ":gray-badge[:material/block: undefined]",
}
REASONS = {
    "unreadable": "unreadable",
    "out_of_range": "out of range",
    "cut_off": "cut off",
    "refused": "refused",
    "api_error": "API error",
    "incomplete": "incomplete",
}


def state(line: Line) -> None:
    """The result of the approval check: what a lead may conclude in a sentence, why, and what is missing."""
    decision, gate = line.decision, line.gate
    point = gate.interval.point
    step = bins.step(gate.dimension.scale)
    near = "" if gate.within_one is None else f", {gate.within_one:.0%} within {step}"
    text.say(
        _BADGES[decision.state] + " " + _CONCLUSIONS[decision.state],
        name=line.dimension.title, exact=number(gate.exact, ".0%"), near=near, kappa=number(point, ".2f"),
        items=many(gate.interval.items, "item"),
    )  # fmt: skip
    text.quiet(
        ("" if line.gated else "Approval check: ")
        + "{reason}" + (" **Still needed: {missing}**" if decision.missing else ""),
        reason=decision.reason, missing=decision.missing[:1].lower() + decision.missing[1:],
    )  # fmt: skip


_CONCLUSIONS = {
    "meets policy": "**May be published.** On {name} judge and people give the same answer in {exact} of "
    "ratings{near}. Corrected for chance that is kappa {kappa}, which meets the policy.",
    "inconclusive": "**Not yet to be published.** On {name} agreement is high enough (the same answer in {exact} of "
    "ratings{near}; kappa {kappa}), but with so few reference labels that may be chance.",
    "fails": "**Not to be published.** On {name} judge and people disagree too often: kappa {kappa}, where 0 is chance "
    "and 1 full agreement.",
    "below minimum sample": "**Not yet to be published.** On {name} only {items} of a random draw have blind labels "
    "and a score, fewer than the policy requires.",
    "undefined": "**Not to be published.** On {name} everybody gave one and the same answer, so kappa is undefined.",
}


def figures(line: Line, key: str) -> None:
    """The figures in one row with how to read them, and how the interval was made."""
    summary, interval = line.shown, line.shown.interval
    ordered = bool(summary.dimension.scale.weights)
    scale = summary.dimension.scale
    name, how = ("Kappa (QWK)", "Quadratic-weighted kappa") if ordered else ("Kappa", "Cohen's kappa, unweighted")
    if scale.kind == "interval":
        name, how = "Kappa (CCC)", "Lin's concordance, by the six sums that quadratic-weighted kappa has"
    shown = [
        (name, number(interval.point), f"{how}: 1 is full agreement, 0 is chance."),
        ("95% interval", span(interval), "Cluster bootstrap: whole items are resampled."),
        ("Lower bound", number(line.bound), "One-sided; the approval check compares it with the required kappa.")
        if line.gated
        else ("Lower bound", number(interval.lower_bound), "One-sided, 95%, at a single look."),
        ("% agreement", number(summary.exact, ".1%"), "Share of ratings where judge and people give the same answer."),
    ]
    if ordered:
        shown += [
            (
                f"Within {bins.step(scale).removesuffix(' step')}",
                number(summary.within_one, ".1%"),
                f"Share of ratings that differ by {bins.step(scale)} or less.",
            ),
            (
                "Bias (judge - people)",
                number(summary.mean_difference, "+.2f"),
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


def beside(found: Concordance, summary: Summary, key: str) -> None:
    """Correlations, ICC and mean error with their intervals, and what each of them says."""
    st.dataframe(
        [
            {"figure": CALLED[name], "value": one.point, "95% interval": _to(one), "meaning": _BESIDE[name]}
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


_BESIDE = {
    "icc": "Two-way random effects, absolute agreement, single rater; also called ICC(2,1).",
    "pearson": "Linear correlation of the values.",
    "spearman": "Rank correlation; ties get the mean rank.",
    "kendall": "Concordant minus discordant pairs of ratings, corrected for ties (tau-b).",
    "mae": "Mean absolute difference of judge and people, in units of the scale.",
}


def table(summary: Summary, key: str) -> tuple[int, int] | None:
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


def listed(
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
    one = tables.clicked_row(frame, found, key, height="content" if len(found) <= 8 else 320)
    if one is not None:
        go(one.item)


def spread(summary: Summary, people: Floats, judge: Floats, key: str) -> None:
    """Both marginals, and the warnings that belong to them."""
    charts.marginals(people.tolist(), judge.tolist(), summary.answers, key)
    st.caption("Share of each answer. Different distributions mean that judge and people use the scale differently.")
    for who, shares in (("People", people), ("The judge", judge)):
        if shares.max() == 1:
            text.warn("{who} always gave one and the same answer: kappa is 0 or undefined.", who=who)
    if summary.fragile:
        name = "AC2" if summary.dimension.scale.weights else "AC1"
        text.warn(
            "{share} of all answers are the same: kappa is then unstable (the kappa paradox). Gwet's {name}, which is "
            "less affected by prevalence, is {ac}. It does not replace kappa.",
            share=f"{summary.commonest:.0%}", name=name, ac=number(summary.ac, ".2f"),
        )  # fmt: skip
    r, kappa = summary.correlation, summary.interval.point
    if r is not None and kappa is not None and r - kappa > 0.15:
        text.warn(
            "Correlation is high (r {r}) and agreement is not: the judge ranks as people do, on another level.",
            r=f"{r:.2f}",
        )


def missing(summary: Summary, replies: Sequence[tuple[str, int]]) -> None:
    """What kappa leaves out: n/a of either side, and cells that the judge gave no score."""
    na = summary.na
    if summary.dimension.scale.na and na.cells:
        text.say(
            "**n/a**: people {people}, judge {judge} of {cells}. On whether the question applies they agree in "
            "{agreed} (kappa {kappa}). The figures above use the ratings that both scored.",
            people=f"{summary.na_human:,}", judge=f"{summary.na_judge:,}", cells=many(na.cells, "rating"),
            agreed=number(na.agreement, ".1%"), kappa=number(na.kappa, ".2f"),
        )  # fmt: skip
    if summary.unscored:
        failed = "Unusable replies over the whole dataset: {why}. " if replies else ""
        text.say(
            "**Unscored**: {cells} with gold {have} no score of this judge. "
            + failed
            + "A failed reply is not a low score; it is left out of all figures.",
            cells=many(summary.unscored, "rating"), have="has" if summary.unscored == 1 else "have",
            why=", ".join(f"{n:,} {REASONS.get(reason, reason)}" for reason, n in replies),
        )  # fmt: skip


def anchored(blind: Interval, assisted: Interval, change: Interval, key: str) -> None:
    """The same figure on blind and on assisted labels, the difference, and what it means; or how much is missing."""
    if not assisted.cells or not blind.cells:
        none = "assisted" if blind.cells else "blind"
        text.quiet(
            "Not tested: no item of a random draw has both a score and {none} labels. To measure anchoring, show the "
            "judge's scores in a share of the audit sample (assisted share, on the page Queues).",
            none=none,
        )
        return
    few = min(blind.items, assisted.items)
    if few < 30:
        text.say("**Not tested**: {n} in the smaller group, and 30 are needed.", n=many(few, "item"))
    elif change.low is not None and change.low > 0:
        text.say(
            "**Anchoring**: people agree more with the judge where they see its scores, by {moved}. Part of the "
            "agreement of assisted labels comes from the judge itself.",
            moved=_moved(change),
        )  # fmt: skip
    elif change.high is not None and change.high < 0:
        text.say(
            "**People agree less with the judge where they see its scores**, by {moved}: find out why.",
            moved=_moved(change),
        )
    elif change.point is None or change.low is None:
        st.markdown("**Not tested**: kappa is undefined in one of the groups.")
    else:
        text.say(
            "**No anchoring is shown**: where people see the scores, kappa differs by {moved}, an interval that "
            "includes 0. Anchoring as large as its upper end is not ruled out.",
            moved=_moved(change),
        )  # fmt: skip
    rows = [("blind", blind), ("assisted", assisted), ("assisted − blind", change)]
    spans = [
        Row(name, "", i.point, i.low, i.high, None, "other" if i is blind else "beside", remark)
        for (name, i), remark in zip(rows, [_used(blind), _used(assisted), _moved(change)], strict=True)
    ]
    charts.intervals(spans, key, mark=0.0, reach=(-0.1, 1.0))


def arms(found: Arms, key: str) -> None:
    """Both arms side by side: equal answers, changes, seconds; and what was changed after a reveal."""
    both = (found.blind, found.assisted)
    if any(arm.labels for arm in both):
        shares = [100 * arm.same / arm.labels if arm.labels else None for arm in both]
        share = st.column_config.NumberColumn(format="%.1f%%")
        st.dataframe(
            {
                "labels": ["blind", "assisted"],
                "items": [arm.items for arm in both],
                "answers": [arm.labels for arm in both],
                "acceptance": shares,
                "override": [None if s is None else 100 - s for s in shares],
                "s/item": [arm.seconds[1] if arm.seconds else None for arm in both],
                "IQR": [_half(arm.seconds) for arm in both],
            },
            hide_index=True, key=key, placeholder="–", width="content",
            column_config={
                "acceptance": share,
                "override": share,
                "s/item": st.column_config.NumberColumn(format="%.0f", help="Median seconds per item."),
                "IQR": st.column_config.TextColumn(help="Interquartile range of the seconds per item."),
            },
        )  # fmt: skip
        st.caption(
            "Assisted: acceptance rate and override rate. Blind: how often people give the judge's answer without "
            "seeing it. Seconds per item: median and IQR, over all questions of the item."
        )
    if found.changed:
        text.say(
            "After the judge's scores were revealed, people changed {changed}: {same} to the judge's answer, {nearer} "
            "towards it. Revealed labels are in none of these figures.",
            changed=many(found.changed, "label"), same=f"{found.to_judge:,}", nearer=f"{found.nearer:,}",
        )  # fmt: skip
    else:
        st.caption("No label was changed after the judge's scores were revealed.")


def _half(seconds: tuple[float, float, float] | None) -> str:
    return "–" if seconds is None else f"{seconds[0]:,.0f} to {seconds[2]:,.0f}"


def _used(interval: Interval) -> str:
    on = f"{many(interval.items, 'item')}, {many(interval.cells, 'rating')}"
    return f"{number(interval.point, '.2f')} from {on}" if interval.point is not None else f"undefined from {on}"


def _moved(interval: Interval) -> str:
    return "undefined" if interval.point is None else f"{interval.point:+.2f} ({span(interval)})"
