"""Files of MT-Bench become records: nothing is merged, nothing is lost, and what is odd is said."""

from __future__ import annotations

from typing import Any

import pytest

from judges.jsonl import mend_record, read_jsonl_line
from judges.mtbench.assembly import BenchFile, assemble
from judges.mtbench.prompts import wording
from judges.mtbench.ratings import read_ratings
from tests.judges.mtbench.bench_rows import (
    MATH,
    MULTI,
    OTHER_TEXT,
    QUESTIONS,
    SINGLE,
    TEXTS,
    answer,
    fill_template,
    rating_row,
    read,
)

ANSWERS = [answer(81, "m/one"), answer(82, "m/one")]
REFERENCES = [answer(82, "gpt-4", ("It is 51, since 17 times 3 is that.", "It is 68."))]


def cells(contents: Any) -> list[tuple[Any, ...]]:
    return [(r.judge, r.question, r.model, r.choice, r.turn, r.sample, r.stated) for _, r in contents.ratings]


def rows_of(template: str, score: int = 8) -> list[dict[str, Any]]:
    """Judgments of both turns by one wording."""
    second = rating_row(81, 2, score, user_prompt=fill_template(MULTI, 81), judge=["gpt-4", "single-v1-multi-turn"])
    return [rating_row(81, 1, score, user_prompt=fill_template(template, 81)), second]


def test_two_prompts_of_a_model_are_two_judges_by_name() -> None:
    rows = [rating_row(), rating_row(judge=["gpt-4", "strict-v1"], score=3)]
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, model_judgment__gpt_single=rows)
    assert cells(contents) == [
        ("gpt-4 single-v1", "81", "m/one", 0, 1, 0, 8.0), ("gpt-4 strict-v1", "81", "m/one", 0, 1, 0, 3.0),
    ]


@pytest.mark.parametrize("one_file", [True, False])
def test_two_texts_under_one_name_are_two_judges(one_file: bool) -> None:
    """Turn 2, whose prompt is the same for both, goes with the first turn that was judged before it."""
    first, second = rows_of(SINGLE, 8), rows_of(OTHER_TEXT, 5)
    files = {"j__gpt_single": [*first, *second]} if one_file else {"a__gpt_single": first, "b__gpt_single": second}
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, **files)
    names = [f"gpt-4 single-v1@{wording(template)}" for template in (SINGLE, OTHER_TEXT)]
    assert sorted((r.judge, r.turn, r.sample, r.stated) for _, r in contents.ratings) == sorted(
        [(names[0], 1, 0, 8.0), (names[0], 2, 0, 8.0), (names[1], 1, 0, 5.0), (names[1], 2, 0, 5.0)]
    )


def test_a_row_whose_prompt_is_not_there_goes_with_the_wording_that_has_not_judged_its_turn() -> None:
    rows = [rating_row(82, 1, 5, user_prompt=fill_template(OTHER_TEXT, 82)), *rows_of(SINGLE)[:1], rating_row(score=3)]
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, j__gpt_single=rows)
    single, other = (f"gpt-4 single-v1@{wording(template)}" for template in (SINGLE, OTHER_TEXT))
    assert [(r.judge, r.question, r.sample, r.stated) for _, r in contents.ratings] == [
        (other, "82", 0, 5.0), (single, "81", 0, 8.0), (other, "81", 0, 3.0),
    ]  # fmt: skip


def test_the_text_of_an_answer_that_is_not_in_the_files_is_no_wording() -> None:
    rows = [rating_row(question, user_prompt=fill_template(SINGLE, question)) for question in (81, 82)]
    contents = read(question=QUESTIONS, j__gpt_single=rows)
    assert set(contents.judges) == {"gpt-4 single-v1"} and len(contents.ratings) == 2


def test_the_wording_is_the_same_with_the_prompts_beside_and_without() -> None:
    prompts = [{"name": "single-v1", "type": "single", "system_prompt": "", "prompt_template": SINGLE}]
    sent, silent = rows_of(SINGLE), [rating_row(), rating_row(82)]
    files = {"question": QUESTIONS, "model_answer__one": ANSWERS}
    names = [
        set(read(**files, j__gpt_single=sent).judges),
        set(read(**files, judge_prompts=prompts, j__gpt_single=sent).judges),
        set(read(**files, judge_prompts=prompts, j__gpt_single=silent).judges),
    ]  # fmt: skip
    assert names == [{f"gpt-4 single-v1@{wording(SINGLE)}"}] * 3
    assert set(read(**files, j__gpt_single=silent).judges) == {"gpt-4 single-v1"}


