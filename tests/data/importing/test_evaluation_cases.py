"""Cases of evaluations: what kind of item each becomes, where its ratings stand, and what its fields mean."""

from __future__ import annotations

from typing import Any

import pytest

from data.importing.conversations.evaluation_cases import (
    CaseRating,
    CaseReader,
    EvaluationCase,
    as_confidence,
    plain_fields,
    text_fields,
)
from data.importing.conversations.utterances import Utterance
from judges.importing.entries import Hint, Line, NamedValue, RejectedRow

SYSTEM, ASK, ANSWER = Utterance("system", "S"), Utterance("user", "Q"), Utterance("assistant", "A")
TOOL, MORE, LAST = Utterance("tool", "T", "f"), Utterance("user", "R"), Utterance("assistant", "B")


def read(*cases: EvaluationCase) -> tuple[list[dict[str, Any]], list[tuple[Any, ...]], list[str]]:
    """The items, what was said of them as (item, kind, unit, value), and what is told."""
    reader = CaseReader("Tool")
    for reader.line, case in enumerate(cases, 1):
        reader.file = "f"
        reader.add(case)
    entries = list(reader.entries())
    items = [entry.data for entry in entries if isinstance(entry, Line)]
    values = [(entry.item, entry.kind, entry.unit, entry.value) for entry in entries if isinstance(entry, NamedValue)]
    sentences = [entry.sentence for entry in entries if isinstance(entry, Hint)]
    sentences += [sentence for entry in entries if isinstance(entry, RejectedRow) for _, sentence in entry.problems]
    reader.close()
    return items, values, sentences


def rating(value: Any, spoken: int | None = None, side: str = "") -> CaseRating:
    return CaseRating("tone", "person", "ann", value, utterance=spoken, side=side)


@pytest.mark.parametrize(("utterances", "more", "kind", "fields"), [
    ([ASK, ANSWER], {"reference": "E", "system": "m"}, "response",
     {"task": "Q", "output": "A", "reference": "E", "system": "m", "meta": {}}),
    ([ANSWER], {}, "response", {"task": "", "output": "A", "reference": "", "system": "", "meta": {}}),
    ([SYSTEM, ASK, ANSWER], {"meta": {"k": 1}}, "response",
     {"task": "S\n\nQ", "output": "A", "reference": "", "system": "", "meta": {"k": 1}}),
    ([ASK, ANSWER], {"scenario": "C", "reference": "E"}, "dialogue", {
        "scenario": "C", "system": "", "meta": {"reference": "E"},
        "turns": [{"turn": 1, "role": "user", "text": "Q"}, {"turn": 1, "role": "assistant", "text": "A"}],
    }),
    ([SYSTEM, ASK, TOOL, ANSWER], {"scenario": "C"}, "dialogue", {
        "scenario": "C\n\nS", "system": "", "meta": {},
        "turns": [{"turn": 1, "role": "user", "text": "Q"}, {"turn": 1, "role": "tool", "text": "T", "name": "f"},
                  {"turn": 1, "role": "assistant", "text": "A"}],
    }),
    ([ASK, ANSWER, MORE, LAST], {}, "dialogue", {
        "scenario": "", "system": "", "meta": {},
        "turns": [{"turn": 1, "role": "user", "text": "Q"}, {"turn": 1, "role": "assistant", "text": "A"},
                  {"turn": 2, "role": "user", "text": "R"}, {"turn": 2, "role": "assistant", "text": "B"}],
    }),
    ([SYSTEM, ASK, ANSWER], {"sides": ("one", "two"), "meta": {"k": 1}}, "pair", {
        "input": "S\n\nQ", "response_a": {"system": "", "text": "one"}, "response_b": {"system": "", "text": "two"},
        "meta": {"k": 1},
    }),
])  # fmt: skip
def test_what_a_case_becomes(
    utterances: list[Utterance], more: dict[str, Any], kind: str, fields: dict[str, Any]
) -> None:
    items, _, sentences = read(EvaluationCase(" c ", utterances, **more))
    assert items == [{"id": "c", "kind": kind, **fields}] and sentences == []


