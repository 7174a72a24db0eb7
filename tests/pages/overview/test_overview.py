"""The overview: first steps in an empty workspace, what waits, how far it is, what moved."""

from __future__ import annotations

import os
import re
import resource
import signal
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from data.assignments.assignments import OwnWork
from data.records import people
from data.records.datasets import Dataset
from data.store import open_store
from data.store.ids import content_id
from pages.overview.page import WaitingQueue, sort_queues
from tests import seeds
from tests.pages.desk_driver import accept_all, all_saved, at_rest, count_unsaved, enter, on_item, seeded_app
from tests.server import Server

Serve = Callable[..., Server]
DEMO = content_id("dataset", "demo")


def test_a_queue_with_assigned_work_comes_first_the_sooner_it_is_due() -> None:
    """It stood in the order of the datasets, and from the seventh queue on it was folded away."""
    works = {"a": OwnWork(0, 0, None), "b": OwnWork(3, 3, None), "c": OwnWork(2, 9, datetime(2026, 12, 4)),
             "d": OwnWork(0, 4, None), "e": OwnWork(1, 1, datetime(2026, 11, 20))}  # fmt: skip
    rows = [WaitingQueue(Dataset(name, name, "", False), "review", 9, None, work) for name, work in works.items()]
    assert [row.dataset.id for row in sort_queues(rows)] == ["e", "c", "b", "a", "d"]


def test_an_empty_workspace_leads_by_the_hand(assay: Server, page: Any) -> None:
    page.goto(assay.url)
    page.get_by_text("You are the first here").wait_for()
    page.get_by_label("Your name").fill("lea")
    page.keyboard.press("Enter")
    page.get_by_text("This workspace is empty").wait_for()
    for step in ("1 · Import", "2 · Draw an audit sample", "3 · Label"):
        expect(page.get_by_text(step)).to_be_visible()
    page.get_by_role("link", name="Import a file").click()
    page.wait_for_url("**/import")
    expect(page).to_have_title("Import · Assay")


