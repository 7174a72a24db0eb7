"""The router: who are you, which pages are yours, run."""

from __future__ import annotations

import streamlit as st

from judges.errors import AssayError
from pages.evidence import calibration
from pages.label import desk, enter, overview, queue
from pages.lead import people, workspace
from pages.parts import links, session, text
from pages.workbench import intake

ROUTES = [
    # section, least role, page, title, address, icon
    ("Label", "annotator", overview.page, "Overview", "overview", ":material/home:"),
    ("Label", "annotator", desk.page, "Review desk", "desk", ":material/rate_review:"),
    ("Label", "annotator", queue.page, "Queues", "queue", ":material/inbox:"),
    ("Evidence", "annotator", calibration.page, "Calibration", "calibration", ":material/monitoring:"),
    ("Workbench", "researcher", intake.page, "Import", "import", ":material/upload_file:"),
    ("Lead", "annotator", people.page, "People", "people", ":material/group:"),
    ("Lead", "lead", workspace.page, "Workspace", "workspace", ":material/database:"),
]


def run() -> None:
    """Show the page that the address names, or the name picker to somebody who has not entered."""
    st.set_page_config(page_title="Assay", page_icon=":material/balance:", layout="wide")
    who = session.person()
    enter.remember()
    if who is None:
        # Under every address, so that a link leads to its page once the name is known.
        doors = [st.Page(enter.page, title=t, url_path=a, default=p is overview.page) for _, _, p, t, a, _ in ROUTES]
        st.navigation(doors, position="hidden").run()
        return
    sections: dict[str, list[st.Page]] = {}
    mine = {}
    for section, role, page, title, address, icon in ROUTES:
        if who.may(role):
            mine[address] = st.Page(page, title=title, url_path=address, icon=icon, default=page is overview.page)
            sections.setdefault(section, []).append(mine[address])
    links.register(mine)
    chosen = st.navigation(sections)
    enter.badge(who)
    try:
        chosen.run()
    except AssayError as error:
        text.refuse(error)


run()
