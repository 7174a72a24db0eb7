"""What is drawn of an item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from pages.ui.text import isolate_names
from tests.archives import compare_archive
from tests.pages.desk_driver import patiently
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import Bench, Json, answered_sheet, blind_response, opened_desk, response

# -- what is folded away ----------------------------------------------------------------------------------------------


def test_thinking_references_and_what_judges_wrote_are_built_once_they_are_opened(bench: Bench) -> None:
    bench.sit(fakes.thinking_dialogue())
    whole = bench.page.locator(".body")
    assert all(word not in whole.inner_text() for word in ("REST", "SAID six", "SAID seven"))
    assert bench.page.locator(".folded .clip").count() == 0, "what is folded is not even built"
    lines = [line.inner_text().split("\n") for line in bench.page.locator(".think summary").all()]
    assert lines[0][0] == "thinking" and lines[0][1].endswith("characters") and lines[0][2].startswith("THOUGHT")
    assert lines[1][0] == "<think> is never closed"
    assert bench.text(".mark") == "cut at 8,192 characters by the protocol"
    prose = bench.page.locator('.text[data-role="assistant"] > .prose')
    assert [text.inner_text() for text in prose.all()] == ["The answer."], "of what is said between, only that"
    assert bench.text(".notice") == "Turn 1 was never asked." and " · choice 3" in bench.text(".meta")
    bench.press("t")
    assert bench.text(".think:not(.odd) .clip strong") == "one" and bench.page.locator(".think[open]").count() == 2
    assert "onerror" in bench.text(".think.odd .clip") and bench.page.locator(".body img").count() == 0
    bench.press("t", "r")
    assert bench.page.locator(".folded[open]").count() == 1 and "REFERENCE" in bench.text(".reference .clip")
    bench.press("r", "o")
    bench.page.locator(".judgment .clip").nth(2).wait_for()
    texts = [re.split(r"\n+", judgment.inner_text()) for judgment in bench.page.locator(".judgment").all()]
    assert texts[0] == ["8", "gpt-4o", "single-v1", "SAID eight"]
    assert texts[1] == ["6.5", "gpt-4.1", "single-v1", "rated 6", "SAID six", "rated 7", "SAID seven"]
    assert texts[2][:2] == ["–", "o3"] and texts[2][-2:] == ["no rating: no [[rating]]", "This judge wrote no text."]
    bench.press("o")
    bench.page.locator(".judgment summary").nth(1).click()
    assert bench.page.locator(".judgment[open]").count() == 1
    bench.press("9")
    assert bench.mine("rating") == ["9"], "the keys go on rating after a click"
    bench.press("e")
    assert bench.page.locator(".editor textarea").input_value() == "The **answer**.", "no thinking in what is repaired"


def test_a_judge_without_a_text_is_given_nobody_elses(bench: Bench) -> None:
    sheet = fakes.thinking_dialogue()
    silent = {"judge": "o4", "prompt": "single-v1", "t": "7", "texts": [{"text": None, "t": "", "why": ""}]}
    sheet["rows"][0]["judgments"].append(silent)
    bench.sit(sheet)
    bench.press("o")
    last = bench.page.locator(".judgment").last
    last.locator(".clip").wait_for()
    assert re.split(r"\n+", last.inner_text()) == ["7", "o4", "single-v1", "This judge wrote no text."]


def test_of_a_blind_item_no_judgment_is_drawn_even_if_one_is_given(bench: Bench) -> None:
    bench.sit(fakes.thinking_dialogue(mode="blind"))
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
  return {lines: drawnLines(shadow), messages: messages.splice(0)};
}"""
SOME_KEYS = "] Enter d x l t r o y s 2 Escape Control+Enter b Escape"
EVERY_CLICK = (
    "@[data-do=legend] @.why @.cell>.name @.cell:last-child>.name @.cell>.scale>.step @.cell>.scale>.na @.text.bot "
    "@summary @summary "
    "@[data-do=fold] @[data-do=fold] @[data-do=whole] @.note @[data-do=raw] @[data-do=raw] @[data-do=undo] "
    "@[data-do=issue] 'so' @[data-do=keepeditor] @[data-do=issue] 'no' @[data-do=dropeditor] @[data-do=unnote] u "
    "@[data-do=comment] 'so 2' @[data-do=skip] @[data-do=reason] @[data-do=reason]:last-child @[data-do=closedock] "
    "@[data-do=better] ' more' @[data-do=keepbetter] @[data-do=keys] @[data-do=legend] @[data-do=keys] @.shade "
    "@[data-do=go] @[data-do=unseen] @[data-do=go] @[data-do=back] @[data-do=reveal] @.cell>.scale>.step @[data-do=go] "
    "@[data-do=skip] @[data-do=doskip] 'because' @[data-do=doskip] @[data-do=back] Escape"
)
EVERY_KEY = (
    "ArrowDown ArrowUp 9 3 0 u w n u ArrowRight ArrowRight ArrowLeft Enter j j k ] ] [ d Escape x x l l t t r r o o y "
    "g h Escape ? Escape i 'so' Enter e ' so' Control+Enter m 'so 2' Enter m Escape s 2 Escape v "
    "Control+Enter Control+Enter b u 1 Control+Enter b s 'because' Enter"
)


