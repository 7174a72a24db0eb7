"""Export: a dataset, or what training takes of it, looked at before it becomes a file; and the items put aside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from data.exporting import exporting
from data.exporting.files import FORMATS, Format
from data.exporting.kind import ExportKind, ExportOption, list_choices
from data.gold import excluded_items
from data.gold.excluded_items import ExcludedItem
from data.records import items
from data.records.access import Person
from data.records.datasets import Dataset
from data.store import Store
from judges.plural import file_size, many
from judges.render.findings.findings import Column
from pages.server import downloads
from pages.ui import choose, picture, session, tables, text

_MAX_CELL_CHARACTERS = 400
_OPTIONS_PER_ROW = 4
_EXCLUSION_WARNING = (
    "Making this file **puts its items aside**: from then on they are not drawn and count in no figure of any judge, "
    "because a judge that has seen the answer proves nothing by repeating it. You can undo that below, with a reason."
)


def page() -> None:
    """Choose, look, make the file, take it away."""
    me, store = session.me("researcher"), session.store()
    st.title("Export", anchor=False)
    left, middle, right = st.columns([2, 2, 2])
    with left:
        dataset = choose.dataset(store, labelled=True)
    if dataset is None:
        return
    known = exporting.export_kinds()
    with middle:
        kind = known[st.selectbox("What", list(known), format_func=lambda name: known[name].title, key="export:kind")]
    with right:
        format = _choose_format(kind)
    st.caption("Researchers and leads may export. Each export is in the audit log.")
    _describe_kind(kind, format)
    options = _choose_options(store, dataset.id, kind)
    with text.refusals():
        _file(me, store, dataset, kind, format, options)
    _describe_kinds(known)
    _draw_excluded(me, store, dataset)


def _file(
    me: Person, store: Store, dataset: Dataset, kind: ExportKind, format: Format, options: dict[str, Any]
) -> None:
    state = session.scratch("export")
    if kind.name == "examples" and not options["card"]:
        text.quiet("Choose the card whose judges are to see the examples.")
        return
    with st.spinner("Counting the rows ..."):
        rows, count = exporting.preview_export(store, me.name, dataset, kind, options)
    _show_rows(rows, count, kind)
    key = (dataset.id, kind.name, format, tuple(options.items()))
    _warn_of_exposure(exporting.count_waiting_blind(store, me.name, dataset, kind, options))
    if count and st.button("Make the file", type="primary", icon=":material/draft:"):
        file = downloads.new_path(f"{picture.file_name(dataset.name, kind.name)}.{format}")
        with _show_export_progress(count) as seen:
            export = exporting.write_export(store, me.name, dataset, kind, options, format, file, seen)
        state.update(key=key, given=export, address=downloads.offer(file, session.store()))
    if state.get("key") == key and state["given"].file.exists():
        _show_file(state["given"], state["address"])


def _draw_excluded(me: Person, store: Store, dataset: Dataset) -> None:
    """The items that the approval check leaves out because prompts were tuned on them."""
    excluded, state = excluded_items.list_excluded(store, dataset.id), session.scratch("export")
    count = state.get("count", 0)
    turn = f"{dataset.id}:{count}"
    with st.expander("Tuning items: put aside, not counted by the approval check", icon=":material/block:"):
        st.caption("Items that a prompt was tuned on, or that became examples, count in no figure of any judge.")
        text.say("**{n}** put aside.", n=many(len(excluded), "item"))
        back = _include_form(excluded, turn) if excluded else None
        exclusion = _exclude_form(turn)
    with text.refusals():
        if back:
            excluded_items.readmit_items(store, me.name, dataset.id, *back)
        if exclusion:
            ids = items.item_ids_of_names(store, dataset.id, exclusion[0])
            excluded_items.exclude_items(store, me.name, dataset.id, ids, exclusion[1])
        if back or exclusion:
            state["count"] = count + 1
            st.rerun()


def _choose_format(of: ExportKind) -> Format:
    if of.parts:
        st.segmented_control("Format", ["jsonl"], format_func=FORMATS.__getitem__, default="jsonl", key="export:lines")
        return "jsonl"
    chosen: Format = st.segmented_control(
        "Format", list(FORMATS), format_func=FORMATS.__getitem__, default="jsonl", key="export:format", required=True
    )
    return chosen


def _choose_options(store: Store, dataset_id: str, of: ExportKind) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for start in range(0, len(of.options), _OPTIONS_PER_ROW):
        columns = st.columns(_OPTIONS_PER_ROW, vertical_alignment="bottom")
        for option, column in zip(of.options[start:], columns, strict=False):
            with column:
                options[option.name] = _option(store, dataset_id, of, option)
    return options


def _option(store: Store, dataset_id: str, of: ExportKind, option: ExportOption) -> Any:
    key = f"export:{of.name}:{option.name}"
    if isinstance(option.default, bool):
        return st.toggle(text.escape(option.title), option.default, key=key, help=text.escape(option.help))
    if isinstance(option.default, int):
        return st.number_input(
            text.escape(option.title), min_value=0, value=option.default, step=1, key=key, help=text.escape(option.help)
        )
    if option.choices is None:
        return st.text_input(
            text.escape(option.title),
            option.default,
            key=key,
            help=text.escape(option.help),
            placeholder="the best answer",
        ).strip()
    known = list_choices(store, option, dataset_id)
    start = list(known).index(option.default) if option.default in known else None
    chosen: str | None = st.selectbox(
        text.escape(option.title),
        list(known),
        index=start,
        format_func=known.__getitem__,
        placeholder="any",
        key=f"{key}:{dataset_id}",
        help=text.escape(option.help),
    )
    return chosen or option.default


def _describe_kinds(known: Mapping[str, ExportKind]) -> None:
    rows = [(k.title, k.description, k.reimport[:1].upper() + k.reimport[1:]) for k in known.values()]
    with st.expander("What each file contains", icon=":material/folder_open:"):
        columns = {"File": Column(), "Contents": Column(width=640), "Import": Column()}
        tables.table(rows, columns, max_rows=len(rows), row_height=76)


def _describe_kind(of: ExportKind, format: Format) -> None:
    text.say("{says}", says=of.description)
    if of.marks_tuning_items:
        st.warning(_EXCLUSION_WARNING, icon=":material/info:")
    if format == "csv":
        st.caption("In CSV, a text that a spreadsheet would run as a formula gets an apostrophe before it.")


def _show_rows(rows: Sequence[Mapping[str, Any]], count: int, of: ExportKind) -> None:
    if not count:
        st.info(text.escape(of.empty_message), icon=":material/inbox:")
        return
    text.say("**{n}**. The first {few}:" if rows else "**{n}**.", n=many(count, "row"), few=len(rows))
    if not rows:
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    tables.table([[_cell(row.get(name)) for name in names] for row in rows], names, max_rows=10)


def _warn_of_exposure(items: int) -> None:
    """Warn the person that they can no longer label some items blind if they take this file."""
    if items:
        text.quiet(
            "This file shows what judges or people said. You may still be asked to label {n} of this dataset blind: "
            "their rows are left out above, and once you make the file these items go to others.",
            n=many(items, "item"),
        )  # fmt: skip


def _cell(value: Any) -> str:
    if value is None:
        return ""
    content = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)
    return content if len(content) <= _MAX_CELL_CHARACTERS else content[:_MAX_CELL_CHARACTERS] + " ..."


@contextmanager
def _show_export_progress(count: int) -> Iterator[Callable[[int], None]]:
    """A bar while the file is written; yields what to call with the rows so far."""
    bar = st.progress(0.0, "Writing")

    def show_progress(rows: int) -> None:
        bar.progress(min(rows / count, 1.0) if count else 1.0, text.escape(f"Writing: {rows:,} rows"))

    try:
        yield show_progress
    finally:
        bar.empty()


def _show_file(export: exporting.ExportResult, address: str) -> None:
    with st.container(border=True):
        size = file_size(export.file.stat().st_size)
        text.say("**{name}** · {n} · {size}", name=export.file.name, n=many(export.lines, "row"), size=size)
        if export.excluded:
            text.say("{n} put aside: the approval check leaves them out from now on.", n=many(export.excluded, "item"))
        st.link_button("Download", address, icon=":material/download:", type="primary")
        if exporting.export_kinds()[export.kind].is_reimported:
            st.caption("To bring it into another workspace:")
            st.code(f"python -m data import {export.file.name} --dataset NAME", language="bash")
        if export.kind != "dataset":
            st.caption("To read it in Python:")
            st.code(exporting.loading_code(export.format, export.file.name), language="python")


def _include_form(items: Sequence[ExcludedItem], turn: str) -> tuple[list[str], str] | None:
    """The items that are put aside; those to take back with the reason, once a person asks for it.

    It is empty in another `turn`, and keeps what was given until then, as after a refusal.
    """
    rows = [(u.name, u.why, u.person, "in the audit sample" if u.drawn else "") for u in items]
    tables.table(rows, ["Item", "Why", "Put aside by", ""])
    names = {u.item: u.name for u in items}
    with st.form("export:back", border=False):
        left, right = st.columns(2)
        chosen = left.multiselect(
            "Count again", list(names), format_func=names.__getitem__, key=f"export:back:items:{turn}"
        )
        why = right.text_input("Reason", max_chars=500, key=f"export:back:why:{turn}")
        if st.form_submit_button("Count again", icon=":material/undo:"):
            return [str(i) for i in chosen], why
    return None


def _exclude_form(turn: str) -> tuple[list[str], str] | None:
    """Items named by hand to be put aside, with the reason, once a person asks for it; `turn` as in `_include_form`."""
    with st.form("export:aside", border=False):
        ids = st.text_area(
            "Items that a prompt was tuned on: their ids, one per line", height=100, key=f"export:aside:items:{turn}"
        )
        why = st.text_input(
            "Reason", max_chars=500, key=f"export:aside:why:{turn}", placeholder="the prompt was tuned on them"
        )
        st.caption(
            "An item that people have labelled blind in a random draw cannot be put aside or counted again: nobody may "
            "choose what the approval check counts. One that is drawn but not labelled can; it then does not count."
        )
        if st.form_submit_button("Put aside", icon=":material/remove_circle:"):
            return [line.strip() for line in ids.splitlines() if line.strip()], why
    return None
