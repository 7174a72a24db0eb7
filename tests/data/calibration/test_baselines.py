"""Floors through the store: the same cells and bases as calibration, beside the lengths of the stored texts."""

import json

import numpy as np
import pytest

from data.calibration import baselines
from data.calibration.baselines import measure_baselines
from data.calibration.calibration import load_paired_ratings
from data.store import open_store
from data.store.ids import content_id
from judges.cards import cards
from judges.stats.agreement import cross_table, kappa
from judges.stats.baselines import length_rule_guesses
from judges.stats.calibration import kappa_cells
from tests.data import cells as filling
from tests.data.cells import Cell, fill

NAMES = {d.name: d for d in cards()["multi_turn_dialogue"].dimensions}
HELP, SAFETY = NAMES["helpfulness"], NAMES["safety"]
VERDICT = next(d for d in cards()["plain_pairwise"].dimensions if d.name == "verdict")


def texts(lengths):
    """Items whose only assistant turn, or whose B, has so many characters."""

    def content(number, kind, _dataset):
        text = "x" * lengths[number]
        if kind == "pair":
            sides = {"response_a": {"system": "a", "text": "y" * 400}, "response_b": {"system": "b", "text": text}}
            return json.dumps({"id": "i", "kind": "pair", "input": "?", **sides})
        turns = [{"turn": 1, "role": "user", "text": "?"}, {"turn": 1, "role": "assistant", "text": text}]
        return json.dumps({"id": "i", "kind": "dialogue", "turns": turns})

    return content


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = open_store(f"duckdb:///{tmp_path_factory.mktemp('floors')}/s.duckdb")
    yield opened
    opened.close()


def test_a_length_only_judge_is_told_so_and_a_good_one_is_not(store, monkeypatch):
    rng = np.random.default_rng(1)
    lengths = rng.integers(30, 1500, 120)
    monkeypatch.setattr(filling, "_content", texts(lengths))
    ranks = 1 + np.argsort(np.argsort(lengths)) * 5 // 120
    rated = [
        Cell(n, "turn:1", (float(np.clip(rank + rng.integers(-1, 2), 1, 5)),), float(rank), probability=0.5)
        for n, rank in enumerate(ranks)
    ]
    truths = rng.integers(1, 6, 120)
    rated += [
        Cell(n, "turn:1", (float(truth),), float(truth), probability=0.5, dimension="safety")
        for n, truth in enumerate(truths)
    ]
    dataset, judge = fill(store, rated, "planted")
    floors = measure_baselines(store, dataset, judge, [HELP, SAFETY], "gate")
    assert floors["turn", "helpfulness"].length.standing in ("not shown to beat", "falls short of")
    assert floors["turn", "safety"].standing == "beats"
    assert floors["turn", "helpfulness"].items == 120

    cells, k = kappa_cells(load_paired_ratings(store, dataset, judge, HELP, "gate"), HELP.scale)
    order = sorted(range(120), key=lambda n: content_id("planted", n))
    by_id = np.array([float(lengths[n] // 3) for n in order])
    human = np.array([int(rated[n].people[0]) - 1 for n in order])
    codes = np.array([int(rated[n].judge) - 1 for n in order])
    guesses = [length_rule_guesses(by_id, np.arange(120), human, np.full(120, 2.0), k, like) for like in (None, codes)]
    rule = max(kappa(cross_table(human, guess, k), "quadratic") for guess in guesses)
    assert floors["turn", "helpfulness"].length.rule.point == pytest.approx(rule)
    assert len(np.asarray(cells.human)) == 120


def test_it_rests_on_the_basis_and_on_what_the_judge_scored(store, monkeypatch):
    monkeypatch.setattr(filling, "_content", texts([100] * 100))
    rated = [Cell(n, "turn:1", (float(n % 5 + 1),), float(n % 5 + 1), probability=0.5) for n in range(40)]
    rated += [Cell(40 + n, "turn:1", (2.0,), 3.0, "assisted", 0.5) for n in range(5)]
    rated += [Cell(45 + n, "turn:1", (2.0,), "unscored", probability=0.5) for n in range(5)]
    rated += [Cell(50 + n, "turn:1", (), 2.0, probability=0.5) for n in range(50)]
    dataset, judge = fill(store, rated, "bases")
    assert measure_baselines(store, dataset, judge, [HELP], "gate")["turn", "helpfulness"].items == 40
    assert measure_baselines(store, dataset, judge, [HELP], "assisted")["turn", "helpfulness"].items == 5
    assert measure_baselines(store, "nothing", judge, [HELP], "gate")["turn", "helpfulness"].standing == "cannot tell"
    monkeypatch.setattr(baselines, "MOST_ITEMS", 20)
    fill(store, rated[:50], "beside")  # labelled items of another dataset, whose ids lie between
    first = sorted(range(50), key=lambda n: content_id("bases", n))[:20]
    floor = measure_baselines(store, dataset, judge, [HELP], "all")["turn", "helpfulness"]
    assert floor.items == sum(n < 45 for n in first)


def test_ties_can_be_dropped(store, monkeypatch):
    lengths = [200 + 10 * n for n in range(45)]
    monkeypatch.setattr(filling, "_content", texts(lengths))
    rated = [Cell(n, "pair", (float(n % 3),), float(n % 3), probability=0.5, dimension="verdict") for n in range(45)]
    dataset, judge = fill(store, rated, "ties", "pair", "plain_pairwise")
    for drop, items in (((), 45), ((False,), 45), ((True,), 30)):
        floor = measure_baselines(store, dataset, judge, [VERDICT], "gate", *drop)["pair", "verdict"]
        assert floor.items == items
        assert floor.judge.point == pytest.approx(1.0)
        assert floor.length is not None
