"""Rows of any shape are read or refused in a sentence, never with a traceback."""

from __future__ import annotations

import copy
import json
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from judges.jsonl import Record
from judges.mtbench import completeness
from judges.mtbench.assembly import AssembledBench, BenchFile, assemble
from judges.mtbench.fastchat_files import fastchat_files
from judges.mtbench.many_turns import assemble_dialogues
from judges.mtbench.rows import (
    BadField,
    JudgeNames,
    read_choices,
    read_judge,
    read_judged_turns,
    read_question,
    read_verdict,
    role_of,
)
from judges.mtbench.swallow import assemble_swallow
from tests.judges.mtbench.bench_rows import QUESTIONS, SINGLE, answer, fill_template, rating_row, read
from tests.judges.mtbench.test_swallow import DETAILS, FIVE, RESULTS, results, row

PAIR = {"question_id": 81, "model_1": "m/one", "model_2": "two", "judge": ["gpt-4", "pair-v2"], "turn": 1}
PAIR |= {"g1_winner": "model_1", "g2_winner": "tie", "g1_judgment": "[[A]]", "g2_judgment": "", "g1_user_prompt": "x"}
ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("question.jsonl", "question", {**QUESTIONS[0], "reference": ["a", "b"], "required_temperature": 0.7}),
    ("a/one.jsonl", "answer", answer(81, "m/one", ("One two three.", "Four."), ("Five.", "Six."))),
    ("reference/gpt-4.jsonl", "reference", answer(81, "gpt-4")),
    ("judge_prompts.jsonl", "prompt", {"name": "single-v1", "type": "single", "prompt_template": SINGLE}),
    ("j/gpt-4_single.jsonl", "single", rating_row(user_prompt=fill_template(SINGLE, 81))),
    ("j/gpt-4_single.jsonl", "single", rating_row(judgment=["[[5]]", "[[6]]"], score=[5, 6], user_prompt=["a", "b"])),
    ("j/two.jsonl", "single", {"question_id": 81, "judge_id": "Q", "score_turn1": 1, "judgment_turn1": "x"}),
    ("j/gpt-4_pair.jsonl", "pair", PAIR),
    ("j/p.jsonl", "pair", {"question_id": 81, "model_a": "two", "model_b": "m/one", "judge_id": "Q", "winner_ab": "A",
                           "winner_ba": "tie", "winner": "inconsistent"}),
    ("v.jsonl", "vote", {"question_id": 81, "model_a": "two", "model_b": "m/one", "judge": "ann", "winner": "tie"}),
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@st.composite
def changed_value(draw: st.DrawFn, value: Any) -> Any:
    """A value with something anywhere in it replaced by anything, or taken away."""
    clone = copy.deepcopy(value)
    at, place = clone, None
    while isinstance(at, dict | list) and at:
        keys = sorted(at) if isinstance(at, dict) else range(len(at))
        place = (at, draw(st.sampled_from(keys)))
        at = at[place[1]]
        if draw(st.booleans()):
            break
    if place is not None:
        if draw(st.integers(0, 4)) == 0:
            del place[0][place[1]]
        else:
            place[0][place[1]] = draw(VALUES)
    return clone


@st.composite
def sets(draw: st.DrawFn) -> list[tuple[str, str, dict[str, Any]]]:
    return [(n, role, draw(changed_value(fields)) if draw(st.booleans()) else fields) for n, role, fields in ROWS]


def check(assembled: AssembledBench) -> None:
    """Whatever came of rows can be told, and written again."""
    assert all(error.sentence for error in assembled.bad)
    assert all(note.strip() for note in [*completeness.describe_contents(assembled.bench), *assembled.notes])
    json.dumps(fastchat_files(assembled.bench))


@settings(max_examples=150)
@given(sets())
def test_no_row_of_fastchat_breaks_the_reading(entries: list[tuple[str, str, dict[str, Any]]]) -> None:
    check(assemble(BenchFile(name, role, [Record(1, fields)]) for name, role, fields in entries))


@settings(max_examples=100)
@given(changed_value(row(0, FIVE)), changed_value(results(judge_score_overall_turn_1_avg=7.0)))
def test_no_row_of_swallow_breaks_the_reading(details: Any, summary: Any) -> None:
    files = [BenchFile(DETAILS, "details", [Record(1, details)]), BenchFile(RESULTS, "results", [Record(1, summary)])]
    check(assemble_swallow(files))


@given(changed_value({"task": "CM", "id": 1, "history": [{"user": "u", "bot": "b"}, {"user": "v", "bot": "c"}]}))
def test_no_dialogue_breaks_the_reading(dialogue: Any) -> None:
    check(assemble_dialogues([BenchFile("d.jsonl", "dialogue", [Record(1, dialogue)])]))


@pytest.mark.parametrize(
    ("keys", "role"),
    [
        ("name prompt_template", "prompt"), ("question_id turns", "question"), ("question_id choices", "answer"),
        ("question_id judgment", "single"), ("question_id score_turn_2", "single"),
        ("question_id model_1 model_2", "pair"),
        ("question_id winner_ab", "pair"), ("question_id model_a model_b winner", "vote"), ("question_id", None),
        ("turns", None),
    ],
)  # fmt: skip
def test_a_file_is_known_by_its_keys(keys: str, role: str | None) -> None:
    assert role_of("x.jsonl", frozenset(keys.split())) == role


