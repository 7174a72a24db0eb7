"""Import: files are shown as they would be stored, with every line that cannot be, before anything is written."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data import intake, start
from data.intake import Plan, log
from judges.counted import many
from judges.errors import AssayError
from pages.parts import clock, giving, importing, links, session, text
from pages.parts.uploads import Tray

TYPES = ["jsonl", "ndjson", "json", "csv", "tsv", "parquet"]


def page() -> None:
    """Upload, say what it is, look at what it becomes, import."""
    who, kept = session.me("researcher"), session.scratch("import")
    st.title("Import", anchor=False)
    if kept.get("done"):
        importing.done(kept["done"])
    uploads = st.file_uploader(
        "Files, several at once: tables (CSV, Parquet, JSON), JSON lines, chats, traces and exports of other tools",
        TYPES,
        accept_multiple_files=True,
        key=f"upload:{kept.setdefault('turn', 0)}",
    )
    if uploads or ("tray" in kept and "found" not in kept):
        _look(kept, uploads)
        st.rerun()
    if kept.get("refused"):
        text.refuse(kept["refused"])
    if "found" not in kept:
        importing.formats()
        importing.earlier(log.imports(session.store()), clock.zone())
        return
    if importing.files(kept["found"]):
        _put_away(kept)
        st.rerun()
    try:
        plan = importing.plan(kept["found"], kept["outline"], f"import:{kept['turn']}")
    except AssayError as error:
        text.refuse(error)
        return
    if plan is not None:
        _import(who.name, kept, plan)


def _look(kept: dict[str, Any], uploads: list[Any]) -> None:
    """Take over what was uploaded, and find out what it is; what is nothing is removed again."""
    try:
        if uploads:
            for name in ("done", "refused", "found", "key"):
                kept.pop(name, None)
            kept["turn"] += 1
            kept.setdefault("tray", Tray()).add(uploads)
        with importing.progress("Looking at the files") as seen:
            source, store = kept["tray"].source, session.store()
            kept["found"] = intake.detect(source, progress=seen, waits=seen.waits)
            kept["outline"] = start.understood(store, source, kept["found"], progress=seen, waits=seen.waits)
    except AssayError as error:
        _put_away(kept)
        kept["refused"] = error


def _put_away(kept: dict[str, Any]) -> None:
    for name in ("tray", "found", "outline", "key", "preview", "refused", "rejects"):
        kept.pop(name, None)


def _import(who: str, kept: dict[str, Any], plan: Plan) -> None:
    """Show what the files would become, once for each plan; import it when that is asked for."""
    if kept.get("key") != (plan, who):
        with importing.progress("Reading") as seen, giving.making("rejected.jsonl") as file:
            kept.update(importing.read(kept["tray"].source, plan, who, kept["found"], file, seen))
        kept["key"] = (plan, who)
    if kept["refused"]:
        text.refuse(kept["refused"])
        return
    shown = kept["preview"]
    intake.looked(session.store(), who, plan.dataset, shown)
    importing.preview(shown, kept["rejects"])
    if shown.stopped or not shown.new.total:
        return
    label = "Import all" if shown.ok else f"Import {many(shown.new.total, 'good row')}"
    wanted = st.button(text.plain(label), type="primary", icon=":material/download_done:")
    importing.examples(shown)
    if not wanted:
        return
    rest, new = ("refuse" if shown.ok else "good rows"), start.first(session.store(), plan.dataset)
    try:
        with importing.progress("Importing") as seen:
            kept["done"] = intake.take(
                session.store(), who, kept["tray"].source, plan, rest, seen, found=kept["found"], waits=seen.waits
            )
        intake.looked(session.store(), who, plan.dataset, shown)
        way = start.way(session.store(), who, kept["done"].dataset_id, draw=new)
    except AssayError as error:
        text.refuse(error)
        return
    _put_away(kept)
    if way is not None:
        links.go(way.page, **way.query)
    st.rerun()
