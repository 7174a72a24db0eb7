"""The page Assignments in a browser: give work out, give it to others, undo; what annotators see of it; by keys."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.records import people, tags
from data.records.access import Person
from data.records.datasets import Dataset
from data.store import open_store
from pages.assignments import dialogs
from pages.ui import session
from tests.data.assignments.test_assignments import answer, take, workspace
from tests.pages.desk_driver import at_rest, enter
from tests.server import Server

FORMULA = "=cmd()"


def test_who_takes_over_from_somebody_without_tags_is_not_said_to_lack_one(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(st, "multiselect", lambda *_, **__: [])
    monkeypatch.setattr(st, "caption", notes.append)
    for tags_ in ((), ("日本語",)):
        assignment: Any = SimpleNamespace(assignee="ann", tags=tags_)
        dialogs._reassign(Dataset("d", "demo", "", False), Person("lea", "lead", True), assignment, [])
    assert notes == [
        "Nobody else is ready\\. Choose who takes over.",
        "Nobody who is ready has one of their tags\\. Choose who takes over.",
    ]


def draw_undo() -> None:
    """What was given out last, as the page draws it."""

    from data.records import datasets
    from pages.assignments import page
    from pages.ui import session

    page._undo(datasets.all_datasets(session.whole_store())[0], session.me())


def test_whom_work_was_given_to_stands_before_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name from right to left took "and 1 other" with it: lea gave 12 items to and 1 other, and then the name."""
    store, dataset = workspace(tmp_path / "assay.duckdb", 12)
    names = "דנה", "משה"
    for name in names:
        people.set_person(store, "lea", name, "annotator")
    assignments.assign(store, "lea", dataset, "review", Selection(), AssignmentTerms(names))
    monkeypatch.setattr(session, "store", lambda: store)
    monkeypatch.setattr(session, "whole_store", lambda: store)
    monkeypatch.setattr(session, "me", lambda: Person("lea", "lead", True))
    [line] = [caption.value for caption in AppTest.from_function(draw_undo, default_timeout=60).run().caption]
    assert line.startswith("**lea** gave 12 items to \u2068דנה\u2069 and 1 other · ")
    store.close()


@pytest.fixture
def team(serve: Callable[..., Server]) -> Server:
    """The app with twelve items in three languages: half of them ann's and ben's, cyd has skipped all of theirs."""
    app = serve(start=False)
    store, dataset = workspace(app.store_path, 24)
    people.set_person(store, "lea", FORMULA, "annotator")
    tags.set_tags(store, "lea", "ben", ["日本語"])
    give = assignments.assign
    both = AssignmentTerms(("ann", "ben"), note="読みやすさを先に")
    give(store, "rex", dataset, "review", Selection("language", "ja"), both)
    give(store, "rex", dataset, "review", Selection("language", "en"), AssignmentTerms(("cyd",)))
    for name, n, action in (("ann", 1, "save"), ("cyd", 8, "skip")):
        for item in take(store, name, dataset, n):
            answer(store, name, item, action)
    store.close()
    app.start()
    return app


def counts(app: Server) -> dict[str, tuple[int, int]]:
    """Assignee -> items, and those left, of all that has not ended."""
    app.stop()
    store = open_store(app.store)
    [(dataset,)] = store.rows("select id from dataset")
    counts = {a.assignee: (a.total, a.left) for a in assignments.current_assignments(store, str(dataset))}
    store.close()
    return counts


