"""The subject of the calibration page: a judge on a dataset, and the labels used."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import streamlit as st

from data.approvals import check_results, policy
from data.gold.gold import Basis
from data.records.settings import Waiting, gold_rule
from data.reports.statistics import Statistic, load_figures
from data.store import Store
from judges.stats.calibration import DimensionResult
from judges.types import Dimension
from pages.ui import session

F = TypeVar("F")


class CalibrationPlace(NamedTuple):
    """A judge and a dataset by id, the dataset's name, the labels used, and whether ties are dropped."""

    dataset: str
    judge: str
    name: str = ""
    basis: Basis = "gate"
    dropped: bool = False

    def drop(self, dimension: Dimension) -> str:
        """The category of a dimension that is left out on both sides, "" for none."""
        return dimension.scale.drawn if self.dropped else ""


def load_results(
    store: Store, place: CalibrationPlace, basis: Basis, dropped: bool = False, waiting: Waiting | None = None
) -> list[DimensionResult]:
    """All dimensions of the judge's card on a basis, with their states by the approval check; by unit, then name."""
    gated = basis == policy.approval_basis(store, place.dataset) and not dropped
    gated = gated and waiting in (None, gold_rule(store, place.dataset).waiting)
    with st.spinner("Comparing the judge with gold ..."):
        shown = None if gated else check_results.summaries(store, place.dataset, place.judge, basis, dropped, waiting)
        return check_results.dimension_results(store, place.dataset, place.judge, shown)


def load(statistic: Statistic[F], place: CalibrationPlace, line: DimensionResult) -> F:
    """The figures of a statistic of a dimension on the labels used."""
    d = line.dimension
    with st.spinner("Computing the figures ..."):
        return load_figures(session.store(), statistic, place.dataset, place.judge, d, place.basis, place.drop(d))
