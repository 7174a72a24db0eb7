"""Whose the columns of tables are, with the headers that public tables and people's own spreadsheets have."""

from __future__ import annotations

from typing import Any

import pytest

from judges.importing.column_names import parse_name
from judges.importing.columns import Columns, cell_text, fault_of_names, find_columns

LONG = [f"a text of item {n}, long enough to be read as one, and going on for a while" for n in range(12)]
ID, FIVE = list(range(100, 112)), [1, 3, 5, 2, 4]
ARENA, FLAG = ["model_a", "model_b", "tie"], ["pass", "fail"]


def read(table: dict[str, list[Any]], **owners: Any) -> Columns:
    rows = [{name: cells[n % len(cells)] for name, cells in table.items()} for n in range(12)]
    return find_columns(list(table), rows, **owners)


def brief(roles: Columns) -> tuple[Any, ...]:
    return (
        roles.id,
        {name: "+".join(cells) for name, cells in roles.texts.items()},
        [(v.column, v.rater, v.dimension) for v in roles.judges],
        [(v.column, v.rater, v.dimension) for v in roles.people],
    )


OWNED: dict[str, tuple[dict[str, list[Any]], tuple[Any, ...]]] = {
    "two columns": (
        {"judge": FIVE, "human": FIVE},
        ("", {}, [("judge", "judge", "")], [("human", "human", "")]),
    ),
    "several people": (
        {"id": ID, "gpt-4_score": FIVE, "annotator_1": FIVE, "annotator_2": FIVE},
        (
            "id", {}, [("gpt-4_score", "gpt-4", "")],
            [("annotator_1", "annotator_1", ""), ("annotator_2", "annotator_2", "")],
        ),
    ),
    "several judges": (
        {"case": ID, "claude-3-5-sonnet": FIVE, "gpt_4o": FIVE, "expert": FIVE},
        (
            "case", {}, [("claude-3-5-sonnet", "claude-3-5-sonnet", ""), ("gpt_4o", "gpt-4o", "")],
            [("expert", "expert", "")],
        ),
    ),
    "dimensions": (
        {"id": ID, "judge_tone": FIVE, "human_tone": FIVE, "judge_facts": FIVE, "human_facts": FIVE},
        (
            "id", {}, [("judge_tone", "judge", "tone"), ("judge_facts", "judge", "facts")],
            [("human_tone", "human", "tone"), ("human_facts", "human", "facts")],
        ),
    ),
    "SummEval": (
        {"id": ID, "text": LONG, "decoded": LONG, "expert_coherence_1": FIVE, "expert_coherence_2": FIVE,
         "coherence_gpt4": FIVE, "reference": LONG, "model_id": ["M0", "M1"]},
        (
            "id", {"task": "text", "output": "decoded", "reference": "reference", "system": "model_id"},
            [("coherence_gpt4", "gpt4", "coherence")],
            [("expert_coherence_1", "expert_1", "coherence"), ("expert_coherence_2", "expert_2", "coherence")],
        ),
    ),
    "Prometheus": (
        {"idx": ID, "orig_instruction": LONG, "orig_response": LONG, "orig_reference_answer": LONG,
         "human_score": FIVE, "gpt4_score": FIVE, "prometheus_score": FIVE},
        (
            "idx", {"task": "orig_instruction", "output": "orig_response", "reference": "orig_reference_answer"},
            [("gpt4_score", "gpt4", ""), ("prometheus_score", "prometheus", "")],
            [("human_score", "human_score", "")],
        ),
    ),
    "JudgeBench": (
        {"pair_id": ID, "original_id": ID, "question": LONG, "response_model": ["gpt-4o"], "response_A": LONG,
         "response_B": LONG, "label": ["A>B", "B>A"], "judge_verdict": ["A>B", "B>A"]},
        (
            "pair_id", {"response_a": "response_A", "response_b": "response_B", "input": "question"},
            [("judge_verdict", "judge", "")], [("label", "label", "")],
        ),
    ),
    "PandaLM": (
        {"idx": ID, "instruction": LONG, "input": LONG, "response1": LONG, "response2": LONG, "annotator1": [0, 1, 2],
         "annotator2": [0, 1, 2], "annotator3": [0, 1, 2], "gpt_result": [0, 1, 2]},
        (
            "idx", {"response_a": "response1", "response_b": "response2", "input": "instruction+input"},
            [("gpt_result", "gpt", "")], [(f"annotator{n}", f"annotator{n}", "") for n in (1, 2, 3)],
        ),
    ),
    "votes on answers that are elsewhere": (
        {"id": ID, "model_a": ["m", "n"], "model_b": ["o", "p"], "prompt": LONG, "human": ARENA, "judge": ARENA},
        (
            "id", {"system_a": "model_a", "system_b": "model_b", "input": "prompt"}, [("judge", "judge", "")],
            [("human", "human", "")],
        ),
    ),
    "a conversation as a text": (
        {"id": ID, "conversation": LONG, "judge": FIVE, "human": FIVE},
        ("id", {"output": "conversation"}, [("judge", "judge", "")], [("human", "human", "")]),
    ),
    "German": (
        {"Nr": ID, "Frage": LONG, "Antwort": LONG, "Bewertung KI": FIVE, "Bewertung Mensch": FIVE, "Kommentar": LONG},
        (
            "Nr", {"task": "Frage", "output": "Antwort"}, [("Bewertung KI", "ki", "")],
            [("Bewertung Mensch", "Bewertung Mensch", "")],
        ),
    ),
    "Japanese": (
        {"番号": ID, "質問": LONG, "回答": LONG, "LLM評価": FIVE, "人間評価": FIVE},
        ("番号", {"task": "質問", "output": "回答"}, [("LLM評価", "llm", "")], [("人間評価", "人間評価", "")]),
    ),
    "a model's name before Japanese": (
        {"番号": ID, "GPT-4o正確性": FIVE, "GPT-4o流暢性スコア": FIVE, "人手正確性": FIVE, "人手流暢性": FIVE},
        (
            "番号", {}, [("GPT-4o正確性", "gpt-4o", "正確性"), ("GPT-4o流暢性スコア", "gpt-4o", "流暢性")],
            [("人手正確性", "人手", "正確性"), ("人手流暢性", "人手", "流暢性")],
        ),
    ),
    "a model's name behind Japanese": (
        {"番号": ID, "正確性GPT-4o": FIVE, "人手正確性": FIVE},
        ("番号", {}, [("正確性GPT-4o", "gpt-4o", "正確性")], [("人手正確性", "人手", "正確性")]),
    ),
    "Chinese": (
        {"编号": ID, "问题": LONG, "输出": LONG, "模型评分": FIVE, "人工评分": FIVE},
        ("编号", {"task": "问题", "output": "输出"}, [("模型评分", "模型", "")], [("人工评分", "人工评分", "")]),
    ),
    "camel case": (
        {"itemId": ID, "llmRating": FIVE, "humanRating": FIVE},
        ("itemId", {}, [("llmRating", "llm", "")], [("humanRating", "humanRating", "")]),
    ),
    "classifier": (
        {"text": LONG, "label": ["pos", "neg"], "prediction": ["pos", "neg"]},
        ("", {"task": "text"}, [("prediction", "prediction", "")], [("label", "label", "")]),
    ),
    "scikit-learn": (
        {"y_true": [0, 1], "y_pred": [0, 1]},
        ("", {}, [("y_pred", "y_pred", "")], [("y_true", "y_true", "")]),
    ),
    "a feedback collection": (
        {"id": ID, "instruction": LONG, "response": LONG, "llm_as_a_judge_score": FIVE, "human_annotation": FIVE},
        (
            "id", {"task": "instruction", "output": "response"}, [("llm_as_a_judge_score", "llm_judge", "")],
            [("human_annotation", "human_annotation", "")],
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OWNED)
def test_columns_whose_names_say_whose_they_are(name: str) -> None:
    table, expected = OWNED[name]
    roles = read(table)
    assert brief(roles) == expected
    assert not roles.unclear and not roles.assumptions


def test_a_verdict_in_three_columns_is_asked_about() -> None:
    sides = {"winner_model_a": [1, 0, 0], "winner_model_b": [0, 1, 0], "winner_tie": [0, 0, 1]}
    roles = read({"id": ID, "response_a": LONG, "response_b": LONG, **sides})
    assert [unclear.columns for unclear in roles.unclear] == [tuple(sides)] and not roles.judges and not roles.people


def test_what_is_only_likely_is_told() -> None:
    for table, judge, word in (
        ({"id": ID, "score": FIVE, "human": FIVE}, "score", "score is taken for the answers of a judge"),
        ({"question": LONG, "grader": FLAG, "expert": FLAG}, "grader", "grader is taken"),
        ({"prompt": LONG, "helpfulness": FIVE, "human_helpfulness": FIVE, "n_words": ID}, "helpfulness", "helpfulness"),
    ):
        roles = read(table)
        assert [v.column for v in roles.judges] == [judge] and roles.assumptions[0].startswith(word)
        assert roles.judges[0].dimension == roles.people[0].dimension


def test_what_sums_up_people_is_no_further_person() -> None:
    for extra in ("gold", "human_mean", "majority_label"):
        roles = read({"item": ID, "human_1": FIVE, "human_2": FIVE, extra: FIVE, "llm_judge": FIVE})
        assert [v.column for v in roles.people] == ["human_1", "human_2"]
        sentence = f"{extra} is not taken for another person's answers: they may be made from human_1, human_2."
        assert roles.meta == (extra,) and roles.assumptions[0] == sentence


TABLES: dict[str, tuple[dict[str, list[Any]], tuple[str, ...]]] = {
    "two scores": ({"id": ID, "score_1": FIVE, "score_2": FIVE}, ("score_1", "score_2")),
    "HelpSteer": (
        {"prompt": LONG, "response": LONG, "helpfulness": FIVE, "correctness": FIVE, "verbosity": FIVE},
        ("helpfulness", "correctness", "verbosity"),
    ),
    "RewardBench": (
        {"prompt": LONG, "chosen": LONG, "chosen_model": ["x", "z"], "rejected": LONG, "rejected_model": ["w", "v"],
         "subset": ["chat", "math"], "id": ID, "results": [0, 1]},
        ("results",),
    ),
    "WMT": (
        {"lp": ["en-de"], "src": LONG, "mt": LONG, "ref": LONG, "score": [-1.2, 0.3, 0.55], "raw": [70.5, 80.1, 92],
         "annotators": [1, 2], "domain": ["news"], "year": [2020]},
        ("score", "raw"),
    ),
    "both": ({"id": ID, "human_vs_gpt4": FIVE}, ("human_vs_gpt4",)),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_nobody_known_are_asked_about(name: str) -> None:
    table, expected = TABLES[name]
    roles = read(table)
    assert not roles.judges and not roles.people
    assert roles.unclear[0].columns == expected and all(column in roles.unclear[0].sentence for column in expected)


def test_rows_may_name_who_answered() -> None:
    votes = {"question_id": [1, 1, 2], "model_a": ["x", "w"], "model_b": ["u", "v"], "winner": ARENA, "turn": [1, 2],
             "judge": ["expert_0", "author_3", "gpt-4"]}  # fmt: skip
    alpaca = {"instruction": LONG, "output_1": LONG, "generator_1": ["x"], "annotator": ["gpt4_turbo"],
              "output_2": LONG, "generator_2": ["z"], "preference": [1, 2], "price_per_example": [0.02]}  # fmt: skip
    for table, by, value in (
        (votes, "judge", "winner"),
        (alpaca, "annotator", "preference"),
        ({"item": ID, "rater": ["ann", "ben", "gpt-4"], "score": FIVE}, "rater", "score"),
        ({"item": ID, "worker_id": [7, 8, 9], "rating": FIVE}, "worker_id", "rating"),
    ):
        roles = read(table)
        assert (roles.by, [v.column for v in roles.values]) == (by, [value]), table.keys()
        assert not roles.judges and not roles.people


PEOPLE = {"item": [f"q{n // 3}" for n in range(12)], "score": FIVE}


@pytest.mark.parametrize(
    ("columns", "item", "giver", "values"),
    [
        ({"rater": [1, 2, 3]}, "item", "rater", ["score"]),
        ({"annotator_idx": [9.0, 12.0, 15.0]}, "item", "annotator_idx", ["score"]),
        ({"annotator_id": [1, 2, 3], "label": ["good", "bad"]}, "item", "annotator_id", ["label", "score"]),
        ({"rater_email": ["a@x.org", "b@x.org", "c@x.org"]}, "item", "rater_email", ["score"]),
        ({"user": ["ann", "ben", "eve"]}, "item", "user", ["score"]),
        ({"id": ID, "worker": ["ann", "ben", "eve"]}, "item", "worker", ["score"]),
        ({"id": ID, "user_id": [1, 2, 3], "prompt": [f"{LONG[0]} {n // 3}" for n in range(12)]}, "item", "user_id",
         ["score"]),
        ({"annotation_id": ID, "worker_id": ["ann", "ben", "eve"]}, "item", "worker_id", ["score"]),
        ({"Unnamed: 0": ID, "rater": ["ann", "ben", "eve"]}, "item", "rater", ["score"]),
        ({"rater": ["ann", "ben", "eve"], "index": ID}, "item", "rater", ["score"]),
        ({"evaluator": ["ann", "ben", "eve", "ann", "ben", "ben"]}, "item", "evaluator", ["score"]),
        ({"criterion": [*["tone"] * 3, *["facts"] * 3], "rater": ["a", "b", "c"],
          "item": [f"q{n // 6}" for n in range(12)]}, "item", "rater", ["score"]),
    ],
)  # fmt: skip
def test_rows_show_who_answered(columns: dict[str, list[Any]], item: str, giver: str, values: list[str]) -> None:
    roles = read({**PEOPLE, **columns})
    assert (roles.id, roles.by, sorted(v.column for v in roles.values)) == (item, giver, values)
    assert not roles.people and not roles.judges and not roles.unclear


@pytest.mark.parametrize("item", ["encounter_id", "encounter_uid", "encounter"])
def test_an_item_of_any_name_is_known_by_each_givers_one_answer_to_it(item: str) -> None:
    """Each row was an item of its own, so two judges had none in common, and no item its text of another file."""
    visits = [f"V-{n // 3}" for n in range(12)]
    roles = read({item: visits, "judge_model": ["x", "y", "z"], "tone": FIVE, "rationale": LONG})
    assert (roles.id, roles.by, [v.column for v in roles.values]) == (item, "judge_model", ["tone"])
    assert read({"encounter_uid": [f"V-{n}" for n in ID], "output": LONG, "judge": FIVE}).id == "encounter_uid"


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"id": ID, "rater": [1, 2, 3], "judge": FIVE}, "id"),
        ({"item": PEOPLE["item"], "model": ["x", "y", "z"], "rater": [1, 2, 3], "judge": FIVE}, "item"),
        ({"item": PEOPLE["item"], "rater": [1, 3, 3], "judge": FIVE}, "item"),
        ({"item": PEOPLE["item"], "rater": [n / 7 for n in range(12)], "judge": FIVE}, "item"),
        ({"item": PEOPLE["item"], "rater": ["good", "bad", "ok", "good"], "judge": ["good", "bad", "ok"]}, "item"),
    ],
)
def test_answers_are_no_names_where_rows_do_not_show_it(columns: dict[str, list[Any]], key: str) -> None:
    roles = read(columns)
    assert (roles.id, roles.by, [v.column for v in roles.people]) == (key, "", ["rater"])


