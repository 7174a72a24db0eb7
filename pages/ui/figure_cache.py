"""What the calibration page shows, computed once for as long as the rows behind it stay as they are."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from data.approvals import gate_status, policy
from data.calibration import calibration
from data.calibration.calibration import Found, Rest
from data.gold.gold import Basis
from data.records.settings import Waiting, gold_rule
from data.store import Store
from judges.stats import calibration as stats_calibration
from judges.stats.calibration import Line, Summary
from judges.stats.uncertainty import Interval
from judges.types import Dimension

_TABLES = ("item", "judgment", "score", "label", "draw", "person_event", "setting", "adjudication", "item_use")
Stamp = tuple[int | None, ...]


class Place(NamedTuple):
    """A judge and a dataset, and how far the rows behind them have come: what every figure depends on.

    The panels of one dimension also get the dataset's name and the labels used.
    """

    url: str
    stamp: Stamp
    dataset: str
    judge: str
    card: str
    name: str = ""
    basis: Basis = "gate"
    dropped: bool = False

    @property
    def plain(self) -> Place:
        """The place alone, under which all that does not depend on the basis is kept."""
        return self._replace(name="", basis="gate", dropped=False)


class Anchor(NamedTuple):
    """The same judge compared with blind and with assisted labels of random draws, and the difference."""

    blind: Interval
    assisted: Interval
    difference: Interval


def place(store: Store, dataset_id: str, judge_id: str, card: str) -> Place:
    """The place as it now is."""
    return Place(store.url, tuple(store.touched(t) for t in _TABLES), dataset_id, judge_id, card)


def lines(store: Store, at: Place, basis: Basis, dropped: bool, waiting: Waiting | None = None) -> list[Line]:
    """All dimensions of the judge's card on a basis, with the states that the gate gives; by unit, then name."""
    gated = basis == policy.basis(store, at.dataset) and not dropped
    gated = gated and waiting in (None, gold_rule(store, at.dataset).waiting)
    shown = None if gated else _summaries(store, at, basis, dropped, waiting)
    return gate_status.standing(store, at.dataset, at.judge, shown)


@st.cache_data(max_entries=64, show_spinner="Comparing the judge with gold ...")
def _summaries(_store: Store, at: Place, basis: Basis, dropped: bool, waiting: Waiting | None = None) -> list[Summary]:
    return gate_status.summaries(_store, at.dataset, at.judge, basis, dropped, waiting)


@st.cache_data(max_entries=64, show_spinner=False)
def rests(_store: Store, at: Place) -> dict[Basis, Rest]:
    """How many labels each basis has."""
    return calibration.rests(_store, at.dataset, calibration.dimensions(_store, at.judge))


@st.cache_data(max_entries=64, show_spinner="Comparing blind with assisted labels ...")
def anchor(_store: Store, at: Place, dimension: Dimension) -> Anchor:
    """Blind beside assisted labels of one dimension."""
    bases: tuple[Basis, ...] = (policy.basis(_store, at.dataset), "assisted")
    blind, assisted = (calibration.evidence(_store, at.dataset, at.judge, dimension, basis) for basis in bases)
    one, two = (stats_calibration.summarise(cells, dimension).interval for cells in (blind, assisted))
    return Anchor(one, two, stats_calibration.anchoring(blind, assisted, dimension))


@st.cache_data(max_entries=64, show_spinner=False)
def items_in(_store: Store, at: Place, who: str, of: Dimension, on: Basis, human: float, judge: float) -> list[Found]:
    """The items of one cell of a table, as far as this person may be shown them."""
    return calibration.items_in(_store, who, at.dataset, at.judge, of, on, human, judge)


@st.cache_data(max_entries=64, show_spinner=False)
def unscored(_store: Store, at: Place) -> list[tuple[str, int]]:
    """Why replies of the judge could not be used, and how many."""
    return calibration.unscored(_store, at.dataset, at.judge)


def majority(store: Store, at: Place, dimension: Dimension) -> tuple[Summary, Summary]:
    """The judge compared with the majority of all votes, with ties counted and dropped."""
    one, two = (_summaries(store, at, "all", dropped) for dropped in (False, True))
    return next(s for s in one if s.dimension == dimension), next(s for s in two if s.dimension == dimension)