@pytest.mark.slow
def test_an_annotator_in_an_empty_workspace_is_told_whom_to_ask(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    store.close()
    app.start()
    for name, hints, offered in (("ann", 1, 0), ("lea", 0, 1)):  # what lea finds there is looked for in the same way
        enter(page, app.url, name, "")
        page.get_by_text("This workspace is empty").wait_for()
        at_rest(page)
        expect(page.get_by_text("Ask lea")).to_have_count(hints)
        expect(page.get_by_role("button", name="Load the synthetic sample")).to_have_count(offered)
        expect(page.get_by_role("link", name="Import a file")).to_have_count(offered)


@pytest.mark.slow
def test_the_synthetic_sample_can_be_loaded_and_is_marked(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    store.close()
    app.start()
    enter(page, app.url, "lea", "")
    page.get_by_role("button", name="Load the synthetic sample").click()
    page.get_by_role("heading", name="To label").wait_for(timeout=120_000)
    badges = page.get_by_text("science synthetic")  # the icon is a ligature
    expect(badges.first).to_be_visible()
    at_rest(page)
    marked = badges.count()
    app.stop()
    store = open_store(app.store)
    names = store.rows("select name from dataset where synthetic")
    assert names and marked % len(names) == 0, "each of them is marked"
    assert store.rows("select count(*) from person_now where person = 'Assay samples' and active") == [(0,)]
    store.close()


@pytest.mark.slow
def test_what_waits_leads_to_the_desk_and_comes_back_less(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 12, audit=4)
    enter(page, app.url, "ann", "")
    # 4 of 12 in the audit sample, one of them (a fifth, rounded) assisted; all 4 wait outside the review queue
    page.get_by_text("8 items in demo").wait_for()
    expect(page.get_by_text("4 items in demo")).to_be_visible()
    page.locator(f".st-key-label-{DEMO}-audit button").click()
    page.wait_for_url(re.compile("desk.*stream=audit"))
    page.go_back()
    page.get_by_text("8 items in demo").wait_for()
    page.locator(f".st-key-label-{DEMO}-review button").click()
    page.wait_for_url(re.compile("desk.*stream=review"))
    accept_all(page, 3)
    all_saved(page)
    page.get_by_role("link", name="Overview").click()
    page.get_by_text("5 items in demo").wait_for()
    expect(page.get_by_text("at your pace").first).to_be_visible()
    expect(page.get_by_text("answered 3 items in demo")).to_be_visible()
    expect(page.get_by_text("labelled 3 of 12")).to_be_visible()
    expect(page.get_by_text("review queue 3 of 8")).to_be_visible()
    expect(page.get_by_text("audit sample 0 of 4")).to_be_visible()
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("3")


OUTBOX_IS_EMPTY = "!Object.keys(localStorage).some((key) => key.startsWith('assay:answer:'))"


# Streamlit sends what a component has set in a task of its own, so the request for the next page may go before it. Here
# the first message that has a certain text does go just after the next one, or some milliseconds later.
OVERTAKEN = """([text, late]) => {
  const send = WebSocket.prototype.send;
  let held = null;
  window.overtaken = "";
  WebSocket.prototype.send = function (message) {
    if (!overtaken && new TextDecoder().decode(message).includes(text)) { held = message; overtaken = "held"; return; }
    send.call(this, message);
    if (overtaken !== "held") return;
    overtaken = "going";
    const last = () => { send.call(this, held); overtaken = "sent"; };
    if (late) setTimeout(last, late); else last();
  };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leave", "stream", "sent", "late"),
    [("back", "audit", '"nonce"', 0), ("link", "review", '"action"', 0), ("link", "review", '"action"', 300)],
)
def test_what_the_desk_sends_as_it_is_left_arrives_and_clears_nothing(
    serve: Serve, page: Any, leave: str, stream: str, sent: str, late: int
) -> None:
    """Also where it arrives when the next page is there already, and Streamlit drops it."""
    app = seeded_app(serve, 12, audit=4)
    page.add_init_script(f"({OVERTAKEN})([{sent!r}, {late}])")
    enter(page, app.url, "ann", "")
    page.locator(f".st-key-label-{DEMO}-{stream} button").click()
    page.wait_for_url(re.compile("desk.*item="))
    if leave == "link":
        accept_all(page, 1)
    page.wait_for_function("overtaken === 'held'")
    entries = page.evaluate("history.length")
    if leave == "back":
        page.go_back()
    else:
        page.get_by_role("link", name="Overview").click()
    page.wait_for_function("overtaken === 'sent'")
    at_rest(page)
    page.get_by_role("heading", name="Overview").wait_for()
    expect(page.get_by_text("4 items in demo")).to_be_visible()
    expect(page.get_by_text("answered 1 item in demo")).to_have_count(int(leave == "link"))
    assert not re.search("desk|item=", page.url)
    assert page.evaluate("history.length") <= entries + 2, "the person can still go back"
    page.wait_for_function(OUTBOX_IS_EMPTY)


@pytest.mark.slow
def test_what_is_answered_faster_than_it_is_sent_is_saved_from_the_next_page(serve: Serve, page: Any) -> None:
    """While a message of the desk is under way, later answers wait; the desk is left before any word comes back."""
    app = seeded_app(serve, 12)
    enter(page, app.url, "ann", "")
    page.locator(f".st-key-label-{DEMO}-review button").click()
    page.wait_for_url(re.compile("desk.*item="))
    at_rest(page)
    assert app.process is not None
    os.kill(app.process.pid, signal.SIGSTOP)
    accept_all(page, 1)
    page.wait_for_timeout(300)  # the first has gone: the second waits for what comes back
    accept_all(page, 1)
    assert count_unsaved(page) == 2
    page.get_by_role("link", name="Overview").click()
    os.kill(app.process.pid, signal.SIGCONT)
    expect(page.get_by_text("answered 2 items in demo")).to_be_visible()
    page.wait_for_function(OUTBOX_IS_EMPTY)


@pytest.mark.slow
def test_what_was_not_sent_when_the_browser_was_closed_is_saved_from_any_page(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 12)
    enter(page, app.url, "ann")
    on_item(page)
    accept_all(page, 1)
    all_saved(page)
    app.kill()
    accept_all(page, 1)
    assert count_unsaved(page) == 1
    context = page.context
    page.close()
    app.start()
    again = context.new_page()
    enter(again, app.url, "ann", "people")
    again.wait_for_function(OUTBOX_IS_EMPTY)
    again.get_by_role("link", name="Overview").click()
    expect(again.get_by_text("answered 2 items in demo")).to_be_visible()


COUNTED = """() => {
  const send = WebSocket.prototype.send;
  window.sent = new Set(); // by its number: every request of Streamlit's brings what was set last once more
  WebSocket.prototype.send = function (message) {
    const text = new TextDecoder().decode(message);
    if (text.includes('"action"')) sent.add(text.match(/"nonce":[0-9]+/)[0]);
    send.call(this, message);
  };
}"""


@pytest.mark.slow
def test_a_kept_answer_that_is_refused_is_sent_once_and_left_for_the_desk_to_say(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 12)
    enter(page, app.url, "ann", "people")
    at_rest(page)
    odd = {"key": "k1", "person": "ann", "action": "save", "item": "gone", "version": "", "values": [], "notes": []}
    page.evaluate("answer => localStorage.setItem('assay:answer:ann:k1', JSON.stringify(answer))", odd)
    page.add_init_script(f"({COUNTED})()")
    page.reload()
    page.wait_for_function("sent.size === 1")
    at_rest(page)
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("heading", name="Overview").wait_for()
    at_rest(page)
    assert page.evaluate("sent.size") == 1
    page.get_by_role("link", name="Review desk").click()
    expect(page.get_by_text("gone was not saved.")).to_be_visible()
    assert page.evaluate("localStorage.getItem('assay:answer:ann:k1')") is None


@pytest.mark.slow
def test_what_could_not_be_saved_is_saved_later_from_the_page_that_is_open(serve: Serve, page: Any) -> None:
    """A limit on the size of the app's files stands in for a full disk (tests/pages/desk/test_durability.py)."""
    app = seeded_app(serve, 12)
    enter(page, app.url, "ann")
    on_item(page)
    assert app.process is not None
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    accept_all(page, 1)
    page.locator(".notice").get_by_text("Nothing was saved").wait_for()
    page.get_by_role("link", name="Overview").click()
    notice = page.get_by_text("are not saved yet. They are kept in this browser")
    notice.wait_for()
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    expect(page.get_by_text("answered 1 item in demo")).to_be_visible()
    expect(notice).to_have_count(0)
    page.wait_for_function(OUTBOX_IS_EMPTY)


@pytest.mark.slow
def test_names_are_shown_as_they_are(serve: Serve, page: Any) -> None:
    """Markdown, colours, badges and images in names are text, and nothing is fetched for them."""
    fetched: list[str] = []
    page.on("request", lambda r: fetched.append(r.url) if "canary" in r.url else None)
    app = serve(start=False)
    evil = "![x](http:canary.test) :red[now] **返金**"
    items = [seeds.dialogue(1)]
    seeds.workspace(
        app.store_path,
        [*items, seeds.judgment(items[0])],
        names=(evil, "ann"),
        dataset="![x](https://canary.test/a.png)",
    ).close()
    app.start()
    enter(page, app.url, "ann", "")
    page.get_by_text(evil).first.wait_for()
    expect(page.get_by_text("![x](https://canary.test/a.png)").first).to_be_visible()
    for path in ("queue", "people"):
        page.goto(f"{app.url}/{path}")
        page.get_by_role("heading").first.wait_for()
        page.wait_for_timeout(800)
    page.context.clear_cookies()
    enter(page, app.url, quote(evil), "")
    page.get_by_role("heading", name="Overview").wait_for()
    page.wait_for_timeout(800)
    assert page.locator("img[src*=canary]").count() == 0
    menu = page.get_by_role("button", name=re.compile("account_circle"))
    expect(menu).to_contain_text(evil[:8])
    assert menu.locator("strong, em, a, img:not([data-testid])").count() == 0, "a name in the navigation is text, too"
    assert fetched == []
