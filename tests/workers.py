"""Runs the tests in several processes, forked when everything has been loaded and collected: once, and not in each.

`--workers 4`. A unit of work is a test, or all tests of a group (`pytest.mark.together`), and goes to the next
process that has nothing to do. Half of the processes take what browses first: then there is something to compute
whenever a browser waits.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import pytest
from _pytest.runner import runtestprotocol

Unit = list[int]
"""Tests that one process runs one after the other: their places in `session.items`."""


class Worker:
    """One of the processes, seen from the one that has collected; `left` is what it has of its units and not ended."""

    def __init__(self, number: int, session: pytest.Session) -> None:
        self.number = number
        self.left: deque[int] = deque()
        self.line, other = Pipe()
        self.pid = os.fork()
        if not self.pid:
            self.line.close()
            _work(number, session, other)
        other.close()

    def end(self) -> int:
        """Wait until it has ended; its exit status."""
        self.line.close()
        return os.waitpid(self.pid, 0)[1]


class Sender:
    """In a worker: what takes the place of the terminal."""

    def __init__(self, config: pytest.Config, line: Connection) -> None:
        self.config, self.line = config, line
        config.pluginmanager.register(self)
        self.begun = True  # what was warned of before is known

    begun = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        serialized = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.line.send(("report", serialized))

    def pytest_runtest_logfinish(self) -> None:
        self.line.send(("ended", None))

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        if not self.begun:
            return
        with suppress(Exception):  # what a warning is about need not be such that it can be sent
            self.line.send(("warning", (warning_message, when, nodeid, location)))


def run_again(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run a test; once more where it fails, with a warning that says how, so that only failing twice counts."""
    place = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**place)
    reports = runtestprotocol(item, log=False, nextitem=following)
    if failed := next((report for report in reports if report.failed), None):
        item.warn(pytest.PytestWarning(f"It failed and was run again. The first time:\n{failed.longreprtext[-2_000:]}"))
        reports = runtestprotocol(item, log=False, nextitem=following)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**place)
    return True


def in_each(count: int, work: Callable[[int], Any]) -> None:
    """Do a part of some work, by its number, in each of so many processes, and wait for all."""
    pids = []
    for number in range(count):
        if not (pid := os.fork()):
            try:
                work(number)
            finally:
                os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)


def run(session: pytest.Session, count: int, units: list[Unit], browses: Callable[[pytest.Item], bool]) -> None:
    """Run all units in so many processes, and report here what comes of each test."""
    assert threading.active_count() == 1, "A thread that was started while tests were collected is in no worker."
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    waiting: dict[bool, deque[Unit]] = {True: deque(), False: deque()}
    for unit in units:
        waiting[browses(session.items[unit[0]])].append(unit)
    workers = {worker.line: worker for worker in (Worker(number, session) for number in range(min(count, len(units))))}
    hook = session.config.hook
    ended = 0
    try:
        while workers:
            for line in wait(list(workers)):
                worker = workers[line]  # type: ignore[index]
                try:
                    sort, content = worker.line.recv()
                except (EOFError, ConnectionError):
                    del workers[worker.line]
                    ended += bool(worker.left)
                    waiting[False].extend(_taken_back(session, worker))
                    if any(waiting.values()):
                        new = Worker(worker.number, session)
                        workers[new.line] = new
                    continue
                if sort == "report":
                    report = hook.pytest_report_from_serializable(config=session.config, data=content)
                    hook.pytest_runtest_logreport(report=report)
                elif sort == "ended":
                    worker.left.popleft()
                    ended += 1
                elif sort == "warning":
                    hook.pytest_warning_recorded.call_historic(
                        kwargs=dict(zip(("warning_message", "when", "nodeid", "location"), content, strict=True))
                    )
                elif sort == "free":
                    sorts = (True, False) if worker.number < count // 2 else (False, True)
                    places = next((waiting[sort].popleft() for sort in sorts if waiting[sort]), [])
                    worker.left.extend(places)
                    worker.line.send(places)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
        assert ended == len(session.items), f"Only {ended} of {len(session.items)} tests came to an end."
    finally:
        for worker in workers.values():
            with suppress(ProcessLookupError):
                os.kill(worker.pid, 15)
            worker.end()


def _taken_back(session: pytest.Session, worker: Worker) -> list[Unit]:
    """When a process has ended: before its time, the test that it was at has failed, and the rest is for others."""
    status = worker.end()
    if not worker.left:
        assert not status, f"Process {worker.number} ended with status {status} after its last test."
        return []
    item = session.items[worker.left.popleft()]
    why = f"The process ended with status {status} in this test."
    report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
    session.config.hook.pytest_runtest_logreport(report=report)
    return [list(worker.left)] if worker.left else []


def _work(number: int, session: pytest.Session, line: Connection) -> NoReturn:
    """Be a worker: run what is given, until nothing is."""
    status = 1
    try:
        config = session.config
        plugins = config.pluginmanager
        config.get_terminal_writer()._file = open(os.devnull, "w")  # noqa: SIM115
        Sender(config, line)
        if captured := plugins.getplugin("capturemanager"):  # into files of its own
            captured.stop_global_capturing()
            captured.start_global_capturing()
            captured.suspend_global_capture()
        factory = config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = factory.getbasetemp() / f"worker{number}"
        factory._basetemp.mkdir(exist_ok=True)
        line.send(("free", None))
        while places := line.recv():
            unit: list[Any] = [session.items[place] for place in places]
            if len(unit) == 1:  # the next one is known when this one has ended
                line.send(("free", None))
            for item, following in zip(unit, [*unit[1:], session], strict=True):
                # Between units only what the whole session shares is kept: whatever comes next, it needs no more.
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if len(unit) > 1:
                line.send(("free", None))
        session._setupstate.teardown_exact(None)
        status = 0
    except KeyboardInterrupt:
        pass
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
