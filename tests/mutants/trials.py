"""One mutant after the other: a tree of its own with the change in it, and the tests that run the changed lines."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NoReturn

import pytest

from tests.mutants.line_coverage import Lines
from tests.mutants.points import Point
from tests.server import ROOT

OURS = {"app", "pages", "data", "judges", "tools", "tests"}
MEMORY = 12 << 30
"""Bytes that a mutant may take: one that fills a list for ever must not take the machine with it."""
Outcome = Literal["noticed", "hung", "survived", "untried"]


class Noticed:
    """A plugin that writes down which test failed."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.file.exists():
            self.file.write_text(report.nodeid, encoding="utf-8")


def choose(point: Point, lines: Lines, seconds: dict[str, float], limit: float) -> list[str]:
    """The tests that run a point's lines, those of its own room and the quick ones first, for at most so many seconds.

    What runs when a module is loaded is no test's, or only that of the tests that load it: then all tests of the room,
    or of the one around it, come after these.
    """
    rooms = (f"tests/{folder}/" for folder in Path(point.file).parents)
    room = next((name for name in rooms if any(test.startswith(name) for test in seconds)), "tests/")
    own = f"{room}test_{Path(point.file).stem}.py::"
    tests_by_line = lines.get(point.file, {})
    tests = set().union(*(tests_by_line.get(line, set()) for line in range(point.line, point.last + 1)))
    nearby = set() if tests and point.in_function else {test for test in seconds if test.startswith(room)}

    def order(test: str) -> tuple[bool, bool, bool, float]:
        return test not in tests, not test.startswith(own), not test.startswith(room), seconds[test]

    chosen, left = [], limit
    for test in sorted(tests | nearby, key=order):
        if left >= seconds[test]:
            chosen.append(test)
            left -= seconds[test]
    return chosen


def prepare(folder: Path) -> Path:
    """A copy of the checkout as it stands, without what was made in it."""
    base = folder / "base"
    skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", ".soak", ".mutants", "__pycache__")
    shutil.copytree(ROOT, base, ignore=skipped)
    return base


def load() -> None:
    """Load what the tests need of others, once; of Assay nothing stays, so that each mutant loads its own."""
    from tests import fork_server

    for package in (*fork_server.PACKAGES, "scipy.stats", "hypothesis", "sklearn.metrics"):
        __import__(package)


def run(tree: Path, tests: Sequence[str], limit: float) -> tuple[int | None, str]:
    """Run tests in a tree until one fails: the status of pytest, none if it took too long, and the test that failed."""
    failed = tree.with_name(f"{tree.name}.failed")
    failed.unlink(missing_ok=True)
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        _child(tree, tests, failed)
    status: int | None = None
    while time.monotonic() - began < limit:
        ended, code = os.waitpid(pid, os.WNOHANG)
        if ended:
            status = os.waitstatus_to_exitcode(code)
            break
        time.sleep(0.02)
    _end_all(pid, tree)
    if status is None:
        os.waitpid(pid, 0)
    return status, failed.read_text(encoding="utf-8") if failed.exists() else ""


def _child(tree: Path, tests: Sequence[str], failed: Path) -> NoReturn:
    status = 70
    try:
        os.setsid()
        os.environ["TMPDIR"] = str(tree / "tmp")
        (tree / "tmp").mkdir()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        out = os.open(tree.with_name(f"{tree.name}.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(tree)
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            del sys.modules[name]
        sys.path[:] = [str(tree), *(place for place in sys.path if place not in ("", str(ROOT)))]
        status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[Noticed(failed)]))
    finally:
        os._exit(status)


def _end_all(pid: int, tree: Path) -> None:
    """End the process and whatever it has started, in groups of their own too."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    mark = f"TMPDIR={tree / 'tmp'}".encode()
    for other in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (other / "environ").read_bytes().split(b"\0"):
                os.kill(int(other.name), signal.SIGKILL)


def attempt(base: Path, place: Path, point: Point | None, tests: Sequence[str], limit: float) -> tuple[Outcome, str]:
    """What comes of tests where a point is changed, and which of them noticed it; the tree is thrown away.

    Without a point, they are the tests of the code as it stands.
    """
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(base, place)
    if point is not None:
        changed = place / point.file
        changed.write_bytes(point.apply(changed.read_bytes()))
    status, by = run(place, tests, limit)
    shutil.rmtree(place, ignore_errors=True)
    return "hung" if status is None else "survived" if status == 0 else "noticed", by
