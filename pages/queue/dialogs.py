"""The dialogs that fill the queues: draw an audit sample, fill the review queue, and how items are given out."""

from __future__ import annotations

import random

import streamlit as st

from data.approvals import auto_accept
from data.approvals.quota import quota
from data.queue import queue
from data.records import datasets, settings
from data.records.datasets import Dataset
from data.records.settings import QueueRules
from judges.plural import many
from judges.render.findings.findings import COUNT, Column
from judges.stats.sampling import StratumShare
from judges.triage import ReasonKind
from pages.queue import sample_form
from pages.ui import choose, session, tables, text

SAMPLE_SIZE_HELP = (
    "The default is what the policy requires: its number of blind items, some more because some are never answered, "
    "and the assisted share in addition."
)

HIDE_SYSTEMS_HELP = (
    "People who know a system's name may rate their opinion of it. Names appear with the judge's scores, once the "
    "person has answered and asks for them. Names in a judged text cannot be hidden, nor item names that describe a "
    "system in other words. Leads set it."
)


@text.dialog("Draw an audit sample", width="large")
def draw_audit_dialog(dataset: Dataset, actor: str) -> None:
    """A stratified random sample: how many, how drawn, which judge's scores some show, and the forecast of kappa."""
    store = session.store()
    share, judges = settings.queue_rules(store, dataset.id).assisted_share, _judges(dataset)
    text.quiet(
        "Items are drawn at random within strata. {blind} of them are answered **blind**, without the judge in view: "
        "only these count for the approval check. The other {assisted} are shown with a judge's scores, to measure how "
        "far seeing them sways people.",
        blind=f"{1 - share:.0%}",
        assisted=f"{share:.0%}",
    )
    left, middle, right = st.columns([1, 2, 1])
    begin = quota(store, dataset.id, bool(judges)).size
    size = left.number_input("Items", 1, 1_000_000, begin, step=10, key="audit:size", help=SAMPLE_SIZE_HELP)
    judge = middle.selectbox(
        "Judge shown to the assisted share",
        [*judges, ""],
        format_func=lambda j: judges.get(j, "none: all blind"),
        key="audit:judge",
    )
    default = session.scratch("filling").setdefault("seed", random.SystemRandom().randrange(1_000_000))
    same = "The same seed draws the same items."
    seed = right.number_input("Seed", 0, 2**31 - 1, default, key="audit:seed", help=same)
    shares: list[StratumShare] = []
    with text.refusals():
        design = sample_form.choose_design(dataset, judges)
        shares = queue.plan_audit(store, dataset.id, int(size), judge, design)
    if not shares:
        return
    sample_form.show_shares(shares, int(size), quota(store, dataset.id, bool(judge)))
    if known := queue.count_known_to_all(store, dataset.id):
        text.warn(
            "Nobody who works here can answer {n} blind that are not drawn yet: everybody has answered them, or was "
            "shown what a judge or other people said. The draw treats them like any others, because without them the "
            "sample would not be a random sample of this dataset. If drawn, they wait for somebody new.",
            n=many(known, "item"),
        )
    sample_form.show_forecast(dataset, shares, judges, design)
    if st.button("Draw sample", type="primary", disabled=not any(s.now for s in shares)):
        with text.refusals():
            n = queue.draw_audit(store, actor, dataset.id, int(size), judge, int(seed), design)
            session.scratch("filling").pop("seed", None)
            text.finish(f"{many(n, 'item')} drawn into the audit sample.")


