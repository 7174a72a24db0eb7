"""Who has the keyboard, what the mouse does, and what is scrolled."""

from __future__ import annotations

import re

import pytest

from tests.pages.desk_driver import patiently
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import Bench, answered_sheet, response

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
    bench.wait_for_paint()
    assert not bench.page.locator(".sheet[data-away]").count()
    bench.page.evaluate("document.activeElement.blur()")
    bench.press("Shift")
    bench.wait_for_paint()
    assert bench.page.locator(".sheet[data-away]").count() == 1, "it looks as if it had no keys, and has none"
    bench.press("3")
    assert bench.mine("fit") == [], "it is for the window"
    bench.page.evaluate("document.querySelector('[role=dialog]').remove()")
    bench.press("Shift")
    bench.wait_for_paint()
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
    dark, light = ("#0a0a78", "#111", "#070", "#b00"), ("#fff", "#ee0", "#0d0", "#7070ff")
    for color, theme in {**dict.fromkeys(dark, "dark"), **dict.fromkeys(light, "light")}.items():
        bench.page.evaluate("c => document.body.style.setProperty('--st-background-color', c)", color)
        bench.sit(response("a"))
        assert bench.page.locator(".sheet").get_attribute("data-theme") == theme, color


def test_what_is_opened_before_the_next_item_is_painted_keeps_the_keyboard(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), response("c"))
    for item, keys, opened in (("id-b", ["s", "1"], ".menu"), ("id-c", ["?"], ".card")):
        bench.press("Control+Enter", *keys)
        bench.wait_for_paint()
        assert bench.item == item and bench.page.evaluate("css => !!shadow.activeElement.closest(css)", opened)
        bench.press("Escape")


def test_a_double_click_is_one_answer_and_a_click_at_once_is_one_too(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcd"))
    button = bench.page.locator("[data-do=go]")
    button.click()
    assert bench.item == "id-b"
    button.dblclick()
    assert bench.item == "id-c"
    second = "shadow.querySelector('[data-do=go]').dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 2}))"
    for after, then in ((0.449, "id-c"), (0.001, "id-d")):
        bench.wait(after)
        bench.page.evaluate(second)
        assert bench.item == then


def test_an_item_that_comes_takes_the_keyboard_from_no_field_and_from_no_list_of_the_desk(bench: Bench) -> None:
    bench.sit()
    bench.page.evaluate("document.body.prepend(document.createElement('input'))")
    bench.page.locator("body > input").focus()
    bench.tell(sheets=[response("a"), response("b")])
    bench.wait_for_paint()
    assert bench.item == "id-a" and bench.page.evaluate("document.activeElement.tagName") == "INPUT"
    bench.page.locator(".row").click()
    bench.press("s")
    chosen = bench.page.evaluate("shadow.activeElement.className")
    bench.tell(sheets=[answered_sheet(response("a"), "v1", {"tone": 1})])
    bench.wait_for_paint()
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
    for place in ("[data-do=closecard]", "[data-do=closecard] kbd"):
        bench.press("?")
        card.locator(place).click()
        assert card.count() == 0 and bench.page.evaluate(FOCUS)[0] == "4", "the focus is where it was"


def test_tab_within_a_dialog_is_no_key_of_the_page_around(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.page.evaluate("() => { window.seen = []; document.addEventListener('keydown', (e) => seen.push(e.key)) }")
    for key in ("?", "s"):
        bench.press(key, "Tab", "Escape")
    assert bench.page.evaluate("seen") == []


def test_items_are_asked_for_at_once_where_fewer_than_two_are_ahead(bench: Bench) -> None:
    for ahead, messages in ((3, 0), (2, 1)):
        bench.sit(*(response(name) for name in "abc"[:ahead]), place=f"demo/{ahead}")
        assert len(bench.messages()) == messages


def test_a_card_that_is_higher_than_the_page_is_scrolled_by_keys(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 600, "height": 200})
    bench.sit(response("a"))
    bench.press("?")
    places = []
    for key in ("ArrowDown", "PageDown", "ArrowUp", "PageUp", "End", "Home"):
        bench.press(key)
        places.append(bench.page.locator(".card").evaluate("e => e.scrollTop"))
    most = bench.page.locator(".card").evaluate("e => e.scrollHeight - e.clientHeight")
    assert places == [60, 460, 400, 0, most, 0] and most > 460
    for _ in range(3):
        bench.page.keyboard.down("ArrowDown")  # without "up" in between: a key that is held
    bench.page.keyboard.up("ArrowDown")
    assert bench.page.locator(".card").evaluate("e => e.scrollTop") == 180


def test_what_was_held_in_its_place_is_let_go_when_one_moves_on(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), response("b"))
    cells = bench.page.locator('.cells[style*="margin-top"]')
    for _ in range(3):  # a turn whose ratings stand at the end of its text
        bench.press("d", "d")
        if cells.count():
            break
        bench.press("]")
    assert cells.count() == 1
    bench.press("j")
    assert cells.count() == 1, "the same turn"
    bench.press("]")
    assert cells.count() == 0


