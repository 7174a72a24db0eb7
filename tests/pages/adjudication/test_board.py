"""The board's scripts without Streamlit: an empty page, real keys, and a server that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from judges.importing.lines import LONGEST_REASON
from pages.adjudication import board
from pages.adjudication.page import choose_items
from pages.ui import sheet
from tests.pages.contrast import faint
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bed import ORIGIN, answer_all
from tests.pages.ui.sheet.bench import OVER

Json = dict[str, Any]
BED = """<!doctype html><meta charset="utf-8"><body style="margin: 0"><script type="module">
import board from "/board.js";
const host = document.body.appendChild(document.createElement("div")), root = document.createElement("div");
window.shadow = host.attachShadow({mode: "open"});
Object.assign(root, {className: "sheet adjudicate", tabIndex: -1});
shadow.append(root);
window.messages = [];
const setStateValue = (name, value) => messages.push(structuredClone(value));
window.tell = data => { board({data, parentElement: shadow, setStateValue}) };
window.ready = true;
</script>"""


SCRIPTS = sheet.bundle_scripts(*sheet.TEXTS, board.COMPONENT_FOLDER / "board.js", board.COMPONENT_FOLDER / "moves.js")


def case(unit: str, dimension: str = "tone") -> Json:
    lists = {name: [] for name in ("notes", "judges")}
    labels = [{"by": "A", "v": 1}, {"by": "B", "v": 5}]
    words = {"definition": "", "apart": "differ by 4 points", "before": "", "token": f"token of {unit}"}
    return {"unit": unit, "dimension": dimension, "label": dimension, "kind": "ordinal", "steps": fakes.ONE_TO_FIVE,
            "range": None, "said": labels, "own": False, "weak": False, **lists, **words}  # fmt: skip


def item(name: str, *cells: Json) -> Json:
    lists: Json = {key: [] for key in ("systems", "head", "rows", "comments", "decided")}
    return {"item": name, "sig": "".join(c["unit"] for c in cells), "name": name, "title": f"Title of {name}",
            "kind": "dialogue", "synthetic": False, "saw": False, "cells": list(cells or [case("turn:1")]),
            **lists}  # fmt: skip


COUNT_CHANGES = """() => {
window.changes = 0;
const all = {childList: true, characterData: true, subtree: true};
new MutationObserver(() => window.changes++).observe(shadow.querySelector(".live"), all) }"""


class Bench:
    """The board of one person, and the messages it sends."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def tell(self, *items: Json, left: int = 0, **data: Any) -> None:
        """Data from the server."""
        nothing: Json = {"acked": [], "refused": [], "empty": None, "notice": None, "progress": {"left": left}}
        self.page.evaluate("tell", {"person": "lea", "place": "demo", "items": items, **nothing, **data})

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def message(self) -> Json:
        """The newest message, once what is painted has been sent."""
        self.page.evaluate("new Promise(done => setTimeout(done, 250))")
        message: Json = self.page.evaluate("messages.at(-1) ?? {}")
        return message

    @property
    def item(self) -> str:
        return str(self.page.locator(".sheet").get_attribute("data-item"))


@pytest.fixture
def bench(chromium: Any) -> Iterator[Bench]:
    with chromium.new_context(locale="en-US") as context:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        answer_all(page, BED, "/board.js", SCRIPTS)
        page.goto(ORIGIN)
        page.wait_for_function("window.ready")
        yield Bench(page)
        assert not errors, errors


