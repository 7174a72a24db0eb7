"""Ratings on which people disagree and nobody has decided yet: counted or left out, with both figures."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data.records.settings import Waiting
from judges.plural import many
from judges.stats.calibration import Summary
from pages.ui import text, url_state
from pages.ui.agreement_tables import number, span

WORDS: dict[Waiting, str] = {"counted": "counted, as combined", "out": "left out"}


def choice(rule: Waiting) -> Waiting:
    """What becomes of them in the figures of the page; the dataset's rule to begin with. It is kept in the address."""
    with st.container(width=230):
        return url_state.select("waiting", "Not adjudicated", WORDS, default=rule)


def beside(found: Sequence[tuple[Summary, Summary]], rule: Waiting, dataset: str) -> None:
    """Kappa and bias with and without those ratings, of every dimension that has some; nothing where none has."""
    if not found:
        return
    n = sum(counted.people.waiting for counted, _ in found)
    used = "counts them, combined by the setting of the dataset" if rule == "counted" else "leaves them out"
    with st.expander(text.plain(f"{many(n, 'rating')} to adjudicate"), icon=":material/balance:"):
        frame = pd.DataFrame(
            [
                {
                    "dimension": counted.dimension.title,
                    "unit": counted.dimension.sort,
                    "to adjudicate": f"{counted.people.waiting:,} of {counted.gold_cells:,}",
                    "kappa, counted": f"{number(counted.interval.point, '.2f')} ({span(counted.interval)})",
                    "kappa, left out": f"{number(out.interval.point, '.2f')} ({span(out.interval)})",
                    "bias, counted": _steps(counted.mean_difference),
                    "bias, left out": _steps(out.mean_difference),
                }
                for counted, out in found
            ]
        )
        st.dataframe(frame, hide_index=True, height="content")
        text.quiet(
            "People disagree there by more than the dataset allows, and nobody has decided yet. The approval check "
            "{used} (how labels are combined). Leaving them out keeps the easier ratings, which overestimates kappa.",
            used=used,
        )
        url_state.link("adjudication", "Adjudicate them", icon=":material/balance:", dataset=dataset)


def _steps(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 2) + 0.0:+.2f}"
