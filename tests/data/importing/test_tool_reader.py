"""What readers of tools' files tell of what they could not take: once each, with a count and a few examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from data.importing.conversations.tool_reader import ToolReader
from data.importing.format_file import FormatFile
from judges.importing.entries import Hint, RejectedRow, ToolEntry
from judges.jsonl import Record

Json = dict[str, Any]


class Reader(ToolReader):
    """A tool that does with each row what the test says."""

    def __init__(self, act: Callable[[Reader, Json], object]) -> None:
        super().__init__("Tool")
        self.act = act
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def rows(self, value: Json) -> list[Json]:
        return value.get("many", [value])

    def take(self, row: Json) -> None:
        self.act(self, row)

    def entries(self) -> Iterator[ToolEntry]:
        yield from self.problems()


def read_rows(act: Callable[[Reader, Json], object], *rows: Json | Record) -> list[ToolEntry]:
    """All that is told of rows, one a line."""
    records = [row if isinstance(row, Record) else Record(n, row) for n, row in enumerate(rows, 1)]
    reader = Reader(act)
    entries = list(reader.read([FormatFile("f", iter(records)), FormatFile("empty", iter(()))]))
    assert reader.begun == 2
    return entries


def bad(reader: Reader, row: Json) -> None:
    reader.add_fault("row", "is bad.", row.get("name", ""), row)


@pytest.mark.parametrize(("names", "says"), [
    (["a"], "A row (a) is bad."), ([""], "A row is bad."), (["", ""], "2 times: a row is bad."),
    (["a", "a", "b"], "3 times: a row (a, b) is bad."), (["a", "b", "c"], "3 times: a row (a, b, c) is bad."),
    (["a", "b", "c", "d"], "4 times: a row (a, b, c ...) is bad."), (["x" * 61], f"A row ({'x' * 60}) is bad."),
])  # fmt: skip
def test_a_fault_is_told_once_with_its_rows(names: list[str], says: str) -> None:
    rows = [{"name": name} for name in names]
    assert read_rows(bad, *rows) == [RejectedRow("f", 1, [("", says)], rows if len(rows) > 1 else rows[0])]


def test_of_very_many_faults_a_hundred_rows_are_kept() -> None:
    [fault] = read_rows(bad, {"many": [{"n": n} for n in range(1_234)]})
    assert isinstance(fault, RejectedRow) and fault.problems == [("", "1,234 times: a row is bad.")]
    assert fault.row == [{"n": n} for n in range(100)]


def test_faults_of_other_sorts_files_and_places_are_apart() -> None:
    def act(reader: Reader, row: Json) -> None:
        reader.add_fault(row["what"], "is bad.", row=row, at=row.get("at"))

    rows: list[Json] = [{"what": "a"}, {"what": "b"}, {"what": "a", "at": ("g", 7)}, {"what": "a"}]
    assert read_rows(act, *rows) == [
        RejectedRow("f", 1, [("", "2 times: a a is bad.")], [rows[0], rows[3]]),
        RejectedRow("f", 2, [("", "A b is bad.")], rows[1]), RejectedRow("g", 7, [("", "A a is bad.")], rows[2]),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError])
def test_a_row_of_another_shape_is_told_and_the_next_is_taken(error: type[Exception]) -> None:
    numbers = []

    def act(reader: Reader, row: Json) -> None:
        if row["n"] == 2:
            raise error
        numbers.append(row["n"])

    entries = read_rows(act, {"many": [{"n": 1}, {"n": 2}]}, Record(5, {}, "y" * 1_001, "is not JSON"), {"n": 3})
    assert numbers == [1, 3] and entries == [
        RejectedRow("f", 1, [("", "A row has another shape than Tool writes.")], {"n": 2}),
        RejectedRow("f", 5, [("", "A line is not JSON.")], "y" * 1_000),
    ]
    with pytest.raises(OSError, match="no room"):
        read_rows(lambda *_: (_ for _ in ()).throw(OSError("no room")), {})


def test_hints_are_counted_and_keys_that_were_not_used_named() -> None:
    def act(reader: Reader, row: Json) -> None:
        reader.add_hint("{n} scores were left out.", row.get("scores", 1))
        reader.add_hint("the file is odd.")
        reader.add_hint("nothing of it", 0)
        reader.note_unused(*row.get("keys", ()))

    def hints(*rows: Json) -> list[str]:
        return [hint.sentence for hint in read_rows(act, *rows) if isinstance(hint, Hint)]

    always = "Tool: the file is odd."
    assert hints({}) == ["Tool: scores were left out (1).", always]
    assert hints({"scores": 1_233}, {"keys": ["a"]}, {"scores": 0, "keys": ["b", "a"]}) == [
        "Tool: scores were left out (1,234).", always, "Tool: not imported: a (2), b (1).",
    ]  # fmt: skip
    keys = [f"k{n}" for n in range(1_030)]
    listed = ", ".join(f"{key} (1)" for key in keys[:20])
    for count, more in ((20, ""), (21, " and 1 more"), (1_030, " and 1,010 more")):
        assert hints({"keys": keys[:count]})[-1] == f"Tool: not imported: {listed}{more}."