_HEADS = ("--", "++", "@@")
"""How lines of a comparison begin that are of no text."""


def drawn_by_keys(bench: Bench, keys: str) -> Iterator[str]:
    """What is drawn, and after each key what is drawn otherwise than when the item was last there; what was sent.

    @css is a click on what is the first there of that kind, where there is one and it can be clicked.
    """
    last = dict[str, list[str]]()
    for key in ["", *re.findall(r"'[^']+'|\S+", keys)]:
        if key.startswith("'"):
            bench.page.keyboard.type(key.strip("'"))
        elif key.startswith("@"):
            target = bench.page.locator(f"{key[1:]}:visible").first
            if not target.count() or target.is_disabled():
                continue
            target.click(position={"x": 4, "y": 4}) if key == "@.shade" else target.click()
        elif key:
            bench.press(key)
        bench.wait_for_paint()
        drawn, item = bench.page.evaluate(DRAWN), bench.item
        yield f"-- {key} {item}".rstrip()
        before = last.get(item, [])
        changed = [line for line in unified_diff(before, drawn["lines"], n=0, lineterm="") if line[:2] not in _HEADS]
        yield from (line for line in changed if line[0] == "+")
        if removals := sum(line[0] == "-" for line in changed):
            yield f"- {removals}"
        for message in drawn["messages"]:
            del message["clock"], message["nonce"]
            yield json.dumps(message, ensure_ascii=False)
        last[item] = drawn["lines"]


ANSWERED_RESPONSE = response("given", comments=[{"unit": "response", "sort": "issue", "text": "wrong date"}])
BY_KEYS: list[tuple[Json, str]] = [
    (fakes.dialogue(), EVERY_KEY), (fakes.thinking_dialogue(), EVERY_KEY), (fakes.numbers(), EVERY_KEY),
    (blind_response("hidden"), EVERY_KEY), (answered_sheet(ANSWERED_RESPONSE, "v1", {"fit": 3}), EVERY_KEY),
    (fakes.pair(size=200, long_input=900), SOME_KEYS), (fakes.japanese(), SOME_KEYS), (fakes.tools(), SOME_KEYS),
    (fakes.bench(), SOME_KEYS), (fakes.cards(), SOME_KEYS),
]  # fmt: skip


BY_CLICKS = [({**sheet, "name": f"{sheet['name']}-clicked"}, EVERY_CLICK) for sheet, _ in BY_KEYS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sheet", "keys"),
    [
        *(pytest.param(*tried, id=str(tried[0]["name"])) for tried in BY_KEYS[:5]),
        *(pytest.param(*tried, id=str(tried[0]["name"]), marks=pytest.mark.slow) for tried in BY_KEYS[5:] + BY_CLICKS),
    ],
)
def test_every_key_and_click_draws_and_sends_what_it_drew_and_sent(
    bench: Bench, tmp_path: Path, sheet: Json, keys: str
) -> None:
    """On items of every kind, which are seen as a whole: where what is drawn lies on the screen decides nothing."""
    bench.page.set_viewport_size({"width": 1440, "height": 6000})
    bench.sit(fakes.formatted_dialogue(), person="nobody")
    for library in (".hljs-keyword", "math"):  # what formats texts is here before the first of them
        bench.page.locator(library).first.wait_for()
    bench.sit(sheet, response("next"), person=sheet["name"])
    drawn = [*drawn_by_keys(bench, keys), ""]
    if keys == EVERY_CLICK:  # how it begins is kept already, in the file of the same item under keys
        del drawn[: drawn.index(next(line for line in drawn if line.startswith("-- @")))]
    archive = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}", "(key)", "\n".join(drawn))
    compare_archive(archive, Path(__file__).parent / "drawn" / f"{sheet['name']}.txt", tmp_path)


