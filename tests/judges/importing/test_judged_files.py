"""Judges of files are chosen by words: an exact trait wins over one that only begins so, and both orders over one."""

from __future__ import annotations

from pathlib import Path

import pytest

from judges.cards import card
from judges.importing.judged_files import (
    AmbiguousJudge,
    JudgeKey,
    choose_judge,
    judge_key,
    named_judges,
    placeholder_items,
)
from judges.importing.lines import parse_judgment

KEYS = [
    judge_key("mt_bench", "gpt-4", {"wording": "7be1"}, "v1"),
    judge_key("mt_bench", "gpt-4", {"wording": "7be12c"}, "v1"),
    judge_key("mt_bench", "gpt-4-turbo", {"wording": "90aa"}, "v1"),
    judge_key("rubric", "gpt-4", {}, "v2"),
]


@pytest.mark.parametrize(
    ("card", "words", "chosen"),
    [
        (None, "", KEYS),
        (None, "wording=7be1", KEYS[:1]),
        ("mt_bench", "gpt-4 wording=7be1", KEYS[:1]),
        (None, "wording=7be12", KEYS[1:2]),
        (None, "wording=7b", KEYS[:2]),
        (None, "gpt-4", [*KEYS[:2], KEYS[3]]),
        ("rubric", "", KEYS[3:]),
        ("rubric", "version=v2", KEYS[3:]),
        ("rubric", "wording=7be1", []),
    ],
)
def test_words_name_judges_and_an_exact_trait_wins_over_a_beginning(
    card: str | None, words: str, chosen: list[JudgeKey]
) -> None:
    assert named_judges(KEYS, card, words) == chosen


def test_of_one_judge_asked_in_one_order_and_in_both_the_latter_counts() -> None:
    one, both, other = (judge_key("plain_pairwise", model, {"orders": orders}, "v1")
                        for model, orders in (("x", "ab"), ("x", "both"), ("y", "ba")))  # fmt: skip
    assert named_judges([one, both, other], None, "") == [both, other]
    assert [key.orders for key in (one, both, judge_key("plain_pairwise", "x", {}, "v1"))] == ["ab", "both", ""]


def test_an_item_that_is_not_there_has_the_turns_that_its_replies_name() -> None:
    row = {"card": "multi_turn_dialogue", "model": "m"}
    reply = {"per_turn": [{"turn": 2}, {"turn": 4}]}
    lines = [
        (n, parse_judgment({**row, "item": key, **judgment}))
        for n, (key, judgment) in enumerate((("p", {"reply": reply}), ("q", {"raw": '{"turn": 6}'})), 1)
    ]
    items = placeholder_items(card("multi_turn_dialogue"), lines, [("q", "turn:8")])
    assert {key: [turn.turn for turn in item.turns] for key, item in items.items()} == {"p": [2, 4], "q": [6, 8]}


def test_judges_that_differ_in_the_version_of_their_card_are_told_apart() -> None:
    row = {"item": "i", "card": "mt_bench", "model": "gpt-4", "raw": "x"}
    lines = [(n, parse_judgment({**row, "card_version": version})) for n, version in enumerate(("aa11", "bb22"), 1)]
    with pytest.raises(AmbiguousJudge, match="2 judges, which differ in version aa11 / bb22"):
        choose_judge(Path("f"), lines, None, None)
    assert choose_judge(Path("f"), lines, None, None, ["version=bb"]).version == "bb22"
