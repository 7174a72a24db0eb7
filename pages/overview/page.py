"""The overview: what there is to label, the progress of each dataset, recent activity, and your own days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import streamlit as st

from data.adjudication.adjudication import adjudication_work
from data.approvals import approvals
from data.approvals.approvals import OpenDecisions
from data.assignments import assignments
from data.assignments.assignments import OwnWork, own_work
from data.queue import progress, queue
from data.queue.progress import DatasetProgress, PersonalProgress, QueueProgress
from data.queue.queue import Stream
from data.records import datasets, people
from data.records.access import Person
from data.records.datasets import Dataset, DatasetJudge
from data.records.names import display_name
from data.trail import activity
from data.trail.activity import Activity
from data.workspace import bootstrap
from judges.plural import many
from judges.stats.check_states import STATES
from pages.ui import session, text, url_state
from pages.ui.choose import STREAMS, judge_names

MAX_SHOWN_QUEUES = 6
"""Queues that are shown at once; more are folded away."""


class WaitingQueue(NamedTuple):
    """A queue with `left` items for a person, who takes `seconds` for one, and what of it is assigned to them."""

    dataset: Dataset
    stream: Stream
    left: int
    seconds: float | None
    work: OwnWork


def page() -> None:
    """Draw what there is to label for this person, or the first steps in an empty workspace."""
    me, store, zone = session.me(), session.store(), text.time_zone()
    known = datasets.all_datasets(store)
    st.title("Overview", anchor=False)
    if not known:
        _first_steps(me)
        return
    own, done = progress.personal_progress(store, me.name, zone=zone), progress.dataset_progress(store)
    desks = {
        (d.id, s): progress.desk_progress(store, me.name, d.id, s, queue.QueueFilters(), zone)
        for d in known for s in STREAMS
    }  # fmt: skip
    left, right = st.columns([2, 1], gap="large")
    with left:
        st.header("To label", anchor=False)
        rows = [
            WaitingQueue(d, s, n, desks[d.id, s].own.seconds or own.seconds, own_work(store, me.name, d.id, s))
            for d in known for s in STREAMS if (n := desks[d.id, s].waiting)
        ]  # fmt: skip
        _draw_queues(sort_queues(rows))
        for dataset in known:
            for note in assignments.own_notes(store, me.name, dataset.id):
                text.quiet("{dataset}: “{note}”", dataset=dataset.name, note=note)
            _draw_adjudication(dataset, me)
        st.header("Datasets", anchor=False)
        for dataset in known:
            queues = {s: desks[dataset.id, s].queue for s in STREAMS}
            no_progress = progress.DatasetProgress(0, 0, 0, 0)
            scored = datasets.dataset_judges(store, dataset.id)
            _draw_dataset_progress(dataset, done.get(dataset.id, no_progress), queues, scored)
    with right:
        decide = st.container()
        st.header("You", anchor=False)
        _draw_own_progress(own, list(progress.saves_per_day(store, me.name, zone).values()))
        st.header("Recent activity", anchor=False)
        _draw_recent_activity(activity.recent_activity(store))
    if me.may("lead"):
        with decide, st.spinner("Looking at the approvals ..."):  # last, as it may take a while
            judges = {judge.id: judge.model for d in known for judge in datasets.dataset_judges(store, d.id)}
            _draw_approvals(approvals.find_open_decisions(store), {d.id: d.name for d in known}, judges)


def sort_queues(rows: list[WaitingQueue]) -> list[WaitingQueue]:
    """The queues in which work is assigned to the person first, what is due sooner before the rest."""
    return sorted(rows, key=lambda row: (not row.work.left, row.work.due or datetime.max))


def _draw_queues(rows: list[WaitingQueue]) -> None:
    """The queues with something for this person; the first is where the one accent points."""
    if not rows:
        st.markdown("There is nothing for you to label now. A researcher can add items on the page Queues.")
    for number, row in enumerate(rows[:MAX_SHOWN_QUEUES]):
        _draw_waiting_queue(row, first=not number)
    if rows[MAX_SHOWN_QUEUES:]:
        with st.expander(text.escape(many(len(rows) - MAX_SHOWN_QUEUES, "more queue"))):
            for row in rows[MAX_SHOWN_QUEUES:]:
                _draw_waiting_queue(row, first=False)


def _first_steps(me: Person) -> None:
    """An empty workspace: what to do first, and who can."""
    st.markdown("This workspace is empty. Three steps lead to the first figure on how well a judge agrees with people.")
    with st.container(border=True):
        st.markdown("**1 · Import** dialogues, long-form pairs or single responses, with the scores of judges.")
        url_state.link("import", "Import a file")
        st.markdown("**2 · Draw an audit sample**: items at random, to be answered without seeing the judge.")
        url_state.link("queue")
        st.markdown("**3 · Label** on the review desk, by key. Every answer counts as a label as soon as it is saved.")
        url_state.link("desk")
    if not me.may("researcher"):
        others = [p.name for p in people.all_people(session.store()) if p.may("researcher")]
        names = ", ".join(others[:5]) or "a researcher"
        text.say("You are an annotator: the first two steps are for a researcher. Ask {names}.", names=names)
        return
    with st.container(border=True):
        st.markdown("**Or look around first.** The sample is generated, and marked as synthetic wherever it shows.")
        if st.button("Load the synthetic sample", icon=":material/science:"):
            with text.refusals(), st.spinner("Importing the sample and filling its queues ..."):
                bootstrap.install_samples(session.store(), me.name)
                st.rerun()


_ACTIVITY_TEMPLATES = {
    "answered": "**{actor}** answered {n} in {dataset} · {at}",
    "drew": "**{actor}** drew {n} into the audit sample of {dataset} · {at}",
    "filled": "**{actor}** added {n} to the review queue of {dataset} · {at}",
    "items": "**{actor}** imported {n} into {dataset} · {at}",
    "judgments": "**{actor}** imported {n} into {dataset} · {at}",
    "labels": "**{actor}** imported {n} into {dataset} · {at}",
    "joined": "**{actor}** joined as {role} · {at}",
    "added": "**{actor}** added {name} as {role} · {at}",
    "role": "**{actor}** changed the role of {name} to {role} · {at}",
    "deactivated": "**{actor}** deactivated {name} · {at}",
    "reactivated": "**{actor}** reactivated {name} as {role} · {at}",
    "rules": "**{actor}** changed the queue rules of {dataset} · {at}",
}


def _draw_waiting_queue(row: WaitingQueue, first: bool) -> None:
    dataset, stream, left, seconds, work = row
    assigned = text.work_left(*work)
    about = f", about {text.duration(timedelta(seconds=left * seconds))} at your pace" if seconds else ""
    key = f"label:{dataset.id}:{stream}"
    if _waits(
        dataset, many(left, "item"), f"{STREAMS[stream]}{about}{assigned and f' · {assigned}'}", "Label", key, first
    ):
        url_state.open_page("desk", dataset=dataset.name, stream=stream)


def _waits(dataset: Dataset, n: str, details: str, act: str, key: str, first: bool = False) -> bool:
    """Draw a line on work that waits for this person in a dataset, and return whether its button was pressed."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(gap=None):
            text.say("**{n}** in {dataset}", n=n, dataset=dataset.name)
            text.quiet("{told}", told=details)
        kind: Literal["primary", "secondary"] = "primary" if first else "secondary"
        return st.button(text.escape(act), key=key, type=kind, icon=":material/arrow_forward:")


