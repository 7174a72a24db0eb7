"""The page of annotators in a real browser, and the people beside a judge on the calibration page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from data.records import people
from data.records.datasets import ensure_dataset
from data.store import open_store
from tests.data.planted_people import Rater, accepting, lenient, mostly_right, plant
from tests.pages.desk_driver import enter, press
from tests.server import Server

NASTY = "安藤 <b>x</b> ![a](https://canary.test/a.png)"


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """The app with people who have habits, one person alone, and nobody; nobody here answers anything."""
    server = serve_all(start=False)
    store = open_store(server.store)
    people.join_workspace(store, "lea")
    people.join_workspace(store, "annot")
    raters = {
        NASTY: Rater(mostly_right(0.9)),
        "bob": Rater(mostly_right(0.9)),
        "cleo": Rater(mostly_right(0.9)),
        "lena": Rater(lenient),
    }
    plant(store, {**raters, "ada": Rater(accepting, "assisted", 1.2)}, 40, "several")
    plant(store, {"solo": Rater(mostly_right(0.9))}, 25, "alone")
    store.tx("test", "empty", lambda tx: ensure_dataset(tx, "nobody"))
    store.close()
    server.start()
    return server


@pytest.mark.slow
def test_who_stands_out_one_person_and_the_way_to_the_desk(app: Server, page: Any) -> None:
    urls = []
    page.on("request", lambda request: urls.append(request.url))
    enter(page, app.url, "lea", "annotators?dataset=several")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("320 labels by 4 people for 80 ratings. Blind labels;")
    expect(main).to_contain_text("ada accepts everything in 1.2 seconds: an acceptance rate of 100%")
    expect(main).to_contain_text(re.compile(r"lena gives 0\.\d steps more than the others on average"))
    expect(main).not_to_contain_text("bob gives")
    expect(main).to_contain_text(re.compile(r"Kappa between two people: 0\.\d\d"))
    expect(main).to_contain_text(
        re.compile(r"Of 80 ratings with labels of two people or more, the estimate differs from gold in (none|\d+)")
    )
    expect(main).to_contain_text(NASTY)
    table = page.get_by_test_id("stDataFrame").first
    press(page, table, 60, 33 * 3 + 16, "person=lena")  # the third row, by labels and name
    expect(page.get_by_role("combobox", name="Person")).to_have_value("lena")
    enter(page, app.url, "lea", "annotators?dataset=several&person=lena")
    expect(main).to_contain_text("Dawid-Skene estimate")
    expect(main).to_contain_text("Dawid and Skene")
    course = page.locator(".js-plotly-plot", has_text="% agreement with the others")
    expect(course.locator(".ytick").last).to_have_text(re.compile(r"^\d\d+$"))
    square = page.locator("svg.plot [data-at='1,2']")  # the others 2, lena 3
    square.hover()
    expect(page.locator(".tip:visible")).to_contain_text("the others 2, this person 3")
    square.click()
    listed = page.get_by_test_id("stDataFrame").nth(1)
    expect(listed).to_be_visible()
    press(page, listed, 40, 50, r"/desk\?.*item=")
    assert not [url for url in urls if url.startswith("https://canary")]


def test_with_one_person_or_nobody_it_says_what_to_do(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "annotators?dataset=alone")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("One person labelled this dimension, so agreement between people is not known")
    expect(main).to_contain_text("This estimate needs items that two people or more have labelled.")
    enter(page, app.url, "lea", "annotators?dataset=nobody")
    expect(main).to_contain_text("Nobody has labelled this dataset yet.")
    expect(main.get_by_role("link", name="Draw a sample")).to_be_visible()


def test_annotators_do_not_see_the_page(app: Server, page: Any) -> None:
    enter(page, app.url, "annot", "annotators?dataset=several")
    expect(page.get_by_test_id("stMain")).not_to_contain_text("accepts everything")
    expect(page.get_by_test_id("stMain")).to_contain_text("This page is for researchers and leads, and you are an")


def test_the_calibration_page_shows_people_beside_the_judge(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "calibration?dataset=several&basis=blind&dimension=turn.helpfulness&panel=people")
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("Winning rate")).to_be_visible()  # the last of the panel but for its table
    expect(main).to_contain_text("Kappa between two people is")
    expect(main).to_contain_text("on the same 40 items")
    expect(main).to_contain_text(re.compile(r"The judge (may replace|is not shown to be able to replace)"))
    expect(main.get_by_role("radio", name="a crowd · ε 0.1")).to_be_visible()