def test_rows_without_prompts_take_those_of_the_nearest_folder() -> None:
    def prompts(text: str) -> list[dict[str, Any]]:
        return [{"name": "single-v1", "type": "single", "system_prompt": "", "prompt_template": text}]

    contents = read(
        question=QUESTIONS, model_answer__one=ANSWERS, judge_prompts=prompts(SINGLE),
        a__judge_prompts=prompts(OTHER_TEXT), a__gpt_single=[rating_row()], b__gpt_single=[rating_row(score=3)],
    )  # fmt: skip
    assert {r.judge: r.stated for _, r in contents.ratings} == {
        f"gpt-4 single-v1@{wording(OTHER_TEXT)}": 8.0, f"gpt-4 single-v1@{wording(SINGLE)}": 3.0,
    }  # fmt: skip


def test_references_and_thinking_are_taken_out_of_a_prompt() -> None:
    """A judge of math is shown a reference, and no judge the thinking: neither hides which wording it was."""
    thought = ("<think>Hm, {question}?</think>Rain falls softly on the town.", "Rain, softly.")
    reference = REFERENCES[0]["choices"][0]["turns"][0]
    rows = [
        rating_row(user_prompt=fill_template(SINGLE, 81)),
        rating_row(82, judge=["gpt-4", "single-math-v1"], user_prompt=fill_template(MATH, 82, reference=reference)),
        rating_row(81, 2, judge=["gpt-4", "single-v1-multi-turn"], user_prompt=fill_template(MULTI, 81)),
    ]
    contents = read(
        question=QUESTIONS, model_answer__one=[answer(81, "m/one", thought), ANSWERS[1]],
        reference_answer__gpt=REFERENCES,
        j__gpt_single=rows,
    )  # fmt: skip
    assert set(contents.judges) == {f"gpt-4 single-v1@{wording(SINGLE)}"} and len(contents.ratings) == 3
    assert contents.references == {"gpt": {"82": tuple(REFERENCES[0]["choices"][0]["turns"])}}


def test_a_prompt_that_holds_none_of_the_answers_is_said_once() -> None:
    rows = [rating_row(question, user_prompt="Something else altogether.") for question in (81, 82)]
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, j__gpt_single=rows)
    assert set(contents.judges) == {"gpt-4 single-v1"}
    assert [note for note in contents.notes if "cannot be determined" in note] == [contents.notes[0]]


CHOICES = [answer(81, "m/one", ("One.", "Uno, my dear."), ("Two, then.", "Dos."), ("Three it is.", "Tres."))]


def test_every_choice_is_an_answer_and_a_list_of_as_many_judgments_goes_to_them() -> None:
    row = rating_row(judgment=["[[5]]", "[[6]]", "[[7]]"], score=[5, 6, 7], user_prompt=["", "", ""])
    contents = read(question=QUESTIONS, model_answer__one=CHOICES, j__gpt_single=[row])
    assert [key[2] for key in contents.answers] == [0, 1, 2]
    assert [(r.choice, r.sample, r.stated) for _, r in contents.ratings] == [(0, 0, 5.0), (1, 0, 6.0), (2, 0, 7.0)]


def test_a_list_of_another_length_is_samples_of_the_judge() -> None:
    row = rating_row(judgment=["[[5]]", "[[6]]"], score=[5, 6])
    contents = read(question=QUESTIONS, model_answer__one=CHOICES, j__gpt_single=[row, rating_row(score=9)])
    assert [(r.choice, r.sample, r.stated) for _, r in contents.ratings] == [(0, 0, 5.0), (0, 1, 6.0), (0, 2, 9.0)]


def test_lists_of_both_turns_in_one_row_go_to_the_choices_of_each_turn() -> None:
    row = {"question_id": 81, "model": "m/one", "judge": "Q", "score_turn1": [5, 6, 7], "score_turn2": [1, 2, 3]}
    contents = read(question=QUESTIONS, model_answer__one=CHOICES, j__gpt_single=[row])
    assert [(r.turn, r.choice, r.sample, r.stated) for _, r in contents.ratings] == [
        (turn, choice, 0, float(score))
        for turn, scores in ((1, (5, 6, 7)), (2, (1, 2, 3))) for choice, score in enumerate(scores)
    ]  # fmt: skip


