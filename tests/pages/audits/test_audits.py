"""The audit page in a real browser: rows, one open with its items, the review queue, limits, fits by keys, roles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from data.audits import justification_labels
from data.audits.justification_labels import JustifiedScore
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import people
from data.records.datasets import ensure_dataset
from data.store import open_store
from data.store.errors import StoreFailed
from pages.audits import justification_check
from pages.audits import page as audits_page
from pages.ui import session
from tests import seeds
from tests.pages.desk_driver import at_rest, enter, press
from tests.server import Server

NASTY = "対話 <b>x</b> ![a](https://canary.test/a.png) **bold**"
BROKEN, COUNT = 3, 40


def test_a_figure_below_0_has_a_minus_sign_and_no_hyphen() -> None:
    figures = {None: "–", -0.07: "\u22120.07", -0.001: "0.00", 0.5: "0.50", 1.0: "1.00", 3.0: "3", 1234.0: "1,234"}
    assert {figure: audits_page._format_figure(figure) for figure in figures} == figures


def justified_rows() -> list[seeds.Json]:
    """Four outputs judged on four dimensions each, with a justification for every score."""
    names = ("instruction_following", "factuality", "completeness", "clarity")
    dimensions = [{"name": n, "score": 4, "justification": f"{NASTY}.", "confidence": "high"} for n in names]
    reply = {"dimensions": dimensions, "overall_score": 4.0, "trustworthy_aggregate": True, "decision_basis": "Fine."}
    items = [{"id": f"r{n}", "kind": "response", "task": "t", "output": "o", "system": "s"} for n in range(4)]
    lines = [{"item": i["id"], "card": "pointwise_quality", "model": "m", "params": {}, "reply": reply} for i in items]
    return [*items, *lines]


def test_an_answer_that_cannot_be_saved_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    scratch: dict[str, Any] = {"again": "an answer before"}

    def fail(*_: Any) -> None:
        raise StoreFailed("Nothing was saved: the disk is full.")

    monkeypatch.setattr(session, "scratch", lambda _: scratch)
    monkeypatch.setattr(session, "store", lambda: None)
    monkeypatch.setattr(justification_labels, "record_fit", fail)
    monkeypatch.setattr(justification_labels, "last_justification", fail)
    score = JustifiedScore("i", "i", "turn:1", "safety", 1.0, "text")
    justification_check._save_answer("ann", "dataset", "judge", score, True)
    assert str(scratch.pop("refused")) == "Nothing was saved: the disk is full." and scratch["again"]
    justification_check._reopen_last_answer("ann", "dataset", "judge")
    assert str(scratch["refused"]) == "Nothing was saved: the disk is full."


def draw_take_button() -> None:
    """The button that takes the items of a finding into the queue of a dataset, of a judge that has scored two."""
    from types import SimpleNamespace

    import streamlit as st

    from judges.audits import AuditFinding, Flag
    from pages.audits import page

    dataset: Any = SimpleNamespace(id=st.selectbox("Dataset", ["a", "b"]), name="demo")
    finding = AuditFinding("alarm", "So it is.", flags=(Flag("item", "Too long."),))
    page.draw_take_button("lea", dataset, "judge", "length_helpfulness", finding)


def test_what_was_taken_into_the_queue_of_one_dataset_is_not_said_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "store", lambda: None)
    monkeypatch.setattr(queue, "take_flagged", lambda *_: (3, 0, 0))
    page = AppTest.from_function(draw_take_button, default_timeout=60).run()
    captions = [[text.value for text in page.button[0].click().run().caption]]
    for dataset in ("b", "a"):
        captions.append([text.value for text in page.selectbox[0].set_value(dataset).run().caption])
    assert captions[0] == captions[2] and "3 items added" in captions[0][0] and captions[1] == []


def test_an_answer_that_is_open_again_is_that_of_its_dataset(monkeypatch: pytest.MonkeyPatch) -> None:
    scratch: dict[str, dict[str, Any]] = {}
    monkeypatch.setattr(session, "scratch", lambda place: scratch.setdefault(place, {}))
    monkeypatch.setattr(session, "store", lambda: None)
    monkeypatch.setattr(justification_labels, "last_justification", lambda _, dataset, *__: f"of {dataset}")
    for dataset in ("a", "b"):
        justification_check._reopen_last_answer("ann", dataset, "judge")
    assert [state["again"] for state in scratch.values()] == ["of a", "of b"]


@pytest.fixture
def app(serve: Callable[..., Server]) -> Server:
    """Forty dialogues of a practice judge, three of whose verdicts break the card's rule; and a dataset without one."""
    server = serve(start=False)
    items = [{**seeds.dialogue(n, turns=2), "id": f"{NASTY} {n}"} for n in range(1, COUNT + 1)]
    replies = [seeds.reply(i, helpfulness=3 + n % 2, verdict=("good", "excellent")[n % 2]) for n, i in enumerate(items)]
    for reply in replies[:BROKEN]:
        reply["verdict"] = "poor"
    lines = [seeds.judgment(i, r, model="practice-heuristic") for i, r in zip(items, replies, strict=True)]
    store = seeds.workspace(server.store_path, [*items, *lines], review=False, dataset=NASTY)
    people.join_workspace(store, "ann")
    import_source(
        store,
        "lea",
        from_path(seeds.lines(server.store_path.with_name("r.jsonl"), justified_rows())),
        ImportPlan(dataset="why"),
    )
    store.tx("test", "empty", lambda tx: ensure_dataset(tx, "unjudged"))
    store.close()
    server.start()
    return server


