"""Guidelines of a dataset: versions by leads, what holds, what the audit log says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.exporting.kind import complete_options
from data.exporting.kinds.dataset import KIND as kind
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import guidelines
from data.records.datasets import dataset_named
from data.store import Store
from data.store.errors import BadInput, NotAllowed
from data.trail import trail
from data.trail.trail import TrailFilter
from data.workspace.verify import verify
from tests import seeds


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(1)], review=False)


def test_versions_are_kept_and_the_newest_holds_until_it_is_withdrawn(store: Store) -> None:
    demo = dataset_named(store, "demo").id
    assert guidelines.current_guidelines(store, demo) is None and guidelines.guidelines_history(store, demo) == []
    assert guidelines.write_guidelines(store, "lea", demo, "  # 敬語 \r\nRate **each** turn.  ") == 1
    assert guidelines.write_guidelines(store, "lea", demo, "# 敬語\nRate **each** turn.\n") == 1, "nothing changed"
    assert guidelines.write_guidelines(store, "lea", demo, "Shorter") == 2
    current = guidelines.current_guidelines(store, demo)
    assert current is not None and (current.number, current.text, current.person) == (2, "Shorter", "lea")
    assert [v.text for v in guidelines.guidelines_history(store, demo)] == ["Shorter", "# 敬語\nRate **each** turn."]
    assert guidelines.write_guidelines(store, "lea", demo, "Shorter\0\ud83d") == 3, "what no database takes is replaced"
    assert guidelines.write_guidelines(store, "lea", demo, "Shorter") == 4
    assert (
        guidelines.write_guidelines(store, "lea", demo, " ") == 5 and guidelines.current_guidelines(store, demo) is None
    )
    entries = [
        e.description for e in trail.trail_entries(store, TrailFilter(("settings",))) if "guidelines" in e.description
    ]
    assert entries == [
        "withdrew the guidelines: version 5, 0 characters",
        "wrote the guidelines: version 4, 7 characters",
        "wrote the guidelines: version 3, 9 characters",
        "wrote the guidelines: version 2, 7 characters",
        "wrote the guidelines: version 1, 24 characters",
    ]
    assert verify(store) == []


def test_only_leads_write_and_no_more_than_every_browser_can_be_sent(store: Store) -> None:
    demo = dataset_named(store, "demo").id
    with pytest.raises(NotAllowed):
        guidelines.write_guidelines(store, "ann", demo, "x")
    with pytest.raises(BadInput, match="20,001 characters"):
        guidelines.write_guidelines(store, "lea", demo, "x" * 20_001)
    assert guidelines.guidelines_history(store, demo) == []


def test_they_travel_with_the_dataset_and_a_lead_brings_them_in(store: Store, tmp_path: Path) -> None:
    dataset = dataset_named(store, "demo")
    guidelines.write_guidelines(store, "lea", dataset.id, "# 敬語\nRate each turn.")
    rows = [*kind.rows(store, dataset, complete_options(store, dataset.id, kind, {}))]
    assert len(rows) == kind.count(store, dataset, {})
    other = seeds.workspace(tmp_path / "b.duckdb", rows, review=False)
    current = guidelines.current_guidelines(other, dataset.id)
    assert current is not None and (current.text, current.number) == ("# 敬語\nRate each turn.", 1)
    guidelines.write_guidelines(other, "lea", dataset.id, "Ours")
    again = seeds.lines(tmp_path / "again.jsonl", rows)
    result = import_source(other, "lea", from_path(again), ImportPlan(dataset="demo"))
    assert [w for w in result.preview.warnings if "guidelines" in w] and guidelines.current_guidelines(
        other, dataset.id
    ) != current
