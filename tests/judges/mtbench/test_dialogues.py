"""Records of MT-Bench from items whose meta may hold anything."""

from __future__ import annotations

import pytest

from judges.mtbench.dialogues import EVERY_JUDGE, read_answer, read_item_question
from judges.mtbench.records import Answer, BenchQuestion


def test_a_question_s_own_reference_and_the_judges_sets_are_kept_apart():
    meta = {"question_id": 81, "category": "math", "reference": ["own"], "reference_answer": ["2"]}
    assert read_item_question(meta, ("1+1?",)) == (
        BenchQuestion("81", "math", ("1+1?",), ("own",)),
        {EVERY_JUDGE: ("2",)},
    )
    actual = read_item_question({"question_id": "a", "reference": "2"}, ())
    assert actual == (BenchQuestion("a", "", ()), {EVERY_JUDGE: ("2",)})
    sets = {"question_id": 1, "reference_answers": {"j": ["x"], "k": ["y"]}, "reference": ["x"]}
    assert read_item_question(sets, ())[1] == {"j": ("x",), "k": ("y",)}


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({}, ("7", "m", 0, ("A", "B"))),
        ({"choice": 2, "continues": 0, "cut_at": 9}, ("7", "m", 2, ("A", "B"), 0, 9)),
        ({"choice": True, "continues": "0", "cut_at": None}, ("7", "m", 0, ("A", "B"))),
    ],
)
def test_an_answer_is_its_assistant_turns_with_whole_numbers_only(meta, expected):
    utterances = ((1, "user", "Q"), (1, "assistant", "A"), (2, "assistant", "B"))
    turns = [{"turn": turn, "role": role, "text": text} for turn, role, text in utterances]
    assert read_answer({"system": "m", "turns": turns, "meta": {"question_id": "7", **meta}}) == Answer(*expected)