def test_the_key_card_says_what_every_key_does(bench: Bench, tmp_path: Path) -> None:
    """The other archives have only its frame, so that a new key changes this one alone."""
    bench.sit(response("a"))
    bench.press("?")
    lines = bench.page.evaluate("() => drawnLines(shadow.querySelector('.cardcols'))")
    compare_archive("\n".join([*lines, ""]), Path(__file__).parent / "drawn" / "key-card.txt", tmp_path)


def test_reasons_of_an_audit_and_what_another_judge_gave_stand_in_the_header(bench: Bench) -> None:
    sheet = response("a", stream="audit")
    sheet["why"] = [{"text": "tone: judge-b disagrees", "unit": "response", "dimension": "tone"}]
    tone = sheet["rows"][0]["groups"][0]["cells"][0]
    tone["others"] = [{"by": "judge-b", "v": 2, "t": "2"}, {"by": "judge-c", "v": 1, "t": "1"}]
    bench.sit(sheet)
    assert bench.page.locator(".why").all_inner_texts() == [
        "tone: judge-b disagrees (2, not 4)y",
        "audit sample, assisted share: the judge is shown on purpose, to measure anchoring",
    ]
    tone["judge"]["v"] = None
    bench.sit(sheet, place="demo/audit")
    assert bench.page.locator(".why").first.inner_text() == "tone: judge-b disagrees (2, not n/a)y"


def test_only_a_long_text_of_the_head_is_folded(bench: Bench) -> None:
    head = [{"label": name, "text": "So. " * n, "fold": True} for name, n in (("Short", 150), ("Long", 151))]
    bench.sit(response("a", head=head))
    assert bench.page.locator(".part.fold .clip").evaluate_all("e => e.map(e => e.ariaLabel)") == ["Long"]
    assert bench.page.locator("[data-do=fold]").count() == 1


@pytest.mark.parametrize(
    ("ratings", "sentence"),
    [
        ({"tone": 4, "fit": 2}, "2 agree, 0 differ; "), ({"tone": 5, "fit": 2}, "1 agree, 1 differs (1 by one); "),
        ({"tone": 5, "fit": 5}, "0 agree, 2 differ (1 by one, 1 by more); "),
        ({"tone": 1, "fit": 5}, "0 agree, 2 differ (2 by more); "), ({}, ""),
        ({"tone": 4, "fit": None}, "1 agree, 1 differs; "),
    ],
)  # fmt: skip
def test_after_a_reveal_it_is_counted_how_far_the_two_are_apart(bench: Bench, ratings: Json, sentence: str) -> None:
    sheet = response("a", mode="revealed")
    sheet["rows"][0]["groups"][0]["cells"][1]["steps"] = [*fakes.ONE_TO_FIVE, fakes.NA]
    bench.sit(answered_sheet(sheet, "v1", ratings))
    assert bench.text(".why.shown") == f"the judge is shown: {sentence}changes from here count as revealed"
    differences = [name for name, value in ratings.items() if value != {"tone": 4, "fit": 2}[name]]
    marked = bench.page.locator(".cell.differs").evaluate_all("cells => cells.map(cell => cell.dataset.dimension)")
    assert marked == differences


def test_nobody_differs_from_a_judge_that_gave_no_value(bench: Bench) -> None:
    sheet = answered_sheet(response("a", mode="revealed"), "v1", {"tone": 4, "fit": 5})
    sheet["rows"][0]["groups"][0]["cells"][1]["judge"] = None
    bench.sit(sheet)
    assert bench.text(".why.shown").startswith("the judge is shown: 1 agree, 0 differ; ")
    assert not bench.page.locator(".cell.differs").count()


LANGUAGES = {
    "配送が遅れています": "ja", "返金ﾊ三日後": "ja", "배송이 늦어집니다": "ko", "配送延迟": "zh", "It is late.": None,
}  # fmt: skip


