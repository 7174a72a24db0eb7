"""The panel Auto-accept: which scores can be accepted unseen, and the rule by which the rest goes to people."""

from __future__ import annotations

import streamlit as st

from data import sparing
from data.deciding import policy
from data.figures import selective as figures
from data.gold import Basis
from data.sparing import Found, Wanted
from data.store import Store
from judges.calibrate import Line
from judges.errors import AssayError
from judges.types import Dimension
from pages.evidence.load import Place
from pages.parts import picked, reading, selective, session, sure, text


@st.cache_data(max_entries=64, show_spinner="Testing confidence thresholds ...")
def _found(_store: Store, at: Place, dimension: Dimension, basis: Basis, wanted: Wanted) -> Found:
    return sparing.found(_store, at.dataset, at.judge, dimension, basis, wanted)


@st.cache_data(max_entries=64, show_spinner=False)
def _sources(_store: Store, at: Place, dimension: Dimension) -> dict[str, int]:
    return figures.sources(_store, at.dataset, at.judge, dimension)


def panel(at: Place, line: Line, key: str) -> None:
    """What is asked, what it comes to, the curve, and the rule in force."""
    store, d = session.store(), line.dimension
    sources = _sources(store, at.plain, d)
    rule = sparing.rule(store, at.dataset, at.judge, d)
    if not sources:
        selective.nothing()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=300):
            source = picked.one("source", "Confidence from", sure.named(sources), default=rule.source if rule else "")
        wanted = selective.asked(source, rule, bool(d.scale.weights), key)
        reading.how("selective", "sequence", key=key)
    try:
        found = _found(store, at.plain, d, at.basis, wanted)
    except AssayError as error:
        text.refuse(error)
        return
    counted = policy.basis(store, at.dataset)
    selective.told(found, counted, at.basis)
    reading.alike(d.scale)
    selective.chart(found, f"selective:{key}:{source}")
    who = session.me()
    if rule is not None:
        selective.standing(rule, *sparing.now(store, at.dataset, d, rule))
    selective.act(found, rule, who, at.basis == counted, key, lambda: _set(at, d, wanted), lambda: _end(at, rule))


def _set(at: Place, dimension: Dimension, wanted: Wanted) -> None:
    sparing.put(session.store(), session.me().name, at.dataset, at.judge, dimension, wanted)


def _end(at: Place, rule: sparing.Rule | None) -> None:
    if rule is not None:
        sparing.take_back(session.store(), session.me().name, at.dataset, rule)
