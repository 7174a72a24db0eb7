"""Judges' replies as they came: each becomes scores, or unscored with the true reason, and never a default."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judges.card import Card
from judges.cards import card
from judges.reading.reading import is_refusal, json_objects, read_reply, without_thinking
from judges.types import ITEM
from tests.judges.reading.test_replies import MULTI as GOOD
from tests.judges.reading.test_replies import SIDE, edit_reply
from tests.judges.replies import SHIPPED

DIALOGUE = ITEM.validate_python(
    {
        "id": "d", "kind": "dialogue", "system": "m",
        "turns": [{"turn": t, "role": r, "text": "x"} for t in (1, 2) for r in ("user", "assistant")],
    }
)  # fmt: skip
PAIR = ITEM.validate_python(
    {
        "id": "p", "kind": "pair", "input": "i", "response_a": {"system": "x", "text": "aaaa"},
        "response_b": {"system": "y", "text": "bbbb"},
        "sections": [{"label": "One", "a": [0, 2], "b": [0, 4]}, {"label": "Two", "a": [2, 4], "b": None}],
    }
)  # fmt: skip
RESPONSE = ITEM.validate_python({"id": "r", "kind": "response", "task": "t", "output": "o"})
GOOD_PAIR = {
    "section_judgments": [
        {"section_label": "One", "response_a": SIDE, "response_b": SIDE},
        {"section_label": "Two", "response_a": SIDE, "response_b": None},
    ],
    "long_form_failures": {"response_a": [], "response_b": ["format_collapse"]},
    "aggregate_scores": {"response_a": 4.0, "response_b": 3.0},
    "verdict": "a",
    "decision_basis": "A keeps to the input.",
}
CARD = card("multi_turn_dialogue")


def test_a_good_reply_gives_every_cell() -> None:
    reading = read_reply(CARD, json.dumps(GOOD), DIALOGUE)
    assert reading.unscored is None
    assert {(s.unit, s.dimension) for s in reading.scores} == {(u, d.name) for u, d in CARD.cells(DIALOGUE)}
    assert {s.dimension: s.value for s in reading.scores if s.unit == "conversation"} == {
        "coherence": 4, "task_completion": 4, "repair_handling": None, "verdict": 3, "weakest_turn": 2,
    }  # fmt: skip
    assert [r for r in reading.remarks if r.sort == "rule"] == []


UNSCORED = [
    ("", "unreadable"),
    ("I'm sorry, I can't help with that.", "refused"),
    (json.dumps(GOOD)[:-40], "cut_off"),
    (json.dumps(GOOD) + "\n" + edit_reply(GOOD, verdict="poor"), "unreadable"),
    (json.dumps(GOOD).replace("4", "NaN", 1), "unreadable"),
    (edit_reply(GOOD, per_turn__0__scores__safety=7), "out_of_range"),
    (edit_reply(GOOD, per_turn__0__scores__safety=0), "out_of_range"),
    (edit_reply(GOOD, per_turn__0__scores__safety=4.5), "out_of_range"),
    (edit_reply(GOOD, per_turn__0__scores__safety="five"), "unreadable"),
    (edit_reply(GOOD, per_turn__0__scores__safety=True), "unreadable"),
    (edit_reply(GOOD, per_turn__0__scores__safety=None), "unreadable"),
    (edit_reply(GOOD, verdict="superb"), "out_of_range"),
    (edit_reply(GOOD, per_turn=[GOOD["per_turn"][0]]), "incomplete"),
    (edit_reply(GOOD, per_turn=[]), "incomplete"),
    (edit_reply(GOOD, conversation_level__task_completion__score=9), "out_of_range"),
    (json.dumps({k: v for k, v in GOOD.items() if k != "verdict"}), "incomplete"),
    (json.dumps({**GOOD, "extra": 1}), "unreadable"),
    ("[1, 2]", "unreadable"),
    ("{" * 100_000, "cut_off"),
]


@pytest.mark.parametrize(("raw", "reason"), UNSCORED, ids=[f"{n}-{r}" for n, (_, r) in enumerate(UNSCORED)])
def test_what_cannot_be_used_is_unscored_with_its_reason(raw: str, reason: str) -> None:
    reading = read_reply(CARD, raw, DIALOGUE)
    assert reading.unscored == reason, reading.why
    assert reading.why


def test_of_a_reply_with_several_faults_the_one_that_is_off_the_scale_is_named() -> None:
    reply = edit_reply(GOOD, per_turn__0__scores__safety="five", per_turn__1__scores__safety=7)
    reading = read_reply(CARD, reply, DIALOGUE)
    assert (reading.unscored, reading.why.partition(":")[0]) == ("out_of_range", "per_turn.1.scores.safety")
    assert reading.scores == ()


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Here you are:\n```\n{}\n```\nBye", "Well. {} That is it."])
def test_prose_and_fences_around_the_json_do_not_matter(wrap: str) -> None:
    reading = read_reply(CARD, wrap.replace("{}", json.dumps(GOOD)), DIALOGUE)
    assert reading.unscored is None, reading.why


def test_a_verdict_that_its_scores_do_not_allow_is_kept_and_marked() -> None:
    reading = read_reply(CARD, edit_reply(GOOD, per_turn__1__scores__context_use=2, verdict="good"), DIALOGUE)
    assert next(s.value for s in reading.scores if s.dimension == "verdict") == 2
    rules = [r.text for r in reading.remarks if r.sort == "rule"]
    assert rules == ["The judge said good. Its own scores (context use 2 on turn 2) allow poor or borderline."]


def test_a_weakest_turn_that_does_not_exist_is_marked_and_not_scored() -> None:
    reading = read_reply(CARD, edit_reply(GOOD, weakest_turn=9), DIALOGUE)
    assert reading.unscored is None
    assert "weakest_turn" not in {s.dimension for s in reading.scores}
    assert any("turn 9" in r.text for r in reading.remarks)


def test_a_pair_is_scored_section_by_section_where_a_side_has_the_section() -> None:
    reading = read_reply(card("long_form_pairwise"), GOOD_PAIR, PAIR)
    assert reading.unscored is None, reading.why
    sections = {s.unit for s in reading.scores if s.unit.startswith("section")}
    assert sections == {"section:1/a", "section:1/b", "section:2/a"}
    flags = {(s.unit, s.dimension) for s in reading.scores if s.value == 1 and s.unit.startswith("response")}
    assert flags == {("response/b", "format_collapse")}
    assert [r.text for r in reading.remarks if r.sort == "rule"] == []  # B's aggregate is below its sections: a failure


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"verdict": "b"}, "allow a"),
        ({"verdict": "tie"}, "allow a"),
        ({"aggregate_scores": {"response_a": 5.0, "response_b": 3.0}}, "outside its sections"),
    ],
)
def test_a_pair_that_breaks_a_rule_is_marked(change: dict[str, Any], text: str) -> None:
    reading = read_reply(card("long_form_pairwise"), {**GOOD_PAIR, **change}, PAIR)
    assert reading.unscored is None
    assert any(text in r.text for r in reading.remarks if r.sort == "rule")


def test_a_comparison_that_failed_at_its_judge_is_no_answer() -> None:
    reading = read_reply(card("mt_bench_pair"), {"judgment": "$ERROR$"}, PAIR)
    assert (reading.unscored, reading.why) == ("api_error", "the judgment is $ERROR$: the call to the judge failed")


def test_an_invented_section_is_marked_and_a_missing_one_is_incomplete() -> None:
    extra = {"section_label": "Three", "response_a": SIDE, "response_b": SIDE}
    judged: list[Any] = GOOD_PAIR["section_judgments"]  # type: ignore[assignment]
    invented = read_reply(card("long_form_pairwise"), {**GOOD_PAIR, "section_judgments": [*judged, extra]}, PAIR)
    assert any("'Three'" in r.text for r in invented.remarks)
    missing = read_reply(card("long_form_pairwise"), {**GOOD_PAIR, "section_judgments": judged[:1]}, PAIR)
    assert missing.unscored == "incomplete"


@pytest.mark.parametrize(
    ("reply", "value", "reason"),
    [
        ({"turn": 1, "judgment": "Rating: [[9]]", "score": 9.0}, 9, None),
        ({"turn": 1, "judgment": "", "score": 8.0}, 8, None),
        ({"turn": 1, "judgment": "no rating", "score": -1.0}, None, "unreadable"),
        ({"turn": 1, "judgment": "[[11]]"}, None, "out_of_range"),
        ({"turn": 1, "judgment": "[[7.5]]"}, 7.5, None),
        ({"turn": 1, "judgment": "a [9.25] of ten"}, 9.25, None),
        ({"turn": 1, "judgment": "[[10.5]]"}, None, "out_of_range"),
        ({"turn": 1, "judgment": "[[0.5]]"}, None, "out_of_range"),
        ({"turn": 1, "judgment": "[[-1]]", "score": -1.0}, None, "out_of_range"),
        ({"turn": 1, "judgment": "", "score": -1.0}, None, "unreadable"),
        ({"turn": 1, "judgment": " ", "score": 8.5}, 8.5, None),
        ({"turn": 1, "judgment": "$ERROR$"}, None, "api_error"),
        ({"turn": 3, "judgment": "[[7]]"}, None, "incomplete"),
    ],
)
def test_mt_bench_ratings(reply: dict[str, Any], value: float | None, reason: str | None) -> None:
    reading = read_reply(card("mt_bench"), reply, DIALOGUE)
    assert reading.unscored == reason
    assert [s.value for s in reading.scores] == ([] if value is None else [value])


@pytest.mark.parametrize(
    ("judgment", "score", "rules"),
    [
        ("[[7]]", 6.0, ["The file says 6, the judgment's text says 7."]),
        ("[[12]]", 6.0, ["The file says 6, the judgment's text says 12."]),
        ("no rating", 6.5, ["The file says 6.5, the judgment's text has no rating."]),
        ("[[12]]", 12.0, []),
        ("no rating", -1.0, []),
        ("$ERROR$", -1.0, []),
        ("", 12.0, []),
    ],
)
def test_a_file_with_another_number_than_its_text_is_remarked(judgment: str, score: float, rules: list[str]) -> None:
    reading = read_reply(card("mt_bench"), {"turn": 1, "judgment": judgment, "score": score}, DIALOGUE)
    assert [remark.text for remark in reading.remarks if remark.sort == "rule"] == rules


def test_a_rating_in_prose_is_read_for_its_part() -> None:
    assert read_reply(card("mt_bench"), "Good. Rating: [[6]]", DIALOGUE, "turn:2").scores[0].unit == "turn:2"


SHARDS = [
    "{",
    "}",
    '"',
    "[[",
    "]]",
    "<think>",
    "</think>",
    "```",
    "```json",
    "\n",
    "\\",
    ":",
    "turn",
    "scores",
    "7",
    "NaN",
]


@pytest.mark.parametrize("card", SHIPPED.values(), ids=lambda c: c.name)
@settings(max_examples=40, deadline=None)
@given(text=st.one_of(st.text(max_size=300), st.lists(st.sampled_from(SHARDS), max_size=30).map("".join)))
def test_any_text_is_read_without_raising(card: Card, text: str) -> None:
    item = {"dialogue": DIALOGUE, "pair": PAIR, "response": RESPONSE}[card.kind]
    part = "turn:1" if card.name == "mt_bench" else ""
    for verdict in ("last", "fastchat"):
        reading = read_reply(card, text, item, part, verdict)  # type: ignore[arg-type]
        assert (reading.unscored is None) == bool(reading.scores)
        assert reading.unscored is not None or card.text is not None


@given(st.text(max_size=80), st.sampled_from(["think", "Thinking", "reason"]), st.text(max_size=40))
def test_thinking_is_left_out_and_what_follows_it_is_kept(thought: str, tag: str, text: str) -> None:
    assume("<" not in thought and "<" not in text)
    expected = text.lstrip("\ufeff")
    assert without_thinking(f" <{tag}>{thought}</{tag}>{text}") == expected
    assert without_thinking(f"<{tag}>{thought}") is None
    assert without_thinking(text) == expected


def test_the_end_of_thinking_is_quoted_text_after_thinking_that_has_ended() -> None:
    quoted = "The answer holds </think>\nand goes on."
    assert without_thinking(quoted) == "\nand goes on."
    assert without_thinking(f"<think>Hm.</think>{quoted}") == quoted


INSIDE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda s: st.lists(s, max_size=3) | st.dictionaries(st.text(max_size=5), s, max_size=3),
    max_leaves=8,
)


@given(INSIDE)
def test_objects_finds_what_json_wrote(value: Any) -> None:
    objects = json_objects("see: " + json.dumps({"it": value}) + " end")
    assert objects == [{"it": value}]


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I cannot help with this.", True),
        ("I’m sorry, but I can’t assist with that.", True),
        ("I am currently unable to provide an evaluation.", True),
        ("We will not rate this text.", True),
        ("Sorry, can't judge that.", True),
        ("Unable to comply.", True),
        ("I don't feel comfortable scoring this.", True),
        ("The assistant was unable to help the user.", False),
        ("The user says: we agree. It cannot provide more.", False),
        ("I can't help but admire it.", False),
        ("I can rate this highly.", False),
        ("I will judge it now.", False),
        ("good " * 100 + "I cannot help with this.", False),
        ("申し訳ありませんが、お手伝いできません。", True),
        ("申し訳ございません。この依頼には対応いたしかねます。", True),
        ("この回答はよくできている。", False),
        ("对不起，我不能协助完成这个请求。", True),
        ("我無法提供評分。", True),
        ("我认为回答得很好。", False),
    ],
)
def test_what_is_a_refusal(text: str, refused: bool) -> None:
    assert is_refusal(text) == refused
