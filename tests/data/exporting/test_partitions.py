"""An export as a folder of Parquet files: all of it or nothing, held to its list when it is imported, file by file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.cli import main
from data.exporting import exporting, files
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.store import Store, open_store
from data.store.errors import BadInput
from tests import seeds

ITEMS = 23


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Dialogues with a judge's replies."""
    items = [seeds.dialogue(n) for n in range(1, ITEMS + 1)]
    judge = {"card": "multi_turn_dialogue", "model": "practice-m", "params": {}}
    replies = [{"item": item["id"], **judge, "reply": seeds.reply(item)} for item in items]
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, *replies])
    yield store
    store.close()


def export_folder(store: Store, folder: Path, kind: str = "dataset", format: Any = "parquet", rows: int = 10) -> int:
    of = datasets.dataset_named(store, "demo")
    return exporting.write_export(
        store, "lea", of, exporting.export_kind(kind), {}, format, folder, rows_per_file=rows
    ).lines


def test_files_hold_so_many_rows_and_the_list_says_which(store: Store, tmp_path: Path) -> None:
    lines = export_folder(store, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "_manifest.json").read_text())
    assert (manifest["kind"], manifest["dataset"], manifest["rows"]) == ("dataset", "demo", lines)
    assert manifest["revision"] < store.newest(), "who took it is a change after it"
    parts = {file["name"]: file["rows"] for file in manifest["files"]}
    assert [parts[f"1-items-0000{n}.parquet"] for n in range(3)] == [10, 10, 3]
    assert [parts[f"2-judgments-0000{n}.parquet"] for n in range(3)] == [10, 10, 3]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*parts, "_manifest.json"}
    for name, rows in parts.items():
        assert not name.endswith("parquet") or pq.read_metadata(tmp_path / "out" / name).num_rows == rows
    export_folder(store, tmp_path / "items", "items", rows=30)
    assert sorted(p.name for p in (tmp_path / "items").iterdir()) == ["1-items-00000.parquet", "_manifest.json"]
    for format, rows in (("csv", 10), ("parquet", -1)):
        with pytest.raises(BadInput, match="Only Parquet can be split into files of 1 or more rows"):
            export_folder(store, tmp_path / "no", "items", format, rows)


def test_each_sort_of_line_of_a_dataset_has_files_of_its_own(store: Store, tmp_path: Path) -> None:
    """Only what is no row of a table, as a card, stands in the head."""
    first, second = (f"d-000{n}" for n in (1, 2))
    cell = {"unit": "turn:1", "dimension": "helpfulness", "made_at": "2026-01-31T12:00:00Z"}
    labels = [{"annotator": person, "value": value, "mode": "blind"} for person, value in (("ann", 2), ("ben", 4))]
    rows = [
        {"item": first, **cell, "value": 3, "annotator": "ann", "mode": "blind"},
        {"item": second, **cell, "value": 3, "adjudicator": "cy", "labels": labels, "reason": "So.",
         "saw_judge": False},
    ]
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "more.jsonl", rows)), ImportPlan("demo"))
    export_folder(store, tmp_path / "out", rows=100)
    paths = {path.name: path for path in (tmp_path / "out").iterdir()}
    sizes = {name: pq.read_metadata(path).num_rows for name, path in paths.items() if name.endswith("parquet")}
    assert sizes == {
        "1-items-00000.parquet": ITEMS, "2-judgments-00000.parquet": ITEMS, "3-labels-00000.parquet": 1,
        "4-adjudications-00000.parquet": 1,
    }  # fmt: skip
    head = [json.loads(line) for line in paths["0-head.jsonl"].read_text().splitlines()]
    assert not [line for line in head if {"item", "kind", "decided"} & line.keys()]


def test_an_export_that_breaks_off_leaves_nothing(store: Store, tmp_path: Path) -> None:
    def breaks(rows: int) -> None:
        raise OSError("disk full")

    of, kind = datasets.dataset_named(store, "demo"), exporting.export_kind("judgments")
    before = set(tmp_path.iterdir())
    batch_size = files._BATCH
    files._BATCH = 10
    try:
        with pytest.raises(OSError, match="disk full"):
            exporting.write_export(store, "lea", of, kind, {}, "parquet", tmp_path / "out", breaks, 10)
    finally:
        files._BATCH = batch_size
    assert set(tmp_path.iterdir()) == before


def test_a_folder_is_held_to_its_list(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export_folder(store, folder)
    (folder / "notes.json").write_text("{}")
    assert from_path(folder).left_aside == ["notes.json"]
    part = folder / "2-judgments-00001.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-9] + b"x" + whole[-8:])
    with pytest.raises(BadInput, match=r"2-judgments-00001.parquet differs from what _manifest.json says"):
        from_path(folder)
    part.unlink()
    with pytest.raises(BadInput, match=r"2-judgments-00001.parquet is missing"):
        from_path(folder)
    for manifest in ('{"files": [{"name": "../a.duckdb", "bytes": 1, "sha256": ""}]}', "{", "[]", '{"files": [1]}'):
        (folder / "_manifest.json").write_text(manifest)
        wrong = r"_manifest.json cannot be read \((BadJson|TypeError)\)\. |out/a.duckdb is missing"
        with pytest.raises(BadInput, match=wrong):
            from_path(folder)


@pytest.mark.slow
def test_file_by_file_is_the_same_and_goes_on_where_it_was(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, path = tmp_path / "out", tmp_path / "b.duckdb"
    export_folder(store, folder)
    opened = open_store(f"duckdb:///{path}")
    people.join_workspace(opened, "lea")
    opened.close()
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{path}")
    command = ["import", str(folder), "--dataset", "demo", "--by-file"]
    assert main(command) == 0
    first = capsys.readouterr().out.splitlines()
    assert len(first) == 7 and first[1].startswith("1-items-00000.parquet: Added 10 items")
    assert main(command) == 0
    assert "10 were there already" in capsys.readouterr().out.splitlines()[1]
    for more in (["--dry-run"], ["--sampling", "random"]):
        assert main([*command, *more]) != 0
    copy = open_store(f"duckdb:///{path}")
    query = "select i.name, m.raw from judgment m join item i on i.id = m.item_id order by 1"
    assert store.rows(query) == copy.rows(query) and len(copy.rows(query)) == ITEMS
    done = import_source(copy, "lea", from_path(folder), ImportPlan("demo"))
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.known.total) == (0, 0, 2 * ITEMS + 1)
    copy.close()
