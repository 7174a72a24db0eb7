"""`mtbench`: MT-Bench from plain files: means, ranks, judges and protocols compared, votes, tables to take along."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from judges.cli.mtbench_output import FORMATS, print_tables, write_tables, write_text
from judges.client.prices import price
from judges.errors import BadInput
from judges.importing.bench_files import read_bench
from judges.mtbench import tables
from judges.mtbench.experiment import plan_pipeline_experiment
from judges.mtbench.fastchat_files import write_fastchat
from judges.mtbench.pipelines import Pipeline
from judges.mtbench.protocol import find_protocol, protocols
from judges.mtbench.records import Bench
from judges.mtbench.replay import replay
from judges.mtbench.tables import RatingSelection, ResultTable

_ACTIONS = {
    "show": "means, categories, every rule of counting, ranks, wins and the share of Japanese characters",
    "compare": "judges with each other on the same answers; with --against or --other-protocol two pipelines",
    "agreement": "votes of people with judges and with each other",
    "export": "all tables as files, and everything that was read as FastChat's files, which its tools read",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "MT-Bench from files and folders (FastChat's, Swallow's), without a workspace and without a human label. "
        "Every figure has its interval by questions."
    )
    verbs = parser.add_subparsers(dest="figure", required=True, metavar="|".join(_ACTIONS))
    for name, does in _ACTIONS.items():
        command = verbs.add_parser(name, help=does, description=f"{does[:1].upper()}{does[1:]}.")
        command.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="files and folders, in any order")
        _add_selection(command)
        if name == "compare":
            _add_pipelines(command)
        if name == "export":
            command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the files go")
            command.add_argument("--format", choices=("csv", "parquet", "json", "md"), default="csv")
        else:
            command.add_argument("--out", type=Path, metavar="FILE", help="write it there (csv, parquet: a folder)")
            command.add_argument("--format", choices=FORMATS, default="text")
            command.add_argument("--table", action="append", default=[], metavar="NAME", help="only this table; repeat")


def _add_selection(parser: argparse.ArgumentParser) -> None:
    protocol_names = ", ".join(protocols())
    parser.add_argument(
        "--protocol", metavar="NAME|FILE",
        help=f"whose rules read and count the judgments: {protocol_names}, or a file (default: each judge's own)",
    )  # fmt: skip
    for name, about in (
        ("judge", "only this judge, by its model, or the whole name where several share one"),
        ("model", "only this model's answers"), ("category", "only questions of this category"),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", action="append", default=[], metavar="NAME", help=f"{about}; repeat")


def _add_pipelines(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("two pipelines")
    group.add_argument("--against", type=Path, nargs="+", metavar="PATH", help="the files of the other pipeline")
    group.add_argument("--other-judge", metavar="NAME", help="its judge, where its files have several")
    group.add_argument(
        "--plan", type=Path, metavar="FOLDER",
        help="also: which judge calls would tell apart what is left, at what cost; a protocol for each arm goes there",
    )  # fmt: skip
    group.add_argument("--other-protocol", metavar="NAME|FILE", help="its protocol (default: that of its files)")


_OF_TWO = ("against", "other_judge", "other_protocol", "plan")


def run(options: argparse.Namespace) -> int:
    """Print or write what was asked for; notes on the files go to stderr."""
    bench = _read(options.paths)
    if options.figure == "compare" and any(getattr(options, name) for name in _OF_TWO):
        result_tables = _pipelines(options, bench)
    else:
        result_tables = _tables(options, bench)
    exported = options.figure == "export"
    if exported:
        for path in write_fastchat(bench, options.out / "fastchat"):
            print(path)
    else:
        names = [table.name for table in result_tables]
        result_tables = [table for table in result_tables if not options.table or table.name in options.table]
        if not result_tables:
            raise BadInput(f"There is no table {', '.join(options.table)}. There are: {', '.join(names)}.")
    if exported or (options.out and options.format in ("csv", "parquet")):
        for line in write_tables(result_tables, options.format, options.out):
            print(line)
    else:
        print_tables(result_tables, options.format, options.out)
    return 0


def _read(paths: Sequence[Path]) -> Bench:
    """The files as a Bench; notes on them go to stderr."""
    bench, notes = read_bench(paths)
    for sentence in notes:
        print(sentence, file=sys.stderr)
    return bench


def _tables(options: argparse.Namespace, bench: Bench) -> list[ResultTable]:
    if options.figure == "agreement":
        if not bench.votes:
            raise BadInput("The files hold no votes of people: agreement is about those. `compare` takes judges.")
        agreement = tables.vote_table(_select_ratings(options, bench).bench)
        if not agreement.rows:
            raise BadInput("No pair has two votes, or a vote and a judge's verdict: there is nothing to compare.")
        return [agreement]
    chosen = _select_ratings(options, bench)
    if options.figure == "compare":
        if len(chosen.judges) < 2:
            judge_names = ", ".join(chosen.judges) or "none"
            raise BadInput(
                f"Comparing takes two judges, and the ratings are by {judge_names}. "
                "Give the other's files too, or --other-protocol to compare two ways to read one judge."
            )
        return tables.comparison_tables(chosen)
    result_tables = tables.result_tables(chosen, wide=options.figure == "show" and options.format in ("text", "md"))
    if options.figure == "export":
        result_tables += tables.comparison_tables(chosen) if len(chosen.judges) > 1 else []
        result_tables += [tables.vote_table(chosen.bench)] if bench.votes else []
    result_tables = [table for table in result_tables if table.rows]
    if not result_tables:
        rest = " `agreement` is about its votes." if bench.votes else ""
        raise BadInput(f"No rating and no verdict on a pair is left to show.{rest}")
    return result_tables


def _select_ratings(options: argparse.Namespace, bench: Bench) -> RatingSelection:
    """The ratings that the options ask for."""
    protocol = find_protocol(options.protocol) if options.protocol else None
    judges = [judge for name in options.judge for judge in _judges(bench, name)]
    return tables.select_ratings(bench, protocol, judges, _check_names(options, bench).model, options.category)


def _check_names(options: argparse.Namespace, bench: Bench) -> argparse.Namespace:
    """The options, whose models and categories are in the files. Raises BadInput."""
    for name, known_names in (("model", bench.models), ("category", [q.category for q in bench.questions.values()])):
        if unknown := [choice for choice in getattr(options, name) if choice not in known_names]:
            known = ", ".join(dict.fromkeys(known_names)) or "none"
            raise BadInput(f"There is no {name} {', '.join(unknown)}. There are: {known}.")
    return options


def _judges(bench: Bench, name: str) -> list[str]:
    """The judges that a name fits: a whole id, or a model. Raises BadInput."""
    ids = [judge.id for judge in bench.judges.values() if name == judge.id]
    ids = ids or [judge.id for judge in bench.judges.values() if name == judge.model]
    if not ids:
        raise BadInput(f"There is no judge {name}. There are: {', '.join(bench.judges) or 'none'}.")
    return ids


def _pipelines(options: argparse.Namespace, bench: Bench) -> list[ResultTable]:
    """Two pipelines: each its files, its judge and its protocol."""
    bench = tables.narrow(bench, categories=_check_names(options, bench).category)
    other = tables.narrow(_read(options.against), categories=options.category) if options.against else bench
    first = _pipeline(bench, options.judge[0] if options.judge else None, options.protocol, "--judge")
    name = options.other_judge or (options.judge[1] if len(options.judge) > 1 else None)
    if other is bench and name is None:
        name = first.judge
    second = _pipeline(other, name, options.other_protocol, "--other-judge")
    waterfall = replay(first, second, options.model)
    if waterfall is None:
        raise BadInput(
            f"{first.judge} and {second.judge} have no model in common that both gave a rating"
            f"{' among ' + ', '.join(options.model) if options.model else ''}: there is no way between their means."
        )
    result_tables = tables.waterfall_tables(waterfall)
    if options.plan:
        plan = plan_pipeline_experiment(first, second, price, options.model)
        for arm in plan.arms:
            if not arm.stored:
                write_text(options.plan / f"{arm.protocol.name}.json", arm.protocol.model_dump_json(indent=1) + "\n")
        result_tables.append(tables.experiment_table(plan))
    return result_tables


def _pipeline(bench: Bench, judge: str | None, protocol: str | None, option: str) -> Pipeline:
    raters = list(dict.fromkeys(rating.judge for rating in bench.ratings))
    ids = [name for name in _judges(bench, judge) if name in raters] if judge else raters
    if len(ids) != 1:
        status = f"rated by {', '.join(ids)}" if ids else "without a rating"
        raise BadInput(f"A pipeline has one judge; these files are {status}. Say which with {option}.")
    return Pipeline(bench, ids[0], find_protocol(protocol) if protocol else tables.own_protocol(bench, ids[0]))
