"""The examples on the import page are files that the import reads, each as what it is said to be."""

from __future__ import annotations

from pathlib import Path

from data.importing import start
from data.importing.file_examples import FILE_EXAMPLES
from data.importing.files.source import from_bytes
from data.importing.importing import detect_formats, preview_import
from data.importing.plan import ImportPlan
from tests.data.imports import workspace


def test_every_example_can_be_imported(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    for one in FILE_EXAMPLES:
        source = from_bytes([(name, text.encode()) for name, text in one.files.items()])
        found = detect_formats(source)
        made = preview_import(
            store, source, start.plan_import(store, start.interpret_source(store, source, found), ImportPlan(one.title))
        )
        assert made.ok and not made.unscored, (one.title, made.problems)
        assert made.new.items and (one.title not in ("Judgments", "Table of scores") or made.new.judgments), one.title
        assert one.title not in ("People's labels", "Table of scores") or made.new.labels
    store.close()
