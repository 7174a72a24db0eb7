"""`mtbench experiment`: the judging of two protocols crossed on the same answers: what it would take, and its start."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import Any

from data.cli import run as run_command
from data.cli.mtbench_protocols import chosen_protocol
from data.cli.options import acting_person, add_actor, add_dataset, workspace_store
from data.mtbench.answers import ProtocolRun
from data.mtbench.experiment import Experiment, plan_experiment, start_experiment
from data.runs import runs
from data.store.errors import BadInput
from judges.cli.options import add_endpoint
from judges.client.budget import dollars
from judges.client.endpoint import is_practice
from judges.mtbench.experiment import FACTORS, estimate_effects
from judges.plural import many


def add(verbs: Any) -> None:
    """Add it to the verbs of `mtbench`."""
    new = verbs.add_parser(
        "experiment",
        help="the judging of two protocols, crossed",
        description="Every combination of the judges, prompts, references and settings in which two protocols differ, "
        "on the answers of a dataset: which calls that takes, at what cost, and how far each moves the mean.",
    )
    new.add_argument("a", metavar="A", help="a protocol: its name, or a file")
    new.add_argument("b", metavar="B", help="another one")
    add_dataset(new, "with the answers that are judged")
    new.add_argument("--judges", nargs=2, metavar=("JA", "JB"), help="who judges for A and for B")
    help_text = f"which of {', '.join(FACTORS)} (default: all in which they differ)"
    new.add_argument("--factors", nargs="+", choices=list(FACTORS), metavar="F", default=list(FACTORS), help=help_text)
    new.add_argument("--start", action="store_true", help="run the arms one after the other; without it only the plan")
    new.add_argument("--plan", action="store_true", help="only the plan, as without --start")
    new.add_argument("--resume", action="store_true", help="go on where it ended; nothing is asked twice")
    new.add_argument("--spend", type=float, metavar="USD", help="for all arms together")
    new.add_argument("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="US dollars per million tokens")
    add_endpoint(new)
    add_actor(new)


def run(options: argparse.Namespace) -> int:
    """Plan or run it; exit code 0 where all arms have finished."""
    with workspace_store() as store, contextlib.ExitStack() as stack:
        stack.callback(runs.close, store)
        name = acting_person(store, options.actor)
        protocol, other = (chosen_protocol(store, name_or_path) for name_or_path in (options.a, options.b))
        judges = (options.judges[0], options.judges[1]) if options.judges else (protocol.judge, other.judge)
        if is_practice(judges[0]) != is_practice(judges[1]):
            raise BadInput("One endpoint is asked for all arms, so both judges have to be there.")
        at = run_command.model_endpoint(options, judges[0])
        price = run_command.chosen_price(options.price)
        usual = ProtocolRun(
            protocol, options.dataset, judge_endpoint=at, judge_price=price, spending_limit=options.spend
        )
        planned = plan_experiment(store, usual, protocol, other, judges, options.factors)
        _show(planned)
        if not options.start:
            return 0
        code = 0
        for arm, run_id in start_experiment(store, name, planned, options.resume):
            print(f"{arm}:", file=sys.stderr)
            code = run_command.follow_run(store, run_id, name, "the same command with --resume")
        if not code:
            _show(plan_experiment(store, usual, protocol, other, judges, options.factors))
        return code


def _show(planned: Experiment) -> None:
    """The arms, what they take, and how far each factor moves the mean, as far as that is known."""
    for name in planned.equal:
        print(f"Both show the judge the same of these answers, whatever they say of {name}: it is not crossed.")
    widths = [max(len(name), 6) + 2 for name in planned.factors]
    print("".join(f"{name:{width}}" for name, width in zip(planned.factors, widths, strict=True)) + "calls  cost  mean")
    for arm in planned.arms:
        sides = "".join(f"{arm.arm.sides[f].upper():{w}}" for f, w in zip(planned.factors, widths, strict=True))
        cost = "?" if arm.estimate.cost is None else dollars(arm.estimate.cost)
        mean = "-" if arm.mean is None else f"{arm.mean:.4f}"
        print(f"{sides}{arm.estimate.calls:5,}  {cost}  {mean}  {arm.run.judge}, {arm.run.protocol.mark}")
    costs = [arm.estimate.cost for arm in planned.arms]
    known = [cost for cost in costs if cost is not None]
    total_cost = f"about {dollars(sum(known))}" if len(known) == len(costs) else "at a price that is not known"
    calls = sum(arm.estimate.calls for arm in planned.arms)
    print(f"{many(len(planned.arms), 'arm')}: {many(calls, 'call')}, {total_cost}.")
    for effect in estimate_effects([arm.arm for arm in planned.arms], [arm.mean for arm in planned.arms]):
        if effect.main is not None and effect.alone is not None:
            sentence = f"from A to B it moves the mean by {effect.main:+z.4f}, alone by {effect.alone:+z.4f}"
            print(f"{effect.factor}: {sentence}.")
