"""The router: who are you, which pages are yours, run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from data.records.access import Role
from judges.errors import AssayError
from pages.adjudication import page as adjudication_page
from pages.annotators import page as annotators_page
from pages.approvals import page as approvals_page
from pages.assignments import page as assignments_page
from pages.audits import page as audits_page
from pages.calibration import page as calibration_page
from pages.cards import page as cards_page
from pages.comparison import page as comparison_page
from pages.dashboard import page as dashboard_page
from pages.desk import page as desk_page
from pages.exporting import page as exporting_page
from pages.importing import page as importing_page
from pages.me import page as me_page
from pages.me import sign_in
from pages.mtbench import page as mtbench_page
from pages.overview import page as overview_page
from pages.people import page as people_page
from pages.queue import page as queue_page
from pages.runs import page as runs_page
from pages.server import assets
from pages.trail import page as trail_page
from pages.ui import session, text, url_state
from pages.ui.sheet.unsent import save_unsent
from pages.workspace import page as workspace_page

OWN_SECTION = "own"
"""The section that bears the person's own name, at the right end."""
ROUTES: list[tuple[str, Role, Callable[[], None], str, str, str]] = [
    # section, least role, page, title, address, icon
    ("", "annotator", overview_page.page, "Overview", "overview", ":material/home:"),
    ("", "annotator", desk_page.page, "Review desk", "desk", ":material/rate_review:"),
    ("", "annotator", queue_page.page, "Queues", "queue", ":material/inbox:"),
    ("", "researcher", adjudication_page.page, "Adjudication", "adjudication", ":material/balance:"),
    ("", "annotator", dashboard_page.page, "Dashboard", "dashboard", ":material/dashboard:"),
    ("Evidence", "annotator", calibration_page.page, "Calibration", "calibration", ":material/monitoring:"),
    ("Evidence", "annotator", comparison_page.page, "Comparison", "comparison", ":material/compare:"),
    ("Evidence", "annotator", mtbench_page.page, "MT-Bench", "mtbench", ":material/leaderboard:"),
    ("Evidence", "annotator", audits_page.page, "Audits", "audits", ":material/troubleshoot:"),
    ("Evidence", "researcher", annotators_page.page, "Annotators", "annotators", ":material/groups:"),
    ("Evidence", "annotator", approvals_page.page, "Approvals", "approvals", ":material/verified:"),
    ("Judges", "researcher", runs_page.page, "Runs", "runs", ":material/play_circle:"),
    ("Judges", "annotator", cards_page.page, "Cards", "cards", ":material/style:"),
    ("Workspace", "researcher", assignments_page.page, "Assignments", "assignments", ":material/assignment_ind:"),
    ("Workspace", "researcher", importing_page.page, "Import", "import", ":material/upload_file:"),
    ("Workspace", "researcher", exporting_page.page, "Export", "export", ":material/download:"),
    ("Workspace", "annotator", people_page.page, "People", "people", ":material/group:"),
    ("Workspace", "researcher", trail_page.page, "Audit log", "trail", ":material/history:"),
    ("Workspace", "lead", workspace_page.page, "Workspace", "workspace", ":material/database:"),
    (OWN_SECTION, "annotator", me_page.page, "Your labels", "me", ":material/account_circle:"),
    (OWN_SECTION, "annotator", sign_in.sign_out, "Sign out", "sign-out", ":material/logout:"),
]
SAVERS = {"desk": ("answers", desk_page.save_sent), "adjudication": ("acts", adjudication_page.save_sent)}
"""By address the pages whose browser keeps what is not saved: what it keeps, and what saves it."""
ICON = str(Path(__file__).parent / "server" / "icon.svg")
HOME = overview_page.page
"""The page at the root address, whatever its own is."""
ROOT = "root"
"""Streamlit shows its default page at no other address than the root, and keeps the one that it is given for itself."""


def run() -> None:
    """Show the page that the address names, or the name picker to somebody who has not entered."""
    st.set_page_config(page_title="Assay", page_icon=ICON, layout="wide")
    _set_scheme()
    me = session.person()
    sign_in.set_cookie()
    if me is None:
        # Under every address, so that a link leads to its page once the name is known.
        doors = [st.Page(sign_in.page, title="Assay", url_path=a) for _, _, _, _, a, _ in ROUTES]
        doors.append(st.Page(sign_in.page, title="Assay", url_path=ROOT, default=True))
        _show_version()
        door = st.navigation(doors, position="hidden")
        url_state.register_current(door)
        door.run()
        return
    name = f":material/account_circle: {text.escape(text.shorten(me.name, 14))}"
    own_pages = {
        a: st.Page(page, title=title, url_path=ROOT if page is HOME else a, icon=icon, default=page is HOME)
        for _, role, page, title, a, icon in ROUTES
        if me.may(role)
    }
    url_state.register_pages(own_pages)
    menu: dict[str, list[st.Page]] = {"": []}
    for section, role, _, title, address, _ in ROUTES:
        # In the menu of those who may; others who follow a link to it learn whose it is.
        closed = st.Page(partial(sign_in.refuse_page, title, role), title=title, url_path=address, visibility="hidden")
        menu_page = own_pages.get(address, closed)
        menu.setdefault(name if section == OWN_SECTION else section, []).append(menu_page)
    menu[""] += [st.Page(_home, url_path=a, visibility="hidden") for _, _, p, _, a, _ in ROUTES if p is HOME]
    page = st.navigation(menu, position="top")
    url_state.register_current(page)
    if page is not own_pages["desk"]:  # every line of it is the item's
        _show_version()
    if savers := {sort: save for a, (sort, save) in SAVERS.items() if a in own_pages and page is not own_pages[a]}:
        save_unsent(me, page.url_path, savers)
    st.set_page_config(page_title=f"{page.title} · Assay")
    page.run()


def _set_scheme() -> None:
    """Say which theme is on, as frame.css chooses colours by it; the style takes no room on the page."""
    if st.context.theme.type == "dark":
        st.html("<style>:root { color-scheme: dark }</style>")
    else:
        st.html("<style>:root { color-scheme: light }</style>")


def _show_version() -> None:
    """Say the version at the foot of the page, which takes no room on it."""
    st.html(assets.FOOTER)


def _home() -> None:
    """The home page's own address: on to the root, where it stands."""
    url_state.open_page(next(address for _, _, page, _, address, _ in ROUTES if page is HOME))


try:
    run()
except AssayError as error:
    text.refuse(error)
