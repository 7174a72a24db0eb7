"""The Runs page in a browser: dry run, estimate, start, progress, history, differences, and refusals in a sentence."""

from __future__ import annotations

from playwright.sync_api import expect

from data.store import open_store
from judges import practice
from tests import seeds
from tests.pages.driving import enter, patiently


def test_a_judge_is_tried_run_and_compared_without_a_key(serve, page) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 12)
    app.start()
    enter(page, app.url, "lea", "runs?card=multi_turn_dialogue&model=practice-heuristic")
    expect(page.get_by_text("12 judgments of 12 items")).to_be_visible()
    page.get_by_role("button", name="Dry run of three items").click()
    expect(page.get_by_text("Nothing of this was stored.")).to_be_visible()
    expect(page.get_by_text("11 scores")).to_have_count(0)
    expect(page.get_by_text("14 scores")).to_have_count(3)
    expect(page.get_by_text("scenario_description").first).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("✓ finished")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("12 of 12 judgments")).to_be_visible()
    expect(page.get_by_text("practice, not a language model").first).to_be_visible()
    page.get_by_role("button", name="All runs").click()
    expect(page.get_by_text("Runs so far")).to_be_visible()
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


def test_what_cannot_run_is_one_sentence(serve, page) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 3)
    app.start()
    enter(page, app.url, "lea", "runs?card=multi_turn_dialogue&model=practice-unknown")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("has no model 'practice-unknown'")).to_be_visible()
    page.goto(f"{app.url}/runs?card=multi_turn_dialogue&endpoint=other")
    page.get_by_label("Address").fill("127.0.0.1:9/v1")
    page.get_by_label("Address").press("Enter")
    expect(page.get_by_text("an address begins with http:// or https://")).to_be_visible()
    page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    page.get_by_label("Address").press("Enter")
    expect(page.get_by_text("cannot be reached")).to_be_visible()
    assert patiently(lambda: "Traceback" not in app.log)


def test_a_run_is_stopped_left_and_resumed(serve, page) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 24)
    app.start()
    slow = practice.start(practice.Options(latency_ms=600))
    try:
        enter(page, app.url, "lea", "runs?card=multi_turn_dialogue&model=practice-heuristic&endpoint=other")
        page.get_by_label("Address").fill(slow.url)
        page.get_by_label("Address").press("Enter")
        page.get_by_text("Limits: how fast, how much").click()
        page.get_by_label("Calls at a time").fill("4")
        page.get_by_label("Calls at a time").press("Enter")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Stop").click(timeout=15_000)
        expect(page.get_by_text("■ stopped")).to_be_visible(timeout=15_000)
        page.goto(app.url)
        expect(page.get_by_text("What moved")).to_be_visible()
        page.go_back()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_text("24 of 24 judgments")).to_be_visible(timeout=30_000)
        expect(page.get_by_text("✓ finished").first).to_be_visible()
    finally:
        slow.stop()
