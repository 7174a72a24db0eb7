"""People beside the judge: how far they agree with each other, and whether the judge could stand in for one of them."""

from __future__ import annotations

import streamlit as st

from data import annotators, calibration
from data.figures import ceilings
from data.store import Store
from judges.calibrate import Line
from judges.raters import alternative
from judges.raters.alternative import Test
from judges.raters.ceiling import Ceiling
from judges.types import Dimension
from judges.uncertainty import Interval
from pages.evidence import load
from pages.parts import ceiled, reading, session


def panel(at: load.Place, line: Line, key: str) -> None:
    """The ceiling beside the judge's kappa, and the alternative-annotator test; on blind labels of the same cells."""
    store, key = session.store(), f"people:{key}"
    found = ceiling(store, at.plain, line.dimension)
    reading.beside("Agreement between people, and of the judge with them", "ceiling", "alpha", key=key)
    # Ties count between people: a kappa without them is another figure.
    ceiled.ceiling(found, None if at.dropped else line.shown.interval, key)
    if found is None or found.judge is None:
        return
    reading.beside(
        "Alternative-annotator test: may the judge replace one annotator?", "alternative", "handicap", key=f"{key}:test"
    )
    if found.people < alternative.MIN_PEOPLE:
        st.caption("Not tested: this needs labels of three people or more.")
        return
    epsilon = ceiled.handicap(f"epsilon:{key}")
    ceiled.alternatives(tested(store, at.plain, line.dimension, epsilon))


@st.cache_data(max_entries=64, show_spinner="Comparing people with each other ...")
def ceiling(_store: Store, at: load.Place, dimension: Dimension) -> Ceiling | None:
    """How far people agree with each other, and the judge with them."""
    return ceilings.ceiling(_store, at.dataset, at.judge, dimension)


@st.cache_data(max_entries=64, show_spinner="Comparing people with each other ...")
def tops(_store: Store, at: load.Place) -> dict[Dimension, Interval | None]:
    """How far two people agree in each dimension of the judge's card."""
    return ceilings.between(_store, at.dataset, at.judge, calibration.dimensions(_store, at.judge))


@st.cache_data(max_entries=64, show_spinner="Leaving out one person at a time ...")
def tested(_store: Store, at: load.Place, dimension: Dimension, epsilon: float) -> Test:
    """The alternative-annotator test with that handicap."""
    return alternative.test(annotators.labels(_store, at.dataset, dimension, "blind", at.judge).ratings, epsilon)
