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
    for example in FILE_EXAMPLES:
        source = from_bytes([(name, text.encode()) for name, text in example.files.items()])
        detected = detect_formats(source)
        preview = preview_import(
            store,
            source,
            start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan(example.title)),
        )
        assert preview.ok and not preview.unscored, (example.title, preview.problems)
        assert preview.new.items and (
            example.title not in ("Judgments", "Table of scores") or preview.new.judgments
        ), example.title
        assert example.title not in ("People's labels", "Table of scores") or preview.new.labels
    store.close()