def test_one_dialogue_makes_dialogues_of_all_but_pairs() -> None:
    for long in ([ASK, ANSWER, MORE, LAST], [ASK, TOOL, ANSWER]):
        pair = EvaluationCase("2", [], sides=("a", "b"))
        items, *_ = read(EvaluationCase("1", [ASK, ANSWER]), pair, EvaluationCase("3", long))
        assert [item["kind"] for item in items] == ["dialogue", "pair", "dialogue"]
    many = EvaluationCase("1", [ASK, ANSWER, MORE, TOOL], sides=("a", "b"))
    assert [item["kind"] for item in read(many, EvaluationCase("2", [ASK, ANSWER]))[0]] == ["pair", "response"]


def test_a_name_stands_for_one_content() -> None:
    same = [EvaluationCase("1", [ASK, ANSWER], [rating(n)]) for n in (1, 2)]
    items, values, sentences = read(
        *same, EvaluationCase("1", [ASK, LAST], [rating(3)]), EvaluationCase("1", [ASK, LAST])
    )
    other = items[1]["id"]
    assert [item["id"] for item in items] == ["1", other] and other[:2] == "1 " and len(other) == 8
    assert values == [("1", "response", "response", 1), ("1", "response", "response", 2),
                      (other, "response", "response", 3)]
    assert sentences == ["Tool: cases have the name of another one; a part of their content's hash was added (2)."]
    first, second = read(EvaluationCase("", [ASK, ANSWER]), EvaluationCase("x" * 300, [ASK, ANSWER]))[0]
    assert first["id"].startswith("case-") and len(first["id"]) == 17 and second["id"] == "x" * 280


def test_a_case_without_an_answer_is_told() -> None:
    items, _, sentences = read(EvaluationCase("1", [ASK]), EvaluationCase("2", [SYSTEM, TOOL]), EvaluationCase("3", []))
    assert (items, sentences) == ([], ["3 times: a case (1, 2, 3) has no answer that could be judged."])


def test_ratings_stand_at_the_unit_that_they_are_of() -> None:
    ratings = [rating(n, n) for n in (-1, 0, 1, 2, 3, 4)]
    _, values, _ = read(EvaluationCase("1", [ASK, ANSWER, MORE, LAST], [*ratings, rating(9)]))
    assert [(unit, value) for *_, unit, value in values] == [
        ("conversation", -1), ("turn:1", 0), ("turn:1", 1), ("turn:2", 2), ("turn:2", 3), ("conversation", 4),
        ("conversation", 9),
    ]  # fmt: skip
    _, values, _ = read(EvaluationCase("1", [ASK, ANSWER, MORE], [rating(1, 1), rating(2, 2)]))
    assert [unit for *_, unit, _ in values] == ["turn:1", "conversation"], "nobody answered the second turn"
    _, values, _ = read(EvaluationCase("1", [], [rating(1), rating(2, side="b"), rating(3, 0, "a")], sides=("a", "b")))
    assert [unit for *_, unit, _ in values] == ["pair", "response/b", "response/a"]
    assert [unit for *_, unit, _ in read(EvaluationCase("1", [ASK, ANSWER], [rating(1, 1)]))[1]] == ["response"]
    none = [rating(value) for value in (None, "", [], {}, [1])]
    _, values, sentences = read(EvaluationCase("1", [ASK, ANSWER], [*none, rating(0), rating(False)]))
    assert [value for *_, value in values] == [0, False]
    assert sentences == ["Tool: scores without a single value were left out (5)."]


