"""The panel Auto-accept: which scores can be accepted unseen, and the rule by which the rest goes to people."""

from __future__ import annotations

import streamlit as st

from data.approvals import auto_accept as rules
from data.approvals import policy
from data.approvals.auto_accept import Found, Wanted
from data.calibration import selective as figures
from data.gold.gold import Basis
from data.store import Store
from judges.errors import AssayError
from judges.stats.calibration import Line
from judges.types import Dimension
from pages.calibration import auto_accept as selective
from pages.calibration import confidence
from pages.ui import explanations, session, text, url_state
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Testing confidence thresholds ...")
def _found(_store: Store, at: Place, dimension: Dimension, basis: Basis, wanted: Wanted) -> Found:
    return rules.found(_store, at.dataset, at.judge, dimension, basis, wanted)


@st.cache_data(max_entries=64, show_spinner=False)
def _sources(_store: Store, at: Place, dimension: Dimension) -> dict[str, int]:
    return figures.sources(_store, at.dataset, at.judge, dimension)


def panel(at: Place, line: Line, key: str) -> None:
    """What is asked, what it comes to, the curve, and the rule in force."""
    store, d = session.store(), line.dimension
    sources = _sources(store, at.plain, d)
    rule = rules.rule(store, at.dataset, at.judge, d)
    if not sources:
        selective.nothing()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=300):
            source = url_state.select(
                "source", "Confidence from", confidence.named(sources), default=rule.source if rule else ""
            )
        wanted = selective.asked(source, rule, bool(d.scale.weights), key)
        explanations.how("selective", "sequence", key=key)
    try:
        found = _found(store, at.plain, d, at.basis, wanted)
    except AssayError as error:
        text.refuse(error)
        return
    counted = policy.basis(store, at.dataset)
    selective.told(found, counted, at.basis)
    explanations.alike(d.scale)
    selective.chart(found, f"selective:{key}:{source}")
    who = session.me()
    if rule is not None:
        selective.standing(rule, *rules.now(store, at.dataset, d, rule))
    selective.act(found, rule, who, at.basis == counted, key, lambda: _set(at, d, wanted), lambda: _end(at, rule))


def _set(at: Place, dimension: Dimension, wanted: Wanted) -> None:
    rules.put(session.store(), session.me().name, at.dataset, at.judge, dimension, wanted)


def _end(at: Place, rule: rules.Rule | None) -> None:
    if rule is not None:
        rules.take_back(session.store(), session.me().name, at.dataset, rule)