def test_what_is_on_screen_is_measured_above_the_footer_as_high_as_it_is(bench: Bench) -> None:
    bench.sit(response("a"), response("b"))
    same = """() => { const root = shadow.querySelector(".sheet"), foot = root.querySelector(".foot").offsetHeight;
        return root.desk.eyes.rootMargin.split(" ")[2] === -foot + "px" && foot }"""
    low = bench.page.wait_for_function(same).json_value()
    bench.go()
    bench.refuse()
    bench.page.locator(".toast.refused").wait_for()
    assert bench.page.wait_for_function(f"low => {{ const high = ({same})(); return high > low && high }}", arg=low)


@pytest.mark.parametrize("zoom", [1.5, 2])
def test_zoomed_in_the_footer_stays_as_high_as_it_is_when_an_answer_is_given(bench: Bench, zoom: float) -> None:
    """And the draft that it names then is not a third line of it."""
    bench.page.set_viewport_size({"width": round(1440 / zoom), "height": round(900 / zoom) - 40})
    bench.sit(fakes.dialogue("a"))
    height = bench.page.locator(".foot").bounding_box()["height"]
    bench.press("2")
    bench.wait_for_paint()
    assert "draft kept" in bench.sum()
    assert bench.page.locator(".foot").bounding_box()["height"] == height < 60
    assert bench.page.locator(".go").bounding_box()["y"] > bench.page.locator(".foot").bounding_box()["y"]


