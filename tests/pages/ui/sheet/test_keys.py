"""What the keys do, and what they say."""

from __future__ import annotations

import pytest

from judges.importing.lines import LONGEST_REASON
from tests.pages.desk_driver import patiently
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import OVER, Bench, answered_sheet, blind_response, response


@pytest.mark.parametrize(("first", "keys"), [(8, "8–9,0=10,←→all"), (9, "9,0=10,←→all"), (10, "←→score")])
def test_digits_are_named_as_far_as_the_scale_has_answers_for_them(bench: Bench, first: int, keys: str) -> None:
    steps = [{"v": n, "t": str(n)} for n in range(first, 15)]
    cell = fakes.cell("response", "high", 12, steps=steps)
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", [cell])])], why=[]))
    assert bench.keys() == keys


def test_keys_mean_the_same_while_a_button_has_the_focus(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.page.locator("[data-do=comment]").focus()
    bench.press("j")
    assert bench.here == "fit"
    bench.page.locator("[data-do=comment]").focus()
    bench.press("3")
    assert bench.mine("fit") == ["3"]


@pytest.mark.parametrize(
    ("keys", "turn"), [("123", "123"), ("299", "299"), ("1234", "4"), ("100", "100"), ("012", "12"), ("3001", "1")]
)
def test_turns_beyond_99_take_three_digits(bench: Bench, keys: str, turn: str) -> None:
    turns = [{"v": n, "t": str(n)} for n in range(1, 301) if n != 12 or turn == "12"]
    cells = [fakes.cell("response", "turn", 3, kind="turn", steps=[*turns, {"v": 0, "t": "none"}])]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    bench.press(*keys)
    assert bench.mine("turn") == [turn]


@pytest.mark.parametrize("keys", ["290", ["ArrowLeft"]])
def test_the_turn_that_is_chosen_is_in_view_however_many_there_are(bench: Bench, keys: str | list[str]) -> None:
    sheet = fakes.item("a", "a", "dialogue", [fakes.conversation(300, weakest=0)], why=[])
    bench.page.set_viewport_size({"width": 1280, "height": 640})
    bench.sit(sheet)
    bench.press("j", "j", "j", *keys)
    chosen, foot = (bench.page.locator(css).bounding_box() for css in (".cell .step.mine", ".foot"))
    assert chosen["y"] > 0 and chosen["y"] + chosen["height"] < foot["y"]
    bench.press("1")
    bench.wait(1.1)
    bench.press("1")
    assert bench.page.locator(".cell .step.mine").bounding_box()["y"] > 0


PRESSED_AS = """given => !(shadow.activeElement ?? shadow.querySelector(".sheet")).dispatchEvent(
    new KeyboardEvent("keydown", {...given, bubbles: true, composed: true, cancelable: true}))"""


@pytest.mark.parametrize(
    ("key", "code", "shift", "moves"),
    [
        ("j", "KeyJ", False, True), ("J", "KeyJ", False, True), ("J", "KeyJ", True, False),
        ("о", "KeyJ", False, True), ("ξ", "KeyJ", False, True), ("q", "KeyJ", False, False),
        ("ö", "KeyJ", False, False), ("۵", "Digit5", False, True), ("é", "Digit2", False, False),
    ],
)  # fmt: skip
def test_letters_are_keys_with_caps_lock_and_in_other_alphabets(
    bench: Bench, key: str, code: str, shift: bool, moves: bool
) -> None:
    """By the place of the key where its letter is of another alphabet; a Latin letter is itself wherever it stands."""
    bench.sit(response("a"))
    assert bench.page.evaluate(PRESSED_AS, {"key": key, "code": code, "shiftKey": shift}) == moves
    assert bench.here == ("fit" if moves else "tone") and bench.mine("tone") == (["5"] if key == "۵" else [])


@pytest.mark.parametrize("dialog", ["?", "s", "h"])
def test_a_dialog_leaves_the_browser_its_own_keys(bench: Bench, dialog: str) -> None:
    """F5 and F12, say. With Shift, Tab goes from the dialog itself to its last stop."""
    bench.sit(response("a"), guide=fakes.GUIDE)
    bench.page.locator("[data-do=legend]").click()
    bench.press(dialog, *(["ArrowDown"] if dialog == "s" else []))
    results = [bench.page.evaluate(PRESSED_AS, {"key": key}) for key in ("F5", "F11", "F12", "j")]
    assert results[:3] == [False] * 3 and bench.page.locator("[role=dialog]").count() == 1
    if dialog != "s":
        assert results[3], "and no key of the desk goes through it"
        bench.press("Shift+Tab")
        assert bench.page.evaluate("shadow.activeElement.dataset.do") == "closecard"


@pytest.mark.parametrize(("word", "keys"), [("partial", "1no2partial"), ("complete", "1–2answer")])
def test_two_answers_stand_beside_their_keys_where_both_are_short(bench: Bench, word: str, keys: str) -> None:
    cell = fakes.cell("response", "whole", 0, kind="ordered", steps=[{"v": 0, "t": "no"}, {"v": 1, "t": word}])
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", [cell])])], why=[]))
    assert bench.keys() == keys


def test_every_sort_of_scale_takes_its_digits_and_says_what_they_are(bench: Bench) -> None:
    ten = [{"v": n, "t": str(n)} for n in range(1, 11)]
    naught = [{"v": n, "t": str(n)} for n in range(11)]
    turns = [{"v": n, "t": str(n)} for n in range(1, 13)] + [{"v": 0, "t": "none"}]
    cells = [
        fakes.cell("response", "ten", 4, steps=ten),
        fakes.cell("response", "naught", 4, steps=[*naught, fakes.NA]),
        fakes.cell("response", "verdict", 1, kind="ordered", steps=fakes.VERDICT),
        fakes.cell("response", "flag", 0, kind="flag", steps=fakes.FLAG),
        fakes.cell("response", "turn", 3, kind="turn", steps=turns),
        fakes.cell("response", "half", 3.5, kind="interval", steps=fakes.HALVES),
    ]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    hints = []
    for key in ("0", "0", "4", "2", "1"):
        hints.append(bench.keys())
        bench.press(key)
    assert bench.hint() == "" and bench.here == "turn", "another digit may follow"
    bench.press("2")
    assert bench.mine("turn") == ["12"]
    bench.press("7")
    assert bench.mine("turn") == ["7"], "a third one begins anew"
    bench.wait(1.1)
    bench.press("1")
    assert bench.mine("turn") == ["1"], "and so does one that comes late"
    bench.press("0")
    assert bench.mine("turn") == ["10"]
    bench.wait(1.1)
    bench.press("1")
    bench.wait(1)
    bench.press("2")
    assert bench.mine("turn") == ["2"], "a whole second is late"
    bench.wait(1.1)
    bench.press("0", "1", "2")
    assert bench.mine("turn") == ["12"], "a naught before it is none of its digits"
    bench.wait(1.1)
    bench.press("0")
    assert bench.mine("turn") == ["0"] and bench.mine("ten") == ["10"] and bench.mine("naught") == ["10"]
    assert bench.mine("verdict") == ["3"] and bench.mine("flag") == ["1"]
    bench.press("k", "3")
    assert bench.hint() == "flag has no 3: it has 2 answers." and bench.here == "flag"
    bench.press("k", "9")
    assert bench.hint() == "verdict has no 9: it has 4 answers." and bench.here == "verdict"
    bench.press("2")
    assert bench.mine("verdict") == ["1"]
    bench.press("j", "j")
    hints.append(bench.keys())
    assert bench.here == "half"
    bench.press("3")
    bench.wait(1.5)
    bench.press(".")
    bench.wait(0.1)
    bench.press("5")
    assert bench.mine("half") == ["3.5"]
    bench.press("3", ".", "7")
    assert bench.hint() == "half has no 3.7: it goes from 1 to 5."
    bench.press("3")
    bench.wait(1.501)
    bench.press(".", "5")
    assert bench.mine("half") == ["5"], "too late for a point: a digit of its own"
    bench.press("4", "k", ".")
    assert bench.here == "turn", "another key came between"
    bench.press("j")
    bench.press("k", "k", "k", "k", "n")
    assert bench.mine("naught") == ["na"]
    assert hints == ["1–9,0=10", "1–9,0=10·nn/a", "1–4answer", "1no2yes", "1–9turn,0none", "1–5score"]


def test_a_point_goes_back_to_the_whole_number_before_it(bench: Bench) -> None:
    cells = [fakes.cell("response", name, 3, kind="interval", steps=fakes.HALVES) for name in ("half", "other")]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    bench.press("3")
    assert bench.here == "other"
    bench.press(".")
    assert bench.here == "half"
    bench.press("5")
    assert bench.mine("half") == ["3.5"] and bench.mine("other") == [] and bench.here == "other"


def test_no_digit_is_promised_where_a_scale_goes_beyond_them(bench: Bench) -> None:
    scales = {"twenty": (0, 20), "signed": (-3, 3), "both": (-10, 10), "teens": (11, 18), "below": (-5, -1)}
    cells = [
        fakes.cell("response", name, lo, kind="interval", steps=[{"v": n, "t": str(n)} for n in range(lo, hi + 1)])
        for name, (lo, hi) in scales.items()
    ]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    assert bench.page.locator(".foot .keys kbd").all_inner_texts() == ["1", "9", "0", "↑", "↓", "⏎"]
    hints = []
    for _ in scales:
        hints.append(bench.keys())
        bench.press("j")
    assert hints == ["1–9,0=10,←→all", "0–3score,←→all", "1–9,0=10,←→all", "←→score", "←→score"]
    close = bench.page.locator(".cell.many").evaluate_all("cells => cells.map(cell => cell.dataset.dimension)")
    assert close == ["twenty", "both", "teens"], "eight steps or more stand closer together"


def test_naught_is_an_answer_where_the_scale_has_no_ten(bench: Bench) -> None:
    words = [{"v": n, "t": t} for n, t in enumerate("abcdefghijk")]
    cells = [
        fakes.cell("response", "low", 2, steps=[{"v": n, "t": str(n)} for n in range(5)]),
        fakes.cell("response", "words", 2, kind="nominal", steps=words),
    ]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    bench.press("0", "0")
    assert bench.mine("low") == ["0"] and bench.mine("words") == ["9"], "the tenth of them"


def test_arrows_slide_along_the_scale_and_stop_at_its_ends(bench: Bench) -> None:
    bare = response("a")
    bare["rows"][0]["groups"][0]["cells"][1]["judge"] = None
    bench.sit(bare)
    bench.press("ArrowRight")
    assert bench.mine("tone") == ["5"]
    bench.press("ArrowRight")
    assert bench.mine("tone") == ["5"]
    bench.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert bench.mine("tone") == ["1"]
    bench.press("j", "ArrowRight")
    assert bench.mine("fit") == ["1"]
    bench.press("u", "ArrowLeft")
    assert bench.mine("fit") == ["5"] and bench.here == "fit"
    bench.press("j")
    assert bench.here == "fit"
    bench.press("k", "k")
    assert bench.here == "tone"


def test_a_field_takes_numbers_only_and_the_next_number_in_place_of_the_last(bench: Bench) -> None:
    bench.sit(fakes.numbers())
    assert bench.cell("overall_score").locator(".judge").inner_text() == "3.429"
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    bench.press("j", "1", "0", "1", "j")
    assert field.get_attribute("aria-invalid") == "true" and bench.here == "adequacy_of_the_whole_answer"
    bench.press("Backspace", "Backspace", "Backspace", "7", "1", ";", "~", "j")
    assert field.get_attribute("aria-invalid") is None
    assert field.input_value() == "71" and bench.here == "style"
    bench.press("k", "6", "j")
    assert field.input_value() == "6"
    for name, enter in (("b", field.click), ("c", lambda: bench.press("j"))):
        bench.sit(answered_sheet(fakes.numbers(name), "v1", {"adequacy_of_the_whole_answer": 62.5}), place=name)
        enter()
        bench.press("5", "j")
        assert field.input_value() == "5" and bench.here == "style"
    alone = fakes.numbers("d")
    for n in (1, 5):
        alone["rows"][0]["groups"][0]["cells"][n]["judge"] = None
    bench.sit(alone, place="d")
    bench.press("j", "7", "1", ".", "5", "j")
    assert field.input_value() == "71.5" and field.get_attribute("class").split() == ["num", "mine"]
    bench.go()
    assert bench.item == "", "what is optional is not needed"


def test_what_is_typed_is_taken_back_by_undo_and_by_a_click_elsewhere_if_it_is_no_answer(bench: Bench) -> None:
    bench.sit(fakes.numbers())
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    before = field.input_value()
    bench.press("j", "1", "0", "1", "u")
    assert field.input_value() == before and not bench.mine("adequacy_of_the_whole_answer"), "it was no answer yet"
    assert bench.here == "adequacy_of_the_whole_answer" and bench.hint() == "", "nothing else is undone"
    for elsewhere in (bench.page.locator(".title"), bench.cell("style").locator(".name")):
        bench.press("1", "0", "1")
        bench.page.locator("[data-do=go]").click()
        assert field.input_value() == "101" and bench.item == "id-n-0001", "it can still be mended"
        elsewhere.click()
        assert field.input_value() == before and field.get_attribute("aria-invalid") is None
    assert bench.here == "style"


def test_the_keyboard_stays_on_its_rating_when_the_mouse_unfolds_a_text(bench: Bench) -> None:
    bench.sit(fakes.tools())
    folded = bench.page.locator(".tool summary").first
    bench.press("]")
    for open_ in ("", None):
        folded.click()
        assert bench.page.locator(".row.here").get_attribute("data-row") == "1", "a text of row 0 was unfolded"
        assert bench.page.locator(".tool").first.get_attribute("open") == open_
        assert bench.page.evaluate("shadow.activeElement.closest('.cell').dataset.here") == ""


@pytest.mark.parametrize("key", ["Enter", " "])
def test_on_what_can_be_unfolded_enter_and_space_unfold_it(bench: Bench, key: str) -> None:
    bench.sit(fakes.tools())
    summary, folded = bench.sum(), bench.page.locator(".tool summary").first
    folded.focus()
    bench.press(key)
    assert bench.page.locator(".tool").first.get_attribute("open") == "" and bench.sum() == summary
    assert folded.evaluate("e => e === e.getRootNode().activeElement")


def test_enter_takes_the_judges_value_or_says_why_not(bench: Bench) -> None:
    bare = response("a")
    bare["rows"][0]["groups"][0]["cells"][1]["judge"] = None
    bench.sit(bare, response("b"))
    bench.press("Enter")
    assert bench.mine("tone") == ["4"] and bench.here == "fit"
    bench.press("Enter")
    assert bench.hint() == "The judge has no value here. Give your own." and bench.mine("fit") == []
    assert "1 accepted · 1 without an answer" in bench.sum()
    bench.go()
    assert bench.sum().startswith("1 rating has no answer yet: Ctrl+Enter again saves all the same")
    bench.press("3")
    assert bench.sum() == "1 accepted · 1 answered"
    bench.press("Enter")
    assert bench.hint() == "That was the last one: Ctrl ⏎ saves and goes on."
    bench.press("k", "3", "k", "Enter")
    assert bench.mine("tone") == ["3"] and bench.here == "fit", "what is one's own stays"
    bench.go()
    [answer] = bench.waiting()
    assert [(v["v"], v["saw"], v["seen"]) for v in answer["values"]] == [(3, True, 4), (3, False, None)]


def test_a_value_that_is_given_again_takes_back_that_one_would_save_all_the_same(bench: Bench) -> None:
    bare = response("a")
    bare["rows"][0]["groups"][0]["cells"][1]["judge"] = None
    bench.sit(bare, response("b"))
    bench.press("3")
    bench.go()
    assert "again saves all the same" in bench.sum()
    bench.press("k", "3")
    assert bench.sum() == "1 changed · 1 without an answer"
    bench.go()
    assert bench.item == "id-a" and "again saves all the same" in bench.sum()


def test_an_item_without_any_score_needs_one_or_a_reason(bench: Bench) -> None:
    bare = response("a")
    for cell in bare["rows"][0]["groups"][0]["cells"]:
        cell["judge"] = None
    bench.sit(bare, response("b"))
    bench.press("j")
    bench.go()
    assert bench.hint() == "The judge has no scores here. Give at least one, or skip the item (s)."
    assert bench.item == "id-a" and bench.here == "tone"


def test_enter_accepts_no_rating_that_is_out_of_sight(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 500})
    bench.sit(fakes.dialogue("a"), response("b"))
    row = ".row.here"
    for place in ("document.body.scrollHeight", "0"):
        chosen = bench.page.locator('.step[aria-checked="true"]').count()
        bench.page.evaluate(f"scrollTo(0, {place})")
        bench.press("Enter")
        assert bench.hint() == "This rating was out of sight: Enter accepts the judge's value."
        assert bench.page.locator('.step[aria-checked="true"]').count() == chosen
        assert bench.page.locator(row).evaluate("e => e.getBoundingClientRect().bottom > 0")
        bench.press("Enter")
        assert bench.page.locator('.step[aria-checked="true"]').count() == chosen + 1
        bench.press("PageDown", "PageDown", "]", "]", "]", "]")


