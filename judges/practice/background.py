"""The practice endpoint in a thread of this process, on a free port, for an app without a second terminal."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judges.practice.options import BadOption, PracticeOptions

if TYPE_CHECKING:
    from judges.practice.server import Server

_TIMEOUT_SECONDS = 30.0
_LOCK = threading.Lock()
_RUNNING: list[PracticeEndpoint] = []
"""The shared endpoint, last in the list; those before it have ended."""


@dataclass
class PracticeEndpoint:
    """A practice endpoint that runs in a thread, by its base URL."""

    url: str
    _server: Server = field(repr=False)
    _loop: asyncio.AbstractEventLoop = field(repr=False)
    _thread: threading.Thread = field(repr=False)

    def stop(self) -> None:
        """End it and wait until it has ended; a second call does nothing."""
        if self._thread.is_alive() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._server.closing.set)
        self._thread.join(_TIMEOUT_SECONDS)

    @property
    def alive(self) -> bool:
        """Whether it still answers."""
        return self._thread.is_alive()


def start_endpoint() -> PracticeEndpoint:
    """The endpoint of this process, on a free port, started if it does not run. Raises BadOption where it cannot be."""
    with _LOCK:
        if not (_RUNNING and _RUNNING[-1].alive):
            from judges.practice.server import Server

            _RUNNING.append(serve_in_thread(Server(PracticeOptions(port=0))))
        return _RUNNING[-1]


def serve_in_thread(server: Server) -> PracticeEndpoint:
    """The endpoint in a separate, unshared thread. Raises BadOption if it cannot be started."""
    endpoint = Future[PracticeEndpoint]()

    async def until_stopped() -> None:
        from judges.practice.server import serve_app

        async with serve_app(server) as url:
            loop, thread = asyncio.get_running_loop(), threading.current_thread()
            endpoint.set_result(PracticeEndpoint(url, server, loop, thread))
            await server.closing.wait()

    def work() -> None:
        try:
            asyncio.run(until_stopped())
        except Exception as error:
            if not endpoint.done():
                endpoint.set_exception(error)

    threading.Thread(target=work, name="practice endpoint", daemon=True).start()
    try:
        return endpoint.result(_TIMEOUT_SECONDS)
    except BadOption:
        raise
    except TimeoutError:
        raise BadOption("The practice endpoint did not start in time: the machine is too busy. Try again.") from None
    except Exception as error:
        raise BadOption(f"The practice endpoint did not start: {error}.") from error
