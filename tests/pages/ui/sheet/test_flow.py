"""Which item is shown, and what data from the server may do to it."""

from __future__ import annotations

import pytest

from tests.pages.desk_driver import patiently
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import Bench, answered_sheet, blind_response, response, values


def test_back_and_forth_keeps_what_stands_on_each_item(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcd"))
    bench.press("b")
    assert bench.hint() == "Nothing has been answered in this session yet."
    for key in ("1", "2"):
        bench.press(key)
        bench.go()
    bench.press("3", "b")
    assert bench.item == "id-b" and bench.mine("tone") == ["2"] and bench.mine("fit") == ["2"]
    assert bench.text(".go").startswith("Back to where you were")
    bench.press("5", "b")
    assert bench.item == "id-a" and bench.mine("tone") == ["1"]
    bench.press("b")
    assert bench.hint() == "This is the first item of this session." and bench.item == "id-a"
    assert bench.page.locator("[data-do=back]").is_disabled()
    bench.press("Escape")
    assert bench.item == "id-c" and bench.mine("tone") == ["3"] and bench.here == "fit"
    bench.press("b")
    assert bench.mine("tone") == ["5"], "what was begun on it is kept as a draft"
    assert "1 changed since it was saved" in bench.sum() and bench.text(".go").startswith("Save the change")
    bench.go()
    assert bench.item == "id-c"
    bench.ack()
    [answer] = [a for a in bench.waiting() if a["item"] == "id-b"][-1:]
    assert values(answer) == {"tone": 5, "fit": 2} and answer["version"] != ""
    bench.go()
    assert bench.item == "id-d", "the one that was open is answered now"
    bench.press("b", "b", "b")
    assert bench.item == "id-a"
    bench.go()
    assert bench.item == "id-d" and bench.mine("tone") == []


def test_more_is_asked_for_where_the_last_item_is_left_with_nothing_to_save(bench: Bench) -> None:
    bench.sit(answered_sheet(response("a"), "v1", {"tone": 1}))
    before = len(bench.messages())
    bench.go()
    assert bench.item == "" and len(bench.messages()) == before + 1


def test_a_hint_stays_as_long_as_it_takes_to_read_it_or_until_the_next_key(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    hint = bench.page.locator(".hint")
    bench.press("b")
    length = len(bench.hint())
    bench.wait(2.4 + 0.045 * length)
    assert length > 40 and hint.is_visible()
    bench.wait(0.2)
    assert not hint.is_visible()
    bench.press("b")
    assert hint.is_visible()
    bench.press("j")
    assert not hint.is_visible()
    bench.press("b")
    bench.page.locator("[data-do=go]").click()
    assert bench.item == "id-b" and not hint.is_visible(), "it was about another item"


def test_the_key_that_opens_a_line_writes_nothing_into_it_while_it_is_held(bench: Bench) -> None:
    bench.sit(response("a"))
    keys = bench.page.keyboard
    for key, *texts in (("m", "", ""), ("m", "m", "mm"), ("x", "mmx", "mmxx")):
        for written in texts:
            keys.down(key)
            assert bench.page.locator(".editor textarea, .editor input").input_value() == written
        keys.up(key)


def test_from_an_item_of_before_one_comes_back_to_an_empty_queue_too(bench: Bench) -> None:
    bench.sit(response("a"), empty={"title": "The queue is empty", "text": "Nothing waits."})
    bench.press("3")
    bench.go()
    for keys in (["Escape"], ["Control+Enter"], ["5", "Control+Enter"]):
        assert bench.text(".idle h2") == "The queue is empty" and bench.item == ""
        assert bench.page.locator(".sheet[data-empty]").count() == 1, "what stands below it is near"
        bench.press("b")
        assert bench.item == "id-a" and not bench.page.locator(".sheet[data-empty]").count()
        bench.press(*keys)
    assert bench.text(".idle h2") == "The queue is empty"
    assert [values(answer)["tone"] for answer in bench.waiting()] == [3, 5]


def test_a_held_key_does_not_run_to_and_fro(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.press("b")
    bench.page.keyboard.down("Control")
    bench.page.keyboard.down("Enter")
    assert bench.item == "id-b"
    bench.page.keyboard.down("Enter")
    assert bench.item == "id-c", "what is new is accepted by a held key"
    bench.page.keyboard.up("Enter")
    bench.page.keyboard.up("Control")
    bench.press("b")
    bench.page.keyboard.down("Control")
    bench.page.keyboard.down("Enter")
    bench.page.keyboard.up("Enter")
    bench.press("b")
    bench.page.keyboard.up("Control")
    assert bench.item == "id-c"


def test_two_hundred_answered_items_can_be_gone_back_to(bench: Bench) -> None:
    bench.sit(*(response(f"n{n}") for n in range(203)))
    bench.press_at_once(202, "Enter", ctrl=True)
    assert bench.item == "id-n202"
    bench.press_at_once(201, "b")
    assert bench.item == "id-n2" and bench.hint() == "This is the first item of this session."


def test_an_item_that_comes_anew_takes_nothing_from_the_person(bench: Bench) -> None:
    first, second = response("a"), response("b")
    bench.sit(first, second)
    bench.press("3", "i")
    bench.page.keyboard.type("half")
    newer = answered_sheet(response("a"), "v1", {"tone": 1, "fit": 5})
    bench.tell(sheets=[newer])
    assert bench.item == "id-a" and bench.here == "fit"
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == ["5"], "what was changed here stays on top of it"
    assert bench.hint() == "This item has a newer saved answer. What you changed here is kept, on top of it."
    assert bench.page.locator(".editor input").input_value() == "half"
    bench.page.keyboard.type(" done")
    bench.press("Enter")
    bench.tell(sheets=[answered_sheet(response("b"), "v2", {"tone": 2})])
    assert bench.item == "id-a" and bench.mine("tone") == ["3"] and "1 note" in bench.sum()
    bench.go()
    [answer] = bench.waiting()
    assert answer["version"] == "v1" and values(answer) == {"tone": 3, "fit": 5}
    assert [n["text"] for n in answer["notes"]] == ["half done"]
    assert bench.item == "id-b" and bench.mine("tone") == ["2"], "and the one that waited came anew, too"
    assert bench.sum() == "1 changed · 1 left as the judge has them · saved, nothing changed since"
    bench.tell(sheets=[newer])
    bench.go()
    assert bench.item == "", "the same again is not asked again"


def test_an_item_may_come_anew_without_the_question_that_one_is_at(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("3")
    assert bench.here == "fit"
    newer = answered_sheet(response("a"), "v1", {"tone": 3})
    newer["rows"][0]["groups"][0]["cells"].pop()
    bench.tell(sheets=[newer])
    assert bench.here == "tone" and bench.mine("tone") == ["3"] and bench.cell("fit").count() == 0


def test_a_line_that_is_still_written_is_in_no_draft_when_the_item_comes_anew(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("m")
    bench.page.keyboard.type("not yet")
    bench.tell(sheets=[answered_sheet(response("a"), "v1", {"tone": 1})])
    bench.wait_for_paint()
    assert bench.page.locator(".editor input").input_value() == "not yet"
    assert bench.stored_keys("draft") == [] and bench.page.locator(".mynote").count() == 0


def test_of_an_item_that_comes_anew_with_another_scale_only_its_answers_are_taken(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("5", "3")
    newer = answered_sheet(response("a"), "v1", {})
    newer["rows"][0]["groups"][0]["cells"][0].update(steps=[{"v": n, "t": str(n)} for n in range(1, 4)], judge=None)
    bench.tell(sheets=[newer])
    assert bench.mine("tone") == [] and bench.mine("fit") == ["3"] and "1 without an answer" in bench.sum()
    bench.press("k", "2")
    bench.go()
    [answer] = bench.waiting()
    assert values(answer) == {"tone": 2, "fit": 3}


def test_an_issue_stays_with_its_turn_when_the_item_comes_anew(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), response("b"))
    bench.press("i")
    bench.page.keyboard.type("half")
    bench.page.locator(".row[data-row='1'] .text").first.click()
    bench.tell(sheets=[answered_sheet(fakes.dialogue("a"), "v1", {"safety": 1})])
    assert bench.page.locator(".editor input").get_attribute("aria-label") == "issue, turn 1"
    bench.page.locator("[data-do=keepeditor]").click()
    assert "half" in bench.page.locator(".row[data-row='0'] .mynote").inner_text()


def test_what_was_saved_before_gives_way_to_what_was_saved_since(bench: Bench) -> None:
    bench.sit(answered_sheet(response("a"), "v1", {"tone": 1, "fit": 1}), response("b"))
    bench.press("j", "3")
    bench.tell(sheets=[answered_sheet(response("a"), "v2", {"tone": 5, "fit": 5})])
    assert bench.mine("tone") == ["5"] and bench.mine("fit") == ["3"]
    assert "1 changed since it was saved" in bench.sum()


def test_an_item_that_comes_anew_stays_where_it_was_scrolled_to(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 500})
    bench.sit(fakes.dialogue("a"), response("b"))
    bench.press("]", "]")
    place = bench.page.evaluate("scrollY")
    bench.tell(sheets=[answered_sheet(fakes.dialogue("a"), "v1", {"safety": 1})])
    assert bench.mine("safety") == ["1"] and bench.page.evaluate("scrollY") == place > 0


def test_an_item_that_comes_anew_leaves_the_keyboard_on_a_button_that_stays(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    skip = bench.page.locator(".foot [data-do=skip]")
    skip.focus()
    bench.tell(sheets=[answered_sheet(response("a"), "v1", {"tone": 1})])
    assert bench.mine("tone") == ["1"] and skip.evaluate("e => e.getRootNode().activeElement === e")


BAR = """() => { const [above, bar] = [0, 0].map(() => document.createElement("div"));
  above.style.height = "300px";
  bar.style = "position: fixed; top: 0; width: 100%; height: 60px";
  bar.dataset.testid = "stHeader";
  document.body.prepend(above, bar);
  dispatchEvent(new Event("resize")) }"""


def test_a_row_that_is_higher_than_the_page_begins_at_its_top(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 600})
    sheet = response("a")
    sheet["rows"].insert(0, fakes.row("conversation", "whole", [], [("", [fakes.cell("conversation", "sum")])]))
    sheet["rows"][1]["texts"] = [fakes.text("output", "It goes on. " * 900)]
    sheet["rows"].insert(1, fakes.row("section", "section", [fakes.text("output", "It goes on. " * 150)], []))
    bench.sit(sheet)
    row = bench.page.locator(".row.response")
    assert row.bounding_box()["y"] > 300 and row.bounding_box()["height"] > 600
    bench.press("j")
    assert bench.here == "tone" and abs(row.bounding_box()["y"] - 10) < 1


def test_the_rating_one_goes_to_is_on_screen_and_its_top_before_its_note(bench: Bench) -> None:
    sheet = fakes.numbers("a")
    cells = sheet["rows"][0]["groups"][0]["cells"]
    cells[3]["judge"]["note"] = "As it was said. " * 40
    bench.page.set_viewport_size({"width": 1440, "height": 260})
    bench.sit(sheet)
    bench.press("d")
    for _ in cells:
        assert min(bench.room()) >= 0, bench.here
        bench.press("j")
    bench.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    for _ in cells:
        bench.press("k")
        assert min(bench.room()) >= 0, bench.here


def test_who_comes_back_to_an_item_sees_the_rating_that_was_left(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 500})
    bench.sit(response("a"), fakes.dialogue("b"))
    bench.go()
    bench.press("]", "]", "]")
    left = bench.page.locator(".cell[data-here]").get_attribute("data-unit")
    bench.press("b")
    bench.go()
    bench.wait_for_paint()
    assert bench.item == "id-b"
    assert bench.page.locator(".cell[data-here]").get_attribute("data-unit") == left != "turn:1"
    above, below = bench.room()
    assert above >= 0 and below > 0


def test_the_next_item_begins_below_the_bar_that_lies_over_the_page(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), fakes.dialogue("b"))
    bench.page.evaluate(BAR)
    bench.press("]", "]", "]", "s", "1", "Enter")
    assert bench.item == "id-b"
    assert bench.page.evaluate("shadow.querySelector('.sheet').getBoundingClientRect().top") == 60 + 8


def test_a_bar_above_the_part_that_scrolls_takes_no_room_in_it(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), frame="position: absolute; top: 100px; height: 500px; overflow-y: auto")
    bench.page.evaluate(BAR)
    bench.page.set_viewport_size({"width": 1300, "height": 800})
    bench.wait_for_paint()
    assert bench.page.locator(".sheet").evaluate("e => e.style.getPropertyValue('--top')") == "0px"


def test_a_rating_that_one_goes_to_lies_below_the_bar_that_lies_over_the_page(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 420})
    bench.sit(fakes.dialogue("a"))
    bench.page.evaluate(BAR)
    bench.press("]", "]", "j", "j")
    bench.page.evaluate("y => scrollBy(0, y)", bench.room()[0] - 40)  # it lies under the bar
    bench.press("k")
    assert bench.room()[0] == pytest.approx(60 + 10 + 6, abs=0.5)


