"""The desk's scripts without Streamlit.

There is an empty page, real keys, a clock that can be turned, and a server that says what a test tells it to. What
needs a server that really runs is in test_sheet.py."""

from __future__ import annotations

import itertools
import json
import re
import runpy
import uuid
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from pages.ui.sheet import HERE, SCRIPTS, STYLES, bundle_scripts, join_files
from tests.archives import compare_archive
from tests.pages.desk_driver import patiently
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bed import ORIGIN, answer_all
from tests.server import ROOT

Json = dict[str, Any]
BEGIN = 1_800_000_000
SIZE = {"width": 1440, "height": 900}
INNER = "uuid afterPaint slid offRange numberOf within inOrder keptActs actKey".split()
BED = """<!doctype html><meta charset="utf-8"><body style="margin: 0"><script type="module">
import desk, * as inner from "/desk.js";
Object.assign(window, {inner, messages: []});
window.mount = data => {
  window.off?.(); document.body.replaceChildren(); window.messages.length = 0;
  const host = document.body.appendChild(document.createElement("div")), style = document.createElement("style");
  window.shadow = host.attachShadow({mode: "open"});
  style.textContent = STYLES;
  const root = Object.assign(document.createElement("div"), {className: "sheet", tabIndex: -1});
  shadow.append(style, root);
  const setStateValue = (name, value) => messages.push({...structuredClone(value), clock: performance.now()});
  window.tell = more => { window.off = desk({data: {...data, ...more}, parentElement: shadow, setStateValue}) };
  tell({});
  root.focus();
};
window.ready = true;
</script>"""


def test_the_scripts_of_a_component_declare_no_name_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser refuses the whole of them otherwise, and nothing is drawn."""
    found: dict[str, str] = {}
    monkeypatch.setattr(st.components.v2, "component", lambda name, **parts: found.update({name: parts["js"]}))
    for file in sorted(ROOT.glob("pages/**/*.py")):
        if "components.v2.component(" in file.read_text(encoding="utf-8"):
            runpy.run_path(str(file))
    assert found.keys() >= {"assay_sheet", "assay_unsent", "assay_text", "assay_adjudicate"}
    for name, whole in found.items():
        declared = re.findall(r"^(?:async )?(?:function|class) (\w+)", whole, re.MULTILINE)
        for line in re.findall(r"^(?:const|let) (.+)", whole, re.MULTILINE):
            declared += re.findall(r"(?:^|, )(\w+) = ", line)
        assert not [one for one, times in Counter(declared).items() if times > 1], name


class Bench:
    """The desk of one person on an empty page, and the messages it sends."""

    def __init__(self, page: Any, person: str) -> None:
        self.page, self.person = page, person

    def open(self, query: str = "") -> None:
        """Load the page, as when a tab is opened or reloaded: only what the browser has stored is left."""
        self.page.goto(f"{ORIGIN}/{query}")
        self.page.wait_for_function("window.ready")

    def sit(self, *sheets: Json, place: str = "demo/review", person: str = "", **data: Any) -> None:
        """Mount the component with these items ahead; what was mounted goes, as when another page was looked at."""
        nothing = {"acked": [], "refused": [], "progress": None, "empty": None, "notice": None, "guide": None}
        found = {"person": person or self.person, "place": place, "sheets": sheets, **nothing, **data}
        self.page.evaluate("data => mount(data)", found)
        self.painted()
        self.tell()  # the answer to the first message, which asks for more items

    def tell(self, **data: Any) -> None:
        """Data from the server."""
        self.page.evaluate("more => tell(more)", data)

    def painted(self) -> None:
        """Let what was done be painted, and what follows a paint be done."""
        self.wait(0.05)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def go(self) -> None:
        self.press("Control+Enter")

    def wait(self, seconds: float) -> None:
        """Turn the clock on, which stands still otherwise; every timer that is due on the way runs."""
        self.page.clock.run_for(round(seconds * 1000))

    def messages(self) -> list[Json]:
        """What the component has sent since it was mounted."""
        self.painted()
        return list(self.page.evaluate("messages"))

    def sent(self) -> list[list[str]]:
        """The items of each message that holds answers."""
        return [[a["item"] for a in m["answers"]] for m in self.messages() if m["answers"]]

    def waiting(self) -> list[Json]:
        """The answers of the newest message."""
        return list(self.messages()[-1]["answers"])

    def ack(self, **data: Any) -> None:
        """Say that all that was sent last is saved."""
        self.tell(acked=[{"key": a["key"], "at": "14:03:11"} for a in self.waiting()], **data)

    def refuse(self, why: str = "Your claim on it has run out.", **data: Any) -> Json:
        """Refuse the first answer of the newest message; the answer."""
        answer: Json = self.waiting()[0]
        self.tell(refused=[{"key": answer["key"], "item": answer["item"], "why": why}], **data)
        return answer

    @property
    def item(self) -> str:
        return str(self.page.locator(".sheet").get_attribute("data-item"))

    @property
    def here(self) -> str:
        """The dimension of the one cell that has the focus, in the one row that has it."""
        [cell] = self.page.locator(".cell[data-here]").all()
        [_] = self.page.locator(".row.here").all()
        assert cell.locator("xpath=ancestor::section").get_attribute("class").split()[-1] == "here"
        return str(cell.get_attribute("data-dimension"))

    def cell(self, dimension: str) -> Any:
        return self.page.locator(f'.cell[data-dimension="{dimension}"]')

    def mine(self, dimension: str) -> list[str]:
        """What the person has set there."""
        chosen = self.cell(dimension).locator('.step[aria-checked="true"]')
        return [str(step.get_attribute("data-v")) for step in chosen.all()]

    def text(self, css: str) -> str:
        return str(self.page.locator(css).inner_text())

    def hint(self) -> str:
        return str(self.page.locator(".hint").text_content())

    def sum(self) -> str:
        return str(self.page.locator(".sum").text_content())

    def stored(self, kind: str) -> list[str]:
        start = f"assay:{kind}:{self.person}:"
        keys = self.page.evaluate("start => Object.keys(localStorage).filter(k => k.startsWith(start))", start)
        return sorted(str(key) for key in keys)

    def call(self, name: str, *arguments: Any) -> Any:
        """One of the scripts' own functions."""
        return self.page.evaluate("([name, given]) => inner[name](...given)", [name, list(arguments)])


@pytest.fixture(scope="module")
def tab(chromium: Any) -> Iterator[Any]:
    """One tab for the file, with a clock that can be turned on; every address is answered here."""
    scripts = bundle_scripts(*(HERE / name for name in SCRIPTS)) + f"\nexport {{ {', '.join(INNER)} }};"
    bed = BED.replace("STYLES", repr(join_files(*(HERE / name for name in STYLES))))

    with chromium.new_context(locale="en-US") as context:
        context.set_default_timeout(10_000)
        page = context.new_page()
        answer_all(page, bed, "/desk.js", scripts)
        page.clock.install(time=BEGIN)
        page.clock.pause_at(BEGIN + 1)
        yield page