@pytest.mark.parametrize("item", [["q0", "q0", *ID[:10]], ["", "", *ID[:10]], [f"q{n // 2}" for n in range(12)]])
@pytest.mark.parametrize("cells", [[1, 2, 3, 4, 5], ["pass", "fail", "unsure", "none of it"]])
def test_ids_that_repeat_make_no_name_of_a_judge_whose_answers_stand_beside_peoples(
    item: list[str], cells: list[Any]
) -> None:
    roles = read({"item": item, "judge": cells, "human": [cells[n % 3] for n in range(12)]})
    assert (roles.by, [v.column for v in roles.judges], [v.column for v in roles.people]) == ("", ["judge"], ["human"])


def test_a_judge_beside_a_persons_answers_names_their_giver_where_somebody_says_that_they_are_answers() -> None:
    table = {"item": PEOPLE["item"], "judge": ["ann", "ben", "eve"], "human_score": FIVE}
    assert read(table).by == ""
    roles = read(table, people=["human_score"])
    assert (roles.by, [v.column for v in roles.values]) == ("judge", ["human_score"])


def test_a_weak_title_names_nobody_and_a_rater_of_a_few_words_among_numbers_does() -> None:
    assert read({"score": FIVE, "metric": ["red", "green", "blue"]}).by == ""
    table = {"human_score": FIVE, "rater": [1, 2, 3, "eve"]}
    assert (read(table).by, [v.column for v in read(table).values]) == ("rater", ["human_score"])


