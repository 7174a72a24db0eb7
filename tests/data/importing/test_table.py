"""Tables: whatever the dialect, a row becomes what the mapping says, and what does not fit is told."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as some
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from data.importing.detection.plan_proposal import suggest_mapping
from data.importing.files.container import detect_container, first_records
from data.importing.files.source import Source, from_bytes, from_path
from data.importing.formats.table import example_lines
from data.importing.importing import detect_formats, import_source, preview_import
from data.importing.mapping_texts import format_values, parse_mapping, parse_values
from data.importing.plan import ImportPlan
from data.store import sandbox
from data.store.errors import BadInput
from judges.authoring.recipe import RecipeScale
from judges.cards import cards
from judges.importing import csv_rows
from judges.importing.column_names import DELIMITERS
from judges.importing.contents import read_rows
from judges.importing.item_keys import utterance_columns
from judges.importing.mapping import (
    ColumnMapping,
    JudgmentColumns,
    LabelColumns,
    ValueSource,
)
from judges.types import ITEM
from tests.archives import compare_archive
from tests.data.imports import workspace
from tests.server import ROOT

NAMES = ("id", "question", "answer_a", "answer_b", "human", "ai_verdict", "ai_reason")
CELLS = [
    ("q1", "Why?", "Because.", "No idea.", "1", "A", "It answers."),
    ("q2", 'How,\n"so"?', "That way", "Éèß 日本語", "0", "garbage", ""),
    ("q3", "When?", "Now", "Then", "2", "C", "Equal."),
    ("q4", "Who?", "Me", "You", "", "B", ""),
]
ROWS = [dict(zip(NAMES, cells, strict=True)) for cells in CELLS]


def as_csv(rows: list[dict[str, Any]], encoding: str = "utf-8", **dialect: Any) -> bytes:
    """The rows as a CSV file."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), **dialect)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode(encoding, "replace")


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    """The rows as a Parquet file."""
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


FILES = {
    "t.csv": as_csv(ROWS),
    "bom.csv": as_csv(ROWS, "utf-8-sig"),
    "semicolon.csv": as_csv(ROWS, delimiter=";"),
    "t.tsv": as_csv(ROWS, delimiter="\t"),
    "pipe.csv": as_csv(ROWS, delimiter="|", lineterminator="\n"),
    "wide.csv": as_csv(ROWS, "utf-16"),
    "quoted.csv": as_csv(ROWS, quoting=csv.QUOTE_ALL),
    "t.parquet": as_parquet(ROWS),
    "t.json": json.dumps(ROWS, indent=1).encode(),
    "t.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
}


def guess(source: Source) -> ColumnMapping:
    """The mapping that is suggested for the first file of a source."""
    known = detect_formats(source)[0]
    assert known.format == "table"
    return suggest_mapping(known.columns, known.rows)


@pytest.mark.parametrize("name", FILES)
def test_the_same_table_is_read_from_every_container_by_the_guessed_mapping(tmp_path: Path, name: str) -> None:
    store = workspace(tmp_path)
    source = from_bytes([(name, FILES[name])])
    mapping = guess(source)
    assert mapping.faults(list(ROWS[0])) == []
    done = import_source(store, "lea", source, ImportPlan("d", mappings=(mapping,)))
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.new.labels) == (4, 4, 3)
    assert done.preview.unscored == {"unreadable": 1}
    items = {row[0]: ITEM.validate_json(row[1]) for row in store.rows("select name, content from item")}
    assert items["q2"].input == 'How,\n"so"?' and items["q2"].response_b.text == "Éèß 日本語"  # type: ignore[union-attr]
    voted = "select i.name, l.annotator, l.value from label l join item i on i.id = l.item_id order by 1"
    assert store.rows(voted) == [("q1", "human", 0.0), ("q2", "human", 1.0), ("q3", "human", 2.0)]
    scored = (
        "select i.name, j.model, s.value from score s join item i on i.id = s.item_id join judge j on j.id = s.judge_id"
    )
    assert store.rows(scored + " order by 1") == [("q1", "ai", 0.0), ("q3", "ai", 1.0), ("q4", "ai", 2.0)]
    assert store.rows("select why from judgment where unscored <> ''")[0][0].startswith(
        "'garbage' is none of the values"
    )
    again = import_source(store, "lea", source, ImportPlan("d"))
    assert (again.preview.known.total, again.preview.new.total) == (11, 0)
    store.close()


@pytest.mark.parametrize(("encoding", "word"), [("cp932", "カタカナひらがな"), ("utf-16-le", "é"), ("utf-16-be", "é")])
def test_encodings_are_found_out(encoding: str, word: str) -> None:
    content = f"id,output\n1,{word}\n".encode(encoding)
    dialect = csv_rows.detect_dialect("f.csv", content)
    assert dialect.encoding == encoding and detect_container(from_bytes([("f.csv", content)]).files[0]) == "csv"
    assert [r.value["output"] for r in csv_rows.read_csv("f.csv", io.BytesIO(content), dialect)] == [word]


