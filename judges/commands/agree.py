"""`agree`: how well judgments agree with people's labels, per dimension, from plain files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from judges.audits import Cell, Reply
from judges.calibrate import Meeting, Summary, summarise
from judges.card import Card
from judges.errors import AssayError
from judges.files.filed import answers, card_named, judge_of, one_judge, replies, resolve, resolved, stand_ins
from judges.files.lines import items, judgments, labels
from judges.types import Dimension, sort_of


class NoGold(AssayError):
    """No label is about what the judgments are about."""


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "agree",
        help="kappa with intervals of judgments against people's labels",
        description="Agreement of a judge with people, per dimension: quadratic-weighted kappa where answers are in "
        "order, plain kappa elsewhere, with intervals by item. Blind labels count, or assisted ones where none is "
        "blind.",
    )
    parser.add_argument("judgments", type=Path, metavar="JUDGMENTS.jsonl", help="judgments, in Assay's lines")
    parser.add_argument("labels", type=Path, metavar="LABELS.jsonl", help="people's labels, in Assay's lines")
    parser.add_argument(
        "--items", type=Path, metavar="ITEMS.jsonl", help="the items, so that replies are checked against them"
    )
    parser.add_argument("--card", help="the card, where the judgments are of several")
    parser.add_argument("--model", help="the model, where the judgments are of several")
    parser.add_argument(
        "--dimension",
        action="append",
        default=[],
        metavar='"NAME: DEFINITION"',
        help="for pointwise_quality; repeat it",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a line for every dimension that has labels."""
    lines, told = judgments(options.judgments), labels(options.labels)
    judge = one_judge(options.judgments, lines, options.card, options.model)
    card = card_named(judge.card, options.dimension)
    mine = [(n, line) for n, line in lines if judge_of(line) == judge]
    there = (
        items(options.items)
        if options.items
        else stand_ins(card, mine, [(label.item, label.unit) for _, label in told])
    )
    said = answers(options.labels, told, card, there, whole=options.items is not None)
    people = resolved(said, card)
    found = replies(options.judgments, mine, card, there)
    summaries = [summarise(meeting(d, people, found, said), d) for d in card.dimensions if d.asked and d.scale.size]
    shown = [summary for summary in summaries if summary.gold_cells]
    if not shown:
        named = ", ".join(dict.fromkeys(f"{label.dimension} of {sort_of(label.unit)}" for _, label in told))
        about = ", ".join(f"{d.name} of {d.sort}" for d in card.dimensions if d.asked)
        raise NoGold(
            f"{options.labels}: no label is about a dimension of {card.name} and an item of these judgments. "
            f"The labels are about {_some(named)}; the card asks {_some(about)}."
        )
    if options.json:
        print(json.dumps([_plain(summary) for summary in shown], ensure_ascii=False, indent=1))
        return 0
    unread = sum(reply.reading.unscored is not None for reply in found)
    basis = "blind" if any(label.mode == "blind" for _, label in told) else "assisted"
    print(f"{judge.said}: {len(found)} replies ({unread} unscored), {len(people)} cells of gold from {basis} labels.\n")
    print(
        f"{'dimension':34} {'items':>6} {'cells':>6}  {'kappa':>6}  {'95% interval':16} {'exact':>6} {'n/a alike':>9}"
    )
    for summary in shown:
        print(_row(card, summary))
    return 0


def _some(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:297]}..."


def meeting(
    dimension: Dimension, people: dict[Cell, float | None], found: list[Reply], said: dict[Cell, list[float | None]]
) -> Meeting:
    """The cells of one dimension where people and judge meet; several samples of a reply resolve as people's do.

    `people` is the gold of each cell, and `said` all that it comes from.
    """
    given: dict[Cell, list[float | None]] = {}
    for reply in found:
        for score in reply.reading.scores:
            if score.dimension == dimension.name and sort_of(score.unit) == dimension.sort:
                given.setdefault((reply.item, score.unit, score.dimension), []).append(score.value)
    asked = {reply.item for reply in found}
    cells = [
        cell for cell in people if cell[0] in asked and cell[2] == dimension.name and sort_of(cell[1]) == dimension.sort
    ]
    number = {item: n for n, item in enumerate(dict.fromkeys(cell[0] for cell in cells))}
    judged = [resolve(given[cell], dimension.scale) if cell in given else (False, None) for cell in cells]
    valued = [[value for value in said[cell] if value is not None] for cell in cells]

    def codes(values: list[float | None]) -> Any:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return Meeting(
        np.array([number[cell[0]] for cell in cells], dtype=np.int64),
        codes([people[cell] for cell in cells]),
        codes([value for _, value in judged]),
        np.array([there for there, _ in judged], dtype=bool),
        np.ones(len(cells)),
        codes([fmean(values) if values else None for values in valued]),
        np.array([len(values) / len(said[cell]) for cell, values in zip(cells, valued, strict=True)], dtype=np.float64),
        np.array([len(said[cell]) for cell in cells], dtype=np.int64),
    )


def _row(card: Card, summary: Summary) -> str:
    d, kappa = summary.dimension, summary.interval
    sorts = {one.sort for one in card.dimensions}
    name = f"{d.sort}.{d.name}" if len(sorts) > 1 else d.name
    point = "undef." if kappa.point is None else f"{kappa.point:.3f}"
    ends = "none" if kappa.low is None or kappa.high is None else f"{kappa.low:.3f} to {kappa.high:.3f}"
    exact = "" if summary.exact is None else f"{summary.exact:.3f}"
    alike = "" if summary.na.agreement is None or not d.scale.na else f"{summary.na.agreement:.3f}"
    few = "  too few items for a verdict" if kappa.verdictless else ""
    weights = "" if d.scale.weights else " (plain)"
    figures = f"{kappa.items:6} {summary.cells:6}  {point:>6}  {ends:16} {exact:>6} {alike:>9}"
    return f"{name + weights:34} {figures}{few}".rstrip()


def _plain(summary: Summary) -> dict[str, Any]:
    kappa = summary.interval
    return {
        "unit": summary.dimension.sort,
        "dimension": summary.dimension.name,
        "weights": summary.dimension.scale.weights,
        "kappa": kappa.point,
        "interval": None if kappa.low is None else [kappa.low, kappa.high],
        "items": kappa.items,
        "cells": summary.cells,
        "exact": summary.exact,
        "within_one": summary.within_one,
        "mean_difference": summary.mean_difference,
        "unscored": summary.unscored,
        "table": summary.counts.tolist(),
    }
