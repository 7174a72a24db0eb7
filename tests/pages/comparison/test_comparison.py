"""Judges side by side in a real browser: which agrees better with people, and which of them the address names."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from data.records import people
from data.store import open_store
from judges.stats.uncertainty import Interval
from pages.comparison import page as comparison
from pages.ui import tables, text
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


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        ([("cannot tell", 0.04), ("better", 0.001)], "1 difference is significant by itself, with"),
        ([("cannot tell", 0.05), ("cannot tell", 0.04), ("cannot tell", 0.06)], "2 differences are significant by"),
        ([("cannot tell", None), ("too few items", 0.01), ("worse", 0.01)], ""),
    ],
)
def test_intervals_without_0_that_are_not_significant_are_explained(
    monkeypatch: pytest.MonkeyPatch, verdicts: list[tuple[str, float | None]], sentence: str
) -> None:
    kappa = Interval(0.3, 0.1, 0.5, 0.12, 40, 40, 40.0, "bootstrap")
    dimension: Any = SimpleNamespace(title_with_sort="helpful · turn")
    pairs: Any = {
        str(n): SimpleNamespace(verdict=verdict, p=p, adjusted=p, difference=kappa)
        for n, (verdict, p) in enumerate(verdicts)
    }
    compared: Any = SimpleNamespace(kappas=dict.fromkeys(["a", *pairs], kappa))
    rows: Any = [(dimension, None, compared, pairs)]
    sentences: list[str] = []
    monkeypatch.setattr(tables, "clickable_table", lambda *_, **__: None)
    monkeypatch.setattr(text, "quiet", lambda sentence, **words: sentences.append(sentence.format(**words)))
    comparison._draw_table(rows, {name: name for name in compared.kappas}, "a", "x", lambda _: None)
    assert [line.startswith(sentence) for line in sentences] == [True] * bool(sentence)
