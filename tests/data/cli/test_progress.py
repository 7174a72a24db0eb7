"""`python -m data progress`: everybody's progress as a table and as CSV, for researchers and leads."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from data.assignments.progress import COLUMNS
from data.cli import main
from data.records import people
from tests.data.assignments.test_assignments import give, workspace


def test_progress_as_a_table_and_as_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, dataset = workspace(tmp_path / "a.duckdb")
    people.set_person(store, "lea", "+SUM(A1)", "annotator")
    give(store, dataset, people=("+SUM(A1)",))
    store.close()
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/a.duckdb")
    assert main(["progress", "--dataset", "demo"]) == 0
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.startswith("person") and "state" in head and first.split()[:4] == ["+SUM(A1)", "not", "begun", "12"]
    assert main(["progress", "--dataset", "demo", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == list(COLUMNS) and rows[0]["person"] == "'+SUM(A1)", "no spreadsheet runs a name"
    assert main(["progress", "--dataset", "demo", "--as", "ann"]) == 1