def test_cells_without_a_common_scale_are_answers_only_where_the_name_says_so() -> None:
    """Whose a rater's column is cannot be said where its cells have no scale that could be the answers'."""
    roles = read({"id": ID, "judge": FIVE, "quality": [1, 2, 3, "great"]})
    assert roles.meta == ("quality",) and not roles.people and not roles.unclear
    [unclear] = read({"id": ID, "rater": [1, 2, 3, "eve"], "tone": FIVE}).unclear
    assert unclear.columns == ("rater", "tone")


def test_a_single_id_that_comes_again_shows_no_names() -> None:
    rows = [{"item": f"i{n % 29}", "judge": n % 7, "score": n % 4} for n in range(30)]
    assert find_columns(list(rows[0]), rows).by == ""


def test_an_id_stays_that_of_items_whose_texts_differ() -> None:
    table = {"id": ID, "item": PEOPLE["item"], "response": LONG, "worker": ["ann", "ben", "eve"], "score": FIVE}
    assert (read(table).id, read(table).by) == ("id", "worker")


def test_what_a_person_says_goes_before_every_name() -> None:
    roles = read({"id": ID, "judge": FIVE, "human": FIVE, "score": FIVE}, judges=["human"], people=["score"])
    assert [v.column for v in roles.judges] == ["human"] and [v.column for v in roles.people] == ["score"]
    assert "judge" in roles.meta


