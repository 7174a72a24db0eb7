"""Rows of a spreadsheet that sum up the others."""

from __future__ import annotations

from typing import Any

import pytest

from judges.importing.summary_rows import drop_summaries
from tests.judges.importing.table_rows import match_rows

ROWS: list[dict[str, Any]] = [{"id": f"q{n}", "judge": n % 5 + 1, "human": (n * 2) % 5 + 1} for n in range(20)]


def names_dropped(*last: dict[str, Any]) -> list[str]:
    """The names of the rows that are dropped where a table ends with these."""
    names: list[str] = []
    rest = list(drop_summaries([*ROWS, *last], lambda row: row, names))
    assert rest == [row for row in (*ROWS, *last) if row in rest]
    assert len(rest) + len(names) == len(ROWS) + len(last)
    return names


@pytest.mark.parametrize(
    "last",
    [
        [{"id": "Total", "judge": 61, "human": "60"}],
        [{"id": "合計", "judge": "61", "human": ""}, {"id": "平均", "judge": "3.05", "human": "#DIV/0!"}],
        [{"id": "", "judge": "Mean:", "human": 3.2}, {"id": "Std. Dev.", "judge": 1.1, "human": 1.2}],
        [{"id": "Grand Total", "judge": "85%", "human": None}],
        [{"id": "Subtotal", "judge": 31, "human": ""}, {"id": "Total", "judge": 31, "human": 32}],
    ],
)
def test_rows_that_sum_up_are_dropped_at_the_end(last: list[dict[str, Any]]) -> None:
    assert len(names_dropped(*last)) == len(last)


def test_rows_with_fewer_cells_are_dropped_anywhere() -> None:
    assert names_dropped({"id": "Subtotal", "judge": 31, "human": ""}, {"id": "q21", "judge": 3, "human": 4}) == [
        "Subtotal"
    ]


@pytest.mark.parametrize(
    "last",
    [
        [{"id": "mean", "judge": 3, "human": 4}, {"id": "q21", "judge": 3, "human": 4}],  # not at the end
        [{"id": "Total", "judge": "", "human": ""}],
        [{"id": "total", "text": "The total is wrong.", "judge": 3, "human": 4}],
        [{"id": "totality", "judge": 3, "human": 4}],
        [],
    ],
)
def test_other_rows_are_kept(last: list[dict[str, Any]]) -> None:
    assert names_dropped(*last) == []


def test_the_agreement_of_a_table_leaves_them_out_and_says_so() -> None:
    total = {"id": "Total", "judge": 61, "human": 60}
    alone, summed = (match_rows(rows) for rows in (ROWS, [*ROWS, total]))
    assert summed.people == alone.people and summed.replies == alone.replies
    assert "1 row (Total) is left out, as it sums up others." in summed.assumptions
