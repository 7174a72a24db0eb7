"""The router: who are you, which pages are yours, run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from judges.errors import AssayError
from pages.evidence import audits, calibration, comparison
from pages.label import adjudication, annotators, desk, enter, overview, own, queue
from pages.lead import approvals, dashboard, people, trail, workspace
from pages.parts import links, scheme, session, text
from pages.workbench import cards, export, intake, runs

OWN = "own"
"""The section that bears the person's own name, at the right end."""
ROUTES = [
    # section, least role, page, title, address, icon
    ("", "annotator", overview.page, "Overview", "overview", ":material/home:"),
    ("", "annotator", desk.page, "Review desk", "desk", ":material/rate_review:"),
    ("", "annotator", queue.page, "Queues", "queue", ":material/inbox:"),
    ("", "researcher", adjudication.page, "Adjudication", "adjudication", ":material/balance:"),
    ("", "annotator", dashboard.page, "Dashboard", "dashboard", ":material/dashboard:"),
    ("Evidence", "annotator", calibration.page, "Calibration", "calibration", ":material/monitoring:"),
    ("Evidence", "annotator", comparison.page, "Comparison", "comparison", ":material/compare:"),
    ("Evidence", "annotator", audits.page, "Audits", "audits", ":material/troubleshoot:"),
    ("Evidence", "researcher", annotators.page, "Annotators", "annotators", ":material/groups:"),
    ("Evidence", "annotator", approvals.page, "Approvals", "approvals", ":material/verified:"),
    ("Judges", "researcher", runs.page, "Runs", "runs", ":material/play_circle:"),
    ("Judges", "annotator", cards.page, "Cards", "cards", ":material/style:"),
    ("Workspace", "researcher", intake.page, "Import", "import", ":material/upload_file:"),
    ("Workspace", "researcher", export.page, "Export", "export", ":material/download:"),
    ("Workspace", "annotator", people.page, "People", "people", ":material/group:"),
    ("Workspace", "researcher", trail.page, "Audit log", "trail", ":material/history:"),
    ("Workspace", "lead", workspace.page, "Workspace", "workspace", ":material/database:"),
    (OWN, "annotator", own.page, "Your labels", "me", ":material/account_circle:"),
    (OWN, "annotator", enter.leave, "Sign out", "sign-out", ":material/logout:"),
]
ICON = str(Path(__file__).parent / "parts" / "icon.svg")
HOME = overview.page
"""The page at the root address, whatever its own is."""
ROOT = "root"
"""Streamlit shows its default page at no other address than the root, and keeps the one that it is given for itself."""


def run() -> None:
    """Show the page that the address names, or the name picker to somebody who has not entered."""
    st.set_page_config(page_title="Assay", page_icon=ICON, layout="wide")
    scheme.draw()
    who = session.person()
    enter.remember()
    if who is None:
        # Under every address, so that a link leads to its page once the name is known.
        doors = [st.Page(enter.page, title="Assay", url_path=a) for _, _, _, _, a, _ in ROUTES]
        doors.append(st.Page(enter.page, title="Assay", url_path=ROOT, default=True))
        st.navigation(doors, position="hidden").run()
        return
    name = f":material/account_circle: {text.plain(text.short(who.name, 14))}"
    mine = {
        a: st.Page(page, title=title, url_path=ROOT if page is HOME else a, icon=icon, default=page is HOME)
        for _, role, page, title, a, icon in ROUTES
        if who.may(role)
    }
    links.register(mine)
    menu: dict[str, list[st.Page]] = {"": []}
    for section, role, _, title, address, _ in ROUTES:
        # In the menu of those who may; others who follow a link to it learn whose it is.
        closed = st.Page(partial(enter.closed, title, role), title=title, url_path=address, visibility="hidden")
        found = mine.get(address, closed)
        menu.setdefault(name if section == OWN else section, []).append(found)
    menu[""] += [st.Page(_home, url_path=a, visibility="hidden") for _, _, p, _, a, _ in ROUTES if p is HOME]
    page = st.navigation(menu, position="top")
    st.set_page_config(page_title=f"{page.title} · Assay")
    page.run()


def _home() -> None:
    """The home page's own address: on to the root, where it stands."""
    links.go(next(address for _, _, page, _, address, _ in ROUTES if page is HOME))


try:
    run()
except AssayError as error:
    text.refuse(error)
