"""Export: a dataset, or what training takes of it, looked at before it becomes a file; and the items put aside."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.exporting import exporting
from data.exporting.files import Format
from data.exporting.kind import ExportKind
from data.gold import excluded_items
from data.records import items
from data.records.access import Person
from data.records.datasets import Dataset
from data.store import Store
from judges.plural import many
from pages.exporting import export_form
from pages.server import downloads
from pages.ui import choose, picture, session, text


def page() -> None:
    """Choose, look, make the file, take it away."""
    me, store = session.me("researcher"), session.store()
    st.title("Export", anchor=False)
    left, middle, right = st.columns([2, 2, 2])
    with left:
        dataset = choose.dataset(store, labelled=True)
    if dataset is None:
        return
    with middle:
        kind = export_form.choose_kind(exporting.export_kinds())
    with right:
        format = export_form.choose_format(kind)
    st.caption("Researchers and leads may export. Each export is in the audit log.")
    export_form.describe_kind(kind, format)
    options = export_form.choose_options(store, dataset.id, kind)
    with text.refusals():
        _file(me, store, dataset, kind, format, options)
    export_form.describe_kinds(exporting.export_kinds())
    _draw_excluded(me, store, dataset)


def _file(
    me: Person, store: Store, dataset: Dataset, kind: ExportKind, format: Format, options: dict[str, Any]
) -> None:
    """The first rows, and the file of all of them."""
    state = session.scratch("export")
    if kind.name == "examples" and not options["card"]:
        text.quiet("Choose the card whose judges are to see the examples.")
        return
    with st.spinner("Counting the rows ..."):
        rows, count = exporting.preview_export(store, me.name, dataset, kind, options)
    export_form.show_rows(rows, count, kind)
    key = (dataset.id, kind.name, format, tuple(options.items()))
    export_form.warn_of_exposure(exporting.count_waiting_blind(store, me.name, dataset, kind, options))
    if count and st.button("Make the file", type="primary", icon=":material/draft:"):
        file = downloads.new_path(f"{picture.file_name(dataset.name, kind.name)}.{format}")
        with export_form.show_export_progress(count) as seen:
            export = exporting.write_export(store, me.name, dataset, kind, options, format, file, seen)
        state.update(key=key, given=export, address=downloads.offer(file, session.store()))
    if state.get("key") == key and state["given"].file.exists():
        export_form.show_file(state["given"], state["address"])


def _draw_excluded(me: Person, store: Store, dataset: Dataset) -> None:
    """The items that the approval check leaves out because prompts were tuned on them."""
    excluded, state = excluded_items.list_excluded(store, dataset.id), session.scratch("export")
    count = state.get("count", 0)
    turn = f"{dataset.id}:{count}"
    with st.expander("Tuning items: put aside, not counted by the approval check", icon=":material/block:"):
        st.caption("Items that a prompt was tuned on, or that became examples, count in no figure of any judge.")
        text.say("**{n}** put aside.", n=many(len(excluded), "item"))
        back = export_form.include_form(excluded, turn) if excluded else None
        exclusion = export_form.exclude_form(turn)
    with text.refusals():
        if back:
            excluded_items.readmit_items(store, me.name, dataset.id, *back)
        if exclusion:
            ids = items.item_ids_of_names(store, dataset.id, exclusion[0])
            excluded_items.exclude_items(store, me.name, dataset.id, ids, exclusion[1])
        if back or exclusion:
            state["count"] = count + 1
            st.rerun()
