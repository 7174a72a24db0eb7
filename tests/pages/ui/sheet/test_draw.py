"""What is drawn of an item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from tests.archives import compare_archive
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import Bench, answered, hidden, response

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
