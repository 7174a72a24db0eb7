"""People as raters: who labelled how, what of it is worth a look, and how far people agree with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from data.annotators import RESTING, Annotator, Otherwise, Resting, Second
from data.exposure import NOTE
from judges.audits import Plot
from judges.counted import many
from judges.raters import habits
from judges.raters.ceiling import Ceiling
from judges.raters.habits import Work
from judges.types import Scale
from pages.parts import charts, links, text
from pages.parts.calibrated import number, span
from pages.parts.rows import clickable, clicked

FEW = 8
"""Rows of a list that are shown without scrolling."""
PEOPLE = 30
"""People of the matrix: those with most labels."""
SHARE = {"format": "%.0f%%"}
COLUMNS = {
    "person": st.column_config.TextColumn(width=150),
    "team": st.column_config.TextColumn(width=80),
    "items": st.column_config.NumberColumn(width=56, format="localized", help="Items with a label of theirs."),
    "labels": st.column_config.NumberColumn(width=60, format="localized", help="Their labels of this question."),
    "equal": st.column_config.NumberColumn(
        width=62, help="How often they give the answer that the others give: gold made without their own label.",
        **SHARE,
    ),
    "kappa": st.column_config.NumberColumn(
        width=60, format="%.2f", help="The same corrected for chance: 1 is agreement, 0 what chance gives."
    ),
    "95% interval": st.column_config.TextColumn(width=100, help="By items, which are resampled whole."),
    "leniency": st.column_config.NumberColumn(
        width=72, format="%+.2f", help="Their mean minus that of the others, in steps: above 0 they are kinder."
    ),
    "likely right": st.column_config.NumberColumn(
        width=88, help="The second opinion below (Dawid and Skene): how often they give the most likely answer.",
        **SHARE,
    ),
    "blind": st.column_config.NumberColumn(
        width=58, format="localized", help="Labels given without the judge's scores, over all questions."
    ),
    "assisted": st.column_config.NumberColumn(
        width=68, format="localized", help="Labels given beside the judge's scores, over all questions."
    ),
    "kept": st.column_config.NumberColumn(
        width=56, help="Scores of the judge that they saw and kept; the rest they overrode.", **SHARE
    ),
    "not on screen": st.column_config.NumberColumn(
        width=92, help="Of the judge's scores that they accepted, those that were never on their screen.", **SHARE
    ),
    "s an item": st.column_config.NumberColumn(
        width=76, format="%.1f", help="Median seconds an item took them; imported labels have none."
    ),
    "worth a look": st.column_config.TextColumn(width=150),
}  # fmt: skip
SORTS = {
    "accepts": "accepts everything", "fast": "very fast", "apart": "apart from the others", "lenient": "another scale",
    "drift": "changes over time",
}  # fmt: skip


def resting(rows: Sequence[Annotator], cells: int, basis: Resting) -> None:
    """What everything below rests on."""
    here = [row for row in rows if row.labels]
    text.quiet(
        "{labels} by {people} on {cells}. {basis}; n/a and labels given after a reveal are left out.",
        labels=many(sum(row.labels for row in here), "label"), people=persons(len(here)), cells=many(cells, "cell"),
        basis=RESTING[basis],
    )  # fmt: skip
    if basis == "all" and any(row.work.assisted for row in here):
        st.warning(_PERSUADED, icon=":material/info:")


_PERSUADED = (
    "Assisted labels say in part what the judge says, so people seem to agree with each other more than they do. How "
    "far they agree by themselves is told by blind labels."
)


def persons(n: int) -> str:
    """A number of people in words: 1 person, 3 people."""
    return many(n, "person") if n == 1 else f"{n:,} people"


def own(rows: Mapping[str, Work]) -> None:
    """What one person did, a row for each dataset: nothing of what others say, which would teach them to agree."""
    if not rows:
        st.caption("You have not labelled anything yet.")
        return
    frame = pd.DataFrame(
        [
            (name, w.items, w.labels, w.blind, w.assisted, percent(w.accepted), percent(w.overlooked), w.pace)
            for name, w in rows.items()
        ],
        columns=["dataset", "items", "labels", "blind", "assisted", "kept", "not on screen", "s an item"],
    )
    hidden = [name for name in ("kept", "not on screen", "s an item") if not _any(frame[name])]
    st.dataframe(
        frame.drop(columns=hidden), hide_index=True, height="content" if len(rows) <= FEW else 320,
        column_config=COLUMNS | {"dataset": st.column_config.TextColumn(width=200)}, placeholder="–",
    )  # fmt: skip


def worth(rows: Sequence[Annotator]) -> None:
    """What is worth a look, a sentence each, first of all."""
    seen = [(row.name, remark) for row in rows for remark in row.remarks]
    if not seen:
        st.markdown(":green[:material/check_circle:] Nothing stands out among the people who labelled here.")
        text.quiet(_LOOKED, n=habits.FEWEST)
        return
    for name, remark in seen:
        text.say(":orange[:material/visibility:] **{name}** {what}", name=name, what=remark.text)
    st.caption("Worth a look, and no verdict: the figures below show what it rests on.")


_LOOKED = (
    "Looked for: accepting everything in a moment, answers in a few seconds, agreement no better than chance, another "
    "use of the scale, a change over time. Each needs {n} items of a person."
)


def table(rows: Sequence[Annotator], ordered: bool, key: str, chosen: Callable[[int], None]) -> None:
    """Everybody with their figures; `chosen` gets the number of a row that is clicked."""
    frame = pd.DataFrame(
        [
            {
                "person": row.name,
                "worth a look": ", ".join(SORTS[remark.sort] for remark in row.remarks),
                "team": row.team,
                "items": row.items,
                "labels": row.labels,
                "equal": percent(row.exact),
                "kappa": row.agreement.point if row.agreement else None,
                "95% interval": span(row.agreement) if row.agreement else "–",
                "leniency": row.leniency.size if row.leniency else None,
                "likely right": percent(row.accuracy),
                "blind": row.work.blind,
                "assisted": row.work.assisted,
                "kept": percent(row.work.accepted),
                "not on screen": percent(row.work.overlooked),
                "s an item": row.work.pace,
            }
            for row in rows
        ]
    )
    may_be_empty = ("team", "kept", "not on screen", "s an item", "leniency", "worth a look")
    hidden = [name for name in may_be_empty if not _any(frame[name])]
    clickable(
        frame.drop(columns=hidden), chosen, f"annotators:{key}", height="content" if len(rows) <= FEW else 320,
        column_config=COLUMNS, placeholder="–",
    )  # fmt: skip
    st.caption(
        "“Equal”, kappa"
        + (" and leniency" if ordered else "")
        + " hold each person against what the others say of the same cells, never against themselves. Click a row to "
        "see that person below."
    )


def _any(column: pd.Series[Any]) -> bool:
    return bool((column.notna() & (column != "")).any())


def person(
    row: Annotator, course: Sequence[tuple[str, float, int]], counts: Any, answers: Sequence[str], key: str
) -> tuple[int, int] | None:
    """One person in full: figures, agreement over time, and their answers against the others'; the cell clicked."""
    shown = [
        ("Items", f"{row.items:,}", "Items with a label of theirs, of this question."),
        ("Equal to the others", number(row.exact, ".0%"), "Share of their labels equal to gold made without them."),
        ("Kappa", number(row.agreement.point if row.agreement else None, ".2f"), "The same corrected for chance."),
        ("Kept · overridden", _kept(row), f"Of {row.work.seen:,} scores of the judge that they saw."),
        ("Accepted, not on screen", _unseen(row.work), "Scores accepted without having been on their screen."),
        ("Seconds an item", number(row.work.pace, ".1f"), f"Median of {len(row.work.seconds):,} items."),
        ("Under 3 s", number(row.work.hasty, ".0%"), "Share of items answered in less than three seconds."),
    ]
    with st.container(horizontal=True, gap="large"):
        for name, value, told in [one for one in shown if one[1] != "–"]:
            st.metric(text.plain(name), text.plain(value), help=text.plain(told), width="content")
    if not row.shared:
        text.quiet(
            "{why}, so there is nothing to hold this person against.",
            why="Nobody else labelled the same cells" if row.labels else "There are no such labels of theirs here",
        )
        return None
    left, right = st.columns([3, 2], gap="large")
    with left:
        clicked = charts.confusion(counts, answers, f"against:{key}", ("the others", "this person"))
        st.caption("Outlined: the same answer. Click a cell to see its items.")
    with right:
        if len(course) > 1:
            when, shares = tuple(c[0] for c in course), tuple(c[1] for c in course)
            named, series = "answers equal to the others'", (("", when, shares),)
            plot = Plot("lines", "when the labels were made", named, series, round(row.exact or 0, 2))
            charts.finding(plot, f"course:{key}")
            text.quiet("{n}, in the order of their making. Dashed: all of them.", n=many(row.shared, "label"))
        else:
            st.caption("Too few labels, or no known order, to show how the agreement went over time.")
    return clicked


