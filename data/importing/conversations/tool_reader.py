"""Row-by-row reading of another tool's files. What cannot be imported, or was not used, is reported once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from data.importing.files.spill_file import SpillFile
from data.importing.format_file import FormatFile
from judges.importing.entries import Hint, RejectedRow, ToolEntry
from judges.jsonl import mend_record

Json = dict[str, Any]

_EXAMPLES, _ROWS, _KEYS = 3, 100, 20


@dataclass
class _Fault:
    file: str
    line: int
    problem: str
    why: str
    times: int = 0
    examples: list[str] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)


class ToolReader:
    """Reads the files of a tool: a format says with `take` what a row holds, a collector below gives the `entries`.

    `file` and `line` are where it reads; faults, unused keys and hints are told once each, with a count and examples.
    """

    def __init__(self, title: str) -> None:
        self.file, self.line = "", 0
        self._title = title
        self._shelf = SpillFile()
        self._faults: dict[tuple[str, str], _Fault] = {}
        self._unused: Counter[str] = Counter()
        self._hints: Counter[str] = Counter()

    def read(self, files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
        """All that the files hold."""
        try:
            for part in files:
                self.begin()
                for record in part.records:
                    self.file, self.line = part.name, record.line
                    plain = mend_record(record)
                    if plain.problem and not plain.value:
                        self.add_fault("line", f"{record.problem}.", row=record.text[:1_000])
                        continue
                    for row in self.rows(plain.value):
                        with self.catch_faults(row):
                            self.take(row)
            yield from self.entries()
        finally:
            self.close()

    def begin(self) -> None:
        """Another file begins."""

    def rows(self, value: Json) -> Iterable[Json]:
        """The rows that lie in a record: itself, if nothing else is said."""
        return [value]

    def take(self, row: Json) -> None:
        """Take what a row holds."""
        raise NotImplementedError

    def entries(self) -> Iterator[ToolEntry]:
        """Everything, once all was read; then what could not be imported."""
        raise NotImplementedError

    def close(self) -> None:
        """Forget everything."""
        self._shelf.close()

    @contextmanager
    def catch_faults(self, row: Any) -> Iterator[None]:
        """Turn errors of the code inside into a fault: the row has an unexpected shape."""
        try:
            yield
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError):
            self.add_fault("row", f"has another shape than {self._title} writes.", row=row)

    def add_fault(
        self, noun: str, why: str, example: str = "", row: Any = None, at: tuple[str, int] | None = None
    ) -> None:
        """Report what cannot be imported: `noun` names it in the singular, `why` is what follows, with its verb.

        Its place is where the reader is, or `at` that line of a file.
        """
        file, line = at or (self.file, self.line)
        fault = self._faults.setdefault((file, f"{noun} {why}"), _Fault(file, line, noun, why))
        fault.times += 1
        if example and len(fault.examples) < _EXAMPLES and example not in fault.examples:
            fault.examples.append(example[:60])
        if len(fault.rows) < _ROWS:
            fault.rows.append(row)

    def note_unused(self, *keys: str) -> None:
        """Note keys that were not used."""
        self._unused.update(keys)

    def add_hint(self, sentence: str, times: int = 1) -> None:
        """Add something worth knowing; `{n}` in it is replaced by how often it occurs."""
        if times:
            self._hints[sentence] += times

    def problems(self) -> Iterator[RejectedRow | Hint]:
        """All of it."""
        for fault in self._faults.values():
            dots = " ..." if fault.times > _EXAMPLES else ""
            shown = f" ({', '.join(fault.examples)}{dots})" if fault.examples else ""
            begin, rows = ("A", fault.rows[0]) if fault.times == 1 else (f"{fault.times:,} times: a", fault.rows)
            sentence = f"{begin} {fault.problem}{shown} {fault.why}"
            yield RejectedRow(fault.file, fault.line, [("", sentence)], rows)
        for sentence, times in self._hints.items():
            counted = f" ({times:,})." if "{n}" in sentence else "."
            yield Hint(f"{self._title}: {sentence.replace('{n} ', '').rstrip('.')}{counted}")
        if self._unused:
            named = [f"{key} ({times:,})" for key, times in self._unused.most_common(_KEYS)]
            more = len(self._unused) - len(named)
            rest = f" and {more:,} more" if more > 0 else ""
            yield Hint(f"{self._title}: not imported: {', '.join(named)}{rest}.")