def test_a_refusal_that_comes_while_a_reason_is_written_is_shown_and_takes_no_letter(bench: Bench) -> None:
    both = item("i1", case("turn:1"), case("turn:2"))
    bench.tell(both, left=2)
    bench.press("3", "Enter", "6")
    bench.page.keyboard.type("my own words")
    bench.press("Enter")
    [act] = bench.message()["acts"]
    bench.press("4", "Enter", "6")
    bench.page.keyboard.type("half a ")
    bench.press("ArrowLeft")
    bench.tell(both, left=2, refused=[{"key": act["key"], "why": "The labels changed."}])
    alert = bench.page.get_by_role("alert").inner_text()
    assert "The labels changed." in alert and "my own words" in alert
    bench.page.keyboard.type("!")
    field = bench.page.locator(".case.here input.own")
    assert field.input_value() == "half a! " and bench.page.locator(".case").count() == 2
    bench.page.locator(".case.here").get_by_role("button", name="Decide").click()
    [again] = bench.message()["acts"]
    assert (again["unit"], again["v"], again["reason"]) == ("turn:2", 4, "half a!")


def test_a_reason_is_true_under_each_rule(bench: Bench) -> None:
    """Only the median of ordered answers takes the lower of two: not the mean, and no majority of unordered ones."""
    bench.tell(item("i1", case("turn:1")), left=1)
    bench.press("3", "Enter", "3")
    [act] = bench.message()["acts"]
    assert act["reason"] == "both can be defended; I follow the rule"


def test_what_was_begun_on_a_rating_stays_when_the_one_before_it_is_saved(bench: Bench) -> None:
    """The number of a reason was taken for a value, and a reason in one's own words was lost."""
    bench.tell(item("i1", case("turn:1"), case("turn:2"), case("turn:3")), left=3)
    bench.press("3", "Enter", "1")
    [first] = bench.message()["acts"]
    bench.press("4", "Enter")
    bench.tell(item("i1", case("turn:2"), case("turn:3")), left=2, acked=[{"key": first["key"], "at": "14:03:11"}])
    bench.press("2")
    [second] = bench.message()["acts"]
    assert (second["unit"], second["v"], second["reason"]) == ("turn:2", 4, "used the scale differently")
    bench.press("5", "Enter", "6")
    bench.page.keyboard.type("my own")
    bench.tell(item("i1", case("turn:3")), left=1, acked=[{"key": second["key"], "at": "14:03:12"}])
    bench.page.keyboard.type(" words")
    bench.press("Enter")
    [third] = bench.message()["acts"]
    assert (third["unit"], third["v"], third["reason"]) == ("turn:3", 5, "my own words")


def test_the_item_in_hand_is_named_and_the_next_ones_are_asked_for(bench: Bench) -> None:
    items = [item(f"i{n}") for n in range(1, 7)]
    bench.tell(*items[:3], left=6)
    bench.press("]")
    assert bench.item == "i2" and bench.message()["now"] == "i2" and bench.message()["acts"] == []
    bench.tell(*items[:5], left=6)
    bench.press("]", "]")
    assert bench.item == "i4" and bench.message()["now"] == "i4"
    bench.tell(*items, left=6)
    sent = bench.page.evaluate("messages.length")
    bench.press("]", "]", "]")
    bench.message()
    assert bench.item == "i6" and bench.page.evaluate("messages.length") == sent, "there are no more"


def test_an_item_in_hand_that_others_push_out_of_those_sent_still_waits(bench: Bench) -> None:
    """The board was of three items, so the server had not been told which one is in hand when a first one came."""
    items = [item(f"i{n}") for n in range(4)]
    bench.tell(*items[1:], left=3, now="")
    bench.press("]", "]", "3", "Enter", "6")
    bench.page.keyboard.type("half a thought")
    bench.tell(*items[:3], left=4, now="")
    assert bench.item == "i3" and bench.message()["now"] == "i3"
    bench.tell(*items, left=4, now="i3")
    bench.page.keyboard.type(" more")
    assert bench.item == "i3" and not bench.page.locator(".refusal").count()
    assert bench.page.locator("input.own").input_value() == "half a thought more"
    bench.tell(*items[:3], item("i4"), left=5, now="i3")  # now it is decided
    assert bench.item == "i0" and "waits for you no more" in bench.page.locator(".refusal").inner_text()


def test_no_item_is_asked_for_while_nothing_can_be_read(bench: Bench) -> None:
    bench.tell(item("i1"), left=1, now="")
    bench.tell(item("i2"), left=2, now="", notice="The workspace is busy.")
    assert bench.item == "i1" and bench.message() == {}


