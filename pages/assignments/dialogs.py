"""The dialogs of the page Assignments: give work out, one person's work, tags and shares."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.assignments import assignments
from data.assignments.assignments import PRIORITIES, Assignment, AssignmentTerms, Selection, SharePlan
from data.assignments.progress import PersonProgress
from data.assignments.working_time import END_HOUR
from data.queue.queue import Stream
from data.records import items, people, tags
from data.records.access import Person
from data.records.datasets import Dataset
from data.store.ids import to_utc
from judges.plural import many
from judges.render.findings.findings import COUNT, Column
from pages.ui import session, tables, text
from pages.ui.choose import STREAMS

RESERVATION_NAMES = {True: "Reserved for them", False: "Offered to them first"}
RESERVATION_HELP = (
    "Reserved: nobody else is offered an item until these people have answered or skipped it. Offered first: others "
    "get an item only when they have nothing else to do."
)
AMOUNTS = ("All", "A number", "A share")
SAMPLE_WARNING = (
    "Until this part is done, the answered items of the sample lean towards it. Figures are corrected for that only "
    "where the sample is stratified by the same field."
)
TAG_CHOICE = "Anyone with a tag"
_BY_NAME = " "
"""The choice of items by their names, which is no field of theirs."""
ACTIVE_STATES = ("on time", "done", "not begun", "unassigned")


@text.dialog("Assign work", width="large")
def assign_dialog(dataset: Dataset, me: Person) -> None:
    """Draw the form of an assignment: which items, to whom, on which terms. The result is shown before it is done."""
    store, seed = session.store(), _seed()
    left, right = st.columns([1, 2])
    stream: Stream = left.selectbox("Queue", list(STREAMS), format_func=STREAMS.__getitem__, key="assign:stream")
    chosen = None
    with right, text.refusals():
        chosen = _selection(dataset, stream)
    if chosen is None:
        return
    named, tag = _people()
    overlap = 1
    left, middle, right = st.columns(3)
    if named:
        overlap = int(left.number_input(
            "People per item", 1, max(len(named), 1), 1, key=f"assign:overlap:{len(named)}",
            help="Those who have answered an item or are assigned it are counted.",
        ))  # fmt: skip
    due, priority, reserved, note = _ask_terms(middle, right, "assign", _Terms())
    if not named and not tag:
        st.caption("Choose to whom the work is given.")
        return
    plan = None
    terms = AssignmentTerms(tuple(named), tag, overlap, reserved, _moment(due), priority, note, seed)
    with text.refusals():
        plan = assignments.plan_shares(store, dataset.id, stream, chosen, terms)
    if plan is None:
        return
    _show_plan(plan)
    if stream == "audit" and chosen.field:
        text.quiet("{said}", said=SAMPLE_WARNING)
    if st.button("Assign", type="primary", disabled=not any(plan.shares.values())):
        with text.refusals():
            done = assignments.assign(store, me.name, dataset.id, stream, chosen, terms)
            session.scratch("assigning").pop("seed", None)
            text.finish(f"{many(done.items, 'item')} assigned. It can be undone on this page.")


class _Terms(NamedTuple):
    """The terms of an assignment as people choose them: `due` is a working day, at whose end the work is due."""

    due: date | None = None
    priority: int = 2
    reserved: bool = True
    note: str = ""


def _ask_terms(left: DeltaGenerator, right: DeltaGenerator, key: str, now: _Terms) -> _Terms:
    """Ask for the terms, which are `now` at first: due date and priority in their columns, the others below."""
    # In each key: what others change is shown, and kept.
    due = left.date_input(
        "Due", now.due, key=f"due:{key}:{now.due}", format="YYYY-MM-DD", help="By the end of that working day."
    )
    priority = right.selectbox(
        "Priority", list(PRIORITIES), list(PRIORITIES).index(now.priority), format_func=PRIORITIES.__getitem__,
        key=f"prio:{key}:{now.priority}",
    )  # fmt: skip
    reserved = st.segmented_control(
        "How", list(RESERVATION_NAMES), default=now.reserved, format_func=RESERVATION_NAMES.__getitem__,
        help=RESERVATION_HELP, required=True, key=f"offer:{key}:{now.reserved}",
    )  # fmt: skip
    note = st.text_input(
        "Note", now.note, max_chars=assignments.MAX_NOTE_LENGTH, key=f"note:{key}:{now.note}",
        placeholder="for your team",
    )  # fmt: skip
    return _Terms(due, int(priority), bool(reserved), note)


def _seed() -> int:
    """The seed of a dialog, constant while it is open, so that the result is the one that was shown."""
    seed: int = session.scratch("assigning").setdefault("seed", random.SystemRandom().randrange(1_000_000))
    return seed


def _selection(dataset: Dataset, stream: Stream) -> Selection | None:
    """Return the chosen items: all, those with a value, or those named (not of the audit sample); how many of them."""
    values = assignments.selection_values(session.store(), dataset.id, stream)
    left, right = st.columns(2)
    field = left.selectbox(
        "Items", ["", *values, *([_BY_NAME] if stream == "review" else [])], key=f"assign:field:{stream}",
        format_func=lambda f: f"by {f.replace('_', ' ')}" if f.strip() else "named" if f else "all",
    )  # fmt: skip
    if field == _BY_NAME:
        names = st.text_area("Their names, one a line", key="assign:names").split("\n")
        named = [name.strip() for name in names if name.strip()]
        if not named:
            return None
        ids = items.item_ids_of_names(session.store(), dataset.id, named)
        return Selection(items=tuple(dict.fromkeys(ids)))
    value = right.selectbox("With the value", values[field], key=f"assign:value:{field}") if field else ""
    amount = st.segmented_control(
        "How many", AMOUNTS, default="All", key="assign:amount", required=True, label_visibility="collapsed",
        format_func=text.escape,
    )  # fmt: skip
    number = share = None
    if amount == "A number":
        number = int(st.number_input("First in the order of the queue", 1, 1_000_000, 50, key="assign:number"))
    elif amount == "A share":
        share = st.number_input("Percent of them", 1, 100, 25, key="assign:share") / 100
    return Selection(field, value, number, share)


def _people() -> tuple[list[str], str]:
    """To whom: the names, or a tag."""
    store = session.store()
    known = tags.all_tags(store)
    tags_by_person = {p.name: known[p.name].tags if p.name in known else () for p in people.all_people(store)}
    tag_names = sorted({tag for tags_ in tags_by_person.values() for tag in tags_}, key=str.casefold)
    choice = "People"
    if tag_names:
        choice = st.segmented_control("To", ["People", TAG_CHOICE], default="People", key="assign:to", required=True)
    if choice == TAG_CHOICE:
        return [], st.selectbox("Tag", tag_names, key="assign:tag")
    left, right = st.columns([2, 1])
    only = right.selectbox("All with the tag", ["", *tag_names], key="assign:with", disabled=not tag_names,
                           format_func=lambda t: t or "–")  # fmt: skip
    first = [name for name, tags_ in tags_by_person.items() if only in tags_]
    named = left.multiselect(
        "To whom", list(tags_by_person), first, key=f"assign:people:{only}", placeholder="several share it evenly",
        format_func=lambda n: f"{n} ({', '.join(tags_by_person[n])})" if tags_by_person[n] else n,
    )  # fmt: skip
    return list(named), ""


def _show_plan(plan: SharePlan) -> None:
    text.say("This gives out **{n}**.", n=many(len({d for s in plan.shares.values() for d in s}), "item"))
    if plan.shares:
        rows = [(tags.describe_assignee(name), len(share)) for name, share in plan.shares.items()]
        tables.table(rows, {"To": Column(), "Items": COUNT})
    if plan.lacking:
        text.quiet(
            "{n} cannot be given to that many people: these people have answered or seen them, or already have them.",
            n=many(plan.lacking, "item"),
        )


def _moment(due: date | None) -> datetime | None:
    """The end of a working day by the browser's clock, as the store keeps it."""
    if due is None:
        return None
    return to_utc(datetime.combine(due, time(END_HOUR), text.time_zone()))


