"""What the store keeps: an answer is made again when a table is written that it was read from, so none is stale.

The figures are asked for on the sample workspace, and every query that they take is held beside DuckDB's plan of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data import samples
from data.annotators import annotators
from data.approvals import approvals, case, policy
from data.audits import audits
from data.calibration import (
    auto_accept,
    both_orders,
    calibration,
    confidence,
    means,
    rates,
    weakest_turns,
)
from data.dashboard import dashboard
from data.gold import disputes
from data.records import combinations, datasets, people, values
from data.records.tables import SettingRow
from data.reports import evidence
from data.reports.statistics import load_figures
from data.store import Store, Tx, cache_each, cache_result, compute_once, open_store
from data.store.base import tables_read
from data.store.duckdb_driver import DuckTables
from data.store.ids import new_id
from data.workspace import bootstrap
from tests import seeds


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"duckdb:///{tmp_path / 'kept.duckdb'}")
    yield store
    store.close()


@contextmanager
def workspace(folder: Path, *named: str) -> Iterator[Store]:
    """A new workspace with these datasets of the sample."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "SAMPLES", [sample for sample in samples.SAMPLES if sample.name in named])
        store = bootstrap.open_workspace(f"duckdb:///{folder / 'a.duckdb'}")
    yield store
    store.close()


@pytest.fixture(scope="module")
def workspace_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of dialogues, and pairs of long texts."""
    folder = tmp_path_factory.mktemp("made")
    with workspace(folder, "support-dialogues", "long-reports"):
        pass
    return folder / "a.duckdb"


@pytest.fixture
def sample(workspace_path: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of it."""
    seeds.copy_store(workspace_path, tmp_path / "a.duckdb")
    store = open_store(seeds.address(tmp_path / "a.duckdb"))
    yield store
    store.close()


def count(store: Store) -> int:
    return int(store.rows("select count(*) from setting_now")[0][0])


def put(store: Store, name: str) -> None:
    store.tx("lea", "set", lambda tx: tx.append([SettingRow(new_id(), "test", name, "1")]))


def add_person(store: Store) -> None:
    people.join_workspace(store, f"p{store.newest()}")


def test_an_answer_is_kept_until_a_table_is_written_that_it_was_read_from(small: Store) -> None:
    calls = []

    @cache_result
    def count_settings(store: Store, names: list[str]) -> int:
        calls.append(names)
        return count(store)

    assert count_settings(small, ["a"]) == count_settings(small, ["a"]) == 0 and len(calls) == 1
    assert count_settings(small, ["b"]) == 0 and len(calls) == 2  # other arguments are another key
    add_person(small)  # another table
    assert count_settings(small, ["a"]) == 0 and len(calls) == 2
    put(small, "x")  # the table behind the view
    assert count_settings(small, ["a"]) == 1 and len(calls) == 3


def test_what_is_kept_within_counts_for_what_is_kept_around_it(small: Store) -> None:
    inner = cache_result(count)

    @cache_result
    def outer(store: Store, times: int) -> int:
        return inner(store) * times

    assert inner(small) == 0  # so that `outer` finds it known, and reads nothing by itself
    assert outer(small, 2) == 0
    put(small, "x")
    assert outer(small, 2) == 2


def test_what_a_refusal_within_was_read_from_counts_for_what_is_kept_around_it(small: Store) -> None:
    @cache_result
    def inner(store: Store) -> int:
        if not count(store):
            raise LookupError
        return count(store)

    @cache_result
    def outer(store: Store) -> int | None:
        try:
            return inner(store)
        except LookupError:
            return None

    assert outer(small) is None
    put(small, "x")
    assert outer(small) == 1


def test_what_is_made_once_for_several_counts_for_each_of_them(small: Store) -> None:
    def ask() -> list[int]:
        base, counts = compute_once(lambda: count(small)), []
        for n in range(3):
            counts += cache_each(small, [("part", n)], lambda _, n=n: [base() + n])  # type: ignore[misc]
        return counts

    assert ask() == [0, 1, 2]
    put(small, "x")
    assert ask() == [1, 2, 3]


def test_of_several_only_those_are_made_that_are_not_known(small: Store) -> None:
    calls: list[list[int]] = []

    def ask(names: list[str]) -> list[int]:
        def make(places: Any) -> list[int]:
            calls.append(list(places))
            return [count(small) + n for n in places]

        return cache_each(small, [("several", name) for name in names], make)

    assert ask(["a", "b"]) == [0, 1] and ask(["c", "a", "b"]) == [0, 0, 1]
    assert calls == [[0, 1], [0]]


