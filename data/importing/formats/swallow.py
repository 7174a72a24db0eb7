"""Swallow's evaluation (MT-Bench): its results, and its details in Parquet, whose samples become dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from data.importing.format_file import FileStart, FormatFile
from data.importing.formats._bench_lines import bench_lines
from judges.importing.entries import Entry
from judges.mtbench.assembly import BenchFile
from judges.mtbench.swallow import Role, assemble_swallow, role_of

TITLE = "Swallow's evaluation"
ROLES_OF_FILES: dict[Role, str] = {"results": "means of a run", "details": "answers and ratings of a model"}


def role(start: FileStart) -> Role | None:
    """Return the role of a file that begins so; None if it is none of the format's files."""
    return next((role for keys in start.shapes if (role := role_of(keys)) is not None), None)


def fits(start: FileStart) -> bool:
    """Whether a file that begins so is one of the evaluation's."""
    return start.container != "csv" and role(start) is not None


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The dialogues of every sample, and the ratings of their turns."""
    yield from bench_lines(assemble_swallow(BenchFile(part.name, str(part.role), part.records) for part in files))
