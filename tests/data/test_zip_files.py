"""Equal files give equal bytes, whenever they are packed, and every tool opens them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from data.zip_files import zip_bytes

FILES: list[tuple[str, str | bytes]] = [("b/対話.csv", "x,é\n"), ("a.bin", b"\0\xff"), ("empty.txt", "")]


def test_what_is_packed_comes_out_again() -> None:
    with zipfile.ZipFile(io.BytesIO(zip_bytes(FILES))) as archive:
        assert archive.testzip() is None
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o644}, "everybody may read them"
    assert entries == [(path, text.encode() if isinstance(text, str) else text) for path, text in FILES]
    assert zipfile.ZipFile(io.BytesIO(zip_bytes([]))).namelist() == []


def test_the_time_of_packing_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = zip_bytes(FILES)

    def later(*_: Any) -> tuple[int, ...]:
        return (2099, 12, 31, 23, 59, 58, 3, 365, 0)

    monkeypatch.setattr("zipfile.time.localtime", later)
    assert zip_bytes(iter(FILES)) == before
