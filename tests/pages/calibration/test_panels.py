"""The panels of one dimension in a real browser: what is read there, where clicks lead."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from data.approvals.auto_accept import AutoAcceptRule
from data.records import people
from data.store import open_store
from pages.calibration import auto_accept
from tests.data.flag_dataset import add_flag_dataset
from tests.data.judged_dataset import Seat, add_seats, crowd
from tests.pages.desk_driver import at_rest, choose, enter, press
from tests.server import Server

NASTY = "支援 <b>x</b> ![a](https://canary.test/a.png)"


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """The app with a judge that is good but for Japanese, a poor one, confidences, both arms; and one small dataset."""
    server = serve_all(start=False)
    store = open_store(server.store)
    people.join_workspace(store, "lea")
    seats = crowd(120) + crowd(40, seed=3, first=120, mode="assisted", seconds=11)
    for seat in seats:
        seat.meta["topic"] = f"**{seat.meta['topic']}**"
    add_seats(store, seats, NASTY)
    add_seats(store, [Seat(n, [float(n % 5 + 1)], {"only": [float(n % 5 + 1)]}) for n in range(12)], "small")
    store.close()
    server.start()
    return server


def test_the_form_begins_with_any_rule_that_the_command_can_set() -> None:
    rule = AutoAcceptRule("judge", "turn", "helpfulness", "stated", 0.995, 0.001, False, 0.5, 0.5, 1.0, 1.0, 900)
    assert auto_accept._ask_target("stated", rule, False, "form") == rule.request


def look(page: Any, app: Server, panel: str, dataset: str = NASTY) -> Any:
    enter(page, app.url, "lea", f"calibration?dataset={quote(dataset)}&dimension=turn.helpfulness&panel={panel}")
    return page.get_by_test_id("stMain")


@pytest.mark.slow
def test_other_figures_and_means_by_a_field_keep_their_place_in_the_address(app: Server, page: Any) -> None:
    main = look(page, app, "others")
    expect(main).to_contain_text("Other metrics, from the same ratings")
    at_rest(page)
    expect(page.get_by_role("radio", name="Other metrics")).to_have_count(1)
    expect(page.get_by_role("radio", name="Missing scores")).to_have_count(0)  # the judge has scored whatever has gold
    page.locator("summary", has_text="Mean scores").click()
    choose(page, "Means by", "topic")
    page.wait_for_url(re.compile("by-field=topic"))
    expect(main).to_contain_text("In brackets the 95% interval by items.")
    choose(page, "On the same ratings as", re.compile("multi_turn_dialogue"))
    expect(main).to_contain_text("On the ratings of both judges")
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.slow
def test_panels_follow_each_other_and_the_address_keeps_the_chosen_one(app: Server, page: Any) -> None:
    urls = []
    page.on("request", lambda request: urls.append(request.url))
    main = look(page, app, "agreement")
    expect(main).to_contain_text("Confusion matrix")
    page.get_by_role("button", name="How to read this").nth(1).click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text(
        re.compile(
            r"Here 0\.\d\d: disagreement is \d+% of what"
        )
    )
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Slices").click()
    expect(main).to_contain_text(re.compile(r"Agreement differs by language: kappa 0\.\d\d on Japanese"))
    expect(main).not_to_contain_text("Confusion matrix")
    page.wait_for_url(re.compile("panel=slices"))
    choose(page, "Slices by", "language")
    chart = page.locator("svg.plot").nth(1)
    expect(chart).to_contain_text("Japanese")
    worst = chart.locator("[data-at]").last  # the lowest row, as the worst comes last
    worst.hover()
    expect(page.locator(".tip:visible")).to_contain_text("Japanese: 0.")
    worst.click()
    expect(main).to_contain_text("Ratings of Japanese, largest disagreement first.")
    listed = page.get_by_test_id("stDataFrame").nth(1)
    press(page, listed, 40, 50, r"/desk\?.*item=")
    assert not [url for url in urls if url.startswith("https://canary")]


@pytest.mark.slow
def test_the_planner_answers_for_the_width_that_is_asked(app: Server, page: Any) -> None:
    main = look(page, app, "size")
    expect(main).to_contain_text(
        re.compile(
            r"The interval is no wider than ±0\.10 already|more blind items until the interval is no wider than "
            r"±0\.10"
        )
    )
    width = page.get_by_test_id("stNumberInputField")
    width.fill("0.02")
    width.press("Enter")
    expect(main).to_contain_text(
        re.compile(r"About [\d,]+ to [\d,]+ more blind items until the interval is no wider than ±0\.02")
    )
    expect(page.locator(".js-plotly-plot").last).to_contain_text("forecast")


@pytest.mark.slow
def test_confidence_and_both_arms_are_told_in_sentences(app: Server, page: Any) -> None:
    main = look(page, app, "confidence")
    expect(main).to_contain_text(re.compile(r"At a confidence of 90% the judge agrees with people in \d\d% of ratings"))
    expect(main).to_contain_text("Source: stated confidence.")
    page.get_by_role("radio", name="Anchoring").click()
    expect(main).to_contain_text("Anchoring: do people agree more with the judge")
    expect(main).to_contain_text("from 40 items, 120 ratings")
    expect(main).to_contain_text("No label was changed after the judge's scores were revealed.")


@pytest.mark.slow
def test_a_small_dataset_says_what_cannot_be_told_yet(app: Server, page: Any) -> None:
    main = look(page, app, "slices", "small")
    expect(main).to_contain_text("Not yet to be published. On helpfulness only 12 items")
    expect(main).to_contain_text("Not tested by")
    page.get_by_role("radio", name="Confidence").click()
    expect(main).to_contain_text("No confidence: none of the 12 ratings")
    page.get_by_role("radio", name="Anchoring").click()
    expect(main).to_contain_text("there are no labels given with this judge's scores in view")
    page.get_by_role("radio", name="Human agreement").click()
    expect(main).not_to_contain_text("Anchoring: do people")


@pytest.mark.slow
def test_what_needs_no_person_becomes_a_rule_and_the_queue_takes_in_the_rest(app: Server, page: Any) -> None:
    main = look(page, app, "selective")
    expect(main).to_contain_text("No threshold is shown to reach 80%")
    expect(page.get_by_role("button", name="Accept these automatically")).to_be_disabled()
    field = page.get_by_label("Required agreement (%)")
    field.fill("65")
    field.press("Enter")
    expect(main).to_contain_text(re.compile(r"\d+% of items \(\d+% to \d+%\) can be accepted without review"))
    expect(main).to_contain_text(re.compile(r"Of 160 items scored by the judge, \d+ can be accepted automatically"))
    page.get_by_role("button", name="Accept these automatically").click()
    expect(main).to_contain_text("In force: scores of a confidence of")
    page.get_by_role("button", name="Withdraw the rule").click()
    expect(main).not_to_contain_text("In force")
    look(page, app, "selective", "small")
    expect(main).to_contain_text("The judge gives no confidence here")
    at_rest(page)
    expect(page.get_by_role("radio", name="Other metrics")).to_have_count(1)
    expect(page.get_by_role("radio", name="Precision and recall")).to_have_count(0)


@pytest.mark.slow
def test_flags_and_categories_are_told_in_sentences(serve: Callable[..., Server], page: Any) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    add_flag_dataset(store, "lea")
    store.close()
    app.start()
    enter(page, app.url, "lea", "calibration?dataset=flags&dimension=response.zz_harmful&panel=rates")
    main = page.get_by_test_id("stMain")
    pattern = re.compile(r"Recall: of 100 responses that people call zz harmful, the judge finds \d+ to \d+")
    expect(main).to_contain_text(pattern)
    expect(main).to_contain_text(re.compile(r"Corrected by these rates \(Rogan and Gladen\): [\d.]+%"))
    enter(page, app.url, "lea", f"calibration?dataset=flags&dimension={quote('response.zz話題')}&panel=rates")
    expect(main).to_contain_text("of 100 responses that people call “苦情”, the judge finds")
