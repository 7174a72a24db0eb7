"""Files of a folder of MT-Bench that hold nothing of it: each is named, and the others are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from data.importing.format_file import FormatFile
from judges.importing.bench_files import POINTER_MESSAGE, describe_left_aside
from judges.importing.entries import Entry, Hint

TITLE = "left aside"
ROLES_OF_FILES = {
    "pointer": POINTER_MESSAGE,
    "empty": "empty",
    "other": "none of MT-Bench's files, and of no other kind that can be read without a mapping",
}


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """A sentence for each reason."""
    parts = list(files)
    for role, why in ROLES_OF_FILES.items():
        if names := [part.name for part in parts if part.role == role]:
            yield Hint(describe_left_aside(why, names))
