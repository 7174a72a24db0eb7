"""The export page and the box for a better turn, as people use them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from data.exporting.exporting import export_kinds
from tests.pages.contrast import faint
from tests.pages.desk_driver import accept, all_saved, at_rest, choose, enter, on_item, seeded_app
from tests.server import Server

BETTER = "<img src=x onerror=alert(1)> 改めて。"


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    return seeded_app(serve_all, 6)


@pytest.mark.slow
def test_a_turn_is_written_better_by_keys_and_exported(app: Server, page: Any, new_page: Callable[..., Any]) -> None:
    enter(page, app.url, "lea")
    item = on_item(page)
    drawn = page.locator(".row[data-unit='turn:1'] [data-role=assistant] .prose").inner_text()
    page.keyboard.press("e")
    box = page.get_by_label("a better text for turn 1")
    expect(box).to_be_focused()
    original = box.input_value()
    assert original.rstrip() == drawn, "a space at the end of a line is kept, and not drawn"
    page.keyboard.press("Escape")
    expect(page.locator(".mynote")).to_have_count(0)  # as it was: nothing is kept
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("One 3 e")
    page.keyboard.press("Enter")
    page.keyboard.insert_text(BETTER)
    # A key of an input method never reaches the desk, and neither does a bare Enter: the box stays open.
    box.dispatch_event(
        "keydown", {"key": "Enter", "keyCode": 229, "isComposing": True, "bubbles": True, "composed": True}
    )
    expect(box).to_be_focused()
    assert box.input_value() == f"One 3 e\n{BETTER}" and on_item(page) == item
    page.wait_for_timeout(300)  # the draft is written after the next frame
    page.reload()  # while the box is open
    assert on_item(page) == item
    note = page.locator(".row[data-unit='turn:1'] .mynote.better .prose")
    expect(note).to_have_text(f"One 3 e\n{BETTER}", use_inner_text=True)
    assert page.locator(".sheet img").count() == 0
    page.keyboard.press("u")
    expect(note).to_have_count(0)
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(BETTER)
    page.keyboard.press("Control+Enter")  # keeps the text, and stays
    expect(note).to_have_text(BETTER)
    assert on_item(page) == item
    accept(page)
    on_item(page, item)
    all_saved(page)
    page.keyboard.press("b")
    expect(note).to_have_text(BETTER)
    other = new_page()
    enter(other, app.url, "lea", f"desk?stream=review&item={item}")
    assert on_item(other) == item
    expect(other.locator(".row[data-unit='turn:1'] .mynote.better .prose")).to_have_text(BETTER)

    enter(page, app.url, "lea", "export?dataset=demo")
    choose(page, "What", "Preferences: better turns")
    expect(page.get_by_text("1 row")).to_be_visible()
    page.get_by_role("button", name="Make the file").click()
    with page.expect_download() as coming:
        page.get_by_role("link", name="Download").click()
    assert coming.value.suggested_filename == "demo-preference_turns.jsonl"
    [line] = Path(coming.value.path()).read_text(encoding="utf-8").splitlines()
    row = json.loads(line)
    assert row["chosen"] == [{"role": "assistant", "content": BETTER}]
    assert row["rejected"][0]["content"] == original
    expect(page.get_by_text('data_files="demo-preference_turns.jsonl"')).to_be_visible()


def test_items_are_put_aside_and_taken_back_with_a_reason(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "export?dataset=demo")
    page.get_by_text("Tuning items: put aside").click()
    at_rest(page)
    page.get_by_label("Items that a prompt was tuned on").fill("d-0003\nd-0099")
    page.get_by_label("Reason").fill("the prompt was tuned on it")
    at_rest(page)
    page.get_by_role("button", name="Put aside").click()
    expect(page.get_by_text("This dataset has no item d-0099.")).to_be_visible()
    at_rest(page)
    expect(page.get_by_label("Items that a prompt was tuned on")).to_have_value("d-0003\nd-0099")
    page.get_by_label("Items that a prompt was tuned on").fill("d-0003")  # the reason is there still
    at_rest(page)
    page.get_by_role("button", name="Put aside").click()
    expect(page.get_by_text("1 item put aside.")).to_be_visible()
    at_rest(page)
    expect(page.get_by_label("Items that a prompt was tuned on")).to_have_value("")
    choose(page, "Count again", "d-0003")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Count again").click()
    expect(page.get_by_text("Say why, in 3 to 500 characters")).to_be_visible()
    at_rest(page)
    page.get_by_label("Reason").first.fill("it was not used after all")
    page.get_by_role("button", name="Count again").click()
    expect(page.get_by_text("0 items put aside.")).to_be_visible()


def test_the_way_to_a_file_and_its_code_can_be_read(app: Server, new_page: Callable[..., Any]) -> None:
    """The words of code had a contrast of 2.5 to 3.6, and white on the dark theme's accent 2."""
    for scheme in ("light", "dark"):
        page = new_page(color_scheme=scheme)
        enter(page, app.url, "lea", "export?dataset=demo")
        page.get_by_role("button", name="Make the file").click()
        code = page.get_by_test_id("stCode").last
        expect(code).to_contain_text("python -m data import")
        main = page.get_by_test_id("stMain")
        page.get_by_role("radio", name="JSON lines").hover()
        assert code.locator(".token").count() > 1 and faint(main) == {}, scheme


@pytest.mark.slow
def test_every_option_of_a_kind_can_be_set(app: Server, page: Any) -> None:
    kinds = export_kinds()
    enter(page, app.url, "lea", "export?dataset=demo")
    for name in ("adjudications", "preference_turns"):  # the last has the most options
        choose(page, "What", kinds[name].title)
        page.get_by_text(kinds[name].description).first.wait_for()
        at_rest(page)
        for option in kinds[name].options:
            expect(page.get_by_label(option.title, exact=True)).to_be_attached()
    assert len(kinds["preference_turns"].options) == max(len(kind.options) for kind in kinds.values())


def test_an_annotator_has_no_such_page_and_no_guessed_file(app: Server, page: Any) -> None:
    access = {}
    for name in ("ann", "lea"):  # what lea finds there is looked for in the same way
        enter(page, app.url, name, "export?dataset=demo")
        page.get_by_role("heading", name="Export").wait_for()
        at_rest(page)
        refused = page.get_by_text("This page is for researchers and leads, and you are an annotator.").count()
        main = page.get_by_test_id("stMain")
        access[name] = refused, main.get_by_role("combobox").count() > 0
    assert access == {"ann": (1, False), "lea": (0, True)}
    assert page.request.get(f"{app.url}/given/guess/demo-items.jsonl").status == 404
