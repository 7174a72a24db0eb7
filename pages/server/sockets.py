"""The sockets that the server listens on: what it writes leaves at once.

Streamlit makes the socket itself and names no protocol, so that asyncio does not know it as TCP and leaves Nagle's
algorithm on: the body of an answer then waits until the browser has confirmed its head, for 40 ms each time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path

FOLDER = Path("/dev/fd")
"""The open files of this process by number; systems without it keep their own ways."""


def hasten() -> None:
    """Turn Nagle's algorithm off where this process listens; what connects there inherits it."""
    for number in [int(name) for name in os.listdir(FOLDER)] if FOLDER.exists() else ():
        with contextlib.suppress(OSError):  # one that was closed meanwhile
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                _hasten(number)


def _hasten(number: int) -> None:
    with socket.socket(fileno=os.dup(number)) as one:
        network = one.family in (socket.AF_INET, socket.AF_INET6)
        if network and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
