"""A file, or a folder of files, that is written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def check_place(path: Path) -> None:
    """Raise OSError if no file can be written there; call it before a long computation."""
    for fits, code in ((not path.is_dir(), errno.EISDIR), (path.parent.is_dir(), errno.ENOENT)):
        if not fits:
            raise OSError(code, os.strerror(code))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, which gets its name once all of it is written: until then, and where that fails, the old one stays.

    A path that is not a regular file, such as a pipe, is written directly. Raises OSError.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = path.resolve()
    part = target.with_name(f"{target.name}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder to write into, which gets the path as its name when the body ends, or goes where that fails.

    Only an empty folder may be there already: it stays, as it may be a mounted one, and the files are moved into it.
    Raises OSError.
    """
    target = path.resolve()
    stays = target.is_dir() and not any(target.iterdir())
    part = (target if stays else target.parent) / f".{target.name}.{os.getpid()}"
    part.mkdir(parents=True)
    try:
        yield part
        if stays:
            for entry in part.iterdir():
                entry.rename(target / entry.name)
        else:
            part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