@pytest.mark.parametrize(("text", "language"), LANGUAGES.items())
def test_a_text_has_the_language_of_its_letters(bench: Bench, text: str, language: str | None) -> None:
    sheet = response("a")
    sheet["rows"][0]["texts"] = [fakes.text("output", text)]
    bench.sit(sheet)
    assert bench.page.locator(".text .prose").last.get_attribute("lang") == language


def test_texts_that_are_missing_or_folded_say_so(bench: Bench) -> None:
    """Each part of a pair and of a model's reply that is not there says why."""
    sheet, whole = fakes.pair("a", size=80, sections=2), response("b")
    sheet["rows"][0]["texts"][1] |= {"text": "", "absent": True}
    sheet["rows"][1]["texts"][0]["text"] = None
    parts = [{"why": "thinking", "text": "<think>So.</think>"}, {"why": "", "text": " "}]
    whole["rows"][0]["texts"] = [{"role": "output", "label": "Output", "parts": parts}]
    bench.sit(sheet, whole)
    assert bench.page.locator(".absent").all_inner_texts() == [
        "This response has no such section.", "This text is not in the files."
    ]  # fmt: skip
    bench.press("3")
    bench.go()
    assert bench.item == "id-b" and bench.text(".absent") == "The response says nothing besides."
    assert bench.page.locator("details.think").count() == 1


def test_a_call_that_is_no_json_stands_as_it_came(bench: Bench) -> None:
    sheet = fakes.tools("a")
    sheet["rows"][0]["texts"][1]["text"] = '{"customer": "ann", '
    bench.sit(sheet)
    bench.press("t")
    bench.page.locator("details.tool .clip").nth(1).wait_for()
    bodies = bench.page.locator("details.tool .clip").all_inner_texts()
    assert bodies[0] == '{"customer": "ann", ' and '"order": 0,\n    "state"' in bodies[1]


def test_a_call_keeps_every_number_and_name_as_it_was_written(bench: Bench) -> None:
    written = '{"order": 12345678901234567890, "price": 1.10, "far": 1e400, "twice": 1, "twice": [], "10": {}, '
    written += '"2": "\\u8377"}'
    texts = [written, '["[, \\" {", -0.0, null]', "[" * 3000 + "]" * 3000, f'["{"x" * 200_000}"]']
    sheet = fakes.tools("a")
    for drawn, text in zip(sheet["rows"][0]["texts"][1:5], texts, strict=True):
        drawn["text"] = text
    bench.sit(sheet)
    bench.press("t")
    bench.page.locator("details.tool .clip").nth(3).wait_for()
    bodies = bench.page.locator("details.tool .clip").all_inner_texts()
    lines = ["{", '  "order": 12345678901234567890,', '  "price": 1.10,', '  "far": 1e400,', '  "twice": 1,']
    assert bodies[0].split("\n") == [*lines, '  "twice": [],', '  "10": {},', '  "2": "荷"', "}"]
    assert bodies[1] == '[\n  "[, \\" {",\n  -0.0,\n  null\n]'
    assert bodies[2].count("[") == bodies[2].count("]") == 3000 and len(bodies[2]) < 400_000, "its lines end somewhere"
    assert len(bodies[3]) > 200_000


def test_the_address_of_a_link_stands_in_one_line_with_its_brackets(bench: Bench) -> None:
    sheet = response("a")
    words = "\n\n".join("w " * count + "[f](file:///etc/passwd)" for count in range(40, 75))
    sheet["rows"][0]["texts"] = [fakes.text("output", words)]
    bench.sit(sheet)
    bench.wait(2)
    lines = bench.page.locator(".md-aside").evaluate_all("es => es.map(e => e.getClientRects().length)")
    assert lines == [1] * 35


def test_on_paper_no_footer_lies_over_the_texts_and_nothing_is_cut_off(bench: Bench) -> None:
    bench.sit(fakes.tools("a"))
    bench.press("t", "4")
    bench.page.locator("details.tool .clip").nth(3).wait_for()
    bench.page.emulate_media(media="print")
    try:
        assert not bench.page.locator(".foot, .float, .tips").locator("visible=true").count()
        hidden = "es => es.filter(e => e.scrollHeight > e.clientHeight + 1).length"
        assert bench.page.locator(".clip").count() == 4 and bench.page.locator(".clip").evaluate_all(hidden) == 0
        adjusted = "e => getComputedStyle(e).printColorAdjust"
        assert bench.page.locator(".cell .step.mine").evaluate(adjusted) == "exact", "a printer leaves backgrounds out"
    finally:
        bench.page.emulate_media(media="screen")