def test_a_judgment_of_a_later_choice_may_be_about_a_turn_that_the_first_one_lacks() -> None:
    uneven = [answer(81, "m/one", ("One.",), ("Two, then.", "Dos."))]
    contents = read(
        question=QUESTIONS, model_answer__one=uneven, j__gpt_single=[rating_row(turn=2, choice=n) for n in (0, 1)]
    )
    assert [(r.choice, r.turn) for _, r in contents.ratings] == [(1, 2)]
    assert [bad.sentence for bad in contents.bad] == ["The answer of m/one to question 81 has 1 turn: none is 2."]


def test_a_judgment_of_a_choice_that_is_missing_or_refused_is_about_no_other() -> None:
    """Three answers to two turns are refused; a list with as many judgments as choices still knows its places."""
    answers = [answer(81, "m/one", ("One.", "Uno."), ("Two.", "Dos.", "Too."), ("Three.", "Tres."))]
    as_list = rating_row(judgment=["[[5]]", "[[6]]", "[[7]]"], score=[5, 6, 7], user_prompt=["", "", ""])
    named = [rating_row(score=n, choice=n) for n in (0, 1, 2, 3)]
    for rows, rated, refused in (([as_list], [(0, 5.0), (2, 7.0)], [1]), (named, [(0, 0.0), (2, 2.0)], [1, 3])):
        contents = read(question=QUESTIONS, model_answer__one=answers, j__gpt_single=rows)
        assert [(r.choice, r.stated) for _, r in contents.ratings] == rated
        assert [bad.sentence for bad in contents.bad if bad.field == "choice"] == [
            f"The files have no usable answer {n} (counted from 0) of m/one to question 81." for n in refused
        ]
    without = read(question=QUESTIONS, j__gpt_single=[*named, rating_row(choice=2**63)])
    assert [(r.choice, r.sample) for _, r in without.ratings] == [(n, 0) for n in (0, 1, 2, 3)]


def test_an_index_that_no_column_has_room_for_is_a_mark_and_the_place_counts() -> None:
    lines = [answer(81, "m/one", ("One.", "Uno."), ("Two.", "Dos."))]
    for number, choice in enumerate(lines[0]["choices"]):
        choice["index"] = 2**63 + number
    contents = read(question=QUESTIONS, model_answer__one=lines, j__gpt_single=[rating_row()])
    assert [key[2] for key in contents.answers] == [0, 1] and len(read_ratings(contents.bench)) == 1


def test_the_prompt_says_which_choice_was_judged() -> None:
    turns = CHOICES[0]["choices"][2]["turns"]
    row = rating_row(user_prompt=fill_template(SINGLE, 81, turns))
    contents = read(question=QUESTIONS, model_answer__one=CHOICES, j__gpt_single=[row])
    assert [(r.judge, r.choice) for _, r in contents.ratings] == [(f"gpt-4 single-v1@{wording(SINGLE)}", 2)]


def test_copies_of_one_text_are_judged_one_after_the_other() -> None:
    copies = [answer(81, "m/one", *[TEXTS["81"]] * 3)]
    rows = [rating_row(score=n, user_prompt=fill_template(SINGLE, 81)) for n in (4, 5, 6, 7)]
    contents = read(question=QUESTIONS, model_answer__one=copies, j__gpt_single=rows)
    ratings = [(r.choice, r.sample, r.stated) for _, r in contents.ratings]
    assert ratings == [(0, 0, 4.0), (1, 0, 5.0), (2, 0, 6.0), (0, 1, 7.0)]


def test_folders_tell_judges_apart_that_name_no_prompt() -> None:
    """One judge with references and without, as other tools lay it out; -1 without a text was not asked."""
    plain = {"question_id": 82, "model_id": "m/one", "judge_id": "Q", "score_turn1": 7.0, "score_turn2": 6.0}
    plain |= {"judgment_turn1": "[[7]]", "judgment_turn2": "[[6]]"}
    guided = {**plain, "score_turn1": -1.0, "score_turn2": 2.0, "judgment_turn1": "", "judgment_turn2": "[[2]]"}
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, q__grade__one=[plain], q__grade_ref__one=[guided])
    ratings = {(r.judge, r.turn, r.stated) for _, r in contents.ratings}
    assert ratings == {("Q grade", 1, 7.0), ("Q grade", 2, 6.0), ("Q grade_ref", 2, 2.0)}
    alone = read(question=QUESTIONS, model_answer__one=ANSWERS, q__grade__one=[plain])
    assert set(alone.judges) == {"Q"}


def pair_row(**more: Any) -> dict[str, Any]:
    return {"question_id": 81, "model_a": "two", "model_b": "m/one", "judge_id": "Q", "turn": 2, **more}


