"""The subject of the calibration page: a judge on a dataset, and the labels used."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import streamlit as st

from data.gold.gold import Basis
from data.reports.statistics import Statistic, load_figures
from judges.stats.calibration import DimensionResult
from pages.ui import session

F = TypeVar("F")


class CalibrationSelection(NamedTuple):
    """A judge and a dataset by id, the dataset's name, the labels used, and whether ties are dropped."""

    dataset: str
    judge: str
    name: str
    basis: Basis
    dropped: bool


def load(statistic: Statistic[F], selection: CalibrationSelection, line: DimensionResult) -> F:
    """The figures of a statistic of a dimension on the labels used."""
    d = line.dimension
    with st.spinner("Computing the figures ..."):
        figures: F = load_figures(
            session.store(), statistic.name, selection.dataset, selection.judge, d, selection.basis, selection.dropped
        )
    return figures
