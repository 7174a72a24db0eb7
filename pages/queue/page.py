"""The queues: what is drawn, why, its state, and for researchers the ways to fill them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import streamlit as st

from data.adjudication import adjudication
from data.queue import listing, progress, queue
from data.queue.listing import ListedDraw, QueueListing, State
from data.queue.progress import PersonalProgress
from data.records import guidelines
from data.records.access import Person
from data.records.datasets import Dataset
from data.records.guidelines import MAX_GUIDELINES_LENGTH, GuidelinesVersion
from judges.plural import many
from pages.queue import dialogs
from pages.ui import choose, gold, session, sheet, tables, text, url_state

PAGE_ROWS = 25
"""Rows of a page of the list."""
_ADJUDICATION_HELP = "Ratings on which people disagree by more than the rule allows."
GIVE_BACK = "Lets others have the items that are reserved by you and not answered."
_GUIDELINES_HELP = "How to rate in this dataset. At the desk, one key (h) opens them."
_EMPTY = (
    "No guidelines yet. They say what the ratings mean here, with examples, and what to do in doubt. Annotators can "
    "open them with one key."
)
STATES: dict[State, str] = {
    "to label": "To label",
    "reserved by you": "Reserved by you",
    "reserved": "Reserved by others",
    "answered by you": "Answered by you",
    "answered": "Answered by others",
    "skipped by you": "Skipped by you",
    "in audit sample": "In audit sample",
    "not for you": "Not for you",
}
HELPS = {
    "Text": "How it begins: its scenario, its first turn, or its task.",
    "Why": "Where a judge's ratings are in doubt, the strongest reasons first.",
    "Mode": "Blind: without the judge's scores, until it is answered.",
    "Probability": "The probability with which an item of its stratum is in this part of the sample (blind, or with "
    "the judge), over all draws so far. Figures are weighted with the items of the stratum over those answered. Empty "
    "while the item may still come to you blind, as it may give away a score.",
    "State": "In audit sample: the item has to be answered in the audit sample first, and the judge's scores stay "
    "hidden until then. Not for you: you have answered it elsewhere, or have seen something that rules out a blind "
    "answer of yours.",
}
WIDTHS = {
    "Item": "clamp(150px, 16vw, 260px)", "#": "n56px", "Judge": "130px", "Mode": "clamp(96px, 9vw, 120px)",
    "Stratum": "clamp(96px, 10vw, 150px)", "Probability": "n100px", "State": "clamp(130px, 12vw, 190px)",
}  # fmt: skip
"""The widths of columns; the others share the rest."""
MAX_SHOWN_REASONS = 3
"""Reasons that stand in the list; the desk has them all."""


def page() -> None:
    """A stream of a dataset as a list; a click opens the item on the desk."""
    me, store = session.me(), session.store()
    st.title("Queues", anchor=False)
    place = choose.queue_view(store)
    if place is None:
        return
    dataset, stream, filters = place
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_actions(me, dataset, stream, filters)
    if nobody := queue.count_stranded(store, dataset.id) if stream == "audit" else 0:
        text.quiet(
            "Nobody who works here can answer {n} blind: all have answered there, or were shown what a judge or other "
            "people said. Somebody new can; or set fewer people per item in the rules.",
            n=many(nobody, "item"),
        )
    _draw_list(me, dataset, stream, filters)


def _draw_actions(me: Person, dataset: Dataset, stream: queue.Stream, filters: queue.QueueFilters) -> None:
    """Draw the actions on this queue. Researchers can fill it; that button is the main one while it is empty."""
    fills = me.may("researcher")
    unfilled = fills and not progress.queue_progress(session.store(), dataset.id, stream).drawn
    if st.button("Label", type="secondary" if unfilled else "primary", icon=":material/arrow_forward:"):
        url_state.open_page("desk", dataset=dataset.name, stream=stream, **asdict(filters))
    if fills:
        fill = dialogs.draw_audit_dialog if stream == "audit" else dialogs.fill_review_dialog
        filling = "Draw a sample" if stream == "audit" else "Add items"
        if st.button(filling, type="primary" if unfilled else "secondary", icon=":material/add:"):
            fill(dataset, me.name)
        if st.button("Rules", icon=":material/tune:", help="People per item, assisted share, reservations."):
            dialogs.queue_rules_dialog(dataset, me.name, me.may("lead"))
        if st.button("Assign", icon=":material/assignment_ind:", help="Give work to people, and see who is how far."):
            url_state.open_page("assignments", dataset=dataset.name)
        if me.may("lead") and st.button(gold.RULE, icon=":material/gavel:", help=gold.HELP):
            gold.change_rule(dataset, me.name)
        waiting = len(adjudication.adjudication_work(session.store(), me.name, dataset.id).own)
        if waiting and st.button(f"{waiting:,} to adjudicate", icon=":material/balance:", help=_ADJUDICATION_HELP):
            url_state.open_page("adjudication", dataset=dataset.name)
    if st.button("Guidelines", icon=":material/menu_book:", help=_GUIDELINES_HELP):
        draft = _guidelines_draft(dataset)
        if draft.get("text") == draft.get("base"):
            draft.clear()
        _guidelines_dialog(dataset, me)


@text.fragment
def _draw_list(me: Person, dataset: Dataset, stream: queue.Stream, filters: queue.QueueFilters) -> None:
    """The draws in their order, a page at a time; a click opens one on the desk."""
    store, key = session.store(), f"queue:{dataset.id}:{stream}:{filters}"
    paging, words = session.scratch(key), session.component_state(f"{key}:search") or ""
    state = session.component_state(f"{key}:state")
    if paging.get("now", "") != (state, words):
        paging.update(now=(state, words), skip=0)

    def load() -> QueueListing:
        return listing.list_queue(store, me.name, dataset.id, stream, filters, state, paging["skip"], PAGE_ROWS, words)

    listed = load()
    if listed.total and not listed.rows:  # what stood here was answered meanwhile
        paging["skip"] = _last_page(listed.total)
        listed = load()
    _show_counts(listed, progress.personal_progress(store, me.name, dataset.id, text.time_zone()))
    if not listed.drawn and not words:
        _show_empty(stream, filters != queue.QueueFilters(), me.may("researcher"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text_input(
            "Search", key=f"{key}:search", placeholder="Search name, text, system, person", icon=":material/search:",
            label_visibility="collapsed", width=280,
        )  # fmt: skip
        st.pills(
            "State",
            [s for s in STATES if listed.states.get(s) or s == state],
            format_func=lambda s: text.escape(f"{STATES[s]} {listed.states.get(s, 0):,}"),
            key=f"{key}:state",
            label_visibility="collapsed",
        )
        if listed.states.get("reserved by you") and st.button("Give back", icon=":material/undo:", help=GIVE_BACK):
            queue.release_claims(store, me.name, dataset.id)
            st.rerun()
    if not listed.rows:
        text.quiet("No item of this queue matches “{words}”." if words else "No item is in this state.", words=words)
        return
    row = queue_table(listed, stream, f"{key}:rows:{state}:{words}:{paging['skip']}")
    if row:
        url_state.open_page("desk", dataset=dataset.name, stream=stream, item=row.item)
    _pages(paging, listed)


def _pages(paging: dict[str, int], listing: QueueListing) -> None:
    total, first = listing.total, paging["skip"]
    if total <= PAGE_ROWS:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        text.quiet("{a}–{b} of {n}", a=f"{first + 1:,}", b=f"{min(first + PAGE_ROWS, total):,}", n=f"{total:,}")
        last = _last_page(total)
        for label, to in (("First", 0), ("Back", first - PAGE_ROWS), ("Next", first + PAGE_ROWS), ("Last", last)):
            if st.button(text.escape(label), disabled=to == first or not 0 <= to < total):
                paging["skip"] = to
                text.rerun_fragment()


def _last_page(total: int) -> int:
    """How many of so many items stand before the last page."""
    return (total - 1) // PAGE_ROWS * PAGE_ROWS


def _guidelines_draft(dataset: Dataset) -> dict[str, Any]:
    """Return this tab's draft: `text`, the saved text that it began with (`base`), and the number of that (`count`)."""
    return session.scratch(f"guidelines:{dataset.id}")


