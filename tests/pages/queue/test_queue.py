"""The queues page: the list, its states and filters, and for researchers the ways to fill it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.desk import labels
from data.queue import queue
from data.queue.listing import list_queue
from data.queue.queue import QueueFilters
from data.records import tags
from data.records.access import Person
from data.records.datasets import dataset_named
from data.store import open_store
from pages.queue import dialogs
from pages.queue import page as queue_page
from pages.ui import session, tables
from tests import seeds
from tests.pages.desk_driver import at_rest, choose, enter, on_item, seeded_app
from tests.server import Server

Serve = Callable[..., Server]


@pytest.fixture(scope="module")
def long(serve_all: Serve) -> Server:
    """The app with a review queue of 120, for tests that open no item."""
    return seeded_app(serve_all, 120)


@pytest.fixture(scope="module")
def both_queues(serve_all: Serve) -> tuple[Server, dict[str, str]]:
    """The app with both queues, and the third item of each."""
    app = serve_all(start=False)
    items = [seeds.dialogue(n) for n in range(1, 31)]
    store = seeds.workspace(app.store_path, [*items, *(seeds.judgment(i) for i in items)], audit=8)
    third = "select item_id from draw where dataset_id = $1 and stream = $2 order by priority, id limit 1 offset 2"
    dataset = dataset_named(store, "demo").id
    thirds = {stream: store.rows(third, [dataset, stream])[0][0] for stream in ("review", "audit")}
    store.close()
    app.start()
    return app, thirds


def test_two_judges_of_one_model_and_card_can_be_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [seeds.dialogue(n) for n in (1, 2)]
    warmer = [{**seeds.judgment(item), "params": {"temperature": 1}} for item in items]
    store = seeds.workspace(tmp_path / "assay.duckdb", [*items, *map(seeds.judgment, items), *warmer])
    monkeypatch.setattr(session, "store", lambda: store)
    names = dialogs._judges(dataset_named(store, "demo"))
    assert len(names) == 2
    words = {f"judge-one · multi_turn_dialogue · temperature {value} · 2" for value in (0, 1)}
    assert set(names.values()) == words
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["review", "audit"])
def test_a_click_on_a_row_opens_that_item_on_the_desk(
    both_queues: tuple[Server, dict[str, str]], page: Any, stream: str
) -> None:
    app, third = both_queues[0], both_queues[1][stream]
    enter(page, app.url, "ann", f"queue?dataset=demo&stream={stream}")
    page.get_by_role("table", name="Items of the queue").locator("tbody tr").nth(2).click()
    page.wait_for_url(re.compile(f"desk.*stream={stream}.*item={third}"))
    assert on_item(page) == third


def test_an_item_that_is_assigned_says_for_whom_it_is_reserved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It said "reserved by" and no name, as long as nobody had begun it."""
    items = [seeds.dialogue(n) for n in range(1, 5)]
    names = ("lea", "דנה", "ben", "cy")
    store = seeds.workspace(tmp_path / "assay.duckdb", [*items, *map(seeds.judgment, items)], names=names)
    dataset = dataset_named(store, "demo").id
    tags.set_tags(store, "lea", "ben", ["ja"])
    for terms in (AssignmentTerms(("דנה", "ben"), overlap=2), AssignmentTerms(tag="ja")):
        assignments.assign(store, "lea", dataset, "review", Selection(number=1), terms)
    queue.claim_items(store, "cy", dataset, "review", QueueFilters(), [], 1)
    shown: list[list[str]] = []
    monkeypatch.setattr(tables, "wrapped_table", lambda columns, rows, *_, **__: shown.extend(rows))
    for search in ("", "דנה"):
        listed = list_queue(store, "lea", dataset, "review", QueueFilters(), search=search)
        queue_page.queue_table(listed, "review", "key")
    *every, only = [row[-1] for row in shown]
    both = "reserved for ben, \u2068דנה\u2069"
    assert every == [both, "reserved for anyone with the tag ja", "reserved by cy", "to label"] and only == both
    store.close()


def draw_list() -> None:
    """The list of a review queue, as a page draws it."""
    from data.queue.queue import QueueFilters
    from data.records.datasets import dataset_named
    from pages.queue import page
    from pages.ui import session

    dataset = dataset_named(session.whole_store(), "demo")
    page._draw_list(session.me(), dataset, "review", QueueFilters())


