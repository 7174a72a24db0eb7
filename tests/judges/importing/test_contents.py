"""Plain files are read as the import reads them: the delimiter of a table is the one that fits its rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judges.importing.contents import read_files, read_rows
from judges.importing.line_files import BadLines


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('id;"tone, style, length"\n1;4\n2;5\n', {"id": "1", "tone, style, length": "4"}),
        ('"a|b|c",score\n"x",1\n', {"a|b|c": "x", "score": "1"}),
        ("id\tscore;\n1\t4\n", {"id": "1", "score;": "4"}),
        ("sep=|\na,b|c,d\n1|2\n", {"a,b": "1", "c,d": "2"}),
        ("word\na,b\n", "The row has 2 fields, and the header has 1."),
    ],
)
def test_the_delimiter_is_the_one_that_fits_the_rows(tmp_path: Path, text: str, first: object) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text, encoding="utf-8")
    assert read_rows(file)[1][0][1] == first


def test_half_a_line_at_the_end_of_the_sample_counts_not(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a;b\n" + f"1;{'x,' * 50_000}x\n", encoding="utf-8")
    assert [len(row) for _, row in read_rows(file)[1]] == [2]


def test_a_cell_that_is_nested_too_deep_is_a_text_and_its_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "judgments.csv"
    file.write_text(f"item,card,model,raw,params\na,c,m,x,{'[' * 5_000}\n", encoding="utf-8")
    with pytest.raises(BadLines, match=r"line 2: params: input should be a valid dictionary"):
        read_files([file])


def test_items_of_lines_are_there_by_their_ids_and_parameters_may_be_a_text(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    item = {"id": "r", "kind": "response", "task": "t", "output": "o"}
    score = {"item": "r", "unit": "response", "dimension": "tone", "judge": "m", "card": "c", "sample": 0, "code": 1.0}
    lines = [item, {**score, "params": '{"seed": 7}'}, {**score, "params": {"seed": 8}}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    contents = read_files([file])
    assert list(contents.items) == ["r"] and [value.params["seed"] for value in contents.scores] == [7, 8]


def test_flags_of_a_table_are_read(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    names = "item,unit,dimension,judge,card,sample,code,synthetic"
    file.write_text(f"{names}\nr,response,tone,m,c,0,1,true\ns,response,tone,m,c,0,1,false\n", encoding="utf-8")
    assert [value.row["synthetic"] for value in read_files([file]).scores] == [True, False]


def test_what_holds_no_rows_is_told_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "t.xlsx"
    file.write_bytes(b"PK\x03\x04\x14[Content_Types].xml_rels/.relsxl/workbook.xml")
    with pytest.raises(BadLines, match=r"is a workbook of a spreadsheet program\. Save its sheet as CSV"):
        read_rows(file)


def test_an_element_of_a_list_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text('[{"id": 1, "human": 2},\n {"id": 2, "human": NaN},\n {"id": 3, "human": 4}]', encoding="utf-8")
    with pytest.raises(BadLines, match=r"t\.json, line 2: holds NaN, which is not a JSON number\."):
        read_files([file])
    contents = read_files([file], good_rows=True)
    assert [record.value["id"] for record in contents.tables[file]] == [1, 3] and len(contents.assumptions) == 1


@pytest.mark.parametrize(
    "columns", [{"kind": "math"}, {"card": "x", "model": "m"}, {"item": "q", "dimension": "tone", "mode": "m"}]
)
def test_a_table_with_columns_that_lines_of_assay_have_too_is_a_table(tmp_path: Path, columns: dict[str, str]) -> None:
    file = tmp_path / "t.csv"
    names = ["id", *columns, "judge", "human"]
    file.write_text("\n".join([",".join(names), ",".join(["q1", *columns.values(), "1", "2"])]), encoding="utf-8")
    assert list(read_files([file]).tables) == [file]
