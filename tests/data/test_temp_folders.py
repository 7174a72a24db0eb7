"""Folders for files that wait: they go with their use, and after a kill with the next use."""

import fcntl
import os
import shutil
import signal
import tempfile
from _thread import interrupt_main
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from data import temp_folders
from data.importing.staging import Spool
from data.temp_folders import folder_for


def test_what_a_killed_import_left_goes_with_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if not (child := os.fork()):
        with Spool() as spool, folder_for("copy") as copy:
            (copy / "rows.csv").write_text("of people")
            spool.open("rows").write(b"of people")
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    left = {folder.name.split("-")[1]: folder for folder in tmp_path.iterdir()}
    assert left.keys() == {"intake", "copy"} and (left["copy"] / "rows.csv").exists()
    with Spool() as first, Spool() as second:
        assert set(tmp_path.iterdir()) == {first.path, second.path, left["copy"]}, "of its own kind, and not in use"
    with folder_for("copy") as copy:
        assert list(tmp_path.iterdir()) == [copy]
    assert not list(tmp_path.iterdir())


def test_a_folder_can_be_made_beside_what_it_is_for_where_there_are_no_locks_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    for lock in (fcntl.flock, refuse):
        monkeypatch.setattr(fcntl, "flock", lock)
        with folder_for("copy", tmp_path) as one, folder_for("copy", tmp_path) as two:
            assert set(tmp_path.iterdir()) == {one, two}
        assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError), folder_for("copy", tmp_path / "none"):
        pass


@pytest.mark.parametrize(("module", "name"), [(tempfile, "mkdtemp"), (shutil, "rmtree")])
def test_an_interrupt_as_a_folder_is_made_or_cleared_away_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    real = getattr(module, name)

    def interrupt(*arguments: Any, **options: Any) -> Any:
        answer = real(*arguments, **options) if name == "mkdtemp" else None
        interrupt_main()
        return answer or real(*arguments, **options)

    monkeypatch.setattr(module, name, interrupt)
    with pytest.raises(KeyboardInterrupt), folder_for("copy", tmp_path) as folder:
        (folder / "rows.csv").touch()
    monkeypatch.undo()
    assert not list(tmp_path.iterdir())


def test_the_folders_of_a_process_go_by_their_kind_or_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temp_folders, "_made", {})
    one, two, three = folders = [temp_folders.folder(kind) for kind in ("one", "two", "three")]
    assert [temp_folders.folder(kind) for kind in ("one", "two", "three")] == folders
    assert set(tmp_path.iterdir()) == {one, two, three}
    temp_folders.remove("one", "three")
    assert list(tmp_path.iterdir()) == [two] and one != temp_folders.folder("one") != three
    temp_folders.remove()
    assert list(tmp_path.iterdir()) == []
