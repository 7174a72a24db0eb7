"""MT-Bench-101: dialogues of several turns, whose task is in their meta."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from data.importing.format_file import FileStart, FormatFile
from data.importing.formats._bench_lines import bench_lines
from judges.importing.entries import Entry
from judges.mtbench import many_turns
from judges.mtbench.assembly import BenchFile

TITLE = "MT-Bench-101"


def fits(start: FileStart) -> bool:
    """Whether a file that begins so is one of MT-Bench-101."""
    return start.container != "csv" and any(many_turns.fits(row) for row in start.rows)


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The dialogues of the files."""
    contents = many_turns.assemble_dialogues(BenchFile(part.name, "", part.records) for part in files)
    yield from bench_lines(contents, task=True)
