"""`start`: from anybody's file to the figures, or to the first item to label: no card, no mapping, no setting."""

from __future__ import annotations

import argparse
import getpass
import os
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from data.cli.import_ import print_problems
from data.cli.options import acting_person, add_actor, add_dataset, add_good_rows, workspace_store
from data.importing import start
from data.importing.detection.detection import take_answers
from data.importing.files.source import from_paths
from data.importing.importing import detect_formats, import_source
from data.importing.plan import FORMATS, SAMPLINGS, ImportPlan
from data.importing.report import ImportRefused
from data.records import datasets, people
from data.store import Store
from data.store.errors import BadInput
from judges.cli.options import add_scale, chosen_scales
from judges.cli.progress_bar import Bar
from judges.importing.interpretation import AnswerSeries, Interpretation
from judges.plural import many
from judges.stats.calibration import Summary

_WAIT = 60


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "paths", nargs="+", metavar="FILE", help="scores and labels, items or chats, of Assay or of another tool"
    )
    add_dataset(parser, "the dataset (default: the file's name)", required=False)
    parser.add_argument("--format", choices=FORMATS, default="auto", help="default: found out from the content")
    parser.add_argument(
        "--judge", action="append", default=[], metavar="COLUMN", help="a column of a judge's answers; repeat it"
    )
    parser.add_argument(
        "--human", action="append", default=[], metavar="COLUMN", help="a column of a person's answers; repeat it"
    )
    add_scale(parser)
    parser.add_argument("--sampling", choices=SAMPLINGS, help="how the labelled items were chosen")
    add_good_rows(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what the file seems to hold")
    parser.add_argument("--no-serve", action="store_true", help="print the figures, and do not start Assay")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Import what the file seems to hold, print the figures, and start Assay at the page where to go on."""
    source = from_paths(options.paths)
    name = options.dataset or _name(Path(options.paths[0]))
    with workspace_store(new=True) as store:
        with Bar() as bar:
            formats = detect_formats(source, options.format)
            if options.format == "auto":
                formats = take_answers(formats, (*options.judge, *options.human))
            interpretation = start.interpret_source(
                store, source, formats, options.judge, options.human, bar, scales=chosen_scales(options)
            )
            bar.clear()
            for known in formats:
                print(f"{known.file.name}: {known.says}.")
            _describe(interpretation)
            if interpretation.unclear and not any(series.by for series in interpretation.series):
                raise BadInput(_asking(interpretation))
            draft = ImportPlan(name, format=options.format, sampling=options.sampling or interpretation.sampling)
            plan = start.plan_import(store, interpretation, draft)
            if options.dry_run:
                return 0
            actor = acting_person(store, options.actor or _somebody(store))
            on_error = "good rows" if options.good_rows else "refuse"
            try:
                done = import_source(store, actor, source, plan, on_error=on_error, progress=bar, detected=formats)  # type: ignore[arg-type]
            except ImportRefused as refused:
                bar.clear()
                print_problems(refused.preview)
                raise BadInput(f"{refused} (--good-rows)") from None
        print_problems(done.preview)
        step = start.next_step(store, actor, done.dataset_id)
        print(f"Added {done.preview.new} to {name} in {done.seconds:.1f} s; {done.preview.describe_known()}.\n")
        if step and step.sentence:
            print(f"{step.sentence}\n")
        if figures := "\n".join(_figures(store, done.dataset_id)):
            print(f"{figures}\n")
    port = os.environ.get("ASSAY_PORT", "8501")
    address = f"http://127.0.0.1:{port}{step.path if step else ''}"
    if options.no_serve:
        print(f"Go on: `make run`, then {address}")
        return 0
    print(f"Go on: {address}  (Ctrl+C stops Assay)", flush=True)
    return _serve(port, address)


def _name(path: Path) -> str:
    """Make the name of a dataset from that of a file."""
    return " ".join((path.stem if path.is_file() else path.resolve().name).split())[:100] or "imported"


def _somebody(store: Store) -> str:
    """Return "" if the workspace has a lead, else whoever runs this, who then becomes its lead."""
    if any(person.role == "lead" for person in people.all_people(store)):
        return ""
    try:
        return getpass.getuser()[:60]
    except (OSError, KeyError):
        return "lead"


def _describe(interpretation: Interpretation) -> None:
    """Say what was understood, with examples."""
    for file, base in interpretation.tables.items():
        key = " and ".join(base.id.columns) or "the rows' numbers"
        texts = ", ".join(f"{field} from {' and '.join(s.columns) or s.constant}" for field, s in base.fields.items())
        slices_note = f" Kept beside them, for slices: {', '.join(base.meta)}." if base.meta else ""
        print(f"  {file}: {base.kind}s by {key}; {texts or 'without texts'}.{slices_note}")
    for series in interpretation.series:
        print(f"  {_describe_series(series)}")
    for sentence in interpretation.assumptions:
        print(f"  {sentence}")
    for sentence in interpretation.unclear:
        print(f"  {sentence}", file=sys.stderr)


def _describe_series(series: AnswerSeries) -> str:
    if series.by and series.answers is None:
        return f"{series.name}: left out, as no scale fits its values: {series.why or 'there are none'}."
    scale = series.answers.scale.words if series.answers is not None else ""
    shown = ", ".join(series.examples)
    by = {"judge": "a judge's answers", "person": "a person's answers", "": "not taken"}[series.by]
    author = f" ({series.rater})" if series.rater and series.rater != series.name else ""
    about = f" to {series.dimension} of a {series.sort}, {scale}" if series.by else ""
    rows = " and ".join(f"{column} is {' or '.join(values)}" for column, values in series.only.items())
    rows = f" where {rows}" if rows else ""
    count = f"{many(series.count, 'value')}, " if series.count else ""
    order = " and ".join(series.order.columns) or series.order.constant
    order = f", asked in the order {order}" if order else ""
    mixed = f" ({series.why})" if series.by and series.why else ""
    return f"{series.name}{rows}: {by}{author}{about}{order}; {count}such as {shown}{mixed}."


def _asking(interpretation: Interpretation) -> str:
    question = " ".join(interpretation.unclear)
    return (
        f"{question} Say it with --judge COLUMN and --human COLUMN; nothing was imported. If they are nobody's "
        "answers: `python -m data import FILE --suggest` writes a mapping without them, and --mapping imports by it."
    )


def _figures(store: Store, dataset_id: str) -> Iterator[str]:
    """Kappa of each judge and question."""
    for judge in datasets.dataset_judges(store, dataset_id):
        for summary in (s for s in start.agreement_figures(store, dataset_id, judge.id) if s.cells):
            yield _figure(judge.model, summary)


def _figure(model: str, summary: Summary) -> str:
    kappa = summary.interval
    name = {None: "kappa", "quadratic": "quadratic kappa"}[summary.dimension.scale.weights]
    point = "undefined" if kappa.point is None else f"{kappa.point:.3f}"
    ends = "" if kappa.low is None or kappa.high is None else f", 95% interval {kappa.low:.3f} to {kappa.high:.3f}"
    return f"{model}, {summary.dimension.title}: {name} {point}{ends}, on {many(kappa.items, 'item')}."


def _serve(port: str, address: str) -> int:
    """Start Assay, and show the page in a browser once it answers."""
    app = Path(__file__).resolve().parents[2] / "app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", port, "--server.headless", "true"]
    process = subprocess.Popen(command, env={**os.environ, "STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE": "true"})
    threading.Thread(target=_show, args=(port, address), daemon=True).start()
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.terminate()  # Ctrl+C has reached it as well, but SIGTERM only this process
        process.wait()
        return 130


def _show(port: str, address: str) -> None:
    until = time.monotonic() + _WAIT
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                webbrowser.open(address)
                return
        except OSError:
            time.sleep(0.3)
