"""The setup at the start of the server: its logs, the pages it has loaded, and the sockets that it listens on.

Messages of Streamlit and of the server under it go into the log of Assay, without what people's texts say. Streamlit
makes the socket itself and names no protocol. Therefore asyncio does not know it as TCP and leaves Nagle's algorithm
on: the body of an answer then waits until the browser has confirmed its head, for 40 ms each time.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import os
import pkgutil
import signal
import socket
import stat
import threading
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from streamlit import logger as streamlit_logger
from streamlit.errors import StreamlitAPIException

import pages

PAGES = "streamlit.error_util"
"""The logger that Streamlit tells of an error that no page caught, with the exception."""

SERVER = "uvicorn.error"
"""The logger of the server under Streamlit: of a failed start it has the traceback as a text, which app.py logs."""
IGNORED_PREFIXES = ("Traceback", "ASGI callable returned without completing handshake")
"""The starts of messages that are no news: a traceback, and each websocket that was refused with an answer."""


def join_logs() -> None:
    """Have every logger of Streamlit's, those that come later too, hand on what it is given."""
    for name in streamlit_logger._loggers:
        _propagate(logging.getLogger("streamlit" if name == "root" else name))
    streamlit_logger.setup_formatter = _propagate
    logging.getLogger(PAGES).addFilter(_name_page_error)
    logging.getLogger(SERVER).addFilter(lambda record: not str(record.msg).startswith(IGNORED_PREFIXES))


def heed_hangup() -> None:
    """Have SIGHUP, as from a terminal that is closed, end the server as SIGTERM does, unless it is ignored (nohup)."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def _propagate(logger: logging.Logger) -> None:
    """Take away the handler that Streamlit gave it, which would print the messages of exceptions."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = True


def _name_page_error(record: logging.LogRecord) -> bool:
    """Call an error that no page caught by what it is, and say at which address it was."""
    record.event = "page_failed"
    try:
        record.facts = {"page": urlsplit(st.context.url or "").path}
    except (StreamlitAPIException, ValueError, RuntimeError):  # no page's own thread
        record.facts = {}
    return True


def load_pages() -> None:
    """Load every page, and take what is loaded by then out of the garbage collector's way.

    It lives as long as the server, and walking over it now and then would hold up an answer for a tenth of a second.
    """
    for module in pkgutil.walk_packages(pages.__path__, "pages."):
        if module.name != "pages.main":
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


FOLDER = Path("/dev/fd")
"""The open files of this process by number; systems without it keep their own ways."""


def disable_nagle() -> None:
    """Turn Nagle's algorithm off where this process listens; what connects there inherits it."""
    for number in [int(name) for name in os.listdir(FOLDER)] if FOLDER.exists() else ():
        with contextlib.suppress(OSError):  # one that was closed meanwhile
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                _set_no_delay(number)


def _set_no_delay(number: int) -> None:
    with socket.socket(fileno=os.dup(number)) as sock:
        network = sock.family in (socket.AF_INET, socket.AF_INET6)
        if network and sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
