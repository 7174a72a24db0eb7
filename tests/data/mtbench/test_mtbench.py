"""The store as the records of MT-Bench: what files brought comes out as it was meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.importing.files.source import from_bytes, from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench import mtbench
from data.mtbench.mtbench import bench_datasets, item_ids, load_bench
from data.store import Store
from data.store.ids import content_id
from judges.cards import card
from judges.mtbench.prompts import wording
from judges.mtbench.records import Answer, Bench, BenchQuestion, Game, PromptText, Rating, Vote
from judges.mtbench.rows import INCONSISTENT
from judges.mtbench.win_rates import decide_games
from judges.params import Params
from judges.protocols.call_plan import Task, pieces
from tests.data.imports import text, workspace
from tests.data.mtbench.bench_counts import count_bench
from tests.judges.protocols.test_chapters import LONG
from tests.seeds import lines

D = content_id("dataset", "d")
QUESTIONS = [
    {"question_id": 9, "category": "writing", "turns": ["書いて。", "もう一度。"]},
    {"question_id": 10, "category": "math", "turns": ["1+1?", "2+2?"], "reference": ["own 2", "own 4"]},
]
REFERENCES = [{"question_id": 10, "choices": [{"index": 0, "turns": ["2", "4"]}]}]


def answer(question: Any, model: str, *turns: str) -> dict[str, Any]:
    """A line of model_answer."""
    return {"question_id": question, "model_id": model, "choices": [{"index": 0, "turns": list(turns)}]}


def rating_row(judgment: str, score: float, **more: Any) -> dict[str, Any]:
    """A line of `<judge>_single`, about the first turn of question 9."""
    row = {"question_id": 9, "model": "m/one", "judge": ["gpt-x", "single-v1"], "turn": 1, **more}
    return row | {"judgment": judgment, "score": score}


def bring(store: Store, content: dict[str, list[Any]]) -> Bench:
    """The records of a dataset of these files and nothing else."""
    source = from_bytes([(name, text(rows)) for name, rows in content.items()])
    import_source(store, "lea", source, ImportPlan("d", sampling="all"))
    return load_bench(store, D)


FILES = {
    "question.jsonl": QUESTIONS,
    "reference_answer.jsonl": REFERENCES,
    "m__one.jsonl": [answer(10, "m/one", "二", "四"), answer(9, "m/one", "はい", "また")],
}


def test_questions_answers_and_references_are_in_order_and_whole(tmp_path: Path) -> None:
    bench = bring(workspace(tmp_path), FILES)
    assert list(bench.questions) == ["9", "10"]
    assert bench.questions["9"] == BenchQuestion("9", "writing", ("書いて。", "もう一度。"))
    assert bench.questions["10"].reference == ("own 2", "own 4")
    assert bench.references == {"all judges": {"10": ("2", "4")}}
    assert bench.answers["9", "m/one", 0] == Answer("9", "m/one", 0, ("はい", "また"))
    assert (bench.models, bench.ratings, bench.games, bench.votes) == (["m/one"], (), (), ())


def test_samples_and_sets_of_references_are_kept_apart(tmp_path: Path) -> None:
    many = {"question_id": 9, "model_id": "m/one", "choices": [
        {"index": 0, "turns": ["はい", "また"]}, {"index": 1, "turns": ["いいえ", "また"]},
    ]}  # fmt: skip
    other = [{"question_id": 10, "choices": [{"index": 0, "turns": ["two", "four"]}]}]
    folder = tmp_path / "bench"
    (folder / "reference_answer").mkdir(parents=True)
    for name, rows in (
        ("question.jsonl", QUESTIONS), ("m__one.jsonl", [many, answer(10, "m/one", "二", "四")]),
        ("reference_answer/gpt-x.jsonl", REFERENCES), ("reference_answer/gpt-y.jsonl", other),
    ):  # fmt: skip
        (folder / name).write_bytes(text(list(rows)))
    store = workspace(tmp_path)
    import_source(store, "lea", from_path(folder), ImportPlan("d", sampling="all"))
    bench = load_bench(store, D)
    assert [key for key in bench.answers if key[0] == "9"] == [("9", "m/one", 0), ("9", "m/one", 1)]
    assert bench.answers["9", "m/one", 1].turns == ("いいえ", "また")
    assert bench.references == {"gpt-x": {"10": ("2", "4")}, "gpt-y": {"10": ("two", "four")}}


def test_the_prompts_of_the_files_are_there_with_their_judge(tmp_path: Path) -> None:
    template = "[BenchQuestion]\n{question}\n[Answer]\n{answer}"
    prompt = {"name": "single-v1", "type": "single", "system_prompt": "S", "prompt_template": template}
    rows = [rating_row("[[8]]", 8, user_prompt="[BenchQuestion]\n書いて。\n[Answer]\nはい")]
    bench = bring(workspace(tmp_path), {**FILES, "judge_prompts.jsonl": [prompt], "gpt-x_single.jsonl": rows})
    assert bench.prompts == (PromptText("single-v1", "single", "S", template),)
    assert [(judge.prompt, judge.wording) for judge in bench.judges.values()] == [("single-v1", wording(template))]


def test_a_rating_keeps_its_text_and_what_its_file_states(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows: list[dict[str, Any]] = [
        rating_row("Good. [[8]]", 8),
        rating_row("No number.", -1, turn=2),
        rating_row("Better: [[7]]", 6, question_id=10),
        rating_row("$ERROR$", -1, question_id=10, turn=2),
        rating_row("", 5, judge=["gpt-y", "single-v1"]),
    ]
    bench = bring(store, {**FILES, "gpt-x_single.jsonl": rows})
    named = {judge.id: judge.model for judge in bench.judges.values()}
    assert sorted(named.values()) == ["gpt-x", "gpt-y"]
    assert {judge.protocol for judge in bench.judges.values()} == {"fastchat"}
    ratings = [rating._replace(judge=named[rating.judge]) for rating in bench.ratings if named[rating.judge] == "gpt-x"]
    assert ratings[:3] == [
        Rating("gpt-x", "9", "m/one", 0, 1, 0, "Good. [[8]]", 8.0),
        Rating("gpt-x", "9", "m/one", 0, 2, 0, "No number.", -1.0),
        Rating("gpt-x", "10", "m/one", 0, 1, 0, "Better: [[7]]", 6.0),
    ]
    assert ratings[3].stated == -1 and "failed" in ratings[3].error
    bare = [(rating.text, rating.stated) for rating in bench.ratings if named[rating.judge] == "gpt-y"]
    assert bare == [("", 5.0)]
    assert {store.rows("select name from item where id = $1", [key])[0][0] for key in item_ids(store, D).values()} == {
        "9/m/one", "10/m/one",
    }  # fmt: skip
    assert count_bench(store)[D] == (2, 5, 0, 0)


@pytest.mark.parametrize(
    ("judgment", "score"),
    [("No number.", 7), ("[[15]]", 15), ("[[15]]", -1), ("[[0]]", 4), ("Printed $ERROR$. [[3]]", 3), ("$ERROR$", 6)],
)
def test_what_a_file_states_is_kept_where_its_text_gives_no_rating(
    tmp_path: Path, judgment: str, score: float
) -> None:
    bench = bring(workspace(tmp_path), FILES | {"gpt-x_single.jsonl": [rating_row(judgment, score)]})
    assert [(rating.text, rating.stated) for rating in bench.ratings] == [(judgment, score)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("A is better.", "A is better."), ("{A}", "{A}"), ('{"score": 1}', '{"score": 1}'),
        ('{"verdict": "A", "reason": "Shorter."}', "Shorter."), ('{"winner": "model_1"}', ""),
        ('{"winner": "tie (inconsistent)"}', INCONSISTENT),
    ],
)  # fmt: skip
def test_a_verdict_says_its_reason_or_that_its_orders_differ(reply: str, expected: str) -> None:
    assert mtbench._reply_text(reply) == expected


def test_a_reply_that_begins_like_a_number_without_a_text_is_a_text(tmp_path: Path) -> None:
    reply = '{"judgment":"", or so I was to begin. Rating: [[6]]'
    bench = bring(workspace(tmp_path), FILES | {"gpt-x_single.jsonl": [rating_row(reply, 6)]})
    assert [(rating.text, rating.stated) for rating in bench.ratings] == [(reply, 6.0)]


def test_games_and_votes_are_turned_into_sorted_order(tmp_path: Path) -> None:
    verdict = {"question_id": 9, "model_1": "n", "model_2": "m", "turn": 1, "judge": ["gpt-x", "pair-v2"]}
    files = {
        **FILES,
        "gpt-x_pair.jsonl": [
            verdict | {"g1_winner": "model_1", "g2_winner": "model_2"},
            verdict | {"turn": 2, "g1_winner": "error", "g2_winner": "tie"},
        ],
        "votes.jsonl": [
            {"question_id": 9, "turn": 2, "model_a": "n", "model_b": "m", "winner": "model_a", "judge": "expert_1"}
        ],
    }
    bench = bring(workspace(tmp_path), files)
    judge = next(iter(bench.judges))
    games = [(g.turn, g.a, g.b, g.order, g.winner, bool(g.error)) for g in bench.games]
    # g1 shows model_1 = n first, which is b; it wins, so b. g2 shows m first and says that model_2 = m wins: a.
    assert games == [
        (1, "m", "n", "ab", "a", False),
        (1, "m", "n", "ba", "b", False),
        (2, "m", "n", "ab", "tie", False),
        (2, "m", "n", "ba", "", True),
    ]
    assert {g.judge for g in bench.games} == {judge} and isinstance(bench.games[0], Game)
    assert bench.votes == (Vote("expert_1", "expert", "9", 2, "m", "n", "b"),)


def test_a_pair_that_a_file_asks_again_after_a_failure_is_decided(tmp_path: Path) -> None:
    verdict = {"question_id": 9, "model_1": "m", "model_2": "n", "turn": 1, "judge": ["gpt-x", "pair-v2"]}
    rows = [
        verdict | {"g1_winner": "error", "g2_winner": "tie", "g1_judgment": "$ERROR$", "g2_judgment": "[[C]]"},
        verdict | {"g1_winner": "model_1", "g2_winner": "model_1", "g1_judgment": "[[A]]", "g2_judgment": "[[B]]"},
    ]
    [count] = decide_games(bring(workspace(tmp_path), {**FILES, "gpt-x_pair.jsonl": rows})).counts
    assert (count.decided, count.failed) == (1, 1)


def test_pairs_named_the_other_way_round_are_turned(tmp_path: Path) -> None:
    """Pairs that come as items of our own need not have their names in order, nor a turn: it is the first."""
    store = workspace(tmp_path)
    sides = {"response_a": {"system": "z", "text": "Z"}, "response_b": {"system": "a", "text": "A"}}
    rows: list[dict[str, Any]] = [
        {"id": "p", "kind": "pair", "input": "Q?", "meta": {"question_id": 7}, **sides},
        {"item": "p", "card": "plain_pairwise", "model": "j", "reply": {"verdict": "a", "reason": ""}},
        {"item": "p", "unit": "pair", "dimension": "verdict", "value": "a", "annotator": "ann", "mode": "blind"}
        | {"made_at": "2026-01-31T12:00:00Z"},
    ]
    import_source(store, "lea", from_path(lines(tmp_path / "p.jsonl", rows)), ImportPlan("d", sampling="all"))
    bench = load_bench(store, D)
    assert [(g.turn, g.a, g.b, g.order, g.winner) for g in bench.games] == [(1, "a", "z", "", "b")]
    assert bench.votes == (Vote("ann", "", "7", 1, "a", "z", "b"),)
    assert bench.questions == {"7": BenchQuestion("7", "", ("Q?",))}


def test_a_pair_of_the_second_turn_does_not_tell_the_question_of_the_first(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    sides = {"response_a": {"system": "a", "text": "A"}, "response_b": {"system": "z", "text": "Z"}}
    rows = [
        {"id": f"p{n}", "kind": "pair", "input": text, "meta": {"question_id": n, **turn}, **sides}
        for n, (text, turn) in enumerate([("One?", {"turn": 1}), ("Two?", {"turn": 2}), ("Some?", {})], 1)
    ]
    import_source(store, "lea", from_path(lines(tmp_path / "p.jsonl", rows)), ImportPlan("d", sampling="all"))
    questions = load_bench(store, D).questions
    assert {name: question.turns for name, question in questions.items()} == {"1": ("One?",), "2": (), "3": ("Some?",)}


def test_what_is_not_of_mt_bench_is_left_out(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    sides = {"response_a": {"system": "z", "text": "Z"}, "response_b": {"system": "a", "text": "A"}}
    rows = [{"id": "p", "kind": "pair", "input": "Q?", "meta": {"deep": {"question_id": 7}}, **sides}]
    import_source(store, "lea", from_path(lines(tmp_path / "p.jsonl", rows)), ImportPlan("d", sampling="all"))
    assert bench_datasets(store) == []
    assert load_bench(store, D) == Bench()


def test_an_answer_that_is_kept_is_made_anew_when_ratings_come(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    first = bring(store, FILES)
    assert load_bench(store, D) is first
    second = bring(store, {**FILES, "gpt-x_single.jsonl": [rating_row("[[3]]", 3)]})
    assert [rating.stated for rating in second.ratings] == [3.0]
    assert second.answers == first.answers


def test_a_pair_that_was_judged_by_chapters_has_the_verdict_that_they_come_to(tmp_path: Path) -> None:
    store, params = workspace(tmp_path), Params(context=1340, orders="both")
    item = LONG.model_copy(update={"id": "p", "meta": {"question_id": 7}})
    names = pieces(card("plain_pairwise"), params, Task("p", item))
    assert len(names) == 6
    replies = [{"piece": n, "raw": json.dumps({"verdict": "ab"["ba" in n], "reason": ""})} for n in names]
    systems = {f"response_{side}": {"system": name, "text": getattr(item, f"response_{side}").text}
               for side, name in (("a", "z"), ("b", "m"))}  # fmt: skip
    rows = [
        item.model_dump(mode="json") | systems,
        {"item": "p", "card": "plain_pairwise", "model": "j", "params": {"orders": "both", "context": 1340},
         "raw": json.dumps({"pieces": replies}, separators=(",", ":"))},
    ]  # fmt: skip
    import_source(store, "lea", from_path(lines(tmp_path / "p.jsonl", rows)), ImportPlan("d", sampling="all"))
    assert [(g.a, g.b, g.order, g.winner, g.error) for g in load_bench(store, D).games] == [("m", "z", "", "b", "")]


@pytest.mark.parametrize(("orders", "expected"), [("ab", "ba"), ("ba", "ab"), ("both", "")])
def test_a_verdict_of_a_run_in_one_order_says_which(tmp_path: Path, orders: str, expected: str) -> None:
    """The pair shows z before m, and sorted names have m first."""
    store = workspace(tmp_path)
    sides = {"response_a": {"system": "z", "text": "Z"}, "response_b": {"system": "m", "text": "M"}}
    rows = [
        {"id": "p", "kind": "pair", "input": "Q?", "meta": {"question_id": 7}, **sides},
        {"item": "p", "card": "plain_pairwise", "model": "j", "params": {"orders": orders},
         "reply": {"verdict": "a", "reason": ""}},
    ]  # fmt: skip
    import_source(store, "lea", from_path(lines(tmp_path / "p.jsonl", rows)), ImportPlan("d", sampling="all"))
    assert [(g.a, g.b, g.order, g.winner) for g in load_bench(store, D).games] == [("m", "z", expected, "b")]


def test_a_verdict_that_failed_without_a_reason_says_how(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    sides = {"response_a": {"system": "m", "text": "M"}, "response_b": {"system": "n", "text": "N"}}
    pieces = [{"piece": "order:ab", "raw": "I cannot say."}, {"piece": "order:ba", "raw": "", "unscored": "cut_off"}]
    rows = [
        {"id": "p", "kind": "pair", "input": "Q?", "meta": {"question_id": 7}, **sides},
        {"item": "p", "card": "plain_pairwise", "model": "j", "params": {"orders": "both"},
         "raw": json.dumps({"pieces": pieces}, separators=(",", ":"))},
    ]  # fmt: skip
    import_source(store, "lea", from_path(lines(tmp_path / "p.jsonl", rows)), ImportPlan("d", sampling="all"))
    errors = {game.order: game.error for game in load_bench(store, D).games}
    assert errors == {"ab": "no verdict in the reply", "ba": "cut_off"}
