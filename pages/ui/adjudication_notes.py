"""How labels are combined, in words and to be changed, what is shown where nothing waits, and the decisions."""

from __future__ import annotations

from datetime import tzinfo
from typing import Literal

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.adjudication import adjudication, provenance
from data.adjudication.docket import Done
from data.records import settings
from data.records.datasets import Dataset
from data.records.people import Person
from data.records.settings import GoldRule, Waiting
from data.store.ids import new_id
from judges.errors import AssayError
from judges.plural import many
from pages.ui import session, text, url_state

WAITING: dict[Waiting, str] = {"counted": "The median counts until then", "out": "The rating is left out until then"}
RESOLVE: dict[Literal["median", "mean", "majority"], str] = {
    "median": "Median (the lower of the two middle labels)", "mean": "Mean, where the scale is continuous",
    "majority": "Majority (the most frequent label)",
}  # fmt: skip
_HOLDS = {"median": "the median is used", "majority": "the most frequent label is used"}
_HOLDS["mean"] = "the mean is used on continuous scales, else the median"
RULE = "How labels are combined"
HELP = "How several people's labels of one rating become its reference label (gold)."


def rule(dataset: Dataset, who: Person, words: DeltaGenerator, beside: DeltaGenerator) -> None:
    """How labels of a dataset are combined in one sentence, and for leads the way to change it."""
    with words:
        text.quiet("{rule}", rule=sentence(settings.gold_rule(session.store(), dataset.id)))
    if who.may("lead") and beside.button(RULE, icon=":material/gavel:", help=HELP, width="stretch"):
        change(dataset, who.name)


def sentence(now: GoldRule) -> str:
    """How labels are combined, in plain words."""
    how = _HOLDS[now.resolve]
    if now.apart is None:
        return f"Where people disagree, {how}; nothing is sent to adjudication."
    steps = "any disagreement" if now.apart == 0 else f"a disagreement of more than {many(now.apart, 'point')}"
    out = ", and is left out of kappa until then" if now.waiting == "out" else ""
    return f"Where people disagree, {how}; {steps} waits for adjudication{out}."


@st.dialog(RULE, width="medium")
def change(dataset: Dataset, who: str) -> None:
    """How labels of a dataset are combined: the rule, and what another would change, before it is saved."""
    store = session.store()
    now = settings.gold_rule(store, dataset.id)
    st.caption(
        "Several people may label the same item. Their labels of a rating are combined into a reference label (gold), "
        "which every figure compares the judge with. Unordered answers (a, tie, b; yes, no) always go by majority."
    )
    resolve = st.radio(
        "Where people disagree on an ordered scale", list(RESOLVE), list(RESOLVE).index(now.resolve),
        format_func=RESOLVE.__getitem__,
        captions=["2, 4 and 5 give 4; 2 and 4 give 2.",
                  "2.5 and 4 give 3.25. Where answers are points or words, the median is used.",
                  "2, 5 and 5 give 5. Without a most frequent label, the median is used."],
    )  # fmt: skip
    sent = st.toggle("Large disagreements go to adjudication", now.apart is not None)
    apart = st.number_input(
        "Scale points by which two people may disagree", 0, 100,
        1 if now.apart is None else now.apart, disabled=not sent,
        help="1: 3 and 4 are combined, 3 and 5 wait. 0: every disagreement waits, also of unordered answers. Where one "
        "says n/a and another does not, it always waits.",
    )  # fmt: skip
    waiting = st.radio(
        "Ratings that wait, in kappa and for the approval check", list(WAITING), list(WAITING).index(now.waiting),
        format_func=WAITING.__getitem__, disabled=not sent, captions=[
            "All ratings are counted.", "The easier ratings remain, so that kappa is higher than on all of them. "
            "Corrected means count those that wait in any case, with the mean of people's labels.",
        ],
    )  # fmt: skip
    new = GoldRule(resolve or "median", int(apart), waiting or "counted") if sent else GoldRule(resolve or "median")
    _what(provenance.effect(store, dataset.id, new), new == now)
    if st.button("Save", type="primary", disabled=new == now):
        try:
            settings.set_gold_rule(store, who, dataset.id, new)
        except AssayError as error:
            text.refuse(error)
            return
        st.toast("How labels of this dataset are combined was changed.", icon=":material/check:")
        st.rerun()


