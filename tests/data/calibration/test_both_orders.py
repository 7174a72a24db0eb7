"""Pairs that a judge was asked in both orders, through the store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.calibration.both_orders import load_positional_agreement
from data.records.rows import judgment_rows
from data.store import Tx, open_store
from judges.cards import card
from judges.params import Params
from judges.protocols.call_plan import Task
from judges.types import Reading
from tests.data.cells import Cell, fill
from tests.judges.replies import fuse_replies, pair


def test_only_replies_with_a_verdict_in_both_orders_count(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path / 's.duckdb'}")
    cells = [Cell(n, "pair", (), "unscored", dimension="verdict") for n in range(5)]
    dataset, judge = fill(store, cells, kind="pair", card="plain_pairwise")
    ids = [str(key) for (key,) in store.rows("select id from item order by name")]
    both, one_order = '{"pieces":[{"piece":"order:ab"},{"piece":"order:ba"}]}', '{"pieces":[{"piece":"order:ba"}]}'

    def put(number: int, raw: str, *verdicts: str) -> None:
        raws = [json.dumps({"verdict": word}) for word in verdicts]
        plan = Params(orders="both" if len(verdicts) > 1 else "ba")
        reading = fuse_replies(card("plain_pairwise"), plan, Task("k", pair()), raws).reading if verdicts else Reading()
        row, scores, remarks = judgment_rows(f"j{number}", judge, ids[number], "", 0, raw, reading)

        def work(tx: Tx) -> None:
            tx.append([row])
            tx.append(scores)
            tx.append(remarks)

        store.tx("test", "put", work)

    assert load_positional_agreement(store, dataset, judge) is None, "no reply names both orders"
    put(4, both)
    assert load_positional_agreement(store, dataset, judge) is None, (
        "a reply without a verdict says nothing of the order"
    )
    # As the second is asked with the places swapped, "b" is the first verdict again, and "a" the opposite.
    put(0, both, "a", "b")
    put(1, both, "a", "a")
    put(2, one_order, "a")
    put(3, both, "a")  # the other order was asked for, and gave no verdict
    agreement = load_positional_agreement(store, dataset, judge)
    assert agreement is not None and agreement.answers == ("a", "tie", "b")
    assert agreement.table.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert (agreement.same.point, agreement.same.cells) == (0.5, 2)
    assert agreement.first.point == pytest.approx(3 / 4), "of four verdicts three are for who was named first"
    store.close()
