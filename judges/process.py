"""The process of a command: what it needs of Python, and how it is ended before it is done."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from types import FrameType
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl+C, `kill`, and a terminal that is closed: each asks a command to end."""
_received: list[int] = []


def run_process(package: str) -> NoReturn:
    """Run the command line of a package (its function `main`) in this process, and end it with the exit code.

    The first of INTERRUPTS raises KeyboardInterrupt, and the exit code is 130. What comes after it, or once the command
    is done, does not break off what is being cleared away. A second SIGTERM ends the process at once.
    """
    # Loading makes no cyclic garbage: searching for it takes a tenth of a command's time, and so does a search at exit.
    gc.set_threshold(50_000, 20, 50)
    atexit.register(gc.freeze)
    # Matrix products here are small: several threads would only wait for each other, in busy loops.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for number in INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup, or a shell's background, has it
            signal.signal(number, _interrupt)
    code = 130
    try:
        code = importlib.import_module(package).main(sys.argv[1:])
    except KeyboardInterrupt:
        pass  # while Python was still loading
    except Exception:
        if not _received:
            raise
        # What an interrupt becomes on its way: RuntimeError in DuckDB, another error in a module that is half loaded.
    finally:
        _received.append(0)
    sys.exit(code)


def _interrupt(number: int, _: FrameType | None) -> None:
    first = not _received
    _received.append(number)
    if first:
        raise KeyboardInterrupt
    if number == signal.SIGTERM:
        os._exit(130)


@contextlib.contextmanager
def delay_interrupts() -> Iterator[list[tuple[int, FrameType | None]]]:
    """Have what interrupts the process meanwhile (INTERRUPTS) raised afterwards: the body is run as a whole.

    Gives those that wait.
    """
    handlers = _handlers()
    signals: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda *signal_and_frame: signals.append(signal_and_frame))
    try:
        yield signals
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if signals:
            handlers[signals[0][0]](*signals[0])


def run_async(work: Coroutine[Any, Any, T], stop: Callable[[], object] | None = None) -> T:
    """Return the result of a coroutine, run in an event loop of its own; an interrupt calls `stop` there.

    Without `stop` it cancels the coroutine, and KeyboardInterrupt is raised.
    """
    import asyncio

    async def run() -> T:
        loop, task, handlers = asyncio.get_running_loop(), asyncio.current_task(), _handlers()
        assert task is not None
        call = stop or task.cancel
        for number in handlers:
            loop.add_signal_handler(number, call)
        if early:
            early.clear()
            call()
        try:
            return await work
        finally:
            for number, handler in handlers.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)

    with delay_interrupts() as early:  # while the loop is made and closed
        try:
            return asyncio.run(run())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _handlers() -> dict[int, Callable[[int, FrameType | None], Any]]:
    """What INTERRUPTS call in this thread: nothing in another than the main one, or where they are ignored."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: handler for number in INTERRUPTS if callable(handler := signal.getsignal(number))}