@pytest.mark.parametrize(
    ("row", "games", "contrary"),
    [
        # The letters are places: A in the second game is m/one, which sorts first.
        ({"winner_ab": "A", "winner_ba": "B", "winner": "two"}, [("ba", "b"), ("ab", "b")], False),
        ({"winner_ab": "A", "winner_ba": "A", "winner": "inconsistent"}, [("ba", "b"), ("ab", "a")], False),
        # Only as models do they come to the row's own winner.
        ({"winner_ab": "A", "winner_ba": "A", "winner": "two"}, [("ba", "b"), ("ab", "b")], False),
        ({"winner_ab": "two", "winner_ba": "model_b"}, [("ba", "b"), ("ab", "a")], False),
        ({"winner_ab": "tie", "winner_ba": "error", "winner": "error"}, [("ba", "tie"), ("ab", "")], False),
        ({"winner_ab": "A", "winner_ba": "B", "winner": "m/one"}, [("ba", "b"), ("ab", "b")], True),
        ({"winner_ab": "A"}, [("ba", "b")], False),
    ],
)
def test_a_verdict_in_each_order_is_two_games(row: dict[str, Any], games: list[Any], contrary: bool) -> None:
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, q__pairs=[pair_row(**row)])
    assert [(g.order, g.winner) for _, g in contents.games] == games
    assert {(g.a, g.b, g.turn) for _, g in contents.games} == {("m/one", "two", 2)}
    assert any("the winner does not follow" in note for note in contents.notes) is contrary
    assert any("in one order only" in note for note in contents.notes) is (len(games) == 1)


def test_a_list_of_people_votes_one_by_one_and_a_model_with_its_prompt_does_not() -> None:
    vote = {"question_id": 81, "turn": 1, "model_a": "two", "model_b": "m/one", "winner": "model_a"}
    rows = [{**vote, "judge": ["expert_1", "expert_2"]}, {**vote, "judge": ["gpt-4", "pair-v2"]}]
    contents = read(question=QUESTIONS, votes=rows)
    assert [(v.voter, v.group, v.a, v.b, v.winner) for _, v in contents.votes] == [
        ("expert_1", "expert", "m/one", "two", "b"), ("expert_2", "expert", "m/one", "two", "b"),
    ]  # fmt: skip
    assert [(g.judge, g.order, g.winner) for _, g in contents.games] == [("gpt-4 pair-v2", "", "b")]


def test_a_pair_that_was_judged_again_in_one_order_is_one_that_lacks_the_other() -> None:
    both = {"winner_ab": "A", "winner_ba": "B"}
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, q__pairs=[pair_row(**both), pair_row(winner_ab="A")])
    assert [note for note in contents.notes if "in one order only" in note] == [
        "q/pairs.jsonl: 1 pair was judged in one order only."
    ]


def test_a_mean_that_is_no_number_costs_no_row() -> None:
    line = b'{"question_id": 81, "model": "m", "judge_id": "Q", "score_turn1": 7, "score_turn2": -1, "avg_score": NaN}'
    contents = assemble([BenchFile("one.jsonl", "single", [read_jsonl_line(1, line)])])
    assert [(r.turn, r.stated) for _, r in contents.ratings] == [(1, 7.0)] and not contents.bad


@pytest.mark.parametrize("fault", ['"half \\ud83d"', '"\\u0000"', "9" * 30, '"NaN", "model": "again"'])
def test_a_line_that_is_refused_for_more_than_nan_stays_refused(fault: str) -> None:
    line = f'{{"model": "m", "score": NaN, "judgment": {fault}}}'.encode()
    assert mend_record(read_jsonl_line(1, line)).problem
    sound = b'{"score": [-Infinity, NaN], "judgment": "NaN and \\"Infinity\\""}'
    assert mend_record(read_jsonl_line(1, sound)).value == {
        "score": [None, None], "judgment": 'NaN and "Infinity"',
    }  # fmt: skip


