"""JSON as it comes: every bad line is a sentence with its number, and none of them costs time or memory."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import hypothesis.strategies as some
import pytest
from hypothesis import given

from data.importing.files import container
from data.importing.files.container import detect_container, first_records
from data.importing.files.source import from_bytes
from data.importing.importing import detect_formats
from data.store.errors import BadInput
from judges import jsonl
from judges.importing import csv_rows, json_records
from judges.jsonl import Record
from judges.strict_json import MAX_DEPTH, BadJson, parse_json
from tests.archives import compare_archive
from tests.data.imports import label, pair, verdict, workspace, wrong
from tests.seeds import dialogue

DEEP = 200_000
BROKEN = [
    (b'{"a":NaN}', "holds NaN, which is not a JSON number"),
    (b'{"a":-Infinity}', "holds -Infinity, which is not a JSON number"),
    (b'{"a":1,"b":{"c":1,"c":2}}', "has the key 'c' twice in one object"),
    (b"[" * DEEP, f"is nested {DEEP} levels deep: at most {MAX_DEPTH} are allowed"),
    (b'{"a":' * DEEP, f"nested {DEEP} levels deep"),
    (b'{"a":"' + b"x" * (17 * 2**20) + b'"}', "is longer than 16 MB"),
    (b'{"a":"\x00"}', "holds the character NUL"),
    (b'{"a":"\\u0000"}', "holds the character NUL"),
    (b'{"\\u0000":1}', "holds the character NUL"),
    (b'{"a":["\\ud800"]}', "half of a surrogate pair"),
    (b'{"a":"\\uDE00"}', "half of a surrogate pair"),
    (b'{"a":' + b"9" * 5_000 + b"}", "9..., which is too large"),
    (b'{"a":1e999}', "holds the number 1e999, which is too large"),
    (b'{"a":"\xff"}', "is not UTF-8: byte 7 of the line is 0xff"),
    (b'\xef\xbb\xbf{"a":1}', "begins with a byte order mark"),
    (b"[1]", "holds a list: each line must hold one object"),
    (b"null", "holds null"),
    (b'"x"', "holds a text"),
    (b"{", "not JSON"),
    (b"{'a':1}", "not JSON"),
    (b'{"a":1}}', "is not JSON: extra data at character 8"),
    (b'"' + b'\\"' * 1_000_000 + b"[" * 200, "not JSON"),
]


@pytest.mark.parametrize(("line", "says"), BROKEN, ids=[says[:30] for _, says in BROKEN])
def test_a_broken_line_is_a_sentence_and_the_next_line_is_read(line: bytes, says: str) -> None:
    start = time.thread_time()
    first, bad, last = jsonl.read_jsonl(io.BytesIO(b'{"n":1}\n' + line + b'\n{"n":3}'))
    assert (first.value, bad.line, last.line, last.value) == ({"n": 1}, 2, 3, {"n": 3})
    assert says in bad.problem and not bad.value
    *_, last = jsonl.read_jsonl(io.BytesIO(b'{"n":1}\n' + line))
    assert (last.line, last.problem) == (2, bad.problem), "the same at the end of a file"
    assert time.thread_time() - start < 5


def test_what_is_no_fault_is_no_fault() -> None:
    text = b'\xef\xbb\xbf{"a":"\\\\u0000 \\ud83d\\ude00"}\r\n\n  \n{"b":1e3,"c":123456789012345678}'
    assert [(r.line, r.value, r.problem) for r in jsonl.read_jsonl(io.BytesIO(text))] == [
        (1, {"a": "\\u0000 😀"}, ""),
        (4, {"b": 1000.0, "c": 123456789012345678}, ""),
    ]


plain = some.recursive(
    some.none() | some.booleans() | some.integers(-(10**17), 10**17) | some.floats(-1e300, 1e300)
    | some.text(some.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(plain)
def test_parse_reads_what_json_writes(value: Any) -> None:
    try:
        assert parse_json(json.dumps(value)) == value
    except BadJson as bad:
        assert "NUL" in str(bad) and "\\u0000" in json.dumps(value)


@given(
    some.lists(some.dictionaries(some.text("ab\n", max_size=3), some.text(max_size=20)), max_size=6), some.booleans()
)
def test_a_list_gives_what_the_lines_of_its_elements_give(values: list[dict[str, str]], spaced: bool) -> None:
    whole = json.dumps(values, indent=1 if spaced else None).encode()
    lines = "".join(json.dumps(value) + "\n" for value in values).encode()
    in_list = [(r.value, r.problem) for r in json_records.read_json_array(io.BytesIO(whole))]
    assert in_list == [(r.value, r.problem) for r in jsonl.read_jsonl(io.BytesIO(lines))]


def test_no_two_elements_of_a_list_have_the_same_number() -> None:
    texts = {
        b'[{"a":1},{"a":2},{"a":3}]': [1, 2, 3],
        b'[\n {"a":1},\n {"a":2}, {"a":3},\n {"a":4},\n\n {"a":5}]': [2, 3, 4, 5, 6],
    }
    for text, numbers in texts.items():
        assert [record.line for record in json_records.read_json_array(io.BytesIO(text))] == numbers
    whole = io.BytesIO(b'{"a":1,"rows":[{"b":1},{"b":2}],"c":[3]}')
    assert [record.line for record in json_records.read_json_object(whole, [("rows",)])] == [1, 1, 2, 1]


@pytest.mark.parametrize(
    ("text", "good", "says"),
    [
        (b'[{"a":1},\n{"b":', 1, "the rest of the file was not read"),
        (b'[{"a":1},]', 1, "a comma before the end of the list"),
        (b'[{"a":1} {"b":1}]', 1, "a comma is missing"),
        (b'[{"a":1}] x', 1, "something follows the end"),
        (b'[{"a":1}', 1, "the list ends without a bracket"),
        (b'[7,{"a":1},{"b":NaN},{"c":2}]', 2, "holds a number"),
        (b"[" * DEEP, 0, "nested"),
        (b'[{"a":"\xff"}]', 0, "not UTF-8"),
    ],
)
def test_a_broken_list_gives_what_stands_before_the_break(text: bytes, good: int, says: str) -> None:
    records = list(json_records.read_json_array(io.BytesIO(text)))
    assert sum(not r.problem for r in records) == good
    assert says in " ".join(r.problem for r in records)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", b"PK\x03\x04rest", "is a zip archive. Unpack it"),
        ("a.jsonl.gz", b"\x1f\x8bxl/rest", "is a gzip archive"),
        ("a.xlsx", b"PK\x03\x04\x14[Content_Types].xml_rels/.relsxl/workbook.xml", "is a workbook .* as CSV"),
        ("a.ods", b"PK\x03\x04\x14mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "is a workbook"),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1", "is a workbook"), ("a.csv", b"%PDF-1.7\n%\xe2\xe3", "is a PDF document"),
        ("a.csv", b"\x89PNG\r\n\x1a\n", "is a picture"), ("a.csv", b"\n<!DOCTYPE HTML>\n<html>", "is a web page"),
        ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid", "is a git-LFS pointer, not the data"),
        ("a.jsonl", b"", "is empty"),
        ("a.jsonl", b"\xef\xbb\xbf \n", "is empty"),
        ("a.json", '{"a":1}'.encode("utf-16"), "is UTF-16. Save it as UTF-8"),
        ("a.csv", bytes(range(1, 9)) * 99, "is not a text file"),
    ],
)
def test_what_is_no_data_is_refused(name: str, content: bytes, says: str) -> None:
    with pytest.raises(BadInput, match=f"{name} {says}"):
        detect_container(from_bytes([(name, content)]).files[0])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"id,human\n", "a.csv holds a header and no rows."),
        *((name, content, f"{name} holds nothing to import: its rows have no fields.")
          for name, content in (("a.jsonl", b"{}\n{}\n"), ("a.json", b"[{}, {}]"))),
        *((f"a{n}.json", json.dumps(value).encode(), "is one JSON object that none of the tools known here writes")
          for n, value in enumerate((
              {"data": [{"id": 1, "human": 3}]}, {"n": 1, "rows": [{"id": 1, "human": 3}]},
              {"id": {"0": 1}, "human": {"0": 3}},
              {"columns": ["id"], "index": [0], "data": [[1]]}, {"q1": {"human": 3}, "q2": {"human": 4}},
          ))),
    ],
)  # fmt: skip
def test_what_holds_no_row_that_can_be_read_is_refused(name: str, content: bytes, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        detect_formats(from_bytes([(name, content)]))


def test_a_single_line_is_a_row_though_it_holds_lists() -> None:
    row = {"id": 1, "response": "a", "annotations": [{"by": "ann", "score": 3}], "meta": {"a": {}}}
    assert detect_formats(from_bytes([("a.jsonl", json.dumps(row).encode())]))[0].format == "table"


def test_rows_without_fields_before_others_are_no_reason_to_refuse_these() -> None:
    lines = b"{}\n" * 30 + b'{"id": "a", "human": 3}\n'
    assert detect_formats(from_bytes([("a.jsonl", lines)]))[0].format == "table"


CONTENTS = [
    ("a", b"a" * 100 + b"\1" * 8), ("a", b"a" * 100 + b"\1" * 9), ("a", b"a" * 380 + b"\1" * 20),
    ("a", b"a" * 379 + b"\1" * 21), ("a", b"a\0" * 50), ("a", b"\0a" * 50), ("a", b"\xff\xfe" + b"\1" * 50),
    ("a", b"\xfe\xff" + b"\1" * 50), ("a", b"a\0aa" * 30), ("a", b"a\0aa" * 30 + b"a\0"),
    ("a", b"\0aaa" * 30), ("a", b"\0aaa" * 30 + b"\0a"),
    ("x.ndjson", b"no json"), ("x.JSON", b"\xff\xfea"), ("x.json", b"\xfe\xffa"), ("x.csv", b"\xfe\xffa"),
    ("a", b"PAR1"),
    ("a", b"[1"), ("a", b" \n{}"), ("l.eval", b"PK\3\4"), ("L.EVAL", b"\x1f\x8b"), ("b", b"BZh9"), ("x", b"\xfd7zXZ"),
    ("s", b"7z\xbc\xaf"), ("z", b"\x28\xb5\x2f\xfd"), ("r", b"Rar!"), ("a", b"{\n}"), ("a", b'{"a":\n1}'),
    ("a", b'{"a": "x\ny"}'), ("a", b'{"a": 1\n}'), ("a", b'{"a": 1\n\n'), ("a", b'{"a": 1,,\n2'),
    ("a", b'{"a"\n{"b":1}'),
    ("a", b'{"a"\r\n\r\n{"b":1}'), ("a", b'{"a" 1}\n2'), ("a", b"{" * 2_000 + b"\n1"), ("a", b'{"a":' * 2_000 + b"\n1"),
]  # fmt: skip
TABLES = [
    b"a,b\n1,2\n\n , \n3\n4,5,6\n7,8", b"\n\n,\na,b\n1,2", b'a,b\n"x\ny",2\n3,4', b'a,b\n"x"y,2\n3,4', b'a,b\nx"y,2\n',
    b'a,b\n1,"x\n3,4\n', b"a,a\n1,2", b"a,b\n\xff,2\n3,\xff\n5,6", b"a\0,b\n1,2", b"a,b\n1,\0\n3,4", b"\xff,b\n1,2",
b'"a,b\n1',
    b"a,\n1,2", b'a,b\n"1\n2\xff",3\n4,5', b"a,b\r\n1,2\r\n3,4", b"a,b\n1,2\r3,4\n", b"\xef\xbb\xbfa,b\n1,2",
    b"a,b\n1,\xef\xbb\xbf2", b"a;b\n1;2", b"a\n1", b"a,b;c\n1,2;3\n", b"a;b,c;d\n1;2;3\n", b'"a;b",c\n1,2\n',
b"a|b\n1|2\n3\n",
    b"a\tb,c\n1\t2\n",
]  # fmt: skip
LISTS = [
    b"[]", b"[ ]x", b"{}", b"", b'[\n1,\n{}\n,{"a":\n1}]', b"[1 2]", b"[1", b"[1,", b"[1,]", b'[{"a":1,"a":2}]',
    b'[{"a":"\xff"}]', b"\xef\xbb\xbf[{}]", b'[{"a":\n\n}]', b'[{"a":NaN},{}]', b'[{"a":"\0"}]',
    b'[{"a":' + b"9" * 5_000 + b"},{}]", b'[{"a":' + b"[" * 200 + b"]" * 200 + b"},{}]",
]  # fmt: skip
OBJECTS = [
    b"{}", b'{"a":[1,\n{"x":2}],\n"k":3}', b'{"b":{"k":1,"c":[{"y":1}],"d":2},"z":[1]}', b'{"a":[]}', b'{"a":{"b":1}}',
    b'{"b":[1]}', b'{"a":[1,]}', b'{"k":1,}', b'{"k" 1}', b"{1:2}", b'{"k":1 "l":2}', b'{"k":1', b'{"a":[1',
b'{"k":NaN}',
    b'{"a":[NaN,{"q":1}]}', b'{"k":1}\n}', b'{"b":{"c":[1]}', b'{"a":[1 2]}', b'{"a":[{"b":\n1}],\n"c":\n2}\n',
]  # fmt: skip


def test_what_files_hold_is_kept(tmp_path: Path) -> None:
    """How each holds its records, and every record with its line, or what is wrong with it: containers.txt."""

    def describe(content: bytes, records: Iterable[Record]) -> str:
        try:
            outcome: Any = [(r.line, r.value, r.text[:80], r.problem) for r in records]
        except BadInput as refused:
            outcome = f"refused: {refused}"
        return f"{content[:80]!r}: {outcome}"

    def container_name(name: str, content: bytes) -> str:
        try:
            return detect_container(from_bytes([(name, content)]).files[0])
        except BadInput as refused:
            return str(refused)

    lines = [f"{name} {content[:30]!r} {len(content)}: {container_name(name, content)}" for name, content in CONTENTS]
    for content in TABLES:
        dialect = csv_rows.detect_dialect("t", content)
        lines.append(f"{dialect.delimiter!r} {describe(content, csv_rows.read_csv('t', io.BytesIO(content), dialect))}")
    for encoding, half in (("utf-16-le", b"\x00\xd8"), ("utf-16-be", b"\xd8\x00")):
        content = "a,b\n1,\u00e9\n".encode(encoding) + half + ",3\n4,5\n".encode(encoding)
        lines.append(
            describe(content, csv_rows.read_csv("t", io.BytesIO(content), csv_rows.detect_dialect("t", content)))
        )
    lines += [describe(content, json_records.read_json_array(io.BytesIO(content))) for content in LISTS]
    paths = [("a",), ("b", "c")]
    lines += [describe(content, json_records.read_json_object(io.BytesIO(content), paths)) for content in OBJECTS]
    compare_archive("\n".join(lines) + "\n", Path(__file__).with_name("containers.txt"), tmp_path)


def test_a_table_has_1000_columns_at_most() -> None:
    for count in (1_000, 1_001):
        head = ",".join(f"c{n}" for n in range(count)).encode()
        rows = csv_rows.read_csv("t.csv", io.BytesIO(head + b"\n" + b"," * (count - 1) + b"x"),
                                 csv_rows.Dialect("utf-8", ","))
        if count == 1_000:
            assert [row.value["c999"] for row in rows] == ["x"]
        else:
            with pytest.raises(BadInput, match=r"^t\.csv has 1001 columns: at most 1000 are allowed\.$"):
                next(rows)


def test_a_cell_may_have_many_lines() -> None:
    text = "line\n" * 10_000
    rows = csv_rows.read_csv("t", io.BytesIO(f'a,b\n"{text}",2\n'.encode()), csv_rows.Dialect("utf-8", ","))
    assert [(row.value, row.problem) for row in rows] == [({"a": text, "b": "2"}, "")]


def test_lines_rows_and_elements_have_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are made small: what is as long as one is read, what is longer is told, and the reading ends."""
    monkeypatch.setattr(csv_rows, "MAX_LINE_BYTES", 20)
    monkeypatch.setattr(csv_rows, "SPREAD", 20)
    monkeypatch.setattr(csv_rows, "_FIELDS", 6)
    comma = csv_rows.Dialect("utf-8", ",")

    def rows(text: bytes, dialect: csv_rows.Dialect = comma) -> list[str]:
        return [row.problem for row in csv_rows.read_csv("t", io.BytesIO(text), dialect)]

    rest = "the rest of the file was not read"
    with monkeypatch.context() as longer:
        longer.setattr(csv_rows, "MAX_LINE_BYTES", 40)
        assert rows(b"a,b\n" + b"x" * 30 + b",y\n1,2\n") == ["", ""], "one line opens no quote"
    assert rows(b"a,b\n" + b"x" * 17 + b",y\n1,2\n") == ["", ""]
    assert rows(b"a,b\n" + b"x" * 18 + b",y\n1,2\n") == [f"is longer than 0 MB; {rest}"]
    assert rows(b"a,b\n1,,,,,,\n1,2\n") == ["has 7 fields, and the header has 2", ""]
    assert rows(b"a,b\n1,,,,,,,\n1,2\n") == [f"has more than 6 fields; {rest}"]
    assert rows(b'a,b\n"x\n' + b"y" * 13 + b'",z\n1,2\n') == ["", ""]
    assert rows(b'a,b\n"x\n' + b"y" * 14 + b'",z\n1,2\n') == [
        f"opens a quote in line 2 that is not closed within 0 MB; {rest}"
    ]
    wide = csv_rows.Dialect("utf-16-le", ",")
    assert rows(("a,b\n" + "x" * 17 + ",y\n1,2\n").encode("utf-16-le"), wide) == ["", ""]
    assert rows(("a,b\n" + "x" * 18 + ",y\n1,2\n").encode("utf-16-le"), wide) == [f"is longer than 0 MB; {rest}"]
    monkeypatch.setattr(json_records, "MAX_LINE_BYTES", 300_000)
    long = "is not JSON: unterminated string starting in line 1, or an element is longer than 0 MB"
    for size, says in ((270_000, ""), (600_000, long)):
        content = b'[{"a": "' + b"x" * size + b'"}, {}]'
        first, *more = json_records.read_json_array(io.BytesIO(content))
        assert (first.problem.partition(";")[0], len(more)) == (says, 0 if says else 1)
    monkeypatch.setattr(container, "MAX_LINE_BYTES", 40)
    for size, expected in ((34, "lines"), (35, "object")):
        assert detect_container(from_bytes([("x", b'{"a":"' + b"x" * (size - 2) + b'"}')]).files[0]) == expected


