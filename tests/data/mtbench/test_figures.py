"""Figures of a dataset: on all ratings and on those that two judges share, and single answers with who saw them."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.mtbench import figures
from data.mtbench.mtbench import load_bench
from data.queue import queue
from data.records import people
from data.store import Store
from judges.mtbench.ratings import ReadingRules
from tests.data.imports import workspace
from tests.data.mtbench.test_mtbench import FILES, D, answer, bring, rating_row


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two judges: x rates three turns, y the first turns of both questions."""
    opened = workspace(tmp_path)
    of_x = [rating_row("[[9]]", 9), rating_row("[[3]]", 3, turn=2), rating_row("[[8]]", 8, question_id=10)]
    of_y = [rating_row("[[4]]", 4, judge=["gpt-y", "v"]), rating_row("[[7]]", 7, judge=["gpt-y", "v"], question_id=10)]
    bring(opened, {**FILES, "gpt-x_single.jsonl": of_x, "gpt-y_single.jsonl": of_y})
    return opened


def judge_ids(store: Store) -> tuple[str, str]:
    """The judges x and y."""
    named = {judge.model: judge.id for judge in load_bench(store, D).judges.values()}
    return named["gpt-x"], named["gpt-y"]


def test_means_are_on_all_ratings_or_on_those_that_two_judges_share(store: Store) -> None:
    x, y = judge_ids(store)
    every = {row.judge: row.all_turns.point for row in figures.model_means(store, D, ReadingRules()) if row.model}
    assert every == {x: 20 / 3, y: 5.5}
    both = {
        row.judge: row.all_turns.point for row in figures.model_means(store, D, ReadingRules(), (x, y)) if row.model
    }
    assert both == {x: 8.5, y: 5.5}
    assert figures.model_means(store, D, ReadingRules(scale="share"))[0].all_turns.point == pytest.approx(2 / 3)
    assert {row.model for row in figures.japanese_shares(store, D)} == {"m/one"}


def test_wins_from_ratings_are_on_all_of_them_or_on_those_that_two_judges_share(store: Store) -> None:
    other = [answer(9, "m/two", "はい", "また")]
    rows = [rating_row("[[9]]", 9, model="m/two", turn=turn) for turn in (1, 2)]
    rows.append(rating_row("[[4]]", 4, model="m/two", judge=["gpt-y", "v"]))
    bring(store, {**FILES, "m__two.jsonl": other, "ratings_single.jsonl": rows})
    x, y = judge_ids(store)
    games = [
        {(rate.judge, rate.model): rate.games for rate in figures.pair_rates(store, D, "fastchat", "ratings", *options)}
        for options in ((False, ()), (False, (x, y)), (True, (x, y)))
    ]
    assert games[0][x, "m/one"] == 2 and games[1][x, "m/one"] == games[2][x, "m/one"] == games[1][y, "m/two"] == 1


def test_two_judges_are_compared_by_turn_category_and_model(store: Store) -> None:
    x, y = judge_ids(store)
    assert figures.compared_judges(store, D, "fastchat", x, y).overall.difference.point == -3.0
    assert figures.agreement_by(store, D, "fastchat", x, y, "turn").keys() == {"turn 1"}
    assert figures.agreement_by(store, D, "fastchat", x, y, "category")["math"].difference.point == -1.0
    assert figures.agreement_by(store, D, "fastchat", x, y, "model")["m/one"].cells == 2


def test_a_listed_answer_is_on_record_and_one_to_be_labelled_blind_is_not_listed(store: Store) -> None:
    x, y = judge_ids(store)
    people.join_workspace(store, "ann")
    assert queue.draw_audit(store, "lea", D, 1, x, seed=1) == 1
    waits = {str(item) for (item,) in store.rows("select item_id from draw")}
    disagreements = figures.largest_disagreements(store, "ann", D, "fastchat", x, y)
    assert len(disagreements) == 1 and not waits & {item for _, item in disagreements}
    rows = store.rows("select item_id, judge_id, person, route from exposure order by 2")
    assert rows == [(disagreements[0][1], judge, "ann", "comparison") for judge in sorted((x, y))]


def test_what_is_missing_is_said_and_no_rating_of_a_single_answer(store: Store) -> None:
    odd = [rating_row("[[9]]", 2, judge=["gpt-z", "v"]), rating_row("nothing", -1, judge=["gpt-z", "v"], turn=2)]
    bring(store, {**FILES, "gpt-z_single.jsonl": odd})
    sentences = figures.completeness(store, D)
    assert sentences[0].startswith("MT-Bench: 2 questions, 2 answers of 1 model")
    assert any(sentence.startswith("gpt-y has not judged 2 turns of m/one") for sentence in sentences)
    assert any(sentence.startswith("gpt-z: 1 rating has no score") for sentence in sentences)
    assert not any("in the text)" in sentence for sentence in sentences)
