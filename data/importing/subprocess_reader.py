"""Reading in a process of its own: what people upload costs the server neither memory nor time.

One upload is read at a time, at the lowest priority, within limits (`data.importing.reader` sets them on itself); the
others wait in line. The process opens no store: what it has to know comes with its task, or is asked here by name.
"""

from __future__ import annotations

import itertools
import json
import os
import pickle
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, get_args

from pydantic import TypeAdapter

from data import log
from data.importing.checks.known_rows import QUERIES, Lookup
from data.importing.detection.detection import DetectedFile
from data.importing.files.container import Container
from data.importing.files.source import Source
from data.importing.formats import ASIDE, file_roles
from data.importing.plan import FORMATS, Format
from data.importing.snapshot import Snapshot
from data.importing.source_reader import Progress, ReadingResult
from data.importing.staging import Spool
from data.store.errors import BadInput
from data.temp_folders import folder_for
from judges.importing.table_contents import SourceContents

MAX_MEMORY_BYTES = 2**30
"""Bytes that reading may take, beyond what the process has when it begins."""
MAX_FILE_BYTES = 2 * 2**30
"""Bytes of the largest file that it may write."""
BASE_CPU_SECONDS, CPU_SECONDS_PER_MB = 30.0, 2.0
"""Processor time that reading may take. The limit in real time is four times as much, because all others come first."""
LOWEST_PRIORITY = True
"""Whether everything else on the machine comes first."""
OUT_OF_MEMORY = 77
"""The exit code of the process if there is no more memory."""
TRACE = "trace"
"""The file in which the process leaves the lines of code that an error went through."""
OnWait = Callable[[int], None]
"""Called repeatedly while an import waits, with the number of those that are read before it."""
_POLL_SECONDS = 0.2
_MAX_MESSAGE_BYTES = 64 * 2**20
_ROOT = Path(__file__).resolve().parent.parent.parent
_ENV = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT")
_waiting_line: list[object] = []
_line_changed = threading.Condition()


def detect_formats(
    source: Source, chosen_format: Format = "auto", progress: Progress = lambda *_: None, waits: OnWait = lambda _: None
) -> list[DetectedFile]:
    """Return a source's files with their formats. Raises BadInput as `detection.detect_formats`, or past the limits."""
    with _wait_for_turn(waits), folder_for("intake") as folder:
        answer = _run_task(source, {"task": "formats", "wanted": chosen_format}, folder, _refuse_lookup, progress)
    known = [DetectedFile(file, *facts) for file, facts in zip(source.files, answer, strict=True)]
    for file in known:
        known_format = file.container in get_args(Container) and file.format in (*FORMATS[1:], ASIDE)
        if not known_format or file.role not in (file_roles(file.format) or (None,)):
            raise _unexpected_end(source)
    return known


def read_contents(
    source: Source, detected: list[DetectedFile], progress: Progress = lambda *_: None, waits: OnWait = lambda _: None
) -> SourceContents:
    """Return a summary of the files of a source, as `data.importing.detection.source_contents.read_contents` does.

    Raises BadInput past the limits.
    """
    known = [(file.container, file.format, file.role) for file in detected]
    with _wait_for_turn(waits), folder_for("intake") as folder:
        answer = _run_task(source, {"task": "contents", "found": known}, folder, _refuse_lookup, progress)
    return TypeAdapter(SourceContents).validate_python(answer)


def read_source(
    snapshot: Snapshot, source: Source, detected: list[DetectedFile], lookup: Lookup, spool: Spool,
    progress: Progress = lambda *_: None, rejects: BinaryIO | None = None, waits: OnWait = lambda _: None,
) -> ReadingResult:  # fmt: skip
    """Read a source as `data.importing.source_reader.read_source` does. Raises BadInput, too, past the limits."""
    known = [(file.container, file.format, file.role) for file in detected]
    task = {"task": "gather", "snapshot": snapshot.pack(), "found": known}
    with _wait_for_turn(waits):
        answer = _run_task(source, task, spool.path, lookup, progress)
    if rejects is not None:
        with (spool.path / "rejects").open("rb") as stream:
            shutil.copyfileobj(stream, rejects)
    result = TypeAdapter(ReadingResult).validate_python(answer)
    if result.rule is not None:
        result.rule.check()
    return result


@contextmanager
def _wait_for_turn(waits: OnWait) -> Iterator[None]:
    """Wait in line, and keep the first place until the body has run."""
    me = object()
    with _line_changed:
        _waiting_line.append(me)
    try:
        while before := _count_before(me):
            waits(before)
            with _line_changed:
                _line_changed.wait(_POLL_SECONDS)
        yield
    finally:
        with _line_changed:
            _waiting_line.remove(me)
            _line_changed.notify_all()


def _count_before(me: object) -> int:
    with _line_changed:
        return _waiting_line.index(me)