def test_a_page_of_the_list_whose_items_were_answered_meanwhile_gives_way_to_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [seeds.dialogue(n, 1) for n in range(1, 6)]
    store = seeds.workspace(tmp_path / "assay.duckdb", [*items, *map(seeds.judgment, items)])
    monkeypatch.setattr(session, "store", lambda: store)
    monkeypatch.setattr(session, "whole_store", lambda: store)
    monkeypatch.setattr(session, "me", lambda: Person("ann", "annotator", True))
    monkeypatch.setattr(queue_page, "PAGE_ROWS", 2)
    monkeypatch.setattr(queue_page, "queue_table", lambda listed, *_: st.text(len(listed.rows)) and None)
    page = AppTest.from_function(draw_list, default_timeout=60).run()
    page.button_group[0].set_value("to label").run()
    next(button for button in page.button if button.label == "Last").click().run()
    assert [text.value for text in page.text] == ["1"]
    dataset = dataset_named(store, "demo").id
    for n, item in enumerate(queue.claim_items(store, "lea", dataset, "review", QueueFilters(), [], 2)):
        answer = {"key": f"answer-{n}", "person": "lea", "item": item.item, "claim": item.draw, "action": "save"}
        value = {"unit": "turn:1", "dimension": "helpfulness", "v": 3}
        assert not labels.save_answers(store, "lea", [answer | {"values": [value]}])[1]
    assert [text.value for text in page.run().text] == ["1"], "the third of three that are left"
    captions = [caption.value for caption in page.caption]
    assert "3–3 of 3" in captions and not any("No item is in this state" in caption for caption in captions)
    store.close()


@pytest.mark.slow
def test_the_address_leads_to_the_stream_and_the_filters_and_keeps_up_with_them(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 30, audit=10)
    enter(page, app.url, "ann", "queue?dataset=demo&stream=audit&system=model-x")
    page.get_by_text("10 items to label · 0 of 10 answered").wait_for()  # no system is named where it is hidden
    ignored = page.get_by_text("The address names the system model-x, which is no choice here.")
    ignored.wait_for()
    page.get_by_text("Review queue", exact=True).click()
    page.wait_for_url(re.compile("stream=review"))
    expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
    expect(ignored).to_have_count(0)
    counted = page.get_by_text(re.compile(r"^(\d) items to label · 0 of \1 answered"))
    counted.wait_for()
    page.reload()
    counted.wait_for()
    page.get_by_label("Search").fill("no such words")
    page.get_by_label("Search").press("Enter")
    page.get_by_text("No item of this queue matches “no such words”.").wait_for()
    page.get_by_role("button", name="Label").last.click()
    page.wait_for_url(re.compile("desk.*stream=review.*system=model-x"))
    page.get_by_role("button", name="Filters (1)").click()
    page.get_by_test_id("stPopoverBody").get_by_label("Clear value").click()
    page.wait_for_url(lambda url: "system" not in url)
    expect(page.get_by_role("button", name="Filters", exact=False)).not_to_contain_text("(1)")
    page.goto(f"{app.url}/queue?dataset=demo-2&stream=review")
    page.get_by_text("There is no dataset demo-2 here; another one is shown.").wait_for()
    page.goto(f"{app.url}/queue?dataset=demo&stream=review")
    page.get_by_text("20 items to label").wait_for()
    expect(page.get_by_text("There is no dataset")).to_have_count(0)


@pytest.mark.slow
def test_annotators_fill_nothing(long: Server, page: Any) -> None:
    for person, count in (("ann", 0), ("lea", 1)):  # what lea finds there is looked for in the same way
        for stream, name in (("review", "Add items"), ("audit", "Draw a sample"), ("review", "Rules")):
            enter(page, long.url, person, f"queue?stream={stream}")
            page.get_by_role("heading", name="Queues").wait_for()
            at_rest(page)
            expect(page.get_by_role("button", name=name)).to_have_count(count)