@text.dialog("One person", width="large")
def person_dialog(dataset: Dataset, me: Person, progress: PersonProgress, team: Sequence[PersonProgress]) -> None:
    """A person's state with its reason, their assignments, and a way to give the rest to others."""
    text.say("**{name}**, {state}. {why}", name=progress.name, state=progress.state, why=progress.why)
    current = assignments.current_assignments(session.store(), dataset.id, progress.assignee)
    if not current:
        st.caption("Nothing of this dataset is assigned to them.")
    for single in current:
        _assignment(me, single)
    if progress.counts.left and not progress.is_tag:
        _reassign(dataset, me, progress, team)


def _assignment(me: Person, assignment: Assignment) -> None:
    due = f" · due {text.day(assignment.due)}" if assignment.due else ""
    heading = (
        f"{STREAMS[assignment.stream]}: {assignment.left:,} of {many(assignment.total, 'item')} left{due} · "
        f"{PRIORITIES[assignment.priority]} priority · {RESERVATION_NAMES[assignment.reserved].lower()}"
    )
    with st.expander(text.escape(heading)):
        text.quiet(
            "{chosen}, given out by {by} · {at}", chosen=assignment.chosen.describe().capitalize(), by=assignment.by,
            at=text.moment(assignment.at) + (f" · “{assignment.note}”" if assignment.note else ""),
        )  # fmt: skip
        left, right = st.columns(2)
        before = text.local_time(assignment.due).date() if assignment.due else None
        terms = _Terms(before, assignment.priority, assignment.reserved, assignment.note)
        new = _ask_terms(left, right, assignment.id, terms)
        at = assignment.due if new.due == before else _moment(new.due)
        with st.container(horizontal=True), text.refusals():
            if st.button("Save", key=f"save:{assignment.id}:{assignment.due}:{terms}", disabled=new == terms):
                assignments.change_assignment(
                    session.store(), me.name, assignment.id, new.reserved, new.priority, at, new.note
                )
                text.finish("Changed.")
            if st.button("End", key=f"end:{assignment.id}", icon=":material/close:",
                         help="What was done stays done; the rest is for everybody."):  # fmt: skip
                assignments.end_assignment(session.store(), me.name, assignment.id)
                text.finish("Ended. What is left of it is for everybody now.")