def test_what_is_odd_is_said_and_what_is_sound_is_kept() -> None:
    answers = [*ANSWERS, answer(81, "m/one"), answer(82, "m/one", ("Else.", "Else.")), "{half"]
    rows = [
        rating_row(), rating_row(999), rating_row(turn=3), rating_row(model="one", turn=2),
        rating_row(82, 1, user_prompt=SINGLE.format(question="And 17 times 4?", answer="It is sixty-eight.")),
    ]  # fmt: skip
    contents = read(question=QUESTIONS, model_answer__one=answers, j__gpt_single=rows)
    assert [(bad.place.file, bad.place.line, bad.sentence) for bad in contents.bad] == [
        (
            "model_answer/one.jsonl", 2,
            "The answer of m/one to question 82 appears again later, with other texts, which are used.",
        ),
        ("model_answer/one.jsonl", 5, "The line is not JSON."),
        ("j/gpt_single.jsonl", 3, "The answer of m/one to question 81 has 2 turns: none is 3."),
        ("j/gpt_single.jsonl", 2, "The question 999 is not in the files: its judgment is left out."),
    ]  # fmt: skip
    ratings = [(r.question, r.model, r.turn) for _, r in contents.ratings]
    assert ratings == [("81", "m/one", 1), ("81", "m/one", 2), ("82", "m/one", 1)]
    notes = " ".join(contents.notes)
    assert "1 answer appears twice, word for word" in notes and "'one' in judgments" in notes
    assert "1 judgment names another turn than its prompt is about" in notes


def test_judgments_of_two_wordings_in_any_order_are_told_apart_by_their_words() -> None:
    """The math prompt of the second wording comes first in the file, and goes with its own wording all the same."""
    reference = REFERENCES[0]["choices"][0]["turns"][0]
    other_math = MATH.replace("Judge the answer", "Judge the answer, and its language")
    math = ["gpt-4", "single-math-v1"]
    rows = [
        rating_row(82, 1, 5, judge=math, user_prompt=fill_template(other_math, 82, reference=reference)),
        rating_row(81, 1, 8, user_prompt=fill_template(SINGLE, 81)),
        rating_row(82, 1, 8, judge=math, user_prompt=fill_template(MATH, 82, reference=reference)),
        rating_row(81, 1, 5, user_prompt=fill_template(OTHER_TEXT, 81)),
    ]
    contents = read(question=QUESTIONS, model_answer__one=ANSWERS, reference_answer__gpt=REFERENCES, j__gpt_single=rows)
    scores = {(r.judge, r.question): r.stated for _, r in contents.ratings}
    names = [f"gpt-4 single-v1@{wording(template)}" for template in (SINGLE, OTHER_TEXT)]
    assert scores == {(names[0], "81"): 8, (names[0], "82"): 8, (names[1], "81"): 5, (names[1], "82"): 5}


def test_answers_of_a_judge_without_a_folder_are_its_references() -> None:
    files = {"question": QUESTIONS, "one": ANSWERS, "gpt_single": [rating_row()]}
    contents = read(**files, gpt=REFERENCES)
    assert contents.bench.models == ["m/one"] and set(contents.references) == {"gpt-4"}
    assert any("taken for reference answers of gpt-4" in note for note in contents.notes)
    in_folder, judged = {"model_answer__gpt": REFERENCES}, {"gpt": REFERENCES, "j": [rating_row(82, model="gpt-4")]}
    for other in (read(**files, **in_folder), read(**files, **judged)):
        assert other.bench.models == ["m/one", "gpt-4"] and not other.references


def test_of_an_answer_that_stands_twice_the_later_holds_and_judgments_of_the_other_are_told() -> None:
    """As FastChat reads its files. The judge's prompt shows that it was asked before the answer was made anew."""
    answers = [*ANSWERS, answer(81, "m/one", ("Drops on the roof.", "Drops."))]
    rows = [rating_row(user_prompt=fill_template(SINGLE, 81)), rating_row(82, user_prompt=fill_template(SINGLE, 82))]
    contents = read(question=QUESTIONS, model_answer__one=answers, j__gpt_single=rows)
    assert contents.answers["81", "m/one", 0].turns == ("Drops on the roof.", "Drops.")
    assert [bad.place.line for bad in contents.bad] == [1]
    notes = [note for note in contents.notes if "another text than the answer" in note]
    assert notes == [
        "j/gpt_single.jsonl: 1 judgment was made on another text than the answer in the files (questions 81)."
    ]
    assert {judge.wording for judge in contents.judges.values()} == {wording(SINGLE)}


def test_turns_of_an_answer_that_are_swapped_are_told() -> None:
    turns = ("Rain falls softly on the town.", "Softly falls the rain, it does.")
    swapped = read(
        question=QUESTIONS, model_answer__one=[answer(81, "m/one", turns[::-1])],
        j__gpt_single=[rating_row(user_prompt=fill_template(SINGLE, 81, turns))],
    )  # fmt: skip
    assert any("the turns of 1 answer seem to be swapped" in note for note in swapped.notes)
