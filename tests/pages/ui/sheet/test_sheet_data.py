"""The sheets that the scripts are tried on are made like those that the server sends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.desk import desk
from data.queue.queue import QueueFilters, claim_items
from data.records.datasets import dataset_named
from judges.triage import judges_disagree
from pages.ui.sheet import sheet_data
from tests import seeds
from tests.pages.ui.sheet import fakes

Json = dict[str, Any]


def fields(sheet: Json) -> dict[str, set[str]]:
    """The names of the fields of a sheet, of all its rows, of their cells and of the judge's values in them."""
    rows = sheet["rows"]
    cells = [cell for row in rows for group in row["groups"] for cell in group["cells"]]
    by_sort = {"sheet": [sheet], "row": rows, "cell": cells, "judge": [c["judge"] for c in cells if c["judge"]]}
    for sort, entries in by_sort.items():
        assert all(set(entry) == set(entries[0]) for entry in entries), f"not every {sort} has the same fields"
    return {sort: set(entries[0]) for sort, entries in by_sort.items() if entries}


def test_a_made_up_sheet_has_the_fields_of_a_real_one(tmp_path: Path) -> None:
    item = seeds.dialogue(1)
    store = seeds.workspace(tmp_path / "a.duckdb", [item, seeds.judgment(item)])
    demo = dataset_named(store, "demo").id
    [view] = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "review", QueueFilters(), [], 1))
    real = fields(sheet_data.sheet_data(view))
    for name in ("gallery", "formatted", "numbers", "tools"):
        for sheet in fakes.CASES[name]():
            fake = fields(sheet)
            assert fake == {sort: real[sort] for sort in fake}, sheet["name"]


def test_a_tool_that_was_called_before_two_answers_says_what_it_is(tmp_path: Path) -> None:
    """The desk folds it away below that line; without one, it could not draw the item."""
    turns = [
        {"turn": 1, "role": "user", "text": "How warm is it?"},
        {"turn": 1, "role": "tool", "name": "search", "text": "21 degrees"},
        {"turn": 1, "role": "assistant", "text": "Wait."}, {"turn": 2, "role": "user", "text": "Well?"},
    ]  # fmt: skip
    pair = {"id": "p", "kind": "pair", "input": turns, "response_a": {"text": "21"}, "response_b": {"text": "Warm."}}
    store = seeds.workspace(tmp_path / "a.duckdb", [pair], audit=1)
    demo = dataset_named(store, "demo").id
    [view] = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "audit", QueueFilters(), [], 1))
    [head] = sheet_data.sheet_data(view)["head"]
    assert [(t["role"], t.get("label", "")) for t in head["turns"]] == [
        ("user", ""), ("tool", "result of search"), ("assistant", ""), ("user", "")
    ]  # fmt: skip


def test_a_reason_isolates_the_names_in_it(tmp_path: Path) -> None:
    item = seeds.dialogue(1)
    store = seeds.workspace(tmp_path / "a.duckdb", [item, seeds.judgment(item)])
    demo = dataset_named(store, "demo").id
    [view] = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "review", QueueFilters(), [], 1))
    doubt = judges_disagree(item["id"], "turn:1", "safety", 2, 4, "שופט")
    sheet = sheet_data.sheet_data(replace(view, why=(doubt.text,), doubts=(doubt,)))
    [reason] = sheet["why"]
    cells = [cell for row in sheet["rows"] for group in row["groups"] for cell in group["cells"]]
    assert reason == {"text": "turn 1 safety: \u2068שופט\u2069 disagrees", "unit": "turn:1", "dimension": "safety"}
    assert {cell["reason"] for cell in cells} == {"", reason["text"]}


@pytest.mark.parametrize(
    ("scenario", "user", "title"),
    [
        ("Please compare v2.5 with v2.6. Be brief.", "", "Please compare v2.5 with v2.6."),
        ("", "My mail is ann.lee@example.org, please help! Soon.", "My mail is ann.lee@example.org, please help!"),
        ("", "荷物がまだ届きません。どこにありますか？明日から出張です。", "荷物がまだ届きません。どこにありますか？"),
        ("", "```python\nprint(1.25)\n```\nWhat is it?", "print(1.25)"),
        ("", "# How?", "How?"),
    ],
)
def test_the_title_is_the_first_sentence_of_the_scenario_or_of_the_user(
    tmp_path: Path, scenario: str, user: str, title: str
) -> None:
    """And not a part of a number or an address, nor the system prompt, which is the same for every item."""
    system = {"turn": 1, "role": "system", "text": "You are a helpful assistant."}
    item = {**seeds.dialogue(1), "scenario": scenario}
    item["turns"] = [system, {"turn": 1, "role": "user", "text": user or "Hi"}, *item["turns"][1:]]
    store = seeds.workspace(tmp_path / "a.duckdb", [item, seeds.judgment(item)])
    demo = dataset_named(store, "demo").id
    [view] = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "review", QueueFilters(), [], 1))
    assert sheet_data.sheet_data(view)["title"] == title
