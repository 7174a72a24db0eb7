"""Folders for files that wait to be read or taken away: each goes with the process that made it, or with its use.

A process that was killed leaves its folder behind, and the lock in it open: the next one clears it away.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
import threading
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

from judges.process import delay_interrupts

_LOCK = "lock"
_one = threading.Lock()
_made: dict[str, tuple[Path, TextIOWrapper]] = {}


def folder(kind: str) -> Path:
    """The folder of this process for one kind of files."""
    with _one:
        if kind not in _made:
            _made[kind] = _make(kind)
        return _made[kind][0]


@contextlib.contextmanager
def folder_for(kind: str, place: Path | None = None) -> Iterator[Path]:
    """A new folder for one kind of files, which goes when the body ends.

    `place` is the folder that it is made in: for files that are too large for temporary ones, or are moved from there
    to a name beside it. Raises OSError.
    """
    folders = []
    try:
        with delay_interrupts():
            folders.append(_make(kind, place))
        yield folders[0][0]
    finally:
        with delay_interrupts():
            for path, lock in folders:
                shutil.rmtree(path, ignore_errors=True)
                lock.close()


def remove(*kinds: str) -> None:
    """Clear those of these kinds away, or all."""
    for kind in kinds or tuple(_made):
        path, lock = _made.pop(kind)
        shutil.rmtree(path, ignore_errors=True)
        lock.close()


def _make(kind: str, place: Path | None = None) -> tuple[Path, TextIOWrapper]:
    """A new folder, and the lock in it."""
    _clear(kind, place)
    new = Path(tempfile.mkdtemp(prefix=".assay-", dir=place))
    lock = (new / _LOCK).open("w")
    with contextlib.suppress(OSError):  # a file system without locks: nobody can clear it away there
        fcntl.flock(lock, fcntl.LOCK_EX)
    # Under its own name only with the lock: until then another process would clear it away.
    return new.rename(new.with_name(new.name.replace(".assay-", f"assay-{kind}-"))), lock


def _clear(kind: str, place: Path | None) -> None:
    """Clear away what killed processes have left."""
    for lock in (place or Path(tempfile.gettempdir())).glob(f"assay-{kind}-*/{_LOCK}"):
        with contextlib.suppress(OSError), lock.open("r+") as lock_file:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
