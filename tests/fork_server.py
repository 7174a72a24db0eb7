"""A process that has loaded what the app needs, and forks an app whenever it is asked: most of a start is loading.

The child runs what `python -m streamlit ...` runs, in a session, a folder and an environment of its own. Of Assay only
data and judges are loaded before the fork, which keep nothing at loading, and what answers for Streamlit's own files;
the pages are each app's own. `make run`, and the test of it, start in the ordinary way.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import json
import os
import pkgutil
import re
import runpy
import select
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = """streamlit.web.cli streamlit.web.bootstrap streamlit.web.server.starlette streamlit.runtime.app_session
    duckdb pandas pyarrow.parquet plotly.graph_objs._figure plotly.graph_objs._layout plotly.io
    pydantic.main pydantic.type_adapter httpx PIL.Image openai openai.resources itsdangerous anyio._backends._asyncio
    uvicorn.protocols.http.auto uvicorn.protocols.websockets.auto uvicorn.lifespan.on""".split()

SCRIPT = re.compile(rb'"\.(/static/[^"]+\.(?:js|css))"')


def load() -> None:
    """Load what the app and its pages need, but for the pages, and all of data and judges."""
    for package in PACKAGES:
        __import__(package)
    for room in ("data", "judges"):
        for module in pkgutil.walk_packages(__import__(room).__path__, f"{room}."):
            if not module.name.endswith("__main__"):
                __import__(module.name)
    importlib.import_module("data.importing.subprocess_reader").COMES_LAST = False  # see tests/conftest.py
    # What each app would look up at its first page: whose source files these all are, what is installed, what app.py
    # is, and the scripts of each page, packed.
    inspect.stack()
    scanner = importlib.import_module("streamlit.components.v2.manifest_scanner")
    manifests = scanner.scan_component_manifests()
    scanner.scan_component_manifests = lambda: manifests
    discovery = importlib.import_module("streamlit.web.server.app_discovery")
    discovery._find_asgi_app_assignments = cache(discovery._find_asgi_app_assignments)
    discovery.discover_asgi_app(ROOT / "app.py")
    assets = importlib.import_module("pages.server.assets")
    named = {path for address in assets.NEEDED for path in SCRIPT.findall(assets.first_html(address))}
    for path in map(bytes.decode, named):
        assets._kept[path, True] = assets._read(path, True)
    gc.collect()
    gc.freeze()  # no app looks for garbage among all that


class Warm:
    """Asks such a process, started before the first question: by whoever forks those that ask, it is one for all."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._address = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, unless it runs: it ends with the last process that may ask it."""
        with self._starting:
            if self._address:
                return
            address = f"\0assay-tests-{os.getpid()}-{os.urandom(8).hex()}"  # of no file
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(address)
                listener.listen(64)
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "tests.fork_server", str(listener.fileno())],
                    cwd=ROOT, stdin=subprocess.PIPE, pass_fds=[listener.fileno()], start_new_session=True,
                )  # fmt: skip
            self._address = address

    def ask(self, question: dict[str, Any]) -> Any:
        """What it answers."""
        self.start()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self._address)
            line.sendall(json.dumps(question).encode() + b"\n")
            with line.makefile() as answers:
                return json.loads(answers.readline())


class Forked:
    """An app that was forked, with what the tests use of subprocess.Popen."""

    def __init__(self, warm: Warm, arguments: list[str], cwd: Path, env: dict[str, str], log: Path) -> None:
        self._warm = warm
        self.returncode: int | None = None
        self.pid: int = warm.ask({"start": arguments, "cwd": str(cwd), "env": env, "log": str(log)})

    def poll(self) -> int | None:
        """Its exit code, below 0 for a signal; None while it runs."""
        if self.returncode is None:
            self.returncode = self._warm.ask({"poll": self.pid})
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait until it has ended; its exit code."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("streamlit", timeout)
            time.sleep(0.02)
        return code


def serve(listener: socket.socket) -> list[str] | None:
    """Answer until nobody can ask any more; in a child, the arguments that it is to run with."""
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        line, _ = listener.accept()
        with line, line.makefile("rw") as told:
            if not (text := told.readline()):
                continue
            asked = json.loads(text)
            if "poll" in asked:
                pid, status = os.waitpid(asked["poll"], os.WNOHANG)
                answer = os.waitstatus_to_exitcode(status) if pid else None
            elif not (answer := os.fork()):
                break
            told.write(json.dumps(answer) + "\n")
    else:
        return None
    os.setsid()
    listener.close()
    log = os.open(asked["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for end, place in ((os.open(os.devnull, os.O_RDONLY), 0), (log, 1), (log, 2)):
        os.dup2(end, place)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    return list(asked["start"])


if __name__ == "__main__":
    load()
    if (given := serve(socket.socket(fileno=int(sys.argv[1])))) is not None:
        sys.argv = ["streamlit", *given]
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