def test_columns_of_which_it_was_said_whose_they_are_answer_the_same_question() -> None:
    table = {"id": ID, "judge_score": FIVE, "human_ann": FIVE, "human_ben": FIVE}
    owners = {"judges": ["judge_score"], "people": ["human_ann", "human_ben"]}
    assert {v.dimension for v in read(table).people} == {"ann", "ben"}
    assert [v.dimension for v in (*read(table, **owners).judges, *read(table, **owners).people)] == ["", "", ""]
    wide_table = {"id": ID, "gpt_tone": FIVE, "human_tone": FIVE, "human_clarity": FIVE}
    roles = read(wide_table, judges=["gpt_tone"], people=["human_tone", "human_clarity"])
    assert [v.dimension for v in (*roles.judges, *roles.people)] == ["tone", "tone", "clarity"]


def test_a_reason_and_a_confidence_stand_with_their_judge() -> None:
    table = {"id": ID, "gpt4_score": FIVE, "gpt4_reason": LONG, "gpt4_confidence": [0.5, 0.9], "human": FIVE,
             "human_comment": LONG}  # fmt: skip
    roles = read(table)
    assert (roles.judges[0].reason, roles.judges[0].confidence) == ("gpt4_reason", "gpt4_confidence")
    assert roles.people[0].reason == "human_comment"


