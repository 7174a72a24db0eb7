"""The labelling component, with real keys in a real browser: what a person presses is what is received, once."""

import json
import re
import runpy
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from tests.pages.contrast import faint
from tests.server import ROOT, Server

FOLDER = Path(__file__).parent
SHADOW = "document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot"


@pytest.fixture(scope="module")
def harness(serve_all: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A running harness for all tests of this file; each test has a run, and so a person, of its own."""
    folder = tmp_path_factory.mktemp("harness")
    script = str((FOLDER / "harness_app.py").relative_to(ROOT))
    return serve_all(folder=folder, script=script, env={"HARNESS_DIR": str(folder)})


class Desk:
    """One person at the desk: a page, and what the server has received from it."""

    def __init__(self, page: Any, harness: Server, run: str, **ask: Any) -> None:
        self.page, self.run, self.file = page, run, harness.log_path.with_name(f"{run}.jsonl")
        query = "&".join(f"{k}={v}" for k, v in {"run": run, **ask}.items())
        self.url = f"{harness.url}/?{query}"
        page.goto(self.url)
        page.wait_for_selector(".sheet[data-item]")
        if ask.get("case") != "none":
            page.wait_for_selector(".cell[data-here]")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def item(self) -> str:
        return self.page.locator(".sheet").get_attribute("data-item")

    @property
    def here(self) -> tuple[str, str]:
        cell = self.page.locator(".cell[data-here]")
        return cell.get_attribute("data-unit"), cell.get_attribute("data-dimension")

    def cell(self, unit: str, dimension: str) -> Any:
        return self.page.locator(f'.cell[data-unit="{unit}"][data-dimension="{dimension}"]')

    def mine(self, unit: str, dimension: str) -> str | None:
        step = self.cell(unit, dimension).locator('.step[aria-checked="true"]')
        return step.get_attribute("data-v") if step.count() else None

    def go(self) -> None:
        """Accept the rest, those that were not on screen too."""
        self.press("Control+Enter")
        if self.page.locator(".sheet[data-asks]").count():
            self.press("Control+Enter")

    def sum(self) -> str:
        return self.page.locator(".sum").evaluate(
            "e => [...e.childNodes].filter(n => !n.classList || !n.classList.contains('draft'))"
            ".map(n => n.textContent).join('')"
        )

    def says(self, words: str) -> None:
        self.page.locator(".foot", has_text=words).wait_for()

    def shows(self, item: str) -> None:
        self.page.wait_for_selector(f'.sheet[data-item="{item}"]')

    def hold(self) -> None:
        """Let the server take its time with what it is sent, until `release`."""
        self.file.with_suffix(".held").touch()

    def release(self) -> None:
        self.file.with_suffix(".held").unlink()

    def saved_answers(self) -> list[dict[str, Any]]:
        self.page.wait_for_selector('.sheet[data-unsaved="0"]')
        return self.received_answers()

    def received_answers(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []

    def stored_keys(self, kind: str) -> list[str]:
        start = f"assay:{kind}:{self.run}:"
        return self.page.evaluate("start => Object.keys(localStorage).filter(k => k.startsWith(start))", start)


@pytest.fixture
def desk(
    new_page: Callable[..., Any], harness: Server, request: pytest.FixtureRequest
) -> Callable[..., Desk]:
    """A factory of desks of one person: desk(case="blind", ahead=6). A page can be given."""
    run = request.node.name.replace("[", "-").replace("]", "")
    first: list[Any] = []

    def sit(page: Any = None, **ask: Any) -> Desk:
        if page is None:
            page = first[0].context.new_page() if first else new_page()
            page.set_viewport_size({"width": 1440, "height": 1000})
            first.append(page)
        return Desk(page, harness, run, **ask)

    return sit


STORE_ANSWERS = """([run, count]) => {
  const name = n => n < 0 ? "" : "kept-" + String(n).padStart(8, "0"), none = [];
  for (let n = 0; n < count; n++) localStorage.setItem(`assay:answer:${run}:${name(n)}`, JSON.stringify({
    key: name(n), person: run, action: "skip", item: "i" + n % 3, claim: null, judge: null, version: name(n - 3),
    values: none, asked: none, notes: none, repairs: none, reason: "later", ms: 1})) }"""


@pytest.mark.slow
def test_what_one_message_cannot_hold_goes_with_the_next(desk: Callable[..., Desk]) -> None:
    d = desk()
    d.page.evaluate(STORE_ANSWERS, [d.run, 450])
    d.page.reload()
    d.page.wait_for_selector('.sheet[data-unsaved="0"]')
    assert sorted(a["key"] for a in d.received_answers()) == [f"kept-{n:08}" for n in range(450)]
    assert not d.stored_keys("answer") and not d.page.locator(".toasts", has_text="not saved").count()
    sizes = [int(size) for size in d.file.with_suffix(".sizes").read_text().split()]
    assert max(sizes) == 200 and sum(sizes) >= 450


def value(answer: dict[str, Any], unit: str, dimension: str) -> dict[str, Any]:
    [rating] = [v for v in answer["values"] if (v["unit"], v["dimension"]) == (unit, dimension)]
    return rating


def test_accepting_all_saves_the_judges_values_and_shows_the_next_item_at_once(desk):
    d = desk(case="plain")
    d.hold()
    assert d.item == "id-d-0001" and "item=id-d-0001" in d.page.url and "run=" in d.page.url
    assert d.sum() == "0 accepted · 13 left as the judge has them"
    assert "13 left as the judge has them" in d.page.locator(".go").get_attribute("title")
    d.press("Control+Enter")
    assert d.item == "id-d-0002" and not d.received_answers()
    assert d.page.locator(".status").inner_text() == "1 not saved yet"
    d.release()
    [answer] = d.saved_answers()
    assert d.page.locator(".status").inner_text().startswith("saved ")
    assert "item=id-d-0002" in d.page.url
    assert answer["item"] == "id-d-0001" and answer["action"] == "save" and answer["mode"] == "assisted"
    assert answer["claim"] == "claim-d-0001" and answer["judge"] == "judge-1" and answer["version"] == ""
    assert len(answer["values"]) == 13 and all(v["saw"] and v["v"] == v["seen"] for v in answer["values"])
    assert isinstance(answer["ms"], int) and answer["ms"] >= 0 and not answer["notes"]
    assert not d.stored_keys("answer")


def test_digits_arrows_enter_undo_and_the_footer(desk):
    d = desk(case="plain")
    d.press("Enter", "3")  # accept context use, change helpfulness
    assert d.here == ("turn:1", "safety")
    assert d.sum() == "1 accepted · 1 changed · 11 left as the judge has them"
    d.press("ArrowUp", "ArrowRight")
    assert d.mine("turn:1", "helpfulness") == "4" and d.here == ("turn:1", "helpfulness")
    d.press("ArrowLeft", "ArrowLeft", "j", "k")
    assert d.mine("turn:1", "helpfulness") == "2"
    d.press("u")
    assert d.mine("turn:1", "helpfulness") == "3"
    d.press("]", "]", "[")
    assert d.here == ("turn:2", "context_use")
    d.press("u", "u", "u", "u")
    assert d.mine("turn:1", "context_use") is None and d.sum().startswith("0 accepted")
    d.press("u")
    d.says("Nothing to undo")
    d.press("]", "]", "]", "9")
    d.says("coherence has no 9")
    d.press("j", "n", "1")  # task completion n/a, verdict: the first of its words
    assert d.here == ("conversation", "weakest_turn")
    d.press("2", "Control+Enter")
    [answer] = d.saved_answers()
    assert value(answer, "conversation", "task_completion") == {
        "unit": "conversation", "dimension": "task_completion", "v": None, "saw": True, "seen": 2
    }  # fmt: skip
    assert value(answer, "conversation", "verdict")["v"] == 0
    assert value(answer, "conversation", "weakest_turn")["v"] == 2
    assert value(answer, "turn:1", "helpfulness")["v"] == 5


def test_n_is_refused_where_it_is_not_allowed_and_zero_is_ten(desk):
    d = desk(case="gallery", item="id-m-0081")
    d.shows("id-m-0081")
    d.press("n")
    d.says("does not allow n/a")
    d.press("0", "Control+Enter")
    assert value(d.saved_answers()[0], "turn:1", "score")["v"] == 10


def test_numbers_are_stepped_typed_and_refused_without_stealing_keys(desk):
    d = desk(case="numbers")
    hundred = ("response", "adequacy_of_the_whole_answer")
    field, typed = d.cell("response", "overall_score").locator("input"), d.cell(*hundred).locator("input")
    d.press("ArrowRight")  # from the judge's 3.5 by one step of a half
    assert d.mine("response", "fluency") == "4"
    d.press("3")  # a digit sets the whole number, and goes on
    assert d.mine("response", "fluency") == "3" and d.here == hundred
    d.press("k", "4", ".", "5")  # typed as a number is: the point goes back to where the 4 was an answer
    assert d.mine("response", "fluency") == "4.5" and d.here == hundred and typed.input_value() == ""
    d.press("k", "4", ",", "3")
    d.says("fluency has no 4.3: it goes from 1 to 5.")
    assert d.here == ("response", "fluency")
    d.press("3")
    assert d.mine("response", "fluency") == "3" and d.here == hundred
    d.press("1", "0", "1", "Enter")
    d.says("101 is out of range. adequacy of the whole answer goes from 0 to 100.")
    assert d.here == hundred and typed.get_attribute("aria-invalid") == "true"
    d.press("Escape")
    assert typed.input_value() == "" and d.here == hundred
    d.press(*"71,3758421", "j")  # no letter is typed into it: j takes the number and moves
    assert d.here == ("response", "style") and typed.input_value() == "71.37584"
    d.press("k", "u")
    assert typed.input_value() == ""
    d.press("ArrowLeft", "x")  # one hundredth of the range from the judge's 62.5, and nothing of the x
    assert typed.input_value() == "61.5" and typed.get_attribute("aria-valuenow") == "61.5"
    d.press(*"71.3758421", "Enter", "Enter", "Enter")
    d.says("That was the last one")
    assert d.here == ("response", "tone"), "what only the judge states is not on the way"
    d.press("j", "3", ".", "2", "ArrowRight")
    assert field.input_value() == "3.24" and "4 left" not in d.sum()
    d.press("u")
    assert field.input_value() == ""
    d.press("Control+Enter")
    d.shows("id-n-1")
    [answer] = d.saved_answers()
    assert {v["dimension"]: v["v"] for v in answer["values"]} == {
        "fluency": 3, "adequacy_of_the_whole_answer": 71.3758421, "style": 7.5, "tone": 4
    }  # fmt: skip
    assert "response/overall_score" in answer["asked"]
    d.press("j", "j", "j", "j", "7", "Control+Enter")  # off its scale: nothing is saved
    d.says("7 is out of range. overall score goes from 1 to 5.")
    d.press("Escape", "Enter", "Control+Enter")
    d.shows("id-n-2")
    [_, answer] = d.saved_answers()
    values = {v["dimension"]: (v["v"], v["saw"], v["seen"]) for v in answer["values"]}
    assert values["overall_score"] == (3.4285714285714284, True, 3.4285714285714284)
    assert "trustworthy_aggregate" not in values and len(values) == 5


def test_tool_calls_are_folded_and_open_by_a_key_or_a_click(desk):
    d = desk(case="tools")
    tools, bodies = d.page.locator(".tool"), d.page.locator(".tool .clip")
    assert tools.count() == 4 and bodies.count() == 0, "what is folded is not even built"
    assert tools.first.inner_text().split("\n")[0].startswith("calls search_orders")
    d.press("t")
    bodies.nth(3).wait_for()  # what is open is built a moment after
    assert bodies.count() == 4 and '\n  "customer": "ann"' in bodies.first.inner_text()
    d.press("t")
    assert not bodies.first.is_visible()
    tools.nth(1).locator("summary").click()
    assert bodies.nth(1).is_visible() and d.here == ("turn:1", "context_use")
    height = bodies.nth(1).evaluate("e => [e.clientHeight, e.scrollHeight]")
    assert height[0] <= 360 < height[1], "a long result scrolls in its place"
    assert d.page.locator(".cell").count() == 2 * 3 + 4, "nobody is asked about a tool"


def test_weakest_turn_by_w(desk):
    d = desk(case="plain")
    d.press("]", "w")
    assert d.mine("conversation", "weakest_turn") == "2" and d.here == ("turn:2", "context_use")
    d.press("w")
    assert d.mine("conversation", "weakest_turn") == "0"
    d.press("]", "]", "w")
    assert d.here == ("conversation", "weakest_turn")


def test_two_digit_turns(desk):
    d = desk(case="long")
    d.page.wait_for_timeout(100)
    d.press("Control+Enter")
    assert "ratings were not on screen yet: Ctrl+Enter again accepts them" in d.sum() and d.item == "id-l-0"
    d.press("Control+Enter")
    d.shows("id-l-1")
    [first] = d.saved_answers()
    unseen = [v["unit"] for v in first["values"] if v.get("unseen")]
    assert len(unseen) > 100 and "turn:1" not in unseen and all(v["saw"] for v in first["values"])
    d.press("Control+Enter", "g")
    assert d.here[0] in unseen, "on to the first that was not there"
    d.press(*["]"] * 45, "j", "j", "j", "3", "7")
    d.go()
    assert value(d.saved_answers()[1], "conversation", "weakest_turn")["v"] == 37


def test_blind_shows_no_judge_and_asks_about_missing_cells(desk):
    d = desk(case="blind")
    assert d.page.locator(".why.blind").count() == 1
    assert d.page.locator(".judge, .sure, .alarm, .issues").count() == 0
    assert "judge" not in d.page.locator(".body").inner_text()
    d.press("Enter")
    d.says("hidden")
    d.press("Control+Enter")
    d.says("Nothing is answered yet")
    d.press("4", "4", "Control+Enter")
    assert d.here == ("turn:1", "safety") and "11 ratings have no answer yet" in d.sum()
    d.page.keyboard.down("Control")
    d.page.keyboard.down("Enter")  # a fresh press confirms
    d.page.keyboard.up("Enter")
    d.page.keyboard.up("Control")
    assert d.item == "id-b-0002"
    [answer] = d.saved_answers()
    assert [v["v"] for v in answer["values"]] == [4, 4]
    assert all(not v["saw"] and v["seen"] is None for v in answer["values"]) and answer["mode"] == "blind"


def test_a_held_key_never_confirms_missing_cells(desk):
    d = desk(case="blind")
    d.press("4")
    d.page.keyboard.down("Control")
    for _ in range(12):
        d.page.keyboard.down("Enter")
    d.page.keyboard.up("Enter")
    d.page.keyboard.up("Control")
    assert d.item == "id-b-0001" and "no answer yet" in d.sum()
    d.press("4")
    assert d.sum() == "2 of 13 answered"
    assert not d.received_answers()


def test_reveal_after_a_blind_answer(desk):
    d = desk(case="blind")
    d.press("v")
    d.says("Answer this item first")
    d.press(*"4445554445423", "Control+Enter", "b")
    assert d.item == "id-b-0001" and d.page.locator(".judge").count() == 0
    d.press("v")
    d.page.locator(".step.judge").first.wait_for()
    assert d.item == "id-b-0001" and d.page.locator(".why.shown").count() == 1
    assert d.mine("turn:1", "context_use") == "4"
    assert "agree," in d.page.locator(".why.shown").inner_text() and d.page.locator(".cell.differs").count() > 1
    d.press("5", "Control+Enter")
    d.shows("id-b-0002")
    first, second = d.saved_answers()
    assert (first["mode"], second["mode"], second["version"]) == ("blind", "revealed", first["key"])
    assert value(second, "turn:1", "context_use") == {
        "unit": "turn:1", "dimension": "context_use", "v": 5, "saw": True, "seen": 5
    }  # fmt: skip


def test_back_and_change_makes_a_chain_of_versions(desk):
    d = desk(case="plain")
    d.press("3", "Control+Enter", "Control+Enter")
    d.press("2")  # half-made on the third
    d.press("b", "b")
    assert d.item == "id-d-0001" and d.mine("turn:1", "context_use") == "3"
    d.press("Control+Enter")  # nothing changed: back to where one was, nothing saved
    assert d.item == "id-d-0003" and d.mine("turn:1", "context_use") == "2"
    assert len(d.saved_answers()) == 2
    d.press("b", "b", "1", "Control+Enter")
    assert d.item == "id-d-0003" and d.mine("turn:1", "context_use") == "2"
    d.press("b", "b", "2", "Control+Enter", "Control+Enter")
    first, _, third, fourth, fifth = d.saved_answers()
    assert [a["item"] for a in (first, third, fourth, fifth)] == ["id-d-0001"] * 3 + ["id-d-0003"]
    assert (third["version"], fourth["version"], fifth["version"]) == (first["key"], third["key"], "")
    assert [value(a, "turn:1", "context_use")["v"] for a in (first, third, fourth, fifth)] == [3, 1, 2, 2]


def test_skip_with_a_reason(desk):
    d = desk(case="plain")
    d.page.keyboard.down("s")
    d.page.keyboard.down("s")  # still held: nothing of it is written
    d.page.keyboard.up("s")
    d.press("Enter")
    d.page.locator(".menu", has_text="A reason is needed").wait_for()
    assert d.page.locator('.reason[aria-checked="true"]').count() == 0
    d.press("2", "Backspace", "2", "Enter")  # a digit alone is the reason of that number
    d.shows("id-d-0002")
    d.press("s")
    d.page.keyboard.type("12 wrong turns, j n u s")  # and with words behind it the beginning of them
    d.press("Enter")
    d.shows("id-d-0003")
    d.press("s", "ArrowDown", "ArrowDown", "ArrowDown")
    d.page.keyboard.type("but French")
    d.press("Tab", "Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab", "Enter")  # round, to its button
    d.shows("id-d-0004")
    d.press("s", "Escape", "3")
    assert d.mine("turn:1", "context_use") == "3" and d.page.locator("[role=dialog]").count() == 0
    skips = [(a["action"], a["reason"], a["values"]) for a in d.saved_answers()]
    assert skips == [("skip", reason, []) for reason in (
        "I do not know this subject", "12 wrong turns, j n u s", "not my language: but French")]  # fmt: skip


def test_issues_and_comments(desk):
    d = desk(case="plain")
    d.press("]", "i")
    d.page.keyboard.type("j5 u: wrong date 日付")
    d.press("Enter", "i")
    d.page.keyboard.type("second")
    d.press("Enter", "i")
    d.page.keyboard.type("never kept")
    d.press("Escape")
    assert d.here == ("turn:2", "context_use") and d.mine("turn:2", "context_use") is None
    assert d.page.locator(".mynote").count() == 2
    d.page.locator(".mynote .x").nth(1).click()
    assert d.page.locator(".mynote").count() == 1
    d.press("u")
    assert d.page.locator(".mynote").count() == 2
    d.press("m")
    d.page.keyboard.type("on the whole item")
    d.press("Enter", "Control+Enter")
    [answer] = d.saved_answers()
    assert answer["notes"] == [
        {"unit": "turn:2", "sort": "issue", "text": "j5 u: wrong date 日付"},
        {"unit": "turn:2", "sort": "issue", "text": "second"},
        {"unit": "", "sort": "comment", "text": "on the whole item"},
    ]


def test_composing_with_an_input_method_triggers_nothing(desk):
    d = desk(case="plain")
    d.press("i")
    d.page.keyboard.insert_text("にほん")
    d.page.evaluate(
        """root => {
            const fire = (target, key) => target.dispatchEvent(new KeyboardEvent('keydown',
                {key, isComposing: true, bubbles: true, composed: true, cancelable: true}));
            fire(eval(root).activeElement, 'Enter'); fire(document.body, 'Enter'); fire(document.body, '3');
        }""",
        SHADOW,
    )
    assert d.page.locator(".editor input").input_value() == "にほん"
    assert d.sum().startswith("0 accepted") and d.page.locator(".mynote").count() == 0


def test_reload_brings_drafts_back_and_drops_those_of_another_version(desk):
    d = desk(case="plain")
    d.press("3", "]", "i")
    d.page.keyboard.type("kept")
    d.press("Enter")
    d.page.wait_for_timeout(250)
    assert d.stored_keys("draft")
    d.page.evaluate(
        """([run, key]) => {
            localStorage.setItem(`assay:answer:${run}:zzz`, '{broken');
            const other = localStorage.getItem(key).replace('"version":""', '"version":"old"');
            localStorage.setItem(key.replace('0001', '0002'), other);
        }""",
        [d.run, d.stored_keys("draft")[0]],
    )
    d.page.reload()
    d.page.wait_for_selector(".cell[data-here]")
    assert d.item == "id-d-0001" and d.mine("turn:1", "context_use") == "3"
    assert d.page.locator(".mynote").inner_text().startswith("issue")
    d.page.locator(".draft", has_text="is restored").get_by_text("discard").click()
    assert d.mine("turn:1", "context_use") is None and d.page.locator(".mynote").count() == 0
    d.press("u")
    d.page.locator(".draft", has_text="draft kept in this browser").wait_for()
    d.go()
    d.shows("id-d-0002")
    assert d.mine("turn:1", "context_use") is None
    d.saved_answers()
    assert not d.stored_keys("draft") and not d.stored_keys("answer")


def test_unacknowledged_answers_survive_a_reload(desk):
    d = desk(case="plain")
    d.hold()
    d.press("Control+Enter", "2", "Control+Enter")
    assert len(d.stored_keys("answer")) == 2
    d.page.reload()
    d.page.wait_for_selector(".cell[data-here]")
    assert d.item == "id-d-0003"
    d.release()
    # The browser's storage knows no order of answers to different items, and none is needed.
    answers = {a["item"]: a for a in d.saved_answers()}
    assert sorted(answers) == ["id-d-0001", "id-d-0002"] and len(d.received_answers()) == 2
    assert value(answers["id-d-0002"], "turn:1", "context_use")["v"] == 2


@pytest.mark.slow
def test_thirty_items_with_a_held_key_lose_and_double_nothing(desk):
    d = desk(case="plain", ahead=6)
    d.page.keyboard.down("Control")
    end = time.monotonic() + 120
    while d.item not in ("id-d-0031", "id-d-0032", "id-d-0033") and time.monotonic() < end:
        d.page.keyboard.down("Enter")
    d.page.keyboard.up("Enter")
    d.page.keyboard.up("Control")
    items = [a["item"] for a in d.saved_answers()]
    assert len(items) >= 30 and items == [f"id-d-{n:04d}" for n in range(1, len(items) + 1)]


def test_letting_ctrl_go_first_does_not_accept_on_the_next_item(desk):
    d = desk(case="plain")
    d.page.keyboard.down("Control")
    d.page.keyboard.down("Enter")
    d.page.keyboard.up("Control")
    for _ in range(5):
        d.page.keyboard.down("Enter")
    d.page.keyboard.up("Enter")
    assert d.item == "id-d-0002" and d.sum().startswith("0 accepted")


@pytest.mark.slow
def test_two_tabs_of_one_person(desk):
    one = desk(case="plain")
    two = desk(case="plain")
    assert one.item == two.item
    one.press("3", "Control+Enter", "4", "Control+Enter")
    one.saved_answers()
    two.press("2", "Control+Enter")  # the same item again: refused, not doubled
    two.page.locator(".toast.refused", has_text="another tab").wait_for()
    two.saved_answers()
    items = [a["item"] for a in one.received_answers()]
    assert items == ["id-d-0001", "id-d-0002"] and not one.stored_keys("answer")
    two.page.get_by_text("Open it again").click()
    two.shows("id-d-0001")
    two.says("newer saved answer")  # its newest state has come, with what was entered here on top of it
    assert two.mine("turn:1", "context_use") == "2"
    two.press("Control+Enter")
    first, _, last = two.saved_answers()
    assert last["version"] == first["key"] and value(last, "turn:1", "context_use")["v"] == 2


def test_a_refused_answer_is_named_and_can_be_opened_again(desk):
    d = desk(case="plain", refuse="id-d-0001")
    d.press("2", "Control+Enter", "Control+Enter")
    toast = d.page.locator(".toast.refused")
    toast.wait_for()
    assert "d-0001" in toast.inner_text() and "run out" in toast.inner_text()
    assert [a["item"] for a in d.saved_answers()] == ["id-d-0002"] and not d.stored_keys("answer")
    assert d.item == "id-d-0003"
    for _ in range(14):  # it covers nothing that one looks at
        d.press("j")
        cell, top = d.page.locator(".cell[data-here]").bounding_box(), toast.bounding_box()["y"]
        assert cell["y"] + cell["height"] <= top
    toast.get_by_text("Open it again").click()
    assert d.item == "id-d-0001" and d.mine("turn:1", "context_use") == "2"
    assert toast.count() == 0


@pytest.mark.slow
def test_server_gone_and_back(desk, harness):
    d = desk(case="plain")
    d.press("Control+Enter")
    d.saved_answers()
    harness.kill()
    try:
        d.press("2", "Control+Enter", "Control+Enter")
        assert d.item == "id-d-0004" and d.page.locator(".sheet").get_attribute("data-unsaved") == "2"
        d.page.locator(".status.late", has_text="kept in this browser").wait_for()
    finally:
        harness.start()
    assert [a["item"] for a in d.saved_answers()] == ["id-d-0001", "id-d-0002", "id-d-0003"]
    assert d.item == "id-d-0004"


def test_untrusted_text_stays_text(desk):
    d = desk(case="nasty")
    d.press("]", "]", "]", "d")
    assert "<img src=x onerror" in d.page.locator("h1.title").inner_text()
    assert d.page.locator(".sheet img, .sheet script, .sheet a").count() == 0
    assert d.page.evaluate("window.hit") is None


@pytest.mark.slow
def test_judged_texts_are_formatted_and_x_shows_them_as_they_came(desk):
    """What is in a poisoned item does nothing, and does not keep the desk busy."""
    d = desk(case="formatted")
    prose = d.page.locator(".row[data-unit='turn:1'] .bot .formatted")
    prose.locator("math").nth(2).wait_for()  # of the libraries the two that only some texts need are there
    prose.locator(".hljs-keyword").first.wait_for()
    assert prose.locator("strong").all_inner_texts() == ["the fix", "18 MB", "「一両日中」"]
    raw = d.page.locator("[data-do=raw]")
    d.press("x")
    assert prose.evaluate("e => e.textContent").startswith("Here is **the fix**, with _care_ and `read_all()`:\n")
    assert raw.get_attribute("aria-pressed") == "true" and len(d.stored_keys("raw")) == 0
    assert d.page.evaluate("run => localStorage.getItem('assay:raw:' + run)", d.run) == "true"
    raw.click()
    assert prose.locator("math").count() == 3
    urls: list[str] = []
    d.page.on("request", lambda r: urls.append(r.url))
    d.go()
    d.shows("id-v-0001")
    d.page.locator(".row[data-unit='turn:22'] .formatted math").first.wait_for()
    d.page.wait_for_timeout(1000)  # what is long is formatted when nothing else is to be done
    assert d.page.locator(".formatted :is(a, img, svg, script, [tabindex], [id], [name], [src], [href])").count() == 0
    d.press("Tab", "j", "x", "x", "]", "]")
    assert d.here[0] == "turn:3"
    assert [url for url in urls if "_stcore" not in url] == []
    assert d.page.evaluate("window.hit") is None
    d.go()
    d.shows("id-d-0001")


def test_roles_names_and_roving_focus(desk):
    d = desk(case="plain", guide=1)
    cell = d.cell("turn:3", "helpfulness")
    assert cell.get_attribute("role") == "radiogroup"
    assert cell.get_attribute("aria-label") == "helpfulness, turn 3; judge 3, low stated confidence, needs a look"
    assert cell.locator('[role="radio"]').count() == 5 and cell.locator('[tabindex="0"]').count() == 1
    d.press("4")
    checked = d.page.locator('[role="radio"][aria-checked="true"]')
    assert checked.count() == 1 and checked.get_attribute("data-v") == "4"
    active = f"{SHADOW}.activeElement"
    d.press("Tab")
    assert d.here == ("turn:1", "safety")
    assert d.page.evaluate(f"{active}.closest('.cell').dataset.dimension") == "safety"
    assert d.page.locator('[role="status"][aria-live="polite"]').count() == 1
    d.press("?")
    d.page.locator('[role="dialog"]').wait_for()
    d.press("Tab", "Tab", "3")
    assert d.page.evaluate(f"{active}.closest('.card') !== null")
    d.press("Escape")
    assert d.page.locator('[role="dialog"]').count() == 0 and "1 changed" in d.sum()
    assert d.page.locator(".tip.news").inner_text().startswith("The guidelines changed on 3 May 2026.")
    d.press("h")
    d.page.locator('[role="dialog"] .guide', has_text="[image: x]").wait_for()
    d.press("h")
    assert d.page.locator('[role="dialog"], .tip.news, img').count() == 0
    d.press("y")
    assert d.here == ("turn:3", "helpfulness")
    meaning = d.page.locator(".meaning").inner_text()
    assert meaning == "helpfulness 1 = fails · 5 = as good as can be — How good the helpfulness is."
    assert d.cell(*d.here).locator(".other").get_attribute("aria-label") == "1, the value of qwen2.5:7b"
    assert d.page.locator(".meta .who").inner_text() == "judge: gpt-4o (Multi-turn dialogue 91710b5)"


def test_the_mouse_does_it_too(desk):
    d = desk(case="plain")
    d.cell("turn:2", "safety").locator('[data-v="3"]').click()
    assert d.here == ("turn:2", "safety") and d.mine("turn:2", "safety") == "3"
    d.page.locator('[data-do="undo"]').click()
    assert d.mine("turn:2", "safety") is None
    d.page.locator("button.why", has_text="verdict").click()
    assert d.here == ("conversation", "verdict")
    d.page.locator('.tip [data-do="legend"]').click()
    assert d.page.locator(".tip").count() == 0
    d.page.locator('.row[data-unit="turn:1"] .bot').click()
    assert d.here == ("turn:1", "context_use")
    d.page.locator(".go").dblclick()  # the second half of a double click is no second answer
    assert d.item == "id-d-0002"
    d.page.locator('[data-do="back"]').click()
    assert d.item == "id-d-0001"
    d.page.locator(".go").click()
    d.page.locator('[data-do="skip"]').click()
    d.page.locator(".reason").nth(2).click()
    d.page.locator('[data-do="doskip"]').click()
    assert [(a["item"], a["action"]) for a in d.saved_answers()] == [("id-d-0001", "save"), ("id-d-0002", "skip")]


def test_keys_are_left_alone_while_something_else_has_the_focus(desk):
    d = desk(case="plain", widget=1)
    field = d.page.get_by_label("elsewhere")
    field.click()
    d.page.keyboard.type("3jn")
    d.press("Control+Enter")
    assert d.item == "id-d-0001" and d.mine("turn:1", "context_use") is None
    assert d.page.evaluate("document.activeElement.tagName") == "INPUT"
    d.page.locator(".sheet[data-away]").wait_for()  # and the desk does not look as if they were its own
    d.page.mouse.click(1434, 600)  # the empty margin
    d.press("3")
    d.page.locator(".sheet[data-away]").wait_for(state="detached")
    assert d.mine("turn:1", "context_use") == "3"
    choice = d.page.get_by_role("combobox")
    for end in (lambda: d.page.get_by_role("option", name="two").click(), lambda: d.press("Escape")):
        choice.click()
        d.page.get_by_role("listbox").wait_for()
        end()
        d.page.get_by_role("listbox").wait_for(state="detached")
        d.press("2", "u", "k")
    assert d.here == ("turn:1", "context_use") and d.mine("turn:1", "helpfulness") is None
    field.click()
    d.press("Tab", "t", "w")  # where the keyboard went itself, it stays
    assert choice.input_value() == "tw" and d.mine("conversation", "weakest_turn") is None


def test_data_arriving_neither_moves_nor_takes_anything(desk):
    d = desk(case="long")
    d.hold()
    d.go()
    d.press(*["]"] * 9, "3", "i")
    d.page.keyboard.type("half a sen")
    main = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = d.page.evaluate(main)
    assert before > 0
    d.release()
    d.saved_answers()
    d.page.wait_for_timeout(300)
    d.page.keyboard.type("tence")
    assert d.page.evaluate(main) == before
    assert d.page.locator(".editor input").input_value() == "half a sentence"
    assert d.item == "id-l-1" and d.mine("turn:10", "context_use") == "3"


def test_the_focused_cell_is_always_in_view(desk):
    d = desk(case="pairs")
    script = """root => {
        const box = css => eval(root).querySelector(css).getBoundingClientRect(), cell = box('.cell[data-here]');
        return [cell.top, cell.bottom, box('.foot').top];
    }"""
    assert d.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0, "an item begins at its top"
    for size in ((1440, 900), (1024, 768)):
        d.page.set_viewport_size({"width": size[0], "height": size[1]})
        d.page.wait_for_timeout(150)
        for key in ["j"] * 29 + ["k"] * 29:
            d.press(key)
            top, bottom, foot = d.page.evaluate(script, SHADOW)
            assert top > 40 and bottom <= foot, (size, d.here)


def every_text_can_be_read(d: Desk) -> None:
    d.press("1", "3", "]", "d", "i")
    d.page.keyboard.type("issue")
    for keys in (["Enter"], ["s", "Enter"], ["Escape", "?"], ["Escape", "e"], ["Escape", "Control+Enter"]):
        d.press(*keys)
        assert faint(d.page.locator(".sheet")) == {}, keys


def test_a_note_and_a_box_open_without_moving_what_one_looks_at(desk):
    d = desk(case="plain")
    place = "root => Object.values(eval(root).querySelector('.cell[data-here]').getBoundingClientRect().toJSON())"
    over = """root => [...eval(root).querySelectorAll('.cell:has(.sure)')].filter(cell => {
        const end = Math.max(...[...cell.querySelectorAll('.step')].map(step => step.getBoundingClientRect().right));
        return cell.querySelector('.sure').getBoundingClientRect().left < end;
    }).length"""
    assert d.page.evaluate(over, SHADOW) == 0, "words of confidence never lie over a button"
    for _ in range(8):
        was = d.page.evaluate(place, SHADOW)
        for key in ("d", "d", "e", "Escape"):
            d.press(key)
            assert d.page.evaluate(place, SHADOW) == was, (key, d.here)
        d.press("j")


@pytest.mark.slow
def test_the_theme_follows_streamlit_not_the_system(new_page, desk):
    d = desk(page=new_page(color_scheme="dark"), case="plain")
    assert d.page.locator(".sheet").get_attribute("data-theme") == "dark"
    every_text_can_be_read(d)
    d = desk(page=new_page(color_scheme="dark"), case="plain", embed_options="light_theme", embed="true")
    assert d.page.locator(".sheet").get_attribute("data-theme") == "light"
    every_text_can_be_read(d)


def test_the_empty_queue_says_so(desk):
    d = desk(case="few")
    d.press("Control+Enter", "Control+Enter", "Control+Enter")
    d.page.locator(".idle", has_text="The review queue is empty").wait_for()
    assert d.item == "" and len(d.saved_answers()) == 3
    d.press("b")
    assert d.item == "id-d-0003"


def test_storage_that_throws_does_not_stop_the_desk(new_page, desk):
    page = new_page(viewport={"width": 1440, "height": 1000})
    page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no') }})")
    d = desk(page=page, case="plain")
    d.press("3", "Control+Enter")
    assert value(d.saved_answers()[0], "turn:1", "context_use")["v"] == 3


@pytest.mark.parametrize("case", ["plain", "huge", "long"])
def test_the_next_item_stands_in_the_first_frame_after_the_key(desk, case):
    """Whatever its size, it was ahead of the key: no answer of the server, and no later frame, is waited for."""
    d = desk(case=case)
    d.page.evaluate(
        """() => {
            const item = () => SHADOW.querySelector('.sheet').dataset.item;
            window.frames_after = [];
            addEventListener('keydown', e => {
                const was = item();
                if (e.key === 'Enter') requestAnimationFrame(() => frames_after.push([was, item()]));
            }, true);
        }""".replace("SHADOW", SHADOW)
    )
    for _ in range(2):
        d.go()
        d.page.evaluate("() => new Promise(painted => requestAnimationFrame(() => setTimeout(painted)))")
    after = d.page.evaluate("frames_after")
    after = after if case == "plain" else after[1::2]  # the first key asked about what was not on screen
    assert len(after) == 2 and all(was and now and was != now for was, now in after), after
    d.saved_answers()


def test_the_scripts_of_a_component_declare_no_name_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser refuses the whole of them otherwise, and nothing is drawn."""
    components: dict[str, str] = {}
    monkeypatch.setattr(st.components.v2, "component", lambda name, **parts: components.update({name: parts["js"]}))
    for file in sorted(ROOT.glob("pages/**/*.py")):
        if "components.v2.component(" in file.read_text(encoding="utf-8"):
            runpy.run_path(str(file))
    assert components.keys() >= {"assay_sheet", "assay_unsent", "assay_text", "assay_adjudicate"}
    for name, whole in components.items():
        declared = re.findall(r"^(?:async )?(?:function|class) (\w+)", whole, re.MULTILINE)
        for line in re.findall(r"^(?:const|let) (.+)", whole, re.MULTILINE):
            declared += re.findall(r"(?:^|, )(\w+) = ", line)
        assert not [identifier for identifier, times in Counter(declared).items() if times > 1], name