@pytest.mark.slow
def test_a_researcher_gives_work_out_gives_it_to_others_and_undoes_it(team: Server, page: Any) -> None:
    enter(page, team.url, "rex", "assignments")
    table = page.get_by_role("table", name="People and their progress")
    expect(table.get_by_role("row").nth(1)).to_contain_text("cydstuck0 of 8")
    expect(page.get_by_role("button", name="Tags and shares")).to_have_count(0)  # a lead's
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert {row["person"] for row in rows} >= {"ann", "'" + FORMULA} and "state" in rows[0]

    dash = table.get_by_text("–", exact=True).filter(visible=True)
    expect(dash).not_to_have_count(0)
    page.set_viewport_size({"width": 720, "height": 900})  # where rows are blocks, what is not there is left out
    expect(dash).to_have_count(0)
    before = "(cells) => cells.map((cell) => [getComputedStyle(cell, '::before').content, cell.dataset.title])"
    titles = table.locator("td").filter(visible=True).evaluate_all(before)
    assert {title for content, title in titles if content == f'"{title} "'} >= {"State", "Left", "Per item", "Due"}
    page.set_viewport_size({"width": 1440, "height": 900})

    page.get_by_role("button", name="Assign work").click()
    dialog = page.get_by_role("dialog")
    whom = dialog.get_by_role("combobox", name="To whom")
    for name in ("cyd", "lea"):  # by keys alone
        whom.press_sequentially(name)
        whom.press("Enter")
        dialog.get_by_text(name, exact=True).first.wait_for()
        at_rest(page)
    whom.press("Tab")
    dialog.get_by_text("This gives out 16 items.").wait_for()
    dialog.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("16 items assigned.").wait_for()
    expect(table.get_by_role("row", name="lea")).to_contain_text("8 of 8")

    table.get_by_role("button", name="ann").click()
    dialog.get_by_text("読みやすさを先に").wait_for(state="attached")
    dialog.get_by_role("button", name="Give 3 items to others").click()
    page.get_by_text("Given to others.").wait_for()
    expect(table.get_by_role("row", name="ann")).not_to_contain_text("3 of")
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_text("Undone.").wait_for()
    expect(table.get_by_role("row", name="ann")).to_contain_text("3 of 4")
    assert counts(team)["ann"] == (4, 3)


@pytest.mark.slow
def test_what_two_change_of_one_person_at_once_is_both_kept(team: Server, new_page: Callable[..., Any]) -> None:
    """Who added a tag wrote the share of before over the one that another lead had set meanwhile."""
    one, other = new_page(), new_page()
    for page in (one, other):
        enter(page, team.url, "lea", "assignments")
        page.get_by_role("button", name="Tags and shares").click()
        page.get_by_role("spinbutton", name="Share of what is spread over several").wait_for()
        at_rest(page)
    other.get_by_role("spinbutton", name="Share of what is spread over several").fill("0.5")
    other.keyboard.press("Tab")
    at_rest(other)
    other.get_by_role("button", name="Save").click()
    other.get_by_role("dialog").wait_for(state="detached")
    tag = one.get_by_role("combobox", name="Tags")
    tag.press_sequentially("law")
    tag.press("Enter")
    tag.press("Tab")  # closes the list, beside which nothing else can be read
    expect(one.get_by_role("spinbutton", name="Share of what is spread over several")).to_have_value("0.50")
    at_rest(one)
    one.get_by_role("button", name="Save").click()
    one.get_by_role("dialog").wait_for(state="detached")
    team.stop()
    store = open_store(team.store)
    assert ("law",) in [stored.tags for stored in tags.all_tags(store).values() if stored.share == 0.5]
    store.close()


@pytest.mark.slow
def test_annotators_see_what_is_theirs_and_no_more(team: Server, page: Any) -> None:
    enter(page, team.url, "ann", "overview")
    expect(page.get_by_text("3 of 4 assigned items left")).to_be_visible()
    expect(page.get_by_text("読みやすさを先に")).to_be_visible()
    page.goto(f"{team.url}/desk?dataset=demo&stream=review")
    expect(page.get_by_text("3 of 4 assigned items left")).to_be_visible()
    page.goto(f"{team.url}/assignments")
    expect(page.get_by_text("researcher", exact=False).first).to_be_visible()
    expect(page.get_by_role("table", name="People and their progress")).to_have_count(0)


def test_a_workspace_without_anything_leads_on(serve: Callable[..., Server], page: Any) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    store.close()
    app.start()
    enter(page, app.url, "lea", "assignments")
    expect(page.get_by_text("There is no dataset yet.")).to_be_visible()
