"""One dimension of a judge in full: its state, table, marginals, n/a, and what stands beside a kappa."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from data.calibration import MOST, Found
from data.exposure import NOTE
from data.figures.arms import Arms
from data.report.svg import Row
from judges import bins
from judges.calibrate import Line, Summary
from judges.concordance import CALLED, Concordance
from judges.counted import many
from judges.intervals import BOOTSTRAP, Interval
from pages.parts import charts, reading, rows, text
from pages.parts.calibrated import number, span

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
    """The gate's state of the dimension: what a lead may conclude in a sentence, why, and what is missing."""
    decision, gate = line.decision, line.gate
    point = gate.interval.point
    step = bins.step(gate.dimension.scale)
    near = "" if gate.within_one is None else f", at most {step} off in {gate.within_one:.0%}"
    text.say(
        _BADGES[decision.state] + " " + _CONCLUSIONS[decision.state],
        name=line.dimension.title, exact=number(gate.exact, ".0%"), near=near, kappa=number(point, ".2f"),
        items=many(gate.interval.items, "item"),
    )  # fmt: skip
    text.quiet(
        ("" if line.gated else "The approval check: ")
        + "{reason}" + (" **Missing: {missing}**" if decision.missing else ""),
        reason=decision.reason, missing=decision.missing[:1].lower() + decision.missing[1:],
    )  # fmt: skip


