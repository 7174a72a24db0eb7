"""A file that is written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_place(path: Path) -> None:
    """Raises OSError where no file can be written: to be asked before what takes long to make."""
    for fits, code in ((not path.is_dir(), errno.EISDIR), (path.parent.is_dir(), errno.ENOENT)):
        if not fits:
            raise OSError(code, os.strerror(code))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, which gets its name once all of it is written: until then, and where that fails, the old one stays.

    What is no plain file, as a pipe, is written as it is. Raises OSError.
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