def test_the_items_of_the_board_are_the_first_and_those_at_hand() -> None:
    ids = list("abcdefgh")
    for now, expected in {"": "abc", "gone": "abc", "a": "abc", "c": "abcde", "f": "abcefgh", "h": "abcgh"}.items():
        assert choose_items(ids, now) == set(expected), now
    assert choose_items([], "a") == set()


def test_a_judge_that_was_asked_for_is_asked_for_no_more_once_the_item_is_decided(bench: Bench) -> None:
    bench.tell(item("i1"), item("i2"), left=2)
    bench.press("v", "v")
    assert bench.message()["reveal"] == "i1"
    bench.tell(item("i2"), left=1)
    bench.page.locator(".case.here").click()  # not a key, which may be meant for the rating that has gone
    bench.press("3", "Enter", "1")
    assert bench.message()["reveal"] is None


PRESSED_AS = """given => shadow.querySelector(".sheet").dispatchEvent(
    new KeyboardEvent("keydown", {...given, bubbles: true, composed: true, cancelable: true}))"""


@pytest.mark.parametrize(
    "keys",
    [
        [("[", "Digit5", True), ("N", "KeyN", False), ("J", "KeyJ", False), ("٣", "Digit3", False)],
        [("n", "KeyN", False), ("о", "KeyJ", False), ("3", "Digit3", False)],
    ],
)
def test_letters_are_keys_with_caps_lock_and_in_other_alphabets(
    bench: Bench, keys: list[tuple[str, str, bool]]
) -> None:
    """As on the desk; and a bracket that takes Option is one."""
    both = item("i2", case("turn:1"), case("turn:2"))
    both["cells"][0]["steps"] = [*fakes.ONE_TO_FIVE, {"v": None, "t": "n/a"}]
    bench.tell(item("i1"), both, left=3)
    bench.press("]")
    for key, code, option in keys:
        bench.page.evaluate(PRESSED_AS, {"key": key, "code": code, "altKey": option})
        if option:
            assert bench.item == "i1"
            bench.press("]")
    chosen = bench.page.locator(".case [aria-checked=true]").all_inner_texts()
    assert chosen == ["n/a", "3"] and bench.page.locator(".case.here").get_attribute("data-i") == "1"


def test_a_name_does_not_turn_what_stands_beside_it(bench: Bench) -> None:
    judges = [{"name": "שופט", "v": 2, "said": "2", "note": ""}]
    rating = case("turn:1") | {"judges": judges, "before": "2, because: כן"}
    bench.tell(item("i1", rating) | {"name": "שיחה 12", "systems": ["דגם 3"], "saw": True}, left=1)
    shown = bench.page.locator(".meta, .judged b, .before").all_inner_texts()
    assert shown[0] == "\u2068שיחה 12\u2069 · \u2068דגם 3\u2069" and shown[1] == "\u2068שופט\u2069: 2"
    assert shown[2] == "Decided before: \u20682, because: כן\u2069 — people's labels changed since."
    bench.press("3", "Enter", "1")
    [act] = bench.message()["acts"]
    bench.tell(item("i2"), left=1, acked=[{"key": act["key"], "at": "14:03:11", "names": ["דנה", "ben"]}])
    assert bench.page.locator(".panel .last .who").inner_text() == "A was \u2068דנה\u2069 (1) · B was ben (5)"


