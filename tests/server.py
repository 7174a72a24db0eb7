"""Starts the real app as a process of its own, on loopback, with a store of its own."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.fork_server import WARM as WARM
from tests.fork_server import Forked

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 90.0  # seconds until it answers: a first start may make the sample workspace on a busy machine
OURS = ("ASSAY_", "STREAMLIT_", "OPENAI_")
PORTS: dict[int, bool] = {}
"""The ports of this process's apps, and whether an app has each at the moment: the next takes over what is free."""
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    """The app on a free port of this machine, with a store that outlives it.

        with Server(tmp_path, samples=True) as app:
            app.url, app.port, app.store, app.store_path, app.log
            app.kill()      # SIGKILL, as when the power goes
            app.stop()      # SIGTERM, and wait
            app.start()     # again: same port, same store, same log

    `samples`: whether a new store gets the sample workspace. `store`: another ASSAY_STORE than a DuckDB file in
    `folder` (then store_path means nothing). `env`: more environment; a value None takes a name out. Nothing of the
    caller's ASSAY_, STREAMLIT_ and OPENAI_ settings reaches the app, and it finds no way off this machine through a
    proxy. `script`: what is served instead of the app; it answers /health, too. One process owns a DuckDB file: fill it
    before `start`, read it after `stop` or `kill`.

    Leaving the block stops the app and fails when its log has a traceback.
    """

    def __init__(
        self,
        folder: Path,
        *,
        samples: bool = False,
        store: str | None = None,
        env: dict[str, str | None] | None = None,
        root: Path = ROOT,
        script: str = "app.py",
    ) -> None:
        self.store_path = folder / "assay.duckdb"
        self.store = store or f"duckdb:///{self.store_path}"
        self.log_path = folder / "server.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.root, self.script = root, script
        self.process: subprocess.Popen[bytes] | None = None
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        dead_end = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
        near = dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost")
        own = {
            "ASSAY_STORE": self.store,
            "ASSAY_PORT": str(self.port),
            "ASSAY_SAMPLES": "1" if samples else "0",
            "PYTHONUNBUFFERED": "1",
        }
        self.env = {k: v for k, v in {**inherited, **dead_end, **near, **own, **(env or {})}.items() if v is not None}

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.running:
            self.kill() if kind else self.stop()
        PORTS[self.port] = False
        if kind is None:
            assert "Traceback" not in self.log, f"The app's log has a traceback:\n{self.log[-8000:]}"

    @property
    def log(self) -> str:
        """All that the app has printed so far, over all its starts."""
        return self.log_path.read_text(encoding="utf-8", errors="replace") if self.log_path.exists() else ""

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self.process is not None and self.process.poll() is None

    def launch(self) -> None:
        """Start the process and do not wait for it (for a start that is expected to fail, or to be killed)."""
        assert not self.running, "The app is running already."
        arguments = ["run", self.script, "--server.port", str(self.port)]
        with self.log_path.open("ab") as log:
            self.process = (Forked if self.root == ROOT else subprocess.Popen)(
                [sys.executable, "-m", "streamlit", *arguments],
                cwd=self.root,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def start(self) -> None:
        """Start the app and wait until /health answers 200."""
        self.launch()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if not self.running:
                raise AssertionError(f"The app ended while it was starting:\n{self.log[-8000:]}")
            if self.get("/health")[0] == 200:
                return
            time.sleep(0.05)
        self.kill()
        raise AssertionError(f"The app did not answer {self.url}/health within {PATIENCE:.0f} s:\n{self.log[-8000:]}")

    def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], str]:
        """Status, headers (lower case) and body of a GET; status 0 when nobody answers."""
        try:
            with DIRECT.open(urllib.request.Request(self.url + path, headers=headers or {}), timeout=60) as answer:
                return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read().decode()
        except OSError:
            return 0, {}, ""

    def kill(self) -> None:
        """End the app at once, in the middle of whatever it does."""
        self._end(signal.SIGKILL, 60)

    def stop(self, patience: float = 60) -> None:
        """Ask the app to end, and wait until it has."""
        self._end(signal.SIGTERM, patience)

    def wait(self, patience: float = 60) -> int:
        """Wait until the app ends by itself; its exit code."""
        assert self.process is not None
        return self.process.wait(patience)

    def _end(self, end_signal: signal.Signals, patience: float) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        os.killpg(self.process.pid, end_signal)
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(60)
            raise AssertionError(f"The app did not end within {patience:.0f} s after {end_signal.name}.") from None


def free_port() -> int:
    """A port that nobody listens on, below those that the system hands to clients: free again for a restart, too.

    Processes beside each other draw from different ones. As a rule it is that of an app that has ended: a browser knows
    the scripts at that address, and need not compile them.
    """
    while True:
        ended = [port for port, in_use in PORTS.items() if not in_use]
        port = ended[0] if ended else 20_000 + 64 * random.SystemRandom().randrange(187) + os.getpid() % 64
        PORTS[port] = True
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
