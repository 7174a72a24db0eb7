"""Tables of which rows are clicked, by their numbers or their ids."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pages.ui import tables


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
