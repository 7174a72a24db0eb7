"""`verify`: reads everything once and says what is wrong."""

from __future__ import annotations

import argparse
import sys

from data.cli.options import workspace_store
from data.workspace.verify import verify


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--accept", action="store_true", help="after damage: go on with the revisions that are left, confirmed or not"
    )


def run(options: argparse.Namespace) -> int:
    """Check the workspace; exit code 1 where something is wrong with it."""
    with workspace_store(accept=options.accept) as store:
        problems = verify(store)
        for sentence in problems:
            print(sentence, file=sys.stderr)
        changes = store.newest()
    if problems:
        print(f"Read to revision {changes:,}. Problems: {len(problems)}.")
        return 1
    print(f"Read to revision {changes:,}: no problem was found.")
    return 0
