"""The high-water mark: the number of the newest confirmed change, in a small fsynced file beside the store.

A damaged or deleted write-ahead log can let DuckDB open silently with rows missing; the mark remembers what was
confirmed. It is overwritten in place with one write of 32 bytes, so that a full disk cannot stop it.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

_LINE = re.compile(rb"(\d{20}) ([0-9a-f]{8})\n")


class Mark:
    """The file that holds the mark. `read` gives None where there is none, or none that can be believed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._last = -1

    def read(self) -> int | None:
        """The newest confirmed change."""
        try:
            found = _LINE.match(self.path.read_bytes())
        except OSError:
            return None
        if not found or f"{zlib.crc32(found[1]):08x}".encode() != found[2]:
            return None
        return int(found[1])

    def write(self, number: int) -> None:
        """Raise the mark and wait until it is on the disk. One that lags behind is harmless, so this never raises."""
        if number == self._last:
            return
        digits = f"{number:020d}".encode()
        try:
            if self._fd is None:
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            os.pwrite(self._fd, digits + f" {zlib.crc32(digits):08x}\n".encode(), 0)
            os.fdatasync(self._fd) if hasattr(os, "fdatasync") else os.fsync(self._fd)
            self._last = number
        except OSError:
            self._last = -1

    def close(self) -> None:
        """Let go of the file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
