"""A progress bar on a terminal; silence where the output is no terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

_WIDTH = 24
_PAUSE = 0.1
_COLUMNS = 110


class Bar:
    """Call it with (done, in all, things): bytes and lines of a file, or calls of a run; `unit` names the things.

    Use it in a `with`, so that the line is cleared at the end. `began` things were there before it was made.
    """

    def __init__(self, out: TextIO | None = None, unit: str = "lines", began: int = 0) -> None:
        self._out = sys.stderr if out is None else out
        self._shown, self._unit, self._before = self._out.isatty(), unit, began
        self._began, self._last = time.monotonic(), 0.0

    def __call__(self, done: int, total: int, things: int, more: str = "") -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < _PAUSE:
            return
        self._last = now
        share = min(done / total, 1.0) if total else 1.0
        full = round(share * _WIDTH)
        rate = (things - self._before) / max(now - self._began, 1e-3)
        text = (
            f"[{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%}  {things:,} {self._unit}  {rate:,.0f} a second{more}"
        )
        self._out.write(f"\r{text[:_COLUMNS]:{_COLUMNS}}")
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
            self._out.write("\r" + " " * _COLUMNS + "\r")
            self._out.flush()
