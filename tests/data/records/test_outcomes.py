"""The SQL of answers: of which answer of a scale a value is."""

from __future__ import annotations

import duckdb

from data.records.outcomes import answer_sql
from judges.types import Scale


def test_the_answer_nearest_to_a_value_is_one_that_the_scale_has() -> None:
    steps, any_number, whole = Scale("interval", 0, 10, step=0.5), Scale("interval", 0, 1), Scale("ordinal", 1, 5)
    for scale, value, nearest in ((steps, 3.3, 3.5), (any_number, 0.33, 0.33), (whole, 3.3, 3)):
        query = f"select {answer_sql('x', scale)} from (select $1 as x) v"
        assert duckdb.execute(query, [value]).fetchall() == [(nearest,)]