def test_what_the_footer_covers_since_it_has_grown_is_not_on_screen(bench: Bench) -> None:
    script = """async () => { const {desk} = shadow.querySelector(".sheet"), cell = desk.view.cells.find(c => !c.seen);
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
    assert not bench.page.evaluate(script.replace("BELOW", "cell.el.offsetHeight"))
    assert bench.page.evaluate(script.replace("BELOW", "0"))


def test_what_one_looks_at_moves_up_where_the_footer_grows_over_it(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 300})
    bench.sit(response("b"), fakes.numbers("a"))
    bench.go()
    bench.press("j", "j", "j", "j")
    bench.page.evaluate("y => scrollBy(0, y)", 14 - bench.room()[1])
    assert bench.room()[1] == pytest.approx(14, abs=1)
    bench.refuse()
    assert patiently(lambda: bench.room()[1] > 0)


def test_a_judged_text_is_formatted_as_soon_as_it_can_be(bench: Bench) -> None:
    sheet = response("a")
    sheet["rows"][0]["texts"][0]["text"] = "It is **bold**, and `code`.\n\n```python\ndef f(): pass\n```"
    bench.sit(sheet)
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
    bench.press_at_once(2, "Enter", ctrl=True)
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
    assert [mark.get_attribute("title") for mark in bench.page.locator(".sure").all()] == [
        "the judge says 8.5; the answers on both sides of it are marked: choose one",
        "its samples combine to 8.4; the nearest answer is marked"]  # fmt: skip
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


def test_a_long_input_of_a_conversation_scrolls_by_keys(bench: Bench) -> None:
    sheet = fakes.pair()
    talk = [{"role": role, "text": f"says the {role}"} for role in ("system", "user", "assistant")]
    talk.insert(2, {"role": "tool", "label": "result of search", "text": "21 degrees"})
    sheet["head"].append({"label": "Input", "text": "", "fold": False, "turns": talk})
    bench.sit(sheet)
    labels = ["system", "user", "result of search", "assistant"]
    assert bench.page.locator(".head .talk .label").all_inner_texts() == labels
    assert bench.page.locator(".item.long").count() == 1
    first = bench.page.locator(".cols").first
    assert first.locator(".label").all_inner_texts() == ["A · model-x", "B · model-y"]
    clip = bench.page.locator(".head .clip")
    assert [clip.get_attribute(name) for name in ("role", "aria-label", "tabindex")] == ["group", "Input", "0"]
    bench.press("Tab")
    clip.focus()
    dimension = bench.here
    bench.press("ArrowDown")
    assert bench.here == dimension, "who came to it by the keyboard scrolls it"
    bench.press("j", "k", "2")
    assert len(bench.page.locator('.step[aria-checked="true"]').all()) == 1, "all other keys rate from there too"
    bench.press("u")
    clip.click()
    bench.press("ArrowDown")
    assert bench.here != dimension, "who clicked into it is still at the scores"


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
    exchanges = [("", " "), ("\n\u200b\n", "ok \u200b")]
    output = fakes.row("response", "response", [fakes.text("output", "")], [("", [fakes.cell("response", "tone", 4)])])
    bench.sit(fakes.item("a", "", "dialogue", [*fakes.turns(exchanges), output]))
    silent = [f"The {speaker} says nothing here." for speaker in ("user", "assistant", "user", "response")]
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


FRAME = "height: 500px; width: 900px; overflow: auto; margin: 60px 0 0 200px"


def test_in_a_page_that_scrolls_in_a_part_of_the_window_only_that_part_is_used(bench: Bench) -> None:
    bench.sit(fakes.dialogue("a"), fakes.dialogue("b"), frame=FRAME)
    top = "shadow.host.parentElement.scrollTop"
    foot = bench.page.locator(".foot").bounding_box()
    assert (foot["x"], foot["width"], foot["y"] + foot["height"]) == pytest.approx((200, 885, 560), abs=20)
    bench.press("]", "]", "]")
    low = bench.page.evaluate(top)
    cell = bench.page.locator(".cell[data-here]").bounding_box()
    assert low > 100 and bench.page.evaluate("scrollY") == 0 and 60 < cell["y"] < foot["y"] - cell["height"]
    bench.press("[", "[", "[")
    assert bench.page.evaluate(top) < low and bench.page.locator(".cell[data-here]").bounding_box()["y"] > 60
    bench.press("]", "]", "]")
    bench.page.evaluate(f"{top} = 0")
    bench.press("Enter")
    assert bench.hint() == "This rating was out of sight: Enter accepts the judge's value."
    bench.go()
    bench.go()
    assert bench.item == "id-b" and bench.page.evaluate(top) == 0, "the next item begins at its top"


def test_a_body_that_scrolls_is_the_page(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 420})
    bench.page.evaluate("() => { document.body.style.overflowY = 'auto' }")
    bench.sit(fakes.dialogue("a"))
    bench.press("]", "]")
    assert bench.page.evaluate("document.scrollingElement.scrollTop") > 0
    assert bench.page.evaluate("shadow.querySelector('.sheet').desk.scroller === document.scrollingElement")


def test_a_box_that_opens_below_the_page_is_brought_in(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 460})
    sheet = response("a")
    sheet["rows"][0]["texts"][0]["text"] = "As it was said. " * 260
    bench.sit(sheet)
    bench.press("e")
    box, foot = bench.page.locator("textarea").bounding_box(), bench.page.locator(".foot").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= foot["y"]
    scroll = bench.page.evaluate("scrollY")
    bench.press("Control+Enter", "e")
    assert abs(bench.page.evaluate("scrollY") - scroll) < 60, "what is in view already moves nothing"


def test_who_comes_to_the_same_place_of_the_page_leaves_the_one_before_as_it_was(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), person="ann")
    bench.press("3")
    bench.page.evaluate("tell({person: 'bea', sheets: []})")
    bench.tell(sheets=[response("c")], person="bea")
    assert bench.item == "id-c" and bench.page.locator(".wrap").count() == 1
    bench.press("5")
    assert bench.mine("tone") == ["5"] and bench.page.evaluate("localStorage.getItem('assay:draft:ann:id-a') !== null")
    bench.page.evaluate("() => { off(); off() }")  # it can be taken down twice
    bench.press("1")
    bench.sit(person="bea")
    assert bench.mine("tone") == ["5"]


def test_who_comes_back_to_the_desk_is_told_its_keys_again(bench: Bench) -> None:
    bench.sit(response("a"))
    keys = bench.text(".foot .keys")
    bench.sit(response("a"))
    assert bench.text(".foot .keys") == keys != ""


def test_without_a_place_or_data_nothing_is_drawn(bench: Bench) -> None:
    nowhere = "{data: {}, parentElement: document.createElement('p')}"
    for component in ("{data: null, parentElement: document.body}", nowhere):
        assert bench.page.evaluate(f"inner.default({component}) === undefined")


def test_a_wheel_and_a_mouse_that_moves_are_work(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("3")
    mouse, box = bench.page.mouse, bench.page.locator(".row").bounding_box()
    mouse.move(box["x"] + 5, box["y"] + 5)
    for n in range(2):
        bench.wait(50)
        mouse.wheel(0, 10)
        bench.page.wait_for_function("at => shadow.querySelector('.sheet').desk.lastInput >= at", arg=bench.now())
        bench.wait(50)
        mouse.move(box["x"] + 6 + n, box["y"] + 5)
    bench.go()
    assert 200_000 <= bench.waiting()[0]["ms"] < 202_000


LINK = """where => { const link = document.createElement("a"), nav = document.createElement("div");
    link.href = "#"; link.textContent = "Review desk"; nav.dataset.testid = where; nav.append(link);
    document.documentElement.append(nav) }"""


def tab_to_link(bench: Bench, where: str) -> None:
    """A link of the page, to which the keyboard goes."""
    bench.page.evaluate(LINK, where)
    for _ in range(20):
        bench.press("Tab")
        if bench.page.evaluate("document.activeElement.textContent === 'Review desk'"):
            return
    raise AssertionError("Tab does not reach the link.")


@pytest.mark.parametrize(
    ("where", "goes"),
    [("stTopNavLink", True), ("stTopNavLinkContainer", True), ("stSidebarNav", True), ("else", False)],
)
def test_who_came_by_a_link_of_the_menu_is_at_the_desk(bench: Bench, where: str, goes: bool) -> None:
    bench.sit(response("a"))
    tab_to_link(bench, where)
    bench.page.evaluate("() => { HTMLElement.prototype.focus = (was => function (o) { if (o) was.call(this, o) })"
                        "(HTMLElement.prototype.focus) }")  # the bed's own focus on the desk is none that a page makes
    bench.sit(response("a"))
    assert bench.page.evaluate("document.activeElement === shadow.host") is goes


def test_an_item_that_comes_leaves_a_link_that_the_keyboard_went_to(bench: Bench) -> None:
    bench.sit()
    tab_to_link(bench, "else")
    bench.tell(sheets=[response("a")])
    bench.wait_for_paint()
    assert bench.item == "id-a" and bench.page.evaluate("document.activeElement.textContent") == "Review desk"
    bench.page.mouse.click(400, 300)
    assert bench.page.evaluate("document.activeElement === shadow.host")


def test_a_card_that_stood_on_what_has_gone_gives_the_keyboard_to_the_desk(bench: Bench) -> None:
    bench.sit(response("a"))
    bench.press("3", "?")
    bench.tell(sheets=[answered_sheet(response("a"), "v1", {"tone": 1}, again=True)])
    bench.press("Escape")
    assert bench.page.locator(".card").count() == 0
    assert bench.page.evaluate("shadow.activeElement.className") == "sheet"
    bench.press("j", "4")
    assert bench.mine("fit") == ["4"]


def test_a_message_moves_nothing_under_who_has_scrolled_away(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 420})
    bench.sit(response("b"), fakes.dialogue("a"))
    bench.go()
    bench.wait_for_paint()
    bench.press("j")
    bench.page.evaluate("scrollTo(0, 1e6)")
    scroll = bench.page.evaluate("scrollY")
    bench.refuse()
    bench.page.locator(".toast.refused").wait_for()
    bench.page.evaluate("() => new Promise(done => new ResizeObserver(() => done()).observe(document.body))")
    bench.wait_for_paint()
    assert scroll > 300 and bench.page.evaluate("scrollY") > scroll - 20


def test_the_whole_note_is_scrolled_to_where_it_opens_below_the_page(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1440, "height": 460})
    bench.sit(fakes.dialogue("a"))
    bench.press("]", "]", "]", "j", "j")
    bench.wait_for_paint()
    cell, foot = bench.page.locator(".cell[data-here]").bounding_box(), bench.page.locator(".foot").bounding_box()
    bench.page.mouse.wheel(0, cell["y"] + cell["height"] - foot["y"] + 20)  # the rating stands right above the foot
    bench.page.wait_for_function("low => shadow.querySelector('.cell[data-here]').getBoundingClientRect().bottom > low",
                                 arg=foot["y"] - 60)  # fmt: skip
    bench.press("d")
    note, low = bench.page.locator(".note.full").bounding_box(), bench.page.locator(".foot").bounding_box()["y"]
    assert note["y"] + note["height"] <= low