def test_the_first_records_are_looked_for_among_the_first_fifty() -> None:
    def first(bad: int, most: int) -> list[int]:
        lines = [b"{"] * bad + [json.dumps({"n": n}).encode() for n in range(3)]
        file = from_bytes([("x.jsonl", b"\n".join(lines))]).files[0]
        return [record.value["n"] for record in first_records(file, "lines", most)]

    assert first(0, 2) == [0, 1] and first(49, 2) == [0, 1] and first(50, 2) == [0] and first(51, 2) == []
    assert first(0, 9) == [0, 1, 2] and first(51, 60) == [0, 1, 2]


DIALOGUE = dialogue(1)
LINES: list[tuple[dict[str, Any], str, str]] = [
    ({"id": "x"}, "", "Unknown kind of line, with the keys id. An item has id and kind"),
    ({"item": "x", "card": None, "value": "5", "how": "one", "people": 1}, "", "import the export of labels"),
    ({**pair("x"), "extra": 1}, "extra", "'extra' is an unknown key. Remove it, or put it into meta."),
    ({"id": "x", "kind": "poem"}, "kind", "kind must be dialogue, pair or response."),
    ({"id": "", "kind": "response", "task": "t", "output": "o"}, "id", "must have at least 1 character"),
    ({"id": "x", "kind": "response", "task": "t"}, "output", "output is missing."),
    ({"id": "x", "kind": "dialogue", "turns": []}, "turns", "at least 1 item"),
    (
        {"id": "x", "kind": "dialogue", "turns": [{"turn": 1, "role": "bot", "text": ""}]},
        "turns.0.role",
        "turns.0.role: must be 'user', 'assistant', 'system' or 'tool' (it is 'bot').",
    ),
    (
        {"id": "x", "kind": "dialogue", "turns": [{"turn": 1, "role": "user", "text": ""}]},
        "",
        "No assistant turn: there is nothing to judge.",
    ),
    ({"id": "x", "kind": "dialogue", "turns": [{"turn": "1", "role": "user", "text": ""}]}, "turns.0.turn", "integer"),
    (pair("x", sections=[{"label": "s", "a": [0, 99], "b": None}]), "", "lies outside the response's 15 characters"),
    (pair("x", sections=[{"label": "s", "a": [0, 3]}, {"label": "s", "b": [0, 3]}]), "", "no label of its own"),
    (verdict("p1", "a", card="nosuch"), "card", "There is no card 'nosuch'."),
    (verdict("d-0001", "a"), "card", "The card plain_pairwise judges a pair, but 'd-0001' is a dialogue."),
    (verdict("nobody", "a"), "item", "The item 'nobody' is missing: it is neither in the dataset nor in this import."),
    (verdict("p1", "a", raw="a"), "reply", "A judgment has one of reply, raw and scores, not several."),
    ({"item": "p1", "card": "plain_pairwise", "model": "m"}, "reply", "A judgment has one of reply, raw and scores."),
    (verdict("p1", "a", sample=-1), "sample", "must be greater than or equal to 0"),
    (verdict("p1", "a", part="turn:1"), "part", "'p1' has no 'turn:1'. It has: response/a, response/b, pair."),
    ({"item": "d-0001", "card": "mt_bench", "model": "m", "raw": "[[5]]"}, "part", "judges one turn at a time"),
    (label("p1", "c"), "value", "value: 'c' is not on the scale: allowed are a, tie, b."),
    (label("p1", None), "value", "value is null"),
    (label("p1", "n/a"), "value", "n/a is not an answer here"),
    (label("p1", 10**17), "value", "is not on the scale"),
    (label("p1", "a", unit="turn:1"), "unit", "'p1' has no unit 'turn:1'."),
    (label("p1", "a", unit="nonsense"), "unit", "has no unit 'nonsense'"),
    (label("p1", "a", dimension="charm"), "dimension", "No card asks people for 'charm' of pair. They ask: "),
    (label("p1", 5.5, unit="response/a", dimension="aggregate"), "value", "5.5 is not on the scale: allowed are 1 to"),
    (label("p1", "a", annotator="a<b"), "annotator", "'a<b' cannot be a person's name"),
    (label("p1", "a", mode="secret"), "mode", "must be 'blind', 'assisted' or 'revealed'"),
    (label("p1", "a", made_at="yesterday"), "", "made_at must be a time such as 2026-01-31T12:00:00Z"),
    (label("p1", "a", made_at="0001-01-01T00:00:00+23:00"), "", "made_at must be a time"),
    (label("p1", "a", made_at="1800-01-01"), "", "made_at must lie in the years 1990 to 2199"),
    (label("d-0001", 9, unit="conversation", dimension="weakest_turn"), "value", "the number of an assistant turn"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("row", "field", "says"), LINES, ids=[says[:40] for _, _, says in LINES])
def test_a_line_that_cannot_be_taken_is_told_with_its_number_and_field(
    tmp_path: Path, row: dict[str, Any], field: str, says: str
) -> None:
    store = workspace(tmp_path)
    problems = wrong(store, [DIALOGUE, pair(), row])
    assert [(line, name) for line, name, _ in problems] == [(3, field)]
    assert says in problems[0][2]
    store.close()


def test_every_thing_that_is_wrong_with_a_line_is_told_at_once(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    row = {"id": 7, "kind": "response", "output": None, "more": 1}
    assert [name for _, name, _ in wrong(store, [row])] == ["id", "task", "output", "more"]
    store.close()


def test_what_depends_on_a_refused_item_is_told_why(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    problems = wrong(store, [verdict("p1", "a"), {**pair(), "extra": 1}])
    assert sorted(line for line, _, _ in problems) == [1, 2]
    assert "The item 'p1' is missing: its own line cannot be imported." in {sentence for _, _, sentence in problems}
    store.close()


def test_a_key_that_stands_twice_in_an_object_that_is_read_in_parts_is_refused() -> None:
    text = b'{"a": 5, "a": {"c": 1, "b": [1]}, "d": 2}'
    *_, last = json_records.read_json_object(io.BytesIO(text), [("a", "b")])
    assert last.problem == "has the key 'a' twice in one object; the rest of the file was not read"