@pytest.mark.slow
def test_in_few_colours_of_the_system_answers_reasons_and_boxes_are_seen(chromium: Any) -> None:
    with opened_desk(chromium, forced_colors="active") as page:
        bench = Bench(page, "few")
        bench.open()
        bench.sit(fakes.dialogue(), fakes.numbers())
        colour = "e => getComputedStyle(e).backgroundColor"
        page_colour = page.locator(".sheet").evaluate(colour)
        legend = [mark.evaluate(colour) for mark in page.locator(".tip .step").all()]
        assert page_colour in legend and legend[1] != legend[2] and page_colour not in legend[1:3]
        dot = "e => getComputedStyle(e, '::before').backgroundColor"
        assert page.locator(".doubt .name").first.evaluate(dot) != page_colour, "the mark of a rating with a reason"
        border = "e => getComputedStyle(e).borderTopWidth"
        bench.press("s")
        assert [page.locator(css).evaluate(border) for css in (".menu", ".go", ".menu .solid")] == ["1px"] * 3
        bench.press("Escape", "?")
        assert page.locator(".card").evaluate(border) == "1px"


PLACES = """([css, text]) => [...shadow.querySelectorAll(css)].flatMap((e) => {
  const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), places = [];
  while (walk.nextNode()) {
    const node = walk.currentNode, at = node.data.indexOf(text);
    const left = (n) => {
      const range = document.createRange();
      range.setStart(node, n);
      range.setEnd(node, n + 1);
      return range.getBoundingClientRect().left;
    };
    if (at >= 0) places.push([left(at), left(at + text.length - 1)]);
  }
  return places;
})"""


@pytest.mark.parametrize(
    "css", [".title", ".note .said", ".issues li", ".mynote", ".folded .begin", ".alarm", ".tool .clip"]
)
def test_what_is_written_from_right_to_left_ends_at_its_left(bench: Bench, css: str) -> None:
    """With its own full stop, which belongs to no direction."""
    text = "הכסף לא הוחזר (כלל)!"
    sheet = fakes.tools("a")
    row = sheet["rows"][0]
    sheet["title"] = text
    row["groups"][0]["cells"][0]["judge"]["note"] = text
    row["judge_issues"], row["rules"], row["notes"] = [text], [text], [{"sort": "issue", "text": text}]
    row["texts"][1]["text"] = text
    bench.sit(sheet)
    if css == ".tool .clip":
        bench.press("t")
        bench.page.locator(css).first.wait_for()
    [[first, last], *_] = bench.page.evaluate(PLACES, [css, text])
    assert last < first - 20


def test_a_name_does_not_turn_what_stands_beside_it(bench: Bench) -> None:
    sheet = response("a", mode="assisted")
    sheet |= {"dataset": "נתונים 7", "systems": ["דגם 3", "evil\u202e"], "choice": 2}
    sheet["judges"] = [{"model": "שופט", "card": "כרטיס", "version": 4}]
    bench.sit(sheet)
    meta = bench.page.locator(".meta")
    assert meta.inner_text().startswith("\u2068נתונים 7\u2069 · ") and "\u202e" not in meta.inner_text()
    for first, second in (("נתונים", "דגם"), ("דגם", "evil"), ("evil", "choice"), ("judge", "שופט"), ("שופט", " 4")):
        [place], [other] = (bench.page.evaluate(PLACES, [".meta", part]) for part in (first, second))
        assert max(place) < min(other), (first, second)


def test_a_reason_runs_as_ours_where_its_names_run_from_right_to_left(bench: Bench) -> None:
    """All of it ran from right to left. What the other judge gave is found by its name, isolated or not."""
    sheet = response("a")
    text = isolate_names("בהירות: שופט-3 disagrees")
    sheet["why"] = [{"text": text, "unit": "response", "dimension": "tone"}]
    sheet["rows"][0]["groups"][0]["cells"][0]["others"] = [{"by": "שופט-3", "v": 2, "t": "2"}]
    bench.sit(sheet)
    parts = ("בהירות", "שופט", "disagrees", "(2, not 4)")
    places = [place for part in parts for place in bench.page.evaluate(PLACES, [".why", part])]
    assert len(places) == 4 and [min(p) for p in places] == sorted(min(p) for p in places)


