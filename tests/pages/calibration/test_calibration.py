"""The calibration page in a real browser: what it says in each state, and the clicks that lead to the desk."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from data.calibration.calibration import BasisSize
from data.gold.gold import BASES
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import people
from data.records.datasets import ensure_dataset
from data.records.rows import item_id
from data.store import open_store
from data.store.ids import content_id
from pages.calibration import overview
from tests.data.cells import Cell, fill
from tests.data.imports import pair, source, verdict
from tests.pages.desk_driver import at_rest, choose, enter, press
from tests.server import Server

NASTY = "対話 <b>x</b> ![a](https://canary.test/a.png) **bold**"
TURN = "turn:1"


def make_cells(items: int, **options: Any) -> list[Cell]:
    """Cells on one turn of each item: people 1..5 in turn, the judge the same but for every seventh, one too high."""
    return [
        Cell(n, TURN, (float(n % 5 + 1),), float(min(n % 5 + 1 + (n % 7 == 0), 5)), **options) for n in range(items)
    ]


def in_both_orders() -> list[dict[str, Any]]:
    """40 pairs that go on from a conversation; the judge says A both times of 30, and of 10 whoever stands first."""
    entries = ((1, "user", "Is it far?"), (1, "assistant", "Quite **far**"), (2, "user", "How far?"))
    turns = [dict(zip(("turn", "role", "text"), entry, strict=True)) for entry in entries]
    rows = []
    for n in range(40):
        rows += [pair(f"p{n}", input=turns), verdict(f"p{n}", "a", order="ab")]
        rows.append(verdict(f"p{n}", "b" if n < 30 else "a", order="ba"))
    return rows


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """The app with all that the calibration page tells apart; nobody here answers anything."""
    server = serve_all(start=False)
    store = open_store(server.store)
    people.join_workspace(store, "person0")  # who labelled all of it: for anybody else its blind draws are open
    cells = make_cells(150, probability=0.5)
    cells += [Cell(1000 + n, TURN, c.people, c.judge, "assisted", 0.5) for n, c in enumerate(make_cells(40))]
    cells += [Cell(n, TURN, (5.0,), 5.0, probability=0.5, dimension="safety") for n in range(40)]
    cells += [
        Cell(n, "conversation", (None if n % 3 == 0 else 4.0,), None, "blind", 0.5, "task_completion")
        for n in range(20)
    ]
    cells += [Cell(n, "conversation", (2.0,), "unscored", "blind", 0.5, "coherence") for n in range(5)]
    fill(store, cells, NASTY)
    voted = [Cell(n, "pair", (n % 3.0,), (n + (n % 4 == 0)) % 3.0, dimension="verdict") for n in range(60)]
    fill(store, voted, "votes", "pair", "plain_pairwise")
    fill(store, [Cell(0, TURN, (), 3.0)], "unlabelled")
    people.join_workspace(store, "lea")
    import_source(store, "person0", source(in_both_orders()), ImportPlan("orders"))
    store.tx("test", "empty", lambda tx: ensure_dataset(tx, "unjudged"))
    store.close()
    server.start()
    return server


def look(page: Any, app: Server, dataset: str, more: str = "") -> None:
    enter(page, app.url, "person0", f"calibration?dataset={quote(dataset)}{more}")


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ((1, 0), "3 ratings of 1 item, "),
        ((10, 10), "20 ratings of up to 10 items in each dimension, "),
        ((0, 0), "0 ratings of 0 items, "),
    ],
)
def test_items_with_gold_are_those_of_one_dimension_as_others_may_have_other_items(
    monkeypatch: pytest.MonkeyPatch, items: tuple[int, ...], words: str
) -> None:
    sentences: list[str] = []
    monkeypatch.setattr(overview.text, "quiet", lambda template, **values: sentences.append(template.format(**values)))
    lines: list[Any] = [
        SimpleNamespace(shown=SimpleNamespace(gold_items=n, gold_cells=n * (3 if n == 1 else 1)), gated=True)
        for n in items
    ]
    sizes = dict.fromkeys(BASES, BasisSize(3, 1))
    overview.draw_labels_used(lines, "blind", False, "gate", sizes)
    assert f"Reference labels (gold) for {words}" in sentences[0]
    assert overview.basis_names(sizes)["blind"] == "All blind labels · 3 labels of 1 person"


def test_states_figures_and_the_way_to_the_desk(app: Server, page: Any) -> None:
    urls = []
    page.on("request", lambda request: urls.append(request.url))
    look(page, app, NASTY, "&dimension=turn.helpfulness")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Reference labels (gold) for 215 ratings of up to 150 items in each dimension")
    plot = page.locator("svg.plot").first
    for words in ("● meets policy", "□ below minimum sample · 135 more items", "– undefined"):
        expect(plot).to_contain_text(words)
    check_colours(page, "rgb(15, 118, 110)", "rgb(251, 251, 250)")
    expect(main).to_contain_text("is at least the required 0.50, and so is its lower bound")
    expect(main).to_contain_text("From 150 ratings of 150 items that both people and judge scored.")
    expect(main).to_contain_text("Length baseline: a rule that predicts the answer from the length of the text alone")
    expect(main).to_contain_text(
        "May be published. On helpfulness judge and people give the same answer in 88% of ratings"
    )
    # people say 1, judge 2: items 0, 35, 70, 105, 140 (multiples of 7 and 5)
    square = page.locator("svg.plot [data-at='0,1']")
    square.hover()
    expect(page.locator(".tip:visible")).to_have_text("people 1, judge 2: 5, 17% of the row")
    square.click()
    expect(main).to_contain_text("People: 1, judge: 2. 5 ratings. Click one to open it on the desk.")
    listed = page.get_by_test_id("stDataFrame").nth(1)
    press(page, listed, 40, 50, r"/desk\?.*item=")
    assert quote(NASTY[:2]) in page.url
    assert not [url for url in urls if url.startswith("https://canary")]


def test_a_click_on_a_row_shows_that_dimension_and_the_address_keeps_it(app: Server, page: Any) -> None:
    look(page, app, NASTY)
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("One dimension")
    table = page.get_by_test_id("stDataFrame").first
    press(page, table, 60, 33 * 3 + 16, "dimension=turn.safety")  # the third row, where all say 5
    expect(main).to_contain_text("Kappa is undefined on 40 items")
    expect(main).to_contain_text("100% of all answers are the same")
    expect(main).to_contain_text("Majority-class baseline: always “5” has 100% agreement")
    page.reload()
    expect(main).to_contain_text("Kappa is undefined on 40 items")


def test_the_tables_own_buttons_cover_no_switch(app: Server, page: Any) -> None:
    """They stand above the right end of a table that the pointer is over, where the switch was."""
    look(page, app, NASTY)
    page.get_by_test_id("stDataFrame").first.wait_for()
    at_rest(page)
    page.get_by_test_id("stDataFrame").first.hover(position={"x": 600, "y": 20})
    buttons = page.get_by_test_id("stElementToolbar").first
    switch = page.get_by_test_id("stCheckbox").filter(has_text="All columns")
    expect(buttons).to_be_visible()
    places = [box.bounding_box() for box in (switch, buttons)]
    assert places[0]["x"] + places[0]["width"] < places[1]["x"]


def test_na_and_unscored_cells_are_told_apart(app: Server, page: Any) -> None:
    look(page, app, NASTY, "&dimension=conversation.task_completion")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("n/a: people 7, judge 20 of 20 ratings.")
    expect(main).to_contain_text("No item has both reference labels (gold) and a score of this judge yet.")
    look(page, app, NASTY, "&dimension=conversation.coherence")
    expect(main).to_contain_text("Unscored: 5 ratings with gold have no score of this judge.")


@pytest.mark.slow
def test_labels_that_the_gate_does_not_count_are_shown_as_such(app: Server, page: Any) -> None:
    look(page, app, "votes")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("The approval check uses blind labels of random draws, and this dataset has none")
    expect(page.get_by_label("Labels used")).to_have_value("All blind labels · 60 labels of 1 person")
    expect(main).to_contain_text(
        "Labels used: all blind labels. Reference labels (gold) for 60 ratings of 60 items, unweighted."
    )
    expect(main).to_contain_text("Approval check: There is gold for 0 items; the policy requires 100.")
    look(page, app, "votes", "&ties=dropped")
    expect(main).to_contain_text("unweighted, ties dropped on both sides.")
    choose(page, "Ties", "counted")
    expect(main).to_contain_text("unweighted.")
    page.wait_for_url(re.compile("ties=counted"))


def test_where_there_is_nothing_yet_it_says_what_to_do(app: Server, page: Any) -> None:
    look(page, app, "unlabelled")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("No reference labels (gold) for this judge's dimensions yet")
    expect(main.get_by_role("link", name="Draw a sample")).to_be_visible()
    look(page, app, "unjudged")
    expect(main).to_contain_text("No judge has scored this dataset yet")


def check_colours(page: Any, dot: str, ground: str) -> None:
    """The plots take the colours of the theme."""
    plot = page.locator("svg.plot").first
    expect(plot.locator("circle").last).to_have_css("fill", dot)
    expect(plot.locator(".ground")).to_have_css("fill", ground)


@pytest.mark.slow
def test_the_table_of_agreement_is_walked_by_keys_in_the_dark(app: Server, new_page: Callable[..., Any]) -> None:
    page = new_page(color_scheme="dark")
    look(page, app, NASTY, "&dimension=turn.helpfulness")
    check_colours(page, "rgb(94, 201, 187)", "rgb(20, 23, 26)")
    first = page.locator("svg.plot [data-at='0,0']")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("svg.plot [data-at='0,1']")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("svg.plot [data-at='1,1']")).to_be_focused()
    expect(page.locator(".tip:visible")).to_contain_text("people 2, judge 2")
    page.keyboard.press("ArrowLeft")  # nobody said 2 where the judge said 1: on to the nearest that there is
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stMain")).to_contain_text(re.compile("People: ., judge: 1"))
    expect(page.locator("svg.plot [aria-pressed='true']")).to_have_count(1)
    at_rest(page)
    expect(page.locator("svg.plot [aria-pressed='true']")).to_be_focused()  # the keys go on from there


def test_both_orders_are_told_without_a_label_and_a_conversation_is_one_on_the_desk(app: Server, page: Any) -> None:
    look(page, app, "orders")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("the verdict stays the same in 75.0% of 40 pairs (59.8% to 85.8%).")
    expect(main).to_contain_text("The first position wins 62.5% of 80 verdicts with a winner")
    expect(page.locator("svg.plot").filter(has_text="first position wins")).to_contain_text("75.0% of 40")
    enter(page, app.url, "lea", f"desk?item={item_id(content_id('dataset', 'orders'), 'p35')}")
    talk = page.locator(".talk")
    expect(talk.locator(".text")).to_have_count(3)
    expect(talk.locator(".user").last).to_contain_text("How far?")
    expect(page.locator(".sheet")).to_contain_text("Verdict changed with the order")


@pytest.mark.slow
def test_a_link_to_a_judge_that_is_not_there_says_so(app: Server, page: Any) -> None:
    enter(page, app.url, "person0", "calibration?dataset=votes&judge=0123abcd")
    notice = page.get_by_text("There is no judge")
    expect(notice).to_have_text("There is no judge 0123abcd here; another one is shown.")
    choose(page, "Dataset", "orders")
    expect(page).to_have_url(re.compile("dataset=orders"))
    at_rest(page)
    expect(notice).to_have_count(0)  # the judge of another dataset is no wrong link
    page.goto(f"{app.url}/calibration?dataset=votes&judge={content_id('judge', 'votes')}")
    page.get_by_role("heading", name="Calibration").wait_for()
    at_rest(page)
    expect(notice).to_have_count(0)
