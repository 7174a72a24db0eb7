"""Giving a dataset out: what an export would hold, and writing it with its row in the audit log."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import shutil
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from data import log
from data.exporting import files
from data.exporting import kinds as folder
from data.exporting.files import FORMATS, Format, Progress
from data.exporting.kind import BEGIN, ExportKind, ExportOption, Options, Row, complete_options
from data.gold import excluded_items
from data.records import exposure
from data.records.access import allow, require
from data.records.datasets import Dataset
from data.records.tables import ExportRow
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotFound
from data.store.ids import new_id
from judges.strict_json import canonical
from judges.version import VERSION

PREVIEW_ROWS = 5
_ITEMS_PER_CHANGE = 5_000
"""Items whose exposures are in memory at a time."""


@dataclass(frozen=True)
class ExportResult:
    """An export that was made: its file, the number of rows, and of items newly put aside as tuning items."""

    file: Path
    kind: str
    format: Format
    lines: int
    excluded: int


@cache
def export_kinds() -> dict[str, ExportKind]:
    """Every kind by name, in the order of lists."""
    names = sorted(m.name for m in pkgutil.iter_modules(folder.__path__))
    kinds = [importlib.import_module(f"data.exporting.kinds.{name}").KIND for name in names]
    return {kind.name: kind for kind in sorted(kinds, key=lambda k: (k.place, k.name))}


def export_kind(name: str) -> ExportKind:
    """The kind of that name. Raises NotFound, naming those there are."""
    kinds = export_kinds()
    if name not in kinds:
        raise NotFound(f"There is no export called {name[:60]!r}. There are: {', '.join(kinds)}.")
    return kinds[name]


def known_options() -> dict[str, ExportOption]:
    """Every option of every kind by name; one that several kinds have is the same in all of them."""
    return {option.name: option for kind in export_kinds().values() for option in kind.options}


@allow("researcher")
def preview_export(
    store: Store, actor: str, dataset: Dataset, kind: ExportKind, options: Options
) -> tuple[list[Row], int]:
    """The first rows of an export, and how many there are. Raises NotAllowed, BadInput.

    Rows of items that may still come to this person to be answered blind are not among the first.
    """
    require(store, actor, "researcher")
    full_options = complete_options(store, dataset.id, kind, options)
    first, count = _first_rows(store, dataset, kind, tuple(full_options.items()))
    shown = answers_in_rows(store, dataset, kind, full_options, {str(row["item"]) for row in first if "item" in row})
    hidden_ids = exposure.blind_pending(store, actor) & shown.keys()
    exposure.record_exposures(store, actor, {i: by for i, by in shown.items() if i not in hidden_ids}, "export")
    hidden = {name for name, id_ in _ids(store, dataset, {str(row.get("item")) for row in first}) if id_ in hidden_ids}
    return [row for row in first if row.get("item") not in hidden], count


@cache_result
def _first_rows(
    store: Store, dataset: Dataset, kind: ExportKind, options: tuple[tuple[str, Any], ...]
) -> tuple[tuple[Row, ...], int]:
    values = dict(options)
    rows = (
        kind.rows(store, dataset, values)
        if kind.first is None
        else kind.first(store, dataset, values, PREVIEW_ROWS, BEGIN)
    )
    first = tuple(islice(rows, PREVIEW_ROWS))
    counted = kind.count is None and kind.query is None  # the rows that were begun, to their end
    return first, len(first) + sum(1 for _ in rows) if counted else kind.size(store, dataset, values)


def count_export(store: Store, actor: str, dataset: Dataset, kind: ExportKind, options: Options) -> int:
    """Return the number of rows that an export would have, without showing one. Raises NotAllowed, BadInput."""
    require(store, actor, "researcher")
    return kind.size(store, dataset, complete_options(store, dataset.id, kind, options))


@allow("researcher")
def count_waiting_blind(store: Store, actor: str, dataset: Dataset, kind: ExportKind, options: Options) -> int:
    """Return the number of items that wait for this person's blind answer and that the export would show to them."""
    full_options = complete_options(store, dataset.id, kind, options)
    if kind.shown_judges(full_options) == (False, "") and not kind.shows_people:
        return 0
    return len(exposure.blind_pending(store, actor) & {i for _, i in _ids(store, dataset, None)})


