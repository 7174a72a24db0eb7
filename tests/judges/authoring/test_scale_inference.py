"""The scale of values that come without a card."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.authoring.recipe import RecipeScale
from judges.authoring.scale_inference import MISSING, explain_two_scales, parse_answer, stray_cells, survey
from judges.errors import BadScale

INFERENCES: list[tuple[list[Any], str, list[Any]]] = [
    (["1", "2", "8.0"], "ordinal 1 10", [1, 2, 8]),
    ([1, 3, 5.0, None], "ordinal 1 5", [1, 3, 5, None]),
    ([0, 3, 2], "ordinal 0 3", [0, 3, 2]),
    (["４", "５"], "ordinal 1 5", [4, 5]),
    (["8/10", "9 out of 10"], "ordinal 1 10", [8, 9]),
    (["pass", "FAIL", ""], "flag", [True, False, None]),
    (["0", "1", "nan"], "flag", [False, True, None]),
    ([True, "false", 1, "はい"], "flag", [True, False, True, True]),
    (["ja", "Nein."], "flag", [True, False]),
    ([" Good ", "poor"], "ordered poor fair good", ["good", "poor"]),
    (["low", "HIGH", "n/a"], "ordered low high", ["low", "high", None]),
    (["none", "severe"], "ordered none mild moderate severe", ["none", "severe"]),
    (["none", "4", "5"], "ordinal 1 5", [None, 4, 5]),
    (["Partially-correct", "correct", "incorrect"], "ordered incorrect partially correct correct",
     ["partially correct", "correct", "incorrect"]),
    (["悪い", "良い"], "ordered 悪い 普通 良い", ["悪い", "良い"]),
    (["A", "F"], "ordered f d c b a", ["a", "f"]),
    (["A+", "B-", "b"], "ordered b- b b+ a- a a+", ["a+", "b-", "b"]),
    (["★★★★★", "★☆☆☆☆"], "ordinal 1 5", [5, 1]),
    (["5 stars", "1 star", "3 Sterne"], "ordinal 1 5", [5, 1, 3]),
    (["4点", "１点", "5 points"], "ordinal 1 5", [4, 1, 5]),
    (["1 - Very poor", "4: Good", "5 (excellent)"], "ordinal 1 5", [1, 4, 5]),
    (["1 - sehr gut", "2 - gut", "5 - mangelhaft"], "ordinal 1 5", [1, 2, 5]),
    (["1 - Not at all mine", "2", 3, "5 - All mine"], "ordinal 1 5", [1, 2, 3, 5]),
    (["1 - Politics", "2 - Sports"], "unordered 1 - politics 2 - sports", ["1 - politics", "2 - sports"]),
    (["1: A", "2: B"], "unordered 1: a 2: b", ["1: a", "2: b"]),
    (["2 - good", "2 - bad"], "unordered 2 - bad 2 - good", ["2 - good", "2 - bad"]),
    (["right (mostly)", "odd"], "unordered odd right (mostly)", ["right (mostly)", "odd"]),
    (["A", "B", "C"], "unordered a b c", ["a", "b", "c"]),
    (["[[A]]", "model_b", "tie"], "unordered a tie b", ["a", "b", "tie"]),
    (["1", "2", "tie"], "unordered a tie b", ["a", "b", "tie"]),
    (["cat", "dog"], "unordered cat dog", ["cat", "dog"]),
    ([3.5, "4"], "interval 1 5 .5", [3.5, 4.0]),
    ([3.3333, 4], "interval 1 5", [3.3333, 4.0]),
    (["0.25", ".5"], "interval 0 1 .25", [0.25, 0.5]),
    ([72, 88], "interval 0 100 1", [72.0, 88.0]),
    (["85%", "90 %"], "interval 0 100 1", [85.0, 90.0]),
    (["0.8", "85%"], "interval 0 1", [0.8, 0.85]),
    (["3,5", "4,0", "3,125"], "interval 1 5", [3.5, 4.0, 3.125]),
    (["1.234,5", "2.000,25"], "interval 0 2000.25 .25", [1234.5, 2000.25]),
    ([-1, 0, 1], "interval -1 1 1", [-1.0, 0.0, 1.0]),
    ([-7.3, 2.25], "interval -7.3 2.25", [-7.3, 2.25]),
]  # fmt: skip


def scale_text(scale: RecipeScale) -> str:
    if scale.kind in ("ordinal", "interval"):
        step = f"{scale.step:g}".removeprefix("0") if scale.step else ""
        return f"{scale.kind} {scale.lo:g} {scale.hi:g} {step}".rstrip() if scale.hi != 2000.25 else (
            f"interval 0 2000.25 {step}"
        )  # fmt: skip
    return " ".join([scale.kind, *scale.categories])


@pytest.mark.parametrize(("cells", "scale", "answers"), INFERENCES, ids=[str(row[0])[:40] for row in INFERENCES])
def test_the_scale_of_cells(cells: list[Any], scale: str, answers: list[Any]) -> None:
    answer_scale = survey(cells).answers
    assert answer_scale is not None and scale_text(answer_scale) == scale
    values = [parse_answer(cell, answer_scale) for cell in cells]
    assert values == answers and [type(value) for value in values] == [type(value) for value in answers]


@pytest.mark.parametrize(
    ("cells", "why", "most"),
    [
        ([1, 2, "three"], "numbers (2) and words (1) are mixed: 'three'", "ordinal"),
        (["good", "bad", 7], "numbers (1) and words (2) are mixed: '7'", "ordered"),
        (["3,125"], "'3,125' may be 3.125 or 3125", None),
        (["1,234", "1.5"], "'1,234' may be", None),
        (["85%", "12"], "some have a percent sign", None),
        (["4/5", "7/10"], "out of different numbers (5, 10)", None),
        (["x" * 41, "y"], "texts, not answers", None),
        ([{"tone": 1}, {"tone": 2}], "texts, not answers: \"{'tone': 1}\"", None),
        ([[1], [2]], "texts, not answers: '[1]'", None),
        (['{"tone": 1}', '{"tone": 2}'], "texts, not answers", None),
        ([f"word {n}" for n in range(21)], "21 different ones", None),
        (["foo", "foo"], "every cell says 'foo'", None),
        (["", None, "N/A", float("nan"), "-"], "every cell is empty", None),
        ([], "every cell is empty", None),
    ],
)
def test_cells_without_a_scale_in_common(cells: list[Any], why: str, most: str | None) -> None:
    cell_survey = survey(cells)
    assert cell_survey.answers is None and why in cell_survey.why
    assert (cell_survey.most.kind if cell_survey.most else None) == most


MANY = [1, 2, 3, 4, 5] * 40


@pytest.mark.parametrize(
    ("cells", "strays", "scale"),
    [
        ([*MANY, -1], ["-1"], "ordinal 1 5"),
        ([*MANY, 9.5], ["9.5"], "ordinal 1 5"),
        ([*MANY, -1, 9.5, "99"], ["-1", "9.5", "99"], "ordinal 1 5"),
        ([*MANY, -9, -9, -9, -9], ["-9"], "ordinal 1 5"),
        ([*MANY, *range(1, 11), 11], ["11"], "ordinal 1 10"),
        ([n / 100 for n in range(100)] + [-1], ["-1"], "interval 0 1"),
        ([*range(100), 999], ["999"], "interval 0 100 1"),
        ([*MANY, *[99] * 12], ["99"], "ordinal 1 5"),
        ([*MANY, *[-99] * 9, *["-9"] * 9, 999], ["-99", "-9", "999"], "ordinal 1 5"),
        ([*[1, 2, 3, 4, 5] * 4, 99], ["99"], "ordinal 1 5"),
        ([*[0, 1] * 10, 9], ["9"], "ordinal 0 2"),
        ([*MANY, *[99] * 60], [], "interval 0 100 1"),
        ([1, 2, 3, 4, 99], [], "interval 0 100 1"),
        ([*MANY, *[9] * 12], [], "ordinal 1 10"),
        ([*[1, 20, 50] * 40, *[99] * 12], [], "interval 0 100 1"),
        ([*MANY, 0], [], "ordinal 0 5"),
        ([*MANY, 7], [], "ordinal 1 7"),
        ([*MANY, 3.5], [], "interval 1 5 .5"),
        ([*MANY, -1, -1, -1, -1, -1], [], "interval -1 5 1"),
        ([*MANY, -1, -2, -3, -4], [], "interval -4 5 1"),
        ([1, 2, 3, 4, 5] * 9 + [-1], [], "interval -1 5 1"),
        ([0, 1] * 100 + [-1], [], "interval -1 1 1"),
        ([-2, 0, 1, 2, 3] * 40 + [-3], [], "interval -3 3 1"),
        ([n / 100 for n in range(100)] + [1.2], [], "interval 0 5"),
        ([n / 100 for n in range(100)] + [-0.05], [], "interval -1 1"),
    ],
)
def test_a_few_numbers_far_off_the_others_make_no_scale(cells: list[Any], strays: list[str], scale: str) -> None:
    cell_survey = survey(cells)
    assert [str(cell) for cell in stray_cells(Counter(cells).items())] == strays
    assert cell_survey.most is not None and scale_text(cell_survey.most) == scale
    assert (cell_survey.answers is None) == bool(strays)
    named = f"few and far off the others, so not on the scale: {', '.join(strays)}"
    assert cell_survey.why == (named if strays else "")


@pytest.mark.parametrize(
    ("cells", "sides"),
    [
        (["A is better", "Response B is better.", "Both are equally good"], "a b tie"),
        (["Model 1 wins", "model 2 wins", "about the same"], "a b tie"),
        (["Left better", "B", "No preference"], "a b tie"),
    ],
)
def test_a_sentence_on_the_better_side_is_a_verdict(cells: list[str], sides: str) -> None:
    answers = survey(cells).answers
    assert answers is not None and answers.categories == ["a", "tie", "b"]
    assert [parse_answer(cell, answers) for cell in cells] == sides.split()


def test_labels_with_and_without_their_numbers_are_one_scale() -> None:
    answers = survey(["5 = strongly disagree", "2 = agree", "Agree", "strongly disagree", "4 = Disagree"]).answers
    assert answers is not None and answers.categories[0] == "strongly disagree" and len(answers.categories) == 4
    assert [parse_answer(cell, answers) for cell in ("2 = agree", "AGREE")] == ["agree", "agree"]


def test_a_date_that_excel_makes_of_an_answer_is_no_number() -> None:
    assert "numbers (2) and words (1) are mixed: '5-Apr'" in survey(["3/5", "4/5", "5-Apr"]).why


def test_a_comma_is_what_of_both_lies_on_the_scale() -> None:
    assert parse_answer("3,125", RecipeScale(kind="interval", lo=0, hi=5)) == 3.125
    assert parse_answer("3,125", RecipeScale(kind="interval", lo=1000, hi=5000)) == 3125
    with pytest.raises(BadScale):
        parse_answer("3,125", RecipeScale(kind="interval", lo=0, hi=5000))


@pytest.mark.parametrize("cell", [True, "yes", "11", 4.5, "4/10", [4], {"a": 1}, 10**400, "1e99"])
def test_what_is_no_answer_is_refused(cell: Any) -> None:
    with pytest.raises(BadScale):
        parse_answer(cell, RecipeScale())


FAR_CELLS = ["2,000,000,000.5", "2.000.000.000,5", "5000000000%", "5000000000 stars", "5000000000/10", "5000000000,55"]


@pytest.mark.parametrize("cell", [*FAR_CELLS, "9" * 400, f"{'9' * 400}%", f"{'9' * 400},5"])
def test_a_number_that_no_scale_reaches_is_a_word(cell: str) -> None:
    cell_survey = survey([cell, "3,5", "4,5"])
    assert (cell_survey.answers, cell_survey.numbers, cell_survey.words) == (None, 2, 1)


@pytest.mark.parametrize(("cells", "step"), [([999_999_999, 0], 1), ([10**9, 3], 0), ([-(10**9), 5, 10**9], 0)])
def test_very_many_steps_are_any_number(cells: list[int], step: float) -> None:
    answers = survey(cells).answers
    assert answers is not None and (answers.kind, answers.step) == ("interval", step)


_cells = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(), st.text(max_size=12),
    st.sampled_from([*sorted(MISSING), "1,5", "1,234", "50%", "3/5", "yes", "good", "a", "tie"]),
    st.lists(st.integers(), max_size=2),
)  # fmt: skip


@given(st.lists(_cells, max_size=8))
def test_every_cell_of_a_scale_is_an_answer_on_it(cells: list[Any]) -> None:
    cell_survey = survey(cells)
    assert cell_survey.numbers + cell_survey.words + cell_survey.missing == len(cells)
    assert (cell_survey.answers is None) == bool(cell_survey.why)
    if cell_survey.answers is not None:
        for cell in cells:
            value = parse_answer(cell, cell_survey.answers)
            assert value is None or cell_survey.answers.scale.code(value) is not None


def test_a_number_after_the_word_score_is_that_number() -> None:
    cells = ["Score: 4", "score = 2", "Final rating: [[5]]", "Grade: 3.0", "評価:1", 4]
    answers = survey(cells).answers
    assert answers == RecipeScale(kind="ordinal", lo=1, hi=5)
    assert [parse_answer(cell, answers) for cell in cells] == [4, 2, 5, 3, 1, 4]
    assert survey(["Rating: 3/5", "Rating: 5/5"]).answers == answers
    # Any other word before a number is a part of a word.
    assert survey(["team: 1", "team: 2", "score: high"]).numbers == 0


def up_to(most: float) -> RecipeScale:
    return RecipeScale(kind="interval", lo=0, hi=most)


FLAG = RecipeScale(kind="flag")


@pytest.mark.parametrize(("judge", "people", "common", "ends"), [
    (up_to(100), [up_to(5), up_to(10), FLAG, None], None, "100 and people's numbers up to 10"),
    (up_to(5), [up_to(10)], None, "5 and people's numbers up to 10"), (up_to(5), [up_to(9.9)], None, ""),
    (up_to(100), [], None, ""), (up_to(100), [None], None, ""), (None, [up_to(100)], None, ""),
    (up_to(100), [FLAG], None, ""), (FLAG, [up_to(100)], None, ""),
    (up_to(100), [up_to(5)], up_to(100), "100 and people's numbers up to 5"),
    (up_to(100), [up_to(1)], up_to(1), ""),
])  # fmt: skip
def test_numbers_that_reach_twice_as_far_look_like_another_scale(
    judge: RecipeScale | None, people: list[RecipeScale | None], common: RecipeScale | None, ends: str
) -> None:
    sentences = [sentence.partition(":")[0] for sentence in explain_two_scales("tone", judge, people, common)]
    assert sentences == ([f"tone goes up to {ends}"] if ends else [])
