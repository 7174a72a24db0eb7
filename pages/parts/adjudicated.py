"""The gold rule in words and how it is changed, what stands where nothing waits, and the decisions that stand."""

from __future__ import annotations

from datetime import tzinfo

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data import adjudication, settings
from data.adjudicating import provenance
from data.adjudicating.docket import Done
from data.datasets import Dataset
from data.ids import new_id
from data.people import Person
from data.settings import GoldRule
from judges.counted import many
from judges.errors import AssayError
from pages.parts import clock, links, session, text

WAITING = {"counted": "The middle value counts until then", "out": "The cell is left out until then"}
RESOLVE = {
    "median": "The middle value (the lower of two)", "mean": "The mean, where answers are numbers with fractions",
    "majority": "The commonest value",
}  # fmt: skip
_HOLDS = {"median": "the middle value holds", "majority": "the commonest value holds"}
_HOLDS["mean"] = "the mean of numbers with fractions holds, else the middle value"


def rule(dataset: Dataset, who: Person, words: DeltaGenerator, beside: DeltaGenerator) -> None:
    """The gold rule of a dataset in one sentence, and for leads the way to change it."""
    with words:
        text.quiet("{rule}", rule=sentence(settings.gold_rule(session.store(), dataset.id)))
    help_ = "How people's labels become gold."
    if who.may("lead") and beside.button("Gold rule", icon=":material/gavel:", help=help_, width="stretch"):
        change(dataset, who.name)


def sentence(now: GoldRule) -> str:
    """A gold rule in plain words."""
    how = _HOLDS[now.resolve]
    if now.apart is None:
        return f"Where people differ, {how}; nothing is sent to adjudication."
    steps = "any difference" if now.apart == 0 else f"more than {many(now.apart, 'step')} apart"
    out = ", and is left out of kappa till then" if now.waiting == "out" else ""
    return f"Where people differ, {how}; {steps} waits for adjudication{out}."


@st.dialog("How labels become gold", width="medium")
def change(dataset: Dataset, who: str) -> None:
    """The gold rule of a dataset: what it is, and what would change, before it is saved."""
    store = session.store()
    now = settings.gold_rule(store, dataset.id)
    st.caption(
        "Several people may answer the same item. Gold is the one value that stands for them all; every figure on a "
        "judge is held against it. Answers without an order (a, tie, b; yes, no) always go by the commonest."
    )
    resolve = st.radio(
        "Where people differ on an ordered scale", list(RESOLVE), list(RESOLVE).index(now.resolve),
        format_func=RESOLVE.get,
        captions=["Of 2, 4 and 5 the gold is 4; of 2 and 4 it is 2.",
                  "Of 2.5 and 4 the gold is 3.25. Where answers are steps or words, the middle one holds.",
                  "Of 2, 5 and 5 the gold is 5. Where no value is commonest, the middle one holds."],
    )  # fmt: skip
    sent = st.toggle("Somebody decides where people lie too far apart", now.apart is not None)
    apart = st.number_input(
        "Steps (points, of numbers with fractions) that two people may lie apart", 0, 100,
        1 if now.apart is None else now.apart, disabled=not sent,
        help="1: 3 against 4 is fine, 3 against 5 waits. 0: every difference waits, also of answers without an order. "
        "Where one says n/a and another does not, it always waits.",
    )  # fmt: skip
    waiting = st.radio(
        "What waits, in kappa and for the approval check", list(WAITING), list(WAITING).index(now.waiting),
        format_func=WAITING.get, disabled=not sent, captions=[
            "All that was asked is counted.", "What is easy remains, so that kappa is higher than on all that was "
            "asked. Corrected means count such cells in any case, with the mean of what people said.",
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
        st.toast("The gold rule of this dataset was changed.", icon=":material/check:")
        st.rerun()


def _what(effect: provenance.Effect, same: bool) -> None:
    """What a rule makes of the labels that there are."""
    wait = f"{many(effect.waiting, 'cell')} {'waits' if effect.waiting == 1 else 'wait'} for adjudication"
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
        st.caption("Figures change with them, on this dataset, for every judge. Approvals keep what they rested on.")


def empty(now: GoldRule, others: int) -> dict[str, str]:
    """What stands on the board when nothing waits for somebody."""
    if others:
        cells = f"{many(others, 'cell')} {'waits' if others == 1 else 'wait'} for somebody else"
        return {"title": "Nothing waits for you", "text": f"{cells}: you labelled them yourself."}
    if now.apart is None:
        told = "The rule of this dataset sends nothing here. A lead can set how far two people may lie apart."
        return {"title": "Nothing is sent to adjudication", "text": told}
    told = "Wherever people differ by more than the rule allows, somebody has decided. New labels may bring more."
    return {"title": "Nothing waits for adjudication", "text": told}


def waits(dataset: Dataset, who: Person) -> None:
    """How many cells of a dataset wait for this person to adjudicate, and the way there; nothing where none do."""
    n = _count(dataset, who)
    if n:
        with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
            with st.container(gap=None):
                text.say("**{n}** in {dataset}", n=many(n, "cell"), dataset=dataset.name)
                st.caption("Adjudication: people's labels lie apart")
            if st.button("Decide", key=f"decide:{dataset.id}", icon=":material/arrow_forward:"):
                links.go("adjudication", dataset=dataset.name)


def way(dataset: Dataset, who: Person) -> None:
    """The same as a button; nothing where no cell waits."""
    n = _count(dataset, who)
    if n and st.button(f"{n:,} to adjudicate", icon=":material/balance:", help="Cells on which people lie apart."):
        links.go("adjudication", dataset=dataset.name)


def _count(dataset: Dataset, who: Person) -> int:
    return len(adjudication.work(session.store(), who.name, dataset.id).mine) if who.may("researcher") else 0


def decided(found: list[Done], who: Person, zone: tzinfo, key: str) -> None:
    """The decisions that stand, newest first; those of one's own, and for leads all, can be taken back."""
    if not found:
        return
    with st.expander(text.plain(f"Decided: {many(len(found), 'cell')}"), icon=":material/done_all:"):
        frame = pd.DataFrame(
            [
                (d.name, d.unit, d.dimension.replace("_", " "), d.value, d.said, d.reason, d.person,
                 "no blind basis" if d.saw_judge else "every basis", clock.at(d.at, zone))
                for d in found
            ],
            columns=["Item", "Unit", "Dimension", "Decided", "People said", "Reason", "By", "Counts on", "When"],
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
                st.caption("Choose a row to take that decision back: then the cell goes by the rule again.")
            elif not may:
                text.quiet("{person} decided this: they or a lead can take it back.", person=chosen.person)