def test_what_is_copied_has_a_space_between_the_judge_and_its_issue(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["judge_issues"] = ["repeats itself"]
    bench.sit(sheet)
    assert bench.text(".issues li") == "judge repeats itself"


def test_what_is_typed_from_right_to_left_stands_at_the_right(bench: Bench) -> None:
    bench.sit(response("a"))
    for key in "me":
        bench.press(key)
        style = "e => [getComputedStyle(e).unicodeBidi, getComputedStyle(e).textAlign]"
        assert bench.page.locator(".free").evaluate(style) == ["plaintext", "start"]


def test_names_in_wide_letters_have_room(bench: Bench) -> None:
    sheet = response("a")
    tone, fit = sheet["rows"][0]["groups"][0]["cells"]
    tone["label"], fit["label"] = "ことばづかい", "tone"
    bench.sit(sheet)
    names = bench.page.evaluate("[...shadow.querySelectorAll('.cell .name')].map(e => [e.offsetWidth, e.scrollWidth])")
    assert [wide <= room for room, wide in names] == [True, True] and names[0][0] == names[1][0] > 80


def test_longer_names_have_more_room(bench: Bench) -> None:
    wide = []
    for name in ("tone", "tone of it all", "the tone of the whole answer"):
        sheet = response("a")
        sheet["rows"][0]["groups"][0]["cells"][0]["label"] = name
        bench.sit(sheet, place=name)
        wide.append(bench.cell("fit").locator(".name").evaluate("e => e.offsetWidth"))
    # 72 pixels at least, 6.7 for each letter and 8 beside them, 142 at most
    assert [width - wide[0] for width in wide] == [0, round(14 * 6.7 + 8) - 72, 142 - 72]


def test_a_judges_number_is_as_wide_as_it_needs(bench: Bench) -> None:
    sheet = fakes.numbers("a")
    cell = sheet["rows"][0]["groups"][0]["cells"][1]
    cell["judge"]["v"] = 8
    bench.sit(sheet)
    assert bench.cell(cell["dimension"]).locator(".judge").get_attribute("class").split() == ["step", "word", "judge"]


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [(62.123456, 0, "62.12"), (999.75, 0.25, "999.75"), (12_345, 0, "12345"), (12_345_678.5, 0.5, "12345678.5")],
)
def test_a_number_keeps_its_digits_before_the_point_and_those_of_its_scale(
    bench: Bench, value: float, step: float, text: str
) -> None:
    sheet = fakes.numbers("a")
    cell = sheet["rows"][0]["groups"][0]["cells"][1]
    cell["judge"]["v"], cell["range"] = value, {"lo": 0, "hi": 87_654_321, "step": step, "by": 1}
    bench.sit(sheet)
    assert bench.cell(cell["dimension"]).locator(".judge").inner_text() == text
    field = bench.cell(cell["dimension"]).locator(".num")
    assert field.get_attribute("placeholder") == "0–87654321"
    field.click()
    bench.page.keyboard.insert_text("76543219")
    bench.press("Enter")
    assert field.input_value() == "76543219"


def test_what_is_not_defined_is_said_in_the_whole_note(bench: Bench) -> None:
    sheet = response("a")
    for cell in sheet["rows"][0]["groups"][0]["cells"]:
        cell |= {"definition": "", "anchors": []}
    sheet["rows"][0]["groups"][0]["cells"][0]["judge"]["level"] = None
    bench.sit(sheet)
    bench.press("d")
    assert bench.text(".note") == "No definition and no note are given for this score."
    bench.press("j")
    assert bench.text(".note") == "high stated confidence: what the judge says of itself (from self-reported)"
    assert bench.text(".meaning").strip() == "fit"
    bench.sit(blind_response("b"), place="demo/audit")
    bench.press("d")
    assert bench.text(".note").startswith("tone: How good the tone is.")


