"""`import`: files, or a folder in FastChat's layout, into a dataset of the workspace."""

from __future__ import annotations

import argparse
import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from data.cards.cards import current_cards
from data.cli.options import acting_person, add_actor, add_dataset, add_good_rows, workspace_store
from data.importing.detection.plan_proposal import suggest_mapping
from data.importing.files.source import Source, from_paths
from data.importing.importing import detect_formats, import_source, preview_import
from data.importing.mapping_texts import parse_mapping
from data.importing.plan import FORMATS, SAMPLINGS, ImportPlan
from data.importing.report import ImportPreview, ImportRefused, ImportResult
from data.store.errors import BadInput
from judges.cli.options import add_card, chosen_card
from judges.cli.progress_bar import Bar
from judges.importing.mapping import ColumnMapping
from judges.plural import many

_MAX_SHOWN = 50


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file (JSON lines, JSON, CSV, Parquet), or a folder of them; several"
    )
    add_dataset(parser, "the dataset, made if it is missing", required=False)
    parser.add_argument("--description", default="", help="of the dataset, when it is made")
    parser.add_argument("--format", choices=FORMATS, default="auto", help="default: found out from the content")
    parser.add_argument("--mapping", type=Path, metavar="FILE", help="JSON that says what a table's columns mean")
    parser.add_argument("--suggest", action="store_true", help="write a mapping to begin with, and import nothing")
    parser.add_argument(
        "--sampling", choices=SAMPLINGS, default="unknown", help="how the labelled items were chosen (default: unknown)"
    )
    parser.add_argument(
        "--of", type=int, metavar="N", help="how many items the labelled ones were drawn from, with --sampling random"
    )
    add_good_rows(parser)
    parser.add_argument(
        "--rejects", type=Path, metavar="FILE", help="write the lines that cannot be imported to this file"
    )
    add_card(parser, "a card that the judgments need and no line brings")
    parser.add_argument(
        "--by-file", action="store_true", help="import each file separately: for data that does not fit into memory"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Import, or say why not."""
    source = from_paths(options.paths)
    if options.suggest:
        print(_suggest_mapping(source, options))
        return 0
    if not options.dataset:
        raise BadInput("Say into which dataset: --dataset NAME.")
    if options.by_file and (options.dry_run or options.sampling != "unknown"):
        raise BadInput("--by-file imports one file at a time, so it does not go with --dry-run or --sampling.")
    parts = [Source(file.name, [file]) for file in source.files] if options.by_file else [source]
    mappings = (_mapping(options.mapping),) if options.mapping else ()
    plan = ImportPlan(
        options.dataset,
        description=options.description,
        format=options.format,
        sampling=options.sampling,
        mappings=mappings,
        population=options.of,
    ).check()
    with workspace_store(new=True) as store, _open_rejects(source, options.rejects) as rejects, Bar() as bar:
        if options.card or options.dimension:
            plan = replace(plan, cards=(chosen_card(options, known=current_cards(store)).spec,))
        if options.dry_run:
            preview = preview_import(store, source, plan, progress=bar, rejects=rejects, actor=options.actor)
            bar.clear()
            print_problems(preview)
            print(f"Would add {preview.new} to {plan.dataset}; {preview.describe_known('is', 'are')}.")
            return 0 if preview.ok else 1
        name = acting_person(store, options.actor)
        on_error = "good rows" if options.good_rows else "refuse"
        for part in parts:
            try:
                done = import_source(store, name, part, plan, on_error=on_error, progress=bar, rejects=rejects)  # type: ignore[arg-type]
            except ImportRefused as refused:
                bar.clear()
                print_problems(refused.preview)
                raise
            bar.clear()
            _tell(done, f"{part.name}: " if options.by_file else "", plan.dataset)
    return 0


def _open_rejects(source: Source, path: Path | None) -> contextlib.AbstractContextManager[BinaryIO | None]:
    """The file for lines that cannot be imported, empty; none where none is named. Raises BadInput."""
    if path is None:
        return contextlib.nullcontext()
    if any(file.path and path.exists() and path.samefile(file.path) for file in source.files):
        raise BadInput(f"{path} is one of the files to import, and would be written over. Name another for --rejects.")
    return path.open("wb")


def _tell(done: ImportResult, of: str, dataset: str) -> None:
    """Say what an import has added."""
    print_problems(done.preview)
    rejected = done.preview.rejected
    rate = done.lines / max(done.seconds, 1e-3)
    left = f" Not taken: {many(rejected, 'line')}." if rejected else ""
    print(
        f"{of}Added {done.preview.new} to {dataset}; {done.preview.describe_known()}."
        f"{left} {many(done.lines, 'line')} in {done.seconds:.1f} s ({rate:,.0f} a second)."
    )


def print_problems(preview: ImportPreview) -> None:
    """Print on stderr what the files contain, with warnings and problems."""
    for sentence in [*preview.summary, *preview.warnings]:
        print(sentence, file=sys.stderr)
    for reason, count in preview.unscored.items():
        print(f"Kept as unscored ({reason}): {many(count, 'judgment')}.", file=sys.stderr)
    for group in preview.groups[:_MAX_SHOWN]:
        print(group, file=sys.stderr)
    if len(preview.groups) > _MAX_SHOWN:
        rest = sum(group.lines for group in preview.groups[_MAX_SHOWN:])
        print(f"... and {rest:,} more; --rejects FILE names every line.", file=sys.stderr)


def _mapping(path: Path) -> ColumnMapping:
    try:
        return parse_mapping(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8, so it cannot be read as a mapping.") from None


def _suggest_mapping(source: Source, options: argparse.Namespace) -> str:
    """A mapping for the first table of the source, as JSON; what it still lacks goes to stderr."""
    for known in detect_formats(source, options.format):
        if known.format == "table":
            with known.file.open() as stream:
                records = (record.value for record in known.records(stream) if not record.problem)
                guess = suggest_mapping(known.columns, ({c: row.get(c) for c in known.columns} for row in records))
            for fault in guess.faults(known.columns):
                print(fault, file=sys.stderr)
            return guess.model_dump_json(indent=2, exclude_defaults=True)
    raise BadInput(f"{source.name} holds no table: it needs no mapping.")
