"""What an approval has to meet, in words and as the fields of a form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.approvals.policy import Requirements
from data.records import leads
from judges.plural import many
from judges.stats.approval_check import Policy

STUCK = (
    "Two independent leads are required, and there are none: one lead, or the same person, made all others leads. "
    f"Make a lead on the command line of this machine: {leads.WAY_OUT}."
)
NOT_YET = (
    "Two leads required: there are no two independent leads yet, so nothing could be approved, and this could not be "
    f"switched off here. First make a lead on the command line of this machine: {leads.WAY_OUT}."
)


def looks(gate: Policy) -> str:
    """For which looks the bound of a policy is valid, in words."""
    if not gate.horizon:
        return "valid at a single look"
    return f"valid at any number of looks up to {gate.horizon:,} items, and over all decisions on the same labels"


def told(asked: Requirements) -> list[str]:
    """What is required, a sentence each."""
    gate = asked.policy
    found = [
        f"Sample: blind labels of at least {many(gate.min_items, 'randomly drawn item')}.",
        "Imported labels count: that they are blind and of random draws is what the importer states."
        if asked.imported
        else "Only labels given in Assay count: how imported ones were made cannot be checked (they count in datasets "
        "marked as synthetic).",
        f"Agreement: kappa of at least {gate.threshold:g}.",
        f"Its one-sided {100 * gate.level:g}% lower bound too, {looks(gate)}."
        if gate.lower_bound
        else "No lower bound is required: a judge below the required kappa may pass by chance.",
        f"The judge answered at least {100 * asked.coverage:g}% of the ratings with reference labels (gold); its n/a "
        "counts as an answer where people say n/a too.",
        f"People labelled at least {100 * asked.answered:g}% of the items drawn to be labelled blind, overall and in "
        "every stratum: unlabelled ones may be the hard ones."
        if asked.answered
        else "Drawn items without a label are ignored, though they may be the hard ones.",
    ]
    if asked.alarms:
        found.append("No audit of the judge is in alarm.")
    if asked.four_eyes:
        found.append(
            "Two independent leads: one proposes, another approves, neither having made the other a lead. A less "
            "strict policy, a changed limit of an audit, and a change of who leads need two as well."
        )
    return found


def fields(asked: Requirements) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a form for what is required: the values of the check's policy, and those beside it."""
    gate = asked.policy
    left, right = st.columns(2, gap="large")
    with left:
        threshold = st.number_input(
            "Required kappa", 0.01, 1.0, max(gate.threshold, 0.01), 0.05,
            help="The cards suggest 0.5. Agreement between people is the usual upper limit.",
        )  # fmt: skip
        items = st.number_input(
            "Required items", 1, 1_000_000, gate.min_items, 10,
            help="Fewer items make the interval wider; below 30 nothing is decided.",
        )  # fmt: skip
        coverage = st.number_input(
            "Ratings answered by the judge, %", 0.0, 100.0, 100 * asked.coverage, 5.0, "%g",
            help="Kappa counts only what the judge answered: one that fails on hard items would be overestimated.",
        )  # fmt: skip
        answered = st.number_input(
            "Drawn items labelled by people, %", 0.0, 100.0, 100 * asked.answered, 5.0, "%g",
            help="Overall and in every stratum. Unlabelled items may be the hard ones: agreement is overestimated.",
        )  # fmt: skip
    with right:
        bound = st.toggle(
            "Lower bound required", gate.lower_bound,
            help="Without it, at 100 items a judge whose true kappa is 0.45 passes a required 0.5 by chance in "
            "about 25% of cases; with it in about 2%.",
        )  # fmt: skip
        sure = 100 * gate.level
        off = not gate.lower_bound
        level = st.number_input("Confidence of the bound, %", 50.0, 99.9, sure, 1.0, "%g", disabled=off)
        horizon = st.number_input(
            "Bound valid for looks up to, items", 2, 1_000_000, max(gate.horizon, 2), 100,
            disabled=off,
            help="Looking after every 20 labels raises an error rate of 5% to 14 to 18%. The bound is lowered so that "
            "it stays 5% up to this number of items. A plan of looks, fixed before, lowers it less.",
        )  # fmt: skip
        alarms = st.toggle(
            "No audit in alarm", asked.alarms,
            help="Otherwise alarms are only shown beside the figures.",
        )  # fmt: skip
        eyes = st.toggle(
            "Two leads required", asked.four_eyes,
            help="One lead proposes, another approves. Who leads, and a less strict policy, need two as well. A lead "
            "whom the first one made alone does not count as the second.",
        )  # fmt: skip
        imported = st.toggle(
            "Imported labels count", asked.imported,
            help="That imported labels are blind and of randomly drawn items is stated by the importer and cannot be "
            "checked. In synthetic datasets they always count.",
        )  # fmt: skip
    return (
        {"threshold": threshold, "min_items": items, "lower_bound": bound, "level": level / 100, "horizon": horizon},
        {"four_eyes": eyes, "alarms": alarms, "coverage": round(coverage / 100, 6),
         "answered": round(answered / 100, 6), "imported": imported},
    )  # fmt: skip
