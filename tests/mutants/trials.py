"""One mutant after the other, and the tests that run its changed lines: in a tree of its own, or in what is loaded."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NoReturn

import pytest
from _pytest.main import pytest_runtestloop

from tests.mutants.code_exchange import exchange, loaded_functions
from tests.mutants.line_coverage import Lines
from tests.mutants.points import Point
from tests.server import ROOT

OURS = {"app", "pages", "data", "judges", "tools", "tests"}
MEMORY = 12 << 30
"""Bytes that a mutant may take: one that fills a list for ever must not take the machine with it."""
Outcome = Literal["noticed", "hung", "survived", "untried"]
UNTRIED = 70
OUTCOMES: dict[int | None, Outcome] = {0: "survived", None: "hung", UNTRIED: "untried"}
"""By the status of the tests' process, which has none if it took too long."""


class Collected:
    """A plugin that does something else with the collected tests than running them."""

    def __init__(self, work: Callable[[pytest.Session], None]) -> None:
        self.work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.work(session)
        return True


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
    """A copy of the checkout as it stands, without what was made in it but for what Python has compiled."""
    base = folder / "base"
    skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", ".soak", ".mutants")
    shutil.copytree(ROOT, base, ignore=skipped)
    return base


def load() -> None:
    """Load what the tests need of others, once; of Assay nothing stays, so that each mutant loads its own."""
    from tests import fork_server

    for package in (*fork_server.PACKAGES, "scipy.stats", "hypothesis", "sklearn.metrics"):
        __import__(package)


class Trials:
    """Tries mutants in a folder of its own: in copies of `base`, or in the process that has collected the tests."""

    def __init__(self, folder: Path, base: Path, session: pytest.Session | None) -> None:
        self.folder, self.base, self.tree, self.session = folder, base, folder / "main", session
        self.failed, self.temporary = folder / "failed", folder / "tmp"
        self.items = {item.nodeid: item for item in session.items} if session else {}
        gc.unfreeze()  # what tests/conftest.py has frozen
        self.functions = loaded_functions() if session else {}
        gc.freeze()

    def in_tree(self, point: Point | None, tests: Sequence[str], limit: float) -> tuple[Outcome, str]:
        """What comes of tests where a point is changed, and which of them noticed it; the tree is thrown away.

        Without a point, they are the tests of the code as it stands.
        """

        def work() -> int:
            shutil.copytree(self.base, self.tree)
            if point is not None:
                changed = self.tree / point.file
                changed.write_bytes(point.apply(changed.read_bytes()))
            os.chdir(self.tree)
            os.environ.setdefault("ASSAY_REAL", str(ROOT.parent / "shared" / "real"))  # it lies beside no such tree
            for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
                del sys.modules[name]
            sys.path[:] = [str(self.tree), *(place for place in sys.path if place not in ("", str(ROOT)))]
            return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[Noticed(self.failed)]))

        return self._run(work, limit)

    def in_place(self, point: Point | None, tests: Sequence[str], limit: float) -> tuple[Outcome, str]:
        """The same with the change in the loaded functions; `untried` if none of them has it.

        What the change made of the loading, and what a test starts in another process, is as ever: only a tree says
        that a mutant survived.
        """
        session = self.session
        assert session is not None

        def work() -> int:
            if point is not None and not exchange(point, self.functions.get(str(ROOT / point.file), [])):
                return UNTRIED
            session.items[:] = [self.items[test] for test in tests]
            session.config.pluginmanager.register(Noticed(self.failed))
            with contextlib.suppress(session.Failed):
                pytest_runtestloop(session)
            return bool(session.testsfailed)

        return self._run(work, limit)

    def _run(self, work: Callable[[], int], limit: float) -> tuple[Outcome, str]:
        """Run tests in a process until one fails."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        began = time.monotonic()
        pid = os.fork()
        if not pid:
            self._be_child(work)
        status: int | None = None
        while time.monotonic() - began < limit:
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(code)
                break
            time.sleep(0.02)
        self._end_all(pid)
        if status is None:
            os.waitpid(pid, 0)
        outcome = OUTCOMES.get(status, "noticed")
        return outcome, self.failed.read_text(encoding="utf-8") if self.failed.exists() else ""

    def _be_child(self, work: Callable[[], int]) -> NoReturn:
        status = UNTRIED
        try:
            os.setsid()
            os.environ["TMPDIR"] = str(self.temporary)
            tempfile.tempdir = None
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            out = os.open(self.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            status = work()
        finally:
            os._exit(status)

    def _end_all(self, pid: int) -> None:
        """End the process and whatever it has started, in groups of their own too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        mark = f"TMPDIR={self.temporary}".encode()
        for other in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (other / "environ").read_bytes().split(b"\0"):
                    os.kill(int(other.name), signal.SIGKILL)
