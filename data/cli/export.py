"""`export`: a dataset, or what training takes of it, into a file; --kind list names what there is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from data.cli.options import acting_person, add_actor, add_dataset, workspace_store
from data.exporting.exporting import (
    count_export,
    export_kind,
    export_kinds,
    known_options,
    loading_code,
    write_export,
)
from data.exporting.files import FORMATS, Format
from data.records import datasets
from data.store.errors import BadInput
from judges.authoring.card_lookup import card_from_file, is_file
from judges.cli.progress_bar import Bar
from judges.plural import many


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser, "the dataset", required=False)
    parser.add_argument("--kind", metavar="KIND", default="list", help="what to export; `list` names the kinds")
    parser.add_argument("--format", choices=FORMATS, help="default: the ending of the file, else JSON lines")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file to write")
    parser.add_argument(
        "--rows-per-file", type=int, metavar="N", help="a folder of Parquet files of so many rows, for much"
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument("--dry-run", action="store_true", help="only say how many rows there would be")
    for name, option in known_options().items():
        by = ", ".join(k.name for k in export_kinds().values() if any(o.name == name for o in k.options))
        says = f"{option.help} ({by})"
        if isinstance(option.default, bool):
            parser.add_argument(f"--{_flag(name)}", action=argparse.BooleanOptionalAction, default=None, help=says)
        else:
            parser.add_argument(f"--{_flag(name)}", type=type(option.default), metavar="X", dest=name, help=says)
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Export, or say why not."""
    if options.kind == "list":
        _list()
        return 0
    chosen = export_kind(options.kind)
    if not options.dataset:
        raise BadInput("Say which dataset: --dataset NAME.")
    if not options.out and not options.dry_run:
        raise BadInput("Say into which file: --out FILE.")
    if options.rows_per_file is not None and options.rows_per_file < 1:
        raise BadInput(f"--rows-per-file is a number of rows, 1 or more; it is {options.rows_per_file}.")
    if options.out and not options.dry_run:
        _refuse_place(options.out, options.format, options.rows_per_file)
    if options.out and options.out.exists() and not (options.force or options.dry_run):
        raise BadInput(f"{options.out} is there already. Give another name, or --force to write over it.")
    values = {name: v for name in known_options() if (v := getattr(options, name)) is not None}
    if is_file(values.get("card", "")):
        values["card"] = card_from_file(Path(values["card"])).name
    with workspace_store() as store:
        name, dataset = acting_person(store, options.actor), datasets.dataset_named(store, options.dataset)
        if options.dry_run:
            print(
                f"{chosen.title} of {dataset.name}: {many(count_export(store, name, dataset, chosen, values), 'row')}."
            )
            return 0
        ending = options.out.suffix.removeprefix(".").lower()
        format: Format = options.format or ("parquet" if options.rows_per_file else ending or "jsonl")
        with Bar(unit="rows") as bar:
            done = write_export(
                store, name, dataset, chosen, values, format, options.out, lambda rows: bar(0, 0, rows),
                options.rows_per_file or 0,
            )  # fmt: skip
    print(f"Wrote {many(done.lines, 'row')} ({chosen.title.lower()}) to {done.file}.")
    if done.excluded:
        print(f"Put aside as tuning items, which the approval check leaves out from now on: {done.excluded:,}.")
    if not done.lines:
        print("There is nothing of this kind in the dataset: the file holds no row.")
        return 0
    again = f"python -m data import {done.file.name} --dataset NAME"
    imported = chosen.parts or (options.rows_per_file and chosen.is_reimported)
    files = f"{done.file.name}/*.parquet" if options.rows_per_file else done.file.name
    print(again if imported else loading_code(done.format, files), file=sys.stderr)
    return 0


def _refuse_place(file: Path, format: Format | None, rows_per_file: int | None) -> None:
    """Raises BadInput where a file cannot stand there, or its ending says another format than there is."""
    if rows_per_file and file.exists():
        raise BadInput(f"{file} is there already. Give the name of a new folder.")
    if file.is_dir():
        raise BadInput(f"{file} is a folder. Give the name of a file in it.")
    if not file.absolute().parent.is_dir():
        raise BadInput(f"There is no folder {file.absolute().parent}. Make it first, or give another place.")
    ending = file.suffix.removeprefix(".").lower()
    if not (format or rows_per_file) and ending and ending not in FORMATS:
        names = ", ".join(FORMATS)
        raise BadInput(f"{file.name} ends in .{ending}, which is not a format ({names}). Choose one with --format.")


def _list() -> None:
    """The kinds with what they give and their options."""
    for kind in export_kinds().values():
        print(f"{kind.name}: {kind.title}. {kind.description} ({kind.reimport[:1].upper()}{kind.reimport[1:]}.)")
        for option in kind.options:
            default: object = option.default or "none"
            if isinstance(option.default, bool):
                default = "yes" if option.default else "no"
            says = option.help if "default" in option.help else f"{option.help} (default: {default})"
            print(f"    --{_flag(option.name)}  {says}")


def _flag(name: str) -> str:
    return name.replace("_", "-")
