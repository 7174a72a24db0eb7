"""Processes that tests start in the way of a terminal, whatever the tests themselves were started from."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from typing import Any


def interruptible(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a process that SIGINT interrupts, as Ctrl+C does; the options are those of `subprocess.Popen`.

    A shell lets what it starts in the background ignore SIGINT. That is inherited by every process that tests start
    there, and right for Assay too: Ctrl+C then is for somebody else, and SIGTERM ends what is in the background.
    """
    return subprocess.Popen(command, preexec_fn=_listen, **options)


def _listen() -> None:
    """In the new process, before its program begins."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
