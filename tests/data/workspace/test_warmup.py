"""What a server computes ahead of the first visit."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import patch

import pytest

from data.dashboard import dashboard
from data.mtbench import figures
from data.records import queue_index
from data.store import open_store
from data.workspace.warmup import warm_up
from judges.mtbench.ratings import ReadingRules
from tests.data.approvals.test_approvals import approve, judged_cells, open_workspace
from tests.data.imports import workspace
from tests.data.mtbench.test_mtbench import FILES, D, bring, rating_row


def test_the_first_view_of_what_is_approved_finds_its_figures_computed(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", judged_cells(150))
    approve(store, (dataset, judge, "turn", "helpfulness"))
    store.close()
    queries = {}
    for ahead in (False, True):
        store = open_store(f"duckdb:///{tmp_path}/a.duckdb")
        if ahead:
            warm_up(store).join()
        with patch.object(store, "rows", wraps=store.rows) as spy:
            [approvals] = dashboard.approvals_by_judge(store, dataset).values()
            assert len(dashboard.tiles(store, dataset, judge, approvals)) == 1
        queries[ahead] = spy.call_count
        store.close()
    assert queries[True] < queries[False] / 2


def test_the_first_look_at_queues_and_at_who_is_how_far_finds_all_answers_read(tmp_path: Path) -> None:
    store, _, _ = open_workspace(tmp_path / "a.duckdb", judged_cells(150))
    warm_up(store).join()
    newest = store.newest()
    with patch.object(store, "rows", wraps=store.rows) as spy:
        assert queue_index.current_index(store).seq == newest
    assert spy.call_count == 0
    store.close()


def test_the_first_view_of_mt_bench_finds_its_means_computed(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, {**FILES, "gpt-x_single.jsonl": [rating_row("[[9]]", 9)]})
    warm_up(store).join()
    with patch.object(store, "rows", wraps=store.rows) as spy:
        assert [mean.all_turns.point for mean in figures.model_means(store, D, ReadingRules())] == [9.0, 9.0]
        assert len(figures.rankings(store, D, ReadingRules())) == 1
    assert spy.call_count == 0
    store.close()


def test_a_store_that_is_closed_meanwhile_ends_it_without_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    store = workspace(tmp_path)
    store.close()
    warm_up(store).join()
    assert failures == []
