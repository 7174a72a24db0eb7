"""`approve`: a decision on a dimension of a judge, put on record with its reason; --list says what there is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from data.approvals import approvals, case, record, suspension
from data.approvals.actions import ACTIONS, Action
from data.approvals.case import Case
from data.approvals.record import fact_title
from data.cli.options import acting_person, add_actor, add_dataset, add_judge, workspace_store
from data.records import datasets
from data.records.judge_lookup import lookup_judge, lookup_judges
from data.records.names import display_name
from data.store import Store
from data.store.errors import BadInput, NotFound
from judges.plural import many
from judges.stats.check_states import may_be_approved

_FIRST: Action = "approve"
"""The decision if no option says otherwise."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Puts a lead's decision on one dimension of a judge on record. What the policy refuses is refused."
    )
    add_dataset(parser)
    add_judge(parser)
    parser.add_argument("--dimension", metavar="NAME", default="")
    parser.add_argument(
        "--unit",
        metavar="SORT",
        default="",
        help="turn, conversation, section, ...: where several units have a dimension of that name",
    )
    parser.add_argument("--reason", metavar="TEXT", default="", help="why, in a sentence; it is kept with the decision")
    kind = parser.add_mutually_exclusive_group()
    for name, action in ACTIONS.items():
        if name != _FIRST:
            kind.add_argument(f"--{name}", action="store_true", help=action.help)
    kind.add_argument("--list", action="store_true", help="only list how every dimension stands")
    parser.add_argument(
        "--seen",
        metavar="MARK",
        default="",
        help="the mark that --list gave beside the figures: needed to approve and to propose, refused if they changed",
    )
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Decide, or list; exit code 1 where it is refused."""
    with workspace_store() as store:
        dataset = datasets.dataset_named(store, options.dataset)
        for approval in suspension.suspend_unsupported(store):
            print(
                f"Suspended by the approval check: {approval.dimension} ({approval.sort}). {approval.reason}",
                file=sys.stderr,
            )
        if options.list:
            judges = lookup_judges(store, dataset, options.judge)
            every = [case.cases(store, dataset.id, judge.id) for judge in judges]
            listed = [_fitting(cases, options) for cases in every]
            if not any(listed):
                dimensions = (case_.result.dimension for cases in every for case_ in cases)
                names = ", ".join(dict.fromkeys(f"{d.name} ({d.sort})" for d in dimensions)) or "none"
                raise NotFound(f"No such dimension has been judged here. There are: {names}.")
            for cases in listed:
                _tell(store, cases)
            return 0
        chosen = _choose_case(store, dataset.id, lookup_judge(store, dataset, options.judge).id, options)
        action = decision(options)
        if ACTIONS[action].grants and not options.seen and not chosen.objections:
            raise BadInput("Give the mark of the figures that you saw, with --seen: --list prints it beside them.")
        done = approvals.record_decision(
            store, acting_person(store, options.actor), *chosen.key, action, options.reason, options.seen
        )  # fmt: skip
        for name, figure, text in record.frozen_evidence(store, done.id):
            print(f"  {fact_title(name):<44} {'' if figure is None else f'{figure:.6g}':<12} {text}")
        print(f"{done.dimension} ({done.sort}) is {done.done} by {done.person}: {done.reason}")
        return 0


def decision(options: argparse.Namespace) -> Action:
    """Return the decision that the options ask for."""
    return next((name for name in ACTIONS if getattr(options, name, False)), _FIRST)


def _choose_case(store: Store, dataset_id: str, judge_id: str, options: argparse.Namespace) -> Case:
    if not options.dimension:
        raise BadInput("Say which dimension: --dimension NAME. --list names them all.")
    cases = _fitting(case.cases(store, dataset_id, judge_id), options)
    if len(cases) > 1:
        sorts = ", ".join(case_.result.dimension.sort for case_ in cases)
        raise BadInput(f"{options.dimension!r} is of several units: say which with --unit. There are: {sorts}.")
    return cases[0] if cases else case.find_case(store, dataset_id, judge_id, options.unit or "unit", options.dimension)


def _fitting(cases: Sequence[Case], options: argparse.Namespace) -> list[Case]:
    """Those of the dimension and the unit that the options name, where they name any."""
    name = options.dimension.casefold().replace(" ", "_")
    dimensions = ((case_, case_.result.dimension) for case_ in cases)
    return [case_ for case_, d in dimensions if name in ("", d.name.casefold()) and options.unit in ("", d.sort)]


def _tell(store: Store, cases: Sequence[Case]) -> None:
    """A line for each of a judge's dimensions."""
    statuses = record.approval_statuses(store)
    for place, case_ in enumerate(cases):
        if not place:
            print(f"{case_.judge.model} ({case_.judge.card}, {case_.judge.id})")
        approval_status, interval = statuses.get(case_.key, record.ApprovalStatus()), case_.result.gate.interval
        kappa = "kappa undefined" if interval.point is None else f"kappa {interval.point:.3f}"
        low = case_.result.check.bound
        bound = "" if low is None else f", lower bound {low:.3f}"
        print(
            f"  {case_.result.dimension.name:<20} {case_.result.dimension.sort:<13} {case_.result.check.state:<20} "
            f"{kappa}{bound}, {many(interval.items, 'item')}, mark {case.seen_mark(store, case_)}"
        )
        note = approvals.approval_note(store, approval_status)
        doubts = note.review.finding.sentences if note.review is not None and note.doubted else ()
        for sentence in filter(None, [note.older, *doubts]):
            print(f"    {sentence}")
        for approval in (approval_status.in_force, approval_status.proposed):
            if approval is not None:
                done, when = approval.done, f"{approval.at:%Y-%m-%d}"
                print(f"    {done} by {display_name(approval.person)} on {when}: {approval.reason}")
        if case_.objections and may_be_approved(case_.result.check.state):
            print(f"    {' '.join(case_.objections)}")
