"""Conversations rebuilt from spans that are given one by one, and scores brought to what they are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from data.importing.conversations.call_chains import TraceSpan
from data.importing.conversations.traces import TraceReader, TraceScore, iso_time, nanoseconds
from data.importing.conversations.utterances import Utterance
from judges.importing.entries import Hint, Line, NamedValue, RejectedRow

ASK, ANSWER, MORE, LAST = (Utterance(role, text) for role, text in (
    ("user", "Q"), ("assistant", "A"), ("user", "R"), ("assistant", "B"),
))  # fmt: skip


def call(trace: str, span: str, inputs: list[Utterance], answer: list[Utterance], **more: Any) -> TraceSpan:
    """The call of a model."""
    return TraceSpan(trace, span, sort="model", inputs=inputs, answer=answer, **more)


def score(value: Any = 1, **more: Any) -> TraceScore:
    return TraceScore("tone", "judge", "j", number=value, **more)


class Traces:
    """All that is told of what a test adds, each on a line of its own."""

    def __init__(self, *acts: Callable[[TraceReader], object] | TraceSpan | TraceScore) -> None:
        reader = TraceReader("Tool")
        reader.file = "f"
        for reader.line, act in enumerate(acts, 1):
            if isinstance(act, TraceSpan):
                reader.add(replace(act))
            elif isinstance(act, TraceScore):
                reader.score(replace(act))
            else:
                act(reader)
        entries = list(reader.entries())
        reader.close()
        self.items = {entry.data["id"]: entry.data for entry in entries if isinstance(entry, Line)}
        self.lines = [(entry.data["id"], entry.line, entry.weak) for entry in entries if isinstance(entry, Line)]
        self.scores = [
            (entry.item, entry.unit, entry.value, entry.note) for entry in entries if isinstance(entry, NamedValue)
        ]
        self.units = {entry.value: (entry.item, entry.unit) for entry in entries if isinstance(entry, NamedValue)}
        self.hints = [entry.sentence.removeprefix("Tool: ") for entry in entries if isinstance(entry, Hint)]
        rejected = [entry for entry in entries if isinstance(entry, RejectedRow)]
        self.faults = [(entry.line, entry.problems[0][1], entry.row) for entry in rejected]


DANGLING = "refers to nothing that could be imported from these files: import it with what it refers to."
CUT = "has no answer that could be judged: its trace was cut, or its texts were not recorded."
ONE_CALL = call("t", "s", [ASK], [ANSWER], model="m", meta={"k": 1})
TWO = call("t", "s2", [ASK, ANSWER, MORE], [LAST], start=2)


def test_a_call_is_a_response_and_calls_that_go_on_a_dialogue() -> None:
    reading = Traces(ONE_CALL)
    assert reading.items == {"t": {
        "id": "t", "kind": "response", "system": "m", "task": "Q", "output": "A", "reference": "", "meta": {"k": 1},
    }}  # fmt: skip
    assert (reading.lines, reading.hints, reading.faults) == ([("t", 1, False)], [], [])
    reading = Traces(TWO, ONE_CALL)
    assert [(e["turn"], e["role"], e["text"]) for e in reading.items["t"]["turns"]] == [
        (1, "user", "Q"), (1, "assistant", "A"), (2, "user", "R"), (2, "assistant", "B"),
    ]  # fmt: skip
    assert (reading.items["t"]["system"], reading.lines) == ("m", [("t", 2, False)]), "the first call by its start"
    reading = Traces(call("t", "s", [Utterance("system", "S"), ASK], [ANSWER], meta={"reference": "E"}))
    item = reading.items["t"]
    assert (item["task"], item["reference"], item["meta"]) == ("S\n\nQ", "E", {})
    for responses in (
        Traces(ONE_CALL, lambda reader: reader.session("t", "")), Traces(ONE_CALL, call("u", "s", [ASK], [ANSWER])),
        Traces(ONE_CALL, TraceSpan("u", "x", meta={"k": 2})),
    ):  # fmt: skip
        assert responses.items["t"]["kind"] == "response"
    for other in (
        call("u", "s", [ASK], [ANSWER], session="c"), call("u", "s", [ASK, ANSWER, MORE], [LAST]),
        TraceSpan("u", "x", sort="tool", inputs=[Utterance("tool", "f()")]), lambda reader: reader.session("u", "c"),
    ):  # fmt: skip
        assert Traces(ONE_CALL, other).items["t"]["kind"] == "dialogue", "one of many turns makes dialogues of all"
    assert Traces(call("t", "s", [], [ANSWER])).items["t"]["kind"] == "dialogue", "nothing was asked"


@pytest.mark.parametrize(
    ("inputs", "more", "texts"),
    [
        ([ASK], {}, "QB"),  # the same was asked again: the later answer holds
        ([ASK, MORE], {}, "QARB"),  # a client that repeats only what the user said
        ([MORE], {}, "QARB"),  # and one that repeats nothing, in calls of one name below one span
        ([ASK, ANSWER], {}, "QA\n\nB"),  # the answer goes on
        ([MORE], {"name": "other"}, "RB"),
        ([MORE], {"parent": "p"}, "RB"),
        ([Utterance("system", "S"), ASK], {}, "QB"),  # another system prompt: another conversation, the later one holds
        ([Utterance("system", "S"), ASK, MORE], {}, "Q\n\nRB"),
        ([Utterance("system", "S"), MORE], {}, "RB"),
        ([Utterance("system", "S"), ASK, ANSWER, MORE], {}, "QARB"),  # unless it knows what was answered
        ([Utterance("system", "S"), ASK, LAST, MORE], {}, "QBRB"),
        ([ASK, LAST, MORE], {}, "QARB"),
        ([MORE, LAST, ASK], {}, "RBQB"),  # it remembers other things
    ],
)
def test_a_call_goes_on_where_it_repeats_what_was_said(inputs: list[Utterance], more: Any, texts: str) -> None:
    first = call("t", "s", [ASK], [ANSWER], session="c")
    reading = Traces(first, call("t", "s2", inputs, [LAST], start=2, session="c", **more))
    assert "".join(entry["text"] for entry in reading.items["c"]["turns"]) == texts


def test_a_trace_of_which_only_instructions_went_in_is_what_its_calls_say() -> None:
    root = TraceSpan("t", "r", sort="root", inputs=[Utterance("system", "S")], answer=[ANSWER])
    [item] = Traces(root, call("t", "s", [ASK], [ANSWER], parent="r", start=1)).items.values()
    assert (item["task"], item["output"]) == ("Q", "A")


def test_an_answer_that_is_given_again_takes_the_place_of_the_last_alone() -> None:
    first, second = call("t", "s", [ASK], [ANSWER], session="c"), call("t", "s2", [ASK, ANSWER, MORE], [LAST], start=2)
    again = call("t", "s3", [ASK, MORE], [Utterance("assistant", "C")], start=3)
    reading = Traces(first, replace(second, session="c"), replace(again, session="c"))
    assert "".join(entry["text"] for entry in reading.items["c"]["turns"]) == "QARC"


def test_where_the_trace_says_what_came_in_and_went_out_calls_that_repeat_nothing_are_apart() -> None:
    whole = TraceSpan("t", "r", sort="root", inputs=[ASK], answer=[ANSWER], session="c")
    first = call("t", "s", [ASK], [ANSWER], session="c", parent="r")
    reading = Traces(whole, first, call("t", "s2", [MORE], [LAST], start=2, session="c", parent="r"))
    assert [entry["text"] for entry in reading.items["c"]["turns"]] == ["Q", "A"]


def test_traces_of_a_session_are_one_conversation_in_the_order_of_their_begin() -> None:
    later = call("t2", "s", [MORE], [LAST], start=5, meta={"k": 2, "z": 3})
    early = call("t1", "s", [Utterance("system", "S"), ASK], [ANSWER], start=1, model="m", meta={"k": 1})
    sessions = [lambda reader, n=n: reader.session(f"t{n}", "c") for n in (1, 2)]  # type: ignore[misc]
    reading = Traces(later, *sessions, early, TraceSpan("t1", "x", meta={"of": "the trace", "k": 0}))
    assert (
        list(reading.items) == ["c"]
        and reading.items["c"]["scenario"] == "S"
        and reading.items["c"]["system"] == "m"
    )
    assert [entry["text"] for entry in reading.items["c"]["turns"]] == ["Q", "A", "R", "B"]
    assert reading.items["c"]["meta"] == {"of": "the trace", "k": 2, "z": 3}
    own = [call("t", f"s{n}", [ASK], [ANSWER], session=f"c{n}") for n in (1, 2)]
    assert list(Traces(*own).items) == ["c1", "c2"], "spans of one trace may be of several sessions"


def test_what_cannot_be_told_is_said_once() -> None:
    reading = Traces(
        TraceSpan("", "s", name="n1"), TraceSpan("t", "", name="n2"), ONE_CALL, call("t", "s", [MORE], [LAST]),
        call("cut", "s", [ASK], [], parent="lost"), score(None), score(None, label=""), score(0, span="s", trace="t"),
    )  # fmt: skip
    assert reading.faults == [
        (1, "2 times: a span (n1, n2) has no id, or names no trace.", [{"name": "n1"}, {"name": "n2"}]),
        (5, f"A conversation (cut) {CUT}", {"id": "cut"}),
    ]  # fmt: skip
    assert reading.hints == [
        "spans that stand in the files twice were read once (1).", "scores without a value were left out (2).",
        "spans name a parent that is not in the files: their traces may be cut (1).",
    ]  # fmt: skip
    assert reading.items["t"]["output"] == "A" and reading.scores == [("t", "response", 0, "")]


def test_scores_stand_where_what_they_name_stands() -> None:
    reading = Traces(
        TraceSpan("t", "root"), TraceSpan("t", "step", "root"), call("t", "s", [ASK], [ANSWER], parent="step"),
        call("t", "s2", [ASK, ANSWER, MORE], [LAST], parent="step", start=2), TraceSpan("t", "low", "s"),
        TraceSpan("t", "side", "root"),
        score(1, trace="t", span="s"), score(2, trace="t", span="s2"), score(3, trace="t", span="step"),
        score(4, trace="t", span="root"), score(5, trace="t", span="low"), score(6, trace="t", span="side"),
        score(7, trace="t"), score(8, span="s"), score(9, trace="u"), score(10, trace="t", span="none"),
        score(11, session="t"), score(12, session="c"), score(13, key="k", trace="t"), score(14, key="k", trace="t"),
        score(15, label="warm", note="Kind.", trace="t"),
    )  # fmt: skip
    assert reading.units == {
        1: ("t", "turn:1"), 2: ("t", "turn:2"), 3: ("t", "turn:2"), 4: ("t", "conversation"), 5: ("t", "turn:1"),
        6: ("t", "conversation"), 7: ("t", "conversation"), 8: ("t", "turn:1"), 11: ("t", "conversation"),
        13: ("t", "conversation"), 15: ("t", "conversation"),
    }  # fmt: skip
    assert reading.scores[-1][3] == "warm\n\nKind."
    rows = [{"name": "tone", "of": of, "value": value} for of, value in (("u", 9), ("none", 10), ("c", 12))]
    assert reading.faults == [(15, f"3 times: a score (u, none, c) {DANGLING}", rows)]


def test_an_answer_is_known_by_its_own_id_and_a_trace_of_a_session_by_its_turn() -> None:
    both = [lambda reader, span=span: reader.add(span, f"r{span.trace}") for span in (  # type: ignore[misc]
        call("1", "s", [ASK], [ANSWER], session="c"), call("2", "s", [MORE], [LAST], session="c", start=2),
    )]  # fmt: skip
    reading = Traces(*both, score(1, answer="r1"), score(2, answer="r2"), score(3, trace="1"), score(4, trace="2"),
                score(5, session="c"), score(6, answer="r1", span="s", trace="2"))  # fmt: skip
    assert reading.units == {
        1: ("c", "turn:1"), 2: ("c", "turn:2"), 3: ("c", "turn:1"), 4: ("c", "turn:2"), 5: ("c", "conversation"),
        6: ("c", "turn:2"),
    }  # fmt: skip


def test_scores_without_any_traces_are_of_items_without_texts() -> None:
    reading = Traces(score(1, trace="t"), score(2, span="s", trace="t"), score(3, session="c"), score(4, trace="t"),
                score(5))
    assert reading.lines == [("t", 1, True), ("s", 2, True), ("c", 3, True)]
    assert reading.items["t"] == {"id": "t", "kind": "response", "task": "", "output": ""}
    assert reading.units == {n: (item, "response") for n, item in ((1, "t"), (2, "s"), (3, "c"), (4, "t"))}
    assert reading.hints == [
        "the files hold scores and no traces, so their items have no texts: to have them, import the traces together "
        "with the scores."
    ]
    row = {"name": "tone", "of": "", "value": 5}
    assert reading.faults == [(5, f"A score (it names no trace) {DANGLING}", row)]
    assert not Traces().hints


@pytest.mark.parametrize(("scores", "values"), [
    ([(1, None), (0.5, "warm")], [(1, ""), (0.5, "warm")]), ([(None, "warm"), (2, "cold")], [("warm", ""),
    ("cold", "")]),
    ([(None, "warm"), (2, None)], [("warm", ""), (2, "")]), ([(True, "yes"), (False, "no")], [(True, "yes"),
    (False, "no")]),
])  # fmt: skip
def test_under_a_name_stand_numbers_or_words_where_not_everything_has_a_number(
    scores: list[tuple[Any, Any]], values: list[tuple[Any, str]]
) -> None:
    reading = Traces(ONE_CALL, *(score(number, label=label, trace="t") for number, label in scores))
    assert [(value, note) for *_, value, note in reading.scores] == values


def test_times_are_read_in_the_unit_that_their_size_tells() -> None:
    for most, unit in ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3)):
        assert nanoseconds(most) == most * unit
        assert nanoseconds(most + 1) == (most + 1) * unit // 1000
    assert nanoseconds(0) == nanoseconds("0") == nanoseconds(None) == nanoseconds("x") == nanoseconds({}) == 0
    assert nanoseconds(" 1970-01-01T00:00:01.5 ") == 1_500_000_000 and nanoseconds("1970-01-01T01:00:00+01:00") == 0
    for text in ("1700000000.5", " 1700000000500 ", "1700000000500.0", "1.7000000005e9"):
        assert nanoseconds(text) == 1_700_000_000_500_000_000
    assert nanoseconds("nan") == nanoseconds("inf") == nanoseconds("1.7.1") == 0
    assert iso_time(1) == "1970-01-01T00:00:01+00:00" and iso_time(0) == iso_time(-5) == ""


def test_spans_that_lie_in_a_circle_are_gone_through_once() -> None:
    """A span that names itself, and two that name each other, around a call."""
    for around in ({"c": "c"}, {"c": "d", "d": "c"}):
        outer = [TraceSpan("t", span, parent) for span, parent in around.items()]
        reading = Traces(
            replace(ONE_CALL, parent="c"), *outer, *(score(n, trace="t", span=s) for n, s in enumerate(around))
        )
        assert reading.units == dict.fromkeys(range(len(around)), ("t", "response"))
        reading = Traces(ONE_CALL, *outer, score(trace="t", span="c"))
        assert reading.units == {1: ("t", "response")}
