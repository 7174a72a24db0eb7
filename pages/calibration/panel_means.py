"""Mean scores of the judge, which say nothing of its agreement with people."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.calibration import means as figures
from data.calibration import score_sums
from data.store.errors import BadInput
from pages.calibration import means as parts
from pages.ui import agreement_tables, session, text
from pages.ui.figure_cache import Place


@st.fragment
def panel(at: Place, judges: Mapping[str, str], opened: bool = False) -> None:
    """Means by any field of the items, and beside another judge on the same cells."""
    store = session.store()
    if not figures.has_means(store, at.judge):
        return
    fields = figures.group_fields(store, at.dataset)
    with st.expander("Mean scores", expanded=opened, icon=":material/functions:"):
        st.caption("The judge's own scores, not corrected. How far they agree with people is shown above.")
        chosen = parts.chosen(fields, judges, at.judge)
        try:
            parts.table(figures.means_table(store, at.dataset, at.judge, chosen), chosen.by)
        except BadInput as error:
            text.quiet("{why} Means by system:", why=str(error))
            agreement_tables.means(score_sums.score_means(store, at.dataset, at.judge))