def test_notes_come_anew_with_the_item_until_the_person_changes_them(bench: Bench) -> None:
    notes = bench.page.locator(".mynote .prose")
    bench.sit(answered_sheet(response("a"), "v1", {"tone": 1}), response("b"))
    bench.tell(sheets=[answered_sheet(response("a"), "v2", {"tone": 1}, comments=[{"text": "from another tab"}])])
    assert notes.all_inner_texts() == ["from another tab"] and "nothing changed since" in bench.sum()
    bench.press("m")
    bench.page.keyboard.type("mine")
    bench.press("Enter")
    bench.tell(sheets=[answered_sheet(response("a"), "v3", {"tone": 1})])
    assert "mine" in notes.all_inner_texts() and "notes changed since it was saved" in bench.sum()


def test_a_better_text_that_is_written_while_the_item_comes_anew_stays_open(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("e")
    bench.page.keyboard.type(" More.")
    bench.tell(sheets=[answered_sheet(response("a"), "v1", {"tone": 1})])
    area = bench.page.locator(".editor textarea")
    assert area.input_value() == "As it was said. More."
    bench.press("Control+Enter")
    assert bench.page.locator(".mynote.better").count() == 1 and bench.item == "id-a"
    assert "1 written better" in bench.sum()
    bench.press("e")
    area.fill("As it was said.")
    bench.press("Escape")
    assert bench.page.locator(".mynote").count() == 0, "as it stands there: nothing is better"
    bench.press("u")
    assert bench.page.locator(".mynote.better").inner_text().split("\n")[-2:] != []
    bench.press("e", "Escape")
    bench.press("u")
    assert bench.page.locator(".mynote").count() == 0, "what was only looked at is no change"


def test_the_judge_is_shown_when_it_is_asked_for_and_not_before(bench: Bench) -> None:
    bench.sit(blind_response("a"), blind_response("b"), response("c"))
    bench.press("v")
    assert bench.hint() == "Answer this item first: the judge's scores stay hidden until your answer is saved."
    bench.press("4", "4")
    bench.go()
    first = bench.waiting()[0]
    bench.ack()
    bench.press("b", "1", "v")
    assert bench.hint().startswith("Save your changes first") and bench.page.locator("[data-do=reveal]").is_visible()
    bench.press("u", "v")
    assert bench.hint().startswith("Asking for the judge's scores.")
    assert bench.messages()[-1]["want"] == {"item": "id-a", "reveal": True}
    sheet = answered_sheet(response("a"), first["key"], {"tone": 4, "fit": 4}, mode="revealed", again=True)
    bench.tell(sheets=[blind_response("a")])
    assert bench.page.locator(".cell .step.judge").count() == 0, "not what was asked for"
    bench.wait(10)
    requests = len([m for m in bench.messages() if m["want"]])
    assert requests > 1, "it is asked for until it comes"
    bench.tell(sheets=[sheet])
    assert bench.page.locator(".cell .step.judge").count() == 2 and bench.hint() == ""
    assert bench.page.locator(".why.shown").inner_text() == (
        "the judge is shown: 1 agree, 1 differs (1 by more); changes from here count as revealed")  # fmt: skip
    assert [c.get_attribute("data-dimension") for c in bench.page.locator(".cell.differs").all()] == ["fit"]
    assert bench.messages()[-1]["want"] == {"item": "id-a", "reveal": True}
    bench.wait(30)
    assert len([m for m in bench.messages() if m["want"]]) == requests, "it is not asked for again"
    bench.press("v")
    assert bench.hint() == "The judge's scores are in view already."
    bench.press("k", "5")
    bench.go()
    again = bench.waiting()[0]
    assert again["mode"] == "revealed" and again["version"] == first["key"]
    assert {(v["dimension"], v["v"], v["saw"], v["seen"]) for v in again["values"]} == {
        ("tone", 5, True, 4), ("fit", 4, True, 2)}  # fmt: skip
    assert [(v["saw"], v["seen"]) for v in first["values"]] == [(False, None)] * 2


def test_of_a_blind_item_no_judge_is_drawn_or_sent_even_if_one_is_there(bench: Bench) -> None:
    leaky = response("a", mode="blind", stream="audit")
    leaky["rows"][0].update(judge_issues=["bad"], rules=["broken"])
    leaky["rows"][0]["groups"][0]["cells"][0].update(reason="low", others=[{"by": "qwen", "v": 1, "t": "1"}])
    bench.sit(leaky, response("b"))
    assert not bench.page.locator(".judge, .other, .sure, .alarm, .issues, .doubt, .who").count()
    assert "judge" not in str(bench.cell("tone").get_attribute("aria-label"))
    bench.press("d")
    assert "needs a look" not in bench.page.locator(".note:not([hidden])").inner_text()
    bench.press("d", "Enter")
    assert bench.hint() == "There is no value to accept: the judge's scores are hidden. Give your own."
    bench.go()
    assert bench.hint() == "Nothing is answered yet. Give at least one score, or skip the item (s)."
    bench.press("4")
    bench.go()
    assert bench.sum() == "1 rating has no answer yet: Ctrl+Enter again saves all the same" and bench.here == "fit"
    bench.go()
    assert [(v["dimension"], v["v"], v["saw"], v["seen"]) for v in bench.waiting()[0]["values"]] == [
        ("tone", 4, False, None)]  # fmt: skip


def test_a_link_is_followed_unless_the_person_is_in_the_middle_of_another(bench: Bench) -> None:
    address = "to => history.replaceState(null, '', '/?item=' + to)"
    bench.sit(*(response(name) for name in "abcde"), open="id-c")
    assert bench.item == "id-c" and bench.page.url.endswith("item=id-c")
    bench.go()
    assert bench.item == "id-a"
    bench.wait(1)
    bench.tell(open="id-d")
    assert bench.item == "id-a", "no address says so"
    bench.page.evaluate(address, "id-d")
    bench.tell(open="id-d")
    assert bench.item == "id-d", "nothing was begun on the other"
    bench.wait(1)
    bench.press("3")
    bench.page.evaluate(address, "id-e")
    bench.tell(open="id-e")
    assert bench.item == "id-d" and bench.hint() == "The item you asked for comes next." and bench.mine("tone") == ["3"]
    assert bench.page.url.endswith("item=id-d")
    items = []
    for _ in range(4):
        bench.go()
        items.append(bench.item)
    assert items == ["id-e", "id-a", "id-b", ""]
    bench.wait(1)
    bench.page.evaluate(address, "id-b")
    bench.tell(open="id-b")
    assert bench.item == "", "an answered one is not opened by the link that was followed to it"


def test_a_refused_item_may_come_again_as_it_was(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3")
    bench.go()
    bench.refuse()
    bench.tell(sheets=[response("a")])
    bench.go()
    assert bench.item == "id-a" and bench.mine("tone") == []
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-a" and bench.mine("tone") == ["3"] and bench.hint() == ""


def test_under_other_filters_only_what_was_begun_stays(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), filters="one")
    bench.sit(response("c"), response("d"), filters="two")
    assert bench.item == "id-c" and bench.messages()[-1]["have"] == ["id-c", "id-d"]
    bench.press("3")
    bench.sit(response("e"), filters="three")
    assert bench.item == "id-c" and bench.mine("tone") == ["3"]
    assert bench.messages()[-1]["have"] == ["id-c", "id-e"]
    bench.go()
    assert bench.item == "id-e"


def test_an_answered_item_that_comes_again_by_itself_waits_among_those_of_before(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3")
    bench.go()
    [answer] = bench.waiting()
    bench.ack()
    extra = {"comments": [{"sort": "comment", "text": "from another tab"}]}
    bench.tell(sheets=[answered_sheet(response("a"), answer["key"], {"tone": 3, "fit": 5}, again=True, **extra)])
    bench.press("b")
    assert bench.item == "id-a" and bench.mine("fit") == ["5"]
    assert "from another tab" in bench.text(".comments") and "nothing changed since" in bench.sum()
    bench.press("Escape")
    bench.go()
    assert bench.item == "", "it is not asked anew"


def test_the_address_follows_the_item_at_a_walking_pace(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcdef"))
    bench.page.evaluate("""() => { window.places = []; const real = history.replaceState.bind(history);
        history.replaceState = (...a) => { places.push(new URL(a[2], location.href).search); real(...a) } }""")
    for _ in range(4):
        bench.go()
        bench.wait(0.05)
    bench.wait(1)
    assert bench.page.url.endswith("item=id-e")
    places = bench.page.evaluate("places")
    assert len(places) <= 3 and places[-1] == "?item=id-e", places
    bench.go()
    bench.go()
    bench.wait(1)
    assert "item=" not in bench.page.url


def test_the_footer_begins_and_ends_where_the_texts_do(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"))

    def ends(css: str) -> tuple[float, float]:
        box = bench.page.locator(css).bounding_box()
        return box["x"], width - box["x"] - box["width"]

    for width in (1440, 1024, 1900):
        bench.page.set_viewport_size({"width": width, "height": 900})
        # The page may hear of its new size some frames later.
        assert patiently(lambda: ends(".foot .in") == pytest.approx([max(12, end) for end in ends(".wrap")], abs=1))
    bench.page.evaluate(
        "const beside = document.body.appendChild(document.createElement('div'));"
        "beside.style.cssText = 'margin-left: 300px; height: 100vh; overflow-y: auto';"
        "beside.append(shadow.host); off(); tell({})"
    )
    assert patiently(lambda: ends(".foot .in") == pytest.approx(ends(".wrap"), abs=1))
    assert bench.page.locator(".foot").bounding_box()["x"] == 300


def test_what_is_said_when_no_item_is_there(bench: Bench) -> None:
    progress = {"today": 3, "mine": 9, "seconds": 8.26, "left": 2, "done": 7, "total": 9}
    bench.sit(progress=progress)
    assert bench.page.locator(".body .idle").text_content() == ""
    bench.wait(0.2)
    assert bench.text(".body .idle") == "fetching the next item …"
    bench.wait(4.2)
    [message] = bench.messages()
    assert (message["answers"], message["have"], message["want"]) == ([], [], None), "it is asked for again"
    bench.tell(empty={"title": "The queue is empty", "text": "Nothing waits."})
    assert bench.page.locator(".idle h2").inner_text() == "The queue is empty"
    assert bench.text(".idle .meta") == "3 today · 7 of 9 done"
    assert not bench.page.locator(".body [data-do=back]").count()
    assert not bench.page.locator(".foot").is_visible()
    bench.tell(notice="Nothing was read: the disk is full.", empty={"title": "The queue is empty", "text": ""})
    wide = bench.page.locator(".foot").bounding_box()["width"]
    assert wide == bench.page.evaluate("document.documentElement.clientWidth"), "what is said spans the page"
    before = len(bench.messages())
    bench.wait(60)
    assert len(bench.messages()) == before, "nothing more is asked for"
    bench.page.get_by_text("look again").click()
    assert len(bench.messages()) == before + 1 and not bench.page.locator(".idle h2").count()
    bench.tell(sheets=[response("a")])
    assert bench.item == "id-a" and bench.text(".progress") == "3 today · 2 left · 8.3 s an item"
    bench.go()
    assert bench.text(".progress") == "4 today · 1 left · 8.3 s an item"
    bench.ack(empty={"title": "Done", "text": ""}, progress={**progress, "today": 4, "left": 0, "seconds": 14.6})
    assert bench.text(".progress") == "4 today · 0 left · 15 s an item" and bench.item == ""
    assert bench.page.locator(".progress").get_attribute("title") == "7 of 9 done; 9 by you"
    bench.page.locator(".body [data-do=back]").click()
    assert bench.item == "id-a"


def test_a_held_key_saves_nothing_that_it_has_just_asked_about(bench: Bench) -> None:
    bench.sit(blind_response("a"), response("b"))
    bench.press("3", "Enter")
    assert bench.hint().startswith("There is no value to accept")
    keys = bench.page.keyboard
    keys.down("Control")
    for _ in range(3):
        keys.down("Enter")
    assert bench.item == "id-a" and "1 rating has no answer yet" in bench.sum()
    assert bench.page.locator("[data-do=unseen]").count() == 0 and bench.hint() == "", "all of it was on screen"
    keys.up("Enter")
    keys.down("Enter")
    assert bench.item == "id-b" and [values(a) for a in bench.waiting()] == [{"tone": 3}]
    keys.up("Enter")
    keys.up("Control")


def test_an_item_is_not_left_with_a_number_that_is_none_still_typed(bench: Bench) -> None:
    bench.sit(fakes.numbers("a"), response("b"))
    bench.press("j", "1", "0", "1", "Control+Enter")
    assert bench.item == "id-a" and "101 is out of range" in bench.hint()
    bench.page.locator("[data-do=go]").click()
    assert bench.item == "id-a" and bench.cell("adequacy_of_the_whole_answer").locator("input").input_value() == "101"
    bench.page.locator(".step[data-v='4']").last.click()
    left = bench.cell("adequacy_of_the_whole_answer").locator("input").input_value()
    assert left == "", "who answers another drops it"


def test_where_each_value_of_the_judge_lies_between_answers_it_is_said(bench: Bench) -> None:
    sheet = response("a")
    for cell in sheet["rows"][0]["groups"][0]["cells"]:
        cell["judge"] |= {"v": 4, "exact": "3.5", "between": {"v": 3.5, "near": [3, 4]}}
    bench.sit(sheet, response("b"))
    bench.press("j", "Control+Enter")
    assert bench.item == "id-a" and bench.here == "tone"
    assert bench.hint() == "The judge's values lie between your answers. Choose at least one, or skip the item (s)."
    bench.press("3")
    assert "1 answered · 1 without an answer" in bench.sum()


def test_an_item_in_the_queue_is_opened_again_from_one_of_before(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.ack()
    bench.press("5", "b")
    bench.tell(refused=[{"key": "elsewhere", "item": "id-c", "why": "Your claim on it has run out."}])
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-c"
    bench.go()
    assert bench.item == "id-b" and bench.mine("tone") == ["5"], "what was in hand comes next, as it was left"
    bench.go()
    assert bench.item == ""


def test_what_was_begun_on_an_item_outlives_a_newer_copy_that_comes_while_another_one_is_looked_at(
    bench: Bench,
) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.ack()
    bench.press("3", "m")
    bench.page.keyboard.type("odd")
    bench.press("Enter", "b")
    newer = answered_sheet(response("b"), "v1", {"tone": 1, "fit": 5}, again=True)
    bench.tell(sheets=[newer])
    bench.press("Escape")
    assert bench.item == "id-b" and bench.mine("tone") == ["3"] and bench.mine("fit") == ["5"]
    assert bench.page.locator(".mynote").count() == 1 and bench.here == "fit"
    bench.press("b")
    bench.tell(refused=[{"key": "elsewhere", "item": "id-c", "why": "Your claim on it has run out."}])
    bench.page.get_by_text("Open it again").click()
    bench.tell(sheets=[answered_sheet(response("b"), "v2", {"tone": 2, "fit": 4}, again=True)])
    bench.press("1")
    bench.go()
    assert bench.item == "id-b" and bench.mine("tone") == ["3"] and bench.mine("fit") == ["4"]
    bench.go()
    assert bench.waiting()[-1]["version"] == "v2" and values(bench.waiting()[-1]) == {"tone": 3, "fit": 4}


def test_an_address_that_cannot_be_written_stops_nobody(bench: Bench) -> None:
    bench.page.evaluate("() => { history.replaceState = () => { throw new Error('too often') } }")
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.wait(1)
    bench.go()
    bench.wait(1)
    assert bench.item == "id-c" and "item=" not in bench.page.url


def test_an_item_with_no_judge_is_answered_of_none(bench: Bench) -> None:
    sheet = {**blind_response("a"), "judge": None, "judges": [], "mode": "assisted"}
    bench.sit(sheet)
    assert not bench.page.locator(".who").count()
    bench.press("3", "4")
    bench.go()
    [answer] = bench.waiting()
    assert answer["judge"] is None and [v["saw"] for v in answer["values"]] == [False, False]


def test_what_comes_when_the_page_has_gone_is_sent_from_the_next(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.page.evaluate("window.before = messages")
    bench.press("Control+Enter")
    bench.page.evaluate("off()")  # before the answer could be sent
    bench.wait_for_paint()
    assert bench.page.evaluate("before.filter(m => m.answers.length).length") == 0
    bench.sit(response("b"))
    assert [a["item"] for a in bench.waiting()] == ["id-a"]


def test_what_was_refused_here_and_saved_elsewhere_is_shown_as_saved(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("5")
    bench.go()
    bench.refuse(sheets=[])
    bench.tell(sheets=[answered_sheet(response("a"), "v1", {"tone": 1, "fit": 2}, again=True)])
    bench.press("b")
    assert bench.item == "id-a" and bench.mine("tone") == ["1"]
    assert "saved, nothing changed since" in bench.sum() and bench.text(".go").startswith("Back to where you were")


def test_data_without_an_item_leaves_what_is_said_of_the_queue(bench: Bench) -> None:
    nothing = {"title": "The queue is empty", "text": "Nothing waits."}
    bench.sit()
    bench.wait(0.2)
    assert bench.text(".idle") == "fetching the next item …"
    bench.page.evaluate("tell({})")
    assert bench.text(".idle") == "fetching the next item …"
    bench.sit(empty=nothing, place="demo/audit")
    bench.wait(30)
    assert bench.messages() == [], "what is empty is not asked again and again"


def test_an_item_of_before_is_changed_on_the_newest_answer_of_it(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.go()
    bench.ack(sheets=[answered_sheet(response("a"), "of another tab", {"tone": 1, "fit": 1}, again=True)])
    bench.press("b", "5")
    bench.go()
    [answer] = bench.waiting()
    assert answer["version"] == "of another tab" and values(answer) == {"tone": 5, "fit": 1}


def test_an_item_further_ahead_comes_anew_before_it_was_drawn(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.tell(sheets=[answered_sheet(response("c"), "of another tab", {"tone": 1, "fit": 1})])
    bench.go()
    bench.go()
    assert bench.item == "id-c" and bench.mine("tone") == ["1"]
    assert str(bench.page.locator(".live").text_content()).endswith("Next: Title of c")


def test_a_link_to_an_item_of_before_opens_it_where_it_is_to_be_answered_anew(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.go()
    bench.refuse(sheets=[])
    bench.go()
    assert bench.item == ""
    bench.tell(sheets=[response("c")], open="id-a")
    assert bench.item == "id-c", "what was answered is not shown in place of what waits"
    bench.go()
    bench.tell(sheets=[response("d"), response("a")], open="id-a")
    assert bench.item == "id-a" and "an item you answered before" not in bench.text(".whys")


def test_what_was_begun_on_an_item_that_waits_can_still_be_taken_back(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.refuse(sheets=[response("a")])
    bench.press("5")
    bench.page.get_by_text("Open it again").click()
    bench.wait(2)  # time enough to make ready what comes next
    bench.go()
    assert bench.item == "id-b" and bench.mine("tone") == ["5"] and "restored" not in bench.sum()
    bench.press("u")
    assert bench.mine("tone") == []


def test_an_item_that_was_fetched_comes_too_late_once_the_person_has_gone_on(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.tell(refused=[{"key": "k", "item": "id-z", "why": "Your claim on it has run out."}])
    bench.page.get_by_text("Open it again").click()
    assert bench.hint() == "Fetching it …"
    bench.go()
    bench.tell(sheets=[response("z")])
    assert bench.item == "id-b"


@pytest.mark.parametrize("key", ["s", "m", "i"])
def test_no_item_takes_the_place_of_one_of_which_something_is_written(bench: Bench, key: str) -> None:
    """The reason to skip it skipped the other one, and letters of a note were keys there."""
    bench.sit(*(response(name) for name in "abc"))
    bench.tell(refused=[{"key": "k", "item": "id-z", "why": "Your claim on it has run out."}])
    bench.page.get_by_text("Open it again").click()
    bench.press(key)
    bench.page.keyboard.type("not")
    bench.tell(sheets=[response("z")])
    assert bench.item == "id-a" and bench.hint() == "The item you asked for comes next."
    bench.wait(1)
    bench.page.evaluate("history.replaceState(null, '', '/?item=id-c')")
    bench.tell(open="id-c")
    bench.page.keyboard.type(" my subject")
    bench.press("Enter")
    if key != "s":
        bench.go()
    [answer] = bench.waiting()
    texts = [answer["reason"] or answer["notes"][0]["text"], answer["item"], bench.item]
    assert texts == ["not my subject", "id-a", "id-c"]


def test_an_item_that_a_link_opens_on_an_empty_desk_stays_there(bench: Bench) -> None:
    bench.sit(empty={"title": "The queue is empty", "text": "Nothing waits."})
    bench.tell(sheets=[response("a"), response("b")], open="id-b", empty=None)
    assert bench.item == "id-b"
