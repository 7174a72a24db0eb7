"""Races: the same answer sent twenty times at once is one answer, and one item is not given to two people."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.desk import desk, labels
from data.queue import queue
from data.records import datasets
from data.store.ids import new_id
from tests import seeds
from tests.soak import counts

THREADS = 20


def together(work: Callable[[int], Any]) -> list[Any]:
    """Run `work` in THREADS threads that start at one moment."""
    gate, out = threading.Barrier(THREADS), [None] * THREADS

    def run(n: int) -> None:
        gate.wait()
        out[n] = work(n)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return out


def answer(item: str, draw: str, key: str, values: list[tuple[str, str, float | None]]) -> dict[str, Any]:
    """An answer as the browser sends it."""
    return {
        "key": key, "person": "ann", "action": "save", "item": item, "claim": draw, "judge": None, "mode": "assisted",
        "version": "", "values": [{"unit": u, "dimension": d, "v": v, "saw": True, "seen": 4} for u, d, v in values],
        "notes": [], "ms": 1000,
    }  # fmt: skip


def race(folder: Path, rounds: int) -> None:
    """Send one answer from all threads at once, that many times; AssertionError where one is there twice, or not."""
    items = [seeds.dialogue(n, turns=1) for n in range(1, rounds + 1)]
    store = seeds.workspace(folder / "a.duckdb", [*items, *(seeds.judgment(i) for i in items)])
    dataset = datasets.dataset_named(store, "demo")
    for _ in range(rounds):
        item = queue.claim_items(store, "ann", dataset.id, "review", queue.QueueFilters(), [], 1)[0]
        view = desk.desk_views(store, "ann", [item])[0]
        values = [(unit, d.name, 1.0) for unit, d in view.card.cells(view.item.content)]
        key = new_id()
        results = together(
            lambda n, g=item, k=key, v=values: labels.save_answers(store, "ann", [answer(g.item, g.draw, k, v)])
        )  # type: ignore[misc]
        assert all([s.key for s in saved] == [key] and not refused for saved, refused in results)
    assert store.rows("select count(*), count(distinct item_id) from answer") == [(rounds, rounds)]
    assert store.rows("select answer_id from label group by answer_id having count(*) <> 8") == []
    store.close()


@pytest.mark.slow
def test_races_of_one_answer_leave_one_row_each(tmp_path: Path) -> None:
    race(tmp_path, counts.RACES.per_run // THREADS)


@pytest.mark.slow
@pytest.mark.both_stores
def test_twenty_tabs_with_answers_of_their_own_leave_one_that_stands(tmp_path: Path) -> None:
    items = [seeds.dialogue(n, turns=1) for n in range(1, 6)]
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, *(seeds.judgment(i) for i in items)])
    dataset = datasets.dataset_named(store, "demo")
    for item in queue.claim_items(store, "ann", dataset.id, "review", queue.QueueFilters(), [], 5):
        results = together(
            lambda n, g=item: labels.save_answers(  # type: ignore[misc]
                store, "ann", [answer(g.item, g.draw, new_id(), [("turn:1", "helpfulness", float(n % 5 + 1))])]
            )
        )
        assert sum(bool(saved) for saved, _ in results) == 1
        assert all("another tab" in refused[0].why for _, refused in results if refused)
    assert store.rows("select item_id from label_now group by item_id having count(*) <> 1") == []
    store.close()