def test_no_key_fails_where_nothing_is_asked(bench: Bench) -> None:
    row = fakes.row("response", "response", [fakes.text("output", "So.")], [])
    bench.sit(fakes.item("a", "a", "response", [row], why=[]), response("b"))
    for key in "jk[]nubwvdgltorxyh.05":
        bench.press(key, "Escape")
    for key in ("ArrowUp", "ArrowRight", "Enter", *"meis?"):
        bench.press(key, "Escape")
    assert bench.item == "id-a" and bench.page.locator(".card, .editor, .menu").count() == 0
    bench.sit(response("c"), fakes.item("a", "a", "response", [row], why=[]), place="demo/other")
    assert bench.text(".meaning").startswith("tone") and "score" in bench.text(".foot .keys")
    bench.go()
    assert bench.item == "id-a" and bench.page.locator(".meaning").is_hidden()
    assert "score" not in bench.text(".foot .keys"), "no key is named that sets nothing here"


def test_the_weakest_turn_is_chosen_from_a_turn(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), response("b"))
    bench.press("w")
    assert bench.hint() == "Turn 1 is the weakest turn." and bench.mine("weakest_turn") == ["1"]
    bench.press("]", "]", "w")
    assert bench.hint() == "Turn 3 is the weakest turn, as the judge has it." and bench.mine("weakest_turn") == ["3"]
    bench.press("w")
    assert bench.hint() == "No turn is marked as the weakest." and bench.mine("weakest_turn") == ["0"]
    bench.press("u", "u")
    assert bench.mine("weakest_turn") == ["1"] and bench.here == "weakest_turn"
    bench.press("[", "[", "[", "[")
    assert bench.page.locator(".cell[data-here]").get_attribute("data-unit") == "turn:1"
    bench.press("]", "]", "]", "]", "]")
    assert bench.page.locator(".cell[data-here]").get_attribute("data-unit") == "conversation"
    assert bench.page.locator(".note:not([hidden])").count() == 1, "that of the turn before has gone"
    bench.press("]", "s", "1", "Enter", "w")
    assert bench.item == "id-b" and bench.hint() == "This item does not ask for its weakest turn."


