"""The process that reads what people upload, `python -m data.importing.reader`.

Only `data.importing.subprocess_reader` starts it.

It gets a task on its standard input and answers on its standard output. Before it opens a file, it gives up all rights
and resources that reading does not need. It ends when nobody listens any more.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import re
import resource
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from data import log
from data.importing import snapshot, source_reader, subprocess_reader
from data.importing.detection.detection import DetectedFile, detect_formats
from data.importing.detection.source_contents import read_contents
from data.importing.files.source import Source, file_at
from data.importing.staging import Spool
from judges.errors import AssayError

_PROGRESS_INTERVAL_SECONDS = 0.1


class _MessageReader:
    """Reads messages from a stream; a thread listens, so that its end is noticed in the middle of work, too."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.folder = stream, ""
        self._heard: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while len(size := self._stream.read(8)) == 8:
            self._heard.put(pickle.loads(self._stream.read(int.from_bytes(size, "big"))))
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)  # the process that would have done it was killed
        os._exit(1)

    def next(self) -> Any:
        return self._heard.get()


class _MessageWriter:
    """Writes answers as lines of JSON."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints is no answer
        self._last_progress = 0.0

    def send(self, **message: Any) -> None:
        self._out.write(json.dumps(message, default=asdict).encode() + b"\n")
        self._out.flush()

    def tell_progress(self, source: Source, done: int, size: int, lines: int) -> None:
        """Tell how far it is, a few times a second."""
        if time.monotonic() - self._last_progress > _PROGRESS_INTERVAL_SECONDS:
            self._last_progress = time.monotonic()
            self.send(at=[done, size, lines, source.open])


def main() -> None:
    """Do one task."""
    writer, reader = _MessageWriter(), _MessageReader(sys.stdin.buffer)
    task = reader.next()
    reader.folder = task["folder"]
    limit_resources(**task["limits"])
    try:
        writer.send(done=_run_task(task, writer, reader))
    except AssayError as error:
        writer.send(no=str(error))
    except OSError as error:
        writer.send(no=str(source_reader.spool_error(error)))
    except MemoryError:
        os._exit(subprocess_reader.OUT_OF_MEMORY)
    except Exception as error:
        if re.search(r"memory|allocat", str(error), re.IGNORECASE):
            os._exit(subprocess_reader.OUT_OF_MEMORY)
        Path(task["folder"], subprocess_reader.TRACE).write_text("\n".join(log.trace(error)), encoding="utf-8")
        os._exit(1)
    os._exit(0)


def _run_task(task: dict[str, Any], writer: _MessageWriter, reader: _MessageReader) -> Any:
    files = [file_at(Path(path), name) for name, path in task["files"]]
    source = Source(task["name"], files)
    if task["task"] == "formats":
        detected = detect_formats(source, task["wanted"])
        return [(file.container, file.format, file.role, file.columns, file.rows) for file in detected]
    known = [DetectedFile(file, *facts) for file, facts in zip(files, task["found"], strict=True)]
    progress = partial(writer.tell_progress, source)
    if task["task"] == "contents":
        return read_contents(source, known, progress)
    folder = Path(task["folder"])

    def ask(name: str, ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        writer.send(ask=[name, list(ids)])
        while rows := reader.next():
            yield from rows

    with Spool(folder) as spool, (folder / "rejects").open("wb") as rejects:
        facts = snapshot.unpack_snapshot(task["snapshot"])
        return source_reader.read_source(facts, source, known, ask, spool, progress, rejects)


def limit_resources(memory: int, seconds: int, file: int, last: bool = True) -> None:
    """Limit this process to bytes beyond those in use now, seconds, and bytes of a file; let all others run first."""
    if last:
        with contextlib.suppress(OSError):
            os.nice(19)
        with contextlib.suppress(OSError, AttributeError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    status = Path("/proc/self/status")
    memory_line = re.search(r"VmData:\s+(\d+) kB", status.read_text()) if status.exists() else None
    if memory_line is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory_line[1]) * 1024 + memory,) * 2)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu_seconds = int(usage.ru_utime + usage.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file, file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
