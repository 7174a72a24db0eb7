"""The guidelines of a dataset in a dialog: people read them, leads write them, and every version can be looked at."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.records import guidelines
from data.records.access import Person
from data.records.datasets import Dataset
from data.records.guidelines import MAX_GUIDELINES_LENGTH, GuidelinesVersion
from pages.ui import session, sheet, text

HELP = "How to rate in this dataset. At the desk, one key (h) opens them."
EMPTY = (
    "No guidelines yet. They say what the ratings mean here, with examples, and what to do in doubt. Annotators can "
    "open them with one key."
)


def open_button(dataset: Dataset, me: Person) -> None:
    """The button that opens them."""
    if st.button("Guidelines", icon=":material/menu_book:", help=HELP):
        draft = _draft(dataset)
        if draft.get("text") == draft.get("base"):
            draft.clear()
        _dialog(dataset, me)


def _draft(dataset: Dataset) -> dict[str, Any]:
    """Return this tab's draft: `text`, the saved text that it began with (`base`), and the number of that (`count`)."""
    return session.scratch(f"guidelines:{dataset.id}")


@text.dialog("Guidelines", width="large")
def _dialog(dataset: Dataset, me: Person) -> None:
    versions = guidelines.guidelines_history(session.store(), dataset.id)
    now = versions[0].text if versions else ""
    if not now:
        st.info(EMPTY, icon=":material/menu_book:")
    if me.may("lead"):
        _write(dataset, me, versions)
    elif now:
        _read(now, "guidelines:now")
    _history(versions)


def _write(dataset: Dataset, me: Person, versions: list[GuidelinesVersion]) -> None:
    now, draft = versions[0].text if versions else "", _draft(dataset)
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
        _read(draft["text"], "guidelines:preview")
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


def _history(versions: list[GuidelinesVersion]) -> None:
    if not versions:
        return
    zone = text.time_zone()
    with st.expander(text.escape(f"Versions ({len(versions)})")):
        by = {v.number: f"version {v.number} · {v.person} · {text.moment(v.at, zone)}" for v in versions}
        chosen = st.selectbox("Version", list(by), format_func=by.__getitem__, label_visibility="collapsed")
        shown = next(v for v in versions if v.number == chosen)
        if shown.text:
            _read(shown.text, "guidelines:version")
        else:
            st.caption("Withdrawn: from here on there were none.")


def _read(content: str, key: str) -> None:
    """The text as the desk shows it, never as Streamlit's Markdown, which would fetch what it names."""
    with st.container(border=True, height=340):
        sheet.markdown(content, key)
