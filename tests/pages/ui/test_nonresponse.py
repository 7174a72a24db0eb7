"""What was drawn and not answered, in a real browser: told on the pages of a decision, and one click from the desk."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from data.gold import excluded_items
from data.queue import queue
from tests import seeds
from tests.bench.simulations import answered as sim
from tests.pages.desk_driver import choose, enter, press
from tests.server import Server


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """A good judge of which a quarter of the sample is not answered, for several reasons."""
    server = serve_all(start=False)
    w = sim.world(server.store_path, 1, good=True, names=("lea", "ann", "ben"), items=150)
    sim.draw(w)
    drawn = [row[0] for row in w.store.rows("select item_id from draw order by priority, id")]
    excluded_items.exclude_items(w.store, "lea", w.dataset, drawn[:4], "a prompt was tuned on them")
    sim.work(w, "ann", most=80, skips=set(drawn[10:15]).__contains__)
    queue.claim_items(
        w.store, "ben", w.dataset, "audit", queue.QueueFilters(), [], 3
    )  # three of those that ann skipped
    w.store.close()
    server.start()
    return server


@pytest.mark.slow
@pytest.mark.parametrize("place", ["calibration?dataset=sim&dimension=turn.helpfulness", "approvals?dataset=sim"])
def test_what_nobody_answered_is_told_and_leads_to_the_desk(app: Server, page: Any, place: str) -> None:
    enter(page, app.url, "lea", place)
    main = page.get_by_test_id("stMain")
    if place.startswith("approvals"):
        main.get_by_text("not ready to approve: what is missing").click()
        main.get_by_role("button", name="helpfulness").first.click()
    expect(main).to_contain_text("of 105 drawn items are not answered (")
    expect(main).to_contain_text("The policy requires answers to 90% of them, overall and in every stratum.")
    expect(main).to_contain_text("Not answered: 4 put aside, ")
    page.get_by_text("Drawn items without an answer").click()
    listed = page.get_by_test_id("stExpander").filter(has_text="Drawn items without an answer")
    press(page, listed.get_by_test_id("stDataFrame").first, 60, 50, r"/desk\?.*item=")
    expect(page).to_have_url(re.compile(r"stream=audit"))


@pytest.mark.slow
def test_the_import_asks_of_how_many_items_a_random_sample_is(app: Server, page: Any, tmp_path: Any) -> None:
    enter(page, app.url, "lea", "import")
    file = tmp_path / "l.jsonl"
    label = {"unit": "turn:1", "dimension": "helpfulness", "value": 4, "annotator": "zoe", "mode": "blind"}
    items = [seeds.dialogue(n) for n in range(3)]
    seeds.lines(file, [*items, *({**label, "item": i["id"], "made_at": "2026-02-01T12:00:00Z"} for i in items)])
    page.locator("input[type=file]").set_input_files(str(file))
    choose(page, "Into", "sim")
    main = page.get_by_test_id("stMain")
    page.get_by_text("A random sample of them").click()
    expect(main).to_contain_text("but neither the number of items it was drawn from nor the probability")
    page.get_by_role("spinbutton", name="Drawn at random from how many items?").fill("2")
    page.keyboard.press("Tab")
    expect(main).to_contain_text("3 items have labels, and are said to be drawn from 2")
    page.get_by_role("spinbutton", name="Drawn at random from how many items?").fill("5000")
    page.keyboard.press("Tab")
    expect(main).not_to_contain_text("neither the number of items it was drawn from")
    expect(main).to_contain_text("What would be stored")
