"""`plan`: fix before the first label at how many labelled items a dataset is decided on."""

from __future__ import annotations

import argparse

from data.approvals import plans
from data.cli.options import acting_person, add_actor, workspace_store
from data.records import datasets
from data.store.errors import BadInput


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Prints, or fixes, at how many labelled items a dataset is decided on. Without a plan it is decided on at "
        "any time, with a lower bound that is valid at any number of looks, and so lies lower. A plan has to be on "
        "record before the first blind label of a random draw; afterwards it can be neither changed nor removed."
    )
    parser.add_argument("dataset", metavar="NAME", help="the dataset")
    parser.add_argument("--looks", type=int, nargs="+", metavar="ITEMS", help="one to five numbers of items, rising")
    parser.add_argument("--none", action="store_true", help="remove the plan")
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Fix the plan where one is given, and say what holds."""
    with workspace_store() as store:
        dataset = datasets.dataset_named(store, options.dataset)
        if options.looks and options.none:
            raise BadInput("Give the looks of a plan, or remove it with --none: not both.")
        if options.looks or options.none:
            plans.set_look_plan(
                store, acting_person(store, options.actor), dataset.id, [] if options.none else options.looks
            )
        plan = plans.look_plan(store, dataset.id)
        print(
            f"{dataset.name}: no plan, decided on at any time."
            if plan is None
            else f"{dataset.name} is decided on at {', '.join(map(str, plan.sizes))} labelled items, and only then."
        )
        return 0