def _kept(row: Annotator) -> str:
    share = row.work.accepted
    return "–" if share is None else f"{share:.0%} · {1 - share:.0%}"


def _unseen(work: Work) -> str:
    return "–" if not work.unseen else f"{work.unseen:,} ({work.overlooked:.0%})"


def listed(cells: Sequence[tuple[str, str, str]], key: str, go: Callable[[str], None]) -> None:
    """Cells as (item, name, unit); `go` gets the item that is clicked."""
    frame = pd.DataFrame({"item": [c[1] for c in cells], "unit": [c[2] for c in cells]})
    one = clicked(frame, cells, key, width=520, height="content" if len(cells) <= FEW else 320)
    if one is not None:
        go(one[0])


def among(found: Ceiling | None, people: int, dataset: str) -> None:
    """How far people agree with each other, in sentences; the ways on where nothing can be said."""
    if found is None:
        alone = "One person labelled this question" if people == 1 else "No cell was labelled by two people"
        text.say(
            "{alone}, so how far people agree is not known, and gold is one person's word. Let several people label "
            "the same items: set people per item on the Queues page.",
            alone=alone,
        )
        links.to("queue", "Queues", icon=":material/inbox:", dataset=dataset, stream="audit")
        return
    text.say(
        "Two people agree with each other with a kappa of **{kappa}** ({span}), on {cells} of {items} that two or more "
        "labelled. Krippendorff's alpha over all {people}: **{alpha}** ({alpha_span}).",
        kappa=number(found.between.point, ".2f"), span=span(found.between), cells=many(found.cells, "cell"),
        items=many(found.items, "item"), people=persons(found.people), alpha=number(found.alpha.point, ".2f"),
        alpha_span=span(found.alpha),
    )  # fmt: skip
    st.caption("1 is full agreement, 0 what chance gives. A judge is measured against this.")


