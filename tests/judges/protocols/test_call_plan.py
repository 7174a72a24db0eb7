"""What one judgment takes: its calls, its raw text, and how several answers become one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.authoring.custom import from_recipe
from judges.authoring.recipe import Recipe
from judges.card import Card
from judges.cards import card
from judges.params import Params
from judges.protocols import combination, orders
from judges.protocols.call_plan import (
    CallReply,
    Task,
    build_request,
    fuse,
    pack_replies,
    pieces,
    remaining_pieces,
    reread,
    tasks,
    unpack_replies,
)
from judges.types import Response, Scale
from tests.judges.replies import SHIPPED, answers, any_turns_reply, dialogue, fuse_replies, pair, turns_reply, values

TURNS = card("multi_turn_dialogue")
SHORT = Task("k", dialogue(2))
LONG = Task("k", dialogue(11))
FIVE, FIVE_NA, TEN = Scale("ordinal", 1, 5), Scale("ordinal", 1, 5, na=True), Scale("ordinal", 1, 10)
WORDS = Scale("unordered", categories=("a", "tie", "b"), drawn="tie")


# -- one call ---------------------------------------------------------------------------------------------------------


def test_the_raw_text_of_one_call_is_kept_as_it_came() -> None:
    raw = "So:\n" + turns_reply({1: (4, 4, 5), 2: (4, 4, 5)}, verdict="excellent")
    assert pieces(TURNS, Params(), SHORT) == [""]
    judgment = fuse_replies(TURNS, Params(), SHORT, [raw])
    assert judgment.raw == raw and values(judgment.reading)["conversation", "verdict"] == 3
    assert reread(TURNS, Params(), SHORT, raw) == judgment


def test_what_the_protocol_says_stands() -> None:
    answer = CallReply("k", "", 0, "", "half a rep", "cut_off", "The reply ended at 2,048 tokens.")
    judgment = fuse(TURNS, Params(), SHORT, {"": answer})
    assert (judgment.raw, judgment.reading.unscored, judgment.reading.why) == ("half a rep", "cut_off", answer.why)


def test_a_score_that_breaks_a_rule_is_a_guess() -> None:
    raw = turns_reply({1: (4, 4, 5), 2: (4, 4, 2)}, verdict="excellent")
    score = next(s for s in fuse_replies(TURNS, Params(), SHORT, [raw]).reading.scores if s.dimension == "verdict")
    assert (score.value, score.confidence, score.source) == (3, 0.3, "broken rule")


@pytest.mark.parametrize("card", SHIPPED.values(), ids=lambda c: c.name)
def test_every_card_can_be_asked(card: object) -> None:
    assert hasattr(card, "kind")
    item = {
        "dialogue": dialogue(2),
        "pair": pair(),
        "response": Response(id="r", kind="response", task="Say hello.", output="Hello."),
    }[card.kind]
    for task in tasks(card, card.defaults, [("k", item)]):  # type: ignore[arg-type]
        for piece in pieces(card, card.defaults, task):  # type: ignore[arg-type,attr-defined]
            for mode in ("json_schema", "text"):
                request = build_request(card, card.defaults, task, piece, {}, mode)  # type: ignore[arg-type,attr-defined]
                assert request.messages[0]["role"] == "system" and request.messages[-1]["role"] == "user"
                assert (request.schema is None) == (card.text is not None)  # type: ignore[attr-defined]


# -- several ----------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.data())
def test_windows_that_were_fused_are_read_again_the_same(data: st.DataObject) -> None:
    cut = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11))
    raws = [data.draw(any_turns_reply(turns, turns[0] < 9)) for turns in cut]
    judgment = fuse_replies(TURNS, Params(window=4), LONG, raws)
    assert judgment.reading.unscored is None
    assert reread(TURNS, Params(window=4), LONG, judgment.raw) == judgment
    assert {s.unit for s in judgment.reading.scores} == {"conversation", *(f"turn:{n}" for n in range(1, 12))}


def test_the_raw_texts_of_several_calls_are_one_json_text() -> None:
    names = pieces(TURNS, Params(window=4), LONG)
    replies = answers(LONG, dict.fromkeys(names[:2], "r\u2028é\x00"))
    replies[names[2]] = CallReply("k", "", 0, names[2], "", "refused", "It declined.")
    judgment = fuse(TURNS, Params(window=4), LONG, replies)
    assert json.loads(judgment.raw)["pieces"] == [
        {"piece": "window:1/3", "raw": "r\u2028é\x00"},
        {"piece": "window:2/3", "raw": "r\u2028é\x00"},
        {"piece": "window:3/3", "raw": "", "unscored": "refused", "why": "It declined."},
    ]
    assert unpack_replies(judgment.raw) == [
        ("window:1/3", "r\u2028é\x00", None, ""),
        ("window:2/3", "r\u2028é\x00", None, ""),
        ("window:3/3", "", "refused", "It declined."),
    ]


def test_a_refusal_by_the_protocol_is_read_again_from_the_raw_text() -> None:
    names = pieces(TURNS, Params(window=4), LONG)
    replies = {names[0]: CallReply("k", "", 0, names[0], "", "refused", "It declined.")}
    judgment = fuse(TURNS, Params(window=4), LONG, replies)
    assert (judgment.reading.unscored, judgment.reading.why) == ("refused", "window 1 of 3 (turns 1-4): It declined.")
    assert reread(TURNS, Params(window=4), LONG, judgment.raw) == judgment
    assert remaining_pieces(TURNS, Params(window=4), LONG, replies) == []


def test_a_piece_that_was_not_asked_leaves_a_judgment_unscored() -> None:
    replies = answers(LONG, {"window:1/3": turns_reply(dict.fromkeys((1, 2, 3, 4), (4, 4, 5)), summary="S")})
    judgment = fuse(TURNS, Params(window=4), LONG, replies)
    assert (judgment.reading.unscored, judgment.reading.why) == (
        "incomplete",
        "window 2 of 3 (turns 5-8): it was not asked",
    )


_LEAF = st.none() | st.text(max_size=5) | st.integers()
_KEYS = st.sampled_from(["piece", "raw", "unscored", "why"])
_ROWS = st.recursive(
    _LEAF, lambda deep: st.lists(deep, max_size=3) | st.dictionaries(_KEYS, deep, max_size=4), max_leaves=8
)


@given(st.text() | _ROWS.map(lambda rows: json.dumps({"pieces": rows}, separators=(",", ":"))))
def test_reading_again_never_raises(raw: str) -> None:
    for task in (SHORT, LONG):
        assert reread(TURNS, Params(), task, raw).reading.unscored


def test_pieces_of_another_plan_are_not_taken_for_this_one() -> None:
    raw = turns_reply({1: (4, 4, 5), 2: (4, 4, 5)})
    short, long = (pack_replies([(piece, raw, None, "")]) for piece in ("window:1/3", "window:1/2"))
    assert reread(TURNS, Params(), SHORT, short).reading.unscored == "unreadable"
    assert reread(TURNS, Params(window=4), LONG, long).reading.unscored == "unreadable"


def test_an_imported_reply_about_a_long_dialogue_is_read_whole() -> None:
    raw = turns_reply(dict.fromkeys(range(1, 12), (4, 4, 5)), verdict="excellent")
    assert values(reread(TURNS, Params(window=4), LONG, raw).reading)["conversation", "verdict"] == 3


def _make_card(kind: str, dimensions: list[tuple[str, str, dict[str, object]]]) -> Card:
    questions = [{"name": n, "unit": u, "definition": "Is it?", "answers": answers} for n, u, answers in dimensions]
    recipe = {"how": "own", "name": "made_here", "title": "Made", "kind": kind, "dimensions": questions}
    return from_recipe(Recipe.model_validate_json(json.dumps(recipe)))


def test_windows_that_were_cut_before_are_read_and_gone_on_with_as_they_were() -> None:
    # Eleven turns by five were 4 + 4 + 3, and are 6 + 5 now: the same judge holds both.
    old = [turns_reply(dict.fromkeys(turns, (4, 4, 5)), **({} if n == 3 else {"summary": "S"}))
           for n, turns in enumerate(((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11)), 1)]  # fmt: skip
    replies = answers(LONG, {f"window:{n}/3": raw for n, raw in enumerate(old, 1)})
    judgment = fuse(TURNS, Params(), LONG, replies)
    assert judgment.reading.unscored is None and reread(TURNS, Params(), LONG, judgment.raw) == judgment
    assert pieces(TURNS, Params(), LONG) == ["window:1/2", "window:2/2"]
    started = {"window:1/3": replies["window:1/3"]}
    assert remaining_pieces(TURNS, Params(), LONG, started) == ["window:2/3", "window:3/3"]
    request = build_request(TURNS, Params(), LONG, "window:2/3", started, "text")
    assert "turns: 5, 6, 7, 8" in request.messages[-1]["content"]
    other = pack_replies([("window:1/4", old[0], None, "")])
    assert reread(TURNS, Params(), LONG, other).reading.unscored == "unreadable"


def test_a_made_card_is_judged_in_windows() -> None:
    card = _make_card(
        "dialogue",
        [("warmth", "turn", {}), ("copy", "conversation", {}), ("rude", "conversation", {"kind": "flag", "na": True})],
    )
    names = pieces(card, Params(window=4), LONG)
    assert len(names) == 3
    raws = []
    for turns, copy, rude in (((1, 2, 3, 4), 5, True), ((5, 6, 7, 8), 1, "n/a"), ((9, 10, 11), 4, "n/a")):
        conversation = {"copy": {"score": copy, "note": "N"}, "rude": {"score": rude, "note": ""}}
        reply = {"per_turn": [{"turn": t, "scores": {"warmth": 3}, "note": ""} for t in turns]}
        more = {"summary": "S"} if turns[0] < 9 else {}
        raws.append(json.dumps({**reply, "conversation": conversation, **more}))
    judgment = fuse_replies(card, Params(window=4), LONG, raws)
    scores = values(judgment.reading)
    assert len(scores) == 13 and scores["turn:11", "warmth"] == 3
    # (4*5 + 4*1 + 3*4) / 11 = 3.27 -> 3, below the 4 of the last window
    assert scores["conversation", "copy"] == 3
    assert scores["conversation", "rude"] == 1
    assert reread(card, Params(window=4), LONG, judgment.raw) == judgment


def test_a_made_card_is_judged_in_both_orders() -> None:
    sides = {"kind": "unordered", "categories": ["a", "b"]}
    card = _make_card("pair", [("rigour", "section", {}), ("tone", "side", {}), ("better", "pair", sides)])
    assert card.defaults.orders == "both"
    item = pair()
    replies = []
    for version, better in ((item, "a"), (orders.swap(item), "a")):
        entries = [
            {
                "section_label": s.label,
                "response_a": None if s.a is None else {"rigour": 4},
                "response_b": None if s.b is None else {"rigour": 2},
                "note": "",
            }
            for s in version.sections or []
        ]
        tones = {f"response_{side}": {"tone": {"score": n, "note": ""}} for side, n in (("a", 5), ("b", 1))}
        replies.append(
            json.dumps({"sections": entries, "responses": tones, "pair": {"better": {"score": better, "note": ""}}})
        )
    reading = fuse_replies(card, card.defaults, Task("k", item), replies).reading
    scores = values(reading)
    # The first place has 4 and 5 whoever stands there: both sides come out alike, and nobody is better.
    assert scores["section:1/a", "rigour"] == scores["section:1/b", "rigour"] == 3
    assert scores["response/a", "tone"] == scores["response/b", "tone"] == 3
    assert ("pair", "better") not in scores
    assert reading.facts["orders"] == {"ab": "a", "ba": "b"}
    assert reading.remarks[-1].text.endswith("It has no score, as the scale has no tie.")


# -- fusing, by hand --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "values_", "value"),
    [
        (FIVE, [(4, 1), (5, 1)], 4),  # a half goes toward the middle of 1-5, 3
        (FIVE, [(1, 1), (2, 1)], 2),
        (FIVE, [(2, 1), (3, 1)], 3),
        (FIVE, [(3, 1), (4, 1)], 3),
        (FIVE, [(4, 3), (5, 4)], 5),  # 32/7 = 4.57
        (TEN, [(5, 1), (6, 1)], 5),  # the very middle: the lower
        (TEN, [(9, 1), (10, 1)], 9),
        (FIVE_NA, [(None, 5), (2, 1)], 2),  # n/a only where all say so
        (FIVE_NA, [(None, 5), (None, 1)], None),
        (Scale("interval", 1, 5), [(4.0, 1), (3.5, 3)], 3.625),
        (Scale("flag"), [(0, 9), (1, 1)], 1),
        (Scale("ordered", categories=("poor", "fair", "good", "fine")), [(3, 1), (2, 1)], 2),  # 2.5, middle 1.5
        (WORDS, [(0, 1), (2, 2)], 2),
        (WORDS, [(0, 1), (2, 1)], 1),  # drawn
        (WORDS, [(0, 2), (1, 1), (2, 1)], 0),
    ],
)
def test_answers_fused(scale: Scale, values_: list[tuple[float | None, float]], value: float | None) -> None:
    assert combination.combine_answers(scale, values_) == (True, value)


def test_a_drawn_vote_without_a_word_for_it_has_no_answer() -> None:
    assert combination.combine_answers(Scale("unordered", categories=("a", "b")), [(0, 1), (1, 1)]) == (False, None)


@pytest.mark.parametrize(
    ("scale", "samples", "sure"),
    [
        (FIVE, [4], None),
        (FIVE, [4, 4], 0.9),
        (FIVE, [4, 5], 0.6),  # .9 - 1.2/4
        (FIVE, [3, 5], 0.3),
        (FIVE, [1, 5], 0.1),  # never less
        (FIVE, [3, 4, 5], 0.3),  # the furthest apart
        (TEN, [4, 7], 0.5),  # .9 - 1.2 * 3/9
        (FIVE_NA, [None, None], 0.9),
        (FIVE_NA, [None, 4], 0.3),
        (Scale("flag"), [0, 1], 0.45),
        (WORDS, [0, 1], 0.3),
        (Scale("interval", 1, 5), [3.0, 3.5], 0.75),
    ],
)
def test_agreement_of_answers(scale: Scale, samples: list[float | None], sure: float | None) -> None:
    assert combination.agreement_confidence(scale, samples) == sure
