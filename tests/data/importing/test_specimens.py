"""The examples on the import page are files that the import reads, each as what it is said to be."""

from __future__ import annotations

from pathlib import Path

from data.importing import Plan, detect, from_bytes, preview, start
from data.importing.specimens import SPECIMENS
from tests.data.imports import workspace


def test_every_example_can_be_imported(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    for one in SPECIMENS:
        source = from_bytes([(name, text.encode()) for name, text in one.files.items()])
        found = detect(source)
        made = preview(store, source, start.plan(store, start.understood(store, source, found), Plan(one.title)))
        assert made.ok and not made.unscored, (one.title, made.problems)
        assert made.new.items and (one.title not in ("Judgments", "Table of scores") or made.new.judgments), one.title
        assert one.title not in ("People's labels", "Table of scores") or made.new.labels
    store.close()