@text.dialog("Add items to the review queue", width="large")
def fill_review_dialog(dataset: Dataset, actor: str) -> None:
    """The items that need a look most at what one judge said, and why."""
    store, judges = session.store(), _judges(dataset)
    st.caption(
        "Adds the items where a judge's ratings are most in doubt, counted per rating, so that long items do not lead. "
        "People answer them while seeing the judge's scores, and they are not a random sample: the approval check "
        "never counts them."
    )
    if not judges:
        st.info("No judge has scored this dataset yet.", icon=":material/gavel:")
        return
    left, right = st.columns([2, 1])
    judge = left.selectbox("Judge", list(judges), format_func=judges.__getitem__, key="review:judge")
    most = right.number_input("At most (items)", 1, 1_000_000, 200, step=50, key="review:most")
    kind = _kind(dataset, judge)
    new, kinds, reserved = queue.plan_review(store, dataset.id, judge, int(most), kind)
    if new:
        text.say("This adds **{n}**.", n=many(new, "item"))
    else:
        rest = "Every other item" if reserved else "Every item"
        text.say("{rest} that is in doubt with this judge is in the queue already.", rest=rest)
    if reserved:
        text.quiet("{said}", said=describe_reserved(reserved))
    if kinds:
        tables.table(list(kinds.items()), {"Reason": Column(), "Items": COUNT})
    if st.button("Add", type="primary", disabled=not new):
        with text.refusals():
            n = queue.fill_review(store, actor, dataset.id, judge, int(most), kind)
            text.finish(f"{many(n, 'item')} added to the review queue.")


def _kind(dataset: Dataset, judge: str) -> ReasonKind | None:
    """Whether only items that no rule accepts unseen come in; asked only where there is such a rule."""
    rules = auto_accept.rules_in_force(session.store(), dataset.id, judge)
    if not rules:
        return None
    named = ", ".join(f"{rule.dimension.replace('_', ' ')} from {rule.threshold:.3g}" for rule in rules)
    text.quiet(
        "Ratings are accepted unseen where the judge's confidence is high enough ({named}); people check the others.",
        named=named,
    )
    ways: dict[ReasonKind | None, str] = {
        None: "all that are in doubt", "not spared": "only those that are not accepted unseen",
    }  # fmt: skip
    return st.radio(
        "Items", list(ways), format_func=lambda kind: ways[kind], horizontal=True, key="review:kind", index=1
    )


def describe_reserved(reserved: int) -> str:
    """Return a sentence on the items that the audit sample has reserved."""
    verb, they, them = ("is", "it is", "it") if reserved == 1 else ("are", "they are", "them")
    return (
        f"{many(reserved, 'further item')} in doubt {verb} not added while {they} open in the audit sample: people "
        f"who see the judge's scores here could not answer {them} blind there."
    )


@text.dialog("How items are given out")
def queue_rules_dialog(dataset: Dataset, actor: str, lead: bool) -> None:
    """The queue rules of a dataset."""
    store = session.store()
    now = settings.queue_rules(store, dataset.id)
    overlap = st.number_input(
        "People per item", 1, 20, now.overlap, help="From two on, agreement among people can be measured."
    )
    share = st.slider(
        "Assisted share of the audit sample", 0, 95, min(round(now.assisted_share * 100), 95), step=5, format="%d %%",
        help="Of samples drawn from now on. These items are shown with the judge's scores, and the approval check does "
        "not count them.",
    )  # fmt: skip
    minutes = st.number_input(
        "Minutes that an item stays reserved", 1, 1440, now.claim_minutes, help="Then others may label it."
    )
    hides = settings.hides_systems(store, dataset.id)
    hide = st.toggle("Blind items hide the names of systems", hides, disabled=not lead, help=HIDE_SYSTEMS_HELP)
    new = QueueRules(int(overlap), share / 100, int(minutes))
    key = f"rules:{now}:{hides}"  # a press counts for the rules that stood there
    if st.button("Save", type="primary", disabled=(new, hide) == (now, hides), key=key):
        with text.refusals():
            settings.set_queue_rules(store, actor, dataset.id, new)
            if lead:
                settings.hide_systems(store, actor, dataset.id, hide)
            text.finish("The queue rules of this dataset were changed.")


def _judges(dataset: Dataset) -> dict[str, str]:
    """The names of a dataset's judges by id, each with the number of its items."""
    known = datasets.dataset_judges(session.store(), dataset.id)
    names = choose.judge_names(session.store(), known)
    return {judge.id: f"{names[judge.id]} · {judge.items:,}" for judge in known}