def test_a_delimiter_is_told_by_all_rows_of_a_short_file_and_by_a_header_that_is_long() -> None:
    """Its only row decides against the comma in the names, and a header beyond the sample is looked at as it is."""
    short = b"name, first;name, last;age\nAda;Lovelace;36\n"
    assert csv_rows.detect_dialect("short.csv", short).delimiter == ";"
    long = ";".join(f"{n}" + "x" * 500 for n in range(200)).encode() + b"\n"
    assert csv_rows.detect_dialect("long.csv", long[: 2**16]).delimiter == ";"


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
@pytest.mark.parametrize(("encoding", "end"), [("utf-8-sig", "\r\n"), ("utf-16", "\r\n"), ("cp1252", "\n")])
def test_a_first_line_may_say_the_delimiter(tmp_path: Path, first: str, encoding: str, end: str) -> None:
    content = end.join((first, "id;output", "1;Größe, 3,5", "")).encode(encoding)
    (record,) = csv_rows.read_csv("f.csv", io.BytesIO(content), csv_rows.detect_dialect("f.csv", content))
    assert (record.line, record.value) == (3, {"id": "1", "output": "Größe, 3,5"})
    (tmp_path / "f.csv").write_bytes(content)
    assert read_rows(tmp_path / "f.csv") == ("csv", [(3, record.value)])


cell = some.text(
    some.characters(codec="utf-8", exclude_characters="\x00\ufeff\r", exclude_categories=["Cs"]), max_size=8
)


@given(some.lists(some.tuples(cell, cell, cell), min_size=1, max_size=8), some.sampled_from(DELIMITERS))
def test_every_cell_that_csv_writes_is_read_back(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    content = as_csv([dict(zip("abc", row, strict=True)) for row in rows], delimiter=delimiter, quoting=csv.QUOTE_ALL)
    records = list(csv_rows.read_csv("f.csv", io.BytesIO(content), csv_rows.Dialect("utf-8", delimiter)))
    assert [(tuple(r.value.values()), r.problem) for r in records] == [
        (row, "") for row in rows if "".join(row).strip()
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"id,output\n1,a,b\n2,c\n", "has 3 fields, and the header has 2"),
        (b"id,output\n1\n2,c\n", "has 1 field, and the header has 2"),
        (b'id,output\n1,"a"b\n2,c\n', "has a quote, opened in line 2, that is closed within a text"),
        (b"id,output\n1,\xff\n2,c\n", "is not utf-8 (byte 0xff)"),
        (b"id,output\n1,a\x00\n2,c\n", "holds the character NUL"),
    ],
)
def test_a_broken_row_is_told_and_the_next_is_read(tmp_path: Path, content: bytes, says: str) -> None:
    store = workspace(tmp_path)
    source = from_bytes([("t.csv", content)])
    mapping = ColumnMapping(
        kind="response", id=ValueSource(columns=["id"]), fields={"output": ValueSource(columns=["output"])}
    )
    preview = preview_import(store, source, ImportPlan("d", mappings=(mapping,)))
    assert [p.line for p in preview.problems] == [2] and says in preview.problems[0].sentence
    assert preview.new.items == 1
    store.close()


def test_a_quote_that_is_never_closed_is_told_with_the_line_that_opens_it(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    source = from_bytes([("t.csv", b'id,output\n1,a\n2,"b\n3,c\n4,d\n')])
    mapping = ColumnMapping(
        kind="response", id=ValueSource(columns=["id"]), fields={"output": ValueSource(columns=["output"])}
    )
    preview = preview_import(store, source, ImportPlan("d", mappings=(mapping,)))
    says = "The row opens a quote in line 3 that is never closed."
    assert [(p.line, p.sentence) for p in preview.problems] == [(3, says)]
    store.close()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"id,id\n1,2\n", "its header names 'id' twice"),
        (b'"id\n1,2\n', "opens a quote in line 1 that is never closed"),
        (b"\x81\x81\x81\xff\xfe\xfd" * 99, "its encoding cannot be detected"),
    ],
)
def test_a_header_that_names_no_columns_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    store = workspace(tmp_path)
    with pytest.raises(BadInput, match=says):
        preview_import(store, from_bytes([("t.csv", content)]), ImportPlan("d"))
    store.close()


# -- mappings ---------------------------------------------------------------------------------------------------------