def look(page: Any, app: Server, dataset: str, name: str = "lea", more: str = "") -> Any:
    enter(page, app.url, name, f"audits?dataset={quote(dataset)}{more}")
    return page.get_by_test_id("stMain")


def test_a_finding_is_opened_its_limit_set_and_its_items_taken_into_the_queue(app: Server, page: Any) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    main = look(page, app, NASTY)
    expect(main).to_contain_text("practice, not a language model")
    expect(main).to_contain_text("From 40 replies to 40 items; all could be used. No reference labels (gold) yet.")
    title = main.get_by_role("button", name="Verdict inconsistent with scores")
    expect(title).to_be_visible()
    at_rest(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    title.press("Enter")
    page.wait_for_url(re.compile("audit=verdict_contradicts"))
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(main).to_contain_text("3 cases. Click one to open it on the desk.")
    expect(main.get_by_text("in alarm")).to_be_visible()  # 3 of 40, above .05
    main.get_by_role("button", name="Limit").click()
    page.get_by_role("spinbutton").fill("0.5")
    page.get_by_role("spinbutton").press("Enter")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(main).to_contain_text("limit 0.5")
    expect(main.get_by_text("in alarm")).to_have_count(0)
    take = main.get_by_role("button", name="Add these 3 items to the review queue")
    take.click()
    expect(main).to_contain_text("3 items added")
    take.click()
    expect(main).to_contain_text("0 items added, 3 in the queue already")
    expect(main.get_by_role("link", name="Review queue")).to_be_visible()
    page.reload()
    expect(main).to_contain_text("3 cases. Click")  # the address keeps it open
    press(page, page.get_by_test_id("stDataFrame"), 40, 50, r"/desk\?.*item=")
    assert not [url for url in urls if url.startswith("https://canary")]


@pytest.mark.slow
def test_annotators_look_and_answer_by_keys_whether_words_fit_and_calibration_tells_of_alarms(
    app: Server, page: Any
) -> None:
    main = look(page, app, NASTY, "ann", "&audit=verdict_contradicts")
    expect(main).to_contain_text("3 cases. Click")
    at_rest(page)
    expect(main.get_by_role("button", name=re.compile("Add these|Limit"))).to_have_count(0)
    main = look(page, app, NASTY, "ann", "&audit=scenario_ignored")
    expect(main).to_contain_text("A researcher or lead can run it.")
    enter(page, app.url, "ann", f"calibration?dataset={quote(NASTY)}")
    link = main.get_by_role("link", name=re.compile("1 audit in alarm: Verdict inconsistent"))
    expect(link).to_be_visible()
    main = look(page, app, "unjudged", "ann")
    expect(main).to_contain_text("No judge has scored this dataset yet. Run one")
    main = look(page, app, "why", "ann", "&audit=justification_fits")
    expect(main).to_contain_text("0 of 16 justifications answered, 0 by you. A random sample")
    expect(main.get_by_test_id("stCode")).to_have_text(f"{NASTY}.")
    page.keyboard.press("n")
    expect(main).to_contain_text(
        "1 of 16 justifications answered, 1 by you. 100% do not support the score (21% to 100%; limit 10%)."
    )
    page.keyboard.press("y")
    expect(main).to_contain_text(
        "2 of 16 justifications answered, 2 by you. 50% do not support the score (9% to 91%; limit 10%)."
    )
    at_rest(page)
    page.keyboard.press("u")
    expect(main).to_contain_text("Your answer: it supports it. A new answer replaces it.")
    page.keyboard.press("n")
    expect(main).to_contain_text("2 of 16 justifications answered, 2 by you. 100% do not support the score")
    app.stop()
    store = open_store(app.store)
    fits = store.rows("select fits, person from fit order by seq")
    assert fits == [(False, "ann"), (True, "ann"), (False, "ann")]
    store.close()