@text.dialog("Guidelines", width="large")
def _guidelines_dialog(dataset: Dataset, me: Person) -> None:
    versions = guidelines.guidelines_history(session.store(), dataset.id)
    now = versions[0].text if versions else ""
    if not now:
        st.info(_EMPTY, icon=":material/menu_book:")
    if me.may("lead"):
        _write_guidelines(dataset, me, versions)
    elif now:
        _read_guidelines(now, "guidelines:now")
    _guidelines_history(versions)


def _write_guidelines(dataset: Dataset, me: Person, versions: list[GuidelinesVersion]) -> None:
    now, draft = versions[0].text if versions else "", _guidelines_draft(dataset)
    if not draft:
        draft.update(text=now, base=now, count=len(versions))
    if len(versions) > draft["count"]:
        text.warn(
            "{person} has saved version {n} since you opened this text; it is shown below. If you save, your text "
            "replaces it.",
            person=versions[0].person, n=versions[0].number,
        )  # fmt: skip
    views = ["Write", "Preview"]
    view = st.segmented_control("View", views, default="Write", label_visibility="collapsed", required=True)
    if view == "Write":
        draft["text"] = st.text_area(
            "How to rate in this dataset", draft["text"], height=340, max_chars=MAX_GUIDELINES_LENGTH,
            help="Markdown: headings, lists, tables, code, formulas. Images and links are shown as text.",
        )  # fmt: skip
    else:
        _read_guidelines(draft["text"], "guidelines:preview")
    new = draft["text"]
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        st.caption(
            "Each annotator is told once that they changed. A label is tied to the version in force when it was given."
        )
    same = new.strip() in (now.strip(), draft["base"].strip())
    if right.button("Save", type="primary", disabled=same, width="stretch"):
        with text.refusals():
            number = guidelines.write_guidelines(session.store(), me.name, dataset.id, new)
            draft.clear()
            text.finish(f"Version {number} of the guidelines is in force.")


