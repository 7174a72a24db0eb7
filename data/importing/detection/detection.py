"""Detection of the format of each file of a source, and reading of the records of files whose format is known."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from data.importing import formats
from data.importing.files.container import POINTER, Container, detect_container, first_records, read_records
from data.importing.files.source import Source, SourceFile
from data.importing.format_file import FileStart, FormatFile
from data.importing.plan import Format
from data.store.errors import BadInput
from judges.importing.column_names import parse_name
from judges.importing.columns import find_columns
from judges.importing.entries import ToolEntry
from judges.importing.json_records import explain_object, wraps_rows
from judges.importing.mapping import ColumnMapping
from judges.importing.nested_cells import NestedColumn, unfold_records
from judges.jsonl import Record

_MAX_SAMPLE_CHARACTERS = 2**20
_SAMPLE_RECORDS = 20


@dataclass(frozen=True)
class DetectedFile:
    """A file and what it turned out to be, with the columns of its first rows and those rows, as far as they are short.
    """

    file: SourceFile
    container: Container
    format: Format
    role: str | None = None
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Its format in words; a table of which no row can be read has none of its own."""
        unread = self.container == "csv" and self.format == "canonical" and not self.rows
        return str(formats.format_module("table" if unread else self.format).TITLE)

    @property
    def says(self) -> str:
        """The format of the file, and its role if it has one, in words."""
        return f"{self.title}: {formats.file_roles(self.format)[self.role]}" if self.role else self.title

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """Its records, read from its content; a line of Assay's own or a chat is one, whatever lists it has."""
        return self.unfolded_records(stream)[0]

    def unfolded_records(self, stream: BinaryIO) -> tuple[Iterator[Record], dict[str, NestedColumn]]:
        """Its records; those of a table have the fields of the objects in their cells, and the columns of these."""
        lists: frozenset[tuple[str, ...]] = frozenset() if self.format in formats.SEPARATE else formats.lists()
        records = read_records(self.file, self.container, stream, lists)
        return unfold_records(records) if self.format == "table" else (records, {})


def detect_formats(source: Source, chosen_format: Format = "auto") -> list[DetectedFile]:
    """Return each file of a source with its format. Raises BadInput for archives, empty files and what is no data.

    With `chosen_format` "auto", such files are left aside instead if the source also has files of MT-Bench: other files
    in the folder of an evaluation are no reason to refuse all of it.
    """
    files: list[DetectedFile | SourceFile] = []
    refused: BadInput | None = None
    for file in source.files:
        try:
            files.append(_format(file, chosen_format))
        except BadInput as error:
            refused = refused or error
            files.append(file)
    of_bench = any(isinstance(file, DetectedFile) and file.format in formats.BENCH for file in files)
    if refused is not None and not (of_bench and chosen_format == "auto"):
        raise refused
    return [file if isinstance(file, DetectedFile) else _leave_aside(file) for file in files]


def _leave_aside(file: SourceFile) -> DetectedFile:
    """A file that is left aside, and as what."""
    head = file.head()
    why = "pointer" if head.startswith(POINTER) else "other" if head.strip() else "empty"
    return DetectedFile(file, "lines", formats.ASIDE, why)


def without_strays(detected: list[DetectedFile], unmapped: Callable[[DetectedFile], bool]) -> list[DetectedFile]:
    """Return the files; with files of MT-Bench, tables whose columns nobody has explained are marked as left out."""
    of_bench = any(known.format in formats.BENCH for known in detected)
    return [
        DetectedFile(known.file, known.container, formats.ASIDE, "other")
        if of_bench and known.format == "table" and unmapped(known)
        else known
        for known in detected
    ]


def take_answers(detected: list[DetectedFile], named: Collection[str] = ()) -> list[DetectedFile]:
    """Return the files; chats with a judge's or a person's answers beside them are tables of chats and answers.

    So are those with a column that is `named` as answers.
    """
    return [_take_answers(known, named) if known.format == "messages" else known for known in detected]


