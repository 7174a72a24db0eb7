"""Cells of CSV: whatever a spreadsheet takes for a formula, on whatever sign it parts them, does not run."""

from __future__ import annotations

import io
import re
import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from judges.render.csv_cells import csv_cell, unescape_formula, write_csv_table

UNSEEN = "\t\n\r \0\x1b\u00a0\u00ad\u034f\u115f\u180e\u2003\u200b\u2028\u202e\u2060\u2800\u3000\u3164\ufe0f\ufeff"
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u208a\u2a75\u2212"


@given(st.text(UNSEEN, max_size=4), st.sampled_from(SIGNS), st.text(max_size=5))
def test_a_cell_whose_first_visible_sign_begins_a_formula_gets_an_apostrophe(before: str, sign: str, rest: str) -> None:
    cell = csv_cell(before + sign + rest)
    assert cell[0] == "'" and cell.replace("'", "") == (before + sign + rest).replace("'", "")


@given(
    st.sampled_from("abc5(\u00e9\u8a71"), st.sampled_from(";\t\r\n\u2028"), st.text(UNSEEN + '";', max_size=3),
    st.sampled_from(SIGNS), st.text(max_size=5),
)  # fmt: skip
def test_no_cell_begins_a_formula_where_a_spreadsheet_parts_them_at_another_sign(
    first: str, parts: str, before: str, sign: str, rest: str
) -> None:
    assume(not re.match(r"[-+]( |-)", sign + rest))  # a list, or a rule across the page
    out = io.StringIO()
    write_csv_table(out, ["a"], [[first + parts + before + sign + rest], [{"a": f"{parts}{before}{sign}{rest}"}]])
    cells = [cell.lstrip('"' + UNSEEN) for cell in re.split("[;\t\r\n\v\f\x85\u2028\u2029]", out.getvalue())]
    assert not [cell for cell in cells if cell.startswith(tuple(SIGNS))]


def test_points_after_a_semicolon_or_on_a_line_stay_unless_they_could_run() -> None:
    assert csv_cell("good; bad\n* one\n1. two") == "good; bad\n* one\n1. two"
    assert csv_cell("a;=1+1;b") == "a;'=1+1;b"
    assert csv_cell("two:\n- one thing\n- 話\n---\nend") == "two:\n- one thing\n- 話\n---\nend"
    assert csv_cell("two:\n- cmd|x\n- f(1)") == "two:\n'- cmd|x\n'- f(1)"


@given(st.text())
def test_no_cell_of_csv_begins_a_formula_however_it_is_read(text: str) -> None:
    cell = csv_cell(text)
    read = unicodedata.normalize("NFKC", cell)
    left = next((c for c in read if unicodedata.category(c)[0] not in "ZC" and not c.isspace()), "")
    assert left not in tuple("=+-@") and cell.replace("'", "") == text.replace("'", "")


@given(st.integers() | st.floats(allow_nan=False), st.sampled_from("abc5'(\u00e9\u8a71"), st.text(max_size=5))
def test_numbers_stay_numbers_and_harmless_texts_stay_as_they_are(number: float, first: str, rest: str) -> None:
    assert csv_cell(number) == number and csv_cell(True) == "true"
    if not re.search("[;\\s\x85]", rest):
        assert csv_cell(first + rest) == first + rest


@given(st.text(UNSEEN + SIGNS + '";\n', max_size=4), st.text())
def test_a_text_comes_back_from_its_cell(begin: str, rest: str) -> None:
    text = (begin + rest).replace("'", "")
    assert unescape_formula(csv_cell(text)) == text


def test_an_apostrophe_of_the_text_itself_stays_where_nothing_could_run() -> None:
    for text in ("'Hello' - she went", "it's; isn't it", "'(-1)'", "\uff20\u7530\u4e2d\u3055\u3093's", "a\n'b'=c"):
        assert unescape_formula(csv_cell(text)) == text


def test_headers_are_cells_too() -> None:
    out = io.StringIO()
    write_csv_table(out, ["a", "\u3000=b"], [["\ufeff=1", -2]])
    assert out.getvalue() == "a,'\u3000=b\n'\ufeff=1,-2\n"