def test_a_table_without_a_mapping_is_refused_and_a_mapping_is_remembered_for_its_columns(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    content = b"a,b\n1,x\n"
    with pytest.raises(BadInput, match=r"t\.csv is a table with the columns a, b\. Say what they mean"):
        preview_import(store, from_bytes([("t.csv", content)]), ImportPlan("d"))
    mapping = ColumnMapping(
        kind="response", id=ValueSource(columns=["a"]), fields={"output": ValueSource(columns=["b"])}
    )
    import_source(store, "lea", from_bytes([("t.csv", content)]), ImportPlan("d", mappings=(mapping,)))
    other = import_source(store, "lea", from_bytes([("other.csv", b"b,a\ny,2\n")]), ImportPlan("d"))
    assert other.preview.new.items == 1
    store.close()


FULL = ColumnMapping(
    kind="pair",
    id=ValueSource(columns=["id"]),
    fields={
        "response_a": ValueSource(columns=["x"]),
        "response_b": ValueSource(columns=["y"]),
        "system_a": ValueSource(constant="m"),
    },
    meta=["z"],
    judgments=[
        JudgmentColumns(card="plain_pairwise", model=ValueSource(constant="j"), value=ValueSource(columns=["z"]))
    ],
    labels=[
        LabelColumns(
            value=ValueSource(columns=["z"]),
            values={"1": "a"},
            unit=ValueSource(constant="pair"),
            dimension=ValueSource(constant="verdict"),
            annotator=ValueSource(columns=["who"]),
        )
    ],
)


PAIRWISE = ", ".join(name for name, card in cards().items() if card.kind == "pair")


def test_a_value_without_a_unit_is_of_the_one_that_its_question_has() -> None:
    stored = {name: cards()[name] for name in ("plain_pairwise", "multi_turn_dialogue")}
    dimensions = {"plain_pairwise": "verdict", "multi_turn_dialogue": ""}
    shared = {"model": ValueSource(constant="j"), "value": column("z")}
    judgments = [
        JudgmentColumns(card=name, dimension=ValueSource(constant=of), **shared) for name, of in dimensions.items()
    ]
    completed = ColumnMapping(kind="pair", judgments=judgments).complete(stored).judgments
    assert [(judgment.dimension.constant, judgment.unit.constant) for judgment in completed] == [
        ("verdict", "pair"), ("", ""),
    ]  # fmt: skip


def test_a_value_comes_from_columns_or_is_the_same_for_all_rows() -> None:
    row = {"a": " x", "b": "", "c": 2.0, "d": None, "e": {"k": 1}}
    joined, none = ValueSource(columns=["a", "b", "c", "d"]), ValueSource(columns=["b", "d"])
    assert (joined.value(row), joined.text(row), joined.text(row, "/")) == (" x\n\n2", " x\n\n2", " x/2")
    assert (none.value(row), none.text(row), column("e").value(row), column("d").text(row)) == (None, "", {"k": 1}, "")
    assert (column("none").value(row), ValueSource(constant="m").value(row),
            ValueSource().value(row)) == (None, "m", None)
    assert ValueSource(columns=["a"], constant="m").value(row) == " x" and not ValueSource() and joined


def test_a_mapping_goes_through_json_unchanged() -> None:
    assert parse_mapping(FULL.model_dump_json(exclude_defaults=True)) == FULL
    assert parse_values(format_values({"0": "tie", "1": "a"})) == {"0": "tie", "1": "a"}
    with pytest.raises(BadInput, match="'1: a' says no meaning"):
        parse_values("1: a")
    with pytest.raises(BadInput, match="'knd' is an unknown key"):
        parse_mapping('{"knd": "pair"}')


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "There is no column 'who'."),
        ({"kind": "response"}, "'response_a' is not a field of a response."),
        ({"fields": {"response_b": ValueSource(columns=["y"])}}, "Say which column holds response_a."),
        ({"items": False, "id": ValueSource()}, "Say which column holds the id of the item."),
        ({"items": False, "judgments": [], "labels": []}, "Nothing would be imported: map items, judgments or labels."),
        (
            {"judgments": [JudgmentColumns(card="mt_bench", model=ValueSource(constant="j"))]},
            f"A judgment needs a card for a pair: {PAIRWISE} (not 'mt_bench').",
        ),
        ({"judgments": [JudgmentColumns(card="plain_pairwise", model=ValueSource())]}, "A judgment needs its model"),
        *(
            ({"judgments": [JudgmentColumns(card="plain_pairwise", model=ValueSource(constant="j"), **options)]},
             "A judgment needs its whole reply or its value, one of the two.")
            for options in ({}, {"raw": ValueSource(columns=["z"]), "value": ValueSource(columns=["z"])})
        ),
        (
            {
                "judgments": [
                    JudgmentColumns(
                        card="long_form_pairwise", model=ValueSource(constant="j"), value=ValueSource(columns=["z"])
                    )
                ]
            },
            "Say which question of long_form_pairwise the value answers",
        ),
        (
            {
                "labels": [
                    LabelColumns(
                        value=ValueSource(), unit=ValueSource(), dimension=ValueSource(), annotator=ValueSource()
                    )
                ]
            },
            "A label needs its unit.",
        ),
    ],
)
def test_what_a_mapping_lacks_is_told(change: dict[str, Any], says: str) -> None:
    assert any(says in fault for fault in FULL.model_copy(update=change).faults(["id", "x", "y", "z"]))


