"""JSON as it comes: every bad line is a sentence with its number, and none of them costs time or memory."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import hypothesis.strategies as some
import pytest
from hypothesis import given

from data.importing import from_bytes
from data.importing.files import json_records
from data.importing.files.container import detect_container
from data.store.errors import BadInput
from judges.importing import jsonl
from judges.strict_json import DEPTH, BadJson, parse_json
from tests.data.imports import label, pair, verdict, workspace, wrong
from tests.seeds import dialogue

DEEP = 200_000
BROKEN = [
    (b'{"a":NaN}', "holds NaN, which is not a JSON number"),
    (b'{"a":-Infinity}', "holds -Infinity, which is not a JSON number"),
    (b'{"a":1,"b":{"c":1,"c":2}}', "has the key 'c' twice in one object"),
    (b"[" * DEEP, f"is nested {DEEP} levels deep: at most {DEPTH} are allowed"),
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
    found = list(json_records.read_json_array(io.BytesIO(text)))
    assert sum(not r.problem for r in found) == good
    assert says in " ".join(r.problem for r in found)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", b"PK\x03\x04rest", "is a zip archive. Unpack it"),
        ("a.jsonl.gz", b"\x1f\x8brest", "is a gzip archive"),
        ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid", "is a git-LFS pointer, not the data"),
        ("a.jsonl", b"", "is empty"),
        ("a.jsonl", b"\xef\xbb\xbf \n", "is empty"),
        ("a.json", '{"a":1}'.encode("utf-16"), "is UTF-16. Save it as UTF-8"),
        ("a.csv", bytes(range(1, 9)) * 99, "is no text"),
    ],
)
def test_what_is_no_data_is_refused(name: str, content: bytes, says: str) -> None:
    with pytest.raises(BadInput, match=f"{name} {says}"):
        detect_container(from_bytes([(name, content)]).files[0])


DIALOGUE = dialogue(1)
LINES: list[tuple[dict[str, Any], str, str]] = [
    ({"id": "x"}, "", "Nothing is known by the keys id: an item has id and kind"),
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


@pytest.mark.parametrize(("row", "field", "says"), LINES, ids=[says[:40] for _, _, says in LINES])
def test_a_line_that_cannot_be_taken_is_told_with_its_number_and_field(
    tmp_path: Path, row: dict[str, Any], field: str, says: str
) -> None:
    store = workspace(tmp_path)
    found = wrong(store, [DIALOGUE, pair(), row])
    assert [(line, name) for line, name, _ in found] == [(3, field)]
    assert says in found[0][2]
    store.close()


def test_every_thing_that_is_wrong_with_a_line_is_told_at_once(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    row = {"id": 7, "kind": "response", "output": None, "more": 1}
    assert [name for _, name, _ in wrong(store, [row])] == ["id", "task", "output", "more"]
    store.close()


def test_what_depends_on_a_refused_item_is_told_why(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    found = wrong(store, [verdict("p1", "a"), {**pair(), "extra": 1}])
    assert sorted(line for line, _, _ in found) == [1, 2]
    assert "The item 'p1' is missing: its own line cannot be imported." in {sentence for _, _, sentence in found}
    store.close()
