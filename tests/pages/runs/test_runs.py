"""The Runs page in a browser: dry run, estimate, start, progress, history, differences, and refusals in a sentence."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest
import streamlit as st
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from data.records import datasets
from data.runs import runs
from data.runs.run_config import RunConfig
from data.store import open_store
from judges.cards import card
from judges.client.endpoint import Endpoint
from judges.practice.background import serve_in_thread, start_endpoint
from judges.practice.options import PracticeOptions
from judges.practice.server import Server as Practice
from pages.runs import views
from pages.ui.run_estimate import cost_words, spent_words
from tests import seeds
from tests.pages.desk_driver import at_rest, enter


def test_a_judge_is_tried_run_and_compared_without_a_key_and_what_cannot_run_is_one_sentence(serve, page) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 12)
    app.start()
    enter(page, app.url, "lea", "runs?card=multi_turn_dialogue&model=practice-unknown")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("has no model 'practice-unknown'")).to_be_visible()
    page.goto(f"{app.url}/runs?card=multi_turn_dialogue&endpoint=other")
    for address, message in (
        ("127.0.0.1:9/v1", "begins with http:// or"),
        ("http://127.0.0.1:PORT/v1", "is not a valid address: Invalid port: 'PORT'"),
        ("http://127.0.0.1:9/v1", "cannot be reached"),
    ):
        page.get_by_label("Address").fill(address)
        page.get_by_label("Address").press("Enter")
        expect(page.get_by_text(message)).to_be_visible()
    enter(page, app.url, "lea", "runs?card=multi_turn_dialogue&model=practice-heuristic")
    expect(page.get_by_text("12 judgments of 12 items")).to_be_visible()
    expect(page.get_by_text("What Multi-turn dialogue needs")).to_be_visible()
    page.get_by_role("button", name="Dry run of three items").click()
    expect(page.get_by_text("Nothing of this was stored")).to_be_visible()
    expect(page.get_by_text("14 scores")).to_have_count(3)
    expect(page.get_by_text(re.compile(r"\b\d+ scores"))).to_have_count(3)  # and of no other number
    expect(page.get_by_text("scenario_description").first).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("✓ finished")).to_be_visible()
    expect(page.get_by_text("12 of 12 judgments")).to_be_visible()
    expect(page.get_by_text("practice, not a language model").first).to_be_visible()
    page.get_by_role("button", name="All runs").click()
    expect(page.get_by_text("All runs")).to_be_visible()
    expect(page.get_by_text("Nothing is left to ask")).to_be_visible()
    app.stop()
    store = open_store(app.store)
    rows = store.rows(
        "select j.synthetic, count(*), count(distinct m.item_id) from judgment m join judge j on j.id = m.judge_id "
        "where j.model = 'practice-heuristic' and m.unscored = '' group by j.synthetic"
    )
    assert rows == [(True, 12, 12)]
    assert store.rows("select count(*) from reply")[0][0] == 12, "a dry run leaves no row"
    store.close()


def test_a_reply_of_nothing_but_brackets_is_shown_as_it_came(monkeypatch) -> None:
    """A small model that repeats itself writes them to the end of its tokens."""
    texts: list[str] = []
    monkeypatch.setattr(st, "code", lambda text, **_: texts.append(text))
    views._show_reply("[" * 5_000)
    assert texts == ["[" * 5_000]


def test_an_estimate_and_what_was_spent_are_rounded_alike() -> None:
    for amount, words in ((0.37124, "$0.3712"), (0.5, "$0.50"), (12.345, "$12.35"), (1_234.5, "$1,234.50")):
        assert cost_words(amount) == spent_words(amount, False) == words
    assert spent_words(0.5, True) == "about $0.50" and spent_words(0, True) == "$0.00"
    assert (cost_words(0), cost_words(None)) == ("no cost", "price not known")


@pytest.mark.slow
def test_a_run_is_stopped_left_and_resumed(serve, page) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 24)
    app.start()
    slow = serve_in_thread(Practice(PracticeOptions(port=0, latency_ms=3000)))  # for 36 s, unless it is stopped
    try:
        enter(page, app.url, "lea", "runs?card=multi_turn_dialogue&model=practice-heuristic&endpoint=other")
        page.get_by_label("Address").fill(slow.url)
        page.get_by_label("Address").press("Enter")
        page.get_by_text("Limits: rate, spending").click()
        at_rest(page)
        page.get_by_label("Calls at a time").fill("2")
        page.get_by_label("Calls at a time").press("Enter")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("■ stopped")).to_be_visible()
        slow.stop()
        slow = serve_in_thread(Practice(PracticeOptions(port=urlsplit(slow.url).port or 0)))
        page.goto(app.url)
        expect(page.get_by_text("Recent activity")).to_be_visible()
        page.go_back()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_text("24 of 24 judgments")).to_be_visible()
        expect(page.get_by_text("✓ finished").first).to_be_visible()
    finally:
        slow.stop()


@pytest.mark.slow
def test_a_run_that_its_limit_stopped_goes_on_with_a_higher_one(serve, page) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 12)
    store = open_store(app.store)
    server = start_endpoint()
    judge_card, demo = card("multi_turn_dialogue"), datasets.all_datasets(store)[0].id
    config = RunConfig(
        demo, judge_card, "practice-heuristic", judge_card.defaults, Endpoint(base_url=server.url), 3.0, (1.0, 1000.0)
    )
    try:
        run_id = runs.start(store, "lea", config)
        end = runs.wait(store, run_id)
        runs.close(store)
        store.close()
        assert end.state == "stopped" and end.cost
        app.start()
        enter(page, app.url, "lea", f"runs?run={run_id}")
        expect(page.get_by_text("The spending limit of $3.00 ends the run")).to_be_visible()
        expect(page.get_by_text(f"${end.cost:.4f} of the limit of $3.00").first).to_be_visible()
        page.get_by_role("button", name="Resume").click()
        limit = page.get_by_label("Spending limit, US dollars")
        limit.fill("0.5")
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(page.get_by_text("a limit of $0.50 is below it")).to_be_visible()
        limit.fill("400")
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(page.get_by_text("✓ finished").first).to_be_visible()
        expect(page.get_by_text("of the limit of $400.00").first).to_be_visible()
    finally:
        server.stop()


@pytest.mark.slow
def test_named_dimensions_may_do_without_confidence(serve, page) -> None:
    app = serve(start=False)
    items = [{"id": f"r{n}", "kind": "response", "task": "t", "output": "o"} for n in range(3)]
    seeds.workspace(app.store_path, items).close()
    app.start()
    enter(page, app.url, "lea", "runs?card=pointwise_quality&model=practice-heuristic")
    at_rest(page)  # a box that is clicked while the page is still being drawn can be drawn anew as it was
    page.get_by_text("Dimensions: names of your choice").click()
    asks = page.get_by_text("Ask for its confidence")
    asks.wait_for()  # it comes while the page is drawn for the names
    at_rest(page)
    asks.click()
    expect(page.get_by_role("checkbox", name="Ask for its confidence")).not_to_be_checked()
    at_rest(page)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("✓ finished")).to_be_visible()
    app.stop()
    store = open_store(app.store)
    assert store.rows("select count(*), max(confidence) from score where dimension = 'clarity'") == [(3, None)]
    assert not store.rows("select 1 from score where dimension = 'overall_score'")
    [(spec,)] = store.rows("select spec from card where name = 'pointwise_quality'")
    assert json.loads(spec)["recipe"]["confidence"] is False
    store.close()


def test_a_card_begins_with_its_own_rule_of_combining_whichever_was_chosen_before() -> None:
    def form() -> None:
        import streamlit as st

        from judges.cards import card
        from pages.runs import new_run

        new_run._choose_params(card(st.selectbox("Card", ["multi_turn_dialogue", "mt_bench"])))

    page = AppTest.from_function(form, default_timeout=60).run()
    samples = next(field for field in page.number_input if field.label == "Samples per item")
    samples.set_value(3).run()
    rule = {}
    for name in ("multi_turn_dialogue", "mt_bench"):
        page.selectbox[0].set_value(name).run()
        assert next(field for field in page.number_input if field.label == "Samples per item").value == 3
        rule[name] = next(field for field in page.selectbox if field.label == "How samples are combined").value
    assert rule == {"multi_turn_dialogue": "median", "mt_bench": "mean"}
    assert not page.exception
