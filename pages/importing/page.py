"""Import: files are shown as they would be stored, with every line that cannot be, before anything is written."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from data.importing import importing, report, start
from data.importing.detection.detection import take_answers
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
    me, state = session.me("researcher"), session.scratch("import")
    st.title("Import", anchor=False)
    if state.get("done"):
        views.show_result(state["done"])
    uploads = st.file_uploader(
        "Files, several at once: tables (CSV, Parquet, JSON), JSON lines, chats, traces and exports of other tools",
        SUFFIXES,
        accept_multiple_files=True,
        key=f"upload:{state.setdefault('turn', 0)}",
    )
    if uploads or ("tray" in state and "found" not in state):
        _detect_uploads(state, uploads)
        st.rerun()
    if state.get("refused"):
        text.refuse(state["refused"])
    if "found" not in state:
        views.describe_formats()
        views.draw_imports(report.list_imports(session.store()))
        return
    if views.list_files(state["found"]):
        _discard_uploads(state)
        st.rerun()
    with text.refusals():
        plan = views.choose_plan(state["found"], state["outline"], f"import:{state['turn']}")
        if plan is not None:
            _import(me.name, state, plan)


def _detect_uploads(state: dict[str, Any], uploads: list[Any]) -> None:
    """Take over what was uploaded, and find out what it is; what is nothing is removed again."""
    try:
        if uploads:
            for name in ("done", "refused", "found", "key"):
                state.pop(name, None)
            state["turn"] += 1
            state.setdefault("tray", Tray()).add(uploads)
        with views.ReadingProgress("Looking at the files") as seen:
            source, store = state["tray"].source, session.store()
            state["found"] = take_answers(importing.detect_formats(source, progress=seen, waits=seen.show_waiting))
            state["outline"] = start.interpret_source(
                store, source, state["found"], progress=seen, waits=seen.show_waiting
            )
    except AssayError as error:
        _discard_uploads(state)
        state["refused"] = error


def _discard_uploads(state: dict[str, Any]) -> None:
    for name in ("tray", "found", "outline", "key", "preview", "refused", "rejects"):
        state.pop(name, None)


def _import(actor: str, state: dict[str, Any], plan: ImportPlan) -> None:
    """Show what the files would become, once for each plan; import it when that is asked for."""
    if state.get("key") != (plan, actor):
        with views.ReadingProgress("Reading") as seen, downloads.temporary_file("rejected.jsonl") as file:
            state.update(views.read_preview(state["tray"].source, plan, actor, state["found"], file, seen))
        state["key"] = (plan, actor)
    if state["refused"]:
        text.refuse(state["refused"])
        return
    shown = state["preview"]
    importing.record_preview(session.store(), actor, plan.dataset, shown)
    views.show_preview(shown, state["rejects"])
    if shown.stopped or not shown.new.total:
        return
    label = "Import all" if shown.ok else f"Import {many(shown.new.total, 'good row')}"
    is_confirmed = st.button(text.escape(label), type="primary", icon=":material/download_done:")
    views.show_examples(shown)
    if not is_confirmed:
        return
    rest: Literal["refuse", "good rows"] = "refuse" if shown.ok else "good rows"
    new = start.is_first_import(session.store(), plan.dataset)
    with views.ReadingProgress("Importing") as seen:
        state["done"] = importing.import_source(
            session.store(), actor, state["tray"].source, plan, rest, seen, detected=state["found"],
            waits=seen.show_waiting,
        )  # fmt: skip
    importing.record_preview(session.store(), actor, plan.dataset, shown)
    step = start.next_step(session.store(), actor, state["done"].dataset_id, draw=new)
    _discard_uploads(state)
    if step is not None:
        url_state.open_page(step.page, **step.query)
    st.rerun()