def test_a_reason_that_is_too_long_is_refused_whole(bench: Bench) -> None:
    """What was pasted beyond the limit was cut off without a word. Letters are counted as where they are saved."""
    bench.tell(item("i1"), left=1)
    bench.press("3", "Enter", "6")
    bench.page.keyboard.insert_text("é😀" * (LONGEST_REASON // 2) + "x")
    bench.press("Enter")
    assert bench.message().get("acts", []) == []
    hint = bench.page.locator(".case .hintline").inner_text()
    assert hint == f"The reason has {LONGEST_REASON + 1:,} letters; at most {LONGEST_REASON:,} are allowed."
    bench.press("End", "Backspace", "Enter")
    [act] = bench.message()["acts"]
    assert act["reason"] == "é😀" * (LONGEST_REASON // 2)


def test_a_reason_that_was_begun_is_kept_with_its_rating(bench: Bench) -> None:
    """It went with a look at another rating, with a reload and with an undone decision."""
    both = item("i1", case("turn:1"), case("turn:2"))
    field = bench.page.locator(".case.here input.own")
    bench.tell(both, left=2)
    bench.press("3", "Enter", "6")
    bench.page.keyboard.type("the first")
    bench.press("Escape", "ArrowDown")
    assert field.input_value() == ""
    bench.page.reload()
    bench.page.wait_for_function("window.ready")
    bench.tell(both, left=2)
    assert field.input_value() == "the first"
    bench.page.get_by_role("button", name="Decide").click()
    assert bench.message()["acts"][0]["reason"] == "the first" and field.input_value() == ""
    bench.press("u")
    assert field.input_value() == "the first" and bench.page.locator(".case.here").get_attribute("data-i") == "0"
    bench.press("Enter", "6")
    bench.page.keyboard.type("another")
    bench.press("Escape", "Enter", "6")
    bench.page.keyboard.type(" one")
    assert field.input_value() == "another one", "an old reason is replaced, one that is begun is not"


def test_a_reason_is_shown_if_its_rating_waits_no_more(bench: Bench) -> None:
    """It was lost when somebody else decided the rating in the meantime."""
    bench.tell(item("i1", case("turn:1"), case("turn:2")), left=2)
    bench.press("3", "Enter", "6")
    bench.page.keyboard.type("half a thought")
    bench.tell(item("i1", case("turn:2")), left=1)
    alert = bench.page.locator(".panel").get_by_role("alert").inner_text()
    assert alert.startswith("Not saved. tone, turn 1, waits for you no more") and "half a thought" in alert
    assert bench.page.evaluate("Object.keys(localStorage).filter(k => k.startsWith('assay:words'))") == []
    bench.tell(item("i1", case("turn:2")), left=1)
    assert bench.page.locator(".panel").get_by_role("alert").count() == 1


def test_a_refusal_stays_until_it_is_closed_or_the_rating_is_decided_anew(bench: Bench) -> None:
    """It went with the next decision and with the tab, and a reason in one's own words with it."""
    three = item("i1", case("turn:1"), case("turn:2"), case("turn:3"))
    alerts = bench.page.locator(".panel").get_by_role("alert")
    bench.tell(three, left=3)
    for words, why in (("first words", "The labels changed."), ("second words", "The store is full.")):
        bench.press("3", "Enter", "6")
        bench.page.keyboard.type(words)
        bench.press("Enter")
        act = bench.message()["acts"][-1]
        bench.tell(three, left=3, refused=[{"key": act["key"], "why": why}])
        bench.press("ArrowUp", "ArrowUp", "ArrowDown")
    assert alerts.count() == 2
    bench.page.reload()
    bench.page.wait_for_function("window.ready")
    bench.page.evaluate("localStorage.setItem('assay:refusals:lea\\ndemo\\nx', '{')")
    bench.tell(three, left=3)
    assert sorted(alerts.locator(".prose").all_inner_texts()) == [
        "Your reason was: first words", "Your reason was: second words",
    ]  # fmt: skip
    bench.press("4", "Enter", "1")
    assert "second words" in alerts.inner_text(), "only the first rating is decided anew"
    alerts.get_by_role("button", name="close").click()
    assert not alerts.count()
    bench.page.reload()
    bench.page.wait_for_function("window.ready")
    bench.tell(three, left=3)
    assert not alerts.count()


def test_what_is_begun_in_two_tabs_is_kept_of_both(bench: Bench) -> None:
    """Each kept all that it knew, in place of what the other one kept."""
    items = item("i1"), item("i2")
    other = bench.page.context.new_page()
    answer_all(other, BED, "/board.js", SCRIPTS)
    other.goto(ORIGIN)
    other.wait_for_function("window.ready")
    for tab in (bench, Bench(other)):
        tab.tell(*items, left=2)
    for tab, keys in ((Bench(other), "]2"), (bench, "4")):
        tab.press(*keys, "Enter", "6")
        tab.page.keyboard.type(f"as {keys[-1]}")
    bench.page.reload()
    bench.page.wait_for_function("window.ready")
    bench.tell(*items, left=2)
    for value in "42":
        rating = bench.page.locator(".case.here")
        assert rating.locator("[aria-checked=true]").inner_text() == value
        assert rating.locator("input.own").input_value() == f"as {value}"
        bench.press("]")


def test_letters_meant_for_a_rating_that_has_gone_decide_nothing(bench: Bench) -> None:
    """They were keys of the next rating: somebody typed "3 lines", and 3 was its value."""
    bench.page.clock.install()
    bench.page.clock.pause_at(2_000_000_000)
    bench.tell(item("i1", case("turn:1"), case("turn:2")), item("i2"), left=3)
    bench.press("3", "Enter", "6")
    bench.page.keyboard.type("it has ")
    bench.tell(item("i1", case("turn:2")), item("i2"), left=2)
    for letters in ("4 lines", "]v3"):
        bench.page.keyboard.type(letters)
        bench.page.clock.run_for(900)
    bench.press("Enter")
    assert bench.item == "i1" and not bench.page.locator(".case [aria-checked=true]").count()
    bench.press("2")
    bench.tell(item("i2"), left=1)
    sentences = bench.page.locator(".case .hintline, .live").all_inner_texts()
    why = "tone, turn 2, waits for you no more: somebody decided it, or its labels or the rule changed."
    assert sentences == [why] * 2
    bench.press("4", "Enter", "1")
    bench.page.clock.run_for(1_100)
    assert not bench.page.evaluate("messages.some(m => m.acts.length)")
    bench.press("4", "Enter", "1")
    bench.page.clock.run_for(300)
    [act] = bench.page.evaluate("messages.at(-1).acts")
    assert (act["item"], act["v"]) == ("i2", 4)


def test_a_rating_that_has_gone_from_an_empty_board_is_named_on_screen(bench: Bench) -> None:
    """It was only read aloud."""
    bench.page.evaluate(STYLED, STYLES)
    bench.tell(item("i1"), left=1)
    bench.tell(empty={"title": "Nothing to adjudicate", "text": "New labels may bring more."})
    idle = bench.page.locator(".idle")
    assert "tone, turn 1, waits for you no more" in idle.inner_text()
    bench.tell(item("i2"), left=1)
    bench.tell(item("i2"), left=1, notice="The workspace is busy.")
    assert not idle.is_visible() and "waits for you no more" not in bench.page.locator(".panel").inner_text()


def test_keys_go_to_a_dialog_that_is_open_when_a_rating_goes(bench: Bench) -> None:
    """For a second after it an Enter was taken for the reason of the rating."""
    bench.tell(item("i1", case("turn:1"), case("turn:2")), left=2)
    bench.page.evaluate(OVER)
    bench.page.locator("[role=dialog]").evaluate("e => { e.onkeydown = key => { window.pressed = key.key } }")
    bench.tell(item("i1", case("turn:2")), left=1)
    bench.press("Enter")
    assert bench.page.evaluate("window.pressed") == "Enter"


def test_after_a_rating_has_gone_keys_are_taken_where_the_person_goes_on(bench: Bench) -> None:
    bench.page.clock.install()
    bench.page.clock.pause_at(2_000_000_000)
    bench.tell(item("i1", case("turn:1"), case("turn:2"), case("turn:3")), left=3)
    bench.tell(item("i1", case("turn:2"), case("turn:3")), left=2)
    bench.press("4")
    bench.page.locator(".case.here .step", has_text="2").click()
    bench.press("Enter", "1")
    bench.tell(item("i1", case("turn:3")), left=1)
    bench.page.clock.run_for(300)
    [act] = bench.page.evaluate("messages.at(-1).acts")
    assert (act["unit"], act["v"]) == ("turn:2", 2)
    assert bench.page.evaluate(PRESSED_AS, {"key": "c", "ctrlKey": True}), "the browser's own keys are"
    bench.press("3")
    assert bench.page.locator(".case [aria-checked=true]").all_inner_texts() == ["3"], "the decision was the person's"


def test_a_reason_goes_on_after_a_message_over_the_page(bench: Bench) -> None:
    """When the connection was back, the letters were keys, and a 3 was the number of a reason: it decided."""
    bench.page.clock.install()
    bench.page.clock.pause_at(2_000_000_000)
    bench.tell(item("i1", case("turn:1"), case("turn:2")), left=2)
    bench.press("3", "Enter", "6")
    bench.page.keyboard.type("it has ")
    bench.page.evaluate(OVER)
    bench.page.keyboard.type("5")
    bench.tell(item("i1", case("turn:1"), case("turn:2")), left=2, notice="Nothing is saved.")
    bench.page.evaluate("close()")
    bench.page.keyboard.type("3 lines")
    assert bench.page.locator("input.own").input_value() == "it has 3 lines"
    bench.page.evaluate(OVER)
    bench.page.locator(".case.here .step", has_text="4").click()
    bench.page.evaluate("close()")
    bench.press("2")
    bench.page.clock.run_for(1_000)
    [act] = bench.page.evaluate("messages.at(-1).acts")
    assert (act["v"], act["reason"]) == (4, "used the scale differently"), "a click goes on elsewhere"


def test_a_number_is_typed_with_a_point_or_a_comma_and_taken_back_letter_by_letter(bench: Bench) -> None:
    cells = [case(f"turn:{n}") | {"range": {"lo": 0, "hi": 10, "step": 0, "by": 0.1}, "steps": []} for n in (1, 2)]
    bench.tell(item("i1", *cells), left=2)
    for keys in ("3.58", "4,2"):
        bench.press(*keys)
        if "8" in keys:
            bench.press("Backspace")
        bench.press("Enter", "1")
    assert [act["v"] for act in bench.message()["acts"]] == [3.5, 4.2]
    assert bench.page.locator(".live").inner_text() == "Decided: tone, 4.2."


def test_long_texts_tools_and_formats_are_turned_by_their_keys(bench: Bench) -> None:
    tool = fakes.text("tool", '{"a": 1}', "result of a tool")
    texts = [fakes.text("assistant", "**bold**"), tool]
    both = item("i1") | {"rows": [fakes.row("turn:1", "turn", texts, [])]}
    both["head"] = [{"label": "input", "text": "long " * 400, "fold": True}]
    bench.tell(both, left=1)
    page = bench.page
    keys = page.locator(".legend").inner_text()
    assert " ".join(keys.split()) == "1–9 value n n/a ⏎ reason ↑↓ rating ] next item u undo v judge"
    for opened in (1, 0):
        bench.press("l", "t", "x")
        assert page.locator(".part.fold.open").count() == page.locator(".folded[open]").count() == opened
        assert page.locator(".bot strong").count() == 1 - opened


def test_the_last_decision_is_named_as_not_saved_until_it_is(bench: Bench) -> None:
    bench.tell(item("i1"), left=1)
    bench.press("3", "Enter", "1")
    status = bench.page.locator(".status")
    bench.page.locator(".idle").wait_for()
    assert bench.item == "" and status.is_visible() and status.inner_text() == "saving …"
    [act] = bench.message()["acts"]
    bench.tell(acked=[{"key": act["key"], "at": "14:03:11"}], empty={"title": "Nothing", "text": "waits"})
    assert status.is_visible() and status.inner_text() == "saved 14:03:11"
    bench.page.reload()
    bench.page.wait_for_function("window.ready")
    bench.tell(empty={"title": "Nothing", "text": "waits"})
    assert not bench.page.locator(".top").is_visible()


def test_of_a_pair_only_the_response_at_hand_stands_out(bench: Bench) -> None:
    sides = [fakes.text("a", "one"), fakes.text("b", "two")]
    rows = [fakes.row("section:1", "section", sides, [], columns=2), fakes.row("response", "side", sides[:1], [])]
    steps = [{"v": n, "t": str(n)} for n in range(1, 9)]
    pair = item(
        "i1", case("section:1/b"), case("section:1") | {"steps": steps[:7]}, case("response/b") | {"steps": steps}
    )
    bench.tell(pair | {"rows": rows}, left=3)
    seen = []
    for _ in range(3):
        texts = bench.page.locator(".row.here .text")
        seen.append(texts.evaluate_all("texts => texts.map(t => t.classList.contains('other'))"))
        assert bench.page.locator(".case.here .votes.many").count() == (len(seen) == 3), "eight steps or more"
        bench.press("j")
    assert seen == [[True, False], [False, False], [False]]


def test_a_reason_runs_as_its_letters_do(bench: Bench) -> None:
    bench.tell(item("i1"), left=1)
    bench.press("3", "Enter", "6")
    for words, direction in (("כן!", "rtl"), ("yes", "ltr")):
        bench.page.locator("input.own").fill(words)
        assert bench.page.locator("input.own").evaluate("e => getComputedStyle(e).direction") == direction


STYLED = 'css => { shadow.prepend(Object.assign(document.createElement("style"), {textContent: css})) }'
STYLES = sheet.join_files(sheet.COMPONENT_FOLDER, *sheet.STYLES, board.COMPONENT_FOLDER / "board.css")


def test_in_few_colours_of_the_system_the_rating_in_hand_and_its_text_are_seen(bench: Bench) -> None:
    bench.page.evaluate(STYLED, STYLES)
    both = item("i1", case("turn:1"), case("turn:2"))
    both["rows"] = [fakes.row(f"turn:{n}", "turn", [fakes.text("assistant", "As said.")], []) for n in (1, 2)]
    bench.tell(both, left=2)
    bench.page.emulate_media(forced_colors="active")
    outlines = bench.page.locator(".case").evaluate_all("es => es.map(e => getComputedStyle(e).outlineStyle)")
    assert outlines == ["solid", "none"]
    bars = bench.page.locator(".bot").evaluate_all("es => es.map(e => getComputedStyle(e).borderLeftColor)")
    assert len(bars) == len(set(bars)) == 2
    letter = bench.page.locator(".marks .who").first
    assert letter.evaluate("e => getComputedStyle(e).borderTopWidth") == "1px"


def test_every_text_of_a_dark_board_can_be_read(bench: Bench) -> None:
    """The words in the empty field for a reason had a contrast of 3.6."""
    bench.page.evaluate(STYLED, STYLES + ":host { --st-background-color:#14171a }")
    bench.tell(item("i1", case("turn:1") | {"before": "2, because: no", "own": True}), left=1)
    board = bench.page.locator(".sheet")
    assert board.get_attribute("data-theme") == "dark" and faint(board) == {}


def test_on_a_narrow_screen_the_text_and_what_is_asked_of_it_are_both_seen(bench: Bench) -> None:
    """The ratings stood below all texts: what was asked of a turn came on screen only with a value."""
    bench.page.evaluate(STYLED, STYLES)
    bench.page.set_viewport_size({"width": 700, "height": 844})
    turns = range(1, 21)
    many = item("i1", *(case(f"turn:{n}") for n in turns))
    many["rows"] = [fakes.row(f"turn:{n}", "turn", [fakes.text("assistant", "As said. " * 60)], []) for n in turns]
    bench.tell(many, left=20)
    places = "es => es.map(e => e.getBoundingClientRect()).map(b => [b.top, b.bottom])"
    for keys in ([], ["j"] * 9, ["k"], ["j"] * 10, ["4"]):
        bench.press(*keys)
        [row], [rating] = (bench.page.locator(css).evaluate_all(places) for css in (".row.here", ".case.here"))
        assert 0 <= row[0] < row[1] <= rating[0] < rating[1] <= 844, keys
    bench.page.set_viewport_size({"width": 700, "height": 450})  # zoomed in, it would hide the text
    assert bench.page.locator(".panel").evaluate("e => getComputedStyle(e).position") == "static"
    bench.press("5")
    [[top, bottom]] = bench.page.locator(".case.here").evaluate_all(places)
    assert 0 <= top < bottom <= 450


def test_on_paper_the_ratings_are_whole_and_nothing_is_to_be_clicked(bench: Bench) -> None:
    """A panel that is higher than the window was cut off at its end."""
    bench.page.evaluate(STYLED, STYLES)
    bench.page.set_viewport_size({"width": 1100, "height": 400})
    bench.tell(item("i1", *(case(f"turn:{n}") for n in range(1, 9))), left=8)
    panel, higher = bench.page.locator(".panel"), "e => e.scrollHeight > e.clientHeight + 1"
    assert panel.evaluate(higher)
    bench.page.emulate_media(media="print")
    assert not panel.evaluate(higher) and panel.evaluate("e => getComputedStyle(e).position") == "static"
    assert bench.page.locator(".case").locator("visible=true").count() == 8
    assert not bench.page.locator(".chip, .own, .legend, .panelhead button").locator("visible=true").count()


def test_a_server_that_does_not_answer_is_named_and_what_was_decided_is_kept(bench: Bench) -> None:
    """It said that it was saving, for as long as that was not true."""
    bench.page.clock.install()
    bench.tell(item("i1", case("turn:1"), case("turn:2")), left=2)
    bench.press("3", "Enter", "1")
    bench.page.clock.run_for(1_000)
    places = bench.page.locator(".status, .panel .last .who")
    assert places.all_inner_texts() == ["saving …"] * 2
    bench.press("4", "Enter", "6")
    bench.page.keyboard.type("half a ")
    bench.page.clock.run_for(12_000)
    late = "1 not saved yet: the server does not answer; your decisions are kept in this browser"
    assert bench.page.locator(".status.late").inner_text() == bench.page.locator(".live").inner_text() == late
    bench.page.evaluate(COUNT_CHANGES)
    bench.page.clock.run_for(12_000)
    assert bench.page.evaluate("changes") == 0, "it is read aloud once, and not at every try"
    bench.page.keyboard.type("reason")
    assert bench.page.locator(".case.here input.own").input_value() == "half a reason"
    bench.press("Escape")
    assert places.all_inner_texts() == [late] * 2
    [act] = bench.page.evaluate("messages.at(-1).acts")
    bench.tell(item("i1", case("turn:2")), left=1, acked=[{"key": act["key"], "at": "14:03:11", "names": ["a", "b"]}])
    assert places.all_inner_texts() == ["saved 14:03:11", "A was a (1) · B was b (5)"]
    assert bench.page.locator(".status.late").count() == 0


def test_what_the_server_has_not_confirmed_is_sent_again_after_its_answer(bench: Bench) -> None:
    bench.page.clock.install()
    both = item("i1", case("turn:1"), case("turn:2"))
    bench.tell(both, left=2)
    bench.press("3", "Enter", "1")
    sent = bench.message()
    for _ in range(2):  # an answer that confirms nothing, as after an error of the store
        bench.tell(both, left=2)
        bench.page.clock.run_for(4_100)
        again = bench.message()
        assert again["acts"] == sent["acts"] and again["nonce"] > sent["nonce"]
        sent = again
    bench.tell(both, left=1, acked=[{"key": sent["acts"][0]["key"]}])
    bench.page.clock.run_for(9_000)
    assert bench.message() == sent, "what is confirmed is not sent any more"
