"""Files, and folders of them, that are written whole or not at all."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from judges.whole_file import check_place, whole_folder, write_whole


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


def test_a_folder_is_written_whole_and_an_empty_one_stays_itself(tmp_path: Path) -> None:
    """An empty one may be mounted, so that it cannot be replaced."""
    (tmp_path / "empty").mkdir()
    for name in ("empty", "new"):
        before = (tmp_path / "empty").stat().st_ino
        with pytest.raises(OSError, match="No space"), whole_folder(tmp_path / name) as folder:
            (folder / "a").write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")
        assert [path.name for path in tmp_path.rglob("*")] == ["empty"]
        with whole_folder(tmp_path / name) as folder:
            (folder / "a").write_text("whole")
            (folder / "b").mkdir()
            assert not (tmp_path / name / "a").exists()
        assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["a", "b"]
        assert (tmp_path / "empty").stat().st_ino == before
        shutil.rmtree(tmp_path / name)
        (tmp_path / "empty").mkdir(exist_ok=True)
    (tmp_path / "full" / "c").mkdir(parents=True)
    with pytest.raises(OSError, match="not empty"), whole_folder(tmp_path / "full") as folder:
        (folder / "a").write_text("new")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["c", "empty", "full"]
