"""Import: files are shown as they would be stored, with every line that cannot be, before anything is written."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import streamlit as st

from data import datasets, intake
from data.intake import Plan, Source
from judges.counted import many
from judges.errors import AssayError
from pages.parts import importing, mapping, session, text

TYPES = ["jsonl", "ndjson", "json", "csv", "tsv", "parquet"]
NEW = "A new dataset"


def page() -> None:
    """Upload, say what it is, look at what it becomes, import."""
    who, store, kept = session.me("researcher"), session.store(), session.scratch("import")
    st.title("Import")
    if kept.get("done"):
        importing.done(kept["done"])
    uploads = st.file_uploader(
        "Files: Assay's JSON lines, chats with messages, CSV, Parquet, JSON, or FastChat's files (several at once)",
        TYPES,
        accept_multiple_files=True,
        key=f"upload:{kept.setdefault('turn', 0)}",
    )
    if not uploads:
        importing.formats()
        return
    kept.pop("done", None)
    source = intake.from_bytes([(file.name, file.getvalue()) for file in uploads])
    found = intake.detect(source)
    importing.files(found)
    plan = _plan(found)
    if plan is None:
        return
    key = (tuple(file.file_id for file in uploads), plan, who.name)
    if kept.get("key") != key:
        rejects = BytesIO()
        with importing.progress("Reading") as seen:
            shown = intake.preview(store, source, plan, seen, rejects, who.name)
        kept.update(preview=shown, rejects=rejects.getvalue(), key=key)
    shown = kept["preview"]
    importing.preview(shown, kept["rejects"])
    if not shown.new.total:
        return
    label = "Import all" if shown.ok else f"Import {many(shown.new.total, 'good row')}"
    if st.button(text.plain(label), type="primary", icon=":material/download_done:"):
        _take(who.name, source, plan, shown.ok)


def _take(who: str, source: Source, plan: Plan, whole: bool) -> None:
    """Write, then begin anew with what was done in view."""
    kept = session.scratch("import")
    try:
        with importing.progress("Importing") as seen:
            kept["done"] = intake.take(session.store(), who, source, plan, "refuse" if whole else "good rows", seen)
    except AssayError as error:
        text.refuse(error)
        return
    kept["turn"] += 1
    st.rerun()


def _plan(found: list[intake.Known]) -> Plan | None:
    """What the person decides: the dataset, how its labelled items were chosen, what columns mean; None until it is."""
    store = session.store()
    known = [dataset.name for dataset in datasets.all_datasets(store)]
    left, right = st.columns(2)
    chosen = left.selectbox("Into", [NEW, *known], key="import:into")
    name = right.text_input("Its name", key="import:name").strip() if chosen == NEW else chosen
    sampling = st.radio(
        "If the files hold people's answers: how were the items chosen that people answered?",
        intake.SAMPLINGS,
        format_func=importing.SAMPLING.get,
        index=3,
        key="import:sampling",
        help="Only answers on all items, or on random ones, can count for the gate.",
    )
    plan = Plan(name, sampling=sampling)
    for table in (one for one in found if one.format == "table"):
        st.subheader("What its columns mean")
        st.text(table.file.name)
        made, faults = mapping.editor(table, intake.beginning(store, table))
        if faults:
            for fault in faults:
                st.text(fault)
            return None
        mapping.becomes(table, made)
        plan = replace(plan, mappings=(*plan.mappings, made))
    if not name:
        text.quiet("Give the new dataset a name to see what would be imported.")
        return None
    return plan.check()
