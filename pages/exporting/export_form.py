"""The parts of the export page: kinds and options, the first rows, the file that was made, the items put aside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from data.exporting.exporting import ExportResult, export_kinds, loading_code
from data.exporting.files import FORMATS, Format
from data.exporting.kind import ExportKind, ExportOption, list_choices
from data.gold.excluded_items import ExcludedItem
from data.store import Store
from judges.plural import file_size, many
from judges.render.findings.findings import Column
from pages.ui import tables, text

_MAX_CELL_CHARACTERS = 400
_OPTIONS_PER_ROW = 4
_EXCLUSION_WARNING = (
    "Making this file **puts its items aside**: from then on they are not drawn and count in no figure of any judge, "
    "because a judge that has seen the answer proves nothing by repeating it. You can undo that below, with a reason."
)


def choose_kind(known: Mapping[str, ExportKind]) -> ExportKind:
    """The kind that is chosen, with what it gives."""
    chosen = st.selectbox("What", list(known), format_func=lambda name: known[name].title, key="export:kind")
    return known[chosen]


def choose_format(of: ExportKind) -> Format:
    """The format that is chosen."""
    if of.json_lines_only:
        st.segmented_control("Format", ["jsonl"], format_func=FORMATS.__getitem__, default="jsonl", key="export:lines")
        return "jsonl"
    chosen: Format = st.segmented_control(
        "Format", list(FORMATS), format_func=FORMATS.__getitem__, default="jsonl", key="export:format", required=True
    )
    return chosen


def choose_options(store: Store, dataset_id: str, of: ExportKind) -> dict[str, Any]:
    """The options of a kind as they are set."""
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


def describe_kinds(known: Mapping[str, ExportKind]) -> None:
    """Describe the contents of each kind of file."""
    rows = [(k.title, k.description, k.reimport[:1].upper() + k.reimport[1:]) for k in known.values()]
    with st.expander("What each file contains", icon=":material/folder_open:"):
        columns = {"File": Column(), "Contents": Column(width=640), "Import": Column()}
        tables.table(rows, columns, max_rows=len(rows), row_height=76)


def describe_kind(of: ExportKind, format: Format) -> None:
    """Describe the contents of a kind of file, and warn of the pitfalls of the kind and its format."""
    text.say("{says}", says=of.description)
    if of.marks_tuning_items:
        st.warning(_EXCLUSION_WARNING, icon=":material/info:")
    if format == "csv":
        st.caption("In CSV, a text that a spreadsheet would run as a formula gets an apostrophe before it.")


def show_rows(rows: Sequence[Mapping[str, Any]], count: int, of: ExportKind) -> None:
    """The number of rows, and the first of them."""
    if not count:
        st.info(text.escape(of.empty_message), icon=":material/inbox:")
        return
    text.say("**{n}**. The first {few}:" if rows else "**{n}**.", n=many(count, "row"), few=len(rows))
    if not rows:
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    tables.table([[_cell(row.get(name)) for name in names] for row in rows], names, max_rows=10)


def warn_of_exposure(items: int) -> None:
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
def show_export_progress(count: int) -> Iterator[Callable[[int], None]]:
    """A bar while the file is written; yields what to call with the rows so far."""
    bar = st.progress(0.0, "Writing")

    def show_progress(rows: int) -> None:
        bar.progress(min(rows / count, 1.0) if count else 1.0, text.escape(f"Writing: {rows:,} rows"))

    try:
        yield show_progress
    finally:
        bar.empty()


def show_file(export: ExportResult, address: str) -> None:
    """The file that was made, and how to read it."""
    with st.container(border=True):
        size = file_size(export.file.stat().st_size)
        text.say("**{name}** · {n} · {size}", name=export.file.name, n=many(export.lines, "row"), size=size)
        if export.excluded:
            text.say("{n} put aside: the approval check leaves them out from now on.", n=many(export.excluded, "item"))
        st.link_button("Download", address, icon=":material/download:", type="primary")
        if export_kinds()[export.kind].is_reimported:
            st.caption("To bring it into another workspace:")
            st.code(f"python -m data import {export.file.name} --dataset NAME", language="bash")
        if export.kind != "dataset":
            st.caption("To read it in Python:")
            st.code(loading_code(export.format, export.file.name), language="python")


def include_form(items: Sequence[ExcludedItem], turn: str) -> tuple[list[str], str] | None:
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


def exclude_form(turn: str) -> tuple[list[str], str] | None:
    """Items named by hand to be put aside, with the reason, once a person asks for it; `turn` as in `include_form`."""
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
