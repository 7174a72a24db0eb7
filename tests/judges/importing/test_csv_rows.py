"""Headers of several rows in a table."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from judges.importing.column_names import column_names
from judges.importing.contents import read_files
from judges.importing.csv_rows import Dialect, join_headers, read_csv


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("id|Human||LLM|", "|tone|truth|tone|truth", "id|Human tone|Human truth|LLM tone|LLM truth"),
        ("||R 1||R 2|", "id|text|tone|truth|tone|truth", "id|text|R 1 tone|R 1 truth|R 2 tone|R 2 truth"),
        ("id|judge|human||", "x1|4|5||", ""),
        ("id|Human||LLM|", "x1|4|5|3|2", ""),
        ("id|text||human|", "x1|a text|more of it|good|bad", ""),
        ("|question|judge|human", "1|q|good|good", ""),
        ("id|Human||LLM|", "|tone|tone|tone|tone", ""),
    ],
)
def test_a_second_row_of_names(first: str, second: str, names: str) -> None:
    assert "|".join(join_headers(column_names(first.split("|")), second.split("|"))) == names


def test_questions_and_their_ids_are_dropped_only_together() -> None:
    def read(*rows: str) -> list[str]:
        text = "\n".join(["q;n", *rows])
        return [";".join(r.value.values()) for r in read_csv("t", io.BytesIO(text.encode()), Dialect("utf-8", ";"))]

    names, ids, answers = "How good?;x", '"{""ImportId"":""QID1""}";y', "4;z"
    plain_ids = '{"ImportId":"QID1"};y'
    assert read(names, ids, answers) == [answers]
    for rows in ([names, answers, answers], [answers], [], [answers, answers, ids]):
        assert read(*rows) == [plain_ids if row == ids else row for row in rows]


def test_the_agreement_reads_such_tables(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("id,Human,,LLM,\n,tone,truth,tone,truth\nx1,4,5,3,2\n", encoding="utf-8")
    rows = [record.value for record in read_files([file]).tables[file]]
    assert rows == [{"id": "x1", "Human tone": "4", "Human truth": "5", "LLM tone": "3", "LLM truth": "2"}]
