"""The gold of a dataset: how its labels are combined, and which drawn items have no label."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.adjudication import adjudication
from data.calibration import nonresponse
from data.gold.gold import Basis
from data.records import settings
from data.records.access import Person
from data.records.datasets import Dataset
from data.records.settings import GoldRule, Waiting
from judges.plural import many
from judges.render.findings.findings import Column
from judges.types import Dimension
from pages.ui import session, tables, text

WAITING: dict[Waiting, str] = {"counted": "The median counts until then", "out": "The rating is left out until then"}
RESOLVE: dict[Literal["median", "mean", "majority"], str] = {
    "median": "Median (the lower of the two middle labels)", "mean": "Mean, where the scale is continuous",
    "majority": "Majority (the most frequent label)",
}  # fmt: skip
_HOLDS = {
    "median": "the median is used, and the majority for unordered answers",
    "mean": "the mean is used on continuous scales, the median on others, and the majority for unordered answers",
    "majority": "the most frequent label is used",
}
RULE = "How labels are combined"
HELP = "How several people's labels of one rating become its reference label (gold)."


def draw_rule(dataset: Dataset, me: Person, words: DeltaGenerator, button_column: DeltaGenerator) -> None:
    """Draw in one sentence how labels of a dataset are combined, and for leads the button to change it."""
    with words:
        text.quiet("{rule}", rule=rule_sentence(settings.gold_rule(session.store(), dataset.id)))
    if me.may("lead") and button_column.button(RULE, icon=":material/gavel:", help=HELP, width="stretch"):
        change_rule(dataset, me.name)


def rule_sentence(now: GoldRule) -> str:
    """Return in plain words how labels are combined."""
    resolution = _HOLDS[now.resolve]
    if now.apart is None:
        return f"Where people disagree, {resolution}; nothing is sent to adjudication."
    steps = "any disagreement" if now.apart == 0 else f"a disagreement of more than {many(now.apart, 'point')}"
    out = ", and is left out of kappa until then" if now.waiting == "out" else ""
    return f"Where people disagree, {resolution}; {steps} waits for adjudication{out}."


@text.dialog(RULE, width="medium")
def change_rule(dataset: Dataset, actor: str) -> None:
    """Let a lead choose how labels of a dataset are combined, and show what the change does before it is saved."""
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
    has_limit = st.toggle("Large disagreements go to adjudication", now.apart is not None)
    max_difference = st.number_input(
        "Scale points by which two people may disagree", 0, 100,
        1 if now.apart is None else now.apart, disabled=not has_limit,
        help="1: 3 and 4 are combined, 3 and 5 wait. 0: every disagreement waits, also of unordered answers. Where one "
        "says n/a and another does not, it always waits.",
    )  # fmt: skip
    waiting = st.radio(
        "Ratings that wait, in kappa and for the approval check", list(WAITING), list(WAITING).index(now.waiting),
        format_func=WAITING.__getitem__, disabled=not has_limit, captions=[
            "All ratings are counted.", "The easier ratings remain, so that kappa is higher than on all of them. "
            "Corrected means count those that wait in any case, with the mean of people's labels.",
        ],
    )  # fmt: skip
    new = (
        GoldRule(resolve or "median", int(max_difference), waiting or "counted")
        if has_limit
        else GoldRule(resolve or "median")
    )
    _describe_effect(adjudication.rule_effect(store, dataset.id, new), new == now)
    if st.button("Save", type="primary", disabled=new == now, key=f"gold:{now}"):  # a press counts for what stood there
        with text.refusals():
            settings.set_gold_rule(store, actor, dataset.id, new)
            text.finish("How labels of this dataset are combined was changed.")


def _describe_effect(effect: adjudication.RuleEffect, same: bool) -> None:
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


def draw_unanswered(
    dataset: str, name: str, judge: str, dimension: Dimension, basis: Basis, reason: str, key: str
) -> None:
    """Draw how many drawn items have no label that counts in a dimension, and list them; nothing if all have one.

    A sentence that is in `reason`, which is shown above, is not repeated.
    """
    store, me = session.store(), session.me()
    response = nonresponse.sample_responses(store, dataset, judge, [dimension], basis)[dimension.sort, dimension.name]
    sentence = response.describe_unanswered()
    if not sentence:
        return
    left = nonresponse.missing_answers(store, me.name, dataset, judge, dimension, basis)
    why = nonresponse.summarise_missing(left)
    prefix = "" if sentence in reason else f"{sentence} "
    text.quiet("{told}{why}", told=prefix, why=f"Not answered: {why}." if why else "")
    if not left:
        return
    with st.expander("Drawn items without an answer", icon=":material/pending:", key=f"unanswered:{key}"):
        st.caption("Not answered until somebody has labelled it blind. Click one to open it on the desk.")
        shown = left[: nonresponse.MAX_LISTED_ITEMS]
        rows = [(m.name, "" if m.stratum is None else m.stratum or "no system", m.why, m.explanation) for m in shown]
        tables.item_table(
            rows, _COLUMNS, [missing.item for missing in shown], f"unanswered:{key}:rows", name, stream="audit"
        )
        if len(left) > len(shown):
            text.quiet("The first {n} of {all} are listed.", n=f"{len(shown):,}", all=f"{len(left):,}")


_STRATUM_HELP = "Empty while the item may still come to you blind, as it may give away a score."
_COLUMNS = {
    "Item": Column(width=150), "Stratum": Column("", _STRATUM_HELP, width=150), "Why": Column(width=190),
    "": Column(width=330),
}  # fmt: skip