@allow("researcher")
def write_export(
    store: Store, actor: str, dataset: Dataset, kind: ExportKind, options: Options, format: Format, file: Path,
    progress: Progress = lambda _: None, rows_per_file: int = 0,
) -> ExportResult:  # fmt: skip
    """Write an export to a file, and who took what to the audit log (researchers and leads).

    If it shows what judges or people said of an item, this is recorded as shown to the person; for very many items in
    several changes, before the file gets its name. Examples are put aside as tuning items in the same change; the file
    gets its name only once that is in the store. With `rows_per_file`, `file` is a folder of Parquet files of so many
    rows. Raises NotAllowed, BadInput.
    """
    require(store, actor, "researcher")
    if format not in FORMATS:
        raise BadInput(f"{format!r} is not a format. There are: {', '.join(FORMATS)}.")
    if rows_per_file and (rows_per_file < 0 or format != "parquet"):
        raise BadInput("Only Parquet can be split into files of 1 or more rows: leave the format out, or give parquet.")
    if kind.parts and format != "jsonl" and not rows_per_file:
        raise BadInput(f"An export of {kind.name} has lines of several sorts: it can only be JSON lines (jsonl).")
    full_options = complete_options(store, dataset.id, kind, options)
    provenance = kind.provenance(store, dataset, full_options)
    part, told_of = file.with_name(file.name + ".part"), set[str]()
    facts = {"assay": VERSION, "dataset": dataset.name, "revision": store.newest(), "options": dict(full_options)}

    def note_items(row: Row) -> Row:
        if "item" in row:
            told_of.add(str(row["item"]))
        return row

    def expose(tx: Tx, names: list[str]) -> None:
        require(tx, actor, "researcher")
        exposure.add_exposures(tx, actor, answers_in_rows(tx, dataset, kind, full_options, set(names)), "export")

    def work(tx: Tx) -> int:
        new = _exclude_items(tx, actor, dataset, kind, told_of) if kind.marks_tuning_items and told_of else 0
        expose(tx, names)
        settings = canonical({"format": format, **full_options, **provenance})
        tx.append([ExportRow(new_id(), dataset.id, kind.name, settings, lines)])
        return new

    try:
        rows = map(note_items, kind.rows(store, dataset, full_options))
        if rows_per_file:
            part = Path(tempfile.mkdtemp(prefix=f".{file.name}-", dir=file.absolute().parent))
            lines = files.write_partitions(rows, kind, part, rows_per_file, facts, progress)
        else:
            lines = files.write_rows(rows, kind, format, part, progress)
        names = sorted(told_of)
        # A row for each judge of an item: of millions one change would be held in memory.
        while len(names) > _ITEMS_PER_CHANGE:
            store.tx(actor, "exposure", partial(expose, names=names[:_ITEMS_PER_CHANGE]))
            del names[:_ITEMS_PER_CHANGE]
        excluded = store.tx(actor, "export", work, target=dataset.id)
        part.replace(file)
    finally:
        with contextlib.suppress(OSError):
            if rows_per_file:
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)
    log.info("export_made", person=actor, dataset=dataset.name, kind=kind.name, format=format, lines=lines)
    return ExportResult(file, kind.name, format, lines, excluded)


def answers_in_rows(
    reader: Store | Tx, dataset: Dataset, kind: ExportKind, options: Options, names: set[str]
) -> dict[str, Collection[str]]:
    """Item id -> whose answers the rows of items of these names hold: judges', people's."""
    every, chosen = kind.shown_judges(options)
    ids = [id_ for _, id_ in _ids(reader, dataset, names)] if names and (every or chosen or kind.shows_people) else []
    judges = exposure.judges_of_items(reader, ids) if every and ids else {}
    own = {chosen} if chosen else set[str]()
    people = {exposure.OTHER_PEOPLE} if kind.shows_people else set[str]()
    return {i: judges.get(i, set()) | own | people for i in ids}


def _ids(reader: Store | Tx, dataset: Dataset, names: set[str] | None) -> list[tuple[str, str]]:
    """(name, id) of the items of those names, or of all."""
    condition, params = ("", []) if names is None else (" and name = any($2)", [sorted(names)])
    rows = reader.rows(f"select name, id from item where dataset_id = $1{condition}", [dataset.id, *params])
    return [(str(name), str(id_)) for name, id_ in rows]


def _exclude_items(tx: Tx, actor: str, dataset: Dataset, kind: ExportKind, names: set[str]) -> int:
    """Put the items of an export aside. Raises BadInput where one has been drawn meanwhile."""
    ids = {id_ for _, id_ in _ids(tx, dataset, names)}
    if ids & excluded_items.audit_sample_items(tx, dataset.id):
        raise BadInput("One of these items has just been drawn into the audit sample. Export again without it.")
    return excluded_items.set_excluded(
        tx, actor, dataset.id, sorted(ids), f"given out as few-shot examples ({kind.name})"
    )


def loading_code(format: Format, name: str) -> str:
    """The line of Python with which a colleague reads the file."""
    reader = {"jsonl": "json", "csv": "csv", "parquet": "parquet"}[format]
    return f'from datasets import load_dataset\nrows = load_dataset("{reader}", data_files="{name}", split="train")'