def test_a_label_that_the_mapping_does_not_know_is_refused_and_an_empty_cell_is_no_label(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [{"id": n, "x": "a", "y": "b", "z": z, "who": "ann"} for n, z in (("1", "1"), ("2", "7"), ("3", ""))]
    mapping = FULL.model_copy(update={"judgments": []})
    preview = preview_import(store, from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert (preview.new.items, preview.new.labels) == (3, 1)
    says = "value: '7' is no answer here: the mapping knows 1."
    assert [(p.line, p.field, p.sentence) for p in preview.problems] == [(3, "value", says)]
    store.close()


# -- dialogues --------------------------------------------------------------------------------------------------------

UTTERANCES = [
    {"chat": "c1", "n": 2, "who": "assistant", "says": "Hello", "score": "8"},
    {"chat": "c1", "n": 1, "who": " User ", "says": "Hi", "score": ""},
    {"chat": "c1", "n": 3, "who": "user", "says": "Bye", "score": ""},
    {"chat": "c1", "n": 4, "who": "assistant", "says": "See you", "score": "10"},
    {"chat": "c2", "n": 1, "who": "user", "says": "Hm", "score": ""},
    {"chat": "c2", "n": 2, "who": "assistant", "says": "Yes?", "score": "none"},
]
SPOKEN = ColumnMapping(
    kind="dialogue",
    id=ValueSource(columns=["chat"]),
    fields={
        "turn": ValueSource(columns=["n"]),
        "role": ValueSource(columns=["who"]),
        "text": ValueSource(columns=["says"]),
    },
    judgments=[
        JudgmentColumns(card="mt_bench", model=ValueSource(constant="j"), value=ValueSource(columns=["score"])),
    ],
)


def test_rows_that_stand_together_become_a_dialogue_and_its_turns_are_judged(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    label = LabelColumns(
        value=ValueSource(columns=["score"]),
        values={"8": "8", "10": "10", "none": "1"},
        unit=ValueSource(constant="turn"),
        dimension=ValueSource(constant="rating"),
        annotator=ValueSource(constant="ann"),
    )
    mapping = SPOKEN.model_copy(update={"labels": [label]})
    assert mapping.faults(list(UTTERANCES[0])) == []
    done = import_source(
        store, "lea", from_bytes([("t.parquet", as_parquet(UTTERANCES))]), ImportPlan("d", mappings=(mapping,))
    )
    content = {name: ITEM.validate_json(content) for name, content in store.rows("select name, content from item")}
    assert [(t.turn, t.role, t.text) for t in content["c1"].turns] == [  # type: ignore[union-attr]
        (1, "user", "Hi"), (1, "assistant", "Hello"), (2, "user", "Bye"), (2, "assistant", "See you"),
    ]  # fmt: skip
    values = store.rows("select i.name, l.unit, l.value from label l join item i on i.id = l.item_id order by 1, 2")
    assert values == [("c1", "turn:1", 8.0), ("c1", "turn:2", 10.0), ("c2", "turn:1", 1.0)]
    assert done.preview.unscored == {"unreadable": 1}
    values = store.rows("select i.name, s.unit, s.value from score s join item i on i.id = s.item_id order by 1, 2")
    assert values == [("c1", "turn:1", 8.0), ("c1", "turn:2", 10.0)]
    store.close()


def test_rows_of_a_tool_are_entries_of_their_own(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [
        {"chat": "c", "n": n, "who": role, "says": says, "score": score}
        for n, (role, says, score) in enumerate(
            (("user", "Hi", ""), ("tool", "f(1)", ""), ("assistant", "Hello", "8"), ("user", "Bye", ""),
             ("tool", "g(2)", ""), ("user", "Well?", ""), ("assistant", "Yes", "10")), 1
        )
    ]  # fmt: skip
    import_source(store, "lea", from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(SPOKEN,)))
    turns = ITEM.validate_json(store.rows("select content from item")[0][0]).turns  # type: ignore[union-attr]
    assert [(t.turn, t.role, t.text) for t in turns] == [
        (1, "user", "Hi"), (1, "tool", "f(1)"), (1, "assistant", "Hello"), (2, "user", "Bye"), (2, "tool", "g(2)"),
        (2, "assistant", ""), (3, "user", "Well?"), (3, "assistant", "Yes"),
    ]  # fmt: skip
    assert store.rows("select unit, value from score order by 1") == [("turn:1", 8.0), ("turn:3", 10.0)]
    store.close()


def test_rows_of_a_dialogue_that_do_not_stand_together_are_refused(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [UTTERANCES[n] for n in (0, 1, 4, 5, 2, 3)]
    mapping = SPOKEN.model_copy(update={"judgments": []})
    preview = preview_import(store, from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert [(p.line, p.sentence) for p in preview.problems] == [
        (6, "The rows of the dialogue 'c1' are not consecutive: sort the table by its id.")
    ]
    store.close()


def test_a_dialogue_has_so_many_rows_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """One id in all rows, as of a column that is no id, does not fill the memory."""
    monkeypatch.setattr("judges.importing.table_answers._GROUP", 4)
    lines, wrong = example_lines("t.csv", UTTERANCES, SPOKEN)
    assert len(lines) == 5 and wrong == []
    more = [*UTTERANCES[:4], {**UTTERANCES[0], "n": 5}, *UTTERANCES[4:]]
    lines, wrong = example_lines("t.csv", more, SPOKEN)
    assert [line["id"] for line in lines if "turns" in line] == ["c2"]
    assert wrong == ["Row 1: The rows of the dialogue 'c1' are more than 4."]


def test_turns_may_stand_in_one_cell(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    chat = [
        {"role": "system", "content": "A shop"},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
    ]
    rows = [
        {"id": "1", "messages_": json.dumps(chat)},
        {"id": "2", "messages_": "nonsense"},
        {"id": "3", "messages_": "7"},
    ]
    mapping = ColumnMapping(
        kind="dialogue", id=ValueSource(columns=["id"]), fields={"turns": ValueSource(columns=["messages_"])}
    )
    preview = preview_import(store, from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert preview.new.items == 1 and [(p.line, p.field) for p in preview.problems] == [(3, "turns"), (4, "turns")]
    store.close()


def test_a_reply_may_stand_in_one_cell_as_text_or_as_json(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [
        {"id": "1", "output": "o", "reply": '{"scores":{"factuality":5,"instruction_following":4,"coherence":3,'
         '"completeness":2},"verdict":"good","decision_basis":"fine","issues":[]}'},
        {"id": "2", "output": "o", "reply": "no JSON"},
        {"id": "3", "output": "o", "reply": ""},
    ]  # fmt: skip
    mapping = ColumnMapping(
        kind="response",
        id=ValueSource(columns=["id"]),
        fields={"output": ValueSource(columns=["output"])},
        judgments=[
            JudgmentColumns(
                card="rubric_open_ended", model=ValueSource(constant="j"), raw=ValueSource(columns=["reply"])
            ),
        ],
    )
    done = import_source(store, "lea", from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.unscored) == (3, 2, {"unreadable": 1})
    assert store.rows("select dimension, value from score where dimension = 'factuality'") == [("factuality", 5.0)]
    store.close()


@pytest.mark.parametrize(
    ("columns", "kind", "fields"),
    [
        (["instruction", "output"], "response", {"task", "output"}),
        (["prompt", "chosen", "rejected"], "pair", {"input", "response_a", "response_b"}),
        (["uid", "messages", "model"], "dialogue", {"turns", "system"}),
        (["id", "turn", "role", "content"], "dialogue", {"turn", "role", "text"}),
        (["id", "user", "assistant"], "dialogue", {"user", "assistant"}),
        (["question", "model_a", "model_b", "response_a", "response_b"], "pair",
         {"input", "response_a", "response_b", "system_a", "system_b"}),
    ],
)  # fmt: skip
def test_columns_are_guessed_from_their_names(columns: list[str], kind: str, fields: set[str]) -> None:
    cells = {"role": "user", "messages": "[]"}
    mapping = suggest_mapping(columns, [{name: cells.get(name, "some text") for name in columns}])
    assert mapping.kind == kind and set(mapping.fields) == fields


def test_rows_that_are_utterances_are_told_by_any_usual_name() -> None:
    usual = {
        "turn": "turn turn_number turn_id position order message_index", "role": "role speaker from",
        "text": "text content utterance message value", "user": "user user_message",
        "assistant": "assistant assistant_message",
        "id": "id dialogue_id dialog_id conversation_id conv_id chat_id session_id thread_id item_id",
    }  # fmt: skip
    for fields in (("role", "text", "turn"), ("user", "assistant", "id")):
        for changed in fields:
            for name in usual[changed].split():
                columns = {field: name if field == changed else field for field in fields}
                speech = utterance_columns([*columns.values()], [{columns.get("role", ""): "user"}])
                assert speech == {field: column for field, column in columns.items() if field != "id"}
    assert utterance_columns(["user", "assistant", "other"], []) == {}


# -- Parquet ----------------------------------------------------------------------------------------------------------


def test_a_parquet_file_that_unfolds_to_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    file = tmp_path / "bomb.parquet"
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), pa.array(["x" * 1_000_000]))
    pq.write_table(pa.table({"output": texts}), file, compression="zstd")
    assert file.stat().st_size < 10_000
    for source in (from_path(file), from_bytes([("bomb.parquet", file.read_bytes())])):
        with pytest.raises(BadInput, match=r"unfolds to 4\.7 GB in 5,000 rows: at most 1 GB"):
            preview_import(store, source, ImportPlan("d"))
    store.close()


def test_a_text_of_parquet_that_is_too_long_is_told_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_LINE_BYTES", 2**20)
    out = io.BytesIO()
    pq.write_table(pa.table({"x": ["a" * 2**20, "b" * (2**20 + 1), "a\0b"]}), out)
    [file] = from_bytes([("t.parquet", out.getvalue())]).files
    with file.open_uncounted() as stream:
        problems = [r.problem for r in sandbox.parquet_records(file.name, file.path, stream)]
    assert problems == ["", "has a text longer than 1 MB", "holds the character NUL"]


def test_a_path_with_a_quote_is_read_as_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kim's 'own'"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    pq.write_table(pa.table({"x": ["a"]}), folder / "t.parquet")
    [file] = from_path(folder / "t.parquet").files
    with file.open_uncounted() as stream:
        assert [r.value for r in sandbox.parquet_records(file.name, file.path, stream)] == [{"x": "a"}]


def test_other_types_of_parquet_become_what_json_has() -> None:
    table = pa.table({"t": pa.array([1_700_000_000_000], pa.timestamp("ms")), "n": [float("nan")], "l": [[{"a": 1.5}]],
                      "d": pa.array([2], pa.decimal128(5, 2)), "b": [True]})  # fmt: skip
    out = io.BytesIO()
    pq.write_table(table, out)
    source = from_bytes([("t.parquet", out.getvalue())])
    assert [r.value for r in first_records(source.files[0], "parquet", 1)] == [
        {"t": "2023-11-14T22:13:20", "n": None, "l": [{"a": 1.5}], "d": 2, "b": True}
    ]
    blob = io.BytesIO()
    pq.write_table(pa.table({"x": [b"\xff"]}), blob)
    with pytest.raises(BadInput, match="the column 'x' holds bytes, not text"):
        first_records(from_bytes([("b.parquet", blob.getvalue())]).files[0], "parquet", 1)


def test_a_moment_of_parquet_is_the_same_wherever_it_is_read(tmp_path: Path) -> None:
    moments = pa.array([1_700_000_000_000], pa.timestamp("ms", "America/New_York"))
    pq.write_table(pa.table({"t": moments}), tmp_path / "t.parquet")
    lines = [
        "from pathlib import Path",
        "from data.store.sandbox import parquet_records",
        "print([one.value for one in parquet_records('t', Path('t.parquet'), None)])",
    ]
    command, env = [sys.executable, "-c", "; ".join(lines)], {"PYTHONPATH": str(ROOT), "TZ": "Asia/Tokyo"}
    run = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert run.stdout == "[{'t': '2023-11-14T22:13:20+00:00'}]\n"


# -- values of single questions ---------------------------------------------------------------------------------------


def score_rows(store: Any) -> list[tuple[Any, ...]]:
    """(item, unit, dimension, value, sample) of all scores."""
    return list(
        store.rows(
            "select i.name, s.unit, s.dimension, s.value, s.sample from score s join item i on i.id = s.item_id "
            "order by all"
        )
    )


def column(name: str) -> ValueSource:
    return ValueSource(columns=[name])


def test_several_columns_of_one_judge_are_one_judgment_and_whole_numbers_may_have_a_point(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [{"id": "1", "out": "x", "f": "8.0", "c": "5.0"}, {"id": "2", "out": "y", "f": "4.0", "c": ""}]
    judged = [
        JudgmentColumns(
            card="rubric_open_ended",
            model=ValueSource(constant="j"),
            value=column(c),
            dimension=ValueSource(constant=d),
        )
        for c, d in (("f", "factuality"), ("c", "coherence"))
    ]
    mapping = ColumnMapping(kind="response", id=column("id"), fields={"output": column("out")}, judgments=judged)
    done = import_source(store, "lea", from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert done.preview.new.judgments == 2
    assert score_rows(store) == [("1", "response", "coherence", 5.0, 0), ("2", "response", "factuality", 4.0, 0)]
    assert store.rows("select text from remark where sort = 'rule'")[0][0].startswith("8 is not on the scale")
    store.close()


def test_long_tables_have_a_value_a_row_in_any_order_and_repetitions_are_samples(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [
        {"id": i, "crit": c, "who": "j", "v": v}
        for i, c, v in (("1", "coherence", 1), ("2", "coherence", 2), ("1", "factuality", 3), ("1", "coherence", 4))
    ]
    judged = JudgmentColumns(
        card="rubric_open_ended", model=column("who"), value=column("v"), dimension=column("crit")
    )
    mapping = ColumnMapping(kind="response", id=column("id"), judgments=[judged])
    import_source(store, "lea", from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert score_rows(store) == [
        ("1", "response", "coherence", 1.0, 0), ("1", "response", "coherence", 4.0, 1),
        ("1", "response", "factuality", 3.0, 0), ("2", "response", "coherence", 2.0, 0),
    ]  # fmt: skip
    assert store.rows("select count(*) from item")[0][0] == 2  # without a text, by their ids alone
    # A column may number them, in whole numbers.
    numbered = mapping.model_copy(update={"judgments": [judged.model_copy(update={"sample": column("nth")})]})
    rows = [row | {"nth": nth} for row, nth in zip(rows, ("3", "", "x", "1"), strict=True)]
    source = from_bytes([("t.csv", as_csv(rows))])
    done = import_source(store, "lea", source, ImportPlan("e", mappings=(numbered,)), "good rows")
    assert [(p.line, p.field) for p in done.preview.problems] == [(4, "sample")]
    samples = store.rows(
        "select s.value, s.sample from score s join item i on i.id = s.item_id where i.dataset_id = $1 order by all",
        [done.dataset_id],
    )
    assert samples == [(1.0, 3), (2.0, 0), (4.0, 1)]
    store.close()


def test_rows_of_a_dialogue_have_a_score_a_turn(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [{"id": "d", "user": f"q{n}", "assistant": f"a{n}", "v": n} for n in (3, 5)]
    judged = JudgmentColumns(
        card="multi_turn_dialogue", model=ValueSource(constant="j"), value=column("v"),
        dimension=ValueSource(constant="helpfulness"), unit=ValueSource(constant="turn"),
    )  # fmt: skip
    fields = {"user": column("user"), "assistant": column("assistant")}
    mapping = ColumnMapping(kind="dialogue", id=column("id"), fields=fields, judgments=[judged])
    done = import_source(store, "lea", from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert done.preview.new.judgments == 1
    assert score_rows(store) == [("d", "turn:1", "helpfulness", 3.0, 0), ("d", "turn:2", "helpfulness", 5.0, 0)]
    store.close()


def test_a_probability_that_is_no_number_is_a_problem_of_its_row(tmp_path: Path) -> None:
    label = LabelColumns(
        value=ValueSource(columns=["human"]), unit=ValueSource(constant="response"),
        dimension=ValueSource(constant="factuality"), annotator=ValueSource(constant="ann"),
        probability=ValueSource(columns=["p"]),
    )  # fmt: skip
    fields = {"task": ValueSource(columns=["q"]), "output": ValueSource(columns=["o"])}
    mapping = ColumnMapping(kind="response", id=ValueSource(columns=["id"]), fields=fields, labels=[label])
    source = from_bytes([("t.csv", b"id,q,o,human,p\n1,a,b,3,abc\n2,a,b,3,0.5\n")])
    store = workspace(tmp_path)
    preview = preview_import(store, source, ImportPlan("d", mappings=(mapping,), sampling="random"))
    store.close()
    assert (preview.new.items, preview.new.labels) == (2, 1)
    assert [p.sentence for p in preview.problems] == ["probability must be a number from 0 to 1 (it is 'abc')."]


# -- what mapped rows become ------------------------------------------------------------------------------------------


def always(words: str) -> ValueSource:
    return ValueSource(constant=words)


def cells(names: str, *rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Rows of a table, all of the item `a` where it has no column of items."""
    return [{"id": "a"} | dict(zip(names.split(), row, strict=True)) for row in rows]


def judged_by(**options: Any) -> ColumnMapping:
    """A mapping of answers of a judge alone."""
    judgment = JudgmentColumns(**{"model": always("j"), **options})
    kind = cards()[judgment.card].kind
    return ColumnMapping(kind=kind, id=column("id"), items=False, judgments=[judgment])


MAPPED: dict[str, tuple[ColumnMapping, list[dict[str, Any]]]] = {
    "ratings of turns": (
        judged_by(card="mt_bench", value=column("v"), turn=column("t"), reason=column("why"), sample=column("n")),
        cells("v t why n", ("8", "1", "", ""), ("8.5", "turn:2", "So.", "2"), (True, "x", "", "x"),
              ("bad", " 1 ", None, None), ("  ", "1", "", ""), (None, "", "", ""), (7, "\u00b2", "", "\u00b2"),
              (7, "", "", "")),
    ),
    "verdicts": (
        judged_by(card="plain_pairwise", model=column("m"), value=column("v"), reason=column("why"), order=column("o"),
                  values={"1": "a", "2": "b"}, params={"temperature": 0}),
        cells("v m why o", ("1", "j", "So.", " BA "), ("3", "", "", "")),
    ),
    "whole replies": (
        judged_by(card="rubric_open_ended", raw=column("r")),
        cells("r", ({"b": 1, "a": [2]},), ("text",), (3.0,), ("",), (None,)),
    ),
    "scores": (
        judged_by(card="multi_turn_dialogue", value=column("v"), dimension=column("d"), unit=column("u"),
                  turn=column("t"), confidence=column("c"), reason=column("why")),
        cells("v d u t c why", ("4", " helpfulness ", "turn", "2", "0.5", "So."),
              ("5", "helpfulness", "", "turn:3", "", ""),
              ("good", "verdict", "", "", "", ""), ("n/a", "safety", "7", "", "", ""), (" ", "safety", "7", "", "", ""),
              ("4", "safety", "turn:1", "", "x", ""), ("4", "safety", "conversation", "1", "", "")),
    ),
    "labels": (
        ColumnMapping(kind="response", id=column("id"), items=False, labels=[LabelColumns(
            value=column("v"), unit=column("u"), dimension=always("factuality"), annotator=column("who"),
            turn=column("t"), mode=column("m"), made_at=column("at"), team=column("team"), probability=column("p"),
            values={"good": "5", "bad": "1"}, only={"team": ["", "red"]},
        ), LabelColumns(value=always("3"), unit=always("response"), dimension=always("blue"), annotator=always("cy"),
                        made_at=always("2026"), only={"team": ["blue"]})]),
        cells("v u who t m at team p", (" good ", "response", " ann ", "", "", "2026-01-01", " red ", " 0.5 "),
              ("bad", "turn", "ann", "turn:2", "assisted", "2026-01-01", "", ""),
              ("bad", "3", "ann", "", "", "2026", "", ""),
              ("so so", "response", "ann", "", "", "2026", "", ""), ("", "response", "ann", "", "", "2026", "", "x"),
              ("bad", "response", "ann", "", "", "2026", "", "x"),
              ("bad", "response", "ann", "", "", "2026", "blue", "")),
    ),
    "labels on a scale": (
        ColumnMapping(kind="response", id=column("id"), items=False, labels=[LabelColumns(
            value=column("v"), answers=RecipeScale(lo=1, hi=5), unit=always("response"), dimension=always("tone"),
            annotator=always("ann"), made_at=always("2026"),
        )]),
        cells("v", ("4 / 5",), ("n/a",), ("6",), ("-",), (2.0,)),
    ),
    "scores on a scale": (
        judged_by(card="rubric_open_ended", value=column("v"), answers=RecipeScale(lo=1, hi=5),
                  dimension=always("coherence")),
        cells("v", ("4",), ("n/a",), ("6",), ("-",)),
    ),
    **{
        f"scores of units by {name}": (
            judged_by(card="multi_turn_dialogue", value=column("v"), dimension=always("helpfulness"), **more),
            cells("v t", ("4", "1"), ("5", "2")),
        )
        for name, more in {
            "a column of units": {"unit": column("t")}, "a column of turns": {"turn": column("t")},
            "nothing": {"unit": always("turn:1")},
        }.items()
    },
    "scores whose question each row says": (
        ColumnMapping(kind="response", id=column("id"), items=False, judgments=[
            JudgmentColumns(card="rubric_open_ended", model=always("j"), value=column("v"), dimension=always(name),
                            only={"t": [name]}) for name in ("factuality", "coherence")
        ]),
        cells("v t", ("4", "factuality"), ("5", " coherence ")),
    ),
    "responses": (
        ColumnMapping(kind="response", fields={
            "task": column("q"), "output": column("o"), "reference": column("r"), "system": always("s"),
        }, meta=["z", "y"]),
        cells("q o r z y", ("Q", "O", None, 0, ""), ("Q", None, "R", 1, 1), ("Q", "", "R", None, False)),
    ),
    "responses without texts": (ColumnMapping(kind="response", meta=["z"]), cells("z", (1,), (2,))),
    "pairs": (
        ColumnMapping(kind="pair", id=ValueSource(columns=["i", "k"]), fields={
            "input": column("q"), "response_a": column("a"), "response_b": column("b"), "system_a": column("s"),
            "system_b": always("y"),
        }),
        cells("i k q a b s", (" 1", 2.0, "Q", None, True, "x"), ("1", None, None, "A", 1.5, None)),
    ),
    "dialogues in a cell": (
        ColumnMapping(kind="dialogue", id=column("n"), fields={
            "turns": column("t"), "scenario": column("s"), "system": column("m"),
        }),
        cells("n t s m", (1, [{"role": "system", "content": "Shop"}, {"role": "user", "content": "Q"}], "", "m"),
              (2, '[{"role": "system", "content": "Shop"}, {"role": "user", "content": "Q"}]', "Mine", None),
              (3, [{"turn": 3, "role": "user", "text": "Q"}], "", ""), (4, [], "", ""), (5, "{", "", ""),
              (6, '"x"', "", ""), (7, None, "", ""), (8, [1], "", "")),
    ),
    "utterances": (
        ColumnMapping(kind="dialogue", id=column("id"), fields={
            "turn": column("n"), "role": column("who"), "text": column("says"),
        }),
        cells("id n who says", ("a", "2", "BOT ", "B"), ("a", "1.5", " human", "A"), ("b", "x", "user", "A"),
              ("c", "1", "robot", "A"), ("c", "2", "user", "B"), ("d", "1", "user", None)),
    ),
    "rows of what was asked and answered": (
        ColumnMapping(kind="dialogue", id=column("id"), fields={
            "user": column("u"), "assistant": column("b"), "system": column("m"),
        }, labels=[LabelColumns(value=column("v"), unit=always("turn"), dimension=always("helpfulness"),
                                annotator=always("ann"), made_at=always("2026-01-01"))]),
        cells("id u b v m", ("a", "Q", "A", "1", "m"), ("a", None, "A2", "2", "m"), ("a", "Q3", None, "3", "m"),
              ("a", "Q4", 4.0, "4", "m"), ("b", "Q", "A", "5", "m"), ("a", "Q", "A", "6", "m")),
    ),
}  # fmt: skip


def test_what_mapped_rows_become_is_kept(tmp_path: Path) -> None:
    """Every field of every line, and what is wrong with the rows that become none: tables.txt."""
    lines = []
    for name, (mapping, rows) in MAPPED.items():
        examples, wrong = example_lines("t.csv", rows, mapping)
        lines += [f"== {name}", *(json.dumps(line, ensure_ascii=False) for line in examples), *wrong]
    compare_archive("\n".join(lines) + "\n", Path(__file__).with_name("tables.txt"), tmp_path)


@pytest.mark.parametrize("written", ["2", " turn:2 "])
def test_the_turn_of_a_rating_may_be_a_number_or_a_unit(tmp_path: Path, written: str) -> None:
    store = workspace(tmp_path)
    talk = [{"role": role, "content": role} for role in ("user", "assistant") * 2]
    mapping = ColumnMapping(
        kind="dialogue", id=column("id"), fields={"turns": column("talk")},
        judgments=[JudgmentColumns(card="mt_bench", model=always("j"), value=column("v"), turn=column("t"))],
    )  # fmt: skip
    rows = cells("talk v t", (json.dumps(talk), "8", written))
    import_source(store, "lea", from_bytes([("t.csv", as_csv(rows))]), ImportPlan("d", mappings=(mapping,)))
    assert score_rows(store) == [("a", "turn:2", "rating", 8.0, 0)]
    store.close()


def test_a_number_of_thousands_of_digits_is_told(tmp_path: Path) -> None:
    judged = JudgmentColumns(
        card="mt_bench", model=ValueSource(constant="m"), value=column("v"), turn=column("t"), sample=column("s")
    )
    mapping = ColumnMapping(kind="dialogue", id=column("id"), items=False, judgments=[judged])
    lines, wrong = example_lines("t", [{"id": "d", "v": "3", "t": "9" * 5_000, "s": "8" * 5_000}], mapping)
    assert (lines[0]["sample"], lines[0]["reply"]["turn"], wrong) == ("8" * 5_000, 0, [])


def test_rows_of_an_export_with_numbers_too_large_or_a_kind_that_is_a_list_are_told(tmp_path: Path) -> None:
    row = {"item": "r", "card": "c", "model": "m", "unit": "response", "dimension": "d", "judge": "j", "code": "1"}
    text = ",".join([*row, "sample"]) + "\n" + ",".join([*row.values(), "9" * 400]) + "\n"
    out = io.BytesIO()
    names = ("id", "response_a", "task", "turns", "meta")
    pq.write_table(pa.table({**{name: ["x"] for name in names}, "kind": [["response"]]}), out)
    store = workspace(tmp_path)
    files = ("a.csv", text.encode(), "no row of an export of scores"), ("a.parquet", out.getvalue(), "kind must be")
    for name, content, says in files:
        [problem] = preview_import(store, from_bytes([(name, content)]), ImportPlan("d")).problems
        assert says in problem.sentence
    store.close()
