"""The desk on an empty page, for the tests of its scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pages.ui.sheet import HERE, SCRIPTS, STYLES, bundle_scripts, join_files
from tests.pages.ui.sheet.bed import answer_all
from tests.pages.ui.sheet.bench import BED, BEGIN, INNER, SIZE, Bench


@pytest.fixture(scope="module")
def tab(chromium: Any) -> Iterator[Any]:
    """One tab for the file, with a clock that can be turned on; every address is answered here."""
    scripts = bundle_scripts(*(HERE / name for name in SCRIPTS)) + f"\nexport {{ {', '.join(INNER)} }};"
    bed = BED.replace("STYLES", repr(join_files(*(HERE / name for name in STYLES))))

    with chromium.new_context(locale="en-US") as context:
        context.set_default_timeout(10_000)
        page = context.new_page()
        answer_all(page, bed, "/desk.js", scripts)
        page.clock.install(time=BEGIN)
        page.clock.pause_at(BEGIN + 1)
        yield page


@pytest.fixture
def bench(tab: Any, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """An empty page of the usual size, with nothing stored. An uncaught error in it fails the test."""
    errors: list[str] = []

    def keep(error: Any) -> None:
        errors.append(str(error))

    tab.on("pageerror", keep)
    tab.set_viewport_size(SIZE)
    one = Bench(tab, request.node.name)
    one.open()
    tab.evaluate("localStorage.clear()")
    yield one
    tab.remove_listener("pageerror", keep)
    assert not errors, errors
