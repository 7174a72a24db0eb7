"""People beside the judge: how far they agree with each other, and whether the judge could stand in for one of them."""

from __future__ import annotations

import streamlit as st

from data.annotators import annotators
from data.calibration import calibration
from data.calibration import human_ceiling as ceilings
from data.store import Store
from judges.stats.calibration import Line
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import Test
from judges.stats.raters.human_ceiling import Ceiling
from judges.stats.uncertainty import Interval
from judges.types import Dimension
from pages.calibration import human_ceiling
from pages.ui import explanations, figure_cache, session


def panel(at: figure_cache.Place, line: Line, key: str) -> None:
    """The ceiling beside the judge's kappa, and the alternative-annotator test; on blind labels of the same cells."""
    store, key = session.store(), f"people:{key}"
    found = ceiling(store, at.plain, line.dimension)
    explanations.beside("Agreement between people, and of the judge with them", "ceiling", "alpha", key=key)
    # Ties count between people: a kappa without them is another figure.
    human_ceiling.ceiling(found, None if at.dropped else line.shown.interval, key)
    if found is None or found.judge is None:
        return
    explanations.beside(
        "Alternative-annotator test: may the judge replace one annotator?", "alternative", "handicap", key=f"{key}:test"
    )
    if found.people < alternative_annotator.MIN_PEOPLE:
        st.caption("Not tested: this needs labels of three people or more.")
        return
    epsilon = human_ceiling.handicap(f"epsilon:{key}")
    human_ceiling.alternatives(tested(store, at.plain, line.dimension, epsilon))


@st.cache_data(max_entries=64, show_spinner="Comparing people with each other ...")
def ceiling(_store: Store, at: figure_cache.Place, dimension: Dimension) -> Ceiling | None:
    """How far people agree with each other, and the judge with them."""
    return ceilings.measure_ceiling(_store, at.dataset, at.judge, dimension)


@st.cache_data(max_entries=64, show_spinner="Comparing people with each other ...")
def tops(_store: Store, at: figure_cache.Place) -> dict[Dimension, Interval | None]:
    """How far two people agree in each dimension of the judge's card."""
    return ceilings.kappas_between_people(
        _store, at.dataset, at.judge, calibration.compared_dimensions(_store, at.judge)
    )


@st.cache_data(max_entries=64, show_spinner="Leaving out one person at a time ...")
def tested(_store: Store, at: figure_cache.Place, dimension: Dimension, epsilon: float) -> Test:
    """The alternative-annotator test with that handicap."""
    return alternative_annotator.test(
        annotators.labels(_store, at.dataset, dimension, "blind", at.judge).ratings, epsilon
    )
