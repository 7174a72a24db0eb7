"""The people page and the name picker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from data.approvals import policy
from data.approvals.rules import Requirements
from data.records import people
from data.records.access import Role
from data.store import open_store
from tests.pages.desk_driver import at_rest, enter
from tests.server import Server

Serve = Callable[..., Server]
NAMES = ["美香", "José O'Hara"]


def app_with_people(serve: Serve, names: list[str]) -> Server:
    """The app with these people, the first of them lead."""
    app = serve(start=False)
    store = open_store(app.store)
    for name in names:
        people.join_workspace(store, name)
    store.close()
    app.start()
    return app


@pytest.fixture(scope="module")
def four(serve_all: Serve) -> Server:
    """The app with four people, of whom nobody is added, changed or deactivated."""
    return app_with_people(serve_all, ["lea", "ann", *NAMES])


def roles(app: Server) -> dict[str, tuple[str, bool]]:
    app.stop()
    store = open_store(app.store)
    roles = {p.name: (p.role, p.active) for p in people.all_people(store, active=False)}
    store.close()
    return roles


def pick(page: Any, name: str) -> None:
    """Select somebody in the table, which opens the dialog."""
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_role("dialog").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_remembered_by_the_browser(four: Server, new_page: Callable[..., Any], name: str) -> None:
    page = new_page()
    page.goto(four.url)
    page.get_by_role("button", name=name).click()
    page.get_by_role("heading", name="Overview").wait_for()
    page.wait_for_function("() => document.cookie.includes('assay_name=')")
    tab = page.context.new_page()
    tab.goto(f"{four.url}/people")
    tab.get_by_role("heading", name="People").wait_for()
    # leaving forgets it, in this tab at once and for the next one
    tab.get_by_role("button", name=name).click()
    tab.get_by_text("Sign out").click()
    tab.get_by_text("Who are you?").wait_for()
    tab.wait_for_function("() => location.pathname === '/'")  # else entering again would sign out again
    tab.wait_for_function("() => !/assay_name=[^;]/.test(document.cookie)")
    tab.reload()
    tab.get_by_text("Who are you?").wait_for()


@pytest.mark.slow
def test_no_gap_is_left_by_the_cookie(four: Server, page: Any) -> None:
    page.goto(four.url)
    page.get_by_role("button", name="lea").click()
    heading = page.get_by_role("heading", name="Overview")
    heading.wait_for()
    page.wait_for_function("() => document.cookie.includes('assay_name=')")
    at_rest(page)
    after = heading.bounding_box()["y"]
    page.reload()
    heading.wait_for()
    at_rest(page)
    assert abs(heading.bounding_box()["y"] - after) < 4


@pytest.mark.slow
def test_one_of_sixty_is_found_by_typing(serve: Serve, page: Any) -> None:
    app = app_with_people(serve, ["lea", *(f"person {n:02}" for n in range(59)), "美香"])
    page.goto(app.url)
    field = page.get_by_role("combobox", name="Find your name")
    field.wait_for()
    at_rest(page)
    expect(page.get_by_role("button", name="person 07")).to_have_count(0)
    field.click()
    page.keyboard.type("美")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="美香").wait_for()


@pytest.mark.slow
def test_somebody_new_enters_as_annotator_and_a_bad_name_is_refused(serve: Serve, page: Any) -> None:
    app = app_with_people(serve, ["lea"])
    page.goto(app.url)
    field = page.get_by_label("Somebody else")
    field.fill("<b>")
    page.keyboard.press("Enter")
    page.get_by_text("cannot be a name").wait_for()
    field.fill("new one")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="new one").click()
    page.get_by_text("Your labels").click()
    page.get_by_text("Your role is annotator").wait_for()


def test_a_lead_adds_changes_and_deactivates(serve: Serve, page: Any) -> None:
    app = app_with_people(serve, ["lea", "ann"])
    enter(page, app.url, "lea", "people")
    page.get_by_text("only on this computer (127.0.0.1)").wait_for()
    page.get_by_role("button", name="Add a person").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("zoe")
    dialog.get_by_text("researcher", exact=True).click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    dialog.wait_for(state="detached")
    at_rest(page)
    pick(page, "ann")
    dialog.get_by_text("ann", exact=True).wait_for()
    dialog.get_by_role("button", name="Deactivate").click()
    dialog.wait_for(state="detached")
    at_rest(page)
    pick(page, "lea")
    dialog.get_by_text("lea", exact=True).wait_for()
    dialog.get_by_role("button", name="Deactivate").click()
    dialog.get_by_text("lea is the only lead").wait_for()
    assert roles(app) == {"ann": ("annotator", False), "lea": ("lead", True), "zoe": ("researcher", True)}


@pytest.mark.slow
def test_a_click_is_on_who_was_seen_there_whoever_was_added_since(
    serve: Serve, page: Any, new_page: Callable[..., Any]
) -> None:
    app = app_with_people(serve, ["lea", "mia"])
    enter(page, app.url, "lea", "people")
    at_rest(page)
    other = new_page()
    enter(other, app.url, "lea", "people")
    other.get_by_role("button", name="Add a person").click()
    other.get_by_role("dialog").get_by_label("Name").fill("ann")  # stands first from then on
    other.get_by_role("dialog").get_by_role("button", name="Add", exact=True).click()
    other.get_by_role("button", name="ann", exact=True).wait_for()
    pick(page, "lea")
    page.get_by_role("dialog").get_by_text("lea, lead").wait_for()


def test_everybody_sees_the_list_and_only_leads_can_change_it(four: Server, page: Any) -> None:
    enter(page, four.url, "ann", "people")
    page.get_by_role("cell", name="美香").wait_for()
    at_rest(page)
    for name in ("Add a person", "美香"):
        expect(page.get_by_test_id("stMain").get_by_role("button", name=name)).to_have_count(0)


@pytest.mark.slow
def test_who_is_deactivated_is_out_at_the_next_step(serve: Serve, new_page: Callable[..., Any]) -> None:
    app = app_with_people(serve, ["lea", "ann"])
    ann, lea = new_page(), new_page()
    enter(ann, app.url, "ann", "people")
    ann.get_by_role("heading", name="People").wait_for()
    enter(lea, app.url, "lea", "people")
    at_rest(lea)
    pick(lea, "ann")
    lea.get_by_role("dialog").get_by_role("button", name="Deactivate").click()
    lea.get_by_role("dialog").wait_for(state="detached")
    ann.get_by_role("link", name="Overview").click()
    ann.get_by_text("Who are you?").wait_for()


def app_with_proposal(serve: Serve, leads: list[str], person: str, role: Role) -> Server:
    """The app, where two leads are needed; lea, who leads beside these, has proposed a role for somebody."""
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    for name in leads:
        people.make_lead_locally(store, name)
    policy.set_requirements(store, "lea", Requirements(four_eyes=True), "Two see more.")
    people.set_person(store, "lea", person, role)
    store.close()
    app.start()
    return app


@pytest.mark.slow
def test_a_change_of_who_leads_waits_for_another_lead(serve: Serve, page: Any, new_page: Callable[..., Any]) -> None:
    app = app_with_proposal(serve, ["山田 太郎"], "美香", "lead")
    enter(page, app.url, "lea", "people")
    page.get_by_text("lea proposed 美香 as lead").wait_for()
    at_rest(page)
    expect(page.get_by_role("button", name="Agree")).to_have_count(0)
    other = new_page()
    enter(other, app.url, quote("山田 太郎"), "people")
    other.get_by_role("button", name="Agree").click()
    expect(other.get_by_text("lea proposed")).to_have_count(0)
    assert roles(app)["美香"] == ("lead", True)


@pytest.mark.slow
def test_agreed_to_is_what_was_seen_and_not_what_was_proposed_since(
    serve: Serve, page: Any, new_page: Callable[..., Any]
) -> None:
    """Whoever agreed that ben becomes a researcher deactivated him where that was proposed in its place meanwhile."""
    app = app_with_proposal(serve, ["lou", "ben"], "ben", "researcher")
    enter(page, app.url, "lou", "people")
    page.get_by_text("lea proposed ben as researcher").wait_for()
    other = new_page()
    enter(other, app.url, "lea", "people")
    other.get_by_text("lea proposed ben as researcher").wait_for()
    at_rest(other)
    pick(other, "ben")
    other.get_by_role("dialog").get_by_role("button", name="Deactivate").click()
    other.get_by_text("lea proposed to deactivate ben").wait_for()
    page.get_by_role("button", name="Agree").click()
    page.get_by_text("lea proposed to deactivate ben").wait_for()
    at_rest(page)
    assert roles(app)["ben"] == ("lead", True)