def _what(effect: provenance.Effect, same: bool) -> None:
    """What a rule makes of the labels that there are."""
    wait = f"{many(effect.waiting, 'rating')} {'waits' if effect.waiting == 1 else 'wait'} for adjudication"
    if same:
        text.say("Now **{wait}**.", wait=wait)
        return
    values = "no gold value changes"
    if effect.changed:
        values = f"{many(effect.changed, 'gold value')} {'changes' if effect.changed == 1 else 'change'}"
    text.say(
        "With this rule **{wait}** (now {now}), and **{values}**.", wait=wait, now=f"{effect.now:,}", values=values
    )
    if effect.changed or effect.waiting:
        st.caption("Figures on this dataset change, for every judge. Approvals keep the evidence of their day.")


def empty(now: GoldRule, others: int) -> dict[str, str]:
    """What the page shows when nothing waits for somebody."""
    if others:
        wait = f"{many(others, 'rating')} {'waits' if others == 1 else 'wait'} for somebody else"
        own = f"{wait}: you labelled {'it' if others == 1 else 'them'} yourself."
        return {"title": "Nothing to adjudicate for you", "text": own}
    if now.apart is None:
        said = "In this dataset no disagreement is sent here. A lead can set by how much two people may disagree."
        return {"title": "Nothing is sent to adjudication", "text": said}
    said = "Every disagreement larger than the rule allows has been decided. New labels may bring more."
    return {"title": "Nothing to adjudicate", "text": said}


def waits(dataset: Dataset, who: Person) -> None:
    """How many ratings of a dataset this person may adjudicate, and the way there; nothing where none wait."""
    n = _count(dataset, who)
    if n:
        with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
            with st.container(gap=None):
                text.say("**{n}** in {dataset}", n=many(n, "rating"), dataset=dataset.name)
                st.caption("Adjudication: people disagree")
            if st.button("Decide", key=f"decide:{dataset.id}", icon=":material/arrow_forward:"):
                url_state.open_page("adjudication", dataset=dataset.name)


def way(dataset: Dataset, who: Person) -> None:
    """The same as a button; nothing where no rating waits."""
    n = _count(dataset, who)
    help_ = "Ratings on which people disagree by more than the rule allows."
    if n and st.button(f"{n:,} to adjudicate", icon=":material/balance:", help=help_):
        url_state.open_page("adjudication", dataset=dataset.name)


def _count(dataset: Dataset, who: Person) -> int:
    return len(adjudication.work(session.store(), who.name, dataset.id).mine) if who.may("researcher") else 0


def decided(found: list[Done], who: Person, zone: tzinfo, key: str) -> None:
    """The decisions that stand, newest first; those of one's own, and for leads all, can be taken back."""
    if not found:
        return
    with st.expander(text.plain(f"Decided: {many(len(found), 'rating')}"), icon=":material/done_all:"):
        frame = pd.DataFrame(
            [
                (d.name, d.unit, d.dimension.replace("_", " "), d.value, d.said, d.reason, d.person,
                 "not blind labels" if d.saw_judge else "all labels", text.moment(d.at, zone))
                for d in found
            ],
            columns=["Item", "Unit", "Dimension", "Decided", "People said", "Reason", "By", "Counts for", "When"],
        )  # fmt: skip
        widths = {"Reason": 300, "Decided": 70}
        event = st.dataframe(
            frame, hide_index=True, height="content" if len(found) < 9 else 340, key=f"{key}:decided",
            on_select="rerun", selection_mode="single-row",
            column_config={name: st.column_config.TextColumn(width=width) for name, width in widths.items()},
        )  # fmt: skip
        chosen = found[event.selection.rows[0]] if event.selection.rows else None
        with st.container(horizontal=True, vertical_alignment="center"):
            may = chosen is not None and (chosen.person == who.name or who.may("lead"))
            if st.button("Take back", icon=":material/undo:", disabled=not may) and chosen is not None:
                try:
                    adjudication.withdraw(session.store(), who.name, new_id(), chosen.id)
                except AssayError as error:
                    text.refuse(error)
                    return
                st.rerun(scope="fragment")
            if chosen is None:
                st.caption("Choose a row to take that decision back: then its labels are combined by the rule again.")
            elif not may:
                text.quiet("{person} decided this: they or a lead can take it back.", person=chosen.person)
