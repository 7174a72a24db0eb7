"""The setup at the start of the server, where it is not of the logs (test_loggers) or of sockets (test_assets)."""

from __future__ import annotations

import signal

from tests.server import Server


def test_a_terminal_that_is_closed_ends_the_server_as_sigterm_does(assay: Server) -> None:
    """It ended it at once: runs showed as interrupted, and folders of temporary files stayed."""
    assert assay.process is not None
    assay.process.send_signal(signal.SIGHUP)
    assert assay.wait() == -signal.SIGTERM
    assert "server_stopped" in assay.log