def test_a_column_of_numbers_and_words_stays_its_owners() -> None:
    roles = read({"id": ID, "judge": [1, 2, "three", 4], "human": FIVE})
    assert roles.judges[0].survey.answers is None and "'three'" in roles.judges[0].survey.why


def test_owners_of_names() -> None:
    names = {"judge": ("gpt-4o-mini", "LLM judge", "审判" + "模型", "prometheus2", "auto_score"),
             "person": ("human", "Experte 2", "ground_truth", "label", "crowd worker"),
             "": ("score", "system prompt of human and gpt4", "", "   ", "🙂", "tone")}  # fmt: skip
    assert {whose: [parse_name(name).owner for name in headers] for whose, headers in names.items()} == {
        whose: [whose] * len(headers) for whose, headers in names.items()
    }


def test_no_rows_and_no_columns() -> None:
    assert find_columns([], []) == Columns()
    assert find_columns(["judge", "human"], []).judges == ()


def test_columns_that_are_named_have_to_be_there_and_on_one_side() -> None:
    assert fault_of_names("a.csv", ["id", "x", "y"], ["x"], ["y"]) == fault_of_names("a.csv", [], [], []) == ""
    assert fault_of_names("a.csv", ["id", "x"], ["x"], ["z"]) == "a.csv has no column 'z'. It has: id, x."
    assert fault_of_names("a.jsonl", [], ["x"], []) == "a.jsonl has no column 'x'. It holds no table."
    assert "can be one of them only" in fault_of_names("a.csv", ["id", "x"], ["x"], ["x"])


def test_a_cell_reads_the_same_whatever_sort_of_file_it_comes_from() -> None:
    cells = {"": None, "2": 2.0, "2.5": 2.5, "3": 3, "true": True, " as it was ": " as it was ", "2.0": "2.0"}
    assert {text: cell_text(cell) for text, cell in cells.items()} == {text: text for text in cells}
    assert cell_text(float("nan")) == "" and cell_text(float("inf")) == "inf"


