"""Which verdicts need no person: what is asked, what it comes to, the curve, and the rule in force."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data.figures.selective import Sure
from data.gold import BASES, Basis
from data.people import Person
from data.report import plots
from data.sparing import Found, Rule, Wanted
from judges import selective
from judges.counted import many
from judges.errors import AssayError
from judges.selective import Step
from pages.parts import picture, text


def nothing() -> None:
    """The judge has no confidence."""
    text.quiet(
        "The judge has no confidence here, so none of its verdicts can be told from another, and every item needs "
        "a person. Ask it for log-probabilities, for several samples, or use a card whose reply holds a confidence."
    )


def asked(source: str, rule: Rule | None, ordered: bool, key: str) -> Wanted:
    """The agreement to reach, how surely, and whether one step apart is agreement; the rule's, where there is one."""
    before = rule.wanted if rule else Wanted(source)
    with st.container(width=150):
        target = st.number_input("Agreement asked (%)", 50, 99, round(100 * before.target), key=f"target:{key}")
    with st.container(width=150):
        held = st.number_input(
            "Held with (%)", 50, 99, round(100 * (1 - before.delta)), key=f"held:{key}",
            help="The probability that agreement on what is kept unseen is as high as asked, or higher.",
        )  # fmt: skip
    near = ordered and st.toggle("One step apart agrees", before.near, key=f"near:{key}")
    return Wanted(source, target / 100, round(1 - held / 100, 4), near)


def told(found: Found, counted: Basis, basis: Basis) -> None:
    """What it comes to in sentences: of the labelled items, and of all that the judge scored."""
    head, _, rest = selective.told(found.result, found.wanted.near).partition(": ")
    text.say("**{head}**{rest}", head=head, rest=f": {rest}" if rest else "")
    if found.result.chosen is not None:
        text.say(
            "Of {items} that the judge has scored here, **{spared}** need no person and {left} go to people.",
            items=many(len(found.sure.item), "item"), spared=f"{found.spared:,}",
            left=f"{len(found.sure.item) - found.spared:,}",
        )  # fmt: skip
    text.quiet(
        "On {cells} of {items} with gold; over all of them the judge agrees in {overall}.",
        cells=many(found.result.cells, "cell"), items=many(found.result.items, "item"),
        overall="–" if found.result.overall.point is None else f"{found.result.overall.point:.0%}",
    )  # fmt: skip
    if basis != counted:
        text.warn(
            "This rests on other labels than {counted}. The probability above is only right for items drawn at random "
            "and labelled blind.",
            counted=BASES[counted][0].lower() + BASES[counted][1:],
        )  # fmt: skip


def chart(found: Found, key: str) -> None:
    """The curve from the surest items to all, beside its figures."""
    steps = found.result.steps
    if not steps:
        return
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        picture.plot(
            lambda width: plots.spared(found.result, width=width), key, "kept-unseen",
            "Agreement on what is kept unseen", (400.0, 480.0, 600.0, 700.0),
        )  # fmt: skip
    with right:
        share = st.column_config.NumberColumn(format="%.0f%%")
        st.dataframe(
            {
                "sure from": [s.threshold for s in steps],
                "items": [100 * s.share for s in steps],
                "agree": [100 * (s.agreement.point or 0.0) for s in steps],
                "lower bound": [100 * (s.agreement.lower_bound or 0.0) for s in steps],
                "test": [_PASSED[s.passed] for s in steps],
            },
            hide_index=True, height=min(320, 36 + 35 * len(steps)),
            column_config={
                "sure from": st.column_config.NumberColumn(format="%.3f"),
                "items": share, "agree": share,
                "lower bound": st.column_config.NumberColumn(format="%.1f%%"),
            },
        )  # fmt: skip
    st.caption(selective.READ)


_PASSED = {True: "✓ passes", False: "✕ ends here", None: "not tried"}


def standing(rule: Rule, step: Step, sure: Sure) -> None:
    """The rule in force, and how it stands on today's gold."""
    spared = sure.above(rule.threshold)
    found = step.agreement
    text.say(
        ":material/rule: **In force**: verdicts are kept unseen from a confidence of {threshold} on, for agreement of "
        "{target} with a probability of {held}. That spares {spared} of {items}.",
        threshold=f"{rule.threshold:.3g}", target=f"{rule.target:.0%}", held=f"{1 - rule.delta:.0%}",
        spared=f"{spared:,}", items=many(len(sure.item), "item"),
    )  # fmt: skip
    if found.point is None:
        text.quiet("No item above it has gold that counts today.")
        return
    today = "On today's gold the judge agrees with people there in {agree} of cells (lower bound {bound}; {items})."
    said = {
        "agree": f"{found.point:.0%}", "bound": f"{found.lower_bound or 0:.1%}", "items": many(found.items, "item"),
    }  # fmt: skip
    if found.point < rule.target:
        text.warn(today + " That is less than the rule asks: set it anew, or take it back.", **said)
    else:
        text.quiet(today, **said)


def act(
    found: Found, rule: Rule | None, who: Person, counts: bool, key: str, put: Callable[[], None],
    end: Callable[[], None],
) -> None:  # fmt: skip
    """The rule, which a lead sets or takes back."""
    if not who.may("lead"):
        text.quiet("A lead can make this a rule; then the review queue takes in the rest.")
        return
    held = rule is not None and found.result.chosen is not None and rule.wanted == found.wanted
    same = held and rule is not None and rule.threshold == found.result.chosen.threshold  # type: ignore[union-attr]
    with st.container(horizontal=True):
        if st.button(
            "Send the rest to people" if rule is None else "Set the rule anew", icon=":material/rule:",
            disabled=found.result.chosen is None or not counts or same, key=f"set:{key}",
            help="Keeps these verdicts unseen, as a setting on the trail; filling the review queue takes in the rest.",
        ):  # fmt: skip
            _done(put, "The rule holds. Fill the review queue to send the rest to people.")
        if rule is not None and st.button("Take the rule back", icon=":material/undo:", key=f"end:{key}"):
            _done(end, "The rule is taken back.")


def _done(work: Callable[[], None], words: str) -> None:
    try:
        work()
    except AssayError as error:
        text.refuse(error)
        return
    st.toast(text.plain(words), icon=":material/check:")
    st.rerun(scope="fragment")
