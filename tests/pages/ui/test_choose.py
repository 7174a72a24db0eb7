"""Choosers that several pages share."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.records import datasets
from pages.ui import choose, text
from tests.data.imports import bring, pair, verdict, workspace


def draw_note() -> None:
    """The note about a filter of a queue that the address sets."""
    from pages.ui import choose

    choose.note_ignored_filter("system", "system", {"x": "X"})


@pytest.mark.parametrize(
    ("address", "named"),
    [(None, []), ("", []), ("x", []), ("![b](c)", [text.escape("![b](c)")]), ("y" * 61, ["y" * 60 + "…"])],
)
def test_a_filter_of_the_address_that_cannot_be_chosen_is_named(address: str | None, named: list[str]) -> None:
    app = AppTest.from_function(draw_note, default_timeout=60)
    if address is not None:
        app.query_params["system"] = address
    words = "The address names the system **{}**, which is no choice here. Nothing is filtered by it."
    assert [warning.value for warning in app.run().warning] == [words.format(name) for name in named]


def test_judges_of_one_name_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    """They had the beginnings of their ids, which say nothing of which is the new one."""
    store = workspace(tmp_path)
    bring(store, [pair("p1"), verdict("p1", "a", model="one"),
                  *(verdict("p1", "a", model="two", params={"temperature": t}) for t in (0, 1))])  # fmt: skip
    judges = datasets.dataset_judges(store, datasets.dataset_named(store, "d").id)
    names = choose.judge_names(store, judges)
    assert sorted(names.values()) == [
        "one · plain_pairwise", "two · plain_pairwise · temperature 0", "two · plain_pairwise · temperature 1"
    ]  # fmt: skip
    assert [names[judge.id].partition(" · ")[0] for judge in judges] == [judge.model for judge in judges]
    store.close()


def test_the_model_of_a_judge_stands_before_its_card_whichever_way_it_runs(tmp_path: Path) -> None:
    """A sentence that isolates the whole name had the card first."""
    store = workspace(tmp_path)
    bring(store, [pair("p1"), verdict("p1", "a", model="שופט-3")])
    [name] = choose.judge_names(store, datasets.dataset_judges(store, datasets.dataset_named(store, "d").id)).values()
    assert name == "\u2068שופט-3\u2069 · plain_pairwise"
    assert text.isolate(name) == f"\u2068{name}\u2069" and text.isolate_names(name) == name
    store.close()
