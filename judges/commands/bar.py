"""A progress bar on a terminal; silence where the output is no terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

_WIDTH = 24
_PAUSE = 0.1


class Bar:
    """Call it with (bytes done, bytes in all, lines); use it in a `with`, so that the line is cleared at the end."""

    def __init__(self, out: TextIO = sys.stderr) -> None:
        self._out, self._shown = out, out.isatty()
        self._began, self._last = time.monotonic(), 0.0

    def __call__(self, done: int, total: int, lines: int) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < _PAUSE:
            return
        self._last = now
        share = min(done / total, 1.0) if total else 1.0
        full = round(share * _WIDTH)
        rate = lines / max(now - self._began, 1e-3)
        self._out.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%}  {lines:,} lines  {rate:,.0f} a second ")
        self._out.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar off the screen."""
        if self._shown:
            self._out.write("\r" + " " * 78 + "\r")
            self._out.flush()
