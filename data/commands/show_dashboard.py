"""`dashboard`: what was approved of a dataset's systems, as one HTML file for people without an account."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from data import dashboard, datasets
from data.commands.actor import actor, as_whom
from data.errors import BadInput, NotFound
from data.ids import now
from data.people import require
from data.report.dashboard import document
from data.store import Store, open_store


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("dashboard", description=__doc__.partition(": ")[2])
    parser.add_argument("--dataset", metavar="NAME", required=True)
    parser.add_argument(
        "--judge", metavar="JUDGE", default="", help="a model, or the head of a judge's id (default: the one approved)"
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="the HTML file to write")
    as_whom(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the file, and say what is in it."""
    store, path = open_store(), Path(options.out)
    try:
        require(store, actor(store, options.actor), "annotator")
        dataset = datasets.dataset(store, options.dataset)
        found = dashboard.whole(store, dataset, _judge(store, dataset.id, options.dataset, options.judge))
        made = document(found, now(), dashboard.run_names(found.runs))
    finally:
        store.close()
    try:
        path.write_text(made, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{options.out} cannot be written: {error.strerror}. Choose another place.") from None
    print(f"{path}: {len(found.tiles)} approved, {len(found.withheld)} withheld ({found.name})")
    return 0


def _judge(store: Store, dataset_id: str, name: str, wanted: str) -> str:
    held = dashboard.published(store, dataset_id)
    if not held:
        raise NotFound(f"Nothing is approved on {name!r}, so there is no figure to show. A lead approves in the app.")
    models = {judge: model for judge, _, model, *_ in datasets.judges(store, dataset_id) if judge in held}
    fitting = [judge for judge, model in models.items() if not wanted or model == wanted or judge.startswith(wanted)]
    if len(fitting) != 1:
        there = ", ".join(f"{model} ({judge[:8]})" for judge, model in models.items())
        told = f"{wanted!r} is none of those approved" if not fitting else "several judges are approved"
        raise NotFound(f"Say with --judge which one: {told} on {name!r}. There are: {there}.")
    return fitting[0]
