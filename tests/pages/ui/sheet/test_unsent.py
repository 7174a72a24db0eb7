"""What a page sends of what was answered or decided on another page, and for how long: its script on an empty page."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pages.ui.sheet import COMPONENT_FOLDER, TEXTS, bundle_scripts, join_files
from tests.pages.ui.sheet.bed import ORIGIN, answer_all
from tests.pages.ui.sheet.bench import BEGIN, Json

BED = """<!doctype html><meta charset="utf-8"><body><script type="module">
import begin from "/unsent.js";
Object.assign(window, {sent: []});
const setStateValue = (name, value) => sent.push({name, ...structuredClone(value), clock: performance.now()});
window.tell = data => { window.off?.(); window.off = begin({data, setStateValue}) };
window.ready = true;
</script>"""
TEXT = """<!doctype html><body style="background: BACK"><main><div class="sheet" style="background: BACK"></div></main>
<script type="module">
import draw from "/text.js";
const parentElement = document.querySelector("main");
window.tell = data => draw({data, parentElement});
window.lost = () => draw({data: {text: "a"}, parentElement: document.createElement("p")});
window.ready = true;
</script>"""


@pytest.fixture
def blank(chromium: Any) -> Iterator[Any]:
    """A tab of its own, whose clock stands still until it is turned."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.clock.install(time=BEGIN)
        page.clock.pause_at(BEGIN + 1)
        yield page


@pytest.fixture
def page(blank: Any) -> Any:
    """An empty page with the script, of which `tell` is the call."""
    answer_all(blank, BED, "/unsent.js", join_files(COMPONENT_FOLDER, "kept.js", "unsent.js"))
    blank.goto(ORIGIN)
    blank.wait_for_function("window.ready")
    return blank


def keep(page: Any, *keys: str, person: str = "ann") -> None:
    """Keep an answer, or (where its key begins with an x) an act of the adjudication."""
    for at, key in enumerate(keys):
        act = {"person": person, "dataset": "d", "place": "p", "at": at, "act": {"key": key, "action": "accept"}}
        answer = {"person": person, "key": key, "item": "i", "version": "", "action": "save", "values": [], "notes": []}
        sort, record = ("act", act) if key.startswith("x") else ("answer", answer)
        page.evaluate("([k, v]) => localStorage.setItem(k, v)", [f"assay:{sort}:{person}:{key}", json.dumps(record)])


def tell(page: Any, seconds: float = 0.01, **data: Any) -> None:
    """Data from the server, and so many seconds after it."""
    state = {"person": "ann", "sorts": ["answers", "acts"], "saved": [], "refused": [], **data}
    page.evaluate("data => tell(data)", state)
    page.clock.run_for(round(seconds * 1000))


def sent_keys(page: Any) -> list[tuple[list[str], list[str]]]:
    """The keys of the answers and of the acts of each message."""
    return [
        ([entry["key"] for entry in m.get("answers", [])], [entry["key"] for entry in m.get("acts", [])])
        for m in page.evaluate("sent")
    ]


def stored_keys(page: Any) -> list[str]:
    return sorted(key.split(":")[-1] for key in page.evaluate("Object.keys(localStorage)"))


def test_what_is_kept_is_sent_at_once_until_the_server_has_it(page: Any) -> None:
    keep(page, "a", "b", "x1", "x2")
    keep(page, "other", person="bea")
    tell(page)
    assert sent_keys(page) == [(["a", "b"], ["x1", "x2"])]
    [message] = page.evaluate("sent")
    assert message["name"] == "outbox" and message["nonce"] == pytest.approx(BEGIN * 1000 + 1000, abs=1000)
    tell(page, saved=["a", "x1"])
    assert sent_keys(page)[1:] == [(["b"], ["x2"])], "what is saved goes, and the rest is sent at once"
    assert stored_keys(page) == ["b", "other", "x2"]
    tell(page, 300, saved=["b", "x2"])
    assert len(sent_keys(page)) == 2 and stored_keys(page) == ["other"]


def test_it_is_sent_again_after_longer_and_longer_pauses(page: Any) -> None:
    keep(page, "a")
    tell(page, 250)
    clocks = [m["clock"] for m in page.evaluate("sent")]
    assert [round((b - a) / 1000) for a, b in itertools.pairwise(clocks)] == [4, 8, 16, 32, 60, 60, 60]
    before = len(clocks)
    tell(page, 59)
    assert len(sent_keys(page)) == before, "the server has said nothing of it: no sooner than before"
    tell(page, 61)
    assert len(sent_keys(page)) == before + 1
    keep(page, "0")
    page.evaluate("localStorage.removeItem('assay:answer:ann:a')")
    tell(page)
    assert sent_keys(page)[-1] == (["0"], []), "another one is at the front: sent at once"


def test_what_was_refused_or_is_of_a_page_that_sends_it_itself_stays(page: Any) -> None:
    keep(page, "a", "b", "x1")
    tell(page, refused=["a"], sorts=["answers"])
    assert sent_keys(page) == [(["b"], [])] and "acts" not in page.evaluate("sent")[0]
    tell(page, 300, refused=["a", "b"], sorts=["answers"])
    assert len(sent_keys(page)) == 1 and stored_keys(page) == ["a", "b", "x1"]
    tell(page, refused=["a", "b"], sorts=["acts"])
    assert sent_keys(page)[1:] == [([], ["x1"])]


def test_nothing_is_sent_where_nothing_is_kept_or_the_page_has_gone(page: Any) -> None:
    tell(page, 300)
    page.evaluate("tell(null)")
    assert sent_keys(page) == []
    keep(page, "a")
    page.evaluate("() => { tell({person: 'ann', sorts: ['answers'], saved: [], refused: []}); off() }")
    page.clock.run_for(300_000)
    assert sent_keys(page) == []


@pytest.mark.parametrize(("back", "theme"), [("#fff", "light"), ("#111", "dark")])
def test_a_text_on_a_page_of_its_own_is_drawn_in_the_colours_of_the_page(blank: Any, back: str, theme: str) -> None:
    answer_all(
        blank,
        TEXT.replace("BACK", back),
        "/text.js",
        bundle_scripts(*TEXTS, "text.js"),
    )
    blank.goto(ORIGIN)
    blank.wait_for_function("window.ready")
    for text in ("# Rate **this**", "Plain."):
        blank.evaluate("text => tell({text})", text)
        blank.evaluate("tell(null)")  # data can come later than the page
    blank.evaluate("lost()")
    sheet = blank.locator(".sheet")
    assert sheet.inner_text().strip() == "Plain." and sheet.get_attribute("data-theme") == theme
    counts: Json = blank.evaluate("() => ({children: document.querySelector('.sheet').childElementCount})")
    assert counts == {"children": 1}, "the next text takes the place of the last"
