"""What is left of a file that was understood: what could not be imported, or was not used; each reported once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from data.importing.lines import Hint, RejectedRow
from judges.importing.jsonl import Record

_EXAMPLES, _ROWS, _KEYS = 3, 100, 20


@dataclass
class _Fault:
    file: str
    line: int
    what: str
    why: str
    times: int = 0
    examples: list[str] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)


class ReadingReport:
    """Collects faults and unused keys; `told` reports each sort of them once, with a count and examples."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._faults: dict[tuple[str, str], _Fault] = {}
        self._unused: Counter[str] = Counter()
        self._hints: Counter[str] = Counter()

    def good(self, file: str, records: Iterable[Record]) -> Iterator[Record]:
        """The records without those that are broken, which are faults."""
        for record in records:
            if record.problem:
                self.fault(file, record.line, "line", f"{record.problem}.", row=record.text[:1_000])
            else:
                yield record

    @contextmanager
    def sparing(self, file: str, line: int, row: Any) -> Iterator[None]:
        """What is read of a row within it is a fault where the row has a shape that nobody foresaw."""
        try:
            yield
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError):
            self.fault(file, line, "row", f"has another shape than {self._title} writes.", row=row)

    def fault(self, file: str, line: int, what: str, why: str, example: str = "", row: Any = None) -> None:
        """Something that cannot be imported: `what` names it in the singular, `why` is what follows, with its verb."""
        found = self._faults.setdefault((file, f"{what} {why}"), _Fault(file, line, what, why))
        found.times += 1
        if example and len(found.examples) < _EXAMPLES and example not in found.examples:
            found.examples.append(example[:60])
        if len(found.rows) < _ROWS:
            found.rows.append(row)

    def unused(self, *keys: str) -> None:
        """Keys of which nothing was made."""
        self._unused.update(keys)

    def hint(self, sentence: str, times: int = 1) -> None:
        """Something worth knowing; `{n}` in it is replaced by how often it occurs."""
        if times:
            self._hints[sentence] += times

    def told(self) -> Iterator[RejectedRow | Hint]:
        """All of it."""
        for one in self._faults.values():
            shown = f" ({', '.join(one.examples)})" if one.examples else ""
            if one.times == 1:
                sentence = f"A {one.what}{shown} {one.why}"
            else:
                first = one.examples and f" ({', '.join(one.examples)}{' ...' if one.times > _EXAMPLES else ''})"
                sentence = f"{one.times:,} times: a {one.what}{first or ''} {one.why}"
            yield RejectedRow(one.file, one.line, [("", sentence)], one.rows if one.times > 1 else one.rows[0])
        for sentence, times in self._hints.items():
            counted = f" ({times:,})." if "{n}" in sentence else "."
            yield Hint(f"{self._title}: {sentence.replace('{n} ', '').rstrip('.')}{counted}")
        if self._unused:
            named = [f"{key} ({times:,})" for key, times in self._unused.most_common(_KEYS)]
            more = len(self._unused) - len(named)
            rest = f" and {more:,} more" if more > 0 else ""
            yield Hint(f"{self._title}: nothing was made of {', '.join(named)}{rest}.")
