"""How answers leave the desk, and are forgotten only when the server has said that they are saved."""

from __future__ import annotations

import itertools

import pytest

from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bench import SIZE, Bench, Json, answered_sheet, response, values


def test_an_answer_says_which_questions_were_put(bench: Bench) -> None:
    """Of each sort of unit, so that the server sees whether the item asked something else by then."""
    both = fakes.row("sides", "response", [fakes.text("a", "A"), fakes.text("b", "B")], [
        ("A", [fakes.cell("response/a", "tone", 4)]), ("B", [fakes.cell("response/b", "tone", 4)]),
        ("both", [fakes.cell("pair", "preference", 4)]),
    ])  # fmt: skip
    part = fakes.row("section:1", "section", [fakes.text("a", "A")], [("A", [fakes.cell("section:1/a", "depth", 4)])])
    pair = {**fakes.item("b", "Two", "pair", [both, part]), "why": []}
    bench.sit(fakes.dialogue("a"), pair, response("c"))
    questions = {}
    for _ in "abc":
        bench.press("s", "1", "Enter")
        questions |= {answer["item"]: answer["asked"] for answer in bench.waiting()}
        bench.ack()
    of_all = [f"conversation/{name}" for name in ("coherence", "task_completion", "verdict", "weakest_turn")]
    assert questions == {
        "id-a": ["turn/context_use", "turn/helpfulness", "turn/safety", *of_all],
        "id-b": ["side/tone", "pair/preference", "section/depth"],
        "id-c": ["response/tone", "response/fit"],
    }