def _draw_dataset_progress(
    dataset: Dataset, done: DatasetProgress, queues: Mapping[Stream, QueueProgress], judges: Sequence[DatasetJudge]
) -> None:
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            text.say("**{name}**", name=dataset.name)
            text.synthetic(dataset)
            people = many(done.people, "person", "people")
            text.quiet("{labels} by {people}", labels=many(done.labels, "label"), people=people)
            st.space("stretch")
            url_state.link("calibration", dataset=dataset.name)
        bars = [("labelled", done.labelled, done.items)]
        bars += [(STREAMS[s].lower(), q.answered, q.drawn) for s, q in queues.items()]
        for column, (name, part, total) in zip(st.columns(3, gap="medium"), bars, strict=True):
            column.progress(part / total if total else 0.0, text=text.escape(f"{name} {part:,} of {total:,}"))
        models, names = [judge.model for judge in judges], judge_names(session.store(), judges)
        namesakes = {judge.id: names[judge.id] for judge in judges if models.count(judge.model) > 1}
        shown = [(text.isolate(namesakes.get(judge.id, judge.model)), judge.items) for judge in judges[:4]]
        named = ", ".join(f"{name} ({items:,})" for name, items in shown)
        more = f" and {len(judges) - 4} more" if judges[4:] else ""
        text.quiet("Judged by {named}{more}", named=named or "nobody yet", more=more)


