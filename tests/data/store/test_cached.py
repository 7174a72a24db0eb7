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
    other_metrics,
    rates,
    weakest_turns,
)
from data.dashboard import dashboard
from data.gold import disputes
from data.records import combinations, datasets, people, values
from data.records.tables import SettingRow
from data.reports import evidence
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
        patch.setattr(samples, "SAMPLES", [one for one in samples.SAMPLES if one.name in named])
        store = bootstrap.open_workspace(f"duckdb:///{folder / 'a.duckdb'}")
    yield store
    store.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of dialogues, and pairs of long texts."""
    folder = tmp_path_factory.mktemp("made")
    with workspace(folder, "support-dialogues", "long-reports"):
        pass
    return folder / "a.duckdb"


@pytest.fixture
def sample(made: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of it."""
    seeds.copy_store(made, tmp_path / "a.duckdb")
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
    made = []

    @cache_result
    def counted(store: Store, names: list[str]) -> int:
        made.append(names)
        return count(store)

    assert counted(small, ["a"]) == counted(small, ["a"]) == 0 and len(made) == 1
    assert counted(small, ["b"]) == 0 and len(made) == 2  # other arguments are another key
    add_person(small)  # another table
    assert counted(small, ["a"]) == 0 and len(made) == 2
    put(small, "x")  # the table behind the view
    assert counted(small, ["a"]) == 1 and len(made) == 3


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
        base, made = compute_once(lambda: count(small)), []
        for n in range(3):
            made += cache_each(small, [("part", n)], lambda _, n=n: [base() + n])  # type: ignore[misc]
        return made

    assert ask() == [0, 1, 2]
    put(small, "x")
    assert ask() == [1, 2, 3]


def test_of_several_only_those_are_made_that_are_not_known(small: Store) -> None:
    asked: list[list[int]] = []

    def ask(names: list[str]) -> list[int]:
        def make(places: Any) -> list[int]:
            asked.append(list(places))
            return [count(small) + n for n in places]

        return cache_each(small, [("several", name) for name in names], make)

    assert ask(["a", "b"]) == [0, 1] and ask(["c", "a", "b"]) == [0, 0, 1]
    assert asked == [[0, 1], [0]]


def test_within_a_change_nothing_is_kept_that_it_has_touched(small: Store) -> None:
    counted = cache_result(count)
    assert counted(small) == 0

    def work(tx: Any) -> None:
        assert counted(tx) == 0
        tx.append([SettingRow(new_id(), "test", "x", "1")])
        assert counted(tx) == 1 == counted(tx)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        small.tx("lea", "set", work)
    assert counted(small) == 0


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
        here = dataset.id
        yield "cells", disputes.cells_to_adjudicate(store, here)
        yield "work", annotators.annotator_work(store, here)
        for dimension in list(annotators.labelled_dimensions(store, here).values())[:1]:
            yield "annotators", annotators.find_annotators(store, here, dimension, "blind")
            yield "second", annotators.estimate_dawid_skene(store, here, dimension, "blind")
        for judge in [one.id for one in datasets.dataset_judges(store, here)[:1]]:
            for found in case.cases(store, here, judge)[:1]:
                yield "facts", case.case_facts(store, found)
                yield "mark", case.seen_mark(store, found)
            yield "audits", audits.run_audits(store, here, judge)
            yield "turns", weakest_turns.compare_weakest_turns(store, here, judge, "blind")
            yield "means", means.overall_means(store, here, judge)
            yield "runs", dashboard.scoring_runs(store, here, judge)
            yield "unreadable", dashboard.count_unscored_items(store, here, judge)
            yield "withheld", dashboard.withheld_dimensions(store, here, judge, [])
            yield "orders", both_orders.load_positional_agreement(store, here, judge)
            dimensions = calibration.compared_dimensions(store, judge)
            yield "sums", calibration.comparison_inputs(store, here, judge, dimensions, "blind")
            for dimension in dimensions[:1]:
                yield "labels", annotators.dimension_labels(store, here, dimension, "blind", judge)
                yield "sources", auto_accept.confidence_sources(store, here, judge, dimension)
                yield "rates", rates.corrected_means(store, here, judge, dimension, "blind")
                if dimension.scale.weights is not None:
                    yield "others", other_metrics.measure_other_metrics(store, here, judge, dimension, "blind")


