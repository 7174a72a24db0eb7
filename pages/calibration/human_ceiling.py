"""Human agreement and the alternative-annotator test: how the judge compares with people."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from judges.plural import many
from judges.render.svg import Row
from judges.stats.raters import alternative_annotator
from judges.stats.raters.human_ceiling import Ceiling, told
from judges.stats.uncertainty import Interval
from pages.ui import charts, text
from pages.ui.agreement_tables import number, small
from pages.ui.annotator_tables import FEW, SHARE, persons


def ceiling(found: Ceiling | None, gold: Interval | None, key: str) -> None:
    """How far people agree with each other, and the judge with them, as a sentence and a chart."""
    text.say("{said}", said=told(found))
    if found is None:
        return
    rows: list[tuple[str, Interval | None, str, str]] = [
        ("two people", found.between, "meets policy", f"{many(found.between.cells, 'pair')} of labels"),
        ("judge and one person", found.judge, "inconclusive", f"{many(found.items, 'item')}, the same ratings"),
        ("judge and gold", gold, "inconclusive", f"{many(gold.items, 'item')}, as above" if gold else ""),
        ("alpha, all people", found.alpha, "meets policy", f"{many(found.cells, 'rating')}, {found.people:,} people"),
    ]
    spans = [
        Row(name, "", i.point, i.low, i.high, None, state, f"{number(i.point, '.2f')} · {on}")
        for name, i, state, on in rows
        if i is not None
    ]
    charts.intervals(spans, f"ceiling:{key}", mark=None)


def alternatives(found: alternative_annotator.Test) -> None:
    """The alternative-annotator test: the verdict in a sentence, and a row for every person."""
    if not found.enough:
        text.say(
            "Not tested: the test needs {needed} people who each share {least} items or more with others and with "
            "the judge; there {are} {n}.",
            n=len(found.people), least=alternative_annotator.MIN_ITEMS, needed=alternative_annotator.MIN_PEOPLE,
            are="is" if len(found.people) == 1 else "are",
        )  # fmt: skip
        return
    won = sum(one.won for one in found.people)
    text.say(
        ":green-badge[:material/check_circle: passes] The judge may replace one annotator: it wins against **{won} of "
        "{n}** people, and half are required."
        if found.passed
        else ":orange-badge[:material/person: does not pass] The judge is not shown to be able to replace one "
            "annotator: it "
        "wins against **{won} of {n}** people, and half are required.",
        won=won, n=len(found.people),
    )  # fmt: skip
    with st.container(horizontal=True, gap="large"):
        st.metric(
            "Winning rate ω",
            text.plain(number(found.omega, ".2f")),
            help="Share of people that the judge wins against; .5 passes.",
            width="content",
        )
        st.metric(
            "Advantage ρ",
            text.plain(number(found.rho, ".2f")),
            help="How often the judge is at least as close to the others as the person is.",
            width="content",
        )
    frame = pd.DataFrame(
        [
            {
                "person": one.name,
                "items": one.items,
                "judge closer": 100 * one.judge,
                "person closer": 100 * one.person,
                "p": small(one.p),
                "p adjusted": small(one.adjusted),
                "judge": "✓ wins" if one.won else "– not shown",
            }
            for one in found.people
        ]
    )
    st.dataframe(
        frame, hide_index=True, width="content", height="content" if len(frame) <= FEW else 320,
        column_config={
            **dict.fromkeys(("judge closer", "person closer"), st.column_config.NumberColumn(width=104, help="At "
                "least as close to the other people; ties count for both.", format=SHARE)),
            **dict.fromkeys(("p", "p adjusted"), st.column_config.TextColumn(width=84)),
            "person": st.column_config.TextColumn(width=150),
            "judge": st.column_config.TextColumn(width=100),
        },
    )  # fmt: skip
    if found.left_out:
        few = max(n for _, n in found.left_out)
        text.quiet(
            "Left out: {n} with fewer than {least} items in common with others ({most} at most).",
            n=persons(len(found.left_out)), least=alternative_annotator.MIN_ITEMS, most=few,
        )  # fmt: skip


HANDICAPS: Mapping[float, str] = {eps: f"{who} · ε {eps:g}" for eps, who in alternative_annotator.EPSILONS.items()}


def handicap(key: str) -> float:
    """Who the people are: the handicap that the test gives them."""
    chosen = st.segmented_control(
        "The people here are",
        list(HANDICAPS),
        format_func=lambda eps: text.plain(HANDICAPS[eps]),
        default=0.2,
        required=True,
        key=key,
    )
    return float(chosen or 0.2)