def test_how_much_is_assigned_stands_beside_what_is_left(bench: Bench) -> None:
    progress = {"today": 3, "mine": 9, "seconds": 8.23, "left": 5, "done": 20, "total": 140}
    bench.sit(response("a"), progress=progress | {"assigned": "4 of yours until Friday"})
    assert bench.text(".progress") == "3 today · 5 left · 8.2 s an item · 4 of yours until Friday"
    assert bench.page.locator(".progress").get_attribute("title") == "20 of 140 done; 9 by you"
    bench.tell(progress=progress | {"left": None, "seconds": 12.6, "assigned": ""})
    assert bench.text(".progress") == "3 today · 13 s an item"
    bench.tell(progress=progress | {"left": None, "seconds": 10.2, "assigned": ""})
    assert bench.text(".progress") == "3 today · 10 s an item", "from ten seconds on no tenths"
    bench.tell(progress=progress | {"left": 0, "seconds": None, "assigned": ""})
    bench.go()
    assert bench.text(".progress") == "4 today · 0 left"


def test_a_better_text_has_the_language_of_what_it_replaces(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["texts"][0]["text"] = fakes.JA
    bench.sit(sheet)
    bench.press("e")
    assert bench.page.locator("textarea").get_attribute("lang") == "ja"


def test_long_items_are_laid_out_where_they_are_looked_at(bench: Bench) -> None:
    bench.sit(fakes.pair("a", size=8000, sections=1), fakes.long_dialogue("b", 15))
    sizes = "[...shadow.querySelectorAll('.row')].map(e => e.style.containIntrinsicSize.split(' ').pop())"
    high = [int(size.removesuffix("px") or 0) for size in bench.page.evaluate(sizes)]
    assert 4000 < high[0] < 6000 and set(high[1:]) == {0} and bench.page.locator(".rows.lazy").count() == 0
    bench.press("3")
    bench.go()
    bench.go()
    assert bench.item == "id-b" and bench.page.locator(".rows.lazy").count() == 1


def test_by_touch_no_key_is_named(chromium: Any) -> None:
    """Where a finger is what one has, steps are larger and nothing speaks of keys."""
    with opened_desk(chromium, has_touch=True, is_mobile=True, viewport={"width": 820, "height": 1180}) as page:
        bench = Bench(page, "ann")
        bench.open()
        ruled = response("b")
        ruled["rows"][0]["groups"][0]["cells"][0]["judge"]["rule"] = "Tone 4 and fit 2 do not go together."
        bench.sit(blind_response("a"), ruled)
        assert bench.page.evaluate("shadow.querySelector('.cell .step').offsetWidth") >= 40
        page.locator(".cell .step").first.tap()
        page.locator("[data-do=go]").tap()
        assert "1 rating has no answer yet: tapping again saves all the same" in bench.sum()
        page.locator("[data-do=go]").tap()
        assert bench.item == "id-b" and not page.locator(".cell.wide").count(), "words that give way need no line"
        page.locator("[data-do=skip]").tap()
        field = page.locator(".menu input")
        assert field.get_attribute("placeholder") == "why: in your own words, or choose below"
        assert page.evaluate("shadow.activeElement.className") == "menu skip", "no keyboard comes up by itself"


def count_bold(bench: Bench) -> int:
    """How many bold words are there a moment later."""
    bench.wait(0.1)
    return int(bench.page.locator(".formatted strong").count())


@pytest.mark.parametrize("idle", ["undefined", "(fn) => setTimeout(() => fn({timeRemaining: () => 0}), 10)"])
def test_texts_are_formatted_where_nothing_is_said_of_idle_time_or_is_none(bench: Bench, idle: str) -> None:
    bench.page.evaluate(f"() => {{ window.requestIdleCallback = {idle} }}")
    sheet = fakes.dialogue("a")
    for row in sheet["rows"][:3]:
        row["texts"][1]["text"] = f"It is **{row['unit']}**."
    bench.sit(sheet)
    assert patiently(lambda: count_bold(bench) == 3)


def test_a_long_text_is_formatted_to_its_end_where_each_idle_time_is_enough_for_one_step_of_it(bench: Bench) -> None:
    bench.sit(fakes.formatted_dialogue(), person="before")
    bench.page.locator(".hljs-keyword").first.wait_for()  # what formats texts is here
    bench.page.evaluate("() => { requestIdleCallback = fn => setTimeout(() => fn({timeRemaining: () => 0}), 10) }")
    sheet = response("a")
    sheet["rows"][0]["texts"][0]["text"] = "It is **so**.\n\n" * 400
    bench.sit(sheet)
    assert bench.page.locator(".formatted strong").count() == 0, "not at once"
    assert patiently(lambda: count_bold(bench) == 400)


def test_a_section_without_any_rating_has_no_place_for_them(bench: Bench) -> None:
    sheet = fakes.pair("a", size=80, sections=2)
    for group in sheet["rows"][0]["groups"]:
        group["cells"] = []
    bench.sit(sheet)
    bare = bench.page.locator(".row.bare")
    assert bare.count() == 1 and bare.get_attribute("data-unit") == "section:1" and not bare.locator(".cells").count()


def test_a_library_that_did_not_come_is_asked_for_again_after_a_while(bench: Bench) -> None:
    sheets = [response(name) for name in "abcd"]
    for sheet in sheets:
        sheet["rows"][0]["texts"][0]["text"] = f"It is **{sheet['name']}**."
    tried: list[str] = []

    def fail(route: Any) -> None:
        tried.append(route.request.url)
        route.abort()

    libraries = re.compile(r"markdown-it|dompurify|purify")
    bench.page.route(libraries, fail)
    bench.sit(*sheets)
    assert patiently(lambda: len(tried) == 2)
    bench.page.wait_for_function("!document.querySelector('head script')")
    assert "**a**" in bench.text(".text.bot")
    bench.page.unroute(libraries)
    bench.go()
    assert bench.page.locator(".formatted strong").count() == 0 and len(tried) == 2, "not at once"
    bench.wait(16)
    bench.go()
    assert patiently(lambda: count_bold(bench) == 1)
    assert bench.item == "id-c"


def test_what_a_model_says_beside_its_thinking_is_made_ready_ahead(bench: Bench) -> None:
    talk = [{"role": "user", "text": "Is it **so**?"}]
    pair = fakes.pair("c", size=80, sections=1)
    pair["head"] = [{"label": "Input", "text": "", "fold": False, "turns": talk}]
    bench.sit(response("a"), fakes.thinking_dialogue("b"), pair)
    bench.page.wait_for_function("window.markdownit && window.DOMPurify")
    bench.wait(2)
    script = "() => [...shadow.querySelectorAll('.formatted strong')].map(e => e.textContent)"
    bench.press_at_once(1, "Enter", ctrl=True)
    assert bench.page.evaluate(script) == ["answer"]
    bench.press_at_once(1, "Enter", ctrl=True)
    assert bench.item == "id-c" and bench.page.evaluate(script) == ["so"]


def test_an_item_of_few_and_very_long_texts_is_laid_out_where_it_is_looked_at(bench: Bench) -> None:
    exchanges = [("Why?", fakes.LOREM * 120), ("And?", fakes.LOREM * 120)]
    short = fakes.item("b", "Short", "dialogue", fakes.turns(exchanges[:1]))
    bench.sit(fakes.item("a", "Long", "dialogue", fakes.turns(exchanges)), short)
    assert bench.page.locator(".rows.lazy").count() == 1
    bench.press_at_once(2, "Enter", ctrl=True)
    assert bench.item == "id-b" and bench.page.locator(".rows.lazy").count() == 0


@pytest.mark.parametrize("loaded", [False, True])
def test_a_long_text_can_be_read_before_it_is_formatted(bench: Bench, loaded: bool) -> None:
    """It is formatted in pieces, once the libraries are there and the page has time; until then it is as written."""
    if loaded:
        bench.sit(fakes.formatted_dialogue(), person="nobody")
        bench.page.locator(".hljs-keyword").first.wait_for()
    else:
        bench.page.evaluate("() => { document.head.append = () => {} }")
    bench.page.evaluate("() => { window.ahead = []; window.requestIdleCallback = run => window.ahead.push(run) }")
    sheet = fakes.dialogue()
    sheet["rows"][0]["texts"][1]["text"] = "A **b** c.\n\n" * 300
    bench.sit(sheet, person="reads at once")
    drawn = bench.page.locator(".row").first
    assert drawn.inner_text().count("A **b** c.") == 300 and drawn.locator("strong").count() == 0
    bench.page.evaluate(
        "() => { while (window.ahead.length) window.ahead.shift()({ timeRemaining: () => 50, didTimeout: false }) }"
    )
    assert drawn.locator("strong").count() == (300 if loaded else 0)