@pytest.mark.parametrize(("fields", "utterances", "sides", "reference", "used"), [
    ({"question": "Q", "answer": "A", "k": 1}, [ASK, ANSWER], None, "", ["question", "answer"]),
    ({"質問": "Q", "回答": "A", "模範解答": "E"}, [ASK, ANSWER], None, "E", ["模範解答", "質問", "回答"]),
    ({"remark": "long one", "src": "Q", "hypothesis": "A"}, [ASK, ANSWER], None, "", ["src", "hypothesis"]),
    ({"Question": "Q", "Answer": "A", "expected": "E"}, [ASK, ANSWER], None, "E", ["expected", "Question", "Answer"]),
    ({"context": "C", "question": "Q", "answer": "A"}, [Utterance("user", "Q\n\nC"), ANSWER], None, "",
     ["question", "context", "answer"]),
    ({"question": " ", "answer": "A"}, [ANSWER], None, "", ["question", "answer"]),
    ({"question": "Q", "answer": " "}, [ASK], None, "", ["question", "answer"]),
    ({"question": "Q", "remark": "long one", "x": "so"}, [ASK, Utterance("assistant", "long one")], None, "",
     ["question", "remark"]),
    ({"question": "Q", "n": 7, "e": " "}, [ASK], None, "", ["question", ""]),
    ({"text": "A"}, [ANSWER], None, "", ["text"]), ({}, [], None, "", [""]),
    ({"question": "Q", "answer1": "1", "answer2": "2"}, [ASK], ("1", "2"), "", ["question", "answer1", "answer2"]),
    ({"answer2": "2", "answer1": "1", "target": "E"}, [], ("1", "2"), "E", ["target", "answer1", "answer2"]),
    ({"question_a": "1", "question_b": "2", "answer": "A"}, [], ("1", "2"), "", ["question_a", "question_b"]),
    ({"a": "1", "b": "2"}, [Utterance("assistant", "1")], None, "", ["a"]),
    ({"left": "1", "right": "2"}, [], ("1", "2"), "", ["left", "right"]),
    ({"answer_a": "1", "answer_b": 2}, [Utterance("assistant", "1")], None, "", ["answer_a"]),
    ({"answer_a": "1", "answer_b": "2", "answer_1": "3"}, [Utterance("assistant", "1")], None, "", ["answer_a"]),
    ({"talk": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}], "target": "E"}, [ASK, ANSWER],
     None, "E", ["target", "talk"]),
    ({"talk": [{"from": "me", "text": "Q"}], "answer_a": "1", "answer_b": "2"}, [ASK], ("1", "2"), "",
     ["talk", "answer_a", "answer_b"]),
    ({"talk": [{"x": "me", "text": "Q"}], "answer": "A"}, [ANSWER], None, "", ["answer"]),
    ({"talk": [{"from": "me", "x": "Q"}], "answer": "A"}, [ANSWER], None, "", ["answer"]),
    ({"talk": [{"from": "me", "text": "Q"}, {"from": "you"}], "answer": "A"}, [ANSWER], None, "", ["answer"]),
    ({"talk": [], "answer": "A"}, [ANSWER], None, "", ["answer"]),
    ({"talk": ["Q"], "answer": "A"}, [ANSWER], None, "", ["answer"]),
])  # fmt: skip
def test_what_fields_mean(
    fields: dict[str, Any], utterances: list[Utterance], sides: tuple[str, str] | None, reference: str, used: list[str]
) -> None:
    assert text_fields(fields) == (utterances, sides, reference, used)


def test_what_is_kept_beside_an_item() -> None:
    fields = {"a": "x" * 200, "b": "x" * 201, "c": 1, "d": 0.5, "e": True, "f": None, "g": [1], "h": {}, "i": "no"}
    assert plain_fields(fields, ["i"]) == {"a": "x" * 200, "c": 1, "d": 0.5, "e": True}
    assert plain_fields('{"a": 1}') == {"a": 1} and plain_fields([1]) == plain_fields(None) == {}
    assert list(plain_fields({str(n): n for n in range(30)})) == [str(n) for n in range(20)]
    values = (0, 1, 0.5, -0.1, 1.1, "0.5", None)
    assert [as_confidence(value) for value in values] == [0.0, 1.0, 0.5, None, None, None, None]
