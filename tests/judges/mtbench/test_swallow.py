"""Swallow's files become records: five samples are five choices, and the means of its results are checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judges.jsonl import Record
from judges.mtbench.assembly import AssembledBench, BenchFile, join_records
from judges.mtbench.prompts import wording
from judges.mtbench.swallow import assemble_swallow
from tests.judges.mtbench.bench_rows import MULTI, QUESTIONS, SINGLE, answer, rating_row
from tests.judges.mtbench.bench_rows import read as fastchat

DATE = "2025-06-01T10-00-00.123456"
TASK = "swallow|japanese_mt_bench|0"
DETAILS = f"details/org/model/{DATE}/details_{TASK}_{DATE}.parquet"
RESULTS = f"results/org/model/results_{DATE}.json"


def row(number: int, scores: list[list[float]], category: str = "", **more: Any) -> dict[str, Any]:
    """A row of details: one question, its samples with these ratings of both turns."""
    question = QUESTIONS[number]
    answers = [[f"The {word} answer {n} to {question['turns'][t]}" for n in range(len(s))]
               for t, (word, s) in enumerate(zip(("first", "second"), scores, strict=True))]  # fmt: skip
    metrics: dict[str, Any] = {}
    for turn, numbers in enumerate(scores, 1):
        texts = [f"説明。Rating: [[{n:g}]]" if n != -1 else "説明だけ。" for n in numbers]
        sent = [
            [
                {"role": "system", "content": "s"},
                {"role": "user", "content": _prompt(turn, question["turns"], answers, n)},
            ]
            for n in range(len(numbers))
        ]
        metrics |= {f"judge_score_overall_turn_{turn}": numbers, f"judgement_overall_turn_{turn}": texts}
        metrics |= {f"user_prompt_overall_turn_{turn}": sent, f"judge_score_overall_turn_{turn}_avg": 0.0}
    specifics = {"id": int(question["question_id"]), "category": category or question["category"]}
    specifics |= {"multi_turn_queries": question["turns"], "reference": [{"turns": ["R1", "R2"]}]}
    return {"predictions": answers, "metrics": metrics, "specifics": specifics, "full_prompt": "", **more}


def _prompt(turn: int, turns: list[str], answers: list[list[str]], n: int) -> str:
    first = {"question": turns[0], "answer": answers[0][n]}
    both = {"question_1": turns[0], "answer_1": answers[0][n], "question_2": turns[1], "answer_2": answers[1][n]}
    return SINGLE.format(**first) if turn == 1 else MULTI.format(**both)


def results(**means: float) -> dict[str, Any]:
    """A results file with these means of the task."""
    return {"config_general": {"model_name": "org/model"}, "results": {TASK: means, "all": means}, "versions": {}}


def read(*files: tuple[str, list[dict[str, Any]]]) -> AssembledBench:
    loaded = [(name, [Record(n, row) for n, row in enumerate(rows, 1)]) for name, rows in files]
    return assemble_swallow(
        BenchFile(name, "results" if "results_" in name else "details", records) for name, records in loaded
    )


FIVE = [[8, 7, 7, 7, 6], [5, 5, -1, 5, 5]]


def test_five_samples_are_five_choices_with_their_own_judgments() -> None:
    assembled = read((DETAILS, [row(0, FIVE)]), (RESULTS, [results(judge_score_overall_turn_1_avg=7.0)]))
    bench = assembled.bench
    assert [(key, reply.continues) for key, reply in bench.answers.items()] == [
        (("81", "org/model", n), None if n == 0 else 0) for n in range(5)
    ]
    assert bench.answers["81", "org/model", 3].turns[1].startswith("The second answer 3")
    ratings = [(r.turn, r.choice, r.sample, r.stated) for r in bench.ratings]
    assert ratings == [(t, n, 0, FIVE[t - 1][n]) for t in (1, 2) for n in range(5)]
    assert [bench.ratings[7].text, bench.questions["81"].reference] == ["説明だけ。", ("R1", "R2")]
    judge = next(iter(bench.judges.values()))
    assert (judge.model, judge.prompt, judge.wording, judge.protocol) == (
        "gpt-4o-2024-08-06", "", wording(SINGLE), "swallow",
    )  # fmt: skip
    assert len(bench.judges) == 1 and not assembled.bad
    assert [note for note in assembled.notes if "name the judge" not in note] == []


@pytest.mark.parametrize(
    ("stated", "fits"),
    [
        ({"judge_score_overall_turn_1_avg": 7.0, "judge_score_overall_turn_2_avg": 3.8}, True),
        ({"judge_score_overall_turn_1_avg": 0.7, "judge_score_overall_turn_2_avg": 0.38}, True),
        ({"judge_score_overall_turn_1_avg": 7.0, "judge_score_overall_turn_2_avg": 5.0}, True),
        ({"judge_score_overall_turn_1_avg": 7.2, "judge_score_overall_turn_2_avg": 3.8}, False),
    ],
)
def test_means_of_the_results_are_compared_with_the_details(stated: dict[str, float], fits: bool) -> None:
    """Turn 1: 35/5; turn 2: 19/5 with -1 counted, 20/4 without."""
    assembled = read((DETAILS, [row(0, FIVE)]), (RESULTS, [results(**stated)]))
    notes = [note for note in assembled.notes if "is stated as" in note]
    assert (notes == []) is fits
    assert fits or ("turn 1 is stated as 7.2, and the details" in notes[0] and "give 7 (-1 counted)" in notes[0])


def test_means_of_other_tasks_are_not_those_of_the_details() -> None:
    means = results(judge_score_overall_turn_1_avg=7.0)
    means["results"] = {TASK: means["results"][TASK], "all": {"judge_score_overall_turn_1_avg": 2.0}}
    assembled = read((DETAILS, [row(0, FIVE)]), (RESULTS, [means]))
    assert not [note for note in assembled.notes if "is stated as" in note]


def test_shares_of_ten_come_in_on_the_scale_of_their_texts() -> None:
    details = row(0, FIVE)
    details["metrics"]["judge_score_overall_turn_1"] = [n / 10 for n in FIVE[0]]
    assembled = read((DETAILS, [details]))
    assert [r.stated for r in assembled.bench.ratings[:5]] == FIVE[0]
    assert any("5 ratings stated as a share of ten" in note for note in assembled.notes)


def test_a_text_that_ends_where_texts_are_cut_is_marked() -> None:
    details = row(0, FIVE)
    details["predictions"][1][2] = "x" * 6144
    cut = read((DETAILS.replace("bench|", "bench_truncate_6144|"), [details])).bench.answers
    assert [reply.cut_at for reply in cut.values()] == [0, 0, 6144, 0, 0]


def test_what_is_not_mt_bench_or_lacks_its_details_is_said_once() -> None:
    other = {"predictions": ["4"], "metrics": {"exact_match": 1}, "specifics": {"id": 1}}
    wrong = f"details/org/model/{DATE}/details_swallow|math_500|0_{DATE}.parquet"
    second = RESULTS.replace("2025", "2026")
    math = {"config_general": {"model_name": "o"}, "results": {"swallow|math_500|0": {"exact_match": 0.5}}}
    assembled = read(
        (wrong, [other, other]), (second, [results(judge_score_overall_turn_1_avg=7.0)]),
        ("results/results_x.json", [math]),
    )  # fmt: skip
    assert not assembled.bad and not assembled.answers
    assert assembled.notes == [
        f"{wrong} was ignored: it is of the task swallow|math_500|0, which has no ratings by turn.",
        f"{second} has means of org/model (japanese_mt_bench), but its details are not in the files, so it gives no "
        "answers and judgments. Give the Parquet file of details_ with it.",
        "results/results_x.json was ignored: it holds no means of MT-Bench.",
    ]


def test_a_row_that_does_not_fit_is_named_and_the_rest_is_taken() -> None:
    short, bare = row(0, FIVE), row(1, FIVE)
    short["metrics"]["judge_score_overall_turn_2"] = [5.0]
    bare["predictions"] = [["a"], 5]
    assembled = read((DETAILS, [short, bare, row(1, [[9], [8]])]))
    assert [(bad.place.line, bad.sentence) for bad in assembled.bad] == [
        (1, "Turn 2 has 1 rating and 5 texts of 5 samples: each sample needs one of both."),
        (2, "predictions must be a list for each turn, with a text for each sample."),
    ]
    assert len(assembled.ratings) == 5 + 2


def test_a_question_may_have_been_asked_for_its_first_turn_only() -> None:
    short = row(0, [[9], [8]])
    short |= {"predictions": short["predictions"][:1], "metrics": {"judge_score_overall_turn_1": [9]}}
    bench = read((DETAILS, [short])).bench
    assert [(r.turn, r.stated) for r in bench.ratings] == [(1, 9)]
    assert bench.answers["81", "org/model", 0].turns == ("The first answer 0 to Write a poem about rain.",)


@pytest.mark.parametrize("choices", [["x"], [None], {"index": 0, "turns": ["R"]}, 5])
def test_reference_answers_in_an_unknown_shape_are_none(choices: Any) -> None:
    bare = row(0, FIVE)
    bare["specifics"]["reference"] = [{"choices": choices}]
    assembled = read((DETAILS, [bare]))
    assert not assembled.bad and len(assembled.ratings) == 10 and assembled.questions["81"].reference == ()


def test_a_second_run_of_a_model_is_kept_apart() -> None:
    later = DETAILS.replace("2025", "2026")
    assembled = read((DETAILS, [row(0, [[9], [8]])]), (later, [row(0, [[3], [2]])]))
    assert [(r.model, r.turn, r.stated) for r in assembled.bench.ratings] == [
        ("org/model", 1, 9), ("org/model", 2, 8),
        (f"org/model ({DATE.replace('2025', '2026')})", 1, 3), (f"org/model ({DATE.replace('2025', '2026')})", 2, 2),
    ]  # fmt: skip


def test_models_run_at_the_same_time_keep_their_own_means_and_judges() -> None:
    """Turn 1: 9 and 3; a third model of that date has no details."""
    by_model = {model: results(judge_score_overall_turn_1=mean) for model, mean in (("a", 9.0), ("b", 3.0), ("c", 5.0))}
    for model, model_results in by_model.items():
        model_results["config_general"] = {"model_name": model}
        model_results["config_tasks"] = {"t": {"judge_model_name": f"judge-of-{model}"}}
    assembled = read(
        *((f"details/{model}/{DATE}/details_{TASK}_{DATE}.parquet", [row(0, [[n], [n]])])
          for model, n in (("a", 9), ("b", 3))),
        *((f"results/{model}/results_{DATE}.json", [model_results]) for model, model_results in by_model.items()),
    )  # fmt: skip
    assert [(assembled.bench.judges[r.judge].model, r.model) for r in assembled.bench.ratings if r.turn == 1] == [
        ("judge-of-a", "a"), ("judge-of-b", "b"),
    ]  # fmt: skip
    lacking = f"results/c/results_{DATE}.json has means of c"
    assert len(assembled.notes) == 1 and assembled.notes[0].startswith(lacking)


def test_a_bare_file_takes_its_model_from_the_results_of_its_run() -> None:
    bare = DETAILS.rpartition("/")[2]
    assert read((bare, [row(0, [[9], [8]])]), ("results_" + DATE + ".json", [results()])).bench.models == ["org/model"]
    assert read((bare, [row(0, [[9], [8]])])).bench.models == [bare.removesuffix(".parquet")]


def test_lighteval_s_own_task_names_its_judge_and_has_one_sample() -> None:
    details = row(0, [[9], [8]])
    details["metrics"] = {
        name.replace("overall", "gpt-4o"): values[0]
        for name, values in details["metrics"].items()
        if not name.endswith("avg")
    }
    details["predictions"] = [samples[0] for samples in details["predictions"]]
    bench = read((DETAILS, [details])).bench
    ratings = [(r.turn, r.stated, bench.judges[r.judge].model) for r in bench.ratings]
    assert ratings == [(1, 9, "gpt-4o"), (2, 8, "gpt-4o")]
    assert {judge.wording for judge in bench.judges.values()} == {wording(SINGLE)}


def test_two_sorts_of_files_of_one_model_are_not_merged() -> None:
    """A judgment of the one's text is none of the other's: what has no place is left out, and said."""
    first = fastchat(question=QUESTIONS, model_answer__one=[answer(81, "org/model")], j__gpt_single=[
        rating_row(model="org/model", score=3)
    ]).bench  # fmt: skip
    other = read((DETAILS, [row(0, [[9], [8]])])).bench
    both, notes = join_records(first, other)
    assert [(r.model, r.stated) for r in both.ratings] == [("org/model", 3.0)] and both.answers == first.answers
    assert len(notes) == 2 and "different answers of org/model" in notes[1] and "81" in notes[0]
    replies = {key: reply._replace(model="else") for key, reply in other.answers.items()}
    named = tuple(rating._replace(model="else") for rating in other.ratings)
    answers = {(reply.question, reply.model, reply.choice): reply for reply in replies.values()}
    whole, _ = join_records(first, replace(other, answers=answers, ratings=named))
    assert [(r.model, r.stated) for r in whole.ratings] == [("org/model", 3.0), ("else", 9), ("else", 8)]
