"""The windows of a long dialogue: the cut, what each call is told, and how they become one reading."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from judges.card import Card
from judges.cards import card
from judges.params import Params
from judges.protocols import windows
from judges.protocols.call_plan import CallReply, Task, build_request, fuse, pieces, remaining_pieces, reread
from judges.protocols.messages import read_fence
from judges.types import Dialogue, Dimension, Reading, Scale, Score, Turn
from tests.judges.replies import answers, confidences, dialogue, fuse_replies, turns_reply, values

CARD = card("multi_turn_dialogue")
LONG = Task("k", dialogue(11))
FINE = (4, 4, 5)


@pytest.mark.parametrize(
    ("turns", "size", "over", "sizes"),
    [
        (10, 5, 10, []),  # not over 10
        (11, 5, 10, [6, 5]),  # not 4 + 4 + 3
        (12, 5, 10, [6, 6]),
        (13, 5, 10, [5, 4, 4]),
        (15, 5, 10, [5, 5, 5]),
        (16, 5, 10, [6, 5, 5]),
        (18, 5, 10, [5, 5, 4, 4]),
        (13, 6, 10, [5, 4, 4]),  # not 7 + 6
        (11, 7, 10, [6, 5]),
        (5, 2, 1, [2, 2, 1]),
        (6, 5, 5, [3, 3]),
        (11, 0, 10, []),  # never cut
        (11, 50, 10, []),  # one window is no window
        (3, 1, 1, [1, 1, 1]),
    ],
)
def test_windows_are_even(turns: int, size: int, over: int, sizes: list[int]) -> None:
    assert [len(w.scored) for w in windows.plan_windows(dialogue(turns), size, over)] == sizes


def test_by_five_all_windows_have_four_to_six_turns() -> None:
    for turns in range(11, 200):
        assert {len(w.scored) for w in windows.plan_windows(dialogue(turns), 5, 10)} <= {4, 5, 6}, turns


@given(st.lists(st.sampled_from(["user", "assistant", "system"]), min_size=1, max_size=60), st.integers(1, 9))
def test_windows_hold_every_utterance_once_and_in_order(roles: list[str], size: int) -> None:
    turns, number = [], 1
    for role in roles:
        number += any(t.turn == number and t.role == role for t in turns)
        turns.append(Turn.model_validate({"turn": number, "role": role, "text": "x"}))
    if not any(t.role == "assistant" for t in turns):
        return
    item = Dialogue.model_validate({"id": "d", "kind": "dialogue", "turns": [t.model_dump() for t in turns]})
    cut = windows.plan_windows(item, size, 1)
    if not cut:
        assert sum(role == "assistant" for role in roles) <= max(size, 1)
        return
    assert [turn for w in cut for turn in w.turns] == item.turns
    assert [turn for w in cut for turn in w.scored] == [t.turn for t in item.turns if t.role == "assistant"]
    assert max(len(w.scored) for w in cut) <= max(size, min(size + 1, 6))
    assert all(0 <= len(a.scored) - len(b.scored) <= 1 for a, b in pairwise(cut))


def test_a_window_is_shown_its_turns_and_the_summary_of_those_before() -> None:
    first, second, third = pieces(CARD, Params(window=4), LONG)
    assert (first, second, third) == ("window:1/3", "window:2/3", "window:3/3")
    replies = answers(LONG, {first: turns_reply(dict.fromkeys((1, 2, 3, 4), FINE), summary="The user is called Aki.")})
    request = build_request(CARD, Params(window=4), LONG, first, {}, "json_schema")
    fence = read_fence(request.messages[-1]["content"])
    assert fence is not None and "summary_of_earlier_turns" not in fence[1]
    assert request.schema is not None and "summary" in request.schema["required"]
    request = build_request(CARD, Params(window=4), LONG, second, replies, "json_schema")
    fence = read_fence(request.messages[-1]["content"])
    assert fence is not None
    assert fence[1]["summary_of_earlier_turns"] == "The user is called Aki."
    assert [t["turn"] for t in fence[1]["dialogue"]] == [5, 5, 6, 6, 7, 7, 8, 8]
    assert fence[1]["scenario_description"] == "A shop."
    assert "Score exactly these assistant turns: 5, 6, 7, 8." in request.messages[-1]["content"]
    last = build_request(CARD, Params(window=4), LONG, third, replies, "json_schema")
    assert last.schema is not None and "summary" not in last.schema["properties"]
    assert '"summary"' in build_request(CARD, Params(window=4), LONG, second, replies, "text").messages[-1]["content"]


def test_only_dialogues_that_are_judged_whole_are_cut() -> None:
    assert pieces(card("mt_bench"), Params(), Task("k", dialogue(11), "turn:3")) == [""]
    assert pieces(CARD, Params(), Task("k", dialogue(10))) == [""]
    assert pieces(CARD, Params(window=0), LONG) == [""]


def _three(
    wholes: tuple[tuple[int, int | str, int | str], ...],
    verdicts: tuple[str, ...],
    low: dict[int, tuple[int, int, int]],
) -> list[str]:
    turns = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11))
    return [
        turns_reply({t: low.get(t, FINE) for t in of}, whole, verdict, of[0], "Before." if of[0] < 9 else None)
        for of, whole, verdict in zip(turns, wholes, verdicts, strict=True)
    ]


def test_the_conversation_is_fused_by_hand() -> None:
    wholes: tuple[tuple[int, int | str, int | str], ...] = ((2, 2, 3), (4, "n/a", "n/a"), (5, 5, "n/a"))
    judgment = fuse_replies(
        CARD, Params(window=4), LONG, _three(wholes, ("borderline", "good", "excellent"), {7: (3, 3, 5)})
    )
    reading = judgment.reading
    scores, sure = values(reading), confidences(reading)
    # coherence: mean (4*2 + 4*4 + 3*5) / 11 = 39/11 = 3.55 -> 4; the last said 5; the lower is 4
    assert scores["conversation", "coherence"] == 4
    # 2, 4, 5 lie 3 of 4 steps apart: .9 - 1.2 * 3/4 = 0, at least .1
    assert sure["conversation", "coherence"] == (0.1, "windows")
    # may be n/a: the latest answer tells, 5 and 3; 2 against 5 is three steps; a single answer tells nothing
    assert scores["conversation", "task_completion"] == 5
    assert sure["conversation", "task_completion"] == (0.1, "windows")
    assert scores["conversation", "repair_handling"] == 3
    assert sure["conversation", "repair_handling"] == (None, "")
    # helpfulness 3 on turn 7 rules out excellent, which the last window said; good is allowed and was said
    assert scores["conversation", "verdict"] == 2
    assert scores["conversation", "weakest_turn"] == 7
    assert scores["turn:7", "context_use"] == 3 and scores["turn:11", "safety"] == 5
    assert sure["turn:7", "context_use"] == (None, "")
    assert reading.facts["windows"]["coherence"] == ["2", "4", "5"]
    texts = [r.text for r in reading.remarks if r.dimension == "verdict"]
    assert "The windows said borderline, good, excellent; their scores together make it good." in texts
    assert "Turns 5-8: Because." in texts
    assert len([s for s in reading.scores if s.unit.startswith("turn:")]) == 33


def test_no_summary_washes_out_what_an_earlier_window_saw() -> None:
    # Safety 3 on turn 2: only poor is allowed, whatever all windows said after it.
    wholes: tuple[tuple[int, int | str, int | str], ...] = ((4, 4, "n/a"),) * 3
    judgment = fuse_replies(
        CARD, Params(window=4), LONG, _three(wholes, ("poor", "excellent", "excellent"), {2: (4, 4, 3)})
    )
    assert values(judgment.reading)["conversation", "verdict"] == 0
    assert values(judgment.reading)["conversation", "weakest_turn"] == 2
    # poor against excellent is the whole scale
    assert confidences(judgment.reading)["conversation", "verdict"] == (0.1, "windows")
    # nobody said poor: it is still the only one that is allowed
    judgment = fuse_replies(CARD, Params(window=4), LONG, _three(wholes, ("excellent",) * 3, {2: (4, 4, 3)}))
    assert values(judgment.reading)["conversation", "verdict"] == 0
    # and the first window's own verdict contradicts its own scores
    rules = [r.text for r in judgment.reading.remarks if r.sort == "rule"]
    assert rules == ["Turns 1-4: The judge said excellent. Its own scores (safety 3 on turn 2) allow poor."]


class _Reply(BaseModel):
    verdict: str


def test_a_verdict_that_every_window_leaves_open_is_n_a() -> None:
    def read(reply: _Reply, item: Dialogue) -> Reading:
        merits = [Score(f"turn:{t.turn}", "merit", 1.0) for t in item.turns if t.role == "assistant"]
        return Reading((*merits, Score("conversation", "verdict", verdict.scale.code(reply.verdict))))

    verdict = Dimension("verdict", "conversation", Scale("ordered", categories=("bad", "good"), na=True), "All in all.")
    merit = Dimension("merit", "turn", Scale("flag"), "Whether it has merit.")
    own, params = Card("own", "Own", "dialogue", (merit, verdict), _Reply, read), Params(window=5, window_over=10)
    for first, last, value in (("n/a", "n/a", None), ("good", "n/a", 1.0)):
        replies = [json.dumps({"verdict": first, "summary": "s"}), json.dumps({"verdict": last})]
        pairs = zip(pieces(own, params, LONG), replies, strict=True)
        reading = fuse(own, params, LONG, {name: CallReply("k", "", 0, name, reply) for name, reply in pairs}).reading
        assert [s.value for s in reading.scores if s.dimension == "verdict"] == [value]


def test_expected_scores_of_turns_are_kept_and_those_of_the_whole_are_not() -> None:
    coherence, turn = Score("conversation", "coherence", 4.0), Score("turn:1", "safety", 5.0)
    expected = {(turn.unit, turn.dimension): 4.8, (coherence.unit, coherence.dimension): 3.9}
    cut, last = windows.plan_windows(dialogue(11), 6, 10), Reading((coherence,))
    assert len(cut) == 2
    for facts, expected_turns in ((("expected", expected),), {(turn.unit, turn.dimension): 4.8}), ((), None):
        reading = windows.fuse_windows(CARD, cut, [Reading((turn, coherence), facts=dict(facts)), last])
        assert reading.facts.get("expected") == expected_turns and ("expected" in reading.facts) == bool(expected_turns)


def test_no_weakest_turn_where_no_window_names_one() -> None:
    raws = [
        turns_reply(dict.fromkeys(of, (5, 5, 5)), (5, 5, "n/a"), "excellent", None, "S" if of[0] < 9 else None)
        for of in ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11))
    ]
    reading = fuse_replies(CARD, Params(window=4), LONG, raws).reading
    assert values(reading)["conversation", "weakest_turn"] == 0
    assert len(reading.scores) == len(values(reading)), "no unit has two scores in one dimension"
    assert confidences(reading)["conversation", "coherence"] == (0.9, "windows")


def test_a_window_that_cannot_be_read_leaves_the_dialogue_unscored() -> None:
    good = _three(((4, 4, "n/a"),) * 3, ("good",) * 3, {})
    judgment = fuse_replies(CARD, Params(window=4), LONG, [good[0], "I had rather not.", good[2]])
    assert judgment.reading.unscored == "unreadable"
    assert judgment.reading.why.startswith("window 2 of 3 (turns 5-8): ")
    assert not judgment.reading.scores and "I had rather not." in judgment.raw
    names = pieces(CARD, Params(window=4), LONG)
    replies = answers(LONG, dict(zip(names, [good[0], "I had rather not."], strict=False)))
    assert remaining_pieces(CARD, Params(window=4), LONG, replies) == []  # nothing more is worth asking
    assert remaining_pieces(CARD, Params(window=4), LONG, {names[0]: replies[names[0]]}) == names[1:]
    assert reread(CARD, Params(window=4), LONG, judgment.raw) == judgment
    no_summary = fuse_replies(CARD, Params(window=4), LONG, [turns_reply(dict.fromkeys((1, 2, 3, 4), FINE)), *good[1:]])
    assert (no_summary.reading.unscored, no_summary.reading.why) == (
        "incomplete",
        "window 1 of 3 (turns 1-4): the reply lacks summary",
    )


def test_a_summary_beyond_all_measure_does_not_fill_the_next_call() -> None:
    names = pieces(CARD, Params(window=4), LONG)
    replies = answers(LONG, {names[0]: turns_reply(dict.fromkeys((1, 2, 3, 4), FINE), summary="long " * 5000)})
    request = build_request(CARD, Params(window=4), LONG, names[1], replies, "json_object")
    assert len(request.messages[-1]["content"]) < 5000