def test_within_a_change_nothing_is_kept_that_it_has_touched(small: Store) -> None:
    cached_count = cache_result(count)
    assert cached_count(small) == 0

    def work(tx: Any) -> None:
        assert cached_count(tx) == 0
        tx.append([SettingRow(new_id(), "test", "x", "1")])
        assert cached_count(tx) == 1 == cached_count(tx)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        small.tx("lea", "set", work)
    assert cached_count(small) == 0


def test_a_list_that_was_given_can_be_changed(small: Store) -> None:
    @cache_result
    def names(store: Store) -> list[str]:
        return [str(name) for (name,) in store.rows("select name from setting")]

    put(small, "x")
    names(small).append("mine")
    assert names(small) == ["x"]


def ask_all(store: Store) -> Iterator[tuple[str, Any]]:
    """Figures of every kind, of the first judge of each dataset."""
    yield "to decide", approvals.find_open_decisions(store)
    yield "combinations", combinations.describe_combinations(store)
    for dataset in datasets.all_datasets(store):
        dataset_id = dataset.id
        yield "cells", disputes.cells_to_adjudicate(store, dataset_id)
        yield "work", annotators.annotator_work(store, dataset_id)
        for dimension in list(annotators.labelled_dimensions(store, dataset_id).values())[:1]:
            yield "annotators", annotators.find_annotators(store, dataset_id, dimension, "blind")
            yield "second", annotators.estimate_dawid_skene(store, dataset_id, dimension, "blind")
        for judge in [row.id for row in datasets.dataset_judges(store, dataset_id)[:1]]:
            for dimension_case in case.cases(store, dataset_id, judge)[:1]:
                yield "facts", case.case_facts(store, dimension_case)
                yield "mark", case.seen_mark(store, dimension_case)
            yield "audits", audits.run_audits(store, dataset_id, judge)
            yield "turns", weakest_turns.compare_weakest_turns(store, dataset_id, judge, "blind")
            yield "means", means.overall_means(store, dataset_id, judge)
            yield "runs", dashboard.scoring_runs(store, dataset_id, judge)
            yield "unreadable", dashboard.unscored_shares(store, dataset_id, judge)
            yield "withheld", dashboard.withheld_dimensions(store, dataset_id, judge, [])
            yield "orders", both_orders.load_positional_agreement(store, dataset_id, judge)
            dimensions = calibration.compared_dimensions(store, judge)
            yield "sums", calibration.comparison_inputs(store, dataset_id, judge, dimensions, "blind")
            for dimension in dimensions[:1]:
                yield "labels", annotators.dimension_labels(store, dataset_id, dimension, "blind", judge)
                yield "sources", auto_accept.confidence_sources(store, dataset_id, judge, dimension)
                yield "rates", rates.corrected_means(store, dataset_id, judge, dimension, "blind")
                if dimension.scale.weights is not None:
                    yield "others", load_figures(store, "others", dataset_id, judge, dimension, "blind")


