"""Choosers that several pages share."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import text


def draw_note() -> None:
    """The note about a filter of a queue that the address sets."""
    from pages.ui import choose

    choose.note_ignored_filter("system", "system", {"x": "X"})


@pytest.mark.parametrize(
    ("address", "named"),
    [(None, []), ("", []), ("x", []), ("![b](c)", [text.escape("![b](c)")]), ("y" * 61, ["y" * 60 + "…"])],
)
def test_a_filter_of_the_address_that_cannot_be_chosen_is_named(address: str | None, named: list[str]) -> None:
    app = AppTest.from_function(draw_note)
    if address is not None:
        app.query_params["system"] = address
    words = "The address names the system **{}**, which is no choice here. Nothing is filtered by it."
    assert [warning.value for warning in app.run().warning] == [words.format(name) for name in named]