def test_brackets_written_with_option_go_from_turn_to_turn_and_other_keys_with_it_do_nothing(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"))
    where = bench.page.locator(".cell[data-here]")
    for key, option, unit in [
        ("]", True, "turn:2"), ("]", True, "turn:3"), ("[", True, "turn:2"), ("j", True, "turn:2"),
        ("]", False, "turn:3"),
    ]:  # fmt: skip
        bench.page.evaluate(
            "([key, altKey]) => document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', {key, altKey, bubbles: true, composed: true, cancelable: true}))",
            [key, option],
        )
        assert where.get_attribute("data-unit") == unit, key


def test_a_key_with_alt_is_none_of_the_desks(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.page.keyboard.down("Alt")
    bench.press("3", "Enter", "j")
    bench.page.keyboard.up("Alt")
    bench.press("Control+3", "Control+j", "Meta+3")
    assert bench.mine("tone") == [] and bench.here == "tone"


def test_a_reason_to_skip_is_chosen_written_or_both(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcdefg"))
    chosen = bench.page.locator('.reason[aria-checked="true"]')
    field = bench.page.locator(".menu input")
    bench.press("s", "Enter")
    assert bench.text(".menu .ask").startswith("A reason is needed") and bench.item == "id-a"
    bench.press("5")  # there is no fifth: it begins a sentence
    assert chosen.count() == 0 and not bench.page.locator(".menu .ask").is_visible()
    bench.press("Enter")
    bench.press("s", "4")
    assert chosen.inner_text().split("\n")[-1] == "the question does not fit"
    bench.press("Backspace")
    assert chosen.count() == 0
    bench.press("1")
    bench.press("Enter")
    bench.press("s", "ArrowDown")
    assert chosen.count() == 1
    bench.press("ArrowUp", "3", "ArrowDown")
    assert field.input_value() == "" and chosen.count() == 1, "the digit stood for a reason, and another one is chosen"
    bench.press("ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp")
    assert bench.page.evaluate("shadow.activeElement.className") == "free" and chosen.count() == 0
    bench.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp")
    assert chosen.inner_text().split("\n")[-1] == "not my language"
    bench.press("2")
    assert chosen.inner_text().split("\n")[-1] == "I do not know this subject"
    assert bench.page.locator('.reason[tabindex="0"]').get_attribute("aria-checked") == "true"
    bench.press("9")
    assert chosen.inner_text().split("\n")[-1] == "I do not know this subject"
    bench.page.keyboard.type("really")
    assert field.input_value() == "really"
    bench.press("Enter")
    bench.press("s", "Escape")
    assert bench.page.locator(".menu").count() == 0 and bench.item == "id-d"
    for tabs in (["Tab", "Tab"], ["Shift+Tab", "Shift+Tab"], ["Tab"] * 6):  # of four stops the third
        bench.press("s", *tabs, "Enter")
        assert bench.page.locator(".menu").count() == 0 and bench.item == "id-d", "cancel"
    bench.page.locator("[data-do=skip]").click()
    bench.page.locator(".reason").nth(2).click()
    bench.page.locator("h1").click()
    assert bench.page.locator(".menu").count() == 0 and bench.item == "id-d"
    bench.press("s", "ArrowDown", "ArrowDown", " ", "Enter", "s", "0", "Enter")
    bench.ack()
    reasons = [(a["item"], a["reason"]) for m in bench.messages() for a in m["answers"]]
    assert dict(reasons) == {
        "id-a": "5", "id-b": "the text is broken or empty", "id-c": "I do not know this subject: really",
        "id-d": "I do not know this subject", "id-e": "0",
    }  # fmt: skip
    assert all(not a["values"] and a["action"] == "skip" for m in bench.messages() for a in m["answers"])
    bench.press("b", "b")
    assert bench.item == "id-d" and bench.mine("tone") == [] and "left as the judge has them" in bench.sum()
    bench.go()
    assert bench.messages()[-1]["answers"][-1]["action"] == "save"


def test_what_is_answered_where_the_judge_has_nothing_is_not_called_accepted(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["groups"][0]["cells"][1]["judge"] = None
    bench.sit(sheet)
    bench.press("j", "3")
    assert bench.sum() == "1 answered · 1 left as the judge has them"


def test_the_same_words_of_another_turn_are_another_note(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), response("b"))
    bench.press("i")
    bench.page.keyboard.type("too short")
    bench.press("Enter", "Control+Enter")
    bench.ack()
    bench.press("b")
    bench.page.locator(".mynote [data-do=unnote]").click()
    bench.press("]", "i")
    bench.page.keyboard.type("too short")
    bench.press("Enter", "Control+Enter")
    assert [note["unit"] for note in bench.waiting()[0]["notes"]] == ["turn:2"]


def test_ratings_that_are_not_needed_are_not_asked_about_unseen(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 260})
    bench.sit(fakes.numbers("a"))
    foot, cells = bench.page.locator(".foot").bounding_box()["y"], bench.page.locator(".cell").all()
    boxes = [(cell.bounding_box(), "optional" in cell.get_attribute("class").split()) for cell in cells]
    below = [optional for box, optional in boxes if box["y"] + box["height"] / 2 > foot]
    bench.go()
    assert sum(below) == 2 and bench.sum().startswith(f"{len(below) - 2} ratings were not on screen yet")


def test_notes_better_texts_and_their_counts(bench: Bench) -> None:
    many = response("a")
    many["rows"].insert(0, fakes.row("conversation", "whole", [], [("", [fakes.cell("conversation", "sum")])],
                                     can_issue=False))  # fmt: skip
    bench.sit(many, response("b"))
    bench.press("i")
    assert bench.hint().startswith("An issue belongs to a turn") and not bench.page.locator(".editor").count()
    bench.press("e")
    assert bench.hint().startswith("Only an assistant's turn or a response can be written better")
    bench.press("m", "Enter", "m")
    bench.page.keyboard.type("  odd  ")
    bench.page.locator("[data-do=keepeditor]").click()
    assert bench.hint() == "comment kept; it is saved with the item" and "1 note" in bench.sum()
    bench.press("m")
    bench.page.keyboard.type("not this")
    bench.page.locator("[data-do=dropeditor]").click()
    assert not bench.page.locator(".editor").count() and bench.page.locator(".mynote").count() == 1
    bench.press("j", "i", "Escape", "i")
    bench.page.keyboard.type("left open")
    bench.go()  # the line is kept by what leaves the item
    assert bench.item == "id-a" and bench.page.locator(".mynote").count() == 2
    assert "2 notes" in bench.sum()
    bench.go()
    [answer] = bench.waiting()
    assert [(n["unit"], n["text"]) for n in answer["notes"]] == [("", "odd"), ("response", "left open")]
    bench.press("b")
    assert bench.page.locator(".mynote").count() == 2 and "nothing changed since" in bench.sum()
    bench.page.locator(".mynote .x").first.click()
    assert bench.page.locator(".mynote").count() == 1 and "notes changed since it was saved" in bench.sum()
    bench.press("u")
    assert bench.page.locator(".mynote").count() == 2 and "nothing changed since" in bench.sum()


def test_a_line_that_is_open_is_kept_when_another_one_is_opened(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("i")
    bench.page.keyboard.type("too short")
    bench.page.locator("[data-do=comment]").first.click()
    assert bench.page.locator(".editor").count() == 1 and bench.page.locator(".mynote").count() == 1
    bench.page.keyboard.type("odd")
    bench.press("Enter")
    bench.go()
    [answer] = bench.waiting()
    assert [(note["sort"], note["text"]) for note in answer["notes"]] == [("issue", "too short"), ("comment", "odd")]


def test_a_line_that_is_open_is_kept_where_a_rating_is_still_needed(bench: Bench) -> None:
    bench.sit(blind_response("a"), response("b"))
    bench.press("4", "i")
    bench.page.keyboard.type("too short")
    bench.page.locator("[data-do=go]").click()
    assert "1 rating has no answer yet" in bench.sum() and bench.page.locator(".editor").count() == 0
    assert bench.text(".mynote").startswith("issue") and "too short" in bench.text(".mynote")


def test_each_text_can_be_written_better(bench: Bench) -> None:
    sheet, part = response("a"), [("", [fakes.cell("section:1", "depth", 3)])]
    text = [fakes.text("output", "A part.")]
    sheet["rows"].append(fakes.row("section:1", "section", text, part, can_better=True))
    bench.sit(sheet, response("b"))
    for word, then in (("One", "]"), ("Two", "["), ("Three", "]")):
        bench.press("e")
        bench.page.keyboard.type(f" {word}.")
        bench.press("Control+Enter", then)
    assert "2 written better" in bench.sum()
    written = [note.inner_text() for note in bench.page.locator(".mynote .prose").all()]
    assert written == ["As it was said. One. Three.", "A part. Two."]


def test_the_whole_note_what_answers_mean_and_whose_values_they_are(bench: Bench) -> None:
    sheet = response("a")
    tone, fit = sheet["rows"][0]["groups"][0]["cells"]
    tone["judge"].update(note="It is curt.", rule="", samples=["4", "5"], exact="4.5", source="logprobs", level="low")
    tone.update(reason="samples disagree", anchors=[["1", "rude"], ["3", "flat"], ["5", "kind"]])
    tone["others"] = [{"by": "qwen", "v": 5, "t": "5"}, {"by": "another sample", "v": 1, "t": "1"}]
    fit["others"] = [{"by": "qwen", "v": 2, "t": "2"}]
    fit["judge"].update(level=None, rule="fit needs a reference")
    fit.update(definition="", anchors=[])
    sheet["why"] = [{"text": "qwen disagrees", "unit": "response", "dimension": "tone"},
                    {"text": "just so"}, {"text": "rule", "unit": "response", "dimension": "fit"}]  # fmt: skip
    bench.sit(sheet, response("b"))
    note = bench.page.locator(".note:not([hidden])")
    assert note.inner_text().split("\n") == ["judge: It is curt.", "qwen: 5", "asked 2 times: 4, 5; together 4.5"]
    assert bench.text(".meaning") == "tone 1 = rude · 5 = kind — How good the tone is."
    whys = [why.inner_text() for why in bench.page.locator(".whys .why").all()]
    assert whys == ["review: qwen disagrees (5, not 4.5)y", "just so", "rule"]
    bench.press("d")
    assert note.inner_text().split("\n")[3:] == [
        "tone: How good the tone is.", "1 = rude", "3 = flat", "5 = kind",
        "low stated confidence: what the judge says of itself (from logprobs)", "needs a look: samples disagree",
    ]  # fmt: skip
    bench.press("j")
    assert note.inner_text() == "fit needs a reference\nqwen: 2" and bench.text(".meaning").strip() == "fit"
    assert bench.cell("fit").locator(".sure").text_content() == "breaks a rule"
    assert bench.cell("fit").get_attribute("aria-label") == "fit, response; judge 2, breaks a rule"
    assert bench.cell("tone").locator(".other").all_inner_texts() == ["1", "5"]
    assert bench.cell("fit").locator(".other").count() == 0
    assert bench.cell("fit").locator(".step.judge").get_attribute("aria-label") == "2, the judge's value"
    bench.press("y")
    assert bench.here == "tone"
    bench.press("y")
    assert bench.here == "fit"
    bench.press("Escape")
    assert note.inner_text() == "fit needs a reference\nqwen: 2"
    bench.press("k")
    note.click()
    assert "needs a look" in note.inner_text()
    bench.page.locator("button.why").nth(1).click()
    assert bench.here == "fit" and bench.page.locator(".live").text_content().startswith("fit, response")
    bench.go()
    bench.press("y")
    assert bench.hint() == "No reason here speaks of a single rating."


def test_samples_that_agree_are_named_only_in_the_whole_note(bench: Bench) -> None:
    sheet = response("a")
    tone = sheet["rows"][0]["groups"][0]["cells"][0]
    tone["judge"].update(note="It is curt.", samples=["4", "4"], exact=None, level=None)
    bench.sit(sheet)
    note = bench.page.locator(".note:not([hidden])")
    assert note.inner_text() == "judge: It is curt."
    bench.press("d")
    assert note.inner_text().split("\n")[1] == "asked 2 times: 4, 4"


def test_a_reason_that_names_a_unit_leads_to_its_first_rating(bench: Bench) -> None:
    sheet = response("a")
    sheet["why"] = [{"text": "short", "unit": "response"}, {"text": "odd", "unit": "section"}]
    parts = [("", [fakes.cell("section:1/a", "depth", 3)]), ("", [])]
    sheet["rows"][:0] = [fakes.row("conversation", "whole", [], [("", [fakes.cell("conversation", "sum", 3)])]),
                         fakes.row("section", "section", [], parts, columns=2)]  # fmt: skip
    bench.sit(sheet)
    assert bench.here == "sum"
    bench.press("y")
    assert bench.here == "tone"
    bench.press("y")
    assert bench.here == "tone"


def test_beside_two_texts_each_group_keeps_the_place_under_its_own(bench: Bench) -> None:
    sheet = fakes.pair()
    first, second = sheet["rows"][:2]
    parts = [fakes.row(unit, "section", [], [("A", [fakes.cell(f"{unit}/a", "depth", 3)]),
                       ("B", [fakes.cell(f"{unit}/b", name, 3) for name in names])])
             for unit, names in (("section:8", ("depth", "style")), ("section:9", ("style",)))]  # fmt: skip
    sheet["rows"][3:3] = parts
    for row in (first, second):
        row["groups"][0] = {**row["groups"][0], "cells": []}
    second["columns"] = 1
    bench.sit(sheet)
    drawn = [bench.page.locator(".row.section").nth(n).locator(".group") for n in range(3)]
    assert [groups.count() for groups in drawn] == [2, 1, 2]
    same = bench.page.locator(".row.section").evaluate_all("rows => rows.map(row => row.classList.contains('same'))")
    assert same == [False, False, True, False, False], "only where both are asked the same"
    empty, _, full = [groups.nth(groups.count() - 1).bounding_box() for groups in drawn]
    assert empty["x"] == full["x"]


def test_the_header_names_the_judges_and_what_sort_of_item_it_is(bench: Bench) -> None:
    named = (("openai/gpt-4o", "Multi", "1"), ("x/qwen", "Plain", "2"))
    two = [{"model": model, "card": card, "version": version} for model, card, version in named]
    bench.sit(
        response("a", judges=two, synthetic=True, systems=["x", "y"]),
        response("b", judges=[{**j, "model": "x/qwen"} for j in two], stream="audit"),
        blind_response("c", unnamed=True, judges=two), blind_response("d"),
        {**response("e"), "name": "Title of e"}, {**response("f"), "title": ""},
    )  # fmt: skip
    headers, titles = [], []
    for _ in "abcdef":
        headers.append((bench.text(".meta"), [why.inner_text() for why in bench.page.locator(".why").all()]))
        titles.append(bench.text("h1"))
        bench.press("s", "1", "Enter")
    assert titles == [*(f"Title of {name}" for name in "abcde"), "f"]
    assert [meta.split(" · judge")[0] for meta, _ in headers[4:]] == ["support-dialogues · model-x"] * 2, "named once"
    assert headers[:4] == [
        ("support-dialogues · a · x / y · judges: gpt-4o (Multi 1), qwen (Plain 2)", ["synthetic"]),
        ("support-dialogues · b · model-x · judge: qwen (Multi 1, Plain 2)",
         ["audit sample, assisted share: the judge is shown on purpose, to measure anchoring"]),
        ("support-dialogues · c · model-x",
         ["blind: the judge's scores and the names of the systems are hidden until you have answered"]),
        ("support-dialogues · d · model-x", ["blind: the judge's scores are hidden until you have answered"]),
    ]  # fmt: skip


def test_the_guidelines_and_the_legend_are_said_until_they_were_seen(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("h")
    assert bench.hint().startswith("This dataset has no guidelines yet.")
    tips = bench.page.locator(".tip")
    assert tips.count() == 1
    bench.page.locator(".tip [data-do=legend]").click()
    assert tips.count() == 0
    bench.tell(guide={**fakes.GUIDE, "no": 1})
    assert tips.inner_text().startswith("This dataset has guidelines.")
    bench.page.locator("[data-do=guideseen]").click()
    assert tips.count() == 0
    bench.tell(guide=fakes.GUIDE)
    assert "The guidelines changed on 3 May 2026." in tips.inner_text()
    bench.press("h")
    assert tips.count() == 0 and bench.text(".guidehead b") == "Guidelines of support"
    assert bench.text(".guidehead .count") == "version 2, 3 May 2026, lea"
    bench.press("Escape", "?")
    bench.page.get_by_text("show this line on the desk").click()
    assert tips.count() == 1 and not bench.page.locator(".card").count()
    bench.open()
    bench.sit(response("a"), guide=fakes.GUIDE)
    assert tips.count() == 1 and "guidelines" not in tips.inner_text()
    bench.page.locator(".meta [data-do=guide]").click()
    assert bench.page.locator(".card.guidecard .guidehead").count() == 1


def test_a_key_that_is_pressed_beside_its_field_is_typed_into_it(bench: Bench) -> None:
    bench.sit(fakes.numbers("a"))
    bench.press("j")
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    bench.page.evaluate("shadow.querySelector('.sheet').focus()")
    bench.press("4")
    bench.page.evaluate("shadow.querySelector('.sheet').focus()")
    bench.press("2")
    assert field.input_value() == "42"
    bench.press("ArrowRight")
    assert field.input_value() == "43", "an arrow goes on from what is typed"
    bench.page.evaluate("shadow.querySelector('.sheet').focus()")
    bench.press("7")
    assert field.input_value() == "7", "the next number takes the place of the last"


def test_a_digit_that_no_answer_has_says_so(bench: Bench) -> None:
    hints = []
    bench.sit(fakes.dialogue("a"))
    cells = {"verdict": "0", "weakest_turn": "9"}
    for dimension, key in cells.items():
        bench.cell(dimension).locator(".name").click()
        bench.press(key)
        hints.append(bench.hint())
    assert hints == ["verdict has no 10: it has 4 answers.", "weakest turn has no 9: choose one of its turns."]


def test_composed_keys_and_keys_of_a_desk_that_has_gone_are_none_of_its(bench: Bench) -> None:
    bench.sit(response("a"))
    for flag in ("isComposing: true", "keyCode: 229"):
        bench.page.evaluate(f"() => {{ shadow.querySelector('.sheet').dispatchEvent(new KeyboardEvent('keydown', "
                            f"{{key: '3', bubbles: true, composed: true, {flag}}})) }}")  # fmt: skip
    assert bench.mine("tone") == []
    bench.page.evaluate("document.body.replaceChildren()")
    bench.press("3", "Control+Enter")
    assert bench.messages() == [] or bench.messages()[-1]["answers"] == []


def test_a_held_key_does_once_what_is_no_move(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("1", "2", "k")
    keys = bench.page.keyboard
    for _ in range(3):
        keys.down("u")
    assert (bench.mine("tone"), bench.mine("fit")) == (["1"], [])
    keys.up("u")
    for key in ("s", "1"):
        bench.press(key)
    for _ in range(2):
        keys.down("Enter")
    assert bench.sent_items() == [["id-a"]], "nor is a skipped item followed by another"
    keys.up("Enter")


def test_a_held_key_that_moves_goes_on(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"))
    for _ in range(3):
        bench.page.keyboard.down("]")
    bench.page.keyboard.up("]")
    assert bench.page.locator(".row.here").get_attribute("data-unit") == "conversation"


def test_g_goes_to_the_first_rating_that_was_not_on_screen(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 420})
    bench.sit(fakes.dialogue("a"))
    bench.press("g")
    first = bench.here
    assert bench.page.locator(".row.here").get_attribute("data-unit") != "turn:1" or first != "context_use"
    for _ in range(14):
        bench.press("g")
    assert bench.hint() == "Every rating of this item was on screen."


def test_ratings_that_come_on_screen_are_no_longer_asked_about(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 500})
    bench.sit(fakes.dialogue("a"))
    bench.go()
    assert "ratings were not on screen yet" in bench.sum()

    def scrolled_past_all() -> bool:
        bench.page.mouse.wheel(0, 150)
        return "not on screen" not in bench.sum()

    assert patiently(scrolled_past_all)


def test_the_weakest_turn_is_one_of_the_assistant_and_is_gone_to_from_elsewhere(bench: Bench) -> None:
    sheet = fakes.dialogue("a")
    steps = sheet["rows"][-1]["groups"][0]["cells"][3]["steps"]
    del steps[1]
    bench.sit(sheet)
    bench.cell("coherence").locator(".name").click()
    bench.press("w")
    assert bench.here == "weakest_turn"
    bench.press("[", "[", "w")
    assert bench.hint() == "Turn 2 cannot be chosen as the weakest." and bench.mine("weakest_turn") == []
    bench.press("]", "w")
    assert bench.hint() == "Turn 3 is the weakest turn, as the judge has it."
    bench.sit(fakes.blind("b"), place="demo/audit")
    bench.press("w")
    assert bench.hint() == "Turn 1 is the weakest turn."


def test_the_arrows_of_the_skip_menu_go_up_and_down_from_its_field_too(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("s", "ArrowDown", "ArrowDown", "ArrowDown")
    chosen = bench.page.locator('.reason[aria-checked="true"]')
    assert chosen.inner_text().split("\n")[-1] == "not my language"
    bench.page.locator(".menu input").focus()
    bench.press("ArrowUp")
    assert chosen.inner_text().split("\n")[-1] == "I do not know this subject"
    bench.page.locator(".menu input").focus()
    bench.press("ArrowUp", "ArrowUp")
    assert chosen.count() == 0 and bench.page.evaluate("shadow.activeElement.tagName") == "INPUT"
    bench.press("ArrowDown")
    for _ in range(2):
        bench.page.keyboard.down("Space")
    bench.page.keyboard.up("Space")
    assert chosen.count() == 1 and bench.item == "id-a"


def test_a_line_takes_its_enter_once_and_a_longer_text_with_either_key(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    keys = bench.page.keyboard
    bench.press("m")
    keys.type("odd")
    bench.press("ArrowUp", "ArrowDown")
    for _ in range(3):
        keys.down("Enter")
    keys.up("Enter")
    assert bench.page.locator(".mynote").count() == 1 and bench.mine("tone") == [], "what is held accepts nothing"
    for key in ("Control", "Meta"):
        bench.press("e")
        keys.type(f" {key}")
        bench.press("Enter")
        assert bench.page.locator("textarea").count() == 1, "a new line"
        bench.press(f"{key}+Enter")
        assert bench.page.locator("textarea").count() == 0 and bench.item == "id-a"
    better = bench.page.locator(".mynote.better .prose")
    assert better.text_content() == "As it was said. Control Meta"


def test_each_button_does_what_its_key_does(bench: Bench) -> None:
    bench.sit(fakes.pair(size=200, long_input=900), response("b"))
    press = bench.page.locator
    fold = press("[data-do=fold]")
    assert fold.get_attribute("aria-expanded") == "false" and "show all" in fold.inner_text()
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true" and "fold" in fold.inner_text()
    assert press(".part.fold.open").count() == 1
    fold.click()
    assert press(".part.fold.open").count() == 0
    press("[data-do=raw]").click()
    assert press("[data-do=raw]").get_attribute("aria-pressed") == "true"
    assert bench.text(".live") == "Texts as they came."
    press("[data-do=raw]").click()
    assert bench.text(".live") == "Texts are formatted."
    bench.press("3")
    press("[data-do=undo]").click()
    assert press(".cell .step.mine").count() == 0
    press("[data-do=issue]").click()
    bench.page.keyboard.type("wrong")
    press("[data-do=keepeditor]").click()
    assert bench.page.evaluate("shadow.activeElement.className").startswith("step"), "the keys rate again"
    press("[data-do=comment]").click()
    bench.page.keyboard.type("gone")
    press("[data-do=dropeditor]").click()
    assert bench.page.evaluate("shadow.activeElement.className").startswith("step"), "the keys rate again"
    press("[data-do=comment]").click()
    bench.page.keyboard.type("kept by the menu")
    press("[data-do=skip]").click()
    assert press(".menu.skip").count() == 1
    press("[data-do=skip]").click()
    assert press(".menu.skip").count() == 0
    assert press(".mynote .prose").all_inner_texts() == ["wrong", "kept by the menu"]
    assert press("[data-do=better]").is_hidden(), "nothing here can be written better"
    press("[data-do=keys]").click()
    bench.press("Tab")
    assert bench.page.evaluate("shadow.activeElement.dataset.do") == "closecard", "Tab stays on the card"
    press("[data-do=closecard].quiet").click()
    bench.tell(notice="Something was not saved.")
    press("[data-do=unnotice]").click()
    assert press(".toast").count() == 0
    press(".tip .step").first.click()  # the legend shows answers, and has none
    assert press(".cell .step.mine").count() == 0


def test_an_empty_queue_is_looked_into_again(bench: Bench) -> None:
    bench.sit(empty={"title": "The queue is empty", "text": "Nothing waits."})
    before = len(bench.messages())
    bench.page.locator("[data-do=again]").click()
    bench.wait(0.2)
    assert bench.text(".idle") == "fetching the next item …" and len(bench.messages()) == before + 1
    bench.tell(sheets=[response("a")])
    assert bench.item == "id-a"


def test_on_a_mac_the_keys_are_named_as_they_stand_there(bench: Bench) -> None:
    hand = bench.page.context.new_cdp_session(bench.page)
    agent = {"userAgent": bench.page.evaluate("navigator.userAgent")}
    hand.send("Emulation.setUserAgentOverride", {**agent, "platform": "MacIntel"})
    bench.open()
    bench.sit(blind_response("a"), response("b"))
    go = bench.page.locator("[data-do=go]")
    assert go.inner_text().endswith("⌘ ⏎") and go.get_attribute("aria-keyshortcuts") == "Meta+Enter"
    bench.press("3", "Meta+Enter")
    assert "1 rating has no answer yet: Cmd+Enter again saves all the same" in bench.sum()
    bench.press("Meta+Enter")
    assert bench.item == "id-b"
    hand.send("Emulation.setUserAgentOverride", {**agent, "platform": "Linux x86_64"})


def test_in_the_skip_menu_keys_choose_wherever_the_keyboard_is(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("s")
    bench.page.evaluate("shadow.activeElement.blur()")
    bench.press("2")
    chosen = bench.page.locator('.reason[aria-checked="true"]')
    assert chosen.inner_text().endswith("I do not know this subject")
    bench.page.locator(".reason").first.focus()
    bench.press("Space")
    assert chosen.evaluate("e => e.dataset.n") == "0", "that under the keyboard"
    for key in ("ArrowDown", "2"):
        for _ in range(2):
            bench.page.keyboard.down(key)  # without "up" in between: a key that is held
        bench.page.keyboard.up(key)
        assert chosen.evaluate("e => e.dataset.n") == {"ArrowDown": "2", "2": "1"}[key]


def test_a_number_beyond_the_end_slides_back_to_it(bench: Bench) -> None:
    bench.sit(fakes.numbers("a"))
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    bench.press("j", "1", "0", "0", "Enter", "k", "2", "5", "0", "ArrowRight")
    assert field.input_value() == "100" and field.get_attribute("aria-invalid") is None


def test_a_text_is_written_better_by_the_mouse_too(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.page.locator("[data-do=better]").click()
    bench.page.keyboard.type(" Or nearly.")
    bench.page.locator("[data-do=keepbetter]").click()
    assert bench.text(".mynote.better .prose") == "As it was said. Or nearly."
    assert bench.page.evaluate("shadow.activeElement.className").startswith("step"), "the keys rate again"


def test_from_not_applicable_either_arrow_leads_to_the_highest_answer(bench: Bench) -> None:
    for key in ("ArrowLeft", "ArrowRight"):
        sheet = response("a")
        sheet["rows"][0]["groups"][0]["cells"][0]["steps"] = [*fakes.ONE_TO_FIVE, fakes.NA]
        bench.sit(sheet, place=f"demo/{key}", person=key)
        bench.press("n", "k", key)
        assert bench.mine("tone") == ["5"]


@pytest.mark.parametrize("key", ["Enter", " "])
def test_the_button_of_the_skip_dialog_is_pressed_by_either_key(bench: Bench, key: str) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("s", "2")
    bench.page.locator("[data-do=doskip]").focus()
    bench.press(key)
    assert bench.item == "id-b" and bench.waiting()[0]["action"] == "skip"


def test_a_reason_that_names_only_the_first_rating_leads_to_it(bench: Bench) -> None:
    sheet = {**response("a"), "why": [{"text": "tone: low confidence", "unit": "response", "dimension": "tone"}]}
    bench.sit(sheet)
    bench.press("j", "y")
    assert bench.here == "tone" and bench.hint() == ""


def test_the_rating_stays_where_it_is_when_texts_are_shown_as_they_came(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 420})
    sheet = fakes.dialogue("a")
    for row in sheet["rows"]:
        for text in row["texts"]:
            text["text"] = "# Head\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n" + text["text"]
    bench.sit(sheet)
    bench.press("]", "]")
    bench.wait_for_paint()
    before, height = bench.room()[0], bench.page.evaluate("document.documentElement.scrollHeight")
    bench.press("x")
    assert bench.page.evaluate("document.documentElement.scrollHeight") != height
    assert bench.room()[0] == pytest.approx(before, abs=2)


def test_the_same_guidelines_leave_the_keyboard_on_their_button(bench: Bench) -> None:
    bench.sit(response("a"), guide=fakes.GUIDE)
    button = bench.page.locator("[data-do=guide]").first
    button.focus()
    bench.tell(guide=fakes.GUIDE)
    assert button.evaluate("e => e.getRootNode().activeElement === e")


def test_a_click_that_ends_a_selection_within_a_note_does_not_open_it(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["groups"][0]["cells"][0]["judge"]["note"] = "It is curt."
    bench.sit(sheet)
    note = bench.page.locator(".note:not([hidden])").first
    for selected, opened in (("curt", 0), ("", 1)):
        note.evaluate("(e, selected) => { window.getSelection = () => selected; e.click() }", selected)
        assert bench.page.locator(".note.full").count() == opened


def test_a_reason_to_skip_that_is_too_long_is_refused_whole(bench: Bench) -> None:
    """What was written beyond 400 letters was cut off without a word."""
    bench.sit(response("a"), response("b"))
    bench.press("s")
    bench.page.keyboard.insert_text("é😀" * (LONGEST_REASON // 2) + "x")
    bench.press("Enter")
    assert bench.item == "id-a" and bench.text(".menu .ask") == bench.page.locator(".live").text_content()
    expected = f"The reason has {LONGEST_REASON + 1:,} letters; at most {LONGEST_REASON:,} are allowed."
    assert bench.text(".menu .ask") == expected
    bench.press("End", "Backspace", "Enter")
    assert bench.item == "id-b" and bench.waiting()[0]["reason"] == "é😀" * (LONGEST_REASON // 2)


@pytest.mark.parametrize("key", ["m", "i"])
def test_a_field_that_takes_no_more_letters_says_so(bench: Bench, key: str) -> None:
    """The end of what was pasted was cut off without a word."""
    bench.sit(response("a"))
    bench.press(key)
    bench.page.keyboard.insert_text("x" * 19_999)
    assert bench.hint() == ""
    bench.page.keyboard.insert_text("yz")
    assert bench.hint() == "20,000 characters fit here: the rest is left out."
    bench.press("Enter")
    assert bench.page.locator(".mynote .prose").text_content() == "x" * 19_999 + "y"


@pytest.mark.parametrize("key", ["m", "i", "e", "s"])
def test_what_is_written_goes_on_after_a_message_over_the_page(bench: Bench, key: str) -> None:
    """When the connection was back, the letters were keys: b left the item, and Enter took the judge's value."""
    bench.sit(response("a"), response("b"))
    bench.press(key)
    bench.page.keyboard.insert_text("a ")
    bench.page.evaluate(OVER)
    bench.press("3")
    bench.page.evaluate("close(); document.body.inert = true")
    bench.wait_for_paint()
    bench.page.evaluate("document.body.inert = false")
    bench.page.keyboard.type("b3n")
    field = bench.page.locator(".free")
    assert field.input_value().replace("As it was said.", "") == "a b3n"
    bench.page.evaluate(OVER)
    bench.page.evaluate("close()")
    bench.wait_for_paint()
    bench.press("Escape")
    assert bench.item == "id-a" and not field.count() and not bench.page.locator(".given").count()
    bench.press("3")
    assert bench.mine("tone") == ["3"]


def test_without_a_reason_the_field_for_it_has_the_keyboard(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("s")
    bench.page.locator(".reason").first.focus()
    bench.page.locator("[data-do=doskip]").click()
    assert bench.item == "id-a" and bench.page.locator(".menu .ask").is_visible()
    assert bench.page.evaluate("shadow.activeElement.tagName") == "INPUT"


def test_a_field_says_to_a_screen_reader_what_stands_in_it(bench: Bench) -> None:
    bench.sit(fakes.numbers("a"))
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    values = []
    for keys in (["j"], ["7", "1", "Enter"], ["u"], ["n"]):
        bench.press(*keys)
        values.append((field.get_attribute("aria-valuenow"), field.get_attribute("aria-valuetext")))
    assert values == [(None, "no answer"), ("71", "71"), (None, "no answer"), (None, "n/a")]


def test_tab_leads_to_the_first_reason_or_to_the_one_that_is_chosen(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("s")
    reachable = "[...shadow.querySelectorAll('.reason')].map(e => e.tabIndex)"
    tab_stops = [bench.page.evaluate(reachable)]
    for key in ("2", "ArrowUp", "ArrowUp"):
        bench.press(key)
        tab_stops.append(bench.page.evaluate(reachable))
    assert tab_stops == [[0, -1, -1, -1], [-1, 0, -1, -1], [0, -1, -1, -1], [0, -1, -1, -1]]


def test_a_point_goes_back_to_no_rating_of_another_item(bench: Bench) -> None:
    cells = [fakes.cell("response", name, 3, kind="interval", steps=fakes.HALVES) for name in ("half", "other")]
    row = fakes.row("response", "response", [], [("", cells)])
    bench.sit(fakes.item("a", "a", "response", [row]), response("b"))
    bench.press("3")
    bench.page.locator("[data-do=go]").click()
    assert bench.item == "id-b" and bench.here == "tone"
    bench.cell("fit").click()
    bench.press(".")
    assert bench.here == "fit"
    bench.press("5")
    assert bench.mine("fit") == ["5"]


def test_what_is_being_written_is_kept_when_one_goes_back_by_the_mouse_and_tab_leaves_its_field(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.go()
    bench.press("m")
    bench.page.keyboard.type("odd")
    bench.press("Tab")
    assert bench.page.evaluate("shadow.activeElement.dataset.do") == "keepeditor"
    bench.page.locator(".editor input").focus()
    bench.page.locator("[data-do=back]").click()
    assert bench.item == "id-a" and not bench.page.locator(".editor, .mynote").count()
    bench.press("Escape")
    assert bench.item == "id-b" and "odd" in bench.text(".mynote")


def test_escape_takes_back_a_number_that_is_being_typed_wherever_the_keyboard_is(bench: Bench) -> None:
    bench.sit(fakes.numbers("a"))
    field = bench.cell("adequacy_of_the_whole_answer").locator("input")
    bench.press("j", "4")
    bench.page.evaluate("shadow.querySelector('.sheet').focus()")
    bench.press("Escape")
    assert field.input_value() == "" and bench.here == "adequacy_of_the_whole_answer"


def test_a_click_that_ends_the_selection_of_a_text_moves_nothing(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"))
    other = bench.page.locator(".row:not(.here):has(.cell) .prose").first
    number = other.locator("xpath=ancestor::section").get_attribute("data-row")
    box, row = other.bounding_box(), bench.page.locator(f'.row[data-row="{number}"]')
    bench.page.mouse.move(box["x"] + 2, box["y"] + 8)
    bench.page.mouse.down()
    bench.page.mouse.move(box["x"] + 60, box["y"] + 8)
    bench.page.mouse.up()
    assert bench.page.evaluate("String(getSelection())") and not row.locator("[data-here]").count()
    for _ in range(2):  # the first one ends the selection
        bench.page.mouse.click(box["x"] + 2, box["y"] + 8)
    assert row.locator("[data-here]").count() == 1
