"""The sheets that the scripts are tried on are made like those that the server sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data.desk import desk
from data.queue.queue import QueueFilters, claim_items
from data.records.datasets import dataset_named
from pages.ui.sheet import sheet_data
from tests import seeds
from tests.pages.ui.sheet import fakes

Json = dict[str, Any]


def fields(sheet: Json) -> dict[str, set[str]]:
    """The names of the fields of a sheet, of all its rows, of their cells and of the judge's values in them."""
    rows = sheet["rows"]
    cells = [cell for row in rows for group in row["groups"] for cell in group["cells"]]
    found = {"sheet": [sheet], "row": rows, "cell": cells, "judge": [c["judge"] for c in cells if c["judge"]]}
    for sort, several in found.items():
        assert all(set(one) == set(several[0]) for one in several), f"not every {sort} has the same fields"
    return {sort: set(several[0]) for sort, several in found.items() if several}


def test_a_made_up_sheet_has_the_fields_of_a_real_one(tmp_path: Path) -> None:
    item = seeds.dialogue(1)
    store = seeds.workspace(tmp_path / "a.duckdb", [item, seeds.judgment(item)])
    demo = dataset_named(store, "demo").id
    [view] = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "review", QueueFilters(), [], 1))
    real = fields(sheet_data.sheet_data(view))
    for name in ("gallery", "formatted", "numbers", "tools"):
        for sheet in fakes.CASES[name]():
            made = fields(sheet)
            assert made == {sort: real[sort] for sort in made}, sheet["name"]
