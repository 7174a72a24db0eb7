"""`backup`: a consistent copy of the workspace in one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from data.cli.options import workspace_store
from data.store.errors import BadInput
from data.workspace.restore import backup_revision
from judges.plural import file_size


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=Path, help="the file to write; it must not exist")


def run(options: argparse.Namespace) -> int:
    """Write the copy."""
    if options.file.exists():
        raise BadInput(f"{options.file} exists already. Give the backup another name.")
    if not options.file.parent.is_dir():
        raise BadInput(f"There is no folder {options.file.parent}.")
    with workspace_store() as store:
        store.backup(options.file)
    print(f"{options.file} is revision {backup_revision(options.file):,}, {file_size(options.file.stat().st_size)}.")
    return 0
