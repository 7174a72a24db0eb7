"""Sentences of the page Annotators that depend on figures alone."""

from __future__ import annotations

import math
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judges.render.drawing import text_width
from pages.ui import charts


def test_a_rating_without_gold_does_not_count_as_one_whose_gold_differs() -> None:
    def page() -> None:
        import numpy as np
        import streamlit as st

        from data.annotators.annotators import DawidSkeneEstimate, DifferingCell
        from judges.stats.raters.dawid_skene import fit_dawid_skene
        from judges.types import Scale
        from pages.annotators import page

        model = fit_dawid_skene(*np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 2, 2]]), 5)
        cells = {
            "gold": DifferingCell("i1", "r1", "turn:1", 2.0, "median", 3.0, 0.9, (2.0, 3.0)),
            "waits": DifferingCell("i2", "r2", "turn:1", None, "waits", 3.0, 0.9, (1.0, 3.0)),
            "drawn": DifferingCell("i3", "r3", "turn:1", None, "drawn", 3.0, 0.9, (1.0, 3.0)),
        }
        differing = tuple(cells[name] for name in st.text_input("cells").split())
        estimate = DawidSkeneEstimate(model, 9, differing)
        page.draw_dawid_skene(estimate, differing, Scale("ordinal", 1, 5), "key", "demo")

    page_test = AppTest.from_function(page, default_timeout=60).run()
    begin = "Of 9 ratings with labels of two people or more, the estimate differs from gold in "
    for shown, end in {
        "": "**none**.",
        "gold": "**1**.",
        "gold waits": "**1**, and **1** more has no gold.",
        "waits drawn": "**none**, and **2** more have no gold.",
    }.items():
        page_test.text_input[0].set_value(shown).run()
        assert not page_test.exception
        assert page_test.markdown[0].value == begin + end
    assert set(page_test.dataframe[0].value["unit"]) == {"turn 1"}


@pytest.mark.parametrize("name", ["ann", "annotator-from-the-other-office", "高橋さくらの評価者"])
def test_the_name_above_the_last_column_has_room(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Of four people with longer names the last one was missing: plotly leaves out a name that reaches beyond it."""
    figures: list[Any] = []
    monkeypatch.setattr(st, "plotly_chart", lambda figure, **_: figures.append(figure))
    charts.confusion_grid([[math.nan, 0.5], [0.5, math.nan]], [["", ""]] * 2, ["ben", name], "key")
    [figure] = figures
    width, slant = text_width(figure.layout.xaxis.ticktext[1], 12), math.radians(-figure.layout.xaxis.tickangle)
    assert figure.layout.margin.r >= width * math.cos(slant) and figure.layout.margin.t >= width * math.sin(slant)
