"""The high-water mark: the number of the newest confirmed change, in a small fsynced file beside the store.

A damaged or deleted write-ahead log can let DuckDB open silently with rows missing; the mark remembers what was
confirmed, and a digest of that change, which distinguishes this store's files from others'. It is made whole under
another name, then overwritten in place with one write of 47 bytes: neither a full disk nor a power cut leaves half a
mark.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from data.store.ids import content_id

_LINE = re.compile(rb"(\d{20}(?: [0-9a-f]{16})?) ([0-9a-f]{8})\n")
_UNKNOWN = "0" * 16
"""In the place of a digest: of no change yet. Marks of older versions have none at all."""


CHANGE = "select made_at, actor, action, target from change where seq + 0 = $1"
"""The changes of a number, past the index: a log of another store is replayed into the table past its primary key."""


class Mark:
    """The file that holds the mark."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._last = b""

    def entry(self) -> tuple[int, str] | None:
        """The newest confirmed change with its digest ("" where the mark has none); None where there is no mark.

        Raises ValueError for one that is damaged.
        """
        try:
            match = _LINE.fullmatch(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ValueError(error.strerror) from None
        if not match or f"{zlib.crc32(match[1]):08x}".encode() != match[2]:
            raise ValueError("it is damaged")
        number, _, digest = match[1].decode().partition(" ")
        return int(number), "" if digest == _UNKNOWN else digest

    def entry_or_fault(self) -> tuple[tuple[int, str] | None, str]:
        """The same, and why it cannot be read ("" where it can)."""
        try:
            return self.entry(), ""
        except ValueError as error:
            return None, str(error)

    def make(self, number: int, digest: str = "") -> None:
        """Put a new mark in the place of what is there, and wait until it is on the disk. Raises OSError."""
        part = self.path.with_name(self.path.name + ".making")
        try:
            with part.open("wb") as file:
                file.write(_line(number, digest))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.path)
        finally:
            with contextlib.suppress(OSError):
                part.unlink()

    def hold(self) -> None:
        """Take hold of the mark that is there. Raises OSError where it could not be raised later."""
        self._fd = os.open(self.path, os.O_RDWR)

    def write(self, number: int, digest: str) -> None:
        """Raise the mark and wait until it is on the disk. One that lags behind is harmless, so this never raises."""
        line = _line(number, digest)
        if line == self._last:
            return
        try:
            if self._fd is None:
                self.hold()
            assert self._fd is not None
            os.pwrite(self._fd, line, 0)
            os.fdatasync(self._fd) if hasattr(os, "fdatasync") else os.fsync(self._fd)
            self._last = line
        except OSError:
            self._last = b""

    def close(self) -> None:
        """Let go of the file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def change_digest(row: Iterable[Any]) -> str:
    """Return the digest that tells a change from one of another store: it is of its columns without its number."""
    return content_id(*map(str, row))[:16]


def digest(rows: Sequence[Sequence[Any]]) -> str:
    """The same of what `CHANGE` finds; "" where there is not just one change of that number."""
    return change_digest(rows[0]) if len(rows) == 1 else ""


def _line(number: int, digest: str) -> bytes:
    content = f"{number:020d} {digest or _UNKNOWN}".encode()
    return content + f" {zlib.crc32(content):08x}\n".encode()
