"""A summary of a source's files: the cells of tables, and what other tools' files say of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from data.importing.detection.detection import DetectedFile, read_format
from data.importing.files.source import Source
from data.importing.formats import TOOLS
from data.importing.source_reader import Progress
from judges.authoring.scale_inference import is_missing
from judges.importing.entries import Line, NamedValue
from judges.importing.table_contents import CellCollector, SourceContents, ValueSummary, read_table
from judges.types import is_unit, sort_of

_PROGRESS_ROWS = 2_000


def read_contents(source: Source, detected: list[DetectedFile], progress: Progress = lambda *_: None) -> SourceContents:
    """Return a summary of the tables and other tools' files of a source; files of Assay's own formats need none."""
    contents = SourceContents()

    def tell(count: int) -> None:
        if count % _PROGRESS_ROWS == 0:
            progress(source.at, source.size, count)

    for known in detected:
        if known.format == "table":
            with known.file.open() as stream:
                records, nested = known.unfolded_records(stream)
                rows = (record.value for record in records if not record.problem)
                contents.tables[known.file.name] = read_table(rows, (), nested, tell)
    others = [known for known in detected if known.format in TOOLS]
    if others:
        _count_values(others, contents, tell)
    return contents


def _count_values(others: list[DetectedFile], facts: SourceContents, tell: Callable[[int], None]) -> None:
    by_name: dict[tuple[str, str, str, str], tuple[Counter[str], CellCollector, set[int]]] = {}
    items: Counter[str] = Counter()
    for number, entry in enumerate(_entries(others), 1):
        if isinstance(entry, Line) and entry.sort == "item":
            items[str(entry.data.get("kind"))] += 1
        elif isinstance(entry, NamedValue):
            sort = sort_of(entry.unit) if is_unit(entry.unit) else ""
            key = (entry.by, entry.kind, sort, entry.name)
            tally, values, answered = by_name.setdefault(key, (Counter(), CellCollector(), set()))
            tally[entry.rater] += 1
            values.add(entry.value)
            if not is_missing(entry.value):
                answered.add(hash(entry.item))
        tell(number)
    facts.items = dict(items)
    facts.value_summaries = [
        ValueSummary(*key, dict(tally.most_common(50)), values.summarise(), len(answered))
        for key, (tally, values, answered) in by_name.items()
    ]


def _entries(others: list[DetectedFile]) -> Iterator[Any]:
    for name in sorted({known.format for known in others}):
        yield from read_format(name, [known for known in others if known.format == name])
