"""Selective evaluation: the required agreement, the share that is accepted automatically, the curve, and the rule."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data.approvals.auto_accept import Found, Rule, Wanted
from data.calibration.selective import Sure
from data.gold.gold import BASES, Basis
from data.records.people import Person
from data.reports import plots
from judges.errors import AssayError
from judges.plural import many
from judges.stats import selective
from judges.stats.selective import Step
from pages.ui import picture, text


def nothing() -> None:
    """The judge has no confidence."""
    text.quiet(
        "The judge gives no confidence here, so no score can be accepted automatically. Run it with log-probabilities "
        "or several samples, or use a card whose reply states a confidence."
    )


def asked(source: str, rule: Rule | None, ordered: bool, key: str) -> Wanted:
    """The required agreement, its probability, and whether within one counts; the rule's, where there is one."""
    before = rule.wanted if rule else Wanted(source)
    with st.container(width=150):
        target = st.number_input("Required agreement (%)", 50, 99, round(100 * before.target), key=f"target:{key}")
    with st.container(width=150):
        held = st.number_input(
            "Probability (%)", 50, 99, round(100 * (1 - before.delta)), key=f"held:{key}",
            help="The probability that agreement on automatically accepted scores is as high as required, or higher.",
        )  # fmt: skip
    near = ordered and st.toggle("Within one counts", before.near, key=f"near:{key}")
    return Wanted(source, target / 100, round(1 - held / 100, 4), near)


def told(found: Found, counted: Basis, basis: Basis) -> None:
    """What it comes to in sentences: of the labelled items, and of all that the judge scored."""
    head, _, rest = selective.told(found.result, found.wanted.near).partition(": ")
    text.say("**{head}**{rest}", head=head, rest=f": {rest}" if rest else "")
    if found.result.chosen is not None:
        text.say(
            "Of {items} scored by the judge, **{spared}** can be accepted automatically and {left} go to people.",
            items=many(len(found.sure.item), "item"), spared=f"{found.spared:,}",
            left=f"{len(found.sure.item) - found.spared:,}",
        )  # fmt: skip
    text.quiet(
        "From {cells} of {items} with reference labels (gold); over all of them agreement is {overall}.",
        cells=many(found.result.cells, "rating"), items=many(found.result.items, "item"),
        overall="–" if found.result.overall.point is None else f"{found.result.overall.point:.0%}",
    )  # fmt: skip
    if basis != counted:
        text.warn(
            "These are not {counted}. The probability above is valid only for items drawn at random and labelled "
            "blind.",
            counted=BASES[counted][0].lower() + BASES[counted][1:],
        )  # fmt: skip


def chart(found: Found, key: str) -> None:
    """The curve from the items of highest confidence to all, and its figures."""
    steps = found.result.steps
    if not steps:
        return
    picture.plot(
        lambda width: plots.spared(found.result, width=width), key, "accepted",
        "Agreement on what is accepted automatically", (400.0, 600.0, 800.0),
    )  # fmt: skip
    share = st.column_config.NumberColumn(format="%.0f%%")
    st.dataframe(
        {
            "threshold": [s.threshold for s in steps],
            "coverage": [100 * s.share for s in steps],
            "% agreement": [100 * (s.agreement.point or 0.0) for s in steps],
            "lower bound": [100 * (s.agreement.lower_bound or 0.0) for s in steps],
            "test": [_PASSED[s.passed] for s in steps],
        },
        hide_index=True, width="content", height=min(320, 36 + 35 * len(steps)),
        column_config={
            "threshold": st.column_config.NumberColumn(format="%.3f", help="Lowest confidence that is accepted."),
            "coverage": share, "% agreement": share,
            "lower bound": st.column_config.NumberColumn(format="%.1f%%"),
        },
    )  # fmt: skip
    st.caption(selective.READ)


_PASSED = {True: "✓ passes", False: "✕ fails", None: "not tested"}


def standing(rule: Rule, step: Step, sure: Sure) -> None:
    """The rule in force, and its agreement on today's gold."""
    spared = sure.above(rule.threshold)
    found = step.agreement
    text.say(
        ":material/rule: **In force**: scores of a confidence of {threshold} or more are accepted automatically, for "
        "agreement of {target} with a probability of {held}. That covers {spared} of {items}.",
        threshold=f"{rule.threshold:.3g}", target=f"{rule.target:.0%}", held=f"{1 - rule.delta:.0%}",
        spared=f"{spared:,}", items=many(len(sure.item), "item"),
    )  # fmt: skip
    if found.point is None:
        text.quiet("No item above the threshold has gold of the required kind today.")
        return
    today = "On today's gold agreement there is {agree} (lower bound {bound}; {items})."
    said = {
        "agree": f"{found.point:.0%}", "bound": f"{found.lower_bound or 0:.1%}", "items": many(found.items, "item"),
    }  # fmt: skip
    if found.point < rule.target:
        text.warn(today + " That is below the requirement of the rule: set it again, or withdraw it.", **said)
    else:
        text.quiet(today, **said)


def act(
    found: Found, rule: Rule | None, who: Person, counts: bool, key: str, put: Callable[[], None],
    end: Callable[[], None],
) -> None:  # fmt: skip
    """The rule, which a lead sets or takes back."""
    if not who.may("lead"):
        text.quiet("A lead can make this a rule; the review queue then gets the other items only.")
        return
    best = found.result.chosen
    same = best and rule and (rule.wanted, rule.threshold) == (found.wanted, best.threshold)
    with st.container(horizontal=True):
        if st.button(
            "Accept these automatically" if rule is None else "Set the rule again", icon=":material/rule:",
            disabled=best is None or not counts or bool(same), key=f"set:{key}",
            help="A setting, recorded in the audit log: adding items to the review queue then leaves these out.",
        ):  # fmt: skip
            _done(put, "The rule is in force. Add items to the review queue to send the others to people.")
        if rule is not None and st.button("Withdraw the rule", icon=":material/undo:", key=f"end:{key}"):
            _done(end, "The rule is withdrawn.")


def _done(work: Callable[[], None], words: str) -> None:
    try:
        work()
    except AssayError as error:
        text.refuse(error)
        return
    st.toast(text.plain(words), icon=":material/check:")
    st.rerun(scope="fragment")