@pytest.mark.slow
def test_a_researcher_draws_an_audit_sample_as_announced(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 30, review=False)
    enter(page, app.url, "lea", "desk?stream=audit")
    page.get_by_text("No audit sample is drawn yet").wait_for()
    page.get_by_role("link", name="Draw items on the").click()
    page.wait_for_url(re.compile(r"/queue\?.*stream=audit"))
    draw, label = (page.get_by_role("button", name=name, exact=True) for name in ("Draw a sample", "Label"))
    expect(draw).to_have_attribute("kind", "primary")
    expect(label).to_have_attribute("kind", "secondary")
    draw.click()
    dialog = page.get_by_role("dialog")
    size = dialog.get_by_label("Items", exact=True)
    size.fill("10")
    size.press("Tab")
    dialog.get_by_text("This draws 10 items now: 8 blind and 2 assisted.").wait_for()
    dialog.get_by_role("button", name="Draw sample", exact=True).click()
    page.get_by_text(re.compile("0 of 10 answered")).wait_for()
    dialog.wait_for(state="detached")
    expect(draw).to_have_attribute("kind", "secondary")
    expect(label).to_have_attribute("kind", "primary")
    app.stop()
    store = open_store(app.store)
    assert store.rows("select mode, count(*) from draw group by mode order by 1") == [("assisted", 2), ("blind", 8)]
    assert store.rows(
        "select count(*) from change where action like 'draw audit sample (seed %' and actor = 'lea'"
    ) == [(1,)]
    store.close()


