"""`spare`: which verdicts of a judge can be accepted without review, by its confidence; --set makes it a rule."""

from __future__ import annotations

import argparse

from data.approvals import auto_accept, policy
from data.approvals.auto_accept import AutoAcceptTarget
from data.calibration import auto_accept as figures
from data.calibration import calibration
from data.cli.options import acting_person, add_actor, add_dataset, add_judge, workspace_store
from data.gold.gold import BASES
from data.queue import queue
from data.records import datasets
from data.records.access import require
from data.records.datasets import Dataset
from data.records.judge_lookup import lookup_judge
from data.store import Store
from data.store.errors import BadInput, NotFound
from judges.plural import many
from judges.stats import bins
from judges.stats.auto_accept import DELTA, TARGET, explain
from judges.types import Dimension


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser)
    add_judge(parser)
    parser.add_argument("--dimension", metavar="NAME", required=True)
    parser.add_argument("--unit", metavar="SORT", default="", help="where several units have a dimension of that name")
    parser.add_argument("--source", metavar="WORDS", default="", help="whose confidence (default: of most ratings)")
    parser.add_argument(
        "--target", type=float, metavar="SHARE", default=TARGET, help="required agreement (%(default)s)"
    )
    parser.add_argument(
        "--delta", type=float, metavar="P", default=DELTA, help="chance of missing it (default %(default)s)"
    )
    parser.add_argument("--near", action="store_true", help="of ordered answers, one step apart is agreement")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--set", action="store_true", help="make it a rule: the rest goes to people")
    kind.add_argument("--take-back", action="store_true", help="end the rule")
    parser.add_argument("--fill", type=int, metavar="N", help="take at most N items of the rest into the review queue")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Say which verdicts can be accepted without review; exit code 1 where none can be spared."""
    with workspace_store() as store:
        dataset = datasets.dataset_named(store, options.dataset)
        judge_id = lookup_judge(store, dataset, options.judge).id
        actor = require(store, acting_person(store, options.actor), "annotator").name
        dimension = _dimension(store, judge_id, options)
        if options.take_back:
            return _end(store, actor, dataset, judge_id, dimension)
        target = AutoAcceptTarget(
            _source(store, dataset, judge_id, dimension, options.source), options.target, options.delta, options.near
        )
        basis = policy.approval_basis(store, dataset.id)
        threshold = auto_accept.find_threshold(store, dataset.id, judge_id, dimension, basis, target)
        sentences = explain(threshold.result, options.near and dimension.scale.has_order)
        print(f"{sentences} {bins.describe_equality(dimension.scale)}".rstrip())
        print(f"Labels used: {BASES[basis][0].lower()}{BASES[basis][1:]}.")
        items = many(len(threshold.confidence.item), "scored item")
        print(
            f"Confidence: {target.source or 'none'}. Of {items}, {threshold.spared:,} can be accepted without review."
        )
        if options.set:
            auto_accept.set_rule(store, actor, dataset.id, judge_id, dimension, target)
            print("This is a rule of the dataset now.")
        if options.fill is not None:
            count = queue.fill_review(store, actor, dataset.id, judge_id, options.fill, "not spared")
            print(f"Added to the review queue: {many(count, 'item')}.")
        return 0 if threshold.result.chosen else 1


def _dimension(store: Store, judge_id: str, options: argparse.Namespace) -> Dimension:
    dimension_name = options.dimension.casefold().replace(" ", "_")
    dimensions = calibration.compared_dimensions(store, judge_id)
    named = [d for d in dimensions if d.name.casefold() == dimension_name and options.unit in ("", d.sort)]
    if len(named) != 1:
        names = ", ".join(f"{d.name} of {d.sort}" for d in dimensions)
        problem = "is a dimension of several units: say which with --unit" if named else "is no dimension of this judge"
        raise NotFound(f"{options.dimension!r} {problem}. There are: {names}.")
    return named[0]


def _source(store: Store, dataset: Dataset, judge_id: str, dimension: Dimension, source: str) -> str:
    sources = list(figures.confidence_sources(store, dataset.id, judge_id, dimension))
    if source and source not in sources:
        raise BadInput(f"There is no confidence from {source!r}. There is: {', '.join(sources) or 'none'}.")
    return source or (sources[0] if sources else "")


def _end(store: Store, actor: str, dataset: Dataset, judge_id: str, dimension: Dimension) -> int:
    rule = auto_accept.rule_in_force(store, dataset.id, judge_id, dimension)
    if rule is None:
        raise NotFound(f"There is no rule for {dimension.title} of this judge.")
    auto_accept.end_rule(store, actor, dataset.id, rule)
    print(f"The rule is removed: no verdict of {dimension.title} is accepted without a person any more.")
    return 0
