"""Uploads on their way to the disk: what there is no room for is not taken, and whoever operates Assay is told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from pages.server import uploads


class Record(NamedTuple):
    """A file as Streamlit keeps it."""

    data: bytes


def test_what_there_is_no_room_for_is_not_taken_and_all_else_is_left_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    held, removed = list[Any](), list[Any]()
    manager = SimpleNamespace(
        get_files=lambda session, names: [Record(b"texts")],
        add_file=lambda session, record: held.append((session, record)),
        remove_file=lambda session, name: removed.append((session, name)),
    )
    monkeypatch.setattr(uploads, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    monkeypatch.setattr(uploads, "folder", lambda kind: tmp_path / "gone" / kind)
    assert not uploads._keep("one", "a.jsonl")
    assert (held, removed) == ([], [("one", "a.jsonl")])
    [told] = [record.__dict__["facts"] for record in caplog.records if record.msg == "upload_not_kept"]
    assert told == {"folder": str(tmp_path / "gone" / "uploads"), "why": "FileNotFoundError: No such file or directory"}
    monkeypatch.setattr(uploads, "folder", lambda kind: tmp_path)
    assert uploads._keep("one", "a.jsonl")
    [(session, record)] = held
    assert session == "one" and (tmp_path / record.data.decode()).read_bytes() == b"texts"
