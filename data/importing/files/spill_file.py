"""Texts and objects that wait on the disk until they are asked for: what an import holds may be larger than memory."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Hashable
from typing import Any, BinaryIO


class SpillFile:
    """Texts or objects by key, in a temporary file; in memory stay the keys and their places."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._file = file or tempfile.TemporaryFile()  # noqa: SIM115
        self._places: dict[Hashable, tuple[int, int]] = {}
        self._end = 0
        self._is_at_end = False

    def close(self) -> None:
        """Forget everything."""
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def put_bytes(self, key: Hashable, data: bytes) -> None:
        """Put a text under a key; an earlier one is forgotten."""
        if not self._is_at_end:
            self._file.seek(self._end)
            self._is_at_end = True
        self._file.write(data)
        self._places[key] = (self._end, len(data))
        self._end += len(data)

    def get_bytes(self, key: Hashable) -> bytes:
        """The text under a key. Raises KeyError."""
        start, size = self._places[key]
        self._is_at_end = False
        self._file.seek(start)
        return self._file.read(size)

    def put_object(self, key: Hashable, value: Any) -> None:
        """Put any object under a key."""
        self.put_bytes(key, pickle.dumps(value))

    def get_object(self, key: Hashable) -> Any:
        """The object under a key. Raises KeyError."""
        return pickle.loads(self.get_bytes(key))
