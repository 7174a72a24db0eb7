"""A progress bar on a terminal; silence where the output is no terminal."""

from __future__ import annotations

import sys
import time
from shutil import get_terminal_size
from threading import RLock
from typing import Self, TextIO

from tqdm import tqdm

tqdm.set_lock(RLock())  # its own lock is one among processes, and takes a semaphore of the system


class Bar:
    """Call it with (done, total, things): bytes and lines of a file, or calls of a run; `unit` names the things.

    Use it in a `with`, so that the line is cleared at the end. `began` things were done before it was made.
    """

    def __init__(self, out: TextIO | None = None, unit: str = "lines", began: int = 0) -> None:
        self._unit, self._before, self._began = unit, began, time.monotonic()
        columns, rows = get_terminal_size((110, 24))  # tqdm draws nothing where a terminal does not know its size
        self._bar = tqdm(
            file=out or sys.stderr, disable=None, leave=False, delay=1e-9, miniters=0, ascii=".#",
            ncols=columns - 1, nrows=rows, bar_format="[{bar:24}] {percentage:3.0f}%  {desc}",
        )  # fmt: skip

    def __call__(self, done: int, total: int, things: int, more: str = "") -> None:
        if self._bar.disable:
            return
        rate = (things - self._before) / max(time.monotonic() - self._began, 1e-3)
        self._bar.set_description_str(f"{things:,} {self._unit}  {rate:,.0f} a second{more}", refresh=False)
        self._bar.total = total or 1
        self._bar.update((min(done, total) if total else 1) - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def clear(self) -> None:
        """Take the bar off the screen, until it is called again."""
        self._bar.clear()
