"""`copy`: a workspace goes from one store to another, a file or a database."""

from __future__ import annotations

import argparse

from data.workspace.copies import copy_workspace


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("source", metavar="FROM", help="the store to copy, as in duckdb:///assay.duckdb")
    parser.add_argument("target", metavar="TO", help="an empty one, as in postgresql://person@host/database")


def run(options: argparse.Namespace) -> int:
    """Copy the workspace, and read what has arrived."""
    newest, rows = copy_workspace(options.source, options.target)
    print(f"Copied to revision {newest:,}: {rows:,} rows, compared table by table. To use it, name it in ASSAY_STORE.")
    return 0
