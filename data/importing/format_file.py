"""A file as a format gets it: its beginning, by which it is recognised, and its records, which are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from data.importing.files.container import Container
from judges.importing.mapping import ColumnMapping
from judges.jsonl import Record


@dataclass(frozen=True)
class FileStart:
    """The beginning of a file: its name, how it holds its records, and the first of them."""

    name: str
    container: Container
    rows: Sequence[dict[str, Any]]

    @property
    def shapes(self) -> list[frozenset[str]]:
        """The keys that rows have, each set once, in the order of the rows."""
        return list(dict.fromkeys(frozenset(row) for row in self.rows))

    def objects_under(self, *keys: str) -> list[dict[str, Any]]:
        """The objects under these keys of all rows."""
        return [entry for row in self.rows for entry in objects_under(row, *keys)]


@dataclass(frozen=True)
class FormatFile:
    """One of the files of a format: its name, its records, and how it holds them.

    `role` is what it is among the files of its format, None where that has one sort only; `mapping` is a table's.
    """

    name: str
    records: Iterable[Record]
    container: Container = "lines"
    role: str | None = None
    mapping: ColumnMapping | None = None


def objects_under(value: dict[str, Any], *keys: str) -> list[dict[str, Any]]:
    """The objects of the lists that lie under these keys, in their order in the value, or the value itself."""
    lists = [entries for key, entries in value.items() if key in keys and isinstance(entries, list)]
    return [entry for entries in lists for entry in entries if isinstance(entry, dict)] if lists else [value]