def plain(value: Any) -> Any:
    """A figure in values that can be compared and printed."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [plain(one) for one in value]
    return repr(value)  # nan is equal to itself in words


def columns(store: Store, table: str) -> list[str]:
    held = store.rows("select column_name from duckdb_columns() where table_name = $1", [table])
    return [str(name) for (name,) in held if name != "seq"]


def change_labels(store: Store) -> None:
    """Everybody's labels of one item become 1."""
    new = {"id": "'n' || l.id", "value": "1", "replaces": "l.id"}
    names = columns(store, "label")
    given = ", ".join(f"{new.get(name, f'l.{name}')} as {name}" for name in names)
    first = "(select min(item_id) from label_now)"
    query = f"select {given} from label_now l where l.item_id = {first} and l.value <> 1"
    store.tx("lea", "save", lambda tx: tx.derive("label", ", ".join(names), query))


def exclude_items(store: Store) -> None:
    """One labelled item counts no longer; the rule of who may say so is not what is tried here."""
    names = columns(store, "item_use")
    given = {"id": "'u'", "dataset_id": "i.dataset_id", "item_id": "i.id", "tuning": "true", "person": "'lea'"}
    query = (
        f"select {', '.join(given.get(name, repr('a test')) + ' as ' + name for name in names)} from item i "
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
    given = ", ".join("s.value + 1 as value" if name == "value" else f"s.{name}" for name in names)
    query = f"select {given} from score s where s.value = 2 and s.item_id = (select min(item_id) from label_now)"
    store.tx("lea", "score", lambda tx: tx.derive("score", ", ".join(names), query))


CHANGES: list[Callable[[Store], None]] = [change_labels, exclude_items, change_gold_rule, change_scores, add_person]


class Asked:
    """A workspace, and its figures as they were computed last: one change follows the other."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.anew = self.ask()

    def ask(self) -> list[tuple[str, Any]]:
        return [(name, plain(one)) for name, one in ask_all(self.store)]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A dataset of the sample."""
    with workspace(tmp_path_factory.mktemp("asked"), "support-dialogues") as store:
        yield Asked(store)


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: str(one.__name__))
def test_after_a_change_every_figure_is_as_if_nothing_was_kept(asked: Asked, change: Callable[[Store], None]) -> None:
    before, store = asked.anew, asked.store
    revision = store.newest()
    change(store)
    assert store.newest() > revision
    kept_now = asked.ask()
    store.memory.clear()
    asked.anew = asked.ask()
    assert [name for name, _ in kept_now] == [name for name, _ in asked.anew]
    assert [a[0] for a, b in zip(kept_now, asked.anew, strict=True) if a != b] == []
    if change is not add_person:
        assert asked.anew != before


def test_a_figure_is_the_same_to_the_last_digit_however_the_database_reads(sample: Store) -> None:
    """With several threads rows come in any order, and a sum of the same numbers in another order is another one."""
    assert isinstance(sample, DuckTables) and sample._con is not None
    sample._con.execute("set threads = 4")
    dataset = next(one.id for one in datasets.all_datasets(sample) if one.name == "support-dialogues")
    for judge in [one.id for one in datasets.dataset_judges(sample, dataset)[:1]]:
        dimensions = calibration.compared_dimensions(sample, judge)
        found = set()
        for _ in range(8):
            sample.memory.clear()
            found.add(
                str(
                    [
                        plain(confidence.confidence_reliability(sample, dataset, judge, d, "imported"))
                        for d in dimensions
                    ]
                )
            )
        assert len(found) == 1


def test_the_tables_of_a_query_are_those_that_the_database_scans(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every query that the figures take; what a plan leaves out, as it is empty, need not be in it."""
    missed: dict[str, set[str]] = {}
    seen: set[str] = set()
    real = DuckTables._read

    def scanned(node: Any) -> set[str]:
        here = {str(node.get("extra_info", {}).get("Table", "")).rpartition(".")[2].strip('"')} - {""}
        return here.union(*(scanned(child) for child in node.get("children", [])))

    for method in ("rows", "frame", "stream"):
        own = getattr(DuckTables, method)

        def read(self: DuckTables, sql: str, params: Any = (), *more: Any, own: Any = own) -> Any:
            if sql not in seen:
                seen.add(sql)
                plan = real(self, lambda c: c.execute(f"explain (format json) {sql}", list(params)).fetchall())
                lacking = set().union(*(scanned(one) for one in json.loads(plan[0][1]))) - tables_read(sql)
                if lacking - {"change", "migration"}:
                    missed[sql] = lacking
            return own(self, sql, params, *more)

        monkeypatch.setattr(DuckTables, method, read)
    sample.memory.clear()
    list(ask_all(sample))
    evidence.gather_report_evidence(sample, datasets.all_datasets(sample)[0].id, datasets.dataset_judges(
        sample, datasets.all_datasets(sample)[0].id)[0].id)  # fmt: skip
    policy.requirements(sample)
    assert len(seen) > 100 and missed == {}