def plain_values(value: Any) -> Any:
    """A figure in values that can be compared and printed."""
    if isinstance(value, np.ndarray | np.generic):
        return plain_values(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain_values(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain_values(key)): plain_values(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [plain_values(entry) for entry in value]
    return repr(value)  # nan is equal to itself in words


def columns(store: Store, table: str) -> list[str]:
    rows = store.rows("select column_name from duckdb_columns() where table_name = $1", [table])
    return [str(name) for (name,) in rows if name != "seq"]


def change_labels(store: Store) -> None:
    """Everybody's labels of one item become 1."""
    new = {"id": "'n' || l.id", "value": "1", "replaces": "l.id"}
    names = columns(store, "label")
    select_list = ", ".join(f"{new.get(name, f'l.{name}')} as {name}" for name in names)
    first = "(select min(item_id) from label_now)"
    query = f"select {select_list} from label_now l where l.item_id = {first} and l.value <> 1"
    store.tx("lea", "save", lambda tx: tx.derive("label", ", ".join(names), query))


def exclude_items(store: Store) -> None:
    """One labelled item counts no longer; the rule of who may say so is not what is tried here."""
    names = columns(store, "item_use")
    expressions = {"id": "'u'", "dataset_id": "i.dataset_id", "item_id": "i.id", "tuning": "true", "person": "'lea'"}
    query = (
        f"select {', '.join(expressions.get(name, repr('a test')) + ' as ' + name for name in names)} from item i "
        "where i.id = (select min(item_id) from label_now)"
    )
    store.tx("lea", "exclude", lambda tx: tx.derive("item_use", ", ".join(names), query))


def change_gold_rule(store: Store) -> None:
    def work(tx: Tx) -> None:
        for dataset in datasets.all_datasets(store):
            values.put_setting(tx, dataset.id, "gold", {"apart": 0, "waiting": "out"})

    store.tx("lea", "set", work)


def change_scores(store: Store) -> None:
    """Every judge's scores of 2 for one item become 3."""
    names = columns(store, "score")
    select_list = ", ".join("s.value + 1 as value" if name == "value" else f"s.{name}" for name in names)
    query = f"select {select_list} from score s where s.value = 2 and s.item_id = (select min(item_id) from label_now)"
    store.tx("lea", "score", lambda tx: tx.derive("score", ", ".join(names), query))


CHANGES: list[Callable[[Store], None]] = [change_labels, exclude_items, change_gold_rule, change_scores, add_person]


class FigureReader:
    """A workspace, and its figures as they were computed last: one change follows the other."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.anew = self.ask()

    def ask(self) -> list[tuple[str, Any]]:
        return [(name, plain_values(figure)) for name, figure in ask_all(self.store)]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FigureReader]:
    """A dataset of the sample."""
    with workspace(tmp_path_factory.mktemp("asked"), "support-dialogues") as store:
        yield FigureReader(store)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: str(change.__name__))
def test_after_a_change_every_figure_is_as_if_nothing_was_kept(
    figures: FigureReader, change: Callable[[Store], None]
) -> None:
    before, store = figures.anew, figures.store
    revision = store.newest()
    change(store)
    assert store.newest() > revision
    kept_now = figures.ask()
    store.memory.clear()
    figures.anew = figures.ask()
    assert [name for name, _ in kept_now] == [name for name, _ in figures.anew]
    assert [a[0] for a, b in zip(kept_now, figures.anew, strict=True) if a != b] == []
    if change is not add_person:
        assert figures.anew != before


@pytest.mark.slow
def test_a_figure_is_the_same_to_the_last_digit_however_the_database_reads(sample: Store) -> None:
    """With several threads rows come in any order, and a sum of the same numbers in another order is another one."""
    assert isinstance(sample, DuckTables) and sample._con is not None
    sample._con.execute("set threads = 4")
    dataset = next(row.id for row in datasets.all_datasets(sample) if row.name == "support-dialogues")
    for judge in [row.id for row in datasets.dataset_judges(sample, dataset)[:1]]:
        dimensions = calibration.compared_dimensions(sample, judge)
        outputs = set()
        for _ in range(8):
            sample.memory.clear()
            outputs.add(
                str(
                    [
                        plain_values(confidence.confidence_reliability(sample, dataset, judge, d, "imported"))
                        for d in dimensions
                    ]
                )
            )
        assert len(outputs) == 1


@pytest.mark.slow
def test_the_tables_of_a_query_are_those_that_the_database_scans(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every query that the figures take; what a plan leaves out, as it is empty, need not be in it."""
    missed: dict[str, set[str]] = {}
    queries: set[str] = set()
    real = DuckTables._read

    def scanned_tables(node: Any) -> set[str]:
        tables = {str(node.get("extra_info", {}).get("Table", "")).rpartition(".")[2].strip('"')} - {""}
        return tables.union(*(scanned_tables(child) for child in node.get("children", [])))

    for method in ("rows", "frame", "stream"):
        own = getattr(DuckTables, method)

        def read(self: DuckTables, sql: str, params: Any = (), *more: Any, own: Any = own) -> Any:
            if sql not in queries:
                queries.add(sql)
                plan = real(self, lambda c: c.execute(f"explain (format json) {sql}", list(params)).fetchall())
                lacking = set().union(*(scanned_tables(root) for root in json.loads(plan[0][1]))) - tables_read(sql)
                if lacking - {"change", "migration"}:
                    missed[sql] = lacking
            return own(self, sql, params, *more)

        monkeypatch.setattr(DuckTables, method, read)
    sample.memory.clear()
    list(ask_all(sample))
    evidence.gather_report_evidence(sample, datasets.all_datasets(sample)[0].id, datasets.dataset_judges(
        sample, datasets.all_datasets(sample)[0].id)[0].id)  # fmt: skip
    policy.requirements(sample)
    assert len(queries) > 100 and missed == {}
