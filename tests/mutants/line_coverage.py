"""Which lines of the product each test runs, and how long it takes: a plugin of pytest that writes it into a folder.

`pytest -p tests.mutants.line_coverage --lines FOLDER tests/data --workers 2`. Seen is what runs in the test's own
process, in all of its threads; not what a command or an app that it starts does in its own.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

from tests.conftest import browses
from tests.server import ROOT

Lines = dict[str, dict[int, set[str]]]
"""File, line, and the tests that run it."""


class LineCoverage:
    """What one process of tests has seen."""

    def __init__(self, folder: Path, browsers: bool) -> None:
        self.folder, self.browsers = folder, browsers
        self.seconds: dict[str, float] = {}
        self.coverage = coverage.Coverage(
            data_file=None, include=[f"{ROOT}/{room}/*" for room in ("data", "judges", "pages")], config_file=False
        )

    @pytest.fixture(scope="session", autouse=True)
    def all_lines(self) -> Iterator[None]:
        """Look at every line from the process's first test to its last, and write down what was seen."""
        self.coverage.start()
        yield
        self.coverage.stop()
        data = self.coverage.get_data()
        lines: Lines = {}
        for file in data.measured_files():
            lines[str(Path(file).relative_to(ROOT))] = {
                line: {test for test in tests if test} for line, tests in data.contexts_by_lineno(file).items()
            }
        (self.folder / f"{os.getpid()}.pickle").write_bytes(pickle.dumps((lines, self.seconds)))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what starts apps and browsers: what it runs is not seen, and it takes too long for each mutant."""
        if self.browsers:
            return
        config.hook.pytest_deselected(items=[item for item in items if browses(item)])
        items[:] = [item for item in items if not browses(item)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """What a test's fixtures run is the test's, but for what stands before its process's first test."""
        if self.coverage._started:
            self.coverage.switch_context(item.nodeid)
        result = yield
        self.coverage.switch_context(item.nodeid)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--lines FOLDER`: where what was seen is written; `--browsers`: tests that start browsers take part."""
    parser.addoption("--lines", type=Path, required=True)
    parser.addoption("--browsers", action="store_true")


def pytest_configure(config: pytest.Config) -> None:
    """Take part in the run."""
    config.pluginmanager.register(LineCoverage(config.option.lines, config.option.browsers))


def read(folder: Path) -> tuple[Lines, dict[str, float]]:
    """What all processes have written: the tests of each line, and the seconds of each test."""
    lines: Lines = {}
    seconds: dict[str, float] = {}
    for file in folder.glob("*.pickle"):
        file_lines, times = pickle.loads(file.read_bytes())
        seconds |= times
        for name, tests_by_line in file_lines.items():
            for line, tests in tests_by_line.items():
                lines.setdefault(name, {}).setdefault(line, set()).update(tests)
    return lines, seconds
