"""`means`: what a judge gave on average, by any field of the items, and beside another judge on the ratings of both."""

from __future__ import annotations

import argparse
import json

from data.calibration import means
from data.calibration.means import MeansChoice, MeansTable
from data.cli.options import add_dataset, workspace_store
from data.records import datasets
from data.records.judge_lookup import lookup_judge
from data.store.errors import BadInput
from judges.render.findings.means import COLUMNS, READING_HELP
from judges.stats.uncertainty import Interval


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser, "the dataset that was judged")
    parser.add_argument("--judge", metavar="JUDGE", default="", help="a model, or the head of a judge's id")
    parser.add_argument(
        "--by", metavar="FIELD", default="", help="system, language, or a field of the items' meta (default: no groups)"
    )
    parser.add_argument(
        "--only", metavar="FIELD=VALUE", action="append", default=[], help="items of that value only; repeat it"
    )
    parser.add_argument(
        "--beside", metavar="JUDGE", default="", help="another judge: means and difference on the ratings of both"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print the means."""
    with workspace_store() as store:
        dataset = datasets.dataset_named(store, options.dataset)
        own = lookup_judge(store, dataset, options.judge)
        other = lookup_judge(store, dataset, options.beside) if options.beside else None
        if other == own:
            raise BadInput("A judge has no difference to itself: name another one with --beside.")
        table = means.means_table(
            store, dataset.id, own.id,
            MeansChoice(options.by, tuple(map(_only, options.only)), other.id if other else ""),
        )
    if options.json:
        print(json.dumps([means.mean_record(row) for row in table.rows], ensure_ascii=False, indent=1))
        return 0
    print(f"{own.model}{f' beside {other.model}' if other else ''} on {dataset.name}.{_describe_coverage(table)}\n")
    print("\n".join(_lines(table, options.by)))
    if explanation := means.explain_few_scores(table):
        print(f"\n{explanation}")
    return 0


def _only(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise BadInput(f"--only {text[:60]!r} is no field with its value: write it as language=ja.")
    return name, value


def _describe_coverage(table: MeansTable) -> str:
    if table.unshared is None:
        return ""
    own, other = table.unshared
    return f" On the ratings of both; {own:,} of this judge alone and {other:,} of the other are left out."


def _lines(table: MeansTable, by: str) -> list[str]:
    """A table with the columns that are not empty, and how to read them."""
    if not table.rows:
        return ["No numeric score and no flag."]
    used = [name for name in COLUMNS if any(getattr(row.means, name) is not None for row in table.rows)]
    head = [*([by] if by else []), "dimension", "unit", "items", "ratings", *(COLUMNS[name] for name in used)]
    rows = [
        [
            *([row.group] if by else []), row.dimension.name, row.unit or row.dimension.sort,
            f"{row.means.plain.items:,}", f"{row.means.plain.cells:,}",
            *(_format_interval(getattr(row.means, name), name in ("sure", "trusted")) for name in used),
        ]
        for row in table.rows
    ]  # fmt: skip
    wide = [max(len(row[n]) for row in [head, *rows]) for n in range(len(head))]
    lines = ["  ".join(f"{text:{width}}" for text, width in zip(row, wide, strict=True)) for row in [head, *rows]]
    read = [f"{COLUMNS[name].capitalize()}: {READING_HELP[name]}" for name in used if name in READING_HELP]
    return [line.rstrip() for line in lines] + ["", *read]


def _format_interval(interval: Interval | None, counted: bool) -> str:
    if interval is None or interval.point is None:
        return "-"
    return f"{interval.point:.3f}{interval.in_brackets('.3f')}" + (f", n {interval.items:,}" if counted else "")
