"""What waits to be labelled, progress, and recent activity: the lines and bars of the overview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta, tzinfo
from typing import Literal

import streamlit as st

from data.queue.progress import Done, Personal, QueueDone
from data.queue.queue import Stream
from data.records.datasets import Dataset
from data.records.names import shown
from data.trail.activity import Move
from judges.plural import many
from pages.ui import text, url_state
from pages.ui.choose import STREAMS

MOVED = {
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


def waiting_queue(dataset: Dataset, stream: Stream, left: int, seconds: float | None, first: bool) -> None:
    """One queue with items for this person, about how long it is, and the way to the desk."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(gap=None):
            text.say("**{n}** in {dataset}", n=many(left, "item"), dataset=dataset.name)
            about = f", about {text.duration(timedelta(seconds=left * seconds))} at your pace" if seconds else ""
            text.quiet("{stream}{about}", stream=STREAMS[stream], about=about)
        kind: Literal["primary", "secondary"] = "primary" if first else "secondary"
        if st.button("Label", key=f"label:{dataset.id}:{stream}", type=kind, icon=":material/arrow_forward:"):
            url_state.open_page("desk", dataset=dataset.name, stream=stream)


Judges = Sequence[tuple[str, str, str, bool, int]]


def dataset_progress(dataset: Dataset, done: Done, queues: Mapping[Stream, QueueDone], judges: Judges) -> None:
    """How far one dataset is, by whom it is judged, and the way to its figures."""
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            text.say("**{name}**", name=dataset.name)
            if dataset.synthetic:
                text.synthetic(dataset.description)
            people = many(done.people, "person").replace("persons", "people")
            text.quiet("{labels} by {people}", labels=many(done.labels, "label"), people=people)
            st.space("stretch")
            url_state.link("calibration", "Calibration", icon=":material/monitoring:", dataset=dataset.name)
        bars = [("labelled", done.labelled, done.items)]
        bars += [(STREAMS[s].lower(), q.answered, q.drawn) for s, q in queues.items()]
        for column, (name, part, whole) in zip(st.columns(3, gap="medium"), bars, strict=True):
            column.progress(part / whole if whole else 0.0, text=text.plain(f"{name} {part:,} of {whole:,}"))
        named = ", ".join(f"{model} ({items:,})" for _, _, model, _, items in judges[:4])
        more = f" and {len(judges) - 4} more" if judges[4:] else ""
        text.quiet("Judged by {named}{more}", named=named or "nobody yet", more=more)


def own_progress(mine: Personal, days: list[int]) -> None:
    """A person's own progress, with the last days as bars."""
    bars = days if any(days) else None
    label = "Items today (bars: last 14 days)" if bars else "Items today"
    st.metric(label, f"{mine.today:,d}", chart_data=bars, chart_type="bar")
    left, right = st.columns(2)
    left.metric("In all", f"{mine.total:,d}")
    right.metric("Seconds per item", f"{mine.seconds:.0f}" if mine.seconds else "–", help="Median of the last 50.")


def recent_activity(found: list[Move], zone: tzinfo) -> None:
    """The newest changes in words, each with its time."""
    if not found:
        st.caption("Nothing yet.")
    for move in found:
        values = {"dataset": move.dataset, "name": move.name, "role": move.role, "at": text.moment(move.at, zone)}
        what = {"judgments": "judgment", "labels": "label"}.get(move.sort, "item")
        text.quiet(MOVED[move.sort], actor=shown(move.actor), n=many(move.n, what), **values)
