"""Files of a folder of MT-Bench that hold nothing of it: each is named, and the others are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from data.importing.format_file import FileStart, FormatFile
from data.importing.lines import Entry, Hint
from data.store.errors import BadInput

TITLE = "left aside"
LISTS = ()
ROLES_OF_FILES = {
    "pointer": "a git-LFS pointer, not the data: run `git lfs pull` where it came from, and import it then",
    "empty": "empty",
    "other": "none of MT-Bench's files, and nothing else that can be read without being told what it means",
}


def role(start: FileStart) -> str:
    """No file is left aside because somebody asks for it. Raises BadInput."""
    raise BadInput(f"{start.name}: to leave a file aside, do not give it.")


def fits(start: FileStart) -> bool:
    """No file is of this format by itself: which it is follows from the files beside it."""
    return False


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """A sentence for each file."""
    for part in files:
        yield Hint(f"{part.name} was left aside: it is {ROLES_OF_FILES[part.role or 'other']}.")
