"""`restore`: a backup takes the place of the workspace; the present file is kept beside it under another name."""

from __future__ import annotations

import argparse
from pathlib import Path

from data.store import duckdb_path, store_address
from data.workspace.restore import restore


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=Path, help="a file that `backup` has written")
    parser.add_argument("--force", action="store_true", help="also a backup without a revision, or one that lost some")


def run(options: argparse.Namespace) -> int:
    """Check the backup, move the present file aside, and put a copy of the backup in its place."""
    address = store_address()
    changes, previous_path = restore(options.file, address, options.force)
    note = f" The file that was there is kept as {previous_path}." if previous_path else ""
    print(f"{duckdb_path(address)} is the workspace of {options.file} now, at revision {changes:,}.{note}")
    return 0
