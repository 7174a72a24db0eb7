"""Sums of a judge's scores by system; tests/data/dashboard/test_dashboard.py has how they follow the store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.calibration.aggregates import AggregateGroup, load_tallies
from data.records.outcomes import counted_dimension
from data.records.tables import JudgmentRow, ScoreRow
from data.store import open_store
from data.store.ids import content_id, new_id
from judges.cards import cards
from judges.stats import ppi
from judges.types import Dimension, Scale
from tests.data.cells import Cell, fill

ASK = counted_dimension(Dimension("wit", "turn", Scale("ordinal", 1, 5), "How witty?"))
GROUP = AggregateGroup(10, 10, np.array([1.0, 2, 3, 0, 4]), np.array([[34.0, 10]]), np.ones((1, 3)), 136.0)


@pytest.mark.parametrize(("values", "uncovered"), [
    ([1, 5], 0.0), ([2, 3], 0.5), ([2, 5], 0.1), ([1, 3], 0.4), ([4], 1.0), ([], 1.0),
])  # fmt: skip
def test_what_labels_do_not_cover_lies_below_or_above_all_labelled_values(
    values: list[int], uncovered: float
) -> None:
    n = len(values)
    labelled = ppi.moments(range(n), values, values, [True] * n)
    moments = GROUP.moments(ASK, 0, labelled if n else None)
    assert (moments.labelled, moments.items, moments.uncovered) == (n, 10, uncovered)
    assert (moments.total.tolist(), moments.weights) == (labelled.total.tolist(), (n, n))


def test_a_further_turn_of_an_item_that_is_counted_counts_no_further_item(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path}/s.duckdb")
    dimension = next(d for d in cards()["multi_turn_dialogue"].dimensions if d.name == "helpfulness")
    dataset, judge = fill(store, [Cell(n, "turn:1", (), 4.0) for n in range(2)])

    def counts() -> list[tuple[str, int, int]]:
        groups = load_tallies(store, dataset, judge, [dimension])["turn", "helpfulness"]
        return sorted((system, group.items, group.cells) for (_, system), group in groups.items())

    assert counts() == [("s0", 1, 1), ("s1", 1, 1)]
    reply = JudgmentRow(new_id(), judge, content_id("demo", 0), "turn:2", 0, "{}", "", "")
    score = ScoreRow(reply.id, judge, reply.item_id, "turn:2", "helpfulness", 5.0, None, "", 0)
    store.tx("test", "judge", lambda tx: [tx.append([row]) for row in (reply, score)])
    assert counts() == [("s0", 0, 1), ("s0", 1, 1), ("s1", 1, 1)]
    store.close()
