"""The source of an import: files that a person named on the command line, or uploaded on the page.

Only these files are read. The content of an import never names another file. Patterns, addresses and archives are
refused.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO

from data.store.errors import BadInput, NotFound
from judges.errors import AssayError
from judges.importing.contents import PARTITIONS
from judges.strict_json import parse_json

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_MOST_FILES = 10_000
_MAX_LISTING_BYTES = 8 * 2**20


class SourceFile:
    """One file of a source: a name to show, a size in bytes, and its content as a stream that is read once or more."""

    def __init__(self, name: str, size: int, opener: Callable[[], BinaryIO], path: Path | None = None) -> None:
        self.name, self.size, self.path = name, size, path
        self._opener = opener
        self._stream: BinaryIO | None = None

    def open(self) -> BinaryIO:
        """The content from its beginning; `at` then says how far it was read. Raises BadInput."""
        self._stream = self.open_uncounted()
        return self._stream

    def head(self, size: int = 65_536) -> bytes:
        """The first bytes, without counting as read."""
        with self.open_uncounted() as stream:
            return stream.read(size)

    def open_uncounted(self) -> BinaryIO:
        """The content from its beginning, without counting as read."""
        try:
            return self._opener()
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            then = "It was moved or deleted: give it again" if is_missing else "Check the file's rights"
            raise BadInput(f"{self.name} cannot be read: {error.strerror}. {then}.") from None

    @property
    def reading(self) -> bool:
        """Whether it was begun and is not read to its end."""
        return self._stream is not None and not self._stream.closed

    @property
    def at(self) -> int:
        """The number of bytes that were read since the file was opened last."""
        if self._stream is None:
            return 0
        return self.size if self._stream.closed else self._stream.tell()


@dataclass
class Source:
    """The files of one import, in the order in which they are read, and those of a folder that are left aside.

    `isolated`: who gave them is not who runs this process, so they are read in another one, with limits.
    """

    name: str
    files: Sequence[SourceFile]
    left_aside: list[str] = field(default_factory=list)
    isolated: bool = False

    @property
    def size(self) -> int:
        """All bytes."""
        return sum(file.size for file in self.files)

    @property
    def at(self) -> int:
        """The bytes read so far."""
        return sum(file.at for file in self.files)

    @property
    def open(self) -> str:
        """The name of the file that is being read, "" where none is."""
        return next((file.name for file in reversed(self.files) if file.reading), "")


def from_path(text: str | Path) -> Source:
    """The file at that path, or the data files of that folder and its subfolders (links are not followed).

    Raises NotFound, or BadInput for addresses, patterns and what is no plain file.
    """
    if "://" in str(text):
        raise BadInput(f"{text} is an address. Download the file first and give its path.")
    path = Path(text)
    try:
        if path.is_file():
            return Source(path.name, [file_at(path, path.name)])
        if path.is_dir():
            return _folder(path)
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise BadInput(f"{str(text)[:200]!r} is no path: {error}.") from None
    if exists:
        raise BadInput(f"{path} is neither a plain file nor a folder.")
    if any(sign in str(text) for sign in "*?["):
        raise BadInput(f"{text} is a pattern that matches no file. Give files, or a folder.")
    raise NotFound(f"There is no file {path}. Check the path; it is relative to the folder you are in.")


def from_paths(paths: Sequence[str | Path]) -> Source:
    """The files at these paths and in these folders, in that order; one that is named twice is read once.

    Several have the name of the folder before theirs, which may say what they hold. Raises what `from_path` does.
    """
    parts = [from_path(text) for text in paths]
    if len(parts) == 1:
        return parts[0]
    files: dict[Path, SourceFile] = {}
    for text, part in zip(paths, parts, strict=True):
        for file in part.files:
            assert file.path is not None
            used_names = {other.name for path, other in files.items() if path != file.path.resolve()}
            within = Path(text).resolve().name if Path(text).is_dir() else Path(text).parent.name
            name = f"{within}/{file.name}" if within else file.name
            if name in used_names:
                name = f"{text}/{file.name}" if Path(text).is_dir() else f"{text}"
            files.setdefault(file.path.resolve(), file_at(file.path, name))
    source = _several(list(files.values()))
    source.left_aside = [name for part in parts for name in part.left_aside]
    return source


def from_bytes(files: Sequence[tuple[str, bytes]]) -> Source:
    """Files at hand as (name, content). Only the last part of a name is kept; it is shown and never opened."""
    names = _unique_names([name for name, _ in files])
    return _several([
        SourceFile(name, len(content), lambda content=content: io.BytesIO(content))  # type: ignore[misc]
        for name, (_, content) in zip(names, files, strict=True)
    ])  # fmt: skip


def from_uploads(uploads: Sequence[tuple[str, Path]]) -> Source:
    """Uploaded files as (name that was given, where it was put); they are read in a process of their own."""
    names = _unique_names([name for name, _ in uploads])
    return _several([file_at(path, name) for name, (_, path) in zip(names, uploads, strict=True)], isolated=True)


def _unique_names(names: Sequence[str]) -> list[str]:
    """The names of files as they are shown: the last part of each, and no two alike."""
    if not names:
        raise BadInput("No file was given. Choose one or more files.")
    unique_names: list[str] = []
    for name in names:
        shown = name.replace("\\", "/").rsplit("/", 1)[-1][:200] or "upload"
        numbered = chain([shown], (f"{shown} ({number})" for number in count(len(unique_names) + 1)))
        unique_names.append(next(candidate for candidate in numbered if candidate not in unique_names))
    return unique_names


def _several(files: list[SourceFile], isolated: bool = False) -> Source:
    name = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"
    return Source(name, files, isolated=isolated)


def file_at(path: Path, name: str) -> SourceFile:
    """The file at a path, under the name to show. Raises OSError."""
    return SourceFile(name, path.stat().st_size, lambda: path.open("rb"), path)


def _folder(folder: Path) -> Source:
    files, skipped_names = [], []
    if (folder / PARTITIONS).is_file():
        return _read_listed_files(folder)
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        name = relative.as_posix()
        *hidden_parents, hidden = (part[0] == "." for part in relative.parts)
        if any(hidden_parents) or (path.is_dir() and not path.is_symlink() and not hidden):
            continue
        if path.is_symlink() or not path.is_file() or path.suffix.lower() not in SUFFIXES or hidden:
            skipped_names.append(name)
        else:
            files.append(file_at(path, name))
        if len(files) + len(skipped_names) > _MOST_FILES:
            raise BadInput(f"{folder} holds more than {_MOST_FILES} files. Give the folder of one import.")
    if not files:
        raise BadInput(f"{folder} holds no data file ({', '.join(SUFFIXES)}).")
    return Source(folder.resolve().name, files, skipped_names)


def _read_listed_files(folder: Path) -> Source:
    """The files of an export in a folder, all of them as its list says. Raises BadInput where one is missing or other.
    """
    try:
        with (folder / PARTITIONS).open("rb") as stream:
            data = parse_json(stream.read(_MAX_LISTING_BYTES).decode())
        listed = [(Path(str(entry["name"])).name, int(entry["bytes"]), str(entry["sha256"])) for entry in data["files"]]
    except (OSError, ValueError, KeyError, TypeError, AssayError) as error:
        why = type(error).__name__
        raise BadInput(f"{folder / PARTITIONS} cannot be read ({why}). Export the folder again.") from None
    if not listed:
        raise BadInput(f"{folder / PARTITIONS} names no file: the export was empty.")
    if len(listed) > _MOST_FILES:
        raise BadInput(f"{folder} holds more than {_MOST_FILES} files. Export it with more rows a file.")
    files = []
    for name, size, sha256 in listed:
        path = folder / name
        if path.is_symlink() or not path.is_file():
            raise BadInput(f"{path} is missing, but {PARTITIONS} lists it. Copy the whole folder, or export it again.")
        with path.open("rb") as content:
            if path.stat().st_size != size or hashlib.file_digest(content, "sha256").hexdigest() != sha256:
                raise BadInput(f"{path} differs from what {PARTITIONS} says. Copy or export the folder again.")
        files.append(file_at(path, name))
    named = {PARTITIONS, *(name for name, *_ in listed)}
    skipped_names = [path.name for path in sorted(folder.iterdir()) if path.name not in named]
    return Source(folder.resolve().name, files, skipped_names)
