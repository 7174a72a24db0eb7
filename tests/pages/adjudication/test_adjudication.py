"""The adjudication page in a browser: the whole loop by keys, the judge only on request, and the rule."""

import os
import re
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from data.desk import labels
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people, settings
from data.records.settings import GoldRule
from data.store import Store, open_store
from data.store.ids import content_id, new_id
from tests import seeds
from tests.pages.contrast import faint
from tests.pages.desk_driver import all_saved, at_rest, count_unsaved, enter
from tests.server import Server

Serve = Callable[..., Server]
OPINIONS = {1: (1, 5), 2: (2, 5)}
"""What ann and ben say of helpfulness in turn 1 of these dialogues; of all else they say 4."""
JAPANESE = "申し訳ございません。ご返金の手続きは三営業日以内に行います。"


def prepare(path: Path) -> Store:
    """A store with two datasets of two dialogues each, on which ann and ben lie apart."""
    items = [seeds.dialogue(n, 2, text=JAPANESE) for n in OPINIONS]
    rows = [*items, *(seeds.judgment(i) for i in items)]
    store = seeds.workspace(path, rows, names=("lea", "ann", "ben"), review=False, audit=2)
    import_source(store, "lea", from_path(seeds.lines(path.with_suffix(".jsonl"), rows)), ImportPlan(dataset="other"))
    people.set_person(store, "lea", "res", "researcher")
    for dataset in datasets.all_datasets(store):
        if dataset.name == "other":
            queue.draw_audit(store, "lea", dataset.id, 2, datasets.dataset_judges(store, dataset.id)[0][0], seed=1)
        settings.set_gold_rule(store, "lea", dataset.id, GoldRule("median", 1))
    places = [(i, int(n[-4:])) for i, n in store.rows("select id, name from item")]
    for place, name in enumerate(("ann", "ben")):
        answers = []
        for item, number in places:
            values = [{"unit": f"turn:{t}", "dimension": d, "v": 4} for t in (1, 2) for d in ("helpfulness", "safety")]
            values[0]["v"] = OPINIONS[number][place]
            answers.append({"key": new_id(), "person": name, "action": "save", "item": item, "values": values})
        saved, refused = labels.save_answers(store, name, answers)
        assert len(saved) == 4 and not refused
    return store


def seeded_app(serve: Serve) -> Server:
    """The app with that store."""
    app = serve(start=False)
    prepare(app.store_path).close()
    app.start()
    return app


def decisions(app: Server, dataset: str) -> list[Any]:
    app.stop()
    store = open_store(app.store)
    rows = store.rows(
        "select value, reason, saw_judge, withdrawn, person from adjudication where dataset_id = $1 order by seq",
        [datasets.dataset_named(store, dataset).id],
    )
    store.close()
    return rows


@pytest.fixture(scope="module")
def app(serve_all: Serve) -> Server:
    return seeded_app(serve_all)


@pytest.mark.slow
def test_who_comes_second_is_told_and_annotators_have_no_such_page(app: Server, new_page: Callable[..., Any]) -> None:
    first, second, third = new_page(), new_page(color_scheme="dark"), new_page()
    for page, name in ((first, "lea"), (second, "res")):
        enter(page, app.url, name, "adjudication?dataset=other")
        page.locator(".case.here").wait_for()
    for page, digit in ((first, "2"), (second, "3")):
        page.keyboard.press(digit)
        page.keyboard.press("Enter")
        page.keyboard.press("1")
        expect(page.locator(".status")).to_have_text(re.compile("^saved|^$"))
        expect(page.locator(".progress")).to_have_text(re.compile("2 of 2|1 of 1"))
    expect(second.get_by_role("alert")).to_contain_text(
        "lea decided this rating meanwhile: 2, because: misread the text"
    )
    enter(third, app.url, "ann", "overview")
    third.get_by_role("link", name="Queues").wait_for()
    third.get_by_role("heading", name="Overview").wait_for()
    expect(third.get_by_text("Page not found")).to_have_count(0)  # the home page under its own address
    expect(third.get_by_role("link", name="Adjudication")).to_have_count(0)
    # A lead changes the rule, and is told what that changes before.
    first.get_by_role("button", name="How labels are combined").click()
    dialog = first.get_by_role("dialog")
    dialog.get_by_text("Now 1 rating waits for adjudication.").wait_for()
    dialog.get_by_role("spinbutton").fill("3")
    dialog.get_by_role("spinbutton").press("Tab")
    dialog.get_by_text("With this rule 0 ratings wait for adjudication (now 1), and no gold value changes.").wait_for()
    dialog.get_by_role("button", name="Save").click()
    first.get_by_text(
        "Where people disagree, the median is used, and the majority for unordered answers; a disagreement of more "
        "than 3 points waits for adjudication."
    ).wait_for()
    first.get_by_role("heading", name="Nothing to adjudicate").wait_for()


