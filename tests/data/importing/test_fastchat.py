"""FastChat's files in all their shapes: questions and answers become dialogues and pairs, and what was said of them."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.calibration.calibration import comparison_input
from data.exporting import exporting as export
from data.importing.files.source import Source, from_bytes
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.records.datasets import dataset_named
from data.store import Store
from data.workspace.verify import verify
from judges.cards import card
from judges.mtbench.prompts import wording
from judges.stats.calibration import summarise
from judges.types import ITEM, Dialogue, Pair
from tests.data.imports import counts, text, workspace

QUESTIONS = [
    {"question_id": 81, "category": "writing", "turns": ["Write.", "Again."]},
    {"question_id": "82", "category": "math", "turns": ["1+1?", "And 2+2?"], "reference": ["2", "4"]},
]


def answer(question: Any, model: str, *turns: str) -> dict[str, Any]:
    """A line of model_answer."""
    choices = [{"index": 0, "turns": list(turns)}]
    return {"question_id": question, "answer_id": "x", "model_id": model, "choices": choices, "tstamp": 1.0}


def rating_row(**more: Any) -> dict[str, Any]:
    """A line of `<judge>_single`."""
    row = {"question_id": 81, "model": "m/one", "judge": ["gpt-4", "single-v1"], "user_prompt": "...", "turn": 1}
    return {**row, "judgment": "Good. Rating: [[8]]", "score": 8, "tstamp": 1.0, **more}


def vote(judge: Any, winner: str, a: str = "b", b: str = "a", **more: Any) -> dict[str, Any]:
    """A vote."""
    return {"question_id": 81, "turn": 1, "model_a": a, "model_b": b, "winner": winner, "judge": judge, **more}


BASE = {
    "question.jsonl": QUESTIONS,
    "m__one.jsonl": [answer("81", "m/one", "First", "Second"), answer(82, "m/one", "2")],
}
PAIRS = {
    "question.jsonl": QUESTIONS,
    "a.jsonl": [answer(81, "a", "A1", "A2")],
    "b.jsonl": [answer(81, "b", "B1", "B2")],
}


def files(content: dict[str, list[Any]]) -> Source:
    """FastChat's files, uploaded together."""
    return from_bytes([(name, text(rows)) for name, rows in content.items()])


def bring(store: Store, content: dict[str, list[Any]], dataset: str = "d") -> Any:
    """Import files into a dataset."""
    return import_source(store, "lea", files(content), ImportPlan(dataset, sampling="random", population=10_000))


def scores(store: Store) -> list[tuple[Any, ...]]:
    """(item, judge, unit, sample, value) of every score."""
    return store.rows(
        "select i.name, j.model, s.unit, s.sample, s.value from score s join item i on i.id = s.item_id "
        "join judge j on j.id = s.judge_id order by 1, 2, 3, 4"
    )