@pytest.mark.parametrize(
    ("name", "keys", "role"),
    [
        ("x.jsonl", "judge turn", "single"), ("gpt-5_single.jsonl", "turn", "single"),
        ("gpt-5_single_turn2.jsonl", "model", "single"), ("turn2.jsonl", "judge_model", "single"),
        ("x.jsonl", "judge", None), ("x.jsonl", "turn", None), ("x.jsonl", "model human_score", None),
    ],
)  # fmt: skip
def test_a_score_alone_is_a_rating_where_its_judge_and_its_turn_are_named(name: str, keys: str, role: str) -> None:
    assert role_of(name, frozenset(("question_id", "score", *keys.split()))) == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("reference_answer/gpt-4.jsonl", "reference"), ("a/b/reference_answer/gpt-4.jsonl", "reference"),
        ("Reference-Answers/x.jsonl", "reference"), ("reference.jsonl", "reference"),
        ("preferences/model_answer/a.jsonl", "answer"), ("reference_free/mt_bench/model_answer/a.jsonl", "answer"),
        ("preference/a.jsonl", "answer"), ("model_answer/referencer-7b.jsonl", "answer"),
    ],
)  # fmt: skip
def test_answers_are_references_where_their_own_folder_or_name_says_so(name: str, role: str) -> None:
    assert role_of(name, frozenset(("question_id", "choices"))) == role


def test_a_judge_is_named_in_a_row_or_by_the_file() -> None:
    template = "Judge {answer} to {question}."
    cases = [
        ({"judge": ["gpt-4", "single-v1"]}, ("gpt-4", "single-v1", "")), ({"judge": "gpt-4"}, ("gpt-4", "", "")),
        ({"judge_model": "g", "judge_prompt_template": "strict-v1"}, ("g", "strict-v1", "")),
        ({"judge_id": "g", "judge_prompt_template": template}, ("g", "", template)), ({}, ("gpt-5", "", "")),
        ({"judge": ["gpt-4"]}, ("gpt-4", "", "")), ({"judge": ["gpt-4", None]}, ("gpt-4", "", "")),
    ]  # fmt: skip
    for fields, names in cases:
        assert read_judge(fields, "j/gpt-5_single_turn2.jsonl") == JudgeNames(*names)
    with pytest.raises(BadField, match="names no judge"):
        read_judge({}, "j/ratings.jsonl")


@pytest.mark.parametrize(
    ("own", "read"), [([None, None], ()), ([None, "R2"], ("", "R2")), (["R1", None], ("R1", "")), (["", ""], ())]
)
def test_a_turn_without_a_reference_costs_no_question(own: list[str | None], read: tuple[str, ...]) -> None:
    assert read_question({**QUESTIONS[0], "reference": own}).reference == read


@pytest.mark.parametrize(("stated", "read"), [("8", 8.0), (" 8.5 ", 8.5), ("-1", -1.0), (8, 8.0), (None, None)])
def test_a_score_may_be_written_as_text(stated: str | None, read: float | None) -> None:
    assert [
        rating.stated for rating, *_ in read_judged_turns({"turn": 1, "judgment": "x", "score": stated}, "j.jsonl")
    ] == [read]


@pytest.mark.parametrize("stated", ["", "good", "8/10", "nan", "1e3", "\uff18", True])
def test_a_score_that_is_no_number_is_refused(stated: object) -> None:
    with pytest.raises(BadField, match="score must be a number"):
        read_judged_turns({"turn": 1, "judgment": "x", "score": stated}, "j.jsonl")


@pytest.mark.parametrize(("file", "turn"), [("gpt_pair.jsonl", 1), ("gpt_pair_turn2.jsonl", 2)])
def test_a_turn_that_is_null_is_named_as_little_as_one_that_is_absent(file: str, turn: int) -> None:
    row = {"model_1": "a", "model_2": "b", "winner": "tie"}
    games = [read_verdict(row | more, file, "81")[0] for more in ({"turn": None}, {})]
    assert [game.turn for (game, _), *_ in games] == [turn, turn]


def test_a_model_with_answers_under_two_names_is_told() -> None:
    rows = [answer(81, model) for model in ("org/One-7B", "one_7b", "two", "甲", "乙", "..", "::")]
    files = [("question.jsonl", "question", QUESTIONS), ("a/x.jsonl", "answer", rows)]
    assembled = assemble([
        BenchFile(name, role, [Record(n, r) for n, r in enumerate(file_rows)]) for name, role, file_rows in files
    ])  # fmt: skip
    sentences = [sentence for sentence in completeness.describe_contents(assembled.bench) if "one name" in sentence]
    assert sentences == ["'org/One-7B' and 'one_7b' both have answers: if both are one model, give it one name."]


def test_answers_to_unknown_questions_are_told() -> None:
    bench = read(question=QUESTIONS, a__x=[answer(81, "m"), answer(82, "m"), answer(99, "m", ("One.", "Two."))]).bench
    assert "Answers to questions that are not in the files: 99." in completeness.describe_contents(bench)


@pytest.mark.parametrize("choices", [[], ["x"], {"index": 0}, None])
def test_a_row_of_answers_has_at_least_one(choices: Any) -> None:
    with pytest.raises(BadField, match="a list with at least one answer"):
        read_choices({"choices": choices}, "81", "m")
