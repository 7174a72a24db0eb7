"""Assignments: everybody's progress on assigned work, who may be stuck, and how work is assigned."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.assignments import assignments, progress
from data.assignments.progress import PersonProgress
from data.records import tags
from data.records.access import Person
from data.records.datasets import Dataset
from judges.plural import many, verb
from judges.render.csv_cells import csv_text
from pages.assignments import dialogs
from pages.ui import choose, session, tables, text
from pages.ui.choose import STREAMS

TAGS_HELP = "Languages and skills of people, and how much each takes of what is spread over several."


def page() -> None:
    """The open work of a dataset, everybody with their state; a click shows one person and what can be done."""
    me, store = session.me("researcher"), session.store()
    st.title("Assignments", anchor=False)
    dataset = choose.dataset(store, width=300)
    if dataset is None:
        return
    people = progress.people_progress(store, dataset.id, text.time_zone())
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Assign work", type="primary", icon=":material/assignment_ind:"):
            dialogs.assign_dialog(dataset, me)
        if me.may("lead") and st.button("Tags and shares", icon=":material/sell:", help=TAGS_HELP):
            dialogs.tags_dialog(me)
        if people:
            st.download_button(
                "CSV", lambda: _file(people), f"progress-{dataset.name}.csv", "text/csv", icon=":material/download:",
                help="Everybody with all figures.", on_click="ignore",
            )  # fmt: skip
    _open_work(dataset)
    _notices(people)
    _people(dataset, me, people)
    _undo(dataset, me)


def _file(people: list[PersonProgress]) -> str:
    return csv_text(progress.COLUMNS, (list(progress.progress_record(person).values()) for person in people))


def _open_work(dataset: Dataset) -> None:
    for stream, title in STREAMS.items():
        open_, nobody, stranded = assignments.assigned_counts(session.store(), dataset.id, stream)
        if open_:
            text.quiet(
                "{title}: {n} open, of which {nobody} assigned to nobody and {go} to whoever comes first.",
                title=title, n=many(open_, "item"), nobody=f"{nobody:,} {verb(nobody, 'is', 'are')}",
                go=verb(nobody, "goes", "go"),
            )  # fmt: skip
        for tag, n in stranded.items():
            text.warn(
                "{n} {wait} for {whom}, and nobody active has it. Give somebody the tag, or end the assignment.",
                n=many(n, "item"), wait=verb(n, "waits", "wait"), whom=tags.describe_assignee(tag),
            )  # fmt: skip


def _notices(people: list[PersonProgress]) -> None:
    for person in people:
        if person.state == "inactive":
            text.warn(
                "{name} is not active any more: {n} that were reserved for them are open to everybody now. Select them "
                "to give these to others.",
                name=person.name, n=many(person.counts.left, "item"),
            )  # fmt: skip


@text.fragment
def _people(dataset: Dataset, me: Person, people: list[PersonProgress]) -> None:
    """Everybody in a table, narrowed by state or words; a click opens a person."""
    key = f"assignments:{dataset.id}"
    state, words = session.component_state(f"{key}:state"), session.component_state(f"{key}:search") or ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text_input(
            "Search", key=f"{key}:search", placeholder="Search person, tag", icon=":material/search:",
            label_visibility="collapsed", width=240,
        )  # fmt: skip
        states = [person.state for person in people]
        st.pills(
            "State", [s for s in progress.STATES if s in states or s == state], key=f"{key}:state",
            format_func=lambda s: text.escape(f"{s} {states.count(s)}".capitalize()), label_visibility="collapsed",
        )  # fmt: skip
    sought = words.casefold().split()
    shown = [
        person for person in people
        if (state is None or person.state == state)
        and all(word in " ".join((person.name, *person.tags)).casefold() for word in sought)
    ]  # fmt: skip
    if not shown:
        text.quiet("Nobody matches.")
    elif (row := _progress_table(shown, f"{key}:rows:{state}:{words}")) is not None:
        dialogs.person_dialog(dataset, me, shown[row], people)
    with st.expander("What the states mean", icon=":material/help:"):
        for name, meaning in progress.STATES.items():
            text.say("**{name}**: {told}.", name=name, told=meaning)
        text.quiet("Working time is Monday to Friday, 9 to 17, in your time zone. The first state that fits is shown.")


_COLUMNS = (
    ("Person", "", "With their tags. Select one to see what is assigned to them."),
    ("State", "100px", "What each means stands below the table."),
    ("Left", "n130px", "Items that wait for them, of all that are assigned; below it what they answered and skipped."),
    ("Per item", "n95px", "Median of their last 50 items in this dataset, and of one rating below it."),
    ("Last answer", "120px", "In this dataset."),
    ("Pace", "n105px", "Items per working day over the last five; below it the pace that meets all due dates."),
    ("Due", "125px", "The next due date of what is left, and when all of it will be done at that pace."),
)


def _progress_table(people: Sequence[PersonProgress], key: str) -> int | None:
    """The rows as a table; the number of the one that was selected."""
    rows = [[value or "–" for value in _row(person)] for person in people]
    ids = [person.assignee for person in people]
    clicked = tables.wrapped_table(_COLUMNS, rows, key, "People and their progress", ids, chosen=True)
    return None if clicked is None else clicked[0]


def _row(person: PersonProgress) -> list[str]:
    counts, needed = person.counts, person.needed
    lacks = "" if needed is None else "no time left" if needed == float("inf") else f"needed {needed:.3g}"
    paces = ((person.seconds, ""), (person.cell_seconds, " a rating"))
    did = [f"{n:,} {state}" for n, state in ((counts.done, "done"), (counts.skipped, "skipped")) if n]
    return [
        text.join_lines(person.name, ", ".join(person.tags)), person.state,
        text.join_lines(f"{counts.left:,} of {counts.total:,}", ", ".join(did)) if counts.total else "",
        text.join_lines(*(f"{value:.3g} s{of}" for value, of in paces if value)),
        text.moment(person.last) if person.last else "",
        text.join_lines("" if person.pace is None else f"{person.pace:.3g} a day", lacks),
        text.join_lines(
            text.day(person.due) if person.due else "",
            f"done {text.day(person.finish)}" if person.finish else "",
        ),
    ]  # fmt: skip


def _undo(dataset: Dataset, me: Person) -> None:
    changes = assignments.undoable_changes(session.store(), dataset.id)
    if not changes:
        return
    st.header("Given out last", anchor=False)
    for change in changes:
        with st.container(horizontal=True, vertical_alignment="center"):
            text.quiet(
                "**{by}** gave {n} to {whom}" + (" and {others}" if change.assignees > 1 else "") + " · {at}",
                by=change.by, n=many(change.items, "item"), whom=tags.describe_assignee(change.first),
                others=many(change.assignees - 1, "other"), at=text.moment(change.at),
            )  # fmt: skip
            undo = st.button("Undo", key=f"undo:{change.revision}", type="tertiary", icon=":material/undo:")
        if undo:
            with text.refusals():
                assignments.undo(session.store(), me.name, dataset.id, change.revision)
                text.finish("Undone. What was answered meanwhile stays answered.")