def _guidelines_history(versions: list[GuidelinesVersion]) -> None:
    if not versions:
        return
    with st.expander(text.escape(f"Versions ({len(versions)})")):
        by = {v.number: f"version {v.number} · {v.person} · {text.moment(v.at)}" for v in versions}
        chosen = st.selectbox("Version", list(by), format_func=by.__getitem__, label_visibility="collapsed")
        shown = next(v for v in versions if v.number == chosen)
        if shown.text:
            _read_guidelines(shown.text, "guidelines:version")
        else:
            st.caption("Withdrawn: from here on there were none.")


def _read_guidelines(content: str, key: str) -> None:
    """The text as the desk shows it, never as Streamlit's Markdown, which would fetch what it names."""
    with st.container(border=True, height=340):
        sheet.markdown(content, key)


def queue_table(listing: QueueListing, stream: str, key: str) -> ListedDraw | None:
    """The rows as a table; the one that was opened, or None."""
    rows = [_row(row, stream) for row in listing.rows]
    dull = {name for name in ("Judge", "Stratum", "Probability") if len({row.get(name, "") for row in rows}) < 2}
    columns = [(name, WIDTHS.get(name, ""), HELPS.get(name, "")) for name in rows[0] if name not in dull]
    shown = [[row[name] for name, *_ in columns] for row in rows]
    ids = [row.item for row in listing.rows]
    clicked = tables.wrapped_table(columns, shown, key, "Items of the queue", ids, chosen=True)
    return None if clicked is None else listing.rows[clicked[0]]


def _row(row: ListedDraw, stream: str) -> dict[str, str]:
    line = {"Item": text.join_lines(row.name, " ~ ".join(row.systems)), "#": f"{row.place:,}"}
    line["Text"] = text.shorten(row.about, 160)
    if stream == "review":
        line |= {"Why": _format_reasons(row.reasons), "Judge": row.judge}
    else:
        chance = "" if row.probability is None else f"{row.probability:.4f}"
        mode = "blind" if row.mode == "blind" else f"with {row.judge or 'the judge'}"
        line |= {"Mode": mode, "Stratum": row.stratum, "Probability": chance}
    return line | {"State": _state(row)}


def _format_reasons(reasons: tuple[str, ...]) -> str:
    more = f"and {len(reasons) - MAX_SHOWN_REASONS:,} more" if reasons[MAX_SHOWN_REASONS:] else ""
    return " · ".join(filter(None, [*reasons[:MAX_SHOWN_REASONS], more]))


def _state(row: ListedDraw) -> str:
    """The state of a draw, in words, with who has it or gets it, and how many people have answered it of several."""
    state = str(row.state)
    if row.state == "reserved":
        state += f" {'by' if row.holders else 'for'} {', '.join(map(text.isolate, row.holders or row.audience))}"
    return text.join_lines(state, f"{row.people} of {row.overlap} people" if row.overlap > 1 else "")


def _show_counts(listing: QueueListing, progress: PersonalProgress) -> None:
    """Draw how many items are left for this person, how many are answered (both with the filters), and their pace."""
    overlap = max((row.overlap for row in listing.rows), default=1)
    text.say(
        "**{left}** to label · {answered} of {drawn} answered{full} · you: {today} today, {mine} in all{pace}",
        left=many(listing.left, "item"),
        answered=f"{listing.answered:,}",
        drawn=f"{listing.drawn:,}",
        full=f", {listing.full:,} by all {overlap} people" if overlap > 1 else "",
        today=f"{progress.today:,}",
        mine=f"{progress.total:,}",
        pace=f", {progress.seconds:.0f} s per item" if progress.seconds else "",
    )


def _show_empty(stream: str, narrowed: bool, may: bool) -> None:
    if narrowed:
        message = "No item of this queue passes the filters. Choose others, or clear them."
    elif stream == "audit":
        message = "No audit sample is drawn yet: items at random, which people answer without seeing the judge. "
        message += "Draw a sample to begin." if may else "A researcher can draw one."
    else:
        message = "The review queue is empty. It holds the items where a judge's ratings are most in doubt. "
        message += "Add items to begin." if may else "A researcher can add items."
    st.info(text.escape(message), icon=":material/inbox:")
