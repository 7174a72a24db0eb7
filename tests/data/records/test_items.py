"""Stored items: fetched by their ids, and searched by their words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.records.datasets import dataset_named
from data.records.items import (
    contains_words,
    item_ids_of_names,
    item_preview,
    load_item,
    load_items,
    neutral_name,
)
from data.store.errors import BadInput, NotFound
from judges.types import ITEM
from tests import seeds
from tests.data.imports import bring, pair, workspace

CHAT = [{"turn": 1, "role": "user", "text": "Where is Kyoto?"}, {"turn": 1, "role": "assistant", "text": "In Kansai."}]


def test_items_come_in_the_order_of_their_ids_and_without_ids_there_are_none(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [seeds.dialogue(1), pair("p1")])
    ids = dict(store.rows("select name, id from item"))
    requested = [ids["p1"], "nobody's", ids["d-0001"], ids["p1"]]
    assert [item.name for item in load_items(store, requested)] == ["p1", "d-0001", "p1"]
    assert load_items(store, []) == []
    store.close()


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({**seeds.dialogue(1), "scenario": "A Shop", "turns": CHAT}, ("shop", "kyoto", "in kansai")),
        ({**pair(a="First one.", b="Second one."), "input": "Tell me."}, ("first", "second one", "tell me")),
        ({**pair(), "input": CHAT, "sections": [{"label": "Opening"}]}, ("kyoto", "kansai", "opening")),
        ({"kind": "response", "task": "Add.", "output": "FOUR", "reference": "4!"}, ("add", "four", "4!")),
    ],
)
def test_words_are_found_in_every_text_and_in_nothing_else(item: dict[str, Any], words: tuple[str, ...]) -> None:
    content = json.dumps({**item, "system": "hidden-1", "meta": {"note": "hidden-2"}})
    assert all(contains_words(content, word) for word in words)
    assert not any(contains_words(content, word) for word in ("hidden", "nowhere", "user", "kind"))


@pytest.mark.parametrize(
    ("name", "systems", "is_hidden"),
    [
        ("d-0001", ("bot",), False), ("Ro-Bot 7", ("robot",), True), ("reply-GPT4", ("gpt-4", "x"), True),
        ("d-x-1", ("x",), True), ("xylophone", ("x",), False), ("a1", ("", "q"), False), ("a1", (), False),
    ],
)  # fmt: skip
def test_a_name_that_tells_a_system_is_hidden(name: str, systems: tuple[str, ...], is_hidden: bool) -> None:
    """One of one or two letters tells it as a word only."""
    assert neutral_name("0123456789", name, systems) == ("item 01234567" if is_hidden else name)


def test_items_are_found_by_their_names_in_their_order_or_told_to_be_missing(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [pair(f"p{n}") for n in range(3)])
    dataset, ids = dataset_named(store, "d").id, dict(store.rows("select name, id from item"))
    assert item_ids_of_names(store, dataset, ["p2", "p0", "p2"]) == [ids["p2"], ids["p0"], ids["p2"]]
    assert load_item(store, ids["p1"]).name == "p1"
    missing_names = [f"lost-{n}" + "x" * 40 * (n == 1) for n in range(7)]
    for names, says in (
        ([], "Name at least one item."),
        (["p1", "lost"], "This dataset has no item lost."),
        (missing_names, f"This dataset has no item lost-0, lost-1{'x' * 34}, lost-2, lost-3, lost-4."),
    ):
        with pytest.raises(BadInput) as refused:
            item_ids_of_names(store, dataset, names)
        assert str(refused.value) == says
    with pytest.raises(BadInput, match=r"This dataset has no item p1\."):
        item_ids_of_names(store, "another", ["p1"])
    with pytest.raises(NotFound, match="There is no such item"):
        load_item(store, "nobody's")
    store.close()


@pytest.mark.parametrize(
    ("item", "preview"),
    [
        ({**seeds.dialogue(1), "scenario": " \n -- \n A Shop \nOpen"}, "A Shop"),
        ({**seeds.dialogue(1), "scenario": "", "turns": CHAT}, "Where is Kyoto?"),
        ({**pair(), "input": "?!\nTell me.\nNow."}, "Tell me."), ({**pair(), "input": CHAT}, "Where is Kyoto?"),
        ({"id": "r", "kind": "response", "task": "Add.", "output": "4"}, "Add."),
        ({"id": "r", "kind": "response", "task": "...", "output": "\nFOUR"}, "FOUR"),
        ({"id": "r", "kind": "response", "task": "", "output": "--"}, ""),
    ],
)
def test_a_preview_is_the_first_line_with_a_letter(item: dict[str, Any], preview: str) -> None:
    assert item_preview(ITEM.validate_python(item).model_dump_json()) == preview
