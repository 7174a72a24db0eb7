"""Choices that are kept in the address."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def draw_filter() -> None:
    """A filter of a queue, whose options are those of the dataset."""
    import streamlit as st

    from pages.ui import url_state

    options = {"a": {"x": "X", "y": "Y"}, "b": {"z": "Z"}}[st.selectbox("Dataset", ["a", "b"])]
    st.text(f"{url_state.chosen_option('system', options)} {url_state.optional('system', 'System', options)}")


@pytest.fixture
def page() -> AppTest:
    """The filter as a link opens it."""
    app = AppTest.from_function(draw_filter, default_timeout=60)
    app.query_params["system"] = "x"
    return app.run()


def test_a_filter_of_a_link_and_one_that_was_chosen_can_be_cleared(page: AppTest) -> None:
    for chosen in ("x", "y"):
        page.selectbox[1].set_value(chosen).run()
        assert page.text[0].value == f"{chosen} {chosen}" and page.query_params["system"] == chosen
        assert not page.selectbox[1].proto.HasField("default"), "or Streamlit offers nothing to clear it by"
        assert page.selectbox[1].set_value(None).run().text[0].value == "None None"
        assert "system" not in page.query_params


def test_a_filter_that_another_dataset_does_not_have_holds_again_when_its_own_dataset_is_back(page: AppTest) -> None:
    shown = [page.selectbox[0].set_value(dataset).run().text[0].value for dataset in ("b", "a", "b", "a")]
    assert shown == ["None None", "x x", "None None", "x x"]