@pytest.fixture
def bench(tab: Any, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """An empty page of the usual size, with nothing stored. An uncaught error in it fails the test."""
    errors: list[str] = []

    def keep(error: Any) -> None:
        errors.append(str(error))

    tab.on("pageerror", keep)
    tab.set_viewport_size(SIZE)
    one = Bench(tab, request.node.name)
    one.open()
    tab.evaluate("localStorage.clear()")
    yield one
    tab.remove_listener("pageerror", keep)
    assert not errors, errors


def response(name: str, **more: Any) -> Json:
    """A response with two ratings, which fits on one screen: tone (the judge says 4) and fit (2)."""
    cells = [fakes.cell("response", "tone", 4), fakes.cell("response", "fit", 2)]
    row = fakes.row("response", "response", [fakes.text("output", "As it was said.")], [("", cells)], can_better=True)
    return dict(fakes.item(name, f"Title of {name}", "response", [row], **{"why": [], **more}))


def hidden(name: str, **more: Any) -> Json:
    """The same, blind."""
    found = response(name, mode="blind", stream="audit", **more)
    for cell in found["rows"][0]["groups"][0]["cells"]:
        cell["judge"] = None
    return found


def answered(sheet: Json, version: str, mine: Json, **more: Any) -> Json:
    """A sheet as the server sends it once the person has answered it."""
    for group in sheet["rows"][0]["groups"]:
        for cell in group["cells"]:
            if cell["dimension"] in mine:
                cell["mine"] = {"v": mine[cell["dimension"]]}
    return {**sheet, "version": version, **more}


def values(answer: Json) -> Json:
    return {v["dimension"]: v["v"] for v in answer["values"]}


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


def test_keys_are_unique_where_the_browser_makes_none(bench: Bench) -> None:
    made = bench.page.evaluate(
        """() => { Object.defineProperty(crypto, "randomUUID", {value: undefined});
                   return Array.from({length: 300}, inner.uuid) }"""
    )
    assert all(str(uuid.UUID(key)) == key and uuid.UUID(key).version == 4 for key in made) and len(set(made)) == 300
    assert all(key[19] in "89ab" for key in made)


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
    for given, now, by, then in SLID:
        assert bench.call("slid", given, now, by) == then, (given, now, by)
    for text, why in TYPED.items():
        assert bench.call("offRange", TENTHS, "tone", text) == why, text
        number = bench.page.evaluate("t => inner.within({lo: 0, hi: 10, step: 0}, inner.numberOf(t))", text)
        assert number == (why == ""), text
    assert bench.call("offRange", QUARTERS, "tone", "3.25") == bench.call("offRange", QUARTERS, "tone", "3.75") == ""
    said = bench.call("offRange", QUARTERS, "tone", "3.4")
    assert said == "tone goes from 1 to 5 in steps of 0.25: 3.4 lies between two."
    thousands = {"lo": 0, "hi": 10_000, "step": 0}
    for text, one, other in (("1,000", 1, 1000), ("７，２５０", 7.25, 7250)):
        said = f"{text} may be {one} or {other}: type it without a comma, or with a point."
        assert bench.call("offRange", thousands, "tone", text) == said
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
    bench.painted()
    [kept] = bench.stored("draft")
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
    assert bench.stored("draft") == [] and kept.endswith(":id-a")


def test_a_draft_can_be_discarded_and_that_be_undone(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("3", "m")
    bench.page.keyboard.type("odd")
    bench.press("Enter")
    bench.painted()
    bench.open()
    bench.sit(response("a"))
    notes = bench.page.locator(".mynote")
    assert bench.mine("tone") == ["3"] and notes.count() == 1
    bench.page.locator("[data-do=undraft]").click()
    assert bench.mine("tone") == [] and notes.count() == 0 and "is restored" not in bench.sum()
    assert bench.page.locator("[data-do=undraft]").count() == 0
    bench.painted()
    assert bench.stored("draft") == []
    bench.press("u")
    assert bench.mine("tone") == ["3"] and notes.count() == 1


def test_a_better_text_is_kept_while_it_is_written(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("e")
    for word in (" Really.", " So."):
        bench.page.keyboard.type(word)
        bench.painted()
    [key] = bench.stored("draft")
    [note] = bench.page.evaluate("key => JSON.parse(localStorage.getItem(key)).notes", key)
    assert note == {"unit": "response", "sort": "better", "text": "As it was said. Really. So."}


DRAFT = """([key, change]) => {
  const draft = {version: "", mode: "assisted", at: Date.now() - 86400000, ms: 1234, here: 1,
    values: [["response", "tone", 5]], notes: [], ...change};
  if ("days" in change) draft.at = Date.now() - change.days * 86400000;
  localStorage.setItem(key, JSON.stringify(draft)) }"""


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
    assert [one["text"] for one in (*answer["notes"], *answer["repairs"])] in (["So far."], ["As it was said. So far."])


def test_a_tab_in_which_nothing_was_begun_leaves_another_ones_draft(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    key = f"assay:draft:{bench.person}:id-a"
    bench.page.evaluate(DRAFT, [key, {}])  # another tab writes
    bench.open()
    assert bench.stored("draft") == [key]
    bench.sit(response("a"), response("b"))
    assert bench.mine("tone") == ["5"]
    bench.press("u")
    bench.painted()
    assert bench.stored("draft") == [], "what it has taken up itself it drops"


@pytest.mark.parametrize(
    ("change", "tone", "kept"),
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
        ({"days": 31}, [], False),
        ({"at": None}, [], False),
    ],
)
def test_only_a_draft_of_this_version_of_the_item_is_taken(
    bench: Bench, change: Json, tone: list[str], kept: bool
) -> None:
    keys = [f"assay:draft:{bench.person}:id-a", "assay:draft:another:id-a"]
    for key in keys:
        bench.page.evaluate(DRAFT, [key, change])
    bench.sit(response("a"), response("b"))
    assert bench.mine("tone") == tone and bench.stored("draft") == keys[:1] * kept
    assert bench.here == ("fit" if kept and change.get("here", 1) == 1 else "tone")
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

    def kept(key: str, at: int, **change: Any) -> Json:
        act = {"key": key, "action": "decide"}
        return {"person": "lea", "dataset": "d", "place": "p", "at": at, "act": act, **change}

    acts = {"one": kept("one", 2), "two": kept("two", 1), "null": None, "bare": {"person": "lea"},
            "other": kept("another key", 3), "person": kept("person", 4, person="max"),
            "set": kept("set", 5, dataset=1), "place": kept("place", 6, place=None),
            "act": kept("act", 7, act={"key": "act"})}  # fmt: skip
    keep = "([key, one]) => localStorage.setItem(inner.actKey('lea', key), JSON.stringify(one))"
    for key, one in acts.items():
        bench.page.evaluate(keep, [key, one])
    assert [one["act"]["key"] for one in bench.call("keptActs", "lea")] == ["two", "one"]
    assert bench.page.evaluate("Object.keys(localStorage).length") == 2, "what is none is thrown away"


def test_a_value_set_back_leaves_no_draft(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3")
    bench.painted()
    assert len(bench.stored("draft")) == 1 and "draft kept in this browser" in bench.sum()
    bench.press("u")
    bench.painted()
    assert bench.stored("draft") == [] and "draft" not in bench.sum()
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
LEAVE = {"hidden": HIDE, "left": "dispatchEvent(new Event('pagehide'))"}


@pytest.mark.parametrize("leave", LEAVE)
def test_a_number_that_is_still_typed_is_in_the_draft_of_a_tab_that_is_hidden_or_left(bench: Bench, leave: str) -> None:
    """A browser may end a hidden tab without a word."""
    bench.sit(fakes.numbers(), response("b"))
    bench.press("j", "7", "1")
    bench.page.evaluate(LEAVE[leave])
    [key] = bench.stored("draft")
    [value] = bench.page.evaluate("key => JSON.parse(localStorage.getItem(key)).values", key)
    assert value[-2:] == ["adequacy_of_the_whole_answer", 71]


# -- the outbox -------------------------------------------------------------------------------------------------------


def test_an_answer_says_which_questions_were_put(bench: Bench) -> None:
    """Of each sort of unit, so that the server sees whether the item asked something else by then."""
    both = fakes.row("sides", "response", [fakes.text("a", "A"), fakes.text("b", "B")], [
        ("A", [fakes.cell("response/a", "tone", 4)]), ("B", [fakes.cell("response/b", "tone", 4)]),
        ("both", [fakes.cell("pair", "preference", 4)]),
    ])  # fmt: skip
    part = fakes.row("section:1", "section", [fakes.text("a", "A")], [("A", [fakes.cell("section:1/a", "depth", 4)])])
    pair = {**fakes.item("b", "Two", "pair", [both, part]), "why": []}
    bench.sit(fakes.dialogue("a"), pair, response("c"))
    asked = {}
    for _ in "abc":
        bench.press("s", "1", "Enter")
        asked |= {answer["item"]: answer["asked"] for answer in bench.waiting()}
        bench.ack()
    of_all = [f"conversation/{name}" for name in ("coherence", "task_completion", "verdict", "weakest_turn")]
    assert asked == {
        "id-a": ["turn/context_use", "turn/helpfulness", "turn/safety", *of_all],
        "id-b": ["side/tone", "pair/preference", "section/depth"],
        "id-c": ["response/tone", "response/fit"],
    }


def test_what_is_answered_while_a_message_is_under_way_goes_with_the_next(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcdef"))
    bench.go()
    assert bench.sent() == [["id-a"]]
    bench.go()
    bench.go()
    bench.wait(1)
    assert bench.sent() == [["id-a"]], "one message at a time"
    bench.wait(0.6)
    assert bench.sent() == [["id-a"], ["id-a", "id-b", "id-c"]], "for a second and a half, if no data comes"
    bench.go()
    bench.ack()
    assert bench.sent()[2:] == [["id-d"]], "data has come: at once what is left"
    assert bench.text(".status") == "1 not saved yet"
    bench.wait(3)
    assert bench.sent()[3:] == [], "and once, for what waited for its turn is not due any more"
    bench.ack()
    assert bench.text(".status") == "saved 14:03:11" and bench.stored("answer") == []
    bench.go()
    assert bench.sent()[3:] == [["id-e"]], "nothing is under way: at once"


PRESSED = """([count, key, ctrlKey]) => { while (count--) shadow.querySelector(".sheet").dispatchEvent(
    new KeyboardEvent("keydown", {key, ctrlKey, bubbles: true, composed: true})) }"""


def test_two_answers_of_one_moment_are_one_message_and_a_message_has_its_time(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcdef"))
    bench.page.evaluate(PRESSED, [2, "Enter", True])
    assert bench.sent() == [["id-a", "id-b"]]
    bench.go()
    bench.wait(1)
    bench.ack()
    assert bench.sent()[1:] == [["id-c"]]
    bench.wait(0.6)  # the time of the message before this one would be over now
    bench.go()
    assert bench.sent()[2:] == [], "this one is under way"
    bench.wait(1)
    assert bench.sent()[2:] == [["id-c", "id-d"]]


def test_it_is_sent_again_after_longer_and_longer_pauses_until_it_is_saved(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    assert bench.sent() == [["id-a"]]
    bench.wait(80)
    messages = [m for m in bench.messages() if m["answers"]]
    clocks = [m["clock"] for m in messages]
    pauses = [round((b - a) / 1000, 2) for a, b in itertools.pairwise(clocks)]
    assert pauses == pytest.approx([4, 6.4, 10.24, 16.38, 20, 20], abs=0.02)
    assert len({m["answers"][0]["key"] for m in messages}) == 1
    assert [m["nonce"] for m in messages] == sorted({m["nonce"] for m in messages})
    bench.tell()  # data after a silence: the server is back, and is asked soon
    before = len(bench.sent())
    bench.wait(0.7)
    assert len(bench.sent()) == before + 1
    bench.ack()
    bench.wait(60)
    assert len(bench.sent()) == before + 1
    bench.go()
    bench.wait(4.1)
    assert bench.sent()[-2:] == [["id-b"], ["id-b"]], "the pauses begin anew"


def test_the_pauses_grow_where_the_server_saves_nothing_and_begin_anew_with_a_question(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.go()
    bench.wait(1)
    bench.tell()
    bench.wait(40)
    clocks = [m["clock"] for m in bench.messages() if m["answers"]]
    pauses = [round((b - a) / 1000, 2) for a, b in itertools.pairwise(clocks)]
    assert pauses == pytest.approx([5, 6.4, 10.24, 16.38], abs=0.1)
    bench.refuse()
    bench.page.get_by_text("Open it again").click()
    bench.wait(4.2)
    assert [m["want"] and m["want"]["item"] for m in bench.messages()][-2:] == ["id-a", "id-a"]


def test_nothing_is_asked_for_while_there_is_enough_to_do(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), response("c"))
    before = len(bench.messages())
    bench.tell()
    bench.wait(60)
    assert len(bench.messages()) == before


def test_after_eight_seconds_it_is_said_that_the_server_does_not_answer(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcd"))
    bench.go()
    bench.wait(3)
    bench.go()
    bench.wait(4.5)
    assert bench.text(".status") == "2 not saved yet" and not bench.page.locator(".status.late").count()
    bench.wait(0.8)
    late = "2 not saved yet: the server does not answer; your answers are kept in this browser"
    assert bench.text(".status.late") == late == bench.page.locator(".live").text_content()
    bench.page.evaluate("shadow.querySelector('.live').textContent = ''")
    bench.tell()
    assert bench.page.locator(".live").text_content() == "", "it is read out once"
    bench.tell(notice="Nothing was saved: the disk is full.")
    assert bench.text(".status.late") == "2 not saved yet: your answers are kept in this browser", "it does answer"
    bench.tell(notice=None)
    bench.ack()
    assert bench.text(".status") == "saved 14:03:11" and not bench.page.locator(".status.late, .status.open").count()
    bench.go()
    bench.wait(8.3)
    assert bench.page.locator(".live").text_content() == bench.text(".status.late") == late.replace("2", "1", 1)


def test_what_the_browser_could_not_keep_is_not_called_kept(bench: Bench) -> None:
    bench.page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full') } }")
    bench.sit(*(response(name) for name in "abcd"))
    bench.go()
    bench.wait(9)
    late = "the server does not answer; this browser cannot keep your answers: leave this tab open"
    assert bench.text(".status") == f"1 not saved yet: {late}"
    bench.ack()
    assert bench.text(".status") == "saved 14:03:11"


KEPT = """([person, rows]) => { for (const row of rows) localStorage.setItem(
    `assay:answer:${person}:${row.as || row.key}`,
    JSON.stringify({person, action: "skip", item: "i", version: "", values: [], notes: [], ...row})) }"""


def test_of_what_the_browser_kept_only_whole_answers_of_this_person_are_sent_and_in_order(bench: Bench) -> None:
    before = {"k3": "k2", "k1": "", "k4": "k3", "k2": "k1"}
    good = [{"key": key, "version": version} for key, version in before.items()]
    bad = [{"key": "k5", "as": "k6"}, {"key": "k7", "person": "another"}, {"key": "k8", "item": None},
           {"key": "k9", "values": None}, {"key": "k10", "notes": 3}, {"key": "k11", "action": ""}]  # fmt: skip
    bench.page.evaluate(KEPT, [bench.person, [*good, *bad]])
    bench.sit(response("a"))
    assert [a["key"] for a in bench.waiting()] == ["k1", "k2", "k3", "k4"]
    assert [key.split(":")[-1] for key in bench.stored("answer")] == ["k1", "k2", "k3", "k4"]
    apart = [{"key": k, "version": v} for k, v in (("b2", "b1"), ("a1", ""), ("b1", "gone"), ("a2", "a1"))]
    assert [a["key"] for a in bench.call("inOrder", apart)] == ["b1", "b2", "a1", "a2"]


def test_an_item_whose_answer_is_still_to_be_sent_is_not_asked_again(bench: Bench) -> None:
    bench.page.evaluate(KEPT, [bench.person, [{"key": "k1", "item": "id-a"}, {"key": "k2", "item": "id-b"}]])
    bench.sit(response("a"), response("b", version="v1"), response("c"))
    assert bench.item == "id-b", "what is still to be sent of it was given before v1"
    bench.press("s", "1", "Enter")
    assert bench.item == "id-c"


def test_a_message_holds_a_million_letters_and_one_answer_in_any_case(bench: Bench) -> None:
    sizes = (1_100_000, 600_000, 300_000, 200_000)
    long = [{"key": f"k{n}", "version": f"k{n - 1}", "reason": "x" * size} for n, size in enumerate(sizes)]
    bench.page.evaluate(KEPT, [bench.person, long])
    bench.sit(response("a"))
    assert [a["key"] for a in bench.waiting()] == ["k0"]
    bench.tell()
    bench.wait(1)
    assert len(bench.sent()) == 1, "nothing of it was taken: it is not sent again at once"
    bench.ack()
    assert [a["key"] for a in bench.waiting()] == ["k1", "k2"]
    bench.ack()
    assert [a["key"] for a in bench.waiting()] == ["k3"]
    bench.ack()
    bench.wait(30)
    assert len(bench.sent()) == 3 and bench.text(".status").startswith("saved")


def test_the_server_is_told_which_items_are_here_and_open(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    assert bench.messages() == [], "there are enough"
    bench.go()
    assert bench.messages()[-1]["have"] == ["id-b", "id-c"] and bench.messages()[-1]["want"] is None
    bench.ack()
    bench.press("b")  # what is open beside it counts, and the one that is answered does not
    assert bench.item == "id-a"
    bench.press("1")
    bench.go()
    assert bench.item == "id-b" and bench.messages()[-1]["have"] == ["id-b", "id-c"]


def test_a_refused_answer_is_said_once_and_opened_again_with_what_was_entered(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.press("3", "i")
    bench.page.keyboard.type("odd")
    bench.press("Enter", "e")
    bench.page.keyboard.type("!")
    bench.press("Control+Enter")
    bench.go()
    lost = bench.refuse()
    toast = bench.page.locator(".toast.refused")
    assert toast.locator("b").inner_text().strip() == "a was not saved." and "run out" in toast.inner_text()
    assert bench.stored("answer") == [] and bench.text(".status") == ""
    bench.tell(refused=[{"key": lost["key"], "item": "id-a", "why": "twice"}])
    assert toast.count() == 1 and "twice" not in toast.inner_text(), "the same data can come twice"
    toast.get_by_text("Open it again").click()
    assert bench.item == "id-a" and toast.count() == 0
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == ["2"] and bench.page.locator(".mynote").count() == 2
    assert bench.messages()[-1]["want"] == {"item": "id-a", "reveal": False}, "and its newest state is asked for"
    bench.tell(sheets=[response("a")])
    bench.wait(10)
    assert len([m for m in bench.messages() if m["want"]]) == 1, "it has come, though nothing in it is new"
    assert bench.mine("tone") == ["3"] and bench.page.locator(".mynote").count() == 2
    bench.go()
    [again] = bench.waiting()
    assert values(again) == values(lost) and again["version"] == "" and again["key"] != lost["key"]
    assert (again["notes"], again["repairs"]) == (lost["notes"], lost["repairs"])
    bench.ack()
    assert bench.item == "id-b" and bench.text(".status") == "saved 14:03:11"


def test_the_message_of_a_refusal_goes_when_it_is_closed_or_the_item_is_saved(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcd"))
    for _ in range(2):
        bench.go()
        bench.refuse()
    toasts = bench.page.locator(".toast.refused")
    assert toasts.count() == 2
    toasts.nth(1).get_by_text("close").click()
    assert toasts.count() == 1 and toasts.inner_text().startswith("a was not saved.")
    bench.press("b", "b")
    assert bench.item == "id-a"
    bench.go()
    assert values(bench.waiting()[0]) == {"tone": 4, "fit": 2}
    bench.ack()
    assert toasts.count() == 0


def test_refused_items_that_the_server_does_not_send_again_are_opened_beside_the_one_in_hand(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcd"))
    for key in ("1", "2"):
        bench.press(key)
        bench.go()
        bench.refuse(sheets=[])
    bench.press("5")
    again = bench.page.get_by_text("Open it again")
    for item, tone in (("id-a", "1"), ("id-b", "2")):
        again.first.click()
        assert bench.item == item and bench.mine("tone") == [tone]
    bench.go()
    assert bench.item == "id-c" and bench.mine("tone") == ["5"]


def test_a_refused_change_is_opened_on_the_answer_that_it_changed(bench: Bench) -> None:
    bench.sit(answered(response("a"), "v1", {"tone": 1, "fit": 2}), response("b"), response("c"))
    bench.press("5")
    bench.go()
    bench.refuse(sheets=[])
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-a" and bench.mine("tone") == ["5"] and "1 changed since it was saved" in bench.sum()
    bench.go()
    assert bench.waiting()[0]["version"] == "v1" and values(bench.waiting()[0])["tone"] == 5


def test_an_answer_of_another_tab_that_is_refused_opens_its_item_as_it_stands(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.tell(refused=[{"key": "elsewhere", "item": "id-b", "why": "Your claim on it has run out."}])
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-b" and bench.mine("tone") == [] and not bench.page.locator(".toast").count()


def test_an_item_that_waits_while_another_one_is_looked_at_is_opened_again_too(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.ack(sheets=[])
    bench.press("4", "b")
    bench.tell(refused=[{"key": "elsewhere", "item": "id-b", "why": "Your claim on it has run out."}], sheets=[])
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-b" and bench.mine("tone") == ["4"] and not bench.page.locator(".toast").count()


@pytest.mark.parametrize("more", [{}, {"sheets": []}], ids=["sent again", "held here"])
def test_what_was_not_on_screen_in_a_refused_answer_is_no_answer_of_the_person(bench: Bench, more: Json) -> None:
    long = fakes.dialogue("a", title="Long")
    bench.page.set_viewport_size({"width": 1440, "height": 420})
    bench.sit(long, response("b"))
    bench.press("3")
    bench.go()
    bench.go()
    lost = bench.refuse(**more)
    bench.page.set_viewport_size(SIZE)
    assert [v["dimension"] for v in lost["values"] if v["unit"] == "conversation" and v.get("unseen")] != []
    bench.page.get_by_text("Open it again").click()
    assert bench.mine("verdict") == [], "it was accepted without having been looked at"
    assert bench.page.locator(".cell[data-unit='turn:1'] .mine").first.inner_text() == "3"


def test_a_refused_answer_is_held_until_its_item_has_been_fetched_and_is_filled_in_then(bench: Bench) -> None:
    given = [{"unit": "response", "dimension": "tone", "v": 3}]
    bench.page.evaluate(KEPT, [bench.person, [{"key": "k1", "item": "id-x", "action": "save", "values": given}]])
    bench.sit(response("b"), response("c"))
    bench.refuse()
    again = bench.page.get_by_text("Open it again")
    again.click()
    assert bench.hint() == "Fetching it …" and bench.item == "id-b"
    bench.go()  # the person does not wait for it
    bench.ack()
    assert bench.item == "id-c" and again.count() == 1
    again.click()
    bench.wait(50)
    assert bench.messages()[-1]["want"] is None and again.count() == 1, "it could not be fetched"
    again.click()
    bench.tell(sheets=[response("x")])
    assert bench.item == "id-x" and again.count() == 0
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == [] and "1 changed" in bench.sum()
    bench.go()
    assert bench.item == "id-c" and values(bench.waiting()[0]) == {"tone": 3, "fit": 2}


def test_what_cannot_be_fetched_is_said(bench: Bench) -> None:
    bench.sit(response("b"))
    bench.page.evaluate(KEPT, [bench.person, [{"key": "k1", "item": "id-x"}]])
    bench.open()
    bench.sit(response("b"))
    bench.refuse()
    bench.page.get_by_text("Open it again").click()
    assert bench.hint() == "Fetching it …" and bench.item == "id-b"
    bench.wait(24)
    assert bench.messages()[-1]["want"] == {"item": "id-x", "reveal": False}
    bench.wait(25)
    assert bench.messages()[-1]["want"] is None
    bench.tell(sheets=[response("x")])
    assert bench.item == "id-b", "it came too late to be put before what is worked at"


# -- which item is shown ----------------------------------------------------------------------------------------------


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
    bench.sit(answered(response("a"), "v1", {"tone": 1}))
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
    for key, written in (("m", ""), ("m", ""), ("x", "x"), ("x", "xx")):
        keys.down(key)
        assert bench.page.locator(".editor textarea, .editor input").input_value() == written
    keys.up("m")
    keys.up("x")


def test_from_an_item_of_before_one_comes_back_to_an_empty_queue_too(bench: Bench) -> None:
    bench.sit(response("a"), empty={"title": "The queue is empty", "text": "Nothing waits."})
    bench.press("3")
    bench.go()
    for keys in (["Escape"], ["Control+Enter"], ["5", "Control+Enter"]):
        assert bench.text(".idle h2") == "The queue is empty" and bench.item == ""
        bench.press("b")
        assert bench.item == "id-a"
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
    bench.page.evaluate(PRESSED, [202, "Enter", True])
    assert bench.item == "id-n202"
    bench.page.evaluate(PRESSED, [201, "b", False])
    assert bench.item == "id-n2" and bench.hint() == "This is the first item of this session."


def test_an_item_that_comes_anew_takes_nothing_from_the_person(bench: Bench) -> None:
    first, second = response("a"), response("b")
    bench.sit(first, second)
    bench.press("3", "i")
    bench.page.keyboard.type("half")
    newer = answered(response("a"), "v1", {"tone": 1, "fit": 5})
    bench.tell(sheets=[newer])
    assert bench.item == "id-a" and bench.here == "fit"
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == ["5"], "what was changed here stays on top of it"
    assert bench.hint() == "This item has a newer saved answer. What you changed here is kept, on top of it."
    assert bench.page.locator(".editor input").input_value() == "half"
    bench.page.keyboard.type(" done")
    bench.press("Enter")
    bench.tell(sheets=[answered(response("b"), "v2", {"tone": 2})])
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
    newer = answered(response("a"), "v1", {"tone": 3})
    newer["rows"][0]["groups"][0]["cells"].pop()
    bench.tell(sheets=[newer])
    assert bench.here == "tone" and bench.mine("tone") == ["3"] and bench.cell("fit").count() == 0


def test_a_line_that_is_still_written_is_in_no_draft_when_the_item_comes_anew(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("m")
    bench.page.keyboard.type("not yet")
    bench.tell(sheets=[answered(response("a"), "v1", {"tone": 1})])
    bench.painted()
    assert bench.page.locator(".editor input").input_value() == "not yet"
    assert bench.stored("draft") == [] and bench.page.locator(".mynote").count() == 0


def test_of_an_item_that_comes_anew_with_another_scale_only_its_answers_are_taken(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("5", "3")
    newer = answered(response("a"), "v1", {})
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
    bench.tell(sheets=[answered(fakes.dialogue("a"), "v1", {"safety": 1})])
    assert bench.page.locator(".editor input").get_attribute("aria-label") == "issue, turn 1"
    bench.page.locator("[data-do=keepeditor]").click()
    assert "half" in bench.page.locator(".row[data-row='0'] .mynote").inner_text()


def test_what_was_saved_before_gives_way_to_what_was_saved_since(bench: Bench) -> None:
    bench.sit(answered(response("a"), "v1", {"tone": 1, "fit": 1}), response("b"))
    bench.press("j", "3")
    bench.tell(sheets=[answered(response("a"), "v2", {"tone": 5, "fit": 5})])
    assert bench.mine("tone") == ["5"] and bench.mine("fit") == ["3"]
    assert "1 changed since it was saved" in bench.sum()


def test_an_item_that_comes_anew_stays_where_it_was_scrolled_to(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 500})
    bench.sit(fakes.dialogue("a"), response("b"))
    bench.press("]", "]")
    place = bench.page.evaluate("scrollY")
    bench.tell(sheets=[answered(fakes.dialogue("a"), "v1", {"safety": 1})])
    assert bench.mine("safety") == ["1"] and bench.page.evaluate("scrollY") == place > 0


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


def test_the_next_item_begins_below_the_bar_that_lies_over_the_page(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), fakes.dialogue("b"))
    bench.page.evaluate(BAR)
    bench.press("]", "]", "]", "s", "1", "Enter")
    assert bench.item == "id-b"
    assert bench.page.evaluate("shadow.querySelector('.sheet').getBoundingClientRect().top") == 60 + 8


def test_notes_come_anew_with_the_item_until_the_person_changes_them(bench: Bench) -> None:
    said = bench.page.locator(".mynote .prose")
    bench.sit(answered(response("a"), "v1", {"tone": 1}), response("b"))
    bench.tell(sheets=[answered(response("a"), "v2", {"tone": 1}, comments=[{"text": "from another tab"}])])
    assert said.all_inner_texts() == ["from another tab"] and "nothing changed since" in bench.sum()
    bench.press("m")
    bench.page.keyboard.type("mine")
    bench.press("Enter")
    bench.tell(sheets=[answered(response("a"), "v3", {"tone": 1})])
    assert "mine" in said.all_inner_texts() and "notes changed since it was saved" in bench.sum()


def test_a_better_text_that_is_written_while_the_item_comes_anew_stays_open(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("e")
    bench.page.keyboard.type(" More.")
    bench.tell(sheets=[answered(response("a"), "v1", {"tone": 1})])
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
    bench.sit(hidden("a"), hidden("b"), response("c"))
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
    shown = answered(response("a"), first["key"], {"tone": 4, "fit": 4}, mode="revealed", again=True)
    bench.tell(sheets=[hidden("a")])
    assert bench.page.locator(".cell .step.judge").count() == 0, "not what was asked for"
    bench.tell(sheets=[shown])
    assert bench.page.locator(".cell .step.judge").count() == 2 and bench.hint() == ""
    assert bench.page.locator(".why.shown").inner_text() == (
        "the judge is shown: 1 agree, 1 differs (1 by more); changes from here count as revealed")  # fmt: skip
    assert [c.get_attribute("data-dimension") for c in bench.page.locator(".cell.differs").all()] == ["fit"]
    assert bench.messages()[-1]["want"] == {"item": "id-a", "reveal": True}
    bench.wait(30)
    assert len([m for m in bench.messages() if m["want"]]) == 1, "it is not asked for again"
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
    shown = []
    for _ in range(4):
        bench.go()
        shown.append(bench.item)
    assert shown == ["id-e", "id-a", "id-b", ""]
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
    bench.tell(sheets=[answered(response("a"), answer["key"], {"tone": 3, "fit": 5}, again=True)])
    bench.press("b")
    assert bench.item == "id-a" and bench.mine("fit") == ["5"]
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
    found = bench.page.evaluate("places")
    assert len(found) <= 3 and found[-1] == "?item=id-e", found
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


# -- keys -------------------------------------------------------------------------------------------------------------


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
    said = []
    for key in ("0", "0", "4", "2", "1"):
        said.append("".join(bench.text(".foot .keys").split("↑")[0].split()))
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
    said.append("".join(bench.text(".foot .keys").split("↑")[0].split()))
    assert bench.here == "half"
    bench.press("3", ".")
    bench.wait(0.1)
    bench.press("5")
    assert bench.mine("half") == ["3.5"]
    bench.press("3", ".", "7")
    assert bench.hint() == "half has no 3.7: it goes from 1 to 5."
    bench.press("3")
    bench.wait(1.6)
    bench.press(".", "5")
    assert bench.mine("half") == ["5"], "too late for a point: a digit of its own"
    bench.press("4", "k", ".")
    assert bench.here == "turn", "another key came between"
    bench.press("j")
    bench.press("k", "k", "k", "k", "n")
    assert bench.mine("naught") == ["na"]
    assert said == ["1–9,0=10", "1–9,0=10·nn/a", "1–4answer", "1no2yes", "1–9turn,0none", "1–5score"]


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
    scales = {"twenty": (0, 20), "signed": (-3, 3), "both": (-10, 10), "teens": (11, 19), "below": (-5, -1)}
    cells = [
        fakes.cell("response", name, lo, kind="interval", steps=[{"v": n, "t": str(n)} for n in range(lo, hi + 1)])
        for name, (lo, hi) in scales.items()
    ]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    said = []
    for _ in scales:
        said.append("".join(bench.text(".foot .keys").split("↑")[0].split()))
        bench.press("j")
    assert said == ["1–9,0=10,←→all", "0–3score,←→all", "1–9,0=10,←→all", "←→score", "←→score"]


def test_naught_is_an_answer_where_the_scale_has_no_ten(bench: Bench) -> None:
    cells = [fakes.cell("response", "low", 2, steps=[{"v": n, "t": str(n)} for n in range(5)])]
    bench.sit(fakes.item("a", "a", "response", [fakes.row("response", "response", [], [("", cells)])], why=[]))
    bench.press("0")
    assert bench.mine("low") == ["0"]


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
    bench.press("Backspace", "Backspace", "Backspace", "7", "1", "q", "Z", "j")
    assert field.get_attribute("aria-invalid") is None
    assert field.input_value() == "71" and bench.here == "style"
    bench.press("k", "6", "j")
    assert field.input_value() == "6"
    for name, enter in (("b", field.click), ("c", lambda: bench.press("j"))):
        bench.sit(answered(fakes.numbers(name), "v1", {"adequacy_of_the_whole_answer": 62.5}), place=name)
        enter()
        bench.press("5", "j")
        assert field.input_value() == "5" and bench.here == "style"


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
    bench.press("s", "ArrowDown", "ArrowDown", " ", "Enter")
    bench.ack()
    said = [(a["item"], a["reason"]) for m in bench.messages() for a in m["answers"]]
    assert dict(said) == {
        "id-a": "5", "id-b": "the text is broken or empty", "id-c": "I do not know this subject: really",
        "id-d": "I do not know this subject",
    }  # fmt: skip
    assert all(not a["values"] and a["action"] == "skip" for m in bench.messages() for a in m["answers"])
    bench.press("b")
    assert bench.item == "id-d" and bench.mine("tone") == [] and "left as the judge has them" in bench.sum()
    bench.go()
    assert bench.messages()[-1]["answers"][-1]["action"] == "save"


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
    assert bench.cell("fit").locator(".sure").inner_text().split() == ["breaks", "a", "rule"]
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
    several, one = sheet["rows"][:2]
    parts = [fakes.row("section", "section", [], [("A", [fakes.cell("section:9/a", "depth", 3)]),
                       ("B", [fakes.cell("section:9/b", name, 3) for name in ("depth", "style")])])]  # fmt: skip
    sheet["rows"][3:3] = parts
    for row in (several, one):
        row["groups"][0] = {**row["groups"][0], "cells": []}
    one["columns"] = 1
    bench.sit(sheet)
    drawn = [bench.page.locator(".row.section").nth(n).locator(".group") for n in range(3)]
    assert [groups.count() for groups in drawn] == [2, 1, 2]
    same = bench.page.locator(".row.section").evaluate_all("rows => rows.map(row => row.classList.contains('same'))")
    assert same == [False, False, True, False], "only where both are asked the same"
    empty, _, full = [groups.nth(groups.count() - 1).bounding_box() for groups in drawn]
    assert empty["x"] == full["x"]


def test_the_header_names_the_judges_and_what_sort_of_item_it_is(bench: Bench) -> None:
    named = (("openai/gpt-4o", "Multi", "1"), ("x/qwen", "Plain", "2"))
    two = [{"model": model, "card": card, "version": version} for model, card, version in named]
    bench.sit(
        response("a", judges=two, synthetic=True, systems=["x", "y"]),
        response("b", judges=[{**j, "model": "x/qwen"} for j in two], stream="audit"),
        hidden("c", unnamed=True, judges=two), hidden("d"),
        {**response("e"), "name": "Title of e"}, {**response("f"), "title": ""},
    )  # fmt: skip
    found, titles = [], []
    for _ in "abcdef":
        found.append((bench.text(".meta"), [why.inner_text() for why in bench.page.locator(".why").all()]))
        titles.append(bench.text("h1"))
        bench.press("s", "1", "Enter")
    assert titles == [*(f"Title of {name}" for name in "abcde"), "f"]
    assert [meta.split(" · judge")[0] for meta, _ in found[4:]] == ["support-dialogues · model-x"] * 2, "named once"
    assert found[:4] == [
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


# -- the keyboard's focus and the mouse -------------------------------------------------------------------------------

FOCUS = "[shadow.activeElement?.dataset.v, shadow.activeElement?.tagName]"


def test_the_focus_is_on_the_value_that_holds_and_stays_there_when_the_mouse_is_used(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    assert bench.page.evaluate(FOCUS) == ["4", "SPAN"], "the judge's"
    bench.press("3", "k")
    assert bench.page.evaluate(FOCUS) == ["3", "SPAN"], "the person's"
    assert bench.cell("tone").locator('[tabindex="0"]').all_inner_texts() == ["3"]
    bench.page.locator("[data-do=whole]").click()
    assert bench.page.evaluate(FOCUS) == ["3", "SPAN"], "no button takes it"
    bench.press("s", "ArrowDown", "Escape")
    assert bench.page.evaluate(FOCUS) == ["3", "SPAN"], "it comes back from a reason in the menu"
    bench.press("Enter")
    assert bench.here == "fit"
    bench.page.evaluate("() => addEventListener('mousedown', e => { window.kept = !e.defaultPrevented })")
    bench.page.locator(".formatted").click()
    assert bench.page.evaluate("kept"), "a text can be selected"


def test_a_link_beside_the_desk_keeps_only_what_presses_it_and_only_by_the_keyboard(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.page.evaluate("document.body.prepend(Object.assign(document.createElement('a'), {href: '#x', text: 'link'}))")
    link = bench.page.locator("a")
    link.click()
    assert bench.page.evaluate("document.activeElement.tagName") == "A"
    bench.press("Enter")
    assert bench.mine("tone") == ["4"] and bench.here == "fit"
    bench.press("Tab")
    link.focus()
    bench.press("Enter")
    assert bench.mine("fit") == []
    bench.press("3", "Enter")
    assert bench.mine("fit") == ["3"] and bench.page.evaluate(FOCUS) == ["3", "SPAN"]
    assert bench.hint().startswith("That was the last one"), "the keys are the desk's again"


def test_enter_presses_a_button_of_the_desk_that_the_keyboard_went_to(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.page.locator("[data-do=skip]").focus()
    bench.press("Enter")
    assert bench.page.locator(".menu").count() == 1 and bench.mine("tone") == []


def test_a_link_that_has_the_focus_by_itself_takes_no_enter(bench: Bench) -> None:
    """As after a change of page by the menu, where no key and no mouse has gone to it here."""
    bench.sit(response("a"))
    link = "Object.assign(document.createElement('a'), {href: '#x'})"
    bench.page.evaluate(f"document.body.appendChild({link}).focus()")
    bench.press("Enter")
    assert bench.mine("tone") == ["4"]


def test_what_is_typed_into_a_field_beside_the_desk_is_no_answer(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.page.evaluate("document.body.prepend(document.createElement('input'))")
    field = bench.page.locator("body > input")
    field.focus()
    bench.press("5", "j")
    assert field.input_value() == "5j" and bench.mine("tone") == [] and bench.here == "tone"
    bench.page.evaluate("""() => {
      const sheet = Object.assign(document.createElement("div"), {className: "sheet", tabIndex: -1});
      window.shadow = document.body.appendChild(document.createElement("div")).attachShadow({mode: "open"});
      shadow.append(sheet);
      tell({});
    }""")
    assert bench.page.evaluate("document.activeElement.tagName") == "INPUT", "the desk takes the focus of links only"


def test_a_window_that_lies_open_beside_the_desk_takes_no_key_of_who_is_at_the_desk(bench: Bench) -> None:
    bench.sit(response("a"))
    window = "Object.assign(document.createElement('p'), {role: 'dialog', innerText: 'x'})"
    bench.page.evaluate(f"document.body.append({window})")
    assert bench.page.evaluate("document.activeElement.shadowRoot !== null")
    bench.press("3")
    assert bench.mine("tone") == ["3"]
    bench.page.locator(".row").click()
    bench.painted()
    assert not bench.page.locator(".sheet[data-away]").count()
    bench.page.evaluate("document.activeElement.blur()")
    bench.press("Shift")
    bench.painted()
    assert bench.page.locator(".sheet[data-away]").count() == 1, "it looks as if it had no keys, and has none"
    bench.press("3")
    assert bench.mine("fit") == [], "it is for the window"
    bench.page.evaluate("document.querySelector('[role=dialog]').remove()")
    bench.press("Shift")
    bench.painted()
    assert not bench.page.locator(".sheet[data-away]").count(), "the key that has closed the window was not the desk's"


def test_keys_of_the_desk_are_seen_by_nothing_else_and_all_others_are(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.page.evaluate("() => { window.heard = []; addEventListener('keydown', e => heard.push(e.key)) }")
    bench.press("3", "j", "q", "Control+c", "u", "i")
    bench.page.keyboard.type("r")
    bench.press("Escape", "s", "Escape", "z")
    assert bench.page.evaluate("heard") == ["q", "Control", "c", "z"]
    bench.press("F2", "Control+Enter")
    assert bench.item == "id-b" and bench.page.evaluate("heard.slice(4)") == ["F2", "Control"]
    bench.go()
    bench.press("r", "3", "Escape", "c")
    assert bench.item == "" and bench.page.evaluate("heard.slice(6)") == ["Control", "Escape", "c"], "with no item, too"


def test_a_key_that_was_let_go_is_held_no_more(bench: Bench) -> None:
    """Enter held in a field beside the desk that closes: the repeats come to the desk."""
    bench.sit(response("a"), response("b"))
    bench.press("Enter")
    assert bench.mine("tone") == ["4"]
    repeated = """key => shadow.querySelector(".sheet").dispatchEvent(
        new KeyboardEvent("keydown", {key, repeat: true, bubbles: true, composed: true, cancelable: true}))"""
    assert not bench.page.evaluate(repeated, "Enter"), "it presses nothing that has the focus"
    assert bench.page.evaluate(repeated, "PageDown"), "which goes on to scroll"
    assert bench.mine("fit") == []


def test_tab_goes_round_inside_a_dialog_both_ways(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("s")
    stops = "[...shadow.querySelectorAll('.menu :is(button, input)')].filter(e => e.tabIndex >= 0 && e.offsetWidth)"
    count, places = bench.page.evaluate(f"{stops}.length"), []
    for key in (*["Tab"] * count, *["Shift+Tab"] * count):
        places.append(bench.page.evaluate(f"{stops}.indexOf(shadow.activeElement)"))
        bench.press(key)
    first = places[0]
    forth = [(first + n) % count for n in range(count)]
    assert count > 2 and places == [*forth, first, *forth[:0:-1]]


def test_arrows_scroll_a_wide_block_that_the_keyboard_went_to(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["texts"] = [fakes.text("output", "```\n" + "wide " * 300 + "\n```")]
    bench.sit(sheet)
    bench.wait(2)
    bench.page.locator(".md-wide").focus()
    bench.press("ArrowRight")
    assert bench.mine("tone") == []
    bench.press("ArrowDown", "ArrowRight")
    assert bench.here == "fit" and bench.mine("fit") == ["3"]


def test_it_is_dark_where_the_page_is(bench: Bench) -> None:
    dark, light = ("#0a0a78", "#111", "#070", "#b00"), ("#fff", "#ee0", "#0d0")
    for color, theme in {**dict.fromkeys(dark, "dark"), **dict.fromkeys(light, "light")}.items():
        bench.page.evaluate("c => document.body.style.setProperty('--st-background-color', c)", color)
        bench.sit(response("a"))
        assert bench.page.locator(".sheet").get_attribute("data-theme") == theme, color


def test_what_is_opened_before_the_next_item_is_painted_keeps_the_keyboard(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("Control+Enter", "s", "1")
    bench.painted()
    assert bench.item == "id-b" and bench.page.evaluate("shadow.activeElement.closest('.menu') !== null")


def test_a_double_click_is_one_answer_and_a_click_at_once_is_one_too(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcd"))
    button = bench.page.locator("[data-do=go]")
    button.click()
    assert bench.item == "id-b"
    button.dblclick()
    assert bench.item == "id-c"


def test_an_item_that_comes_takes_the_keyboard_from_no_field_and_from_no_list_of_the_desk(bench: Bench) -> None:
    bench.sit()
    bench.page.evaluate("document.body.prepend(document.createElement('input'))")
    bench.page.locator("body > input").focus()
    bench.tell(sheets=[response("a"), response("b")])
    bench.painted()
    assert bench.item == "id-a" and bench.page.evaluate("document.activeElement.tagName") == "INPUT"
    bench.page.locator(".row").click()
    bench.press("s")
    chosen = bench.page.evaluate("shadow.activeElement.className")
    bench.tell(sheets=[answered(response("a"), "v1", {"tone": 1})])
    bench.painted()
    assert bench.page.locator(".menu").count() == 1
    assert bench.page.evaluate("shadow.activeElement.className") == chosen


def test_the_mouse_brings_the_keys_back_from_a_field_and_goes_where_it_clicks(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), response("b"))
    bench.page.evaluate("document.body.prepend(document.createElement('input'))")
    field = bench.page.locator("body > input")
    field.focus()
    cells = bench.page.locator(".cell")
    cells.nth(1).locator(".step").first.click()
    bench.press("j", "k", "2")
    assert field.input_value() == ""
    rows = bench.page.locator(".row:has(.cell)")
    rows.nth(2).locator(".prose").first.click()
    assert "here" in rows.nth(2).get_attribute("class").split()
    cells.nth(0).locator(".step").first.evaluate("e => e.focus()")
    assert cells.nth(0).get_attribute("data-here") is not None, "as when a screen reader goes there"


def test_a_card_closes_by_its_button_or_beside_it_and_not_by_a_click_on_it(bench: Bench) -> None:
    bench.sit(response("a"))
    card = bench.page.locator(".card")
    bench.press("?")
    bench.page.locator(".cardname").first.click()
    assert card.count() == 1
    bench.page.mouse.click(5, 5)
    assert card.count() == 0
    bench.press("?")
    card.get_by_role("button", name="close").click()
    assert card.count() == 0 and bench.page.evaluate(FOCUS)[0] == "4", "the focus is where it was"


def test_a_card_that_is_higher_than_the_page_is_scrolled_by_keys(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 600, "height": 200})
    bench.sit(response("a"))
    bench.press("?")
    places = []
    for key in ("ArrowDown", "PageDown", "ArrowUp", "PageUp"):
        bench.press(key)
        places.append(bench.page.locator(".card").evaluate("e => e.scrollTop"))
    assert places == [60, 460, 400, 0]


def test_what_was_held_in_its_place_is_let_go_when_one_moves_on(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), response("b"))
    held = bench.page.locator('.cells[style*="margin-top"]')
    for _ in range(3):  # a turn whose ratings stand at the end of its text
        bench.press("d", "d")
        if held.count():
            break
        bench.press("]")
    assert held.count() == 1
    bench.press("j")
    assert held.count() == 1, "the same turn"
    bench.press("]")
    assert held.count() == 0


def test_what_is_on_screen_is_measured_above_the_footer_as_high_as_it_is(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    same = """() => { const root = shadow.querySelector(".sheet"), foot = root.querySelector(".foot").offsetHeight;
        return root.desk.eyes.rootMargin.split(" ")[2] === -foot + "px" && foot }"""
    low = bench.page.wait_for_function(same).json_value()
    bench.go()
    bench.refuse()
    bench.page.locator(".toast.refused").wait_for()
    assert bench.page.wait_for_function(f"low => {{ const high = ({same})(); return high > low && high }}", arg=low)


def test_what_the_footer_covers_since_it_has_grown_is_not_on_screen(bench: Bench) -> None:
    seen = """async () => { const {desk} = shadow.querySelector(".sheet"), cell = desk.view.cells.find(c => !c.seen);
        const foot = shadow.querySelector(".foot").getBoundingClientRect(), now = cell.el.getBoundingClientRect();
        const told = () => new Promise(done => new IntersectionObserver(() => done()).observe(cell.el));
        scrollBy(0, now.bottom - foot.top - BELOW);
        await told();
        await told(); // by now the desk's own observer has said what it saw
        return !!cell.seen }"""
    bench.page.set_viewport_size({"width": 1440, "height": 500})
    bench.sit(response("b"), fakes.dialogue("a"))
    bench.go()
    low = bench.page.locator(".foot").bounding_box()["height"]
    bench.refuse()
    higher = bench.page.locator(".foot").bounding_box()["height"] - low
    assert higher > 30
    assert not bench.page.evaluate(seen.replace("BELOW", "cell.el.offsetHeight"))
    assert bench.page.evaluate(seen.replace("BELOW", "0"))


def test_a_judged_text_is_formatted_as_soon_as_it_can_be(bench: Bench) -> None:
    one = response("a")
    one["rows"][0]["texts"][0]["text"] = "It is **bold**, and `code`.\n\n```python\ndef f(): pass\n```"
    bench.sit(one)
    bench.page.locator(".formatted strong").wait_for()
    bench.page.locator(".formatted .hljs-keyword").first.wait_for()
    assert bench.text(".formatted strong") == "bold"


def test_the_next_items_are_made_ready_while_nothing_else_is_to_be_done(bench: Bench) -> None:
    sheets = [response(name) for name in "abcd"]
    for n, sheet in enumerate(sheets):
        sheet["rows"][0]["texts"][0]["text"] = f"**{sheet['item']}**" + " and so on" * 400 * n
    bench.sit(*sheets)
    bench.page.locator(".formatted strong").wait_for()
    bench.go()
    bench.wait(2)
    assert bench.page.evaluate("!!shadow.querySelector('.sheet').desk.queue[0].view.tree"), "the next one is built"
    bench.page.evaluate(PRESSED, [2, "Enter", True])
    bold = bench.page.evaluate("shadow.querySelector('.formatted strong')?.textContent")
    assert bench.item == bold == "id-d", "the one after it is formatted"


def test_a_judges_value_that_is_no_answer_is_never_rounded_unsaid(bench: Bench) -> None:
    """8.4 is taken as 8, which is said; 8.5 is as near to 9 as to 8, so that the person has to choose."""
    sheet = response("a")
    tone, fit = sheet["rows"][0]["groups"][0]["cells"]
    for cell in (tone, fit):
        cell["steps"] = [{"v": n, "t": str(n)} for n in range(1, 11)]
    tone["judge"].update(v=9, exact="8.5", between={"v": 8.5, "near": [8, 9]}, samples=["8.5"])
    fit["judge"].update(v=8, exact="8.4", between=None, samples=["8.3", "8.5"])
    bench.sit(sheet, response("b"))
    assert [one.get_attribute("title") for one in bench.page.locator(".sure").all()] == [
        "the judge says 8.5; both answers beside it are marked: choose one",
        "its samples came to 8.4; the nearest answer is marked"]  # fmt: skip
    assert bench.cell("tone").locator(".judge").all_inner_texts() == ["8", "9"]
    assert bench.cell("tone").get_attribute("aria-label").startswith("tone, response; judge 8.5")
    assert "1 left as the judge has them" in bench.sum() and "1 without an answer" in bench.sum()
    bench.press("Enter")
    assert bench.mine("tone") == [] and bench.here == "tone"
    assert bench.hint() == "The judge's 8.5 lies between two of your answers: choose one."
    bench.go()
    assert bench.item == "id-a" and "1 rating has no answer yet" in bench.sum()
    bench.press("8", "Enter")
    assert bench.mine("tone") == ["8"] and bench.mine("fit") == ["8"]
    assert not bench.page.locator(".cell .changed").count()
    assert bench.hint().startswith("8 is the answer nearest to the judge's 8.4. That was the last one")
    assert "1 accepted" in bench.sum() and "1 answered" in bench.sum()
    bench.go()
    [answer] = bench.waiting()
    assert [(v["v"], v["seen"]) for v in answer["values"]] == [(8, 8.5), (8, 8)]


def test_what_belongs_to_both_of_two_texts_stands_across_them_and_a_long_input_scrolls_by_keys(bench: Bench) -> None:
    sheet = fakes.pair()
    sheet["rows"][0]["texts"].append(fakes.text("reference", "As it should be."))
    talk = [{"role": role, "text": f"says the {role}"} for role in ("system", "user", "assistant")]
    sheet["head"].append({"label": "Input", "text": "", "fold": False, "turns": talk})
    bench.sit(sheet)
    assert bench.page.locator(".head .talk .label").all_inner_texts() == ["system", "user", "assistant"]
    assert bench.page.locator(".item.long").count() == 1
    first = bench.page.locator(".cols").first
    assert first.locator(".label").all_inner_texts() == ["A · model-x", "B · model-y", "reference"]
    assert [one.get_attribute("data-role") for one in bench.page.locator(".cols .both").all()] == ["reference"]
    clip = bench.page.locator(".head .clip")
    assert [clip.get_attribute(one) for one in ("role", "aria-label", "tabindex")] == ["group", "Input", "0"]
    bench.press("Tab")
    clip.focus()
    here = bench.here
    bench.press("ArrowDown")
    assert bench.here == here, "who came to it by the keyboard scrolls it"
    bench.press("j", "k", "2")
    assert len(bench.page.locator('.step[aria-checked="true"]').all()) == 1, "all other keys rate from there too"
    bench.press("u")
    clip.click()
    bench.press("ArrowDown")
    assert bench.here != here, "who clicked into it is still at the scores"


BOXES = """() => [...shadow.querySelectorAll(".cell .step")].map(
  box => ({text: box.textContent, width: box.offsetWidth, needed: box.scrollWidth + 2}))"""


def test_texts_of_no_turn_say_what_they_are(bench: Bench) -> None:
    texts = [fakes.text("system", "Be brief."), fakes.text("output", "Yes."), fakes.text("reference", "Yes or no.")]
    row = fakes.row("response", "response", texts, [("", [fakes.cell("response", "tone", 4)])])
    bench.sit({**fakes.item("a", "Title", "response", [row]), "why": []})
    labels = [
        (text.get_attribute("data-role"), text.locator(".label").all_inner_texts())
        for text in bench.page.locator(".row .text").all()
    ]
    assert labels == [("system", ["system"]), ("output", []), ("reference", ["reference"])]


def test_whoever_says_nothing_has_a_sentence_that_says_so(bench: Bench) -> None:
    said = [("", " "), ("\n\n", "ok")]
    output = fakes.row("response", "response", [fakes.text("output", "")], [("", [fakes.cell("response", "tone", 4)])])
    bench.sit(fakes.item("a", "", "dialogue", [*fakes.turns(said), output]))
    silent = [f"The {who} says nothing here." for who in ("user", "assistant", "user", "response")]
    assert bench.page.locator(".row .absent").all_inner_texts() == silent


def test_every_answer_of_a_scale_fits_into_its_box(bench: Bench) -> None:
    named = [{"v": n, "t": t} for n, t in enumerate(("not at all helpful", "とても役に立つ", "yes", "良い"))]
    numbers = fakes.numbers("a")
    numbers["rows"][0]["groups"][0]["cells"].append(fakes.cell("response", "named", 1, kind="nominal", steps=named))
    bench.sit(numbers)
    boxes = bench.page.evaluate(BOXES)
    assert {"3.5", "n/a", "yes", "とても役に立つ", "良い"} <= {box["text"] for box in boxes}
    assert [box for box in boxes if box["needed"] > box["width"]] == []
    assert len({box["width"] for box in boxes if re.fullmatch(r"\d(\.5)?", box["text"])}) <= 2, "points and half points"


# -- what is folded away ----------------------------------------------------------------------------------------------


def test_thinking_references_and_what_judges_wrote_are_built_once_they_are_opened(bench: Bench) -> None:
    bench.sit(fakes.thought())
    whole = bench.page.locator(".body")
    assert all(word not in whole.inner_text() for word in ("REST", "SAID six", "SAID seven"))
    assert bench.page.locator(".folded .clip").count() == 0, "what is folded is not even built"
    lines = [line.inner_text().split("\n") for line in bench.page.locator(".think summary").all()]
    assert lines[0][0] == "thinking" and lines[0][1].endswith("characters") and lines[0][2].startswith("THOUGHT")
    assert lines[1][0] == "<think> is never closed"
    assert bench.text(".mark") == "cut at 8,192 characters by the protocol"
    said = bench.page.locator('.text[data-role="assistant"] > .prose')
    assert [one.inner_text() for one in said.all()] == ["The answer."], "of what is said between, only that"
    assert bench.text(".notice") == "Turn 1 was never asked." and " · choice 3" in bench.text(".meta")
    bench.press("t")
    assert bench.text(".think:not(.odd) .clip strong") == "one" and bench.page.locator(".think[open]").count() == 2
    assert "onerror" in bench.text(".think.odd .clip") and bench.page.locator(".body img").count() == 0
    bench.press("t", "r")
    assert bench.page.locator(".folded[open]").count() == 1 and "REFERENCE" in bench.text(".reference .clip")
    bench.press("r", "o")
    bench.page.locator(".judgment .clip").nth(2).wait_for()
    told = [re.split(r"\n+", one.inner_text()) for one in bench.page.locator(".judgment").all()]
    assert told[0] == ["8", "gpt-4o", "single-v1", "SAID eight"]
    assert told[1] == ["6.5", "gpt-4.1", "single-v1", "rated 6", "SAID six", "rated 7", "SAID seven"]
    assert told[2][:2] == ["–", "o3"] and told[2][-2:] == ["no rating: no [[rating]]", "This judge wrote no text."]
    bench.press("o")
    bench.page.locator(".judgment summary").nth(1).click()
    assert bench.page.locator(".judgment[open]").count() == 1
    bench.press("9")
    assert bench.mine("rating") == ["9"], "the keys go on rating after a click"
    bench.press("e")
    assert bench.page.locator(".editor textarea").input_value() == "The **answer**.", "no thinking in what is repaired"


def test_a_judge_without_a_text_is_given_nobody_elses(bench: Bench) -> None:
    sheet = fakes.thought()
    silent = {"judge": "o4", "prompt": "single-v1", "t": "7", "texts": [{"text": None, "t": "", "why": ""}]}
    sheet["rows"][0]["judgments"].append(silent)
    bench.sit(sheet)
    bench.press("o")
    last = bench.page.locator(".judgment").last
    last.locator(".clip").wait_for()
    assert re.split(r"\n+", last.inner_text()) == ["7", "o4", "single-v1", "This judge wrote no text."]


def test_of_a_blind_item_no_judgment_is_drawn_even_if_one_is_given(bench: Bench) -> None:
    bench.sit(fakes.thought(mode="blind"))
    assert bench.page.locator(".judgments, .step.judge, .step.other").count() == 0
    bench.press("o")
    assert bench.hint() == "No other judge is shown here."


# -- all that is drawn ------------------------------------------------------------------------------------------------

DRAWN = """async () => {
  for (let n = 0; n < 3; n++) // what was opened is filled in a task of its own
    await new Promise((done) => {
      const line = new MessageChannel();
      line.port1.onmessage = done;
      line.port2.postMessage(0);
    });
  const lines = [], short = (text) => JSON.stringify(text.length > 70 ? text.slice(0, 60) + "…" + text.length : text);
  const walk = (node, depth) => {
    for (const child of node.childNodes) {
      const add = (line) => lines.push(" ".repeat(depth) + line);
      if (child.nodeType === 3 && child.nodeValue.trim()) add(short(child.nodeValue));
      if (child.nodeType !== 1 || child.tagName === "STYLE") continue;
      const attributes = [...child.attributes].filter((one) => one.name !== "style");
      const told = attributes.map((one) => ` ${one.name}=${one.value}`);
      if (/^(INPUT|TEXTAREA)$/.test(child.tagName)) told.push(" " + short(child.value));
      if (child === shadow.activeElement) told.push(" <- focus");
      const alone = child.childNodes.length === 1 && child.firstChild.nodeType === 3;
      add(child.tagName.toLowerCase() + told.join("") + (alone ? " " + short(child.textContent) : ""));
      if (!alone) walk(child, depth + 1);
    }
  };
  walk(shadow, 0);
  return {lines, messages: messages.splice(0)};
}"""
SOME_KEYS = "] Enter d x l t r o y s 2 Escape Control+Enter b Escape"
EVERY_KEY = (
    "ArrowDown ArrowUp 9 3 0 u w n u ArrowRight ArrowRight ArrowLeft Enter j j k ] ] [ d Escape x x l l t t r r o o y "
    "g h Escape ? Escape i 'so' Enter e ' so' Control+Enter m 'so 2' Enter m Escape s 2 Escape v "
    "Control+Enter Control+Enter b u 1 Control+Enter b s 'because' Enter"
)


_HEADS = ("--", "++", "@@")
"""How lines of a comparison begin that are of no text."""


def drawn_by_keys(bench: Bench, keys: str) -> Iterator[str]:
    """What is drawn, and after each key what is drawn otherwise than when the item was last there; what was sent."""
    last = dict[str, list[str]]()
    for key in ["", *re.findall(r"'[^']+'|\S+", keys)]:
        if key.startswith("'"):
            bench.page.keyboard.type(key.strip("'"))
        elif key:
            bench.press(key)
        bench.painted()
        found, item = bench.page.evaluate(DRAWN), bench.item
        yield f"-- {key} {item}".rstrip()
        before = last.get(item, [])
        changed = [line for line in unified_diff(before, found["lines"], n=0, lineterm="") if line[:2] not in _HEADS]
        yield from (line for line in changed if line[0] == "+")
        if gone := sum(line[0] == "-" for line in changed):
            yield f"- {gone}"
        for message in found["messages"]:
            del message["clock"], message["nonce"]
            yield json.dumps(message, ensure_ascii=False)
        last[item] = found["lines"]


def test_every_key_draws_and_sends_what_it_drew_and_sent(bench: Bench, tmp_path: Path) -> None:
    """On items of every kind, which are seen as a whole: where what is drawn lies on the screen decides nothing."""
    given = response("given", comments=[{"unit": "response", "sort": "issue", "text": "wrong date"}])
    told, some, every = [], SOME_KEYS, EVERY_KEY
    bench.page.set_viewport_size({"width": 1440, "height": 6000})
    for sheet, keys in (
        (fakes.dialogue(), every), (fakes.thought(), every), (fakes.numbers(), every), (hidden("hidden"), every),
        (answered(given, "v1", {"fit": 3}), every), (fakes.pair(size=200, long_input=900), some),
        (fakes.japanese(), some), (fakes.tools(), some), (fakes.bench(), some),
    ):  # fmt: skip
        told.append(f"== {sheet['name']}")
        bench.sit(sheet, response("next"), person=str(sheet["name"]))
        told += drawn_by_keys(bench, keys)
    said = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}", "(key)", "\n".join([*told, ""]))
    compare_archive(said, Path(__file__).with_name("drawn.txt"), tmp_path)
