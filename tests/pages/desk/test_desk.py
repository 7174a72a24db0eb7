"""The desk in a real browser, on the real app: what is pressed is what is stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.store import Store, open_store
from tests import seeds
from tests.pages.desk_driver import (
    FIND,
    accept,
    accept_all,
    all_saved,
    at_rest,
    choose,
    count_unsaved,
    enter,
    on_item,
    patiently,
    seeded_app,
    turn_to,
)
from tests.server import Server

Serve = Callable[..., Server]
FIRST_CELL = "select value from {} where item_id = $1 and unit = 'turn:1' and dimension = 'context_use' order by seq"


def after(app: Server) -> Store:
    """The store, once the app has ended."""
    app.stop()
    return open_store(app.store)


@pytest.mark.slow
def test_accepting_thirty_dialogues_stores_every_cell_once(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 30)
    enter(page, app.url, "ann")
    ids = accept_all(page, 30)
    all_saved(page)
    assert len(set(ids)) == 30
    page.get_by_text("The review queue is empty").wait_for()
    page.get_by_text("A researcher can add items on the Queues page.").wait_for()
    assert not page.get_by_role("link", name="Add items on the").count()
    store = after(app)
    assert store.rows("select count(*), count(distinct item_id) from answer where person = 'ann'") == [(30, 30)]
    assert store.rows("select count(*), count(distinct item_id) from label_now") == [(30 * 14, 30)]
    assert store.rows("select distinct mode from label_now") == [("assisted",)]
    wrong = store.rows(
        "select count(*) from label_now l join score_now s on s.item_id = l.item_id and s.unit = l.unit "
        "and s.dimension = l.dimension where l.value is distinct from s.value or l.seen is distinct from s.value"
    )
    assert wrong == [(0,)]
    store.close()


@pytest.mark.slow
def test_a_held_key_loses_and_doubles_nothing(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 60)
    page.set_viewport_size({"width": 1440, "height": 1500})  # a held key does not accept what was not on screen
    enter(page, app.url, "ann")
    on_item(page)
    page.keyboard.down("Control")
    empty = page.get_by_text("The review queue is empty")

    def hold() -> bool:
        for _ in range(20):
            page.keyboard.down("Enter")  # without "up" in between: the browser sees a repeating key
        return bool(empty.is_visible())

    assert patiently(hold, 120)
    page.keyboard.up("Enter")
    page.keyboard.up("Control")
    all_saved(page)
    store = after(app)
    assert store.rows("select count(*), count(distinct item_id) from answer") == [(60, 60)]
    assert store.rows("select count(*) from label") == [(60 * 14,)]
    store.close()


@pytest.mark.slow
def test_one_score_in_the_middle_costs_its_way_one_digit_and_one_key_and_back_keeps_the_history(
    serve: Serve, page: Any
) -> None:
    app = seeded_app(serve, 5)
    enter(page, app.url, "ann")
    item = on_item(page)
    for _ in range(4):  # from turn 1 context use to turn 2 helpfulness
        page.keyboard.press("j")
    page.keyboard.press("2")
    accept(page)
    on_item(page, item)
    first = accept_all(page, 1)[0]
    second = on_item(page, first)
    page.keyboard.press("b")
    assert on_item(page, second) == first
    page.keyboard.press("1")
    accept(page)
    assert on_item(page, first) == second
    all_saved(page)
    store = after(app)
    changed = "select unit, dimension, value, seen, saw from label_now where value <> seen and item_id = $1"
    assert store.rows(changed, [item]) == [("turn:2", "helpfulness", 2.0, 4.0, True)]
    assert store.rows("select count(*) from answer where item_id = $1", [first]) == [(2,)]
    assert store.rows(FIRST_CELL.format("label_now"), [first]) == [(1.0,)]
    assert store.rows(FIRST_CELL.format("label"), [first]) == [(4.0,), (1.0,)]
    assert store.rows("select count(*) from label_now where item_id = $1", [first]) == [(14,)]
    store.close()


def test_blind_means_that_nothing_of_the_judge_reaches_the_browser(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    items = [seeds.dialogue(n, system="CANARY-SYSTEM") for n in range(1, 5)]
    replies = [{**seeds.reply(i, helpfulness=2, verdict="borderline"), "decision_basis": "CANARY-BASIS"} for i in items]
    for reply in replies:
        reply["per_turn"][0]["issues"] = ["CANARY-ISSUE"]
    rows = [*items, *(seeds.judgment(i, reply, model="CANARY-MODEL") for i, reply in zip(items, replies, strict=True))]
    store = seeds.workspace(app.store_path, rows, audit=4, review=False)
    assisted = {r[0] for r in store.rows("select item_id from draw where mode = 'assisted'")}
    blind = {r[0] for r in store.rows("select item_id from draw where mode = 'blind'")}
    store.close()
    assert assisted
    assert blind
    app.start()
    frames: list[str] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda data: frames.append(str(data))))
    for item in blind:
        enter(page, app.url, "ann", f"desk?stream=audit&item={item}")
        assert on_item(page) == item
        sent = "".join(f for f in frames if item in f and not any(a in f for a in assisted))
        assert sent, "none of what has come is of this item alone: the test says nothing"
        assert "CANARY-BASIS" not in sent
        assert "CANARY-ISSUE" not in sent and "CANARY-SYSTEM" not in sent
        assert page.locator(".step.judge").count() == 0
        frames.clear()


def test_a_blind_answer_needs_values_and_a_reveal_counts_as_revealed(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 10, audit=10, review=False)
    enter(page, app.url, "ann", "desk?stream=audit")
    item = on_item(page)
    while page.locator(".sheet .step.judge").count():  # the assisted share: accept and go on
        accept(page)
        item = on_item(page, item)
    for _ in range(9):
        page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    page.get_by_text("no answer yet").first.wait_for()
    for key in ("4", "4", "n", "3", "1"):
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")
    on_item(page, item)
    all_saved(page)
    page.keyboard.press("b")
    page.keyboard.press("v")
    page.locator(".sheet .step.judge").first.wait_for()
    page.keyboard.press("5")
    page.keyboard.press("Control+Enter")
    all_saved(page)
    store = after(app)
    rows = store.rows(
        "select mode, count(*), min(value) from label_now where item_id = $1 group by mode order by mode", [item]
    )
    assert [(mode, n) for mode, n, _ in rows] == [("blind", 14), ("revealed", 1)]
    assert store.rows("select saw from label where item_id = $1 and mode = 'blind' and saw", [item]) == []
    store.close()


def test_skip_comment_and_issue_are_stored(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 5)
    enter(page, app.url, "ann")
    first = on_item(page)
    page.keyboard.press("s")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    second = on_item(page, first)
    page.keyboard.press("i")
    page.keyboard.type("asks for the number again 番号")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    page.keyboard.type("hard to say")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    accept(page)
    on_item(page, second)
    all_saved(page)
    store = after(app)
    assert [r[0] for r in store.rows("select action from answer order by seq")] == ["skip", "save"]
    assert store.rows("select count(*) from label where item_id = $1", [first]) == [(0,)]
    assert sorted(store.rows("select unit, sort, text from comment")) == [
        ("", "comment", "hard to say"), ("turn:1", "issue", "asks for the number again 番号"),
    ]  # fmt: skip
    store.close()


@pytest.mark.slow
def test_a_link_to_an_item_works_for_a_colleague(serve: Serve, new_page: Callable[..., Any]) -> None:
    app = seeded_app(serve, 40, names=("lea", "ann", "bob"))
    first, second = new_page(), new_page()
    enter(first, app.url, "ann")
    on_item(first)
    item = accept_all(first, 3)[-1]
    item = on_item(first, item)
    first.wait_for_url(f"**item={item}**")  # written a moment after the item is painted
    link = first.url
    second.context.add_cookies([{"name": "assay_name", "value": "bob", "url": app.url}])
    second.goto(link)
    assert on_item(second) == item
    accept(second)
    on_item(second, item)
    all_saved(second)
    store = after(app)
    assert store.rows("select person from answer where item_id = $1", [item]) == [("bob",)]
    store.close()


@pytest.mark.slow
def test_a_reload_goes_on_where_it_was(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 10)
    enter(page, app.url, "ann")
    item = on_item(page, accept_all(page, 2)[-1])
    all_saved(page)
    # The address follows the desk at a walking pace.
    page.wait_for_function("item => new URLSearchParams(location.search).get('item') === item", arg=item)
    page.keyboard.press("2")
    page.wait_for_timeout(300)
    page.reload()
    assert on_item(page) == item
    page.locator('.cell[data-unit="turn:1"][data-dimension="context_use"] .step[aria-checked="true"]').first.wait_for()
    accept(page)
    on_item(page, item)
    all_saved(page)
    store = after(app)
    assert store.rows(FIRST_CELL.format("label_now"), [item]) == [(2.0,)]
    assert store.rows("select count(*) from answer") == [(3,)]
    store.close()


@pytest.mark.slow
def test_two_tabs_of_one_person_double_nothing(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 14)
    enter(page, app.url, "ann")
    other = page.context.new_page()
    on_item(page)
    other.goto(f"{app.url}/desk?stream=review")
    on_item(other)
    for _ in range(7):
        for tab in (page, other):
            accept(tab)
            tab.wait_for_timeout(60)
    for tab in (page, other):
        all_saved(tab)
    store = after(app)
    assert store.rows("select item_id from answer where previous = '' group by item_id having count(*) > 1") == []
    assert store.rows("select item_id, unit, dimension from label_now group by 1, 2, 3 having count(*) > 1") == []
    store.close()


def test_untrusted_text_stays_text(serve: Serve, page: Any, tmp_path: Path) -> None:
    app = serve(start=False)
    evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> ![x](http://127.0.0.1:9/x)'
    item = seeds.dialogue(1, text=evil, system=evil)
    item["scenario"] = evil
    reply = {**seeds.reply(item), "decision_basis": evil}
    seeds.workspace(app.store_path, [item, seeds.judgment(item, reply, model=evil)]).close()
    app.start()
    enter(page, app.url, "ann")
    on_item(page)
    assert page.evaluate("window.hacked") is None
    assert "<img src=x" in page.locator(".sheet").inner_text()
    assert json.dumps(count_unsaved(page)) == "0"


@pytest.mark.slow
def test_under_other_filters_only_what_fits_them_comes_after_what_is_in_hand(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    items = [seeds.dialogue(n, system="xy"[n % 2]) for n in range(1, 25)]
    store = seeds.workspace(app.store_path, [*items, *(seeds.judgment(i) for i in items)])
    systems = dict(store.rows("select id, system_a from item"))
    store.close()
    app.start()
    enter(page, app.url, "ann")
    first = on_item(page)
    second = accept_all(page, 1) and on_item(page, first)
    all_saved(page)
    page.keyboard.press("3")  # it is begun, and stays in hand
    other = "y" if systems[second] == "x" else "x"
    page.get_by_role("button", name="Filters").click()
    choose(page, "System", other)
    page.get_by_role("button", name="Filters (1)").click()
    ids = accept_all(page, 5)
    assert ids[0] == second and {systems[item] for item in ids[1:]} == {other}
    at = on_item(page, ids[-1])
    turn_to(page, "overview")
    turn_to(page, f"desk?stream=review&system={systems[second]}")
    on_item(page, at)  # nothing was begun on it
    assert {systems[item] for item in accept_all(page, 4)} == {systems[second]}


@pytest.mark.slow
def test_a_link_that_leads_nowhere_keeps_nobody_from_the_queue(serve: Serve, new_page: Callable[..., Any]) -> None:
    app, page, later = seeded_app(serve, 1), new_page(), new_page()
    enter(page, app.url, "ann", "desk?stream=review&item=nowhere")
    why = page.get_by_text("There is no such item in this workspace.").first
    why.wait_for()
    assert page.evaluate(f"({FIND})().dataset.item")  # with the message, not at the next try some seconds later
    at_rest(page)
    assert why.is_visible()
    accept(page)
    all_saved(page)
    page.get_by_text("The review queue is empty").wait_for()
    why.wait_for(state="hidden")
    enter(later, app.url, "ann", "desk?stream=review&item=nowhere")
    later.get_by_text("There is no such item in this workspace.").first.wait_for()
    assert later.get_by_text("The review queue is empty").is_visible()
