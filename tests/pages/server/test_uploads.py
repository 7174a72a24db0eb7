"""Uploads on their way to the disk: what there is no room for is not taken, and whoever operates Assay is told."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from pages.server import uploads


class Record(NamedTuple):
    """A file as Streamlit keeps it."""

    data: bytes


def test_a_file_may_be_fetched_while_another_upload_is_weighed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two researchers at one time: that one fetches a file must not end the upload of the other."""
    (tmp_path / "a").touch()

    class Slow:
        """A file whose size comes while a page takes it."""

        def stat(self) -> Any:
            fetching.start()
            time.sleep(0.2)
            return (tmp_path / "a").stat()

        def unlink(self, missing_ok: bool = False) -> None:
            """Nothing is there to remove."""

    fetching = threading.Thread(target=uploads._UploadedFile, args=("a.jsonl", b"a"))
    manager = SimpleNamespace(get_files=lambda session, names: [])
    monkeypatch.setattr(uploads, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    monkeypatch.setattr(uploads, "_waiting", {"a": Slow(), "b": tmp_path / "a"})
    assert uploads._keep("one", "b.jsonl")
    fetching.join()
    assert list(uploads._waiting) == ["b"]


def test_what_there_is_no_room_for_is_not_taken_and_all_else_is_left_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    added, removed = list[Any](), list[Any]()
    manager = SimpleNamespace(
        get_files=lambda session, names: [Record(b"texts")],
        add_file=lambda session, record: added.append((session, record)),
        remove_file=lambda session, name: removed.append((session, name)),
    )
    monkeypatch.setattr(uploads, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    monkeypatch.setattr(uploads, "folder", lambda kind: tmp_path / "gone" / kind)
    assert not uploads._keep("one", "a.jsonl")
    assert (added, removed) == ([], [("one", "a.jsonl")])
    [facts] = [record.__dict__["facts"] for record in caplog.records if record.msg == "upload_not_kept"]
    assert facts == {
        "folder": str(tmp_path / "gone" / "uploads"),
        "why": "FileNotFoundError: No such file or directory",
    }
    monkeypatch.setattr(uploads, "folder", lambda kind: tmp_path)
    assert uploads._keep("one", "a.jsonl")
    [(session, record)] = added
    assert session == "one" and (tmp_path / record.data.decode()).read_bytes() == b"texts"
