"""Import: files are shown as they would be stored, with every line that cannot be, before anything is written."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from data.importing import importing, report, start
from data.importing.files.source import SUFFIXES
from data.importing.plan import ImportPlan
from judges.errors import AssayError
from judges.plural import many
from pages.importing import views
from pages.server import downloads
from pages.server.uploads import Tray
from pages.ui import session, text, url_state


def page() -> None:
    """Upload, say what it is, look at what it becomes, import."""
    me, kept = session.me("researcher"), session.scratch("import")
    st.title("Import", anchor=False)
    if kept.get("done"):
        views.show_result(kept["done"])
    uploads = st.file_uploader(
        "Files, several at once: tables (CSV, Parquet, JSON), JSON lines, chats, traces and exports of other tools",
        SUFFIXES,
        accept_multiple_files=True,
        key=f"upload:{kept.setdefault('turn', 0)}",
    )
    if uploads or ("tray" in kept and "found" not in kept):
        _detect_uploads(kept, uploads)
        st.rerun()
    if kept.get("refused"):
        text.refuse(kept["refused"])
    if "found" not in kept:
        views.describe_formats()
        views.draw_imports(report.list_imports(session.store()), text.time_zone())
        return
    if views.list_files(kept["found"]):
        _discard_uploads(kept)
        st.rerun()
    with text.refusals():
        plan = views.choose_plan(kept["found"], kept["outline"], f"import:{kept['turn']}")
        if plan is not None:
            _import(me.name, kept, plan)


def _detect_uploads(kept: dict[str, Any], uploads: list[Any]) -> None:
    """Take over what was uploaded, and find out what it is; what is nothing is removed again."""
    try:
        if uploads:
            for name in ("done", "refused", "found", "key"):
                kept.pop(name, None)
            kept["turn"] += 1
            kept.setdefault("tray", Tray()).add(uploads)
        with views.show_import_progress("Looking at the files") as seen:
            source, store = kept["tray"].source, session.store()
            kept["found"] = importing.detect_formats(source, progress=seen, waits=seen.show_waiting)
            kept["outline"] = start.interpret_source(
                store, source, kept["found"], progress=seen, waits=seen.show_waiting
            )
    except AssayError as error:
        _discard_uploads(kept)
        kept["refused"] = error


def _discard_uploads(kept: dict[str, Any]) -> None:
    for name in ("tray", "found", "outline", "key", "preview", "refused", "rejects"):
        kept.pop(name, None)


def _import(actor: str, kept: dict[str, Any], plan: ImportPlan) -> None:
    """Show what the files would become, once for each plan; import it when that is asked for."""
    if kept.get("key") != (plan, actor):
        with views.show_import_progress("Reading") as seen, downloads.temporary_file("rejected.jsonl") as file:
            kept.update(views.read_preview(kept["tray"].source, plan, actor, kept["found"], file, seen))
        kept["key"] = (plan, actor)
    if kept["refused"]:
        text.refuse(kept["refused"])
        return
    shown = kept["preview"]
    importing.record_preview(session.store(), actor, plan.dataset, shown)
    views.show_preview(shown, kept["rejects"])
    if shown.stopped or not shown.new.total:
        return
    label = "Import all" if shown.ok else f"Import {many(shown.new.total, 'good row')}"
    is_confirmed = st.button(text.escape(label), type="primary", icon=":material/download_done:")
    views.show_examples(shown)
    if not is_confirmed:
        return
    rest: Literal["refuse", "good rows"] = "refuse" if shown.ok else "good rows"
    new = start.is_first_import(session.store(), plan.dataset)
    with views.show_import_progress("Importing") as seen:
        kept["done"] = importing.import_source(
            session.store(), actor, kept["tray"].source, plan, rest, seen, detected=kept["found"],
            waits=seen.show_waiting,
        )  # fmt: skip
    importing.record_preview(session.store(), actor, plan.dataset, shown)
    step = start.next_step(session.store(), actor, kept["done"].dataset_id, draw=new)
    _discard_uploads(kept)
    if step is not None:
        url_state.open_page(step.page, **step.query)
    st.rerun()