def test_raters_are_numbers_with_a_point_where_a_spreadsheet_wrote_them() -> None:
    table = {"id": [n // 3 for n in range(12)], "rater": [f"{n % 3}.0" for n in range(12)], "score": [*"123452345123"]}
    assert read(table).by == "rater"


def test_the_ends_of_a_scale_and_an_article_in_a_question_name_nobody() -> None:
    question = "How helpful was the answer? (1-5)"
    assert parse_name(question).rater == question
    assert parse_name("Is it in a good style?").rater == "Is it in a good style?"
    assert parse_name("human tone [0–10]").rater == parse_name("human safe (1 to 5)").rater == "human"
    assert (parse_name("Annotator 2 (1/5)").stem, parse_name("tone 2").rater) == ("annotator_2", "2")


@pytest.mark.parametrize(
    ("name", "rater", "question"),
    [
        ("judge_truth", "judge", "truth"), ("expert_1.truth", "expert_1", "truth"), ("labels.truth", "labels", "truth"),
        ("truth", "truth", ""), ("human_ground_truth", "human_ground_truth", ""), ("truth_label", "truth_label", ""),
    ],
)  # fmt: skip
def test_truth_is_a_question_where_its_name_says_who_answers_it(name: str, rater: str, question: str) -> None:
    assert (parse_name(name).rater, parse_name(name).dimension) == (rater, question)


@pytest.mark.parametrize(
    ("name", "model", "dimension"),
    [
        ("gpt4.tone", "gpt4", "tone"), ("tone.gpt-4o", "gpt-4o", "tone"),
        ("scores.gpt-3.5-turbo.tone", "gpt-3.5-turbo", "tone"),
        ("claude-3.5-sonnet.score", "claude-3.5-sonnet", ""), ("llama-3.1-8b.Facts", "llama-3.1-8b", "facts"),
        ("anthropic.claude-3-5-sonnet-v1", "anthropic.claude-3-5-sonnet-v1", ""),
    ],
)  # fmt: skip
def test_a_point_parts_a_model_from_the_words_beside_it(name: str, model: str, dimension: str) -> None:
    parsed = parse_name(name)
    assert (parsed.owner, parsed.rater, parsed.dimension) == ("judge", model, dimension)


def test_feedback_in_numbers_is_an_answer_and_in_words_a_reason() -> None:
    roles = read({"id": ID, "gpt-4_score": FIVE, "gpt-4_feedback": LONG, "user_feedback": FIVE})
    assert ([v.reason for v in roles.judges], [v.column for v in roles.people]) == (
        ["gpt-4_feedback"], ["user_feedback"],
    )  # fmt: skip


def test_columns_of_an_objects_keys_are_the_fields_that_the_object_says() -> None:
    """As LangSmith's experiments and Weave's evaluations are written as tables."""
    roles = read({
        "inputs.question": LONG, "output.scores.facts.reason": LONG, "outputs.answer": LONG,
        "reference.answer": [7, 72, 144, 3], "feedback.facts": FIVE,
        "feedback.human_facts": FIVE, "output.model_latency": [1.2, 1.4], "expected.score": [1, 2], "id": ID,
    })  # fmt: skip
    assert brief(roles) == (
        "id", {"task": "inputs.question", "output": "outputs.answer", "reference": "reference.answer"},
        [("feedback.facts", "feedback.facts", "facts")], [("feedback.human_facts", "human", "facts"),
                                                          ("expected.score", "expected.score", "")],
    )  # fmt: skip


@pytest.mark.parametrize(
    "cell", [[{"tone": 2}, {"tone": 3}], {"tone": 2.5, "style": 1}, [1, 2], '[{"tone": 2}]', "{'tone': 2, 'style': 1, "]
)
def test_lists_and_objects_of_answers_are_told(cell: Any) -> None:
    """As SummEval has them; texts and words in lists, and numbers in what is no answer, are nothing to tell."""
    others = {"references": [["one", "two"]], "metadata": [{"length": 3}], "expert_notes": [["so"]]}
    roles = read({"id": ID, "decoded": LONG, "expert_annotations": [cell], "scores": [cell], **others})
    assert (roles.people, roles.judges, roles.unclear) == ((), (), ())
    assert roles.assumptions == (
        "expert_annotations, scores hold lists or objects, and are not taken for answers: give each value a column of "
        "its own, such as expert_1_tone.",
    )


def test_answers_are_told_by_the_keys_of_objects_whose_column_has_another_name() -> None:
    """People's marks in a list of reviews were kept for slices without a word."""
    marks = [[{"reviewer": "ann", "marks": {"tone": 2}}]]
    sentences = read({"id": ID, "decoded": LONG, "reviews": marks, "usage": [{"model": "x", "tokens": 3}]}).assumptions
    assert [sentence.partition(" hold")[0] for sentence in sentences] == ["reviews"]
