"""The cards page: leads write a card, everyone reads it, and it stands on the desk beside the judge's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from playwright.sync_api import expect

from data.cards import cards, desk_cards
from data.records import datasets, people
from data.store import open_store
from judges.cards import card as shipped_card
from pages.cards import fewshot_form
from tests import seeds
from tests.data.cards.test_cards import recipe, turn_judgment
from tests.pages.desk_driver import accept, all_saved, at_rest, choose, enter, on_item
from tests.server import Server

HALVES = {"kind": "interval", "lo": 0, "hi": 2.5, "step": 0.5}
EVIL = "![x](http://203.0.113.9/x.png) 丁寧さ"


def test_an_example_of_nothing_but_brackets_is_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(st, "text_area", lambda *_, **__: "[" * 5_000)
    monkeypatch.setattr(st, "button", lambda *_, **__: True)
    monkeypatch.setattr(st, "warning", lambda text, **_: notes.append(text))
    card = shipped_card("multi_turn_dialogue")
    assert fewshot_form._edit_pasted(card) is None and notes[0].startswith("This is not JSON")
    assert fewshot_form._parse_reply(card, "[" * 5_000) == "[" * 5_000


@pytest.mark.slow
def test_a_card_is_read_by_all_changed_by_leads_and_its_text_is_no_markdown(
    serve: Callable[..., Server], new_page: Callable[..., Any]
) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    for name in ("lea", "ann"):
        people.join_workspace(store, name)
    half = {"name": "zz_half", "unit": "turn", "definition": "Half points.", "answers": HALVES}
    evil_recipe = recipe(EVIL, title=EVIL)
    first = cards.save_card(store, "lea", evil_recipe | {"dimensions": [*evil_recipe["dimensions"], half]})
    store.close()
    app.start()
    page = new_page()
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    enter(page, app.url, "ann", "cards?card=zz_manners")
    expect(page.get_by_role("button", name="Download as a folder")).to_be_visible()
    expect(page.get_by_role("heading", name=EVIL)).to_be_visible()
    at_rest(page)
    expect(page.get_by_text("New version")).to_have_count(0)
    page = new_page()
    page.on("request", lambda request: urls.append(request.url))
    enter(page, app.url, "lea", "cards?card=zz_manners")
    page.get_by_text("New version").first.click()
    save = page.get_by_role("button", name="Save as a new version")
    expect(save).to_be_disabled()
    title = page.get_by_label("Title").first
    title.fill("")
    title.press("Tab")
    expect(page.get_by_text("Title: is empty.")).to_be_visible()
    title.fill("礼儀")
    title.press("Tab")
    expect(page.get_by_text("Title: is empty.")).to_have_count(0)
    at_rest(page)
    save.click()
    expect(page.get_by_text("Saved: 礼儀")).to_be_visible()
    assert not [url for url in urls if "203.0.113.9" in url]
    app.stop()
    store = open_store(app.store)
    now = cards.card_versions(store, "zz_manners")
    assert [(v.card.title, v.current) for v in now] == [("礼儀", True), (EVIL, False)]
    assert now[1].version == first.version
    dimensions = (now[0].card.recipe or {})["dimensions"]
    assert dimensions == (first.recipe or {})["dimensions"], "the table keeps every scale, with its steps"
    store.close()


@pytest.mark.slow
def test_a_version_that_is_being_written_stays_when_another_is_saved_meanwhile(
    serve: Callable[..., Server], new_page: Callable[..., Any]
) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    cards.save_card(store, "lea", recipe("How it is said", title="Manners"))
    store.close()
    app.start()
    slow, fast, idle = new_page(), new_page(), new_page()
    for page in (slow, fast, idle):
        enter(page, app.url, "lea", "cards?card=zz_manners")
        page.get_by_text("New version").first.click()
        at_rest(page)
    words = slow.get_by_label("Further instructions to the judge").first
    words.fill("Be kind.")
    words.press("Tab")
    at_rest(slow)
    fast.get_by_label("Title").first.fill("Manners, anew")
    fast.get_by_label("Title").first.press("Tab")
    at_rest(fast)
    fast.get_by_role("button", name="Save as a new version").click()
    fast.get_by_text("Saved: Manners, anew").wait_for()
    slow.get_by_role("button", name="Save as a new version").click()  # nobody has read yet what it would replace
    slow.get_by_text("was saved while you were writing").wait_for()
    expect(words).to_have_value("Be kind.")
    at_rest(slow)
    slow.get_by_role("button", name="Begin with the newer version").click()
    expect(words).to_have_value("")
    expect(slow.get_by_label("Title").first).to_have_value("Manners, anew")
    idle.get_by_label("Title").first.fill("Manners, anew")  # by chance the same: nothing is left to save
    idle.get_by_label("Title").first.press("Tab")
    at_rest(idle)
    expect(idle.get_by_role("button", name="Save as a new version")).to_be_disabled()
    app.stop()
    store = open_store(app.store)
    assert [v.card.title for v in cards.card_versions(store, "zz_manners")] == ["Manners, anew", "Manners"]
    store.close()


def test_the_cells_of_a_card_laid_over_another_are_answered_by_the_same_keys(
    serve: Callable[..., Server], page: Any
) -> None:
    app = serve(start=False)
    item = seeds.dialogue(1, turns=1)
    store = seeds.workspace(app.store_path, [item, seeds.judgment(item), turn_judgment(item, 1)])
    dataset = datasets.dataset_named(store, "demo").id
    by_card = {name: judge for judge, name, *_ in datasets.dataset_judges(store, dataset)}
    assert desk_cards.chosen_desk_cards(store, dataset) == []
    store.close()
    app.start()
    enter(page, app.url, "ann", "desk?dataset=demo&stream=review")
    on_item(page)
    expect(page.locator(".glabel", has_text="Open-ended rubric on turns")).to_be_visible()
    for key in ("Enter", "Enter", "Enter", "4"):
        page.keyboard.press(key)
    accept(page)
    all_saved(page)
    app.stop()
    store = open_store(app.store)
    rows = {
        (unit, dimension): rest
        for unit, dimension, *rest in store.rows("select unit, dimension, value, seen, judge_id from label")
    }
    over = by_card["rubric_open_ended_on_turns"]
    assert rows["turn:1", "factuality"] == [4.0, 2.0, over]
    assert rows["turn:1", "coherence"] == [2.0, 2.0, over]
    assert rows["conversation", "coherence"] == [4.0, 4.0, by_card["multi_turn_dialogue"]]
    assert rows["turn:1", "safety"] == [5.0, 5.0, by_card["multi_turn_dialogue"]]
    store.close()


@pytest.mark.slow
def test_a_lead_attaches_labelled_items_as_examples_in_the_words_of_people(
    serve: Callable[..., Server], page: Any
) -> None:
    app = serve(start=False)
    items = [seeds.dialogue(n, turns=1) for n in (1, 2)]
    label = {"unit": "turn:1", "dimension": "helpfulness", "value": 2, "annotator": "bo", "mode": "blind"}
    labels = [label | {"item": item["id"], "made_at": "2026-01-31T12:00:00Z"} for item in items]
    store = seeds.workspace(app.store_path, [*items, *map(seeds.judgment, items), *labels])
    plain = cards.card_named(store, "multi_turn_dialogue").version
    store.close()
    app.start()
    enter(page, app.url, "lea", "cards?card=multi_turn_dialogue")
    page.get_by_text("Few-shot examples").first.click()
    for number in (1, 2):
        expect(page.get_by_text("People's labels replace its scores in: helpfulness.")).to_be_visible()
        shows = page.get_by_role("textbox", name="What the example shows")
        shows.fill(f"{number}: {EVIL}")
        shows.press("Tab")
        page.get_by_role("button", name="Add this example").click()
        expect(page.get_by_text(f"{number}: {EVIL}").first).to_be_visible()
    page.get_by_role("button", name="Attach these examples").click()
    expect(page.get_by_text("Examples in the prompt, so left out")).to_be_visible()
    app.stop()
    store = open_store(app.store)
    now = cards.card_named(store, "multi_turn_dialogue")
    assert now.version != plain
    assert [example.shows for example in now.examples] == [f"1: {EVIL}", f"2: {EVIL}"]
    assert now.examples[0].reply["per_turn"][0]["scores"]["helpfulness"] == 2  # type: ignore[index,call-overload]
    store.close()


@pytest.mark.slow
def test_the_cards_that_another_has_set_for_labelling_are_those_that_stand_there(
    serve: Callable[..., Server], new_page: Callable[..., Any]
) -> None:
    """In a page that was open already the choice of before stood there as if it held."""
    app = serve(start=False)
    seeds.dialogues(app.store_path, 3)
    app.start()
    one, other = new_page(), new_page()
    for page in (one, other):
        enter(page, app.url, "lea", "cards?dataset=demo")
        page.get_by_text("Cards for labelling, by dataset").click()
        page.get_by_role("combobox", name="People label by").wait_for()
        at_rest(page)
    choose(other, "People label by", "Multi-turn dialogue")
    other.keyboard.press("Tab")
    at_rest(other)
    other.get_by_role("button", name="Set", exact=True).click()
    other.get_by_text("From now on people label demo by these cards.").wait_for()
    choose(one, "Show a card", "Plain pair (plain_pairwise)")
    one.get_by_role("heading", name="Plain pair").wait_for()
    at_rest(one)
    expect(one.get_by_role("button", name="Set", exact=True)).to_have_count(0)
    expect(one.get_by_test_id("stMultiSelect").get_by_text("Multi-turn dialogue")).to_have_count(1)