@pytest.mark.slow
def test_a_sample_is_drawn_by_the_judges_score_and_what_it_should_tell_is_said(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    items = [seeds.dialogue(n) for n in range(1, 61)]
    scored = [seeds.judgment(i, seeds.reply(i, 1 + n % 2 if n < 12 else 4)) for n, i in enumerate(items)]
    seeds.workspace(app.store_path, [*items, *scored], review=False).close()
    app.start()
    enter(page, app.url, "lea", "queue?stream=audit")
    page.get_by_role("button", name="Draw a sample").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("This judge gives every item the same context use").wait_for()
    choose(page, "Forecast for", "helpfulness (turn)")
    dialog.get_by_text("Simulated on the judge's own scores").wait_for()
    choose(page, "Strata by", "the judge's confidence")
    dialog.get_by_text("This judge states no confidence and has one sample per item").wait_for()
    expect(dialog.get_by_role("button", name="Draw sample", exact=True)).to_have_count(0)
    choose(page, "Strata by", "the judge's score")
    dialog.get_by_text("This draws 60 items now").wait_for()
    size = dialog.get_by_label("Items", exact=True)
    size.fill("20")
    size.press("Tab")
    dialog.get_by_text("This draws 20 items now: 16 blind and 4 assisted.").wait_for()
    dialog.get_by_role("button", name="Draw sample", exact=True).click()
    page.get_by_text(re.compile("0 of 20 answered")).wait_for()
    page.get_by_role("button", name="Draw a sample").click()
    dialog.get_by_text("Items are stratified by the judge's lowest score, as at the first draw").wait_for()
    app.stop()
    store = open_store(app.store)
    drawn = dict(store.rows("select stratum, count(*) from draw group by stratum"))
    assert set(drawn) == {"lowest score 1", "lowest score 2", "lowest score 4"}
    assert store.rows("select parted_by, allocation from design") == [("score", "root")]
    store.close()


def test_a_researcher_fills_the_review_queue_and_changes_the_rules(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 30, review=False)
    enter(page, app.url, "lea", "queue?stream=review")
    page.get_by_role("button", name="Add items").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("This adds 30 items.").wait_for()
    dialog.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text(re.compile("0 of 30 answered")).wait_for()
    dialog.wait_for(state="detached")
    page.get_by_role("button", name="Rules").click()
    people = dialog.get_by_label("People per item", exact=True)
    people.fill("2")
    people.press("Tab")
    dialog.get_by_role("button", name="Save").click()
    dialog.wait_for(state="detached")
    app.stop()
    store = open_store(app.store)
    assert '"overlap":2' in store.rows("select value from setting_now")[0][0]
    store.close()


@pytest.mark.slow
def test_rules_that_two_set_at_once_are_those_that_were_seen(serve: Serve, new_page: Callable[..., Any]) -> None:
    """What one of them had typed was dropped for the other's number, and the rest saved as if it were all."""
    app = seeded_app(serve, 3)
    one, other = new_page(), new_page()
    for page, number in ((one, "2"), (other, "3")):
        enter(page, app.url, "lea", "queue?dataset=demo")
        page.get_by_role("button", name="Rules").click()
        page.get_by_label("People per item", exact=True).fill(number)
        if page is one:
            page.get_by_role("spinbutton", name="Minutes that an item stays reserved").fill("60")
        page.keyboard.press("Tab")
        at_rest(page)
    other.get_by_role("button", name="Save").click()
    other.get_by_role("dialog").wait_for(state="detached")
    one.get_by_role("button", name="Save").click()
    at_rest(one)
    field = one.get_by_label("People per item", exact=True)
    expect(field).to_have_value("3")
    field.fill("2")
    one.keyboard.press("Tab")
    at_rest(one)
    one.get_by_role("button", name="Save").click()
    one.get_by_role("dialog").wait_for(state="detached")
    app.stop()
    store = open_store(app.store)
    assert [(rules["overlap"], rules["claim_minutes"]) for rules in map(json.loads, (
        value for (value,) in store.rows("select value from setting where name = 'queue' order by seq")
    ))] == [(3, 30), (2, 60)]  # fmt: skip
    store.close()


def test_what_i_hold_can_be_given_back(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    items = [seeds.dialogue(n) for n in range(1, 13)]
    store = seeds.workspace(app.store_path, [*items, *(seeds.judgment(i) for i in items)], names=("lea", "ann", "ben"))
    dataset = dataset_named(store, "demo").id
    queue.claim_items(store, "ann", dataset, "review", QueueFilters(), [], 4)
    queue.claim_items(store, "ben", dataset, "review", QueueFilters(), [], 2)
    store.close()
    app.start()
    enter(page, app.url, "ann", "queue")
    page.get_by_text("Reserved by you 4").wait_for()
    expect(page.get_by_text("Reserved by others 2")).to_be_visible()
    page.get_by_role("button", name="Give back").click()
    page.get_by_text("To label 10").wait_for()
    expect(page.get_by_text("Reserved by you")).to_have_count(0)


def test_a_long_queue_goes_by_pages_and_by_state(long: Server, page: Any) -> None:
    enter(page, long.url, "ann", "queue")
    page.get_by_text("1–25 of 120").wait_for()
    page.get_by_role("button", name="Last").click()
    page.get_by_text("101–120 of 120").wait_for()
    page.get_by_text("To label 120").click()
    page.get_by_text("1–25 of 120").wait_for()


def test_without_a_dataset_it_shows_the_way(assay: Server, page: Any) -> None:
    page.goto(f"{assay.url}/queue")
    page.get_by_label("Your name").fill("lea")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Queues").click()
    page.get_by_text("There is no dataset yet.").wait_for()


@pytest.mark.slow
def test_guidelines_that_two_leads_write_at_once_are_not_lost(serve: Serve, new_page: Callable[..., Any]) -> None:
    app = seeded_app(serve, 3)
    one, other = new_page(), new_page()
    for page, words in ((one, "Mine, of an hour."), (other, "Theirs.")):
        enter(page, app.url, "lea", "queue?dataset=demo")
        page.get_by_role("button", name="Guidelines").click()
        page.get_by_role("textbox", name="How to rate in this dataset").fill(words)
    other.keyboard.press("Tab")
    other.get_by_role("button", name="Save").click()
    other.get_by_role("dialog").wait_for(state="detached")
    one.keyboard.press("Tab")
    one.get_by_text("lea has saved version 1 since you opened this text").wait_for()
    expect(one.get_by_role("textbox", name="How to rate in this dataset")).to_have_value("Mine, of an hour.")
    one.get_by_role("button", name="Save").click()
    one.get_by_text("Version 2 of the guidelines is in force.").wait_for()
    at_rest(one)
    one.get_by_role("button", name="Guidelines").click()  # with nothing of one's own in hand it begins with what holds
    expect(one.get_by_role("textbox", name="How to rate in this dataset")).to_have_value("Mine, of an hour.")
    expect(one.get_by_text("since you opened this text")).to_have_count(0)
