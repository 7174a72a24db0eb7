"""`backup`: a consistent copy of the workspace in one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from data.store import open_store
from data.store.errors import BadInput


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("backup", description=__doc__.partition(": ")[2])
    parser.add_argument("file", type=Path, help="the file to write; it must not exist")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the copy."""
    if options.file.exists():
        raise BadInput(f"{options.file} exists already. Give the backup another name.")
    if not options.file.parent.is_dir():
        raise BadInput(f"There is no folder {options.file.parent}.")
    store = open_store()
    try:
        store.backup(options.file)
        print(f"{options.file} is revision {store.newest():,}, {options.file.stat().st_size / 2**20:,.1f} MB.")
    finally:
        store.close()
    return 0