def test_an_answer_becomes_a_dialogue_with_the_turns_that_there_are(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    assert bring(store, BASE).preview.new.items == 2
    content = {name: ITEM.validate_json(content) for name, content in store.rows("select name, content from item")}
    first, second = content["81/m/one"], content["82/m/one"]
    assert isinstance(first, Dialogue) and isinstance(second, Dialogue)
    assert [(t.turn, t.role, t.text) for t in first.turns] == [
        (1, "user", "Write."), (1, "assistant", "First"), (2, "user", "Again."), (2, "assistant", "Second"),
    ]  # fmt: skip
    assert (first.system, first.meta) == ("m/one", {"question_id": "81", "category": "writing"})
    assert (len(second.turns), second.meta["reference"]) == (2, ["2", "4"])
    store.close()


def test_references_are_shown_beside_the_dialogue_and_a_second_opinion_is_told(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    content = {
        **BASE,
        "reference_answer/gpt-4.jsonl": [answer(81, "gpt-4", "R1", "R2")],
        "reference_answer/other.jsonl": [answer(81, "other", "S1", "S2")],
    }
    done = import_source(store, "lea", _flat_files(content), ImportPlan("d"))
    assert done.preview.new.items == 2 and any("differ for 1 question" in warning for warning in done.preview.warnings)
    meta = json.loads(store.rows("select meta from item where name = '81/m/one'")[0][0])
    assert meta["reference"] == ["R1", "R2"]
    assert meta["reference_answers"] == {"gpt-4": ["R1", "R2"], "other": ["S1", "S2"]}
    store.close()


def test_a_question_s_own_reference_is_for_people_and_a_reference_file_for_the_judge(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    content = {
        "question.jsonl": [*QUESTIONS, {**QUESTIONS[1], "question_id": 83}],
        "a.jsonl": [answer(n, "a", "A1", "A2") for n in (81, 82, 83)],
        "b.jsonl": [answer(n, "b", "B1", "B2") for n in (81, 82, 83)],
        "reference_answer/gpt-4.jsonl": [answer(n, "gpt-4", "R1", "R2") for n in (81, 82)],
        "votes.jsonl": [vote("expert_1", "model_a", question_id=82, turn=n) for n in (1, 2)],
    }
    import_source(store, "lea", _flat_files(content), ImportPlan("d"))
    rows = dict(store.rows("select name, content from item"))
    items = {name: ITEM.validate_json(content) for name, content in rows.items()}
    references = {name: item.meta.get("reference_answer") for name, item in items.items() if "/a" in name}
    assert references == {
        "81/a": None, "82/a": ["R1", "R2"], "83/a": [], "82/a~b/turn1": ["R1"], "82/a~b/turn2": ["R1", "R2"],
    }  # fmt: skip
    assert items["81/a"].meta["reference"] == ["R1", "R2"]
    assert items["82/a"].meta["reference"] == items["83/a"].meta["reference"] == ["2", "4"]
    variants = {n: card("mt_bench").variant(items[f"{n}/a"], "turn:2") for n in (81, 82, 83)}
    assert variants == {81: "multi_turn", 82: "multi_turn_reference", 83: "multi_turn"}
    store.close()


def test_prose_counts_as_the_judge_s_parameters_say(tmp_path: Path) -> None:
    """FastChat's choice for files from elsewhere; the last rating for what a run of ours has written."""
    store = workspace(tmp_path)
    bring(store, PAIRS | {"votes.jsonl": [vote("expert_1", "model_a")]})
    ours = {"temperature": 0.0, "samples": 1, "max_tokens": 2048}
    line = {"item": "81/a", "card": "mt_bench", "part": "turn:1", "raw": "A [[10]], I say [[3]]"}
    pair = {"item": "81/a~b/turn1", "card": "mt_bench_pair", "raw": "It claims [[A]], yet [[B]]"}
    rows = [{**row, "model": model, "params": p} for row in (line, pair) for model, p in (("else", {}), ("mine", ours))]
    done = import_source(store, "lea", from_bytes([("j.jsonl", text(rows))]), ImportPlan("d"))
    assert done.preview.new.judgments == 4
    assert scores(store) == [
        ("81/a", "else", "turn:1", 0, 10), ("81/a", "mine", "turn:1", 0, 3),
        ("81/a~b/turn1", "else", "pair", 0, 0), ("81/a~b/turn1", "mine", "pair", 0, 2),
    ]  # fmt: skip
    store.close()


def _flat_files(content: dict[str, list[Any]]) -> Source:
    """Uploads keep only the last part of a name, so that what a folder would tell has to stand in it."""
    return files({name.replace("/", "_"): rows for name, rows in content.items()})


RATINGS: list[tuple[str, dict[str, Any], list[tuple[str, str, int, float]]]] = [
    ("gpt-4_single.jsonl", rating_row(), [("gpt-4", "turn:1", 0, 8.0)]),
    ("gpt-4_single.jsonl", rating_row(question_id="81", turn=2), [("gpt-4", "turn:2", 0, 8.0)]),
    ("gpt-4_single.jsonl", rating_row(judge="gpt-4"), [("gpt-4", "turn:1", 0, 8.0)]),
    ("x.jsonl", rating_row(judge=None, judge_model="j", judge_prompt_template="t"), [("j", "turn:1", 0, 8.0)]),
    ("gpt-5_single.jsonl", rating_row(judge=None), [("gpt-5", "turn:1", 0, 8.0)]),
    ("gpt-4_single_turn2.jsonl", rating_row(turn=None), [("gpt-4", "turn:2", 0, 8.0)]),
    ("x.jsonl", rating_row(model="m__one"), [("gpt-4", "turn:1", 0, 8.0)]),
    ("x.jsonl", rating_row(judgment="", score=7), [("gpt-4", "turn:1", 0, 7.0)]),
    ("x.jsonl", rating_row(judgment="[[3]]", score=3.0), [("gpt-4", "turn:1", 0, 3.0)]),
    (
        "x.jsonl",
        rating_row(judgment=["[[5]]", "[[5]]", "[[6]]"], score=[5, 5, 6], user_prompt=["", "", ""]),
        [("gpt-4", "turn:1", 0, 5.0), ("gpt-4", "turn:1", 1, 5.0), ("gpt-4", "turn:1", 2, 6.0)],
    ),
    (
        "x.jsonl",
        {
            "question_id": 81,
            "model": "m/one",
            "judge": "j",
            "score_turn1": 9,
            "score_turn2": 4,
            "judgment_turn2": "[[4]]",
        },
        [("j", "turn:1", 0, 9.0), ("j", "turn:2", 0, 4.0)],
    ),
    (
        "m__one.jsonl",
        {"question_id": 81, "judge": "j", "score_turn1": 9, "score_turn2": -1},
        [("j", "turn:1", 0, 9.0)],
    ),
]


@pytest.mark.parametrize(("name", "row", "expected"), RATINGS)
def test_ratings_come_in_many_shapes(
    tmp_path: Path, name: str, row: dict[str, Any], expected: list[tuple[str, str, int, float]]
) -> None:
    store = workspace(tmp_path)
    row = {key: value for key, value in row.items() if value is not None}
    content = {
        "question.jsonl": QUESTIONS,
        "answers.jsonl" if name == "m__one.jsonl" else "m__one.jsonl": BASE["m__one.jsonl"],
    }
    if name == "m__one.jsonl":
        row["model"] = "m/one"
    bring(store, {**content, name: [row]})
    assert [score[1:] for score in scores(store)] == expected
    assert bring(store, {**content, name: [row]}).preview.new.total == 0
    store.close()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (rating_row(judgment="No number", score=-1), "unreadable"),
        (rating_row(judgment="$ERROR$", score=-1), "api_error"),
        (rating_row(judgment="[[11]]", score=11), "out_of_range"),
        (rating_row(judgment="", score=-1), "unreadable"),
        (rating_row(judgment="", score=None), "unreadable"),
    ],
)
def test_a_rating_that_is_none_is_unscored(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    store = workspace(tmp_path)
    assert bring(store, {**BASE, "x.jsonl": [row]}).preview.unscored == {reason: 1}
    assert scores(store) == []
    store.close()


BAD: list[tuple[dict[str, Any], str]] = [
    (rating_row(question_id=1.5), "question_id must be a number or a text"),
    (rating_row(turn="one"), "turn must be a number from 1 (it is 'one')."),
    (rating_row(turn=3), "The answer of m/one to question 81 has 2 turns: none is 3."),
    (rating_row(model="unknown"), "The item '81/unknown' is missing"),
    (rating_row(score="8/10"), "score must be a number (it is '8/10')."),
    (rating_row(judgment=7), "judgment must be a text (it is 7)."),
    (rating_row(judgment=["a"], score=[1, 2]), "score and judgment are lists of different length"),
    (vote("expert_1", "model_c"), "winner must be model_a, model_b, tie or error (it is 'model_c')."),
    (vote("expert_1", "tie", a="a", b="a"), "model_a and model_b are the same model"),
    (vote("expert_1", "tie", turn=0), "turn must be a number from 1 (it is 0)."),
    (vote("expert_1", "error"), "a person's vote must be one of the models, or tie."),
]


@pytest.mark.parametrize(("row", "says"), BAD, ids=[says[:40] for _, says in BAD])
def test_a_row_that_cannot_be_taken_is_told(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    store = workspace(tmp_path)
    good = rating_row() if "score" in row else vote("expert_2", "tie")
    preview = preview_import(store, files({**BASE, "x.jsonl": [good, row]}), ImportPlan("d"))
    assert [(p.file, p.line) for p in preview.problems] == [("x.jsonl", 2)] and says in preview.problems[0].sentence
    store.close()


def test_answers_without_their_questions_are_refused(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    preview = preview_import(store, files({"m__one.jsonl": BASE["m__one.jsonl"]}), ImportPlan("d"))
    assert "The question 81 is not in the files: question.jsonl is needed" in preview.problems[0].sentence
    three = preview_import(store, files({**BASE, "x.jsonl": [answer(81, "x", "1", "2", "3")]}), ImportPlan("d"))
    assert [p.sentence for p in three.problems] == ["There are 3 answers to the 2 turns of question 81."]
    twice = preview_import(
        store, files({"q.jsonl": [*QUESTIONS, {**QUESTIONS[0], "turns": ["Other."]}]}), ImportPlan("d")
    )
    assert [p.sentence for p in twice.problems] == ["The question 81 appears twice, with different texts."]
    store.close()


# -- pairs ------------------------------------------------------------------------------------------------------------


def test_names_stand_in_sorted_order_and_the_winner_turns_with_them(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    votes = [
        vote("expert_0", "model_a"),  # b against a, b wins
        vote("expert_1", "model_b"),  # b against a, a wins
        vote("expert_2", "model_a", a="a", b="b"),
        vote("author_3", "tie"),
    ]
    done = bring(store, {**PAIRS, "human.jsonl": votes})
    assert (done.preview.new.items, done.preview.new.labels) == (3, 4)
    labels = store.rows("select annotator, value from label_now order by annotator")
    assert labels == [("author_3", 1.0), ("expert_0", 2.0), ("expert_1", 0.0), ("expert_2", 0.0)]
    teams = store.rows("select person, team, active from person_now where person <> 'lea' order by person")
    assert teams == [("author_3", "author", False), *((f"expert_{n}", "expert", False) for n in range(3))]
    name, content = store.rows("select name, content from item where kind = 'pair'")[0]
    item = ITEM.validate_json(content)
    assert isinstance(item, Pair) and name == "81/a~b/turn1"
    assert (item.input, item.response_a.system, item.response_a.text) == ("Write.", "a", "A1")
    store.close()


def test_a_pair_of_turn_two_holds_both_turns(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, {**PAIRS, "human.jsonl": [vote("expert_0", "model_a", turn=2)]})
    item = ITEM.validate_json(store.rows("select content from item where kind = 'pair'")[0][0])
    assert isinstance(item, Pair) and item.input == "[User, turn 1]\nWrite.\n\n[User, turn 2]\nAgain."
    assert item.response_b.text == "[Answer, turn 1]\nB1\n\n[Answer, turn 2]\nB2"
    store.close()


def test_votes_without_a_time_count_once_each_and_the_later_line_holds(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    votes = [vote("expert_0", "tie"), vote("expert_0", "tie", a="a", b="b"), vote("expert_0", "model_a", a="a", b="b")]
    content = {**PAIRS, "human.jsonl": votes}
    assert bring(store, content).preview.new.labels == 3
    before = counts(store)
    assert (bring(store, content).preview.known.total, counts(store)) == (6, before)
    assert store.rows("select value from label_now") == [(0.0,)]
    assert verify(store) == []
    timed = {**PAIRS, "human.jsonl": [vote("expert_1", "tie", tstamp=1_700_000_000.0)]}
    assert bring(store, timed).preview.new.labels == 1
    assert store.rows("select made_at::text from label where annotator = 'expert_1'") == [("2023-11-14 22:13:20",)]
    store.close()


def test_of_an_answer_that_ends_before_the_judged_turn_no_part_is_shown(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    content = {**PAIRS, "b.jsonl": [answer(81, "b", "B1")], "x.jsonl": [vote("gpt4_pair", "model_a", turn=2)]}
    bring(store, content)
    [item] = [item for (text,) in store.rows("select content from item") if "response_a" in (item := json.loads(text))]
    sides = [item[f"response_{side}"] for side in "ab"]
    turns = {side["system"]: side["text"] and side["text"].count("Answer, turn") for side in sides}
    assert turns == {"a": 2, "b": None}
    store.close()


VERDICTS: list[tuple[dict[str, Any], Any, str]] = [
    (vote("gpt4_pair", "model_a"), 2.0, ""),
    (vote(["gpt-4", "pair-v2"], "model_b"), 0.0, ""),
    (vote("gpt4_pair", "model_a", judgment="It says why."), 2.0, "It says why."),
    (vote("gpt4_pair", "tie (inconsistent)"), 1.0, "The two orders do not agree."),
    (vote("gpt4_pair", "error"), "api_error", ""),
]
for one, two, value, note in [
    ("model_1", "model_1", 2.0, ""),
    ("model_2", "model_2", 0.0, ""),
    # model_1 is b: the first game is the order B/A.
    ("model_1", "model_2", 1.0, "Verdict changed with the order: A when asked as A/B, B when asked as B/A."),
    ("tie", "model_2", 1.0, "Verdict changed with the order: A when asked as A/B, tie when asked as B/A."),
    ("error", "model_2", "api_error", ""),
]:
    row = {"question_id": 81, "model_1": "b", "model_2": "a", "g1_winner": one, "g2_winner": two, "turn": 1}
    VERDICTS.append(
        ({**row, "judge": ["gpt-4", "pair-v2"], "g1_judgment": "because", "g2_judgment": "so"}, value, note)
    )


@pytest.mark.parametrize(("row", "value", "note"), VERDICTS)
def test_a_judges_verdict_holds_where_both_orders_agree(
    tmp_path: Path, row: dict[str, Any], value: Any, note: str
) -> None:
    store = workspace(tmp_path)
    done = bring(store, {**PAIRS, "x.jsonl": [row]})
    assert (done.preview.new.labels, done.preview.new.judgments) == (0, 1)
    if isinstance(value, str):
        assert done.preview.unscored == {value: 1} and scores(store) == []
    else:
        assert [score[4] for score in scores(store)] == [value]
        notes = [text for (text,) in store.rows("select text from remark order by text")]
        if "g1_winner" in row:
            own = ["With the places swapped (what is called A here is B): because", "so"]
            assert [n for n in notes if not n.startswith("Verdict changed")] == own
            assert [n.removesuffix(" It counts as a tie.") for n in notes if n not in own] == [note] * bool(note)
        else:
            assert notes == ([note] if note else [])
            raw = json.loads(store.rows("select raw from judgment")[0][0])
            turned = {"model_a": "model_b", "model_b": "model_a"}
            assert raw["winner"] == turned.get(row["winner"], row["winner"])
            assert raw.get("judgment") == row.get("judgment")
    store.close()


def test_a_model_whose_answers_are_not_in_the_files_has_no_text_and_its_votes_count(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    content = {name: PAIRS[name] for name in ("question.jsonl", "a.jsonl")}
    done = bring(store, {**content, "human.jsonl": [vote("expert_0", "model_a")]})
    assert (done.preview.new.items, done.preview.new.labels) == (2, 1)
    item = ITEM.validate_json(store.rows("select content from item where kind = 'pair'")[0][0])
    assert isinstance(item, Pair) and (item.response_a.text, item.response_b.text) == ("A1", None)
    # More votes may come later without the texts beside them.
    assert bring(store, {"more.jsonl": [vote("expert_1", "model_a")]}).preview.new.labels == 1
    store.close()


@pytest.mark.parametrize("turned", [False, True])
def test_votes_may_bring_the_texts_that_they_are_about(tmp_path: Path, turned: bool) -> None:
    """As LMSYS publishes them; files of questions and answers go before, and what came without texts stays so."""
    def conversation(model: str, turns: int) -> list[dict[str, str]]:
        roles = (("user", "Q"), ("assistant", model))
        return [{"role": role, "content": f"{text}{n}"} for n in range(1, turns + 1) for role, text in roles]

    votes = [
        vote("expert_0", "model_b", turn=n, conversation_a=conversation("bb", n), conversation_b=conversation("aa", n))
        for n in (1, 2)
    ]
    votes = votes[::-1] if turned else votes
    pairs = "select name, content from item where kind = 'pair' and dataset_id = $1 order by name"
    store = workspace(tmp_path)
    done = bring(store, {"human.jsonl": votes})
    preview = done.preview
    assert (preview.new.items, preview.new.labels) == (2, 2) and not [w for w in preview.warnings if "No answers" in w]
    first, second = (ITEM.validate_json(content) for _, content in store.rows(pairs, [done.dataset_id]))
    assert isinstance(first, Pair) and isinstance(second, Pair) and isinstance(second.input, str)
    assert (first.input, first.response_a.text, first.response_b.text) == ("Q1", "aa1", "bb1")
    assert "Q2" in second.input and "aa2" in str(second.response_a.text) and "bb2" in str(second.response_b.text)
    done = bring(store, {**PAIRS, "human.jsonl": votes}, dataset="with answers")
    assert {"A1", "B1"} <= {part for _, content in store.rows(pairs, [done.dataset_id]) for part in content.split('"')}
    bare = [{key: value for key, value in row.items() if not key.startswith("conversation")} for row in votes]
    bring(store, {"human.jsonl": bare}, dataset="bare")
    assert bring(store, {"human.jsonl": votes}, dataset="bare").preview.new.total == 0
    with pytest.raises(ImportRefused, match="was imported before without its texts"):
        bring(store, {**PAIRS, "human.jsonl": bare}, dataset="bare")
    others = [{**row, "judge": "expert_1"} for row in bare]
    assert bring(store, {"human.jsonl": others}).preview.new.labels == 2
    store.close()


def test_prompts_tell_the_wording_of_the_judges_beside_them(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    prompts = [{"name": "single-v1", "type": "single", "prompt_template": "{question}", "system_prompt": ""}]
    bring(store, {**BASE, "judge_prompts.jsonl": prompts, "x.jsonl": [rating_row(user_prompt="")]})
    expected = {"protocol": "fastchat", "prompt": "single-v1", "wording": wording("{question}")}
    assert [json.loads(params) for (params,) in store.rows("select params from judge")] == [expected]
    store.close()


def test_columns_of_other_judges_in_a_vote_are_told_and_can_be_read_as_a_table(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    vote = {"question_id": 1, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": "ann", "turn": 1}
    source = from_bytes([("v.jsonl", json.dumps({**vote, "gpt4_verdict": "A"}).encode())])
    warnings = preview_import(store, source, ImportPlan("d")).warnings
    assert [w for w in warnings if "gpt4_verdict: ignored" in w and "--format table" in w]
    plain = from_bytes([("v.jsonl", json.dumps(vote).encode())])
    assert not [w for w in preview_import(store, plain, ImportPlan("d")).warnings if "ignored" in w]
    store.close()


def test_two_prompts_of_a_model_are_two_judges_and_no_score_vanishes(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [rating_row(), rating_row(judge=["gpt-4", "strict-v1"], judgment="[[3]]", score=3)]
    rows += [rating_row(judgment="[[3]]", score=3), rating_row()]  # asked again: the very text of the first, too
    content = {**BASE, "gpt-4_single.jsonl": rows}
    assert bring(store, content).preview.new.judgments == 4
    values = store.rows(
        "select j.params->>'prompt', s.sample, s.value from score s join judge j on j.id = s.judge_id order by 1, 2"
    )
    assert values == [("single-v1", 0, 8), ("single-v1", 1, 3), ("single-v1", 2, 8), ("strict-v1", 0, 3)]
    assert bring(store, content).preview.new.total == 0 and verify(store) == []
    store.close()


def test_every_choice_is_an_item_of_its_own_linked_to_its_question(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    line = answer(81, "m/one", "First", "Second")
    line["choices"].append({"index": 1, "turns": ["Other", "<think>Hm"], "continues": 0})
    row = rating_row(judgment=["[[5]]", "[[6.5]]"], score=[5, 6.5], user_prompt=["", ""])
    done = bring(store, {"question.jsonl": QUESTIONS, "one.jsonl": [line], "x.jsonl": [row]})
    assert (done.preview.new.items, done.preview.new.judgments) == (2, 2)
    metas = {name: json.loads(meta) for name, meta in store.rows("select name, meta from item")}
    assert metas["81/m/one/choice:1"] == {"question_id": "81", "category": "writing", "choice": 1, "continues": 0}
    judged = "select i.name, m.raw from judgment m join item i on i.id = m.item_id order by 1"
    assert store.rows(judged) == [("81/m/one", "[[5]]"), ("81/m/one/choice:1", "[[6.5]]")]
    assert any("<think> without its partner" in warning for warning in done.preview.warnings)
    store.close()


def test_half_points_are_ratings_from_the_file_to_kappa_and_back(tmp_path: Path) -> None:
    """A judge's 8.5 is a value like a mean of samples; people still answer with whole numbers."""
    rng = np.random.default_rng(3)
    judged = np.round(rng.uniform(1, 10, 60) * 4) / 4
    people = np.clip(np.round(judged + rng.normal(0, 1, 60)), 1, 10)
    questions = [{"question_id": n, "category": "writing", "turns": [f"Ask {n}."]} for n in range(60)]
    ratings = [rating_row(question_id=n, judgment=f"[[{value:g}]]", score=value) for n, value in enumerate(judged)]
    store = workspace(tmp_path)
    bring(store, {"question.jsonl": questions, "m.jsonl": [answer(n, "m/one", f"A{n}") for n in range(60)],
                  "gpt-4_single.jsonl": ratings})  # fmt: skip
    assert [value for *_, value in scores(store)] == [judged[int(name.split("/")[0])] for name, *_ in scores(store)]
    at = "2026-01-01T00:00:00+00:00"
    label = {"unit": "turn:1", "dimension": "rating", "annotator": "ann", "mode": "blind", "made_at": at}
    labels = [{"item": f"{n}/m/one", "value": int(v), **label} for n, v in enumerate(people)]
    with pytest.raises(ImportRefused, match=r"8\.5 is not on the scale: allowed are 1 to 10"):
        import_source(
            store, "lea", from_bytes([("labels.jsonl", text([{**labels[0], "value": 8.5}]))]), ImportPlan("d")
        )
    import_source(store, "lea", from_bytes([("labels.jsonl", text(labels))]), ImportPlan("d", sampling="all"))
    known, ((judge,),) = dataset_named(store, "d"), store.rows("select id from judge")
    (rating,) = card("mt_bench").dimensions
    chance = np.subtract.outer(judged, people) ** 2
    figures = summarise(comparison_input(store, known.id, judge, rating, "all"), rating)
    assert figures.interval.point == pytest.approx(1 - np.mean((judged - people) ** 2) / chance.mean())
    for kinds in (["dataset"], ["items", "scores"]):
        for kind in kinds:
            export.write_export(store, "lea", known, export.export_kind(kind), {}, "jsonl", tmp_path / f"{kind}.jsonl")
        (tmp_path / "again" / kinds[0]).mkdir(parents=True)
        again = workspace(tmp_path / "again" / kinds[0])
        rows = [(f"{kind}.jsonl", (tmp_path / f"{kind}.jsonl").read_bytes()) for kind in kinds]
        import_source(again, "lea", from_bytes(rows), ImportPlan("d"))
        assert scores(again) == scores(store)
    assert verify(store) == []


def test_judgments_of_a_later_import_are_told_apart_by_the_answers_that_the_dataset_holds(tmp_path: Path) -> None:
    """Questions and answers first, then judgments, then all of it: two wordings are two judges, and nothing is new."""
    prompt = "Rate {}.\n[Question]\nWrite.\n[Answer]\nFirst\n[End]"
    ratings = [
        rating_row(user_prompt=prompt.format(manner), judgment=f"[[{n}]]", score=n)
        for manner, n in (("well", 8), ("hard", 3))
    ]
    answers = {**BASE, "m__one.jsonl": [answer("81", "m/one", "First", "Second")]}
    with contextlib.closing(workspace(tmp_path)) as store:
        bring(store, answers)
        bring(store, {"gpt-4_single.jsonl": ratings})
        judges = {(judge, value) for judge, value in store.rows("select judge_id, value from score")}
        assert len({judge for judge, _ in judges}) == 2 and {value for _, value in judges} == {8, 3}
        before = counts(store)
        for again in (
            {"gpt-4_single.jsonl": ratings},
            {**answers, "gpt-4_single.jsonl": ratings},
            {"x_single.jsonl": ratings},
        ):
            assert bring(store, again).preview.new.total == 0
        assert counts(store) == before


def test_what_the_files_say_goes_before_what_the_dataset_holds(tmp_path: Path) -> None:
    """Another answer under a name that is taken is refused as ever, and named at its own line."""
    with contextlib.closing(workspace(tmp_path)) as store:
        bring(store, BASE)
        with pytest.raises(ImportRefused) as refused:
            bring(store, {**BASE, "m__one.jsonl": [answer("81", "m/one", "Other", "Second")]})
        assert [problem.file for problem in refused.value.preview.problems] == ["m__one.jsonl"]
        assert bring(store, {"n.jsonl": [answer("81", "m/two", "Mine", "Too")]}).preview.new.items == 1