def matrix(names: Sequence[str], n: Any, shares: Any, people: int, key: str) -> None:
    """How often every two people give the same answer, and on how many cells."""
    told = [
        [f"{a} and {b}: {shares[i, j]:.0%} of {n[i, j]:,} cells" if n[i, j] else "" for j, b in enumerate(names)]
        for i, a in enumerate(names)
    ]
    with st.container(width=min(1000, 260 + 44 * len(names))):
        charts.grid(shares, told, names, f"matrix:{key}")
    text.quiet(
        "Share of equal answers on the cells that both labelled; point at a field for their number. Blank: none."
        + (" The {shown} with most labels of {people} people." if people > len(names) else ""),
        shown=len(names), people=f"{people:,}",
    )  # fmt: skip


def second(
    found: Second | None, differing: Sequence[Otherwise], scale: Scale, key: str, go: Callable[[str], None]
) -> None:
    """The second opinion: how many cells would come out otherwise, and which of them may be shown.

    `go` gets the item that is clicked.
    """
    if found is None:
        st.caption("A second opinion needs cells that at least two people have labelled.")
        return
    n = len(found.otherwise)
    text.say(
        "Of {cells} with labels of two people or more, **{n}** would come out otherwise."
        if n
        else "Of {cells} with labels of two people or more, **none** would come out otherwise.",
        cells=many(found.cells, "cell"), n=f"{n:,}",
    )  # fmt: skip
    st.caption(
        "Dawid and Skene's model asks which answers and which habits of people explain all labels best: somebody who "
        "is often alone counts less, and somebody who always says one step more is read one step lower. It changes no "
        "gold. It takes people as independent, and with few labels each it knows little."
    )
    if len(differing) < n:
        st.caption(NOTE)
    if differing:
        _otherwise(differing, scale, key, go)


def _otherwise(rows: Sequence[Otherwise], scale: Scale, key: str, go: Callable[[str], None]) -> None:
    frame = pd.DataFrame(
        [
            {
                "item": row.name,
                "unit": row.unit,
                "people said": ", ".join(scale.say(code) for code in row.said),
                "gold": "none" if row.gold is None else scale.say(row.gold),
                "gold by": row.how,
                "second opinion": scale.say(row.second),
                "sure": 100 * row.sure,
            }
            for row in rows
        ]
    )
    one = clicked(
        frame, rows, f"otherwise:{key}", height="content" if len(rows) <= FEW else 320,
        column_config={"sure": st.column_config.NumberColumn(width=60, **SHARE)},
    )  # fmt: skip
    st.caption("The surest first. Click one to open it on the desk.")
    if one is not None:
        go(one.item)


def percent(share: float | None) -> float | None:
    """A share for a column of percents."""
    return None if share is None else 100 * share
