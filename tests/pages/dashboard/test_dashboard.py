"""The dashboard in a real browser: what a tile says, the way down to the items, filters, downloads, empty states."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from data.approvals import policy
from data.records import people
from data.records.values import WORKSPACE, put_setting
from data.store import open_store
from pages.dashboard import tiles
from pages.ui import sheet
from tests.data.cells import Cell, fill
from tests.data.dashboard.test_dashboard import LOOSE, NASTY, approve, dialogues
from tests.pages.contrast import faint
from tests.pages.desk_driver import at_rest, enter, press
from tests.pages.ui.sheet.bed import ORIGIN, answer_all
from tests.server import Server

SYSTEM = "対話モデル <b>x</b> ![a](https://canary.test/a.png)"


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """The app with one dataset that has approved dimensions and one that has none; nobody here writes anything."""
    server = serve_all(start=False)
    store = open_store(server.store)
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    dataset, judge = fill(store, dialogues(), NASTY, systems=lambda n: (SYSTEM if n % 2 else "model-x", ""))
    requirements = policy.to_stored(LOOSE)  # the policy of today is the one that was met
    store.tx("lea", "policy", lambda tx: put_setting(tx, WORKSPACE, "policy", requirements.pop("policy")))
    store.tx("lea", "policy", lambda tx: put_setting(tx, WORKSPACE, "approvals", requirements))
    approve(store, dataset, judge, "helpfulness", "verdict")
    fill(store, [Cell(n, "turn:1", (4.0,), 4.0, probability=0.5) for n in range(40)], "fresh")
    store.close()
    server.start()
    return server


def look(page: Any, app: Server, dataset: str = NASTY, more: str = "") -> Any:
    enter(page, app.url, "ann", f"dashboard?dataset={quote(dataset)}{more}")
    return page.get_by_test_id("stMain")


@pytest.mark.slow
def test_a_tile_leads_down_to_its_items(app: Server, page: Any) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    main = look(page, app)
    tile = page.get_by_role("region", name="helpfulness")
    expect(tile).to_contain_text("✓ approved")
    expect(tile).to_contain_text(re.compile(r"approved by lea on \d{4}-\d\d-\d\d"))
    expect(tile).to_contain_text(re.compile(r"People would rate .+ highest, \d\.\d\d on average on a scale of 1 to 5"))
    expect(tile).to_contain_text(SYSTEM)
    expect(tile).to_contain_text("what the judge itself says")
    expect(page.get_by_role("region", name="verdict")).to_contain_text("“excellent”")
    expect(main).to_contain_text("may not be shown")  # the withheld ones, with their reasons in a table
    assert not [url for url in urls if "Plotly" in url], "the first view is drawn without it"
    tile.focus()
    page.keyboard.press("Enter")
    tile_dialog = page.get_by_role("dialog", name="helpfulness · turn")
    expect(tile_dialog).to_contain_text("people would say")
    expect(tile_dialog.locator(".js-plotly-plot")).to_contain_text("対話モデル <b>x</b> ![a]")
    expect(page).to_have_url(re.compile("open=turn.helpfulness"))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("open="))
    expect(tile).to_be_focused()
    page.get_by_role("button", name=re.compile(r"^model-x: 5 in \d+%")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the judge says “5”")
    grid = dialog.get_by_test_id("stDataFrame")
    press(page, grid, 60, 33 + 16, r"/desk\?.*item=")
    assert not [url for url in urls if "canary" in url]


def test_what_is_open_stands_in_the_address_and_goes_as_a_file(app: Server, page: Any) -> None:
    main = look(page, app, more="&open=conversation.verdict&by=system&answer=1")
    dialog = page.get_by_role("dialog", name="verdict · conversation")
    expect(dialog.locator(".js-plotly-plot")).to_contain_text("“borderline”")
    expect(dialog.locator(".js-plotly-plot")).to_contain_text("all, corrected")  # the line: not the judge's own mean
    dialog.get_by_test_id("stPopoverButton").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="These figures, as CSV").click()
    rows = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("dimension,unit,system,of,by,slice,items") and len(rows) == 4
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    look(page, app, more="&open=turn.context_use")
    expect(main).to_contain_text("No figure of turn.context_use may be shown")
    at_rest(page)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_filters_stand_in_the_address_and_files_can_be_taken(app: Server, page: Any) -> None:
    look(page, app, more="&system=model-x&dimension=turn.helpfulness")
    tile = page.get_by_role("region", name="helpfulness")
    expect(tile).to_contain_text("People would rate model-x, ")
    expect(tile).to_contain_text("The judge itself says")
    at_rest(page)
    assert faint(tile) == {}  # on the darker shades of answers it was 2.7, on the badge 4.46
    expect(tile).not_to_contain_text("対話モデル")
    expect(page.get_by_role("region", name="verdict")).to_have_count(0)
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Everything, as one HTML file").click()
    html = Path(download.value.path()).read_text(encoding="utf-8")
    assert "People would rate" in html and "<b>x</b>" not in html
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_where_nothing_is_approved_it_says_what_has_to_happen(app: Server, page: Any) -> None:
    main = look(page, app, "fresh")
    expect(main).to_contain_text("Nothing is approved on this dataset yet")
    expect(main.get_by_role("link", name="See how the judge agrees")).to_be_visible()
    expect(main).to_contain_text("may not be shown")
    at_rest(page)
    expect(main.locator("section.tile")).to_have_count(0)


BED = """<!doctype html><meta charset="utf-8"><body><section class="tile"></section><script type="module">
import tile from "/tile.js";
window.draw = data => tile({data, parentElement: document.body, setTriggerValue: () => {}});
</script>"""


def test_a_narrow_tile_has_room_for_the_numbers_of_its_axis_and_for_all_figures(chromium: Any) -> None:
    """Of an axis to 100 in tens 90 touched 100, and a long name of a system took the width of the other columns."""
    words = dict.fromkeys(("answers", "figure", "people", "judge", "open", "few", "pairs"), "judge")
    ticks = [{"at": n, "t": str(n)} for n in range(0, 101, 10)]
    system: dict[str, Any] = {"system": 0, "name": "office/" + "assistant-" * 9, "figure": "59.2", "span": "59 to 60"}
    system |= {"own_told": ""}
    system |= {"point": None, "low": None, "high": None, "judge": 59.2, "told": "", "own": "", "spread": []}
    system |= {"spreadTold": "", "items": "13 items", "notes": []}
    names = ["system", "of", "corrected", "95% interval", "judge", "people, labelled items", "labelled", "unscored"]
    table = {"title": "All figures", "columns": names, "rows": [[system["name"], *["57.9"] * (len(names) - 1)]]}
    data: dict[str, Any] = dict.fromkeys(("unit", "by", "reading", "today"), "") | {"title": "tone", "trend": None}
    data |= {"badges": [], "answers": [], "words": words}
    data |= {"axis": {"lo": 0, "hi": 100, "ticks": ticks}, "systems": [system], "pairs": []}
    with chromium.new_context(viewport={"width": 900, "height": 700}) as context:
        page = context.new_page()
        folder = tiles.COMPONENT_FOLDER
        answer_all(page, BED, "/tile.js", sheet.join_files(folder, sheet.ELEMENTS, "tiles.js"))
        page.goto(ORIGIN)
        page.add_style_tag(content=sheet.join_files(folder, "tiles.css"))
        page.evaluate("data => draw(data)", data | {"tables": [table], "focus": False})
        boxes = "ts => ts.map(t => t.getBoundingClientRect()).filter(b => b.width).map(b => [b.left, b.right])"
        labels = page.locator(".axis text").evaluate_all(boxes)
        assert len(labels) == 6 and all(end + 3 < begin for (_, end), (begin, _) in pairwise(labels))
        page.locator("summary").click()
        assert page.locator(".wide").evaluate("e => e.scrollWidth <= e.clientWidth")
        page.set_viewport_size({"width": 1300, "height": 700})
        assert len(page.locator(".axis text").evaluate_all(boxes)) == 11
