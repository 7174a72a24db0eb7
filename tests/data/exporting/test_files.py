"""Exports opened with `datasets`, the library with which people train on them: same rows, same types, in every format.

TRL is not asked itself; what it asks of a preference and of a chat is held here: keys, roles, order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.adjudication.adjudication import adjudicate
from data.exporting import exporting
from data.exporting.files import FORMATS
from data.gold import disputes, excluded_items
from data.records import datasets as ours
from data.records.settings import GoldRule, set_gold_rule
from data.store import Store
from tests import seeds
from tests.data.exporting.test_exporting import answer, demo, rows, workspace

NAME = {"jsonl": "json", "csv": "csv", "parquet": "parquet"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The workspace of the other tests with a better turn, and one dialogue corrected outside of the audit sample."""
    store = workspace(tmp_path_factory.mktemp("reads"))
    drawn = excluded_items.audit_sample_items(store, demo(store).id)
    [free, *_] = [str(r[0]) for r in store.rows("select id from item where kind = 'dialogue'") if r[0] not in drawn]
    answer(store, "ann", free, 4.0, repairs=[{"unit": "turn:2", "text": "=HYPERLINK(1)\n返金します。"}])
    set_gold_rule(store, "lea", demo(store).id, GoldRule("median", 1))
    cell = disputes.cells_to_adjudicate(store, demo(store).id)[0]
    adjudicate(store, "rex", "decision", cell.item, cell.unit, cell.dimension, 1, "返金は済んだ。", cell.token)
    yield store
    store.close()


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """load_dataset, which never leaves this machine and keeps what it caches in a folder of the tests."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
            patch.setenv(name, "1")
        patch.setenv("HF_HOME", str(cache))
        import datasets

        datasets.disable_progress_bars()

        def read(file: Path) -> Any:
            kind = NAME[file.suffix.removeprefix(".")]
            return datasets.load_dataset(kind, data_files=str(file), split="train", cache_dir=str(cache))

        yield read


@pytest.mark.slow
@pytest.mark.parametrize("kind", [k for k in exporting.export_kinds() if k not in ("dataset", "preference_pairs")])
def test_every_kind_is_read_as_it_was_written(store: Store, load: Any, tmp_path: Path, kind: str) -> None:
    from datasets import Features

    options = {"card": "multi_turn_dialogue"} if kind == "examples" else {"least": "poor"} if kind == "chats" else {}
    export, wrote = exporting.export_kind(kind), rows(store, kind, **options)
    assert wrote, f"the workspace of `store` above has nothing of the kind {kind}: give it a row"
    for format in FORMATS:
        file = tmp_path / f"{kind}.{format}"
        summary = exporting.write_export(store, "rex", demo(store), export, options, format, file)
        read = load(file)
        assert len(read) == summary.lines == len(wrote)
        if format == "parquet":
            assert read.features == Features.from_arrow_schema(export.columns)
            assert read.column_names == export.columns.names
            assert [_clean_row(row) for row in read] == [
                _clean_row(_fill_columns(row, export.columns.names)) for row in wrote
            ]
        elif format == "jsonl":
            assert [_clean_row(row) for row in read] == [_clean_row(row) for row in wrote]
        else:
            assert read.column_names == export.columns.names


def _fill_columns(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: row.get(name) for name in names}


def _clean_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what is empty; nested text of Parquet as what it says."""
    fields = {}
    for name, value in row.items():
        if name in ("meta", "params", "fields", "reply", "content", "sections", "labels") and isinstance(value, str):
            value = json.loads(value)
        value = _full(value)
        if value not in (None, {}, []):
            fields[name] = value
    return fields


def _full(value: Any) -> Any:
    """Without the keys that a library adds to objects because others have them."""
    if isinstance(value, dict):
        return {k: _full(v) for k, v in value.items() if v is not None}
    return [_full(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("kind", "name"), [("preference_turns", "demo"), ("preference_pairs", "pairs")])
def test_preferences_have_the_conversational_form_of_trl(
    store: Store, load: Any, tmp_path: Path, kind: str, name: str
) -> None:
    file = tmp_path / "p.jsonl"
    exporting.write_export(
        store, "rex", ours.dataset_named(store, name), exporting.export_kind(kind), {}, "jsonl", file
    )
    preferences = list(load(file))
    assert preferences
    for row in preferences:
        for part in ("prompt", "chosen", "rejected"):
            assert all(set(m) == {"role", "content"} and m["content"].strip() for m in row[part])
        assert row["prompt"][-1]["role"] == "user"
        assert [m["role"] for m in row["chosen"]] == [m["role"] for m in row["rejected"]] == ["assistant"]
        assert row["chosen"] != row["rejected"]
        roles = [m["role"] for m in row["prompt"]]
        assert all(a != b for a, b in pairwise(roles)), "user and assistant take turns"


def test_the_line_that_the_page_shows_reads_the_file(store: Store, load: Any, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    exporting.write_export(store, "rex", demo(store), exporting.export_kind("labels"), {}, "csv", file)
    names: dict[str, Any] = {}
    before = Path.cwd()
    try:
        os.chdir(tmp_path)
        exec(exporting.loading_code("csv", file.name), names)
    finally:
        os.chdir(before)
    assert names["rows"].num_rows == len(rows(store, "labels"))


def test_an_empty_export_is_a_parquet_file_with_its_columns(tmp_path: Path) -> None:
    store = seeds.workspace(tmp_path / "e.duckdb", [seeds.dialogue(1)], review=False)
    file = tmp_path / "none.parquet"
    exporting.write_export(store, "lea", demo(store), exporting.export_kind("preference_turns"), {}, "parquet", file)
    # `datasets` refuses any split without rows, so pyarrow reads this one.
    read = pq.read_table(file)
    assert (read.num_rows, read.schema) == (0, exporting.export_kind("preference_turns").columns)
    store.close()
