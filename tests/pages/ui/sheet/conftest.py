"""The desk on an empty page, for the tests of its scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.pages.ui.sheet.bench import SIZE, Bench, no_uncaught_errors, opened_desk


@pytest.fixture(scope="module")
def tab(chromium: Any) -> Iterator[Any]:
    """One tab for the file, with a clock that can be turned on; every address is answered here."""
    with opened_desk(chromium) as page:
        yield page


@pytest.fixture
def bench(tab: Any, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """An empty page of the usual size, with nothing stored. An uncaught error in it fails the test."""
    with no_uncaught_errors(tab):
        tab.set_viewport_size(SIZE)
        bench = Bench(tab, request.node.name)
        bench.open()
        tab.evaluate("localStorage.clear()")
        yield bench