def _draw_own_progress(progress: PersonalProgress, days: list[int]) -> None:
    bars = days if any(days) else None
    label = "Items today (bars: last 14 days)" if bars else "Items today"
    st.metric(label, f"{progress.today:,d}", chart_data=bars, chart_type="bar")
    with st.container(horizontal=True, gap="large"):
        st.metric("In all", f"{progress.total:,d}", width="content")
        st.metric(
            "Seconds per item", f"{progress.seconds:.0f}" if progress.seconds else "–", help="Median of the last 50.",
            width="content",
        )  # fmt: skip


def _draw_recent_activity(activities: list[Activity]) -> None:
    if not activities:
        st.caption("Nothing yet.")
    for move in activities:
        values = {"dataset": move.dataset, "name": move.name, "role": move.role, "at": text.moment(move.at)}
        noun = {"judgments": "judgment", "labels": "label"}.get(move.sort, "item")
        text.quiet(_ACTIVITY_TEMPLATES[move.sort], actor=display_name(move.actor), n=many(move.n, noun), **values)


def _draw_approvals(pending: OpenDecisions, names: Mapping[str, str], judges: Mapping[str, str]) -> None:
    """The quiet block on a lead's home; nothing where nothing waits. `names` are datasets, `judges` models, by id."""
    if not pending:
        return
    with st.container(border=True, gap="small"):
        st.markdown("**Approvals**")
        for approval in pending.suspended[:3]:
            name, dataset = approval.dimension.replace("_", " "), names.get(approval.dataset, "")
            with st.container(gap=None):
                text.say(
                    ":red[:material/pause_circle:] **{name}** · {sort} in {dataset} was suspended by new evidence. "
                    "{why}",
                    name=name, sort=approval.sort, dataset=dataset,
                    why=STATES.get(approval.state, STATES["undefined"]).suspended.format(  # type: ignore[call-overload]
                        judge=judges.get(approval.judge, "the judge")
                    ),
                )  # fmt: skip
                icon, case = ":material/arrow_forward:", approval.address
                url_state.link("approvals", "Review and decide", icon, dataset=dataset, case=case)
        parts = (len(pending.suspended) - 3, "more suspended"), *pending.counts[1:]
        keys = [a.dataset for a in pending.proposed] + [c.dataset.id for c in pending.eligible]
        keys += [a.dataset for a, _ in (*pending.doubted, *pending.older)] + [a.dataset for a in pending.suspended[3:]]
        if summary := "; ".join(f"{n:,} {state}" for n, state in parts if n > 0):
            text.quiet("{told}.", told=summary)
            with st.container(horizontal=True):
                for key in list(dict.fromkeys(keys))[:3]:
                    url_state.link("approvals", names.get(key, ""), dataset=names.get(key, ""))


def _draw_adjudication(dataset: Dataset, me: Person) -> None:
    """Draw how many ratings this person may adjudicate in a dataset, and the way there; nothing if none wait."""
    n = len(adjudication_work(session.store(), me.name, dataset.id).own) if me.may("researcher") else 0
    if n and _waits(dataset, many(n, "rating"), "Adjudication: people disagree", "Decide", f"decide:{dataset.id}"):
        url_state.open_page("adjudication", dataset=dataset.name)
