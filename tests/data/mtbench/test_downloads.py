"""Files of MT-Bench to take away: whole, and nobody is shown an answer's judgments without a record of it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench.downloads import zipped_fastchat, zipped_tables
from data.mtbench.mtbench import load_bench
from data.records import people
from data.store import Store
from data.store.errors import NotAllowed
from data.store.ids import content_id
from judges.mtbench.protocol import protocols
from tests.data.imports import workspace
from tests.data.mtbench.test_mtbench import FILES, D, bring, rating_row


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two judges that are the same model, one question rated by both; and ann, an annotator."""
    opened = workspace(tmp_path)
    of_y = [rating_row("[[4]]", 4, judge=["gpt-x", "other-v1"])]
    bring(opened, {
        **FILES, "gpt-x_single.jsonl": [rating_row("[[9]]", 9), rating_row("[[3]]", 3, turn=2)], "y_single.jsonl": of_y,
    })  # fmt: skip
    people.join_workspace(opened, "ann")
    return opened


def test_every_table_is_a_file_with_judges_by_name_and_no_single_answer(store: Store) -> None:
    archive = zipfile.ZipFile(io.BytesIO(zipped_tables(store, D, protocols()["fastchat"], "csv")))
    assert {"means.csv", "categories.csv", "rules.csv", "judges.csv", "agreement.csv"} <= set(archive.namelist())
    lines = archive.read("means.csv").decode().splitlines()
    assert any(line.startswith("gpt-x · single-v1,m/one,") and ",6.0," in line for line in lines), lines
    heads = [archive.read(name).decode().partition("\n")[0].split(",") for name in archive.namelist()]
    assert not any("question" in head or "text" in head for head in heads)
    assert store.rows("select count(*) from exposure") == [(0,)]
    columnar = zipfile.ZipFile(io.BytesIO(zipped_tables(store, D, protocols()["fastchat"], "parquet")))
    assert columnar.read("means.parquet")[:4] == b"PAR1"


def test_fastchats_files_come_in_again_unchanged_and_are_on_record(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed):
        zipped_fastchat(store, "ann", D)
    folder = tmp_path / "out"
    zipfile.ZipFile(io.BytesIO(zipped_fastchat(store, "lea", D))).extractall(folder)
    rows = [json.loads(line) for line in (folder / "model_judgment/gpt-x_single.jsonl").read_text("utf-8").splitlines()]
    assert sorted((row["judge"][1], row["turn"], row["score"]) for row in rows) == [
        ("other-v1", 1, 4), ("single-v1", 1, 9), ("single-v1-multi-turn", 2, 3),
    ]  # fmt: skip
    exposures = store.rows("select count(distinct item_id), count(distinct judge_id), min(person) from exposure")
    assert exposures == [(1, 2, "lea")]
    import_source(store, "lea", from_path(folder), ImportPlan("again", sampling="all"))
    original, again = load_bench(store, D), load_bench(store, content_id("dataset", "again"))
    assert (original.questions, original.answers, original.ratings) == (again.questions, again.answers, again.ratings)