def test_cells_are_decided_by_key_with_a_reason_and_taken_back(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "adjudication?dataset=demo")
    case, last = page.locator(".case.here"), page.locator(".panel .last, .idle .last")
    case.wait_for()
    expect(page.locator(".progress")).to_have_text("1 of 2")
    board = page.locator(".board")
    expect(case).to_contain_text("helpfulness")
    expect(case).to_contain_text("differ by 4 points")  # the furthest first
    assert JAPANESE in board.inner_text()
    for name in ("ann was", "ben was", "judge-one"):
        assert name not in page.content() and name not in board.inner_text()
    assert sorted(case.locator(".marks .who").all_inner_texts()) == ["A", "B"]
    expect(case.get_by_role("radio", name=re.compile("^1, said by [AB]$"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(case.locator(".hintline")).to_have_text("Choose a value first.")
    page.keyboard.press("9")
    expect(case.locator(".hintline")).to_have_text("helpfulness has no 9.")
    page.keyboard.press("n")
    expect(case.locator(".hintline")).to_have_text("helpfulness does not allow n/a.")
    assert faint(page.locator(".sheet")) == {}
    page.mouse.click(1434, 700)  # the empty margin: the board looks focused, and is
    page.keyboard.press("3")
    page.keyboard.press("ArrowRight")
    expect(case.get_by_role("radio", checked=True)).to_have_text("4")
    page.reload()  # what was picked, but not decided, is not lost
    expect(case.get_by_role("radio", checked=True)).to_have_text("4")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    expect(page.locator(".progress")).to_have_text("2 of 2")  # the next item, at once
    expect(case).to_contain_text("differ by 3 points")
    expect(last).to_contain_text("helpfulness, turn 1: 4 · used the scale differently")
    expect(last).to_contain_text(re.compile(r"A was (ann \(1\)|ben \(5\)) · B was (ann \(1\)|ben \(5\))"))
    page.keyboard.press("u")
    expect(page.locator(".progress")).to_have_text("1 of 2")
    expect(case).to_contain_text("differ by 4 points")
    expect(last).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.press("6")
    page.keyboard.type("丁寧だが短い")
    page.keyboard.press("Enter")
    expect(case).to_contain_text("differ by 3 points")
    # The judge only on request, and only after a word on what that costs.
    page.keyboard.press("v")
    expect(page.locator(".caution")).to_contain_text("no longer count as blind labels")
    expect(page.locator(".judged")).to_have_count(0)
    page.keyboard.press("v")
    expect(case.locator(".judged")).to_contain_text("judge-one: 4")
    # Words that are written already are whole after another value is clicked, with their last letter.
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    page.keyboard.press("6")
    page.keyboard.insert_text("短い")
    page.keyboard.type("too short")
    case.get_by_role("radio", name=re.compile("^2")).click()
    expect(case.get_by_label("the reason in your own words")).to_have_value("短いtoo short")
    case.get_by_role("button", name="misread the text").click()
    expect(page.get_by_role("heading", name="Nothing to adjudicate")).to_be_visible()
    expect(page.locator(".status")).to_have_text(re.compile("^saved"))
    page.get_by_text("Decided: 2 ratings").click()
    back, table = page.get_by_role("button", name="Take back"), page.get_by_test_id("stDataFrame")
    for _ in range(5):  # the older of both, in the last row; a canvas does not say when it is ready
        at_rest(page)
        if back.is_enabled():
            break
        table.click(position={"x": 15, "y": 88})
        page.wait_for_timeout(500)
    back.click()
    page.get_by_text("Decided: 1 rating").click()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(back).to_be_disabled()  # the row that is left is another one
    assert decisions(app, "demo") == [
        (4.0, "used the scale differently", False, False, "lea"),
        (4.0, "used the scale differently", False, True, "lea"),
        (4.0, "丁寧だが短い", False, False, "lea"),
        (2.0, "misread the text", True, False, "lea"),
        (4.0, "丁寧だが短い", False, True, "lea"),
    ]


def decide(page: Any, value: str, reason: str) -> None:
    """Decide the rating in hand, by keys."""
    page.locator(".case.here").wait_for()
    for key in (value, "Enter", "6"):
        page.keyboard.press(key)
    page.keyboard.insert_text(reason)
    page.keyboard.press("Enter")


OUTBOX_IS_EMPTY = "!Object.keys(localStorage).some((key) => key.startsWith('assay:act:'))"


@pytest.mark.slow
def test_what_was_decided_and_not_sent_is_saved_from_the_next_page(serve: Serve, page: Any) -> None:
    """The page is left before any word comes back; then the tab is closed while the server is down."""
    app = seeded_app(serve)
    enter(page, app.url, "lea", "adjudication?dataset=demo")
    page.locator(".case.here").wait_for()
    at_rest(page)
    assert app.process is not None
    os.kill(app.process.pid, signal.SIGSTOP)
    decide(page, "3", "long ago")
    page.keyboard.press("u")
    decide(page, "2", "the same 返金")
    page.get_by_role("link", name="Overview").click()
    os.kill(app.process.pid, signal.SIGCONT)
    page.get_by_role("heading", name="Overview").wait_for()
    page.wait_for_function(OUTBOX_IS_EMPTY)
    page.get_by_role("link", name="Adjudication").click()
    page.get_by_text("Decided: 1 rating").wait_for()
    all_saved(page)
    app.kill()
    decide(page, "4", "nobody hears it")
    assert count_unsaved(page) == 1
    context = page.context
    page.close()
    app.start()
    again = context.new_page()
    enter(again, app.url, "lea", "desk?stream=audit")
    again.wait_for_function(OUTBOX_IS_EMPTY)
    enter(again, app.url, "lea", "adjudication?dataset=demo")
    again.get_by_role("heading", name="Nothing to adjudicate").wait_for()
    again.get_by_text("Decided: 2 ratings").wait_for()
    assert [(value, reason, back) for value, reason, _, back, _ in decisions(app, "demo")] == [
        (3.0, "long ago", False),
        (3.0, "long ago", True),
        (2.0, "the same 返金", False),
        (4.0, "nobody hears it", False),
    ]


@pytest.mark.slow
def test_what_could_not_be_saved_stays_until_there_is_room(serve: Serve, new_page: Callable[..., Any]) -> None:
    """A limit on the size of the app's files stands in for a full disk."""
    app, page = seeded_app(serve), new_page(color_scheme="dark")
    enter(page, app.url, "lea", "adjudication?dataset=demo")
    page.locator(".case.here").wait_for()
    at_rest(page)
    assert app.process is not None
    full, room = (4096, resource.RLIM_INFINITY), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, full)
    decide(page, "3", JAPANESE * 50)
    alert = page.get_by_role("alert").get_by_text("Nothing was saved")
    alert.wait_for()
    assert count_unsaved(page) == 1
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, room)
    all_saved(page)
    expect(alert).to_have_count(0)
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, full)
    decide(page, "4", JAPANESE * 51)
    alert.wait_for()
    page.get_by_role("link", name="Queues").click()
    notice = page.get_by_text("are not saved yet. They are kept in this browser")
    notice.wait_for()
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, room)
    page.wait_for_function(OUTBOX_IS_EMPTY)
    expect(notice).to_have_count(0)
    # Somebody comes too late with a reason of their own: it is sent once from another page, and not lost on the board.
    place = {"item": "gone", "unit": "turn:1", "dimension": "helpfulness", "token": ""}
    act = {"key": "12345678", "action": "decide", **place, "v": 1, "reason": "my own words"}
    record = {"person": "lea", "dataset": content_id("dataset", "demo"), "place": "gone", "at": 1, "act": act}
    page.evaluate("one => localStorage.setItem('assay:act:lea:12345678', JSON.stringify(one))", record)
    other = {**record, "at": 2, "act": {**act, "key": "23456789", "reason": "and these of another rating"}}
    page.evaluate("one => localStorage.setItem('assay:act:lea:23456789', JSON.stringify(one))", other)
    odd = [None, 7, {}, {"place": "gone"}, {**record, "act": None}, {**record, "act": {**act, "key": "of another"}}]
    keep = "odd => odd.forEach((one, n) => localStorage.setItem(`assay:act:lea:odd ${n}`, JSON.stringify(one)))"
    page.evaluate(keep, odd)  # what is none is thrown away
    page.reload()
    at_rest(page)
    page.wait_for_timeout(500)
    assert not page.evaluate(OUTBOX_IS_EMPTY)
    enter(page, app.url, "lea", "adjudication?dataset=demo")
    page.get_by_role("heading", name="Nothing to adjudicate").wait_for()
    for words in ("my own words", "and these of another rating"):
        expect(page.get_by_role("alert").filter(has_text=f"Your reason was: {words}")).to_have_count(1)
    page.wait_for_function(OUTBOX_IS_EMPTY)
    page.get_by_role("button", name="close").first.click()
    expect(page.get_by_role("alert")).to_contain_text("these of another rating")
    page.get_by_role("button", name="close").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    stored = [(value, reason) for value, reason, *_ in decisions(app, "demo")]
    assert stored == [(3.0, JAPANESE * 50), (4.0, JAPANESE * 51)]
