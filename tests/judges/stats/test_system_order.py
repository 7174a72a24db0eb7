"""The order of systems by people and by a judge: hand arithmetic, and scipy where it has the same figure."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from judges.render.findings import system_order as findings
from judges.render.findings.findings import Sentence, Table, sentence_text
from judges.stats.intervals import Cells
from judges.stats.system_order import SystemOrder, order_systems


def order_ratings(human: list[list[float]], judge: list[list[float]], **more: list[float]) -> SystemOrder:
    """Of systems a, b, c ... with their ratings, the n-th of each an answer to question n."""
    system = [n for n, own in enumerate(human) for _ in own]
    question = [n for own in human for n in range(len(own))]
    cells = Cells(np.arange(len(system)), np.concatenate(human), np.concatenate(judge), more.get("weight"))
    return order_systems(cells, system, "abcdefgh"[: len(human)], question)


def test_three_systems_by_hand() -> None:
    order = order_ratings([[8, 6], [5, 5], [9, 7]], [[7, 7], [4, 6], [6, 7]])
    assert [(s.name, s.human, s.judge) for s in order.systems] == [("c", 8, 6.5), ("a", 7, 7), ("b", 5, 5)]
    assert [(s.human_rank.point, s.judge_rank.point) for s in order.systems] == [(1, 2), (2, 1), (3, 3)]
    assert (order.pairs, order.flipped) == (3, 1)
    assert order.kendall.point == pytest.approx(1 / 3) and order.spearman.point == pytest.approx(0.5)


def test_weights_move_means_and_so_the_order() -> None:
    human, judge = [[8.0, 2.0], [6.0, 6.0]], [[1.0, 9.0], [5.0, 5.0]]
    light = order_ratings(human, judge, weight=[3, 1, 1, 1])
    assert [(s.name, s.human, s.judge) for s in light.systems] == [("a", 6.5, 3), ("b", 6, 5)]
    assert light.flipped == 1 and order_ratings(human, judge).flipped == 0  # 5 and 6, 5 and 5: a tie turns nothing


@pytest.mark.parametrize("seed", range(5))
def test_the_correlations_are_those_of_scipy_on_the_means_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    human, judge = (rng.integers(1, 4, size=(8, 3)).astype(float) for _ in range(2))
    order = order_ratings(human.tolist(), judge.tolist())
    means = human.mean(axis=1), judge.mean(axis=1)
    assert order.kendall.point == pytest.approx(kendalltau(*means).statistic)
    assert order.spearman.point == pytest.approx(spearmanr(*means).statistic)


def test_intervals_hold_what_questions_leave_open_and_a_clear_order_is_certain() -> None:
    rng = np.random.default_rng(1)
    truth = np.array([2.0, 5.0, 8.0])[:, None] + rng.normal(0, 0.2, size=(3, 40))
    clear = order_ratings(truth.tolist(), (truth + rng.normal(0, 0.2, size=truth.shape)).tolist())
    assert clear.kendall.ends == [1, 1] and [s.human_rank.ends for s in clear.systems] == [[1, 1], [2, 2], [3, 3]]
    assert (clear.kendall.items, clear.kendall.cells, clear.systems[0].items) == (40, 120, 40)
    close = order_ratings(rng.normal(5, 1, size=(3, 40)).tolist(), rng.normal(5, 1, size=(3, 40)).tolist())
    assert close.kendall.ends == [-1, 1] and close.systems[0].human_rank.ends is not None


def test_draws_take_what_belongs_to_one_question_together() -> None:
    """Questions differ by far more than systems: drawn as questions, the difference of systems stays what it is."""
    hard = np.arange(30) / 4
    human = [(hard + shift).tolist() for shift in (0.0, 0.1, 0.2)]
    assert order_ratings(human, human).kendall.ends == [1, 1]
    assert [s.human_rank.ends for s in order_ratings(human, human).systems] == [[1, 1], [2, 2], [3, 3]]


def test_what_does_not_exist_has_no_point() -> None:
    two = order_ratings([[8, 6], [5, 5]], [[7, 7], [4, 6]])
    assert two.kendall.point is None and (two.pairs, two.flipped) == (1, 0)
    flat = order_ratings([[5, 5], [5, 5], [5, 5]], [[1, 2], [3, 4], [5, 6]])
    assert flat.kendall.point is None and flat.spearman.point is None and flat.flipped == 0
    single = order_ratings([[5], [6], [7]], [[1], [2], [3]])
    assert single.kendall.point == 1 and single.kendall.ends is None and single.systems[0].human_rank.ends is None
    rare = order_systems(Cells(range(4), [1, 2, 3, 9], [1, 2, 3, 9]), [0, 0, 1, 2], "abc", range(4))
    assert rare.kendall.point == 1 and rare.kendall.ends is None and rare.kendall.undefined > 0.3
    none = order_systems(Cells([], [], []), [], [], [])
    assert none.systems == () and none.pairs == 0 and none.kendall.point is None


def test_the_findings_say_how_many_pairs_stand_otherwise() -> None:
    parts = findings.findings(order_ratings([[8, 6], [5, 5], [9, 7]], [[7, 7], [4, 6], [6, 7]]))
    sentences = [sentence_text(part) for part in parts if isinstance(part, Sentence)]
    assert sentences[0].startswith("Kendall's tau-b 0.333 (") and "people's order of 3 systems" in sentences[0]
    assert sentences[2] == "1 of the 3 pairs of systems: people and judge put them in opposite orders."
    [table] = [part for part in parts if isinstance(part, Table)]
    assert [row["system"] for row in table.rows] == ["c", "a", "b"] and table.rows[0]["judge - people"] == -1.5
    orders = {4.0: "opposite orders", 8.0: "the same order", 7.0: "no order: two of their means are equal"}
    for judge, order in orders.items():
        first = findings.findings(order_ratings([[8], [5]], [[judge], [7]]))[0]
        assert (
            isinstance(first, Sentence)
            and sentence_text(first) == f"People and judge put the two systems in {order}."
        )  # fmt: skip
    (alone,) = findings.findings(order_ratings([[8]], [[4]]))
    assert isinstance(alone, Sentence) and sentence_text(alone).endswith("are of 1 system.")
