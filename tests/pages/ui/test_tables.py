"""Tables of which rows are clicked, by their numbers or their ids."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from judges.render.findings.findings import Column
from pages.ui import sheet, tables
from tests.pages.ui.sheet.bed import ORIGIN, answer_all


def test_figures_below_0_have_the_minus_sign_of_all_others_and_stay_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(tables.st, "dataframe", lambda frame, **more: drawn.extend((frame, more["column_config"])))
    columns = {"judge": Column(), "kappa": Column(".3f"), "difference": Column("+.2f"), "share": Column("+.0%")}
    rows = [("a", 0.5, -0.25, -0.125), (None, 0.25, None, 0.5), ("c", 0.0, 0.125, None)]
    tables.table([dict(zip(columns, row, strict=True)) for row in rows], columns)
    styler, config = drawn
    words = re.findall(r"<td[^>]*>([^<]*)</td>", styler.to_html())
    assert words[:4] == ["a", "0.5", "\u22120.25", "\u221212%"]
    assert words[4:] == ["–", "0.25", "–", "+50%", "c", "0.0", "+0.12", "–"]
    assert styler.data["difference"].dtype == styler.data["share"].dtype == "float64"
    formats = {name: column["type_config"].get("format") for name, column in config.items()}
    assert formats == {"judge": None, "kappa": "%.3f", "difference": None, "share": None}
    drawn.clear()
    tables.table([{"points": n} for n in (-7, 7, 0.5)], {"points": Column("+g")})
    assert re.findall(r"<td[^>]*>([^<]*)</td>", drawn[0].to_html()) == ["\u22127", "+7", "+0.5"]
    drawn.clear()
    tables.table([{"difference": 0.5}], {"difference": Column("+.2f")})
    assert drawn[1]["difference"]["type_config"]["format"] == "%+.2f"
    drawn.clear()
    tables.table([{"difference": -0.5}] * 20_001, {"difference": Column("+.2f")})
    assert drawn[1]["difference"]["type_config"]["format"] == "%+.2f", "a large table is drawn at once"


def test_a_click_on_a_table_of_other_items_opens_none_of_these(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit keeps by its key which cell of a table was clicked, as a number."""
    clicked, opened = dict[str, int](), list[str]()

    def draw(*_: object, key: str, **__: object) -> Any:
        cells = [(clicked.pop(key), "item")] if key in clicked else []
        drawn.append(key)
        return SimpleNamespace(selection=SimpleNamespace(cells=cells))

    drawn: list[str] = []
    monkeypatch.setattr(tables.st, "dataframe", draw)
    monkeypatch.setattr(tables.url_state, "open_page", lambda *_, item, **__: opened.append(item))
    tables.item_table([("a",), ("b",), ("c",)], ("item",), ["a", "b", "c"], "list", "demo")
    clicked[drawn[0]] = 1  # on b, while a is being answered by somebody else
    tables.item_table([("b",), ("c",)], ("item",), ["b", "c"], "list", "demo")
    assert opened == []
    tables.item_table([("a",), ("b",), ("c",)], ("item",), ["a", "b", "c"], "list", "demo")
    assert opened == ["b"]


def test_a_name_in_a_table_does_not_turn_what_stands_beside_it(page: Any) -> None:
    """On a narrow screen the title of its column; and a sign that turns letters turned a name itself."""
    bed = """<meta charset="utf-8"><div class="ledger"></div><script type="module">
        import draw from "/ledger.js";
        draw({data: window.table, parentElement: document.body});
    </script>"""
    table = {"label": "Queue", "columns": [["Item", ""], ["Stratum", ""]], "ids": ["1"], "actions": [], "detail": None}
    table |= {"rows": [["שיחה 12\nevil\u202emodel", "דגם 3"]], "chosen": True}
    scripts = sheet.join_files(tables.COMPONENT_FOLDER, sheet.ELEMENTS, "ledger.js")
    answer_all(page, f"<script>window.table = {json.dumps(table)}</script>{bed}", "/ledger.js", scripts)
    page.goto(ORIGIN)
    page.locator("td").first.wait_for()
    texts = [page.locator(css).text_content() for css in ("td .first", "td .soft", "td:last-child")]
    assert texts == ["\u2068שיחה 12\u2069", "evilmodel", "\u2068דגם 3\u2069"]
