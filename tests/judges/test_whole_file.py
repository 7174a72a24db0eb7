"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from judges.whole_file import check_place, write_whole


def test_what_cannot_be_written_whole_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, link = tmp_path / "a.html", tmp_path / "link.html"
    write_whole(file, b"old")
    link.symlink_to(file)
    write_whole(link, b"newer")
    assert link.is_symlink() and file.read_bytes() == b"newer"
    whole = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        whole(path, content[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    for path in (file, tmp_path / "b.html"):
        with pytest.raises(OSError, match="No space"):
            write_whole(path, b"newest")
    assert file.read_bytes() == b"newer" and sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "link.html"]


def test_where_no_file_can_be_written_is_known_before_it_is_made(tmp_path: Path) -> None:
    check_place(tmp_path / "new.html")
    check_place(Path("/dev/null"))
    for path in (tmp_path, tmp_path / "no" / "new.html"):
        with pytest.raises(OSError, match=r"directory"):
            check_place(path)


def test_what_is_no_plain_file_is_written_as_it_is() -> None:
    write_whole(Path("/dev/null"), b"x")
    assert not Path("/dev/null").is_file()