def _refuse_lookup(name: str, ids: Any) -> Iterator[tuple[Any, ...]]:
    raise BadInput(f"To tell a format nothing is asked, and {name} was.")


def _run_task(source: Source, task: dict[str, Any], folder: Path, lookup: Lookup, progress: Progress) -> Any:
    """Return what a new process answers to a task; the process is ended in any case. Raises BadInput."""
    seconds = int(BASE_CPU_SECONDS + CPU_SECONDS_PER_MB * source.size / 2**20)
    files = [(file.name, str(file.path)) for file in source.files]
    limits = {"memory": MAX_MEMORY_BYTES, "seconds": seconds, "file": MAX_FILE_BYTES, "last": LOWEST_PRIORITY}
    with _process(folder) as process:
        talk = _Session(process, source, lookup, progress, time.monotonic() + 4 * seconds)
        try:
            talk.send({**task, "folder": str(folder), "name": source.name, "files": files, "limits": limits})
            answer = talk.answer()
        except BrokenPipeError:
            answer = None
        if answer is not None:
            return answer
        code = process.wait()
    raise _end_reason(source, talk.file, code, seconds, folder)


@contextmanager
def _process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that reads; its temporary files lie in the folder, and it has no secrets in its environment."""
    env = {name: os.environ[name] for name in _ENV if name in os.environ}
    env |= {"TMPDIR": str(folder), "ARROW_DEFAULT_MEMORY_POOL": "system", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "data.importing.reader"], cwd=_ROOT, env=env, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


class _Session:
    """A conversation with the process: it says lines of JSON, and hears pickles, each after its length."""

    def __init__(
        self, process: subprocess.Popen[bytes], source: Source, lookup: Lookup, progress: Progress, until: float
    ) -> None:
        self._process, self._lookup, self._progress, self._until = process, lookup, progress, until
        self._source, self.file = source, ""
        self._at = (0, source.size, 0)
        self._heard = b""

    def send(self, value: Any) -> None:
        """Say something. Raises BrokenPipeError where it has ended."""
        data = pickle.dumps(value)
        assert self._process.stdin is not None
        rest = memoryview(len(data).to_bytes(8, "big") + data)
        while rest:
            rest = rest[self._process.stdin.write(rest) :]

    def answer(self) -> Any:
        """Return the final answer of the process, or None if it ended without one. Raises BadInput."""
        while (line := self._next()) is not None:
            message = json.loads(line)
            if "ask" in message:
                name, ids = message["ask"]
                if name not in QUERIES:
                    raise _unexpected_end(self._source, self.file)
                rows = self._lookup(name, [str(key) for key in ids])
                while batch := list(itertools.islice(rows, 1_000)):
                    self.send(batch)
                self.send([])
            elif "at" in message:
                *at, self.file = message["at"]
                self._at = (int(at[0]), int(at[1]), int(at[2]))
                self._progress(*self._at)
            elif "no" in message:
                raise BadInput(str(message["no"]))
            else:
                return message["done"]
        return None

    def _next(self) -> bytes | None:
        """The next line; None where there is none any more, or it took too long. Tells the progress meanwhile."""
        assert self._process.stdout is not None
        parts = [self._heard]
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in parts[-1]:
                self._progress(*self._at)
                if time.monotonic() > self._until or sum(map(len, parts)) > _MAX_MESSAGE_BYTES:
                    self._process.send_signal(signal.SIGXCPU)
                    return None
                if selector.select(_POLL_SECONDS):
                    part = self._process.stdout.read(2**18)
                    if not part:
                        return None
                    parts.append(part)
        line, _, self._heard = b"".join(parts).partition(b"\n")
        return line


def _end_reason(source: Source, file: str, code: int, seconds: int, folder: Path) -> BadInput:
    """Return an error with the reason why the process ended before it had answered."""
    name = file or (source.name if len(source.files) == 1 else f"One of the files ({source.name})")
    rest = "Split the file into smaller ones, or import it with `python -m data import`, which has no such limit."
    if code == -signal.SIGXCPU:
        return BadInput(f"{name} takes longer to read than its size allows: {seconds:,} seconds. {rest}")
    if code in (OUT_OF_MEMORY, -signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS):
        return BadInput(f"{name} needs more memory to read than is allowed: {MAX_MEMORY_BYTES / 2**30:.0f} GB. {rest}")
    trace = folder / TRACE
    lines = trace.read_text("utf-8", "replace").splitlines() if trace.exists() else []
    return _unexpected_end(source, name, code, lines)


def _unexpected_end(source: Source, name: str = "", code: int | None = None, trace: Sequence[str] = ()) -> BadInput:
    """The refusal after an end that nobody foresaw; where it was goes into the log, and nothing of what was read."""
    log.error("reader_failed", lines=list(trace), source=source.name, exit_code=code)
    return BadInput(f"{name or source.name} could not be read: the process that read it ended. The log says why.")
