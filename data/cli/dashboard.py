"""`dashboard`: what was approved of a dataset's systems, as one HTML file for people without an account."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from data.cli.options import acting_person, add_actor, add_dataset, add_judge, file_refusals, workspace_store
from data.dashboard import dashboard
from data.records import datasets, judge_lookup
from data.records.access import require
from data.records.datasets import Dataset
from data.reports.dashboard import dashboard_html
from data.store import Store
from data.store.errors import NotFound
from data.store.ids import now
from judges.whole_file import check_place, write_whole


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser)
    add_judge(parser, "the one approved")
    parser.add_argument("--out", metavar="FILE", required=True, help="the HTML file to write")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Write the file, and say what is in it."""
    path = Path(options.out)
    refusals = partial(file_refusals, f"{path} cannot be written", "Choose another place.")
    with refusals():
        check_place(path)
    with workspace_store() as store:
        require(store, acting_person(store, options.actor), "annotator")
        dataset = datasets.dataset_named(store, options.dataset)
        judge = dashboard.load_judge(store, dataset, _judge(store, dataset, options.judge))
        document = dashboard_html(judge, now(), dashboard.run_names(judge.runs))
    with refusals():
        write_whole(path, document.encode())
    print(f"{path}: {len(judge.tiles)} approved, {len(judge.withheld)} withheld ({judge.name})")
    return 0


def _judge(store: Store, dataset: Dataset, judge_name: str) -> str:
    approvals = dashboard.approvals_by_judge(store, dataset.id)
    if not approvals:
        raise NotFound(
            f"Nothing is approved on {dataset.name!r}, so there is no figure to show. A lead approves in the app."
        )
    return judge_lookup.lookup_judge(store, dataset, judge_name, approvals).id
