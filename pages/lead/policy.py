"""What an approval has to meet, in plain words for everybody, and the form in which a lead changes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from data import leads
from data.datasets import Dataset
from data.deciding import policy
from data.deciding.policy import Asked
from data.people import Person
from judges.errors import AssayError
from judges.uncertainty import MIN_CLUSTERS
from pages.lead import loosening, plan
from pages.parts import approved, asks, clock, session, text


def panel(who: Person, dataset: Dataset) -> None:
    """The policy in words, its changes, for leads the form, and when the dataset is looked at."""
    store = session.store()
    asked = policy.asked(store)
    st.subheader("What an approval has to meet", anchor=False)
    approved.bullets(asks.told(asked))
    if asked.four_eyes and leads.stuck(leads.history(store)):
        st.warning(text.plain(asks.STUCK), icon=":material/group:")
    if past := policy.changes(store):
        with st.expander(text.plain(f"Changed {len(past)} times" if len(past) > 1 else "Changed once")):
            for one in past:
                text.say("**{who}**, {at}: {why}", who=one.person, at=clock.at(one.at, clock.zone()), why=one.reason)
                text.quiet("From then on: {lines}", lines=" ".join(asks.told(one.asked)))
    if who.may("lead"):
        with st.expander("Change it", icon=":material/tune:"):
            _form(who, asked)
    loosening.waits(who, asks.told)
    plan.panel(who, dataset)


def _form(who: Person, asked: Asked) -> None:
    """The values, each with what follows from it."""
    gate = asked.policy
    st.caption(
        "It holds for the whole workspace, and its changes stay on the trail. A looser policy approves nothing by "
        "itself. Under a stricter one what was approved stays published, and is listed above until a lead decides."
    )
    with st.form("policy", border=False):
        left, right = st.columns(2, gap="large")
        with left:
            threshold = st.number_input(
                "Kappa of at least", 0.01, 1.0, max(gate.threshold, 0.01), 0.05,
                help="The cards' own rule is 0.5. What is reachable depends on how far people agree with each other.",
            )  # fmt: skip
            items = st.number_input(
                "Items of at least", 1, 1_000_000, gate.min_items, 10,
                help="Fewer items make the interval wider; below 30 there is never a verdict.",
            )  # fmt: skip
            coverage = st.number_input(
                "Answered by the judge, %", 0.0, 100.0, 100 * asked.coverage, 5.0, "%g",
                help="A judge that fails on what is hard looks better than it is: kappa rests on what it answered.",
            )  # fmt: skip
            answered = st.number_input(
                "Drawn items answered by people, %", 0.0, 100.0, 100 * asked.answered, 5.0, "%g",
                help="Overall and in every stratum. Items that nobody answers may be the hard ones, and then the judge "
                "looks better than it is.",
            )  # fmt: skip
        with right:
            bound = st.toggle(
                "Its lower bound as well", gate.lower_bound,
                help="Without it, at 100 items a judge whose true kappa is 0.45 passes a threshold of 0.5 by luck in "
                "about 25% of cases; with it in about 2%.",
            )  # fmt: skip
            sure = 100 * gate.level
            level = st.number_input("How sure, %", 50.0, 99.9, sure, 1.0, "%g", disabled=not gate.lower_bound)
            horizon = st.number_input(
                "However often one looks, up to items", 2, 1_000_000, max(gate.horizon, 2), 100,
                disabled=not gate.lower_bound,
                help="Looking after every 20 labels makes an error of 5% one of 14 to 18%. The bound lies so much "
                "lower that it stays 5% up to this number of items; a plan on record asks for less.",
            )  # fmt: skip
            alarms = st.toggle(
                "No audit in alarm", asked.alarms,
                help="Otherwise alarms are shown beside the figures, and the lead weighs them.",
            )  # fmt: skip
            eyes = st.toggle(
                "Two leads", asked.four_eyes,
                help="Nobody approves what they have proposed themselves, makes or removes a lead alone, or asks for "
                "less alone. A lead whom one has made alone is no second one.",
            )  # fmt: skip
            imported = st.toggle(
                "Imported labels count", asked.imported,
                help="Whoever imports labels says whose they are, that they are blind, and that their items were drawn "
                "at random: with this on, their word is enough. In synthetic datasets they always count.",
            )  # fmt: skip
        reason = st.text_input("Why", max_chars=2000, placeholder="Why it changes, in a sentence.")
        if st.form_submit_button("Change what is asked", type="primary"):
            new = {"threshold": threshold, "min_items": items, "lower_bound": bound, "level": level / 100,
                   "horizon": horizon}  # fmt: skip
            beside = {"four_eyes": eyes, "alarms": alarms, "coverage": round(coverage / 100, 6), "imported": imported}
            beside["answered"] = round(answered / 100, 6)
            _change(who, asked, new, beside, reason)


def _change(who: Person, asked: Asked, new: dict[str, float], beside: dict[str, Any], reason: str) -> None:
    try:
        gate = policy.made(**{**new, "min_clusters": max(asked.policy.min_clusters, MIN_CLUSTERS)})
        wanted = replace(asked, policy=gate, **beside)
        if wanted == asked:
            st.info("Nothing of this is new, so nothing was changed.", icon=":material/info:")
            return
        loosening.put(who.name, wanted, reason)
    except AssayError as error:
        text.refuse(error)
        return
    st.rerun()
