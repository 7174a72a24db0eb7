"""What a workspace begins with."""

from pathlib import Path

import pytest

from data import samples
from data.records import people
from data.records.access import find_person
from data.records.datasets import all_datasets
from data.records.names import SAMPLE_ACTOR
from data.store.errors import BadInput
from data.workspace.bootstrap import open_workspace


def test_whoever_brings_the_sample_is_nobody_who_works_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "SAMPLES", [sample for sample in samples.SAMPLES if sample.name == "short-answers"])
    store = open_workspace(f"duckdb:///{tmp_path / 'a.duckdb'}")
    assert [dataset.name for dataset in all_datasets(store)] == ["short-answers"] and all_datasets(store)[0].synthetic
    assert people.all_people(store) == [] and not find_person(store, SAMPLE_ACTOR).active
    drawn = store.rows("select stream, count(*) from draw group by stream order by stream")
    assert drawn[0] == ("audit", samples.SAMPLES[0].items // 2)
    assert people.join_workspace(store, "lea").role == "lead"
    store.close()
    store = open_workspace(f"duckdb:///{tmp_path / 'a.duckdb'}")
    assert store.rows("select stream, count(*) from draw group by stream order by stream") == drawn
    store.close()


def test_a_wish_for_samples_that_cannot_be_read_begins_no_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_SAMPLES", "false")
    with pytest.raises(BadInput, match=r"ASSAY_SAMPLES is 'false'\. It has to be 0 or 1"):
        open_workspace(f"duckdb:///{tmp_path / 'a.duckdb'}")
    assert not list(tmp_path.iterdir())
