"""Judges side by side in a real browser: which agrees better with people, and which of them the address names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from data.records import people
from data.store import open_store
from tests.data.judged_dataset import Seat, add_seats, crowd
from tests.pages.desk_driver import choose, enter
from tests.server import Server

NASTY = "支援 <b>x</b> ![a](https://canary.test/a.png)"


def test_the_better_judge_is_named_by_dimension_and_one_judge_alone_meets_baselines(
    serve: Callable[..., Server], page: Any
) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    add_seats(store, crowd(120), NASTY)
    add_seats(store, [Seat(n, [float(n % 5 + 1)], {"only": [float(n % 5 + 1)]}) for n in range(12)], "small")
    store.close()
    app.start()
    enter(page, app.url, "lea", f"comparison?dataset={quote(NASTY)}")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text(
        re.compile(
            r"good · multi_turn_dialogue agrees better with people than poor · multi_turn_dialogue on "
            "helpfulness"
        )
    )
    expect(main).to_contain_text("From 360 ratings of 120 items that people and all of these judges gave a value")
    expect(main).to_contain_text("Agreement between judges")
    choose(page, "Reference", re.compile("poor"))
    page.wait_for_url(re.compile("judge="))
    expect(main).to_contain_text(
        re.compile(
            r"good .* agrees better with people than poor .*difference in kappa 0\.\d\d "
            r"\(0\.\d\d to"
        )
    )
    enter(page, app.url, "lea", "comparison?dataset=small")
    expect(main).to_contain_text("This dataset has one judge so far")
    expect(main).to_contain_text("too few items for a conclusion (12 items; 30 are needed)")


@pytest.mark.parametrize(("address", "judges"), [(None, "b c"), ("", ""), ("c", "c"), ("gone", "b c")])
def test_the_address_keeps_which_judges_are_compared_and_that_none_are(address: str | None, judges: str) -> None:
    def form() -> None:
        import streamlit as st

        from pages.comparison import page

        st.text(" ".join(page.choose_judges({"a": "A", "b": "B", "c": "C"}, "a")))

    page = AppTest.from_function(form, default_timeout=60)
    if address is not None:
        page.query_params["with"] = address
    assert page.run().text[0].value == judges
