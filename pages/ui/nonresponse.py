"""The drawn items that nobody has answered: how many, in which strata, why, and each of them one click away."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from data.calibration import nonresponse
from data.gold.gold import Basis
from judges.types import Dimension
from pages.ui import session, tables, text, url_state

COLUMNS = {
    "Item": st.column_config.TextColumn(width=150),
    "Stratum": st.column_config.TextColumn(width=150),
    "Why": st.column_config.TextColumn(width=190),
    "": st.column_config.TextColumn(width=330),
}


def panel(dataset: str, name: str, judge: str, dimension: Dimension, basis: Basis, said: str, key: str) -> None:
    """How many drawn items have no label that counts in a dimension, and a list of them; nothing where all have.

    What was `said` above it is not said again.
    """
    store, who = session.store(), session.me()
    found = nonresponse.responses(store, dataset, judge, [dimension], basis)[dimension.sort, dimension.name]
    sentence = found.told()
    if not sentence:
        return
    left = nonresponse.missing(store, who.name, dataset, judge, dimension, basis)
    why = nonresponse.summary(left)
    told = "" if sentence in said else f"{sentence} "
    text.quiet("{told}{why}", told=told, why=f"Not answered: {why}." if why else "")
    if not left:
        return
    with st.expander("Drawn items without an answer", icon=":material/pending:", key=f"unanswered:{key}"):
        st.caption("Not answered until somebody has labelled it blind. Click one to open it on the desk.")
        shown = left[: nonresponse.MOST]
        frame = pd.DataFrame(
            [(one.name, one.stratum or "no system", one.why, one.told) for one in shown], columns=list(COLUMNS)
        )
        height = "content" if len(shown) <= 8 else 320
        one = tables.clicked_row(frame, shown, f"unanswered:{key}:rows", height=height, column_config=COLUMNS)
        if len(left) > len(shown):
            text.quiet("The first {n} of {all} are listed.", n=f"{len(shown):,}", all=f"{len(left):,}")
        if one is not None:
            url_state.open_page("desk", dataset=name, stream="audit", item=one.item)