def _take_answers(known: DetectedFile, named: Collection[str]) -> DetectedFile:
    records, nested = unfold_records(Record(number, row) for number, row in enumerate(known.rows, 1))
    columns, rows = _begins(list(records))
    roles = find_columns([name for name in columns if name not in nested], rows)
    givers = map(parse_name, filter(None, (roles.by, *(a.column for a in (*roles.judges, *roles.people)))))
    if set(named) & set(columns) or any(name.owner and not name.weak for name in givers):
        return replace(known, format="table", role=None, columns=columns, rows=rows)
    return known


def _format(file: SourceFile, chosen_format: Format) -> DetectedFile:
    container = detect_container(file)
    sample = first_records(file, container, _SAMPLE_RECORDS, formats.lists())
    if container == "csv" and not sample and not _has_record(file, container):
        raise BadInput(f"{file.name} holds a header and no rows.")
    is_blank = bool(sample) and not any(record.value or record.problem for record in sample)
    if is_blank and not _has_record(file, container, lambda record: bool(record.value or record.problem)):
        raise BadInput(f"{file.name} holds nothing to import: its rows have no fields.")
    start = FileStart(file.name, container, [record.value for record in sample])
    file_format = (formats.recognise(start) or _fallback_format(start)) if chosen_format == "auto" else chosen_format
    if file_format == "table":
        sample = list(unfold_records(iter(sample))[0])
    return DetectedFile(file, container, file_format, formats.file_role(file_format, start), *_begins(sample))


def _fallback_format(start: FileStart) -> Format:
    """The format of a file that no format claims: a table, or canonical where nothing in it can be read."""
    if len(start.rows) == 1 and (empty := formats.empty_list(start.rows[0])):
        raise BadInput(f"{start.name} holds nothing to import: its list {empty} is empty.")
    wraps = len(start.rows) == 1 and start.container == "lines" and wraps_rows(start.rows[0])
    if start.container == "object" or wraps:
        raise BadInput(explain_object(start.name, start.rows, "that none of the tools known here writes "))
    return "table" if start.rows else "canonical"


def _has_record(file: SourceFile, container: Container, fits: Callable[[Record], bool] = lambda record: True) -> bool:
    """Whether a file holds such a record; without a condition, any record, good or bad."""
    with file.open_uncounted() as stream:
        return any(map(fits, read_records(file, container, stream, formats.lists())))


def _begins(sample: list[Record]) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns of the first rows, and those of them that are short enough together to be shown."""
    columns = list(dict.fromkeys(name for record in sample for name in record.value))
    sizes = itertools.accumulate(len(str(record.value)) for record in sample)
    return columns, [record.value for record, size in zip(sample, sizes, strict=True) if size <= _MAX_SAMPLE_CHARACTERS]


def read_format(
    name: Format, detected: list[DetectedFile], mappings: Mapping[str, ColumnMapping] | None = None,
    items: Sequence[dict[str, Any]] = (),
) -> Iterator[ToolEntry]:  # fmt: skip
    """Yield what these files of one format hold, with values under names of their own; a table needs its mapping.

    `items` are those of the dataset, as far as the format asks for them (`formats.items_role`).
    """
    with contextlib.ExitStack() as stack:
        files = [
            FormatFile(
                known.file.name, _lazy(stack, known), known.container, known.role, (mappings or {}).get(known.file.name)
            )
            for known in detected
        ]
        if items and (role := formats.items_role(name)):
            records = (Record(number, item) for number, item in enumerate(items, 1))
            files.append(FormatFile("the dataset", records, role=role))
        yield from formats.read_files(name, files)


def _lazy(stack: contextlib.ExitStack, known: DetectedFile) -> Iterator[Record]:
    """The records of a file that is opened when the first of them is asked for."""
    stream = stack.enter_context(known.file.open())
    yield from known.records(stream)
    stream.close()


def format_titles(detected: list[DetectedFile]) -> list[str]:
    """The formats of a source in words, each once."""
    return sorted({known.title for known in detected if known.format != formats.ASIDE})