_CONCLUSIONS = {
    "meets policy": "**Good enough to publish.** On {name} the judge says what people say in {exact} of cells{near}. "
    "With luck taken out that is kappa {kappa}, and all that the policy asks of it is met.",
    "inconclusive": "**Not to be published yet.** On {name} the judge looks good enough (the same answer in {exact} of "
    "cells{near}), but with this much gold that could still be luck.",
    "fails": "**Not to be published.** On {name} judge and people differ too often for one to stand in for the other: "
    "kappa {kappa}, where 0 is luck and 1 full agreement.",
    "below minimum sample": "**Not to be published: nothing can be said yet.** On {name} there are {items} with blind "
    "labels of a random draw and a score, not enough of what was drawn to say how far to trust the judge.",
    "undefined": "**Not to be published: nothing can be said.** On {name} everybody gave one and the same answer, so "
    "agreement proves nothing.",
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
        (name, number(interval.point), f"{how}: 1 is agreement, 0 what chance gives."),
        ("95% interval", span(interval), "By items, which are resampled whole."),
        ("Lower bound", number(line.bound), "One-sided; what the check holds against the threshold.")
        if line.gated else ("Lower bound", number(interval.lower_bound), "One-sided, 95%, at a single look."),
        ("Exact", number(summary.exact, ".1%"), "Share of equal answers."),
    ]
    if ordered:
        shown += [
            (f"Within {bins.step(scale).removesuffix(' step')}", number(summary.within_one, ".1%"),
             f"Share of cells at most {bins.step(scale)} apart."),
            ("Leniency", number(summary.mean_difference, "+.2f"), "Mean of judge − people: above 0 it is kinder."),
        ]
    with st.container(horizontal=True, gap="large", vertical_alignment="center"):
        for name, value, told in shown:
            st.metric(text.plain(name), text.plain(value), help=text.plain(told), width="content")
    made = {
        BOOTSTRAP: "2,000 resamplings of whole items, each end the farther of percentile and studentised",
        "linearised": "linearisation over items",
    }
    worth = (
        ""
        if abs(interval.n_eff - interval.items) < 0.05
        else f", worth {interval.n_eff:,.1f} equally weighted ones (n_eff)"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        text.quiet(
            "On {cells} of {items} that both people and judge scored{worth}. Interval: {method}."
            + (" Fewer than 30 items: nothing may be concluded from it." if interval.verdictless else ""),
            cells=many(summary.cells, "cell"), items=many(interval.items, "item"), worth=worth,
            method=made.get(interval.method, interval.method),
        )  # fmt: skip
        if summary.rounded:
            text.quiet(
                "In {n} the judge's samples came to a value between two answers. Kappa and leniency take it as it is; "
                "exact, within one and the tables take the answer nearest to it.",
                n=many(summary.rounded, "cell"),
            )
        names = ("kappa", "interval", "bound", "exact", "leniency", "floor")
        reading.how(*names, key=key, values=reading.of(summary))


def beside(found: Concordance, summary: Summary, key: str) -> None:
    """Correlations, ICC and mean error with their intervals, and what each of them says."""
    st.dataframe(
        [
            {"figure": CALLED[name], "value": one.point, "95% interval": _to(one), "what it says": _BESIDE[name]}
            for name, one in found._asdict().items()
        ],
        hide_index=True, key=f"beside:{key}", width="content", placeholder="–",
        column_config={"value": st.column_config.NumberColumn(format="%.3f")},
    )  # fmt: skip
    text.quiet(
        "Kappa is Lin's concordance here: quadratic-weighted kappa by the same six sums, of the values themselves. "
        "Correlations forgive a judge that is always too kind; concordance, ICC and the mean error (on a scale {width} "
        "wide) do not.",
        width=f"{bins.width(summary.dimension.scale):g}",
    )


def _to(one: Interval) -> str:
    return "–" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"


_BESIDE = {
    "icc": "Two-way random effects, absolute agreement, single rater; also called ICC(2,1).",
    "pearson": "How far both move together in a straight line.",
    "spearman": "How far both put the items in the same order; ties share the middle of their ranks.",
    "kendall": "Pairs of cells in one order less those in opposite orders, corrected for ties.",
    "mae": "How far judge and people lie apart on average, in units of the scale.",
}


def table(summary: Summary, key: str) -> tuple[int, int] | None:
    """The table of agreement; the cell that was clicked."""
    if not summary.cells:
        st.caption("No cell has both gold and a score of this judge yet.")
        return None
    chosen = charts.confusion(summary.counts, summary.answers, key)
    st.caption(
        "Each count, with its share of the row: of the cells where people gave that answer, how often the judge gave "
        "this one. Outlined: agreement. Click a cell to see its items."
        + (f" {BINNED}" if summary.binned else "")
    )
    return chosen


BINNED = "Values are put into ten equal bins here, and only here: the figures above go by the values themselves."


def listed(
    found: Sequence[Found], summary: Summary, cell: tuple[int, int], key: str, go: Callable[[str], None]
) -> None:
    """The items of a cell of the table; `go` gets the one that is clicked."""
    people, judge = (summary.answers[n] for n in cell)
    total = int(summary.counts[cell])
    text.say(
        "People say **{people}**, the judge **{judge}**: {n}. Click one to open it on the desk.",
        people=people, judge=judge,
        n=many(total, "cell") + (f", {len(found):,} listed" if total > len(found) else ""),
    )  # fmt: skip
    if total > len(found):
        text.quiet("At most {most} are listed. {note}", most=MOST, note=NOTE)
    frame = pd.DataFrame(
        [(f.name, f.unit, f.systems, f.came) for f in found], columns=["item", "unit", "system", "gold is"]
    )
    one = rows.clicked(frame, found, key, height="content" if len(found) <= 8 else 320)
    if one is not None:
        go(one.item)


def spread(summary: Summary, people: Sequence[float], judge: Sequence[float], key: str) -> None:
    """Both marginals, and the warnings that belong to them."""
    charts.marginals(people, judge, summary.answers, key)
    st.caption("How often each answer is given. Different shapes mean another idea of the scale, whatever kappa says.")
    for who, shares in (("People", people), ("The judge", judge)):
        if max(shares) == 1:
            text.warn("{who} gave one and the same answer throughout: kappa is then 0 or undefined.", who=who)
    if summary.fragile:
        name = "AC2" if summary.dimension.scale.weights else "AC1"
        text.warn(
            "{share} of all answers are one and the same: kappa then swings with a few cells. Gwet's {name}, which "
            "one common answer disturbs less, is {ac}; it stands beside kappa and is no substitute for it.",
            share=f"{summary.commonest:.0%}", name=name, ac=number(summary.ac, ".2f"),
        )  # fmt: skip
    apart = summary.correlation is not None and summary.interval.point is not None
    if apart and summary.correlation - summary.interval.point > 0.15:
        text.warn(
            "Judge and people move together (r {r}) but do not say the same: correlation is not agreement.",
            r=f"{summary.correlation:.2f}",
        )


def missing(summary: Summary, replies: Sequence[tuple[str, int]]) -> None:
    """What kappa leaves out: n/a of either side, and cells that the judge gave no score."""
    na = summary.na
    if summary.dimension.scale.na and na.cells:
        text.say(
            "**n/a**: people {people}, judge {judge} of {cells}. Whether there is something to score they agree on in "
            "{agreed} (kappa {kappa}). The figures above rest on the cells that both scored.",
            people=f"{summary.na_human:,}", judge=f"{summary.na_judge:,}", cells=many(na.cells, "cell"),
            agreed=number(na.agreement, ".1%"), kappa=number(na.kappa, ".2f"),
        )  # fmt: skip
    if summary.unscored:
        failed = "Of its replies to the whole dataset could not be used: {why}. " if replies else ""
        text.say(
            "**Unscored**: {cells} with gold {have} no score of this judge. "
            + failed
            + "A failed reply is no low score: it is in no figure.",
            cells=many(summary.unscored, "cell"), have="has" if summary.unscored == 1 else "have",
            why=", ".join(f"{n:,} {REASONS.get(reason, reason)}" for reason, n in replies),
        )  # fmt: skip


def anchored(blind: Interval, assisted: Interval, change: Interval, key: str) -> None:
    """The same figure on blind and on assisted labels, the difference, and what it means; or how much is missing."""
    if not assisted.cells or not blind.cells:
        none = "assisted" if blind.cells else "blind"
        text.quiet(
            "Not enough: there is no {none} label of a random draw here that meets a score. A share of the audit "
            "sample is shown with the judge's scores to measure how far people follow them.",
            none=none,
        )
        return
    few = min(blind.items, assisted.items)
    if few < 30:
        text.say(
            "**Cannot be told yet**: {n} in the smaller group; below 30 nothing may be concluded.", n=many(few, "item")
        )
    elif change.low is not None and change.low > 0:
        text.say(
            "**People follow the judge**: they agree more with it where they see it, by {moved}. Part of the "
            "agreement of assisted labels is the judge's own voice.",
            moved=_moved(change),
        )  # fmt: skip
    elif change.high is not None and change.high < 0:
        text.say(
            "**People agree less with the judge where they see it**, by {moved}: look at why.", moved=_moved(change)
        )
    elif change.point is None or change.low is None:
        st.markdown("**Cannot be told**: kappa is undefined in one of the groups.")
    else:
        text.say(
            "**No pull is shown**: where people see the judge, kappa differs by {moved}, and 0 lies within that. A "
            "pull as large as the interval's upper end is not ruled out.",
            moved=_moved(change),
        )  # fmt: skip
    rows = [("blind", blind), ("assisted", assisted), ("assisted − blind", change)]
    spans = [
        Row(name, "", i.point, i.low, i.high, None, "other" if i is blind else "beside", told)
        for (name, i), told in zip(rows, [_resting(blind), _resting(assisted), _moved(change)], strict=True)
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
                "given": [arm.labels for arm in both],
                "same as the judge": shares,
                "another answer": [None if s is None else 100 - s for s in shares],
                "seconds an item": [arm.seconds[1] if arm.seconds else None for arm in both],
                "middle half": [_half(arm.seconds) for arm in both],
            },
            hide_index=True, key=key, placeholder="–", width="content",
            column_config={
                "same as the judge": share,
                "another answer": share,
                "seconds an item": st.column_config.NumberColumn(format="%.0f"),
            },
        )  # fmt: skip
        st.caption(
            "Assisted, *same as the judge* is the accept rate and *another answer* the override rate. Blind, they are "
            "how often people came to the judge's answer by themselves. Seconds: median, with all that was asked of "
            "the item."
        )
    if found.changed:
        text.say(
            "After their blind answer was saved and the judge revealed, people changed {changed}: {same} to what the "
            "judge says, {nearer} towards it. These count for neither side.",
            changed=many(found.changed, "label"), same=f"{found.to_judge:,}", nearer=f"{found.nearer:,}",
        )  # fmt: skip
    else:
        st.caption("Nothing was changed after the judge had been revealed.")


def _half(seconds: tuple[float, float, float] | None) -> str:
    return "–" if seconds is None else f"{seconds[0]:,.0f} to {seconds[2]:,.0f}"


def _resting(interval: Interval) -> str:
    on = f"{many(interval.items, 'item')}, {many(interval.cells, 'cell')}"
    return f"{number(interval.point, '.2f')} on {on}" if interval.point is not None else f"undefined on {on}"


def _moved(interval: Interval) -> str:
    return "undefined" if interval.point is None else f"{interval.point:+.2f} ({span(interval)})"