def _reassign(dataset: Dataset, me: Person, progress: PersonProgress, team: Sequence[PersonProgress]) -> None:
    """Give the rest to others; people who are ready are preselected, so that one click is enough."""
    able = [p for p in team if p.active and not p.is_tag and p.assignee != progress.assignee]
    working = [p for p in able if p.state in ACTIVE_STATES and (p.counts.total or p.answered)]
    same_tag_people = [p for p in working if set(p.tags) & set(progress.tags)]
    first = [p.assignee for p in (same_tag_people if progress.tags else working)]
    to = st.multiselect("Give what is left to", [p.assignee for p in able], first, key=f"to:{progress.assignee}")
    plan: SharePlan | None = None
    with text.refusals():
        if to:
            plan = assignments.plan_reassignment(session.store(), dataset.id, progress.assignee, to, _seed())
    if plan is None:
        if not first:
            lack = "Nobody who is ready has one of their tags." if progress.tags else "Nobody else is ready."
            text.quiet("{lack} Choose who takes over.", lack=lack)
        return
    shares = ", ".join(f"{text.isolate(name)} {len(share):,}" for name, share in plan.shares.items())
    stay = f"; {plan.lacking:,} stay, as none of them may answer these" if plan.lacking else ""
    text.quiet("{shares}. The terms stay the same, and items that {name} has reserved are included.",
               shares=shares + stay, name=progress.name)  # fmt: skip
    give = text.escape(f"Give {many(plan.items - plan.lacking, 'item')} to others")
    if st.button(give, type="primary", disabled=plan.items == plan.lacking):
        with text.refusals():
            assignments.reassign(session.store(), me.name, dataset.id, progress.assignee, to, _seed())
            session.scratch("assigning").pop("seed", None)
            text.finish("Given to others. It can be undone on this page.")


@text.dialog("Tags and shares")
def tags_dialog(me: Person) -> None:
    """The tags of a person, and their share of work that is spread over several people."""
    store = session.store()
    known = tags.all_tags(store)
    name = st.selectbox("Person", [p.name for p in people.all_people(store)], key="tags:person")
    now = known.get(name, tags.PersonTags(name))
    tag_names = sorted({tag for row in known.values() for tag in row.tags}, key=str.casefold)
    chosen = st.multiselect(
        "Tags", tag_names, list(now.tags), accept_new_options=True, key=f"tags:of:{name}:{now.tags}",
        placeholder="a language, a skill", help="Type a new one and press Enter.", max_selections=tags.MAX_TAGS,
    )  # fmt: skip
    share = st.number_input(
        "Share of what is spread over several", 0.0, tags.MAX_SHARE, now.share, 0.5,
        key=f"tags:share:{name}:{now.share}",
        help="1: the usual share. 0.5: half of it. 0: nothing for now.",
    )  # fmt: skip
    same = (tuple(chosen), share) == (now.tags, now.share)
    if st.button("Save", type="primary", disabled=same, key=f"tags:save:{now}"):  # a press counts for what stood there
        with text.refusals():
            tags.set_tags(store, me.name, name, chosen, float(share))
            text.finish(f"Tags and share of {name} are saved.")
    lines = [f"{row.person}: {', '.join(row.tags) or 'no tag'}, share {row.share:g}" for row in known.values()]
    if lines:
        with st.expander(text.escape(f"Everybody with tags ({len(lines)})")):
            text.bullets(lines)