def test_what_is_answered_while_a_message_is_under_way_goes_with_the_next(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcdef"))
    bench.go()
    assert bench.sent_items() == [["id-a"]]
    bench.go()
    bench.go()
    bench.wait(1)
    assert bench.sent_items() == [["id-a"]], "one message at a time"
    bench.wait(0.6)
    assert bench.sent_items() == [["id-a"], ["id-a", "id-b", "id-c"]], "for a second and a half, if no data comes"
    bench.go()
    bench.ack()
    assert bench.sent_items()[2:] == [["id-d"]], "data has come: at once what is left"
    assert bench.text(".status") == "1 not saved yet"
    bench.wait(3)
    assert bench.sent_items()[3:] == [], "and once, for what waited for its turn is not due any more"
    bench.ack()
    assert bench.text(".status") == "saved 14:03:11" and bench.stored_keys("answer") == []
    bench.go()
    assert bench.sent_items()[3:] == [["id-e"]], "nothing is under way: at once"


def test_two_answers_of_one_moment_are_one_message_and_a_message_has_its_time(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abcdef"))
    bench.press_at_once(2, "Enter", ctrl=True)
    assert bench.sent_items() == [["id-a", "id-b"]]
    bench.go()
    bench.wait(1)
    bench.ack()
    assert bench.sent_items()[1:] == [["id-c"]]
    bench.wait(0.6)  # the time of the message before this one would be over now
    bench.go()
    assert bench.sent_items()[2:] == [], "this one is under way"
    bench.wait(1)
    assert bench.sent_items()[2:] == [["id-c", "id-d"]]


def test_it_is_sent_again_after_longer_and_longer_pauses_until_it_is_saved(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    assert bench.sent_items() == [["id-a"]]
    bench.wait(80)
    messages = [m for m in bench.messages() if m["answers"]]
    clocks = [m["clock"] for m in messages]
    pauses = [round((b - a) / 1000, 2) for a, b in itertools.pairwise(clocks)]
    assert pauses == pytest.approx([4, 6.4, 10.24, 16.38, 20, 20], abs=0.02)
    assert len({m["answers"][0]["key"] for m in messages}) == 1
    assert [m["nonce"] for m in messages] == sorted({m["nonce"] for m in messages})
    bench.tell()  # data after a silence: the server is back, and is asked soon
    before = len(bench.sent_items())
    bench.wait(0.7)
    assert len(bench.sent_items()) == before + 1
    bench.ack()
    bench.wait(60)
    assert len(bench.sent_items()) == before + 1
    bench.go()
    bench.wait(4.1)
    assert bench.sent_items()[-2:] == [["id-b"], ["id-b"]], "the pauses begin anew"


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


def test_an_answer_after_long_reading_is_no_return_of_the_server(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), response("c"))
    bench.wait(10)
    bench.go()
    assert bench.sent_items() == [["id-a"]]
    bench.tell()
    bench.wait(3)
    assert bench.sent_items() == [["id-a"]], "nothing was tried in vain before"
    bench.wait(2)
    assert bench.sent_items() == [["id-a"], ["id-a"]]


def test_nothing_is_asked_for_while_there_is_enough_to_do(bench: Bench) -> None:
    bench.sit(response("a"), response("b"), response("c"))
    before = len(bench.messages())
    bench.tell()
    bench.wait(60)
    assert len(bench.messages()) == before
    bench.sit(response("a"), place="demo/other")
    bench.wait(1)
    before = len(bench.messages())
    bench.wait(60)
    assert len(bench.messages()) == before, "no more came, and one is left to do"


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


FULL = """([person, room]) => {
  window.letters = room;
  const set = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    const all = Object.entries(localStorage).filter(([k]) => k !== key && k.includes(person));
    if (all.reduce((n, [, v]) => n + v.length, value.length) > window.letters) throw new Error("full");
    set.call(this, key, value);
  } }"""


@pytest.mark.parametrize(("room", "stored_kind"), [(300, "draft"), (450, "answer")])
def test_where_room_is_short_the_answer_or_its_draft_is_kept(bench: Bench, room: int, stored_kind: str) -> None:
    """A draft is half as long as its answer: where both have no room, the draft makes room for it."""
    bench.page.evaluate(FULL, [bench.person, room])
    bench.sit(*(response(name) for name in "abcd"))
    bench.press("3")
    bench.wait_for_paint()
    assert len(bench.stored_keys("draft")) == 1
    bench.go()
    for kind in ("draft", "answer"):
        assert len(bench.stored_keys(kind)) == (kind == stored_kind)
    bench.page.evaluate("window.letters = 1e6")
    bench.wait(9)
    assert len(bench.stored_keys("answer")) == 1, "as soon as there is room"
    assert bench.text(".status").endswith("your answers are kept in this browser")
    bench.ack()
    bench.open()
    bench.sit(answered_sheet(response("a"), "v1", {"tone": 3, "fit": 2}), response("b"))
    assert bench.stored_keys("draft") == [] and "draft" not in bench.sum(), "a draft of what was answered since is old"


STORE_ROWS = """([person, rows]) => { for (const row of rows) localStorage.setItem(
    `assay:answer:${person}:${row.as || row.key}`,
    JSON.stringify({person, action: "skip", item: "i", version: "", values: [], notes: [], ...row})) }"""


def test_of_what_the_browser_kept_only_whole_answers_of_this_person_are_sent_and_in_order(bench: Bench) -> None:
    before = {"k3": "k2", "k1": "", "k4": "k3", "k2": "k1"}
    good = [{"key": key, "version": version} for key, version in before.items()]
    bad = [{"key": "k5", "as": "k6"}, {"key": "k7", "person": "another"}, {"key": "k8", "item": None},
           {"key": "k9", "values": None}, {"key": "k10", "notes": 3}, {"key": "k11", "action": ""}]  # fmt: skip
    bench.page.evaluate(STORE_ROWS, [bench.person, [*good, *bad]])
    bench.sit(response("a"))
    assert [a["key"] for a in bench.waiting()] == ["k1", "k2", "k3", "k4"]
    assert [key.split(":")[-1] for key in bench.stored_keys("answer")] == ["k1", "k2", "k3", "k4"]
    answers = [{"key": k, "version": v} for k, v in (("b2", "b1"), ("a1", ""), ("b1", "gone"), ("a2", "a1"))]
    assert [a["key"] for a in bench.call("inOrder", answers)] == ["b1", "b2", "a1", "a2"]


def test_an_item_whose_answer_is_still_to_be_sent_is_not_asked_again(bench: Bench) -> None:
    bench.page.evaluate(STORE_ROWS, [bench.person, [{"key": "k1", "item": "id-a"}, {"key": "k2", "item": "id-b"}]])
    bench.sit(response("a"), response("b", version="v1"), response("c"))
    assert bench.item == "id-b", "what is still to be sent of it was given before v1"
    bench.press("s", "1", "Enter")
    assert bench.item == "id-c"


def test_a_message_holds_a_million_letters_and_one_answer_in_any_case(bench: Bench) -> None:
    sizes = (1_100_000, 600_000, 300_000, 200_000)
    long = [{"key": f"k{n}", "version": f"k{n - 1}", "reason": "x" * size} for n, size in enumerate(sizes)]
    bench.page.evaluate(STORE_ROWS, [bench.person, long])
    bench.sit(response("a"))
    assert [a["key"] for a in bench.waiting()] == ["k0"]
    bench.tell()
    bench.wait(1)
    assert len(bench.sent_items()) == 1, "nothing of it was taken: it is not sent again at once"
    bench.ack()
    assert [a["key"] for a in bench.waiting()] == ["k1", "k2"]
    bench.ack()
    assert [a["key"] for a in bench.waiting()] == ["k3"]
    bench.ack()
    bench.wait(30)
    assert len(bench.sent_items()) == 3 and bench.text(".status").startswith("saved")


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
    answer = bench.refuse()
    toast = bench.page.locator(".toast.refused")
    assert toast.locator("b").inner_text().strip() == "a was not saved." and "run out" in toast.inner_text()
    assert bench.stored_keys("answer") == [] and bench.text(".status") == ""
    bench.tell(refused=[{"key": answer["key"], "item": "id-a", "why": "twice"}])
    assert toast.count() == 1 and "twice" not in toast.inner_text(), "the same data can come twice"
    toast.get_by_text("Open it again").click()
    assert bench.item == "id-a" and toast.count() == 0
    assert bench.mine("tone") == ["3"] and bench.mine("fit") == ["2"] and bench.page.locator(".mynote").count() == 2
    bench.wait_for_paint()
    assert [key.split(":")[-1] for key in bench.stored_keys("draft")] == ["id-a"], "and kept, as it is saved nowhere"
    assert bench.messages()[-1]["want"] == {"item": "id-a", "reveal": False}, "and its newest state is asked for"
    bench.tell(sheets=[response("a")])
    bench.wait(10)
    assert len([m for m in bench.messages() if m["want"]]) == 1, "it has come, though nothing in it is new"
    assert bench.mine("tone") == ["3"] and bench.page.locator(".mynote").count() == 2
    bench.go()
    [again] = bench.waiting()
    assert values(again) == values(answer) and again["version"] == "" and again["key"] != answer["key"]
    assert (again["notes"], again["repairs"]) == (answer["notes"], answer["repairs"])
    bench.ack()
    assert bench.item == "id-b" and bench.text(".status") == "saved 14:03:11"


@pytest.mark.parametrize("end", ["open", "close", "saved"])
def test_a_refused_answer_is_there_after_a_reload_too_until_its_message_is_done_with(bench: Bench, end: str) -> None:
    bench.sit(response("a"), response("b"))
    bench.press("3", "i")
    bench.page.keyboard.type("odd")
    bench.press("Enter")
    bench.go()
    bench.refuse()
    broken = "person => localStorage.setItem(`assay:refused:${person}:x`, '{\"item\": 7}')"
    bench.page.evaluate(broken, bench.person)
    toast = bench.page.locator(".toast.refused")
    for place, count in (("demo/audit", 0), ("demo/review", 1)):
        bench.open()
        bench.sit(response("a"), response("b"), place=place)
        assert toast.count() == count, "where it was answered"
    assert toast.inner_text().startswith("a was not saved. Your claim on it has run out.") and bench.mine("tone") == []
    if end == "saved":
        bench.go()
        bench.ack()
    else:
        toast.get_by_text({"open": "Open it again", "close": "close"}[end]).click()
    if end == "open":
        assert bench.mine("tone") == ["3"] and bench.page.locator(".mynote").count() == 1
        bench.wait_for_paint()
    assert toast.count() == 0
    bench.open()
    bench.sit(response("a"), response("b"))
    assert toast.count() == 0 and bench.mine("tone") == (["3"] if end == "open" else []), "as its draft"


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
    bench.press("b")
    bench.wait_for_paint()
    assert bench.mine("tone") == ["2"] and len(bench.stored_keys("draft")) == 1, "what is saved nowhere is kept"
    bench.press("Escape", "5")
    again = bench.page.get_by_text("Open it again")
    for item, tone in (("id-a", "1"), ("id-b", "2")):
        again.first.click()
        assert bench.item == item and bench.mine("tone") == [tone]
    bench.go()
    assert bench.item == "id-c" and bench.mine("tone") == ["5"]


def test_a_refused_change_is_opened_on_the_answer_that_it_changed(bench: Bench) -> None:
    bench.sit(answered_sheet(response("a"), "v1", {"tone": 1, "fit": 2}), response("b"), response("c"))
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
    answer = bench.refuse(**more)
    bench.page.set_viewport_size(SIZE)
    assert [v["dimension"] for v in answer["values"] if v["unit"] == "conversation" and v.get("unseen")] != []
    bench.page.get_by_text("Open it again").click()
    assert bench.mine("verdict") == [], "it was accepted without having been looked at"
    assert bench.page.locator(".cell[data-unit='turn:1'] .mine").first.inner_text() == "3"


def test_a_refused_answer_is_held_until_its_item_has_been_fetched_and_is_filled_in_then(bench: Bench) -> None:
    ratings = [{"unit": "response", "dimension": "tone", "v": 3}]
    bench.page.evaluate(
        STORE_ROWS, [bench.person, [{"key": "k1", "item": "id-x", "action": "save", "values": ratings}]]
    )
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
    bench.page.evaluate(STORE_ROWS, [bench.person, [{"key": "k1", "item": "id-x"}]])
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


def test_the_same_acknowledgement_can_come_twice(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    saved = [{"key": bench.waiting()[0]["key"], "at": "14:03:11"}]
    bench.tell(acked=saved)
    bench.go()
    bench.tell(acked=saved)
    assert [a["item"] for a in bench.waiting()] == ["id-b"] and bench.text(".status") == "1 not saved yet"
    bench.wait(5)
    assert [a["item"] for a in bench.waiting()] == ["id-b"], "it is still sent"


def test_an_answer_that_an_older_version_kept_is_opened_again_too(bench: Bench) -> None:
    ratings = [{"unit": "response", "dimension": "tone", "v": 3}]
    bench.page.evaluate(
        STORE_ROWS, [bench.person, [{"key": "k1", "item": "id-a", "action": "save", "values": ratings}]]
    )
    bench.sit(response("b"))
    bench.refuse(sheets=[response("a")])
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-a" and bench.mine("tone") == ["3"] and not bench.page.locator(".mynote").count()


def test_a_refused_value_that_the_scale_has_no_more_is_not_filled_in(bench: Bench) -> None:
    ratings = [{"unit": "response", "dimension": d, "v": v} for d, v in (("tone", 9), ("gone", 1), ("fit", 4))]
    bench.page.evaluate(
        STORE_ROWS, [bench.person, [{"key": "k1", "item": "id-a", "action": "save", "values": ratings}]]
    )
    bench.sit(response("b"))
    bench.refuse(sheets=[response("a")])
    bench.page.get_by_text("Open it again").click()
    assert bench.item == "id-a" and bench.mine("tone") == [] and bench.mine("fit") == ["4"]
    bench.go()
    assert values(bench.waiting()[0]) == {"tone": 4, "fit": 4}


def test_who_goes_back_meanwhile_waits_for_no_item(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    bench.go()
    bench.ack()
    bench.tell(refused=[{"key": "elsewhere", "item": "id-x", "why": "Your claim on it has run out."}])
    bench.page.get_by_text("Open it again").click()
    assert bench.messages()[-1]["want"] == {"item": "id-x", "reveal": False}
    before = len(bench.messages())
    bench.press("b")
    bench.wait(60)
    assert bench.messages()[before:] == []
    assert not bench.page.locator(".hint").is_visible(), "it is not said that it could not be fetched"


def test_each_silence_of_the_server_is_said_once(bench: Bench) -> None:
    bench.sit(*(response(name) for name in "abc"))
    for _ in range(2):
        bench.go()
        bench.wait(9)
        assert str(bench.page.locator(".live").text_content()).startswith("1 not saved yet: the server does not answer")
        bench.ack()
