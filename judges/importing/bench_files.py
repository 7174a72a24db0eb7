"""MT-Bench read from files and folders, without a workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from judges.errors import AssayError
from judges.importing import contents, json_records
from judges.importing.encodings import detect_encoding
from judges.importing.line_files import BadLines
from judges.importing.repeated_problems import RepeatedProblems
from judges.jsonl import Record, mend_record, read_jsonl, read_jsonl_line
from judges.mtbench import completeness, many_turns, swallow
from judges.mtbench.assembly import ROLES, AssembledBench, BenchFile, assemble, join_records, list_names
from judges.mtbench.records import Bench
from judges.mtbench.rows import role_of
from judges.mtbench.swallow import assemble_swallow
from judges.plural import verb

SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
_POINTER = b"version https://git-lfs"
POINTER_MESSAGE = "a git-LFS pointer, not the data: run `git lfs pull` where it came from"
_READERS: tuple[tuple[Callable[[list[BenchFile]], AssembledBench], tuple[str, ...]], ...] = (
    (assemble, ROLES), (assemble_swallow, ("results", "details")), (many_turns.assemble_dialogues, ("dialogue",))
)  # fmt: skip
_MAX_PEEKED_RECORDS, _HEAD_BYTES = 20, 4096
_MAX_SHOWN_PROBLEMS = 50


def read_bench(paths: Sequence[Path | str]) -> tuple[Bench, list[str]]:
    """The MT-Bench records in these files and folders, and grouped notes on what was found.

    Raises AssayError if a path is neither a file nor a folder, or if none of them contains anything of MT-Bench.
    """
    names_by_reason: dict[str, list[str]] = {}
    files = [file for name, path in _find_files(paths) if (file := _open_file(name, path, names_by_reason)) is not None]
    notes = [describe_left_aside(why, names) for why, names in names_by_reason.items()]
    if not files:
        rest = f" {' '.join(notes)}" if notes else ""
        raise AssayError(f"{', '.join(map(str, paths))}: no data of MT-Bench found.{rest}")
    bench, problems = Bench(), RepeatedProblems()
    for reader, roles in _READERS:
        if of_reader := [file for file in files if file.role in roles]:
            result = reader(of_reader)
            for bad in result.bad:
                problems.add((bad.place.file, bad.place.line), bad.sentence, bad.field)
            notes += result.notes
            bench, clashes = join_records(bench, result.bench)
            notes += clashes
    return bench, [*notes, *problems.sentences(_MAX_SHOWN_PROBLEMS), *completeness.describe_contents(bench)]


def _find_files(paths: Sequence[Path | str]) -> Iterator[tuple[str, Path]]:
    """(name with folders, path) of the data files, each once."""
    met: set[Path] = set()
    for path in map(Path, paths):
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*")) if file.is_file() and file.suffix.lower() in SUFFIXES]
        elif path.is_file():
            inside = [path]
        else:
            raise AssayError(f"There is no file or folder {path}. Check the path; it is relative to where you are.")
        for data_file in inside:
            if data_file.resolve() not in met and data_file.name[0] != ".":
                met.add(data_file.resolve())
                yield data_file.as_posix(), data_file


def _open_file(name: str, path: Path, names_by_reason: dict[str, list[str]]) -> BenchFile | None:
    """A file as one of MT-Bench's; None, with a note on the reason, if it is not one."""
    why = ""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
        records = [] if head.startswith(_POINTER) else _records(path, head)
    except BadLines as error:
        records, why = [], str(error).removeprefix(f"{path} is ").rstrip(".")
    except OSError as error:
        records, why = [], f"not to be read ({error.strerror})"
    role = _role(name, [record.value for record in records[:_MAX_PEEKED_RECORDS] if not record.problem])
    if role is not None:
        return BenchFile(name, role, records)
    if not why and records and detect_encoding(head).startswith("utf-16"):
        why = "text in UTF-16: save it as UTF-8"
    why = why or (POINTER_MESSAGE if head.startswith(_POINTER) else "none of MT-Bench's files" if records else "empty")
    names_by_reason.setdefault(why, []).append(name)
    return None


def describe_left_aside(why: str, names: Sequence[str]) -> str:
    """Files that were left aside for one reason, in a sentence."""
    was, is_ = verb(len(names), "was", "were"), verb(len(names), "it is", "they are")
    return f"{list_names(names)} {was} ignored: {is_} {why}."


def _role(name: str, starts: Sequence[dict[str, Any]]) -> str | None:
    """Return the role of a file of FastChat, Swallow or MT-Bench-101, by its first records; None for any other file."""
    for value in starts:
        keys = frozenset(value)
        if role := "dialogue" if many_turns.fits(value) else swallow.role_of(keys) or role_of(name, keys):
            return role
    return None


def _records(path: Path, head: bytes) -> Sequence[Record]:
    """The records of a file: lines of JSON, one object or list of JSON, or the rows of a Parquet file."""
    if head.startswith(b"PAR1"):
        return [Record(number, row) for number, row in contents.read_parquet(path)]
    in_list = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    with path.open("rb") as stream:
        records = json_records.read_json_array(stream) if in_list else read_jsonl(stream)
        lines = [mend_record(record) for record in records]
    if not in_list and len(lines) > 1 and all(record.problem for record in lines):
        document = mend_record(read_jsonl_line(1, path.read_bytes().removeprefix(b"\xef\xbb\xbf")))
        lines = lines if document.problem else [document]
    return lines
