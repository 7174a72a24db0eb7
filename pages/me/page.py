"""One's own page: who one is here, and what one has labelled."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from data.annotators import annotators
from judges.stats.raters.rater_flags import RaterWork
from pages.server import access
from pages.ui import explanations, session, text, url_state


def page() -> None:
    """The person's own figures."""
    who = session.me()
    st.title(text.plain(who.name), anchor=False)
    text.say("Your role is **{role}**. Everything that you do is recorded under this name.", role=who.role)
    st.subheader("Your labels", anchor=False)
    _own(annotators.own_work(session.store(), who.name))
    st.caption(text.HERE if access.is_local() else text.ANYWHERE)


def _own(rows: Mapping[str, RaterWork]) -> None:
    """What one person did, a row for each dataset; no answers of others, on which they would be anchored."""
    if not rows:
        st.caption(
            "You have not labelled anything yet. Your counts, acceptance rate and speed are shown here once you do."
        )
        url_state.link("desk", "Open the review desk", icon=":material/rate_review:")
        return
    frame = pd.DataFrame(
        [
            (name, w.items, w.labels, w.blind, w.assisted, _percent(w.accepted), _percent(w.overlooked), w.pace)
            for name, w in rows.items()
        ],
        columns=["dataset", "items", "labels", "blind", "assisted", "acceptance", "not on screen", "s/item"],
    )
    st.dataframe(
        frame.dropna(axis="columns", how="all"), hide_index=True, height="content" if len(rows) <= 8 else 320,
        column_config=explanations.WORK | {"dataset": st.column_config.TextColumn(width=200)}, placeholder="–",
    )  # fmt: skip


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
