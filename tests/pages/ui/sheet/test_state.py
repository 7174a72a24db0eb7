"""What the desk knows, counts and keeps in the browser; without Streamlit, on a page with a clock that is turned."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from data.desk import labels
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import Bench, Json, answered_sheet, response, values

# -- who sits there ---------------------------------------------------------------------------------------------------


def test_each_person_and_each_place_has_a_desk_of_its_own_that_outlives_the_page(bench: Bench) -> None:
    """Nothing is stored here, as in a browser that forbids it: only the desk itself can still know."""
    bench.page.evaluate("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no') }})")
    bench.sit(response("a"), response("b"))
    bench.press("3")
    bench.sit(response("a"), response("c"), place="demo/audit")
    assert bench.item == "id-a" and bench.mine("tone") == []
    bench.press("5", "5")
    bench.sit(response("a"), response("b"), person="somebody else")
    assert bench.mine("tone") == [] and bench.here == "tone"
    bench.sit(response("a"), response("b"))
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == [] and bench.here == "fit"
    bench.go()
    assert bench.item == "id-b" and values(bench.waiting()[0]) == {"tone": 3, "fit": 2}
    bench.sit(response("a"), response("c"), place="demo/audit")
    assert bench.mine("tone") == ["5"] and bench.mine("fit") == ["5"]


def test_keys_are_random_uuids(bench: Bench) -> None:
    keys = bench.page.evaluate("() => Array.from({length: 300}, inner.uuid)")
    assert all(str(uuid.UUID(key)) == key and uuid.UUID(key).version == 4 for key in keys) and len(set(keys)) == 300
    assert all(key[19] in "89ab" for key in keys)


def test_what_follows_a_paint_is_done_once_and_in_a_tab_that_paints_nothing_too(bench: Bench) -> None:
    count = """() => { window.count = 0; inner.afterPaint(() => window.count++) }"""
    bench.page.evaluate(count)
    assert bench.page.evaluate("window.count") == 0
    bench.wait(0.05)
    assert bench.page.evaluate("window.count") == 1
    bench.wait(1)
    assert bench.page.evaluate("window.count") == 1
    bench.page.evaluate("window.requestAnimationFrame = () => 0")
    bench.page.evaluate(count)
    bench.wait(0.1)
    assert bench.page.evaluate("window.count") == 0
    bench.wait(0.1)
    assert bench.page.evaluate("window.count") == 1


# -- numbers that are typed -------------------------------------------------------------------------------------------

TENTHS = {"lo": 0, "hi": 10, "step": 0, "by": 0.1}
QUARTERS = {"lo": 1, "hi": 5, "step": 0.25, "by": 0.25}
SLID = [
    (TENTHS, 3.2, 1, 3.3), (TENTHS, 3.2, -1, 3.1), (TENTHS, 10, 1, 10), (TENTHS, 0, -1, 0), (TENTHS, 9.95, 1, 10),
    (TENTHS, None, 1, 0), (TENTHS, None, -1, 10), (TENTHS, 0.1, 1, 0.2), (TENTHS, 0.7, 1, 0.8),
    (QUARTERS, 3.4, 1, 3.75), (QUARTERS, 3.4, -1, 3.25), (QUARTERS, 4.9, 1, 5), (QUARTERS, 1, 1, 1.25),
]  # fmt: skip
TYPED = {
    "3.5": "", "0": "", "10": "", " 7,25 ": "", "１０": "", ".5": "", "+3": "", "4.": "",
    "10.1": "10.1 is out of range. tone goes from 0 to 10.", "-0.1": "-0.1 is out of range. tone goes from 0 to 10.",
    "\u22121": "\u22121 is out of range. tone goes from 0 to 10.",
    "3e1": "3e1 is not a number. tone goes from 0 to 10.",
    "7,250": "",
    "1.2.3": "1.2.3 is not a number. tone goes from 0 to 10.", "-": "- is not a number. tone goes from 0 to 10.",
}  # fmt: skip


def test_a_number_slides_by_its_step_and_is_refused_off_its_range(bench: Bench) -> None:
    for scale, now, by, then in SLID:
        assert bench.call("slid", scale, now, by) == then, (scale, now, by)
    for text, why in TYPED.items():
        assert bench.call("offRange", TENTHS, "tone", text) == why, text
        number = bench.page.evaluate("t => inner.within({lo: 0, hi: 10, step: 0}, inner.numberOf(t))", text)
        assert number == (why == ""), text
    assert bench.call("offRange", QUARTERS, "tone", "3.25") == bench.call("offRange", QUARTERS, "tone", "3.75") == ""
    message = bench.call("offRange", QUARTERS, "tone", "3.4")
    assert message == "tone goes from 1 to 5 in steps of 0.25: 3.4 lies between two."
    thousands = {"lo": 0, "hi": 10_000, "step": 0}
    for text, one, other in (("1,000", 1, 1000), ("７，２５０", 7.25, 7250)):
        message = f"{text} may be {one} or {other}: type it without a comma, or with a point."
        assert bench.call("offRange", thousands, "tone", text) == message
    for text in ("12,000", "1,25", "1.000", "0,125", "1000"):
        assert bench.call("offRange", thousands, "tone", text) == "", text
    assert [n for n in (0.75, 1, 1.25, 3.3, 5, 5.25) if bench.call("within", QUARTERS, n)] == [1, 1.25, 5]
    assert not bench.call("within", QUARTERS, "3") and bench.call("within", TENTHS, 3.14159)


# -- what is kept in the browser --------------------------------------------------------------------------------------


def test_a_draft_comes_back_as_it_was_left(bench: Bench) -> None:
    """Values, notes, a better text, the place and the time: after a reload all of it, and nothing that is not asked."""
    bench.sit(response("a"), response("b"))
    bench.press("3", "i")
    bench.page.keyboard.type("too short")
    bench.press("Enter", "m")
    bench.page.keyboard.type("odd")
    bench.press("Enter", "e")
    bench.page.keyboard.type(" Really.")
    bench.wait(3)  # what is being written is kept, too
    bench.press("Control+Enter", "1")
    bench.wait_for_paint()
    [key] = bench.stored_keys("draft")
    bench.open()
    bench.sit(response("a"), response("b"))
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == ["1"] and bench.here == "fit"
    assert [note.inner_text().split("\n")[0] for note in bench.page.locator(".mynote").all()] == [
        "issue", "better", "comment"]  # fmt: skip
    assert "is restored" in bench.sum() and "2 notes" in bench.sum() and "1 written better" in bench.sum()
    bench.go()
    [answer] = bench.waiting()
    assert values(answer) == {"tone": 3, "fit": 1} and 3000 <= answer["ms"] < 60_000
    assert answer["notes"] == [
        {"unit": "response", "sort": "issue", "text": "too short"}, {"unit": "", "sort": "comment", "text": "odd"}
    ]  # fmt: skip
    assert answer["repairs"] == [{"unit": "response", "text": "As it was said. Really."}]
    assert bench.stored_keys("draft") == [] and key.endswith(":id-a")


def test_a_draft_can_be_discarded_and_that_be_undone(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("3", "m")
    bench.page.keyboard.type("odd")
    bench.press("Enter")
    bench.wait_for_paint()
    bench.open()
    bench.sit(response("a"))
    notes = bench.page.locator(".mynote")
    assert bench.mine("tone") == ["3"] and notes.count() == 1
    bench.page.locator("[data-do=undraft]").click()
    assert bench.mine("tone") == [] and notes.count() == 0 and "is restored" not in bench.sum()
    assert bench.page.locator("[data-do=undraft]").count() == 0
    bench.wait_for_paint()
    assert bench.stored_keys("draft") == []
    bench.press("u")
    assert bench.mine("tone") == ["3"] and notes.count() == 1


def test_a_better_text_is_kept_while_it_is_written(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("e")
    for word in (" Really.", " So."):
        bench.page.keyboard.type(word)
        bench.wait_for_paint()
    [key] = bench.stored_keys("draft")
    [note] = bench.page.evaluate("key => JSON.parse(localStorage.getItem(key)).notes", key)
    assert note == {"unit": "response", "sort": "better", "text": "As it was said. Really. So."}


def test_what_is_pasted_into_a_field_is_kept_as_long_as_the_server_saves_it(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["texts"] = [fakes.text("output", "As it was said. " * 12_500)]
    bench.sit(sheet)
    bench.press("m")
    bench.page.keyboard.insert_text("x" * 20_000)
    bench.press("Enter", "e")
    bench.page.keyboard.insert_text("!")
    bench.press("Control+Enter")
    bench.go()
    answer = labels.DeskAnswer.model_validate(bench.waiting()[0])
    assert answer.notes[0].text == "x" * 20_000
    assert len(answer.repairs[0].text) > 200_000 and answer.repairs[0].text.endswith(" !")


DRAFT = """([key, change]) => {
  const draft = {version: "", mode: "assisted", at: Date.now() - 86400000, ms: 1234, here: 1,
    values: [["response", "tone", 5]], notes: [], ...change};
  if ("days" in change) draft.at = Date.now() - change.days * 86400000;
  localStorage.setItem(key, JSON.stringify(draft)) }"""


@pytest.mark.slow
@pytest.mark.parametrize("leave", ["another page", "reload"])
@pytest.mark.parametrize("key", ["i", "m", "e"])
def test_a_line_that_was_open_when_the_page_was_left_is_kept(bench: Bench, key: str, leave: str) -> None:
    bench.sit(response("a"), response("b"))
    bench.press(key)
    bench.page.keyboard.type(" So far.")
    if leave == "reload":
        bench.open()
    else:
        bench.sit(response("x"), place="demo/audit")
    bench.sit(response("a"), response("b"))
    assert bench.page.locator(".editor").count() == 0, "none that no key reaches"
    assert bench.page.locator(".mynote .prose").inner_text().endswith("So far.")
    bench.press("3", "3")
    bench.go()
    [answer] = bench.waiting()
    assert [n["text"] for n in (*answer["notes"], *answer["repairs"])] in (["So far."], ["As it was said. So far."])


def test_a_tab_in_which_nothing_was_begun_leaves_another_ones_draft(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    key = f"assay:draft:{bench.person}:id-a"
    bench.page.evaluate(DRAFT, [key, {}])  # another tab writes
    bench.open()
    assert bench.stored_keys("draft") == [key]
    bench.sit(response("a"), response("b"))
    assert bench.mine("tone") == ["5"]
    bench.press("u")
    bench.wait_for_paint()
    assert bench.stored_keys("draft") == [], "what it has taken up itself it drops"
    bench.page.evaluate(DRAFT, [key, {}])
    bench.page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert bench.stored_keys("draft") == [key], "and once"


def test_what_is_begun_after_a_draft_was_discarded_is_a_new_one(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("3")
    bench.wait_for_paint()
    bench.open()
    bench.sit(response("a"))
    assert "is restored" in bench.sum()
    bench.page.get_by_role("button", name="discard").click()
    take_back = bench.page.locator("[data-do=undo]")
    assert take_back.is_enabled()
    bench.press("u", "u")
    assert take_back.is_disabled()
    bench.press("2")
    bench.wait_for_paint()
    assert bench.sum().endswith("draft kept in this browser")


@pytest.mark.parametrize(
    ("change", "tone", "restored"),
    [
        ({}, ["5"], True),
        ({"version": "another"}, [], False),
        ({"mode": "blind"}, [], False),
        ({"values": "broken"}, [], False),
        ({"notes": "broken"}, [], False),
        ({"values": [["response", "tone", 6]]}, [], True),  # is on no scale: as if it were not there
        ({"values": [["response", "gone", 5], None, ["response", "tone", 1]]}, ["1"], True),
        ({"here": 7, "ms": "long"}, ["5"], True),
        ({"days": 29}, ["5"], True),
        ({"days": 30.5}, [], False),
        ({"at": None}, [], False),
    ],
)
def test_only_a_draft_of_this_version_of_the_item_is_taken(
    bench: Bench, change: Json, tone: list[str], restored: bool
) -> None:
    keys = [f"assay:draft:{bench.person}:id-a", "assay:draft:another:id-a"]
    for key in keys:
        bench.page.evaluate(DRAFT, [key, change])
    bench.sit(response("a"), response("b"))
    assert bench.mine("tone") == tone and bench.stored_keys("draft") == keys[:1] * restored
    assert bench.here == ("fit" if restored and change.get("here", 1) == 1 else "tone")
    assert bench.page.evaluate("key => localStorage.getItem(key) !== null", keys[1]), "of somebody else"
    assert bool(bench.page.locator(".draft", has_text="is restored").count()) == bool(tone)
    if change == {}:
        bench.go()
        assert bench.waiting()[0]["ms"] >= 1234


def test_notes_of_a_draft_are_taken_where_they_are_notes(bench: Bench) -> None:
    notes = [{"unit": "", "sort": "comment", "text": "kept"}, None, {"unit": "", "sort": "bad", "text": "x"},
             {"unit": 3, "sort": "issue", "text": "x"}, {"unit": "response", "sort": "issue", "text": 3},
             {"unit": "response", "sort": "better", "text": "Better."},
             {"unit": "response", "sort": "issue", "text": "y"}]  # fmt: skip
    bench.page.evaluate(DRAFT, [f"assay:draft:{bench.person}:id-a", {"values": [], "notes": notes}])
    bench.sit(response("a"), response("b"))
    assert bench.page.locator(".mynote").count() == 3
    bench.go()
    [answer] = bench.waiting()
    assert [n["text"] for n in answer["notes"]] == ["kept", "y"] and answer["repairs"][0]["text"] == "Better."


def test_of_the_acts_that_the_browser_kept_only_whole_ones_of_this_person_are_sent_in_their_order(bench: Bench) -> None:
    """Acts of the adjudication, which lie beside the answers."""

    def make_act(key: str, at: int, **change: Any) -> Json:
        act = {"key": key, "action": "decide"}
        return {"person": "lea", "dataset": "d", "place": "p", "at": at, "act": act, **change}

    acts = {"one": make_act("one", 2), "two": make_act("two", 1), "null": None, "bare": {"person": "lea"},
            "other": make_act("another key", 3), "person": make_act("person", 4, person="max"),
            "set": make_act("set", 5, dataset=1), "place": make_act("place", 6, place=None),
            "act": make_act("act", 7, act={"key": "act"})}  # fmt: skip
    keep = "([key, one]) => localStorage.setItem(inner.actKey('lea', key), JSON.stringify(one))"
    for key, stored in acts.items():
        bench.page.evaluate(keep, [key, stored])
    assert [stored["act"]["key"] for stored in bench.call("keptActs", "lea")] == ["two", "one"]
    assert bench.page.evaluate("Object.keys(localStorage).length") == 2, "what is none is thrown away"


def test_a_value_set_back_leaves_no_draft(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3")
    bench.wait_for_paint()
    assert len(bench.stored_keys("draft")) == 1 and "draft kept in this browser" in bench.sum()
    bench.press("u")
    bench.wait_for_paint()
    assert bench.stored_keys("draft") == [] and "draft" not in bench.sum()
    bench.press("u")
    assert bench.hint() == "Nothing to undo on this item."


def test_only_time_at_work_is_counted(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), response("c"))
    bench.press("j")
    bench.wait(50)
    bench.press("k")
    bench.wait(70)  # away
    bench.press("j")
    bench.wait(5)
    bench.go()
    assert 55_000 <= bench.waiting()[0]["ms"] < 65_000
    bench.go()
    bench.ack()
    assert bench.waiting()[-1]["ms"] < 10_000, "each item has its own"
    for place in (200, 300, 200):
        bench.wait(50)
        bench.page.mouse.move(place, place)
    bench.go()
    assert bench.waiting()[-1]["ms"] > 145_000, "who moves the mouse reads"


@pytest.mark.parametrize("leave", ["reload", "another page"])
def test_the_time_until_the_page_is_left_counts_for_the_draft(bench: Bench, leave: str) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3")
    bench.wait(20)
    if leave == "another page":
        bench.page.evaluate("off()")
    bench.open()
    bench.sit(response("a"), response("b"))
    bench.go()
    assert 20_000 <= bench.waiting()[0]["ms"] < 25_000


HIDE = (
    "Object.defineProperty(document, 'hidden', {configurable: true, value: true});"
    "document.dispatchEvent(new Event('visibilitychange'))"
)
SHOW = HIDE.replace("value: true", "value: false")
LEAVE = {"hidden": HIDE, "left": "dispatchEvent(new Event('pagehide'))"}


def test_the_time_in_which_the_tab_is_hidden_is_no_work(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3")
    for script, seconds in ((HIDE, 10), (SHOW, 30), ("0", 5)):
        bench.wait(seconds)
        bench.page.evaluate(script)
    bench.go()
    assert 15_000 <= bench.waiting()[0]["ms"] < 17_000


@pytest.mark.parametrize("leave", LEAVE)
def test_a_number_that_is_still_typed_is_in_the_draft_of_a_tab_that_is_hidden_or_left(bench: Bench, leave: str) -> None:
    """A browser may end a hidden tab without a word."""
    bench.sit(fakes.numbers(), response("b"))
    bench.press("j", "7", "1")
    bench.page.evaluate(LEAVE[leave])
    [key] = bench.stored_keys("draft")
    [value] = bench.page.evaluate("key => JSON.parse(localStorage.getItem(key)).values", key)
    assert value[-2:] == ["adequacy_of_the_whole_answer", 71]


def test_notes_and_better_texts_come_back_with_the_answer(bench: Bench) -> None:
    sheet = answered_sheet(
        response("a"), "v1", {"tone": 1, "fit": 2}, comments=[{"sort": "comment", "text": "on all of it"}]
    )
    sheet["rows"][0] |= {"notes": [{"sort": "issue", "text": "wrong date"}], "better": "As it should have been said."}
    bench.sit(sheet, response("b"))
    notes = bench.page.locator(".mynote .prose").all_inner_texts()
    assert notes == ["wrong date", "As it should have been said.", "on all of it"]
    assert "2 notes" in bench.sum() and "1 written better" in bench.sum() and "saved, nothing changed" in bench.sum()
    bench.press("e", "Control+Enter")
    assert "saved, nothing changed" in bench.sum(), "what is opened and left as it was is no change"
    bench.page.get_by_label("remove this better turn").click()
    bench.go()
    [answer] = bench.waiting()
    assert answer["repairs"] == [] and [n["text"] for n in answer["notes"]] == ["wrong date", "on all of it"]
    assert [(n["unit"], n["sort"]) for n in answer["notes"]] == [("response", "issue"), ("", "comment")]


def test_a_text_that_is_opened_and_kept_as_it_was_is_no_better_one(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("e", "Control+Enter")
    assert not bench.page.locator(".mynote").count() and bench.stored_keys("draft") == []


def test_a_number_that_was_typed_comes_back_with_the_draft(bench: Bench) -> None:
    bench.sit(fakes.numbers("a"))
    bench.press("j", "7", "1", "Enter")
    bench.wait_for_paint()
    bench.open()
    bench.sit(fakes.numbers("a"))
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    assert field.input_value() == "71" and "is restored" in bench.sum()


def test_an_answer_beside_another_judge_says_whose_value_stood_there(bench: Bench) -> None:
    sheet = response("a")
    tone, fit = sheet["rows"][0]["groups"][0]["cells"]
    tone["by"], fit["by"] = "judge-1", "judge-2"
    bench.sit(sheet)
    bench.press("Enter", "Enter")
    bench.go()
    assert [v.get("judge") for v in bench.waiting()[0]["values"]] == [None, "judge-2"]
