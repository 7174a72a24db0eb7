"""The queues: what is drawn, why, where it stands, and for researchers the ways to fill them."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from data import listing, progress, queue
from data.datasets import Dataset
from data.people import Person
from judges.counted import many
from pages.parts import adjudicated, choose, clock, filling, guidelines, links, listed, session, text

SIZE = 50
"""Rows of a page of the list."""
GIVE_BACK = "Lets others have the items that you hold and have not answered."


def page() -> None:
    """A stream of a dataset as a list; a click opens the item on the desk."""
    who, store = session.me(), session.store()
    st.title("Queues")
    place = choose.place(store)
    if place is None:
        return
    dataset, stream, filters = place
    done = progress.standing(store, who.name, dataset.id, stream, filters, clock.zone())
    with st.container(horizontal=True, vertical_alignment="center"):
        text.say(
            "**{left}** for you · {answered} of {drawn} answered · you: {today} today, {mine} in all{pace}",
            left=many(done.left, "item"),
            answered=f"{done.queue.answered:,}",
            drawn=f"{done.queue.drawn:,}",
            today=f"{done.mine.today:,}",
            mine=f"{done.mine.total:,}",
            pace=f", {done.mine.seconds:.0f} s per item" if done.mine.seconds else "",
        )
        st.space("stretch")
        with st.container(horizontal=True, width="content"):
            _ways(who, dataset, stream, filters)
    if nobody := queue.stranded(store, dataset.id) if stream == "audit" else 0:
        text.quiet(
            "{n} can be answered blind by nobody who works here: all have answered, or were shown what a judge or "
            "other people said. Somebody new can; or ask for fewer people per item in the rules.",
            n=many(nobody, "item"),
        )
    _list(who, dataset, stream, filters)


def _ways(who: Person, dataset: Dataset, stream: queue.Stream, filters: queue.Filters) -> None:
    """What can be done with this queue; filling it is for researchers."""
    if who.may("researcher"):
        fill = filling.audit if stream == "audit" else filling.review
        if st.button("Draw a sample" if stream == "audit" else "Fill the queue", icon=":material/add:"):
            fill(dataset, who.name)
        if st.button("Rules", icon=":material/tune:", help="People per item, assisted share, claim time."):
            filling.rules(dataset, who.name, who.may("lead"))
        if who.may("lead") and st.button("Gold rule", icon=":material/gavel:", help="How people's labels become gold."):
            adjudicated.change(dataset, who.name)
        adjudicated.way(dataset, who)
    guidelines.way(dataset, who)
    if st.button("Label", type="primary", icon=":material/arrow_forward:"):
        links.go("desk", dataset=dataset.name, stream=stream, **asdict(filters))


@st.fragment
def _list(who: Person, dataset: Dataset, stream: queue.Stream, filters: queue.Filters) -> None:
    """The draws in their order, a page at a time; a click opens one on the desk."""
    store, key = session.store(), f"queue:{dataset.id}:{stream}:{filters}"
    kept, state = session.scratch(key), session.component_state(f"{key}:state")
    if kept.get("state", "") != state:
        kept.update(state=state, skip=0)
    found = listing.listing(store, who.name, dataset.id, stream, filters, state, kept["skip"], SIZE)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.pills(
            "State",
            [s for s in listed.STATES if found.states.get(s) or s == state],
            format_func=lambda s: text.plain(f"{listed.STATES[s]} {found.states.get(s, 0):,}"),
            key=f"{key}:state",
            label_visibility="collapsed",
        )
        if found.states.get("held by you") and st.button("Give back", icon=":material/undo:", help=GIVE_BACK):
            queue.release(store, who.name, dataset.id)
            st.rerun()
    if not found.rows:
        st.info("Nothing here.", icon=":material/inbox:")
        return
    row = listed.table(found, stream, f"{key}:rows:{state}:{kept['skip']}")
    if row:
        links.go("desk", dataset=dataset.name, stream=stream, item=row.item)
    if found.total > SIZE:
        _pages(kept, found.total)


def _pages(kept: dict[str, int], total: int) -> None:
    """Where in the list this is, and the ways on and back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        first = kept["skip"]
        text.quiet("{a}–{b} of {n}", a=f"{first + 1:,}", b=f"{min(first + SIZE, total):,}", n=f"{total:,}")
        last = (total - 1) // SIZE * SIZE
        for label, to in (("First", 0), ("Back", first - SIZE), ("Next", first + SIZE), ("Last", last)):
            if st.button(text.plain(label), disabled=to == first or not 0 <= to < total):
                kept["skip"] = to
                st.rerun(scope="fragment")
