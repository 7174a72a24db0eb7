"""What can be taken away from pages, in a real browser: the report, a plot as a picture, an SVG painted as PNG."""

from __future__ import annotations

import io
import shlex
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from xml.etree import ElementTree

import pytest
import streamlit as st
from PIL import Image
from playwright.sync_api import expect

from data.records import people
from data.records.access import Person, Visit
from data.store import open_store
from data.workspace import backups
from judges.render import svg
from pages.server import downloads
from pages.ui import picture, session, tables
from pages.workspace import page as workspace_page
from tests.data.cells import Cell, fill
from tests.pages.desk_driver import enter
from tests.server import ROOT, Server

NAME = "対話 <b>x</b>"
LIGHT, ACCENT_LIGHT = (251, 251, 250), (15, 118, 110)


def colours(file: Path) -> Counter[tuple[int, ...]]:
    """How many pixels of a picture have which colour."""
    picture = Image.open(io.BytesIO(file.read_bytes())).convert("RGB")
    return Counter({colour: n for n, colour in picture.getcolors(1 << 24) or []})


@pytest.mark.slow
def test_report_and_plot_from_the_calibration_page(serve: Callable[..., Server], new_page: Callable[..., Any]) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    cells = [Cell(n, "turn:1", (float(n % 5 + 1),), float(n % 5 + 1), probability=0.5) for n in range(110)]
    fill(store, cells, NAME)
    store.close()
    app.start()
    page = new_page(color_scheme="dark")
    enter(page, app.url, "lea", f"calibration?dataset={quote(NAME)}")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as report:
        page.get_by_role("button", name="Report (HTML)").click()
    assert report.value.suggested_filename == "assay-対話-b-x-b--m.html"
    document = Path(report.value.path()).read_text(encoding="utf-8")
    page.keyboard.press("Escape")
    page.locator("svg.plot").first.hover()
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save as PNG").first.click()
    assert picture.value.suggested_filename == "plot-gate-counted.png"
    counts = colours(Path(picture.value.path()))
    assert counts.most_common(1)[0][0] == LIGHT  # on a dark page too: it is to be printed
    assert counts[ACCENT_LIGHT] > 100
    page.get_by_role("button", name="Download").click()
    page.get_by_role("radio", name="SVG").click()
    page.keyboard.press("Escape")
    with page.expect_download() as drawing:
        page.get_by_role("button", name="Save as SVG").first.click()
    assert drawing.value.suggested_filename == "plot-gate-counted.svg"
    assert "required: 0.50" in "".join(ElementTree.parse(drawing.value.path()).getroot().itertext())

    # The report stands by itself, in a browser that reaches nothing and runs no script.
    alone = new_page(java_script_enabled=False, offline=True)
    urls: list[str] = []
    alone.on("request", lambda request: urls.append(request.url))
    alone.set_content(document)
    expect(alone.get_by_role("heading", level=1)).to_have_text(f"How far m agrees with people on {NAME}")
    expect(alone.locator("svg.plot").first).to_be_visible()
    assert urls == []


def test_a_long_japanese_name_names_a_file(tmp_path: Path) -> None:
    file = tmp_path / f"{picture.file_name('対話' * 60, 'labels')}.parquet.part"
    file.touch()
    assert file.name.startswith("対話" * 33)
    assert picture.file_name("a" * 130) == "a" * 120


def test_whatever_a_file_is_called_its_address_leads_to_it(tmp_path: Path) -> None:
    """A backup bears the name of the workspace's file, which people chose."""
    store = open_store(f"duckdb:///{tmp_path / 'one.duckdb'}")
    people.join_workspace(store, "lea")
    file = tmp_path / "c# or 50%20? 対話.duckdb"
    address = urlsplit(downloads.offer(file, Visit(store, "lea")))
    assert unquote(address.path.rpartition("/")[2]) == file.name and not address.query and not address.fragment
    store.close()


def test_the_command_that_restores_a_backup_holds_where_folders_have_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    backup = SimpleNamespace(name="my work-1.duckdb", made_at=datetime(2026, 1, 2), size=1, revision=1, by="lea")
    commands: list[str] = []
    monkeypatch.setattr(session, "store", lambda: None)
    monkeypatch.setattr(backups, "list_backups", lambda _: [backup])
    monkeypatch.setattr(backups, "backup_folder", lambda _: Path("/home/me/my work/backups"))
    monkeypatch.setattr(tables, "wrapped_table", lambda *_, **__: None)
    monkeypatch.setattr(st, "code", lambda command, **_: commands.append(command))
    workspace_page._backups(Person("lea", "lead", True))
    assert shlex.split(commands[0])[-1] == "/home/me/my work/backups/my work-1.duckdb"


def test_an_svg_is_painted_as_png(new_page: Callable[..., Any]) -> None:
    page = new_page(color_scheme="dark")
    page.set_content('<div id="place"><button class="save"></button><span class="said"></span></div>')
    plot = svg.interval_plot([svg.IntervalRow("名前 <x>", "turn", 0.5, 0.4, 0.6, 0.45, "meets policy")], 0.5, "asked")
    folder = ROOT / "pages" / "ui" / "picture"
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in ("save.js", "button.js"))
    page.evaluate(
        """async ([script, svg]) => {
          const made = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
          const data = { svg, name: "figure", label: "Save as PNG" };
          made.default({ data, parentElement: document.querySelector("#place") });
        }""",
        [script, plot],
    )
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save as PNG").click()
    assert picture.value.suggested_filename == "figure.png"
    file = Path(picture.value.path())
    assert Image.open(file).width == 2 * 760
    counts = colours(file)
    assert counts.most_common(1)[0][0] == LIGHT
    assert counts[ACCENT_LIGHT] > 100
