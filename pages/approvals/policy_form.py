"""What an approval has to meet, in words and as the fields of a form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.approvals.rules import RULES, FormField, Requirements, Rule
from data.records import leads
from pages.ui import text

NOT_YET = (
    "Two leads required: there are no two independent leads yet, so nothing could be approved, and this could not be "
    f"switched off here. First make a lead on the command line of this machine: {leads.WAY_OUT}."
)


def fields(asked: Requirements) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a form for what is required: the values of the check's policy, and those beside it."""
    check, beside = dict[str, Any](), dict[str, Any]()
    sides = dict(zip(("left", "right"), st.columns(2, gap="large"), strict=True))
    for rule in RULES.values():
        if rule.form is not None:
            with sides[rule.form.side]:
                (check if rule.in_check else beside)[rule.name] = _field(rule, rule.form, asked)
    return check, beside


def _field(rule: Rule, shown: FormField, asked: Requirements) -> Any:
    value, off = rule.value(asked), shown.with_bound and not asked.policy.lower_bound
    if rule.kind == "flag":
        return st.toggle(text.plain(shown.label), value, help=text.plain(shown.help) or None)
    scale = 100 if shown.percent else 1
    typed = st.number_input(
        text.plain(shown.label), shown.low, shown.high, max(scale * value, shown.low), shown.step,
        "%g" if shown.percent else None, help=text.plain(shown.help) or None, disabled=off,
    )  # fmt: skip
    return round(typed / scale, 6) if shown.percent else typed
