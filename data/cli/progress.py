"""`progress`: how far people are with what is assigned to them, as a table or CSV."""

from __future__ import annotations

import argparse
import sys

from data.assignments.progress import COLUMNS, people_progress, progress_record
from data.cli.options import acting_person, add_actor, add_dataset, workspace_store
from data.records import datasets
from data.records.access import require
from judges.render.csv_cells import write_csv_table

_COLUMNS = ("person", "state", "assigned", "done", "left", "skipped", "due", "needed_per_day", "pace_per_day", "why")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser, "the dataset that is labelled")
    parser.add_argument("--csv", action="store_true", help="print CSV with all columns")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Print the progress, those who may need help first. Working days are those of UTC."""
    with workspace_store() as store:
        require(store, acting_person(store, options.actor), "researcher")
        dataset = datasets.dataset_named(store, options.dataset)
        rows = [progress_record(person) for person in people_progress(store, dataset.id)]
    if options.csv:
        write_csv_table(sys.stdout, COLUMNS, (list(row.values()) for row in rows))
        return 0
    lines = [list(_COLUMNS), *(["-" if row[name] is None else str(row[name]) for name in _COLUMNS] for row in rows)]
    wide = [max(len(line[n]) for line in lines) for n in range(len(_COLUMNS))]
    for line in lines:
        print("  ".join(f"{text:{width}}" for text, width in zip(line, wide, strict=True)).rstrip())
    return 0
