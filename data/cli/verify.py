"""`verify`: reads everything once and says what is wrong."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from data.store import duckdb_path, open_store, store_address
from data.store.errors import NotFound
from data.workspace.verify import verify


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("verify", description=__doc__.partition(": ")[2])
    parser.add_argument(
        "--accept", action="store_true", help="after damage: go on with the revisions that are left, confirmed or not"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the workspace; exit code 1 where something is wrong with it."""
    path = duckdb_path(store_address())
    if path is not None and not path.exists():
        raise NotFound(f"There is no store at {path}. ASSAY_STORE names another one, as in duckdb:///file.duckdb.")
    store = open_store(accept=options.accept)
    try:
        found = verify(store)
        for sentence in found:
            print(sentence, file=sys.stderr)
        changes = store.newest()
    finally:
        store.close()
    if found:
        print(f"Read to revision {changes:,}. Problems: {len(found)}.")
        return 1
    print(f"Read to revision {changes:,}: no problem was found.")
    return 0
