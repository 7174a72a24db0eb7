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
from tests.data.mtbench.test_mtbench import FILES, D, bring, rated


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two judges: x rates three turns, y the first turns of both questions."""
    made = workspace(tmp_path)
    of_x = [rated("[[9]]", 9), rated("[[3]]", 3, turn=2), rated("[[8]]", 8, question_id=10)]
    of_y = [rated("[[4]]", 4, judge=["gpt-y", "v"]), rated("[[7]]", 7, judge=["gpt-y", "v"], question_id=10)]
    bring(made, {**FILES, "gpt-x_single.jsonl": of_x, "gpt-y_single.jsonl": of_y})
    return made


def judge_ids(store: Store) -> tuple[str, str]:
    """The judges x and y."""
    named = {one.model: one.id for one in load_bench(store, D).judges.values()}
    return named["gpt-x"], named["gpt-y"]


def test_means_are_on_all_ratings_or_on_those_that_two_judges_share(store: Store) -> None:
    x, y = judge_ids(store)
    every = {one.judge: one.both.point for one in figures.model_means(store, D, ReadingRules()) if one.model}
    assert every == {x: 20 / 3, y: 5.5}
    both = {one.judge: one.both.point for one in figures.model_means(store, D, ReadingRules(), (x, y)) if one.model}
    assert both == {x: 8.5, y: 5.5}
    assert figures.model_means(store, D, ReadingRules(scale="share"))[0].both.point == pytest.approx(2 / 3)
    assert {one.model for one in figures.japanese_shares(store, D)} == {"m/one"}


def test_two_judges_are_compared_by_turn_category_and_model(store: Store) -> None:
    x, y = judge_ids(store)
    assert figures.compared_judges(store, D, "fastchat", x, y).whole.difference.point == -3.0
    assert figures.agreement_by(store, D, "fastchat", x, y, "turn").keys() == {"turn 1"}
    assert figures.agreement_by(store, D, "fastchat", x, y, "category")["math"].difference.point == -1.0
    assert figures.agreement_by(store, D, "fastchat", x, y, "model")["m/one"].cells == 2


def test_a_listed_answer_is_on_record_and_one_to_be_labelled_blind_is_not_listed(store: Store) -> None:
    x, y = judge_ids(store)
    people.join_workspace(store, "ann")
    assert queue.draw_audit(store, "lea", D, 1, x, seed=1) == 1
    waits = {str(one) for (one,) in store.rows("select item_id from draw")}
    found = figures.largest_disagreements(store, "ann", D, "fastchat", x, y)
    assert len(found) == 1 and not waits & {item for _, item in found}
    rows = store.rows("select item_id, judge_id, person, route from exposure order by 2")
    assert rows == [(found[0][1], judge, "ann", "comparison") for judge in sorted((x, y))]


def test_what_is_missing_is_said_and_no_rating_of_a_single_answer(store: Store) -> None:
    odd = [rated("[[9]]", 2, judge=["gpt-z", "v"]), rated("nothing", -1, judge=["gpt-z", "v"], turn=2)]
    bring(store, {**FILES, "gpt-z_single.jsonl": odd})
    told = figures.completeness(store, D)
    assert told[0].startswith("MT-Bench: 2 questions, 2 answers of 1 model")
    assert any(one.startswith("gpt-y has not judged 2 turns of m/one") for one in told)
    assert any(one.startswith("gpt-z: 1 rating has no score") for one in told)
    assert not any("in the text)" in one for one in told)
