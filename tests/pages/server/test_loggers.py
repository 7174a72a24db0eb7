"""A page that fails is logged with its lines of code and without what they worked on; every page says the version."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from judges.version import VERSION
from tests import seeds
from tests.pages.desk_driver import at_rest, enter, patiently
from tests.server import ROOT, Server

CANARY = "canary-4711"
BREAKS = """
from data.trail import trail

def _broken(*_):
    raise KeyError("-".join(("canary", "4711")) + chr(10) + "2026-01-01T00:00:00.000Z ERROR " + "for" + "ged x=1")

trail.acting_people = _broken
"""
FOOT = "getComputedStyle(document.querySelector('[data-testid=stMainBlockContainer]'), '::after').content"


@pytest.fixture
def breaking(tmp_path: Path) -> Server:
    """The app, whose audit log fails in a way that nobody foresaw."""
    root = tmp_path / "assay"
    root.mkdir()
    for name in ("pages", "data", "judges", ".streamlit"):
        (root / name).symlink_to(ROOT / name)
    (root / "app.py").write_text((ROOT / "app.py").read_text(encoding="utf-8") + BREAKS, encoding="utf-8")
    return Server(tmp_path, root=root)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_page_that_fails_is_logged_without_its_texts(breaking: Server, page: Any, form: str) -> None:
    seeds.dialogues(breaking.store_path, 1)
    breaking.env["ASSAY_LOG_FORMAT"] = form
    breaking.start()
    try:
        enter(page, breaking.url, "lea", "trail")
        assert patiently(lambda: "page_failed" in breaking.log), breaking.log
        at_rest(page)
        assert CANARY not in page.locator("body").inner_text()
        enter(page, breaking.url, "ann", "trail")
        page.get_by_text("researcher").first.wait_for()
    finally:
        breaking.stop()
    log = breaking.log
    assert CANARY not in log and "forged" not in log
    first = next(line for line in log.splitlines() if "page_failed" in line)
    if form == "text":
        assert re.search(r"Z ERROR page_failed .*page=/trail .*error=KeyError$", first)
        assert "    Traceback (most recent call last):" in log and "in _broken" in log
    else:
        assert '"page": "/trail"' in first and '"error": "KeyError"' in first and "in _broken" in first
    assert log.count("page_failed") == 1, "Who may not see a page is told so there, and it is nothing for the log."
    assert "server_started version=" in log or '"event": "server_started"' in log
    assert log.rstrip().splitlines()[-1].count("server_stopped") == 1


@pytest.mark.slow
def test_every_page_but_the_desk_says_the_version(serve: Any, page: Any) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 2)
    app.start()
    page.goto(app.url)
    at_rest(page)
    assert page.evaluate(FOOT) == f'"Assay {VERSION}"'
    for path, footer in (("people", f'"Assay {VERSION}"'), ("desk?stream=review", "none"), ("", f'"Assay {VERSION}"')):
        enter(page, app.url, "lea", path)
        at_rest(page)
        assert page.evaluate(FOOT) == footer, path
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
