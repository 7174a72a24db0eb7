"""What an approval has to meet, in words and as the fields of a form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data import leads
from data.deciding.policy import Asked
from judges.counted import many
from judges.gate import Policy

STUCK = (
    "Two leads are asked for, and nobody could approve now: of those who lead, one made the others, or the same person "
    f"did, and that counts as one. Make a lead at the machine itself: {leads.WAY_OUT}."
)


def looks(gate: Policy) -> str:
    """How often somebody may look under a policy, in words."""
    if not gate.horizon:
        return "at a single look"
    return f"however often anybody looks up to {gate.horizon:,} items, and for all that is decided on the same labels"


def told(asked: Asked) -> list[str]:
    """What is asked, a sentence each."""
    gate = asked.policy
    found = [
        f"Blind labels of at least {many(gate.min_items, 'randomly drawn item')}.",
        "Imported labels count: that they are blind and of random draws is the word of whoever imported them."
        if asked.imported
        else "Labels given here only: imported ones do not count, as nobody can check who gave them, and how "
        "(except in data marked as synthetic).",
        f"An agreement (kappa) of at least {gate.threshold:g}: 1 is full agreement, 0 is what chance gives.",
        f"Its lower bound, the cautious reading, reaches that too: we want to be {100 * gate.level:g}% sure, "
        f"{looks(gate)}."
        if gate.lower_bound
        else "No lower bound: a judge that is worse may pass by luck.",
        f"Answers of the judge to at least {100 * asked.coverage:g}% of the cells with gold; its n/a "
        "counts where people say n/a too.",
        f"Answers of people to at least {100 * asked.answered:g}% of the items drawn to be labelled blind, overall and "
        "in every stratum: those that nobody answers may be the hard ones."
        if asked.answered
        else "Drawn items that nobody answered are not asked about: they may be the hard ones.",
    ]
    if asked.alarms:
        found.append("No audit of the judge in alarm.")
    if asked.four_eyes:
        found.append(
            "Two leads: one proposes, another approves, whom the first has not made a lead. A looser policy, "
            "another limit of an audit, and any change of who leads take two as well."
        )
    return found


def fields(asked: Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a form for what is asked: the values of the check's policy, and those beside it."""
    gate = asked.policy
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
            "Looks are free up to, items", 2, 1_000_000, max(gate.horizon, 2), 100,
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
    return (
        {"threshold": threshold, "min_items": items, "lower_bound": bound, "level": level / 100, "horizon": horizon},
        {"four_eyes": eyes, "alarms": alarms, "coverage": round(coverage / 100, 6),
         "answered": round(answered / 100, 6), "imported": imported},
    )  # fmt: skip
