"""A process that has loaded what programs need, and forks one whenever it is asked: most of a start is loading.

The child runs what `python -m MODULE ...` or `python -c CODE ...` runs, in a folder and an environment of its own. Of
Assay only data and judges are loaded before the fork, which keep no more than the name of their process at loading, and
for apps what answers for Streamlit's own files; the pages are each app's own. `make run`, and the test of it, start in
the ordinary way, and so does what a test starts without `Forked`.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = """streamlit.web.cli streamlit.web.bootstrap streamlit.web.server.starlette streamlit.runtime.app_session
    duckdb pandas pyarrow.parquet plotly.graph_objs._figure plotly.graph_objs._layout plotly.io
    pydantic.main pydantic.type_adapter httpx PIL.Image openai openai.resources itsdangerous anyio._backends._asyncio
    uvicorn.protocols.http.auto uvicorn.protocols.websockets.auto uvicorn.lifespan.on""".split()

SCRIPT = re.compile(rb'"\.(/static/[^"]+\.(?:js|css))"')


@cache
def load() -> None:
    """Load all of data and judges, and what a run loads when it begins."""
    for package in ("openai", "openai.resources"):
        __import__(package)
    for room in ("data", "judges"):
        for module in pkgutil.walk_packages(__import__(room).__path__, f"{room}."):
            if not module.name.endswith("__main__"):
                __import__(module.name)
    from data.importing import subprocess_reader

    subprocess_reader.LOWEST_PRIORITY = False  # see tests/conftest.py
    gc.collect()
    gc.freeze()  # no program looks for garbage among all that


@cache
def load_app() -> None:
    """Load what the app and its pages need, but for the pages."""
    for package in PACKAGES:
        __import__(package)
    load()
    # What each app would look up at its first page: whose source files these all are, what is installed, what app.py
    # is, and the scripts of each page, packed.
    inspect.stack()
    scanner = importlib.import_module("streamlit.components.v2.manifest_scanner")
    manifests = scanner.scan_component_manifests()
    scanner.scan_component_manifests = lambda: manifests
    discovery = importlib.import_module("streamlit.web.server.app_discovery")
    discovery._find_asgi_app_assignments = cache(discovery._find_asgi_app_assignments)
    discovery.discover_asgi_app(ROOT / "app.py")
    from pages.server import assets

    named = {path for address in assets.PAGE_ELEMENTS for path in SCRIPT.findall(assets.first_html(address))}
    for path in map(bytes.decode, named):
        assets._kept[path, True] = assets._read(path, True)
    gc.collect()
    gc.freeze()


_Plain = subprocess.Popen


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
                self._process = _Plain(
                    [sys.executable, "-m", "tests.fork_server", str(listener.fileno())], cwd=ROOT,
                    env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},  # as `data.importing.reader` needs it
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[listener.fileno()],
                    start_new_session=True,
                )  # fmt: skip
            self._address = address

    def ask(self, question: dict[str, Any], files: Sequence[int] = ()) -> Any:
        """What it answers."""
        self.start()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self._address)
            socket.send_fds(line, [b" "], files) if files else line.sendall(b" ")
            line.sendall(json.dumps(question).encode() + b"\n")
            with line.makefile() as answers:
                return json.loads(answers.readline())


WARM = Warm()


class Forked(subprocess.Popen[Any]):
    """`subprocess.Popen`, but that it forks a Python program; what is none, or asks for more, it starts as ever."""

    _end = -1
    """Where the end of the process can be waited for; below 0, it is a child of this one."""

    def _execute_child(self, *args: Any) -> None:
        names = inspect.signature(_Plain._execute_child).parameters  # type: ignore[attr-defined]
        options = dict(zip(list(names)[1:], args, strict=True))
        command = options["args"]
        program = list(map(str, command)) if isinstance(command, list | tuple) else []
        python = len(program) > 2 and program[0] == sys.executable and program[1] in ("-c", "-m")
        cwd, env = str(options["cwd"] or os.getcwd()), dict(options["env"] or os.environ)
        ours = str(ROOT) in (cwd, env.get("PYTHONPATH"))
        more = options["preexec_fn"] or options["pass_fds"] or options["shell"]
        if sys.platform != "linux" or not python or not ours or more:
            super()._execute_child(*args)  # type: ignore[misc]
            return
        question = {"start": program[1:], "cwd": cwd, "env": env, "session": options["start_new_session"]}
        ends = ("p2cread", "p2cwrite"), ("c2pread", "c2pwrite"), ("errread", "errwrite")
        child_ends = (options["p2cread"], options["c2pwrite"], options["errwrite"])
        self.pid = WARM.ask(question, [own if end == -1 else end for own, end in enumerate(child_ends)])
        self._child_created = True
        self._end = os.pidfd_open(self.pid)
        self._close_pipe_fds(*(options[name] for pair in ends for name in pair))  # type: ignore[attr-defined]

    def _internal_poll(self, *args: Any, **more: Any) -> int | None:
        if self._end < 0:
            return super()._internal_poll(*args, **more)  # type: ignore[misc, no-any-return]
        return self._wait(0) if self._has_ended(0) else None

    def _wait(self, timeout: float | None) -> int:
        if self._end < 0:
            return super()._wait(timeout)  # type: ignore[misc, no-any-return]
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None:
                if not self._has_ended(timeout):
                    raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
                self.returncode = WARM.ask({"ended": self.pid})
                os.close(self._end)
        return self.returncode

    def _has_ended(self, timeout: float | None) -> bool:
        if self.returncode is not None:
            return True
        line = select.poll()
        line.register(self._end, select.POLLIN)
        return bool(line.poll(None if timeout is None else max(0.0, timeout) * 1_000))


def run_forked(
    command: Sequence[str], *, capture_output: bool = False, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """`subprocess.run` with such a process."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Forked(command, **options) as process:
        out, err = process.communicate()
    done = subprocess.CompletedProcess(command, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def serve(listener: socket.socket) -> list[str] | None:
    """Answer until nobody can ask any more; in a child, the arguments that it is to run with."""
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        line, _ = listener.accept()
        with line:
            _, files, _, _ = socket.recv_fds(line, 1, 3)
            with line.makefile("rw") as stream:
                if not (text := stream.readline()):
                    continue
                question = json.loads(text)
                if "ended" in question:
                    answer = os.waitstatus_to_exitcode(os.waitpid(question["ended"], 0)[1])
                else:
                    (load_app if question["start"][1] == "streamlit" else load)()
                    if not (answer := os.fork()):
                        break
                stream.write(json.dumps(answer) + "\n")
            for file in files:
                os.close(file)
    else:
        return None
    if question["session"]:
        os.setsid()
    WARM._address = listener.getsockname().decode()
    subprocess.Popen = Forked  # type: ignore[misc]  # what it starts is forked, too
    listener.close()
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(question["cwd"])
    os.environ.clear()
    os.environ.update(question["env"])
    at_once, code = bool(os.environ.get("PYTHONUNBUFFERED")), os.environ.get("PYTHONIOENCODING")
    out, err = (io.FileIO(place, "w", closefd=False) for place in (1, 2))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), code)
    sys.stdout = io.TextIOWrapper(out if at_once else io.BufferedWriter(out), code, write_through=at_once)  # type: ignore[type-var]
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(err), code, "backslashreplace", line_buffering=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started it in the background
    tempfile.tempdir = None
    time.tzset()
    sys.modules["data.runs.leases"].HOLDER = f"{socket.gethostname()}/{os.getpid()}/{os.urandom(6).hex()}"
    return list(question["start"])


def run(flag: str, target: str, *arguments: str) -> None:
    """Run what `python -m MODULE ...` or `python -c CODE ...` runs."""
    sys.argv = [target if flag == "-m" else flag, *arguments]
    if flag == "-m":
        if not hasattr(sys.modules.get(target), "__path__"):
            sys.modules.pop(target, None)
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(target, "<string>", "exec"), main.__dict__)


def end(status: int) -> NoReturn:
    """End as Python does, but for taking apart all that was loaded, which takes ten times as long as the fork."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    if arguments is not None and arguments[1] == "streamlit":
        run(*arguments)  # and ends as ever: what goes wrong at the end is in its log, too
    elif arguments is not None:
        status: object = 0
        try:
            run(*arguments)
        except SystemExit as error:
            status = error.code or 0
            if not isinstance(status, int):
                raise
        end(status)
