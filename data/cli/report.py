"""`report`: how far one judge agrees with people, as one self-contained HTML file, a ZIP of tables, or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from data.cli.options import acting_person, add_actor, add_dataset, add_judge, file_refusals, workspace_store
from data.records import datasets
from data.records.access import require
from data.records.judge_lookup import lookup_judge
from data.reports.bundle import bundle
from data.reports.evidence import gather_report_evidence
from data.reports.figures import report_figures
from data.reports.report import make_report
from data.reports.statistics import EPSILON
from data.store.errors import BadInput
from judges.whole_file import check_place, write_whole


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser, "the dataset that was judged")
    add_judge(parser)
    parser.add_argument(
        "--out", metavar="FILE", help="where to write it; .html the report, .zip that and all tables, ratings and plots"
    )
    parser.add_argument("--figures", action="store_true", help="every figure as one JSON object, instead of the report")
    parser.add_argument(
        "--epsilon", type=float, metavar="E", default=EPSILON,
        help=f"the handicap of people in the alternative-annotator test (default {EPSILON:g}, for experts)",
    )  # fmt: skip
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Write the report, or print it where no file is named."""
    target = Path(options.out) if options.out else None
    zipped = target is not None and target.suffix.lower() == ".zip"
    if zipped and options.figures:
        raise BadInput("--figures is one JSON text: a .zip has it as figures.json anyway.")
    if target is not None and target.suffix.lower() == (".html" if options.figures else ".json"):
        raise BadInput(f"{target.name}: with --figures it is JSON, without it HTML, or as .zip that and all tables.")
    epsilon = options.epsilon
    if not 0 <= epsilon < 1:
        raise BadInput(f"--epsilon is at least 0 and below 1, such as .2 for experts; it is {epsilon:g}.")
    refusals = partial(file_refusals, f"The report could not be written to {target}", "Name another file.")
    if target is not None:
        with refusals():
            check_place(target)
    with workspace_store() as store:
        dataset = datasets.dataset_named(store, options.dataset)
        judge_id = lookup_judge(store, dataset, options.judge).id
        actor = require(store, acting_person(store, options.actor), "annotator").name
        if zipped:
            content = bundle(store, actor, dataset.id, judge_id, _say, epsilon)
        elif options.figures:
            figures = report_figures(gather_report_evidence(store, dataset.id, judge_id, _say, epsilon))
            content = (json.dumps(figures, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()
        else:
            content = make_report(store, actor, dataset.id, judge_id, _say, epsilon).encode()
    if target is None:
        sys.stdout.write(content.decode())
        return 0
    with refusals():
        write_whole(target, content)
    print(f"{target}: {len(content):,} bytes")
    return 0


def _say(message: str) -> None:
    if sys.stderr.isatty():
        print(f"{message} ...", file=sys.stderr)
