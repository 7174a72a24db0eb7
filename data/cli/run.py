"""`run`: a judge over a dataset of the workspace; every reply is stored as it comes, and a run that ended can go on."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence

from data.cards import cards
from data.cli.options import acting_person, add_actor, add_dataset, workspace_store
from data.records import datasets
from data.runs import runs
from data.runs.endpoints import usual_address
from data.runs.run_config import DryRunJudgment, RunConfig, RunProgress
from data.runs.worker import Source
from data.store import Store
from data.store.errors import BadInput
from judges.authoring import soundness
from judges.card import Card
from judges.cli.options import add_card, add_endpoint, add_parameters, chosen_card, chosen_endpoint, chosen_params
from judges.cli.progress_bar import Bar
from judges.client.budget import Price, dollars
from judges.client.endpoint import Endpoint
from judges.plural import many

_BESIDE = {"resume": ("spend", "price", "engine", "address", "workers", "actor"), "collect": ("engine", "actor")}
"""Options that continue what was ordered before -> the other options that may be given with them."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser, required=False)
    add_card(parser, "a card of `python -m judges list` or `python -m data card list`")
    parser.add_argument("--model", metavar="NAME", help="a model of the endpoint, or practice-... for practice")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="judge N items, drawn at random (0: all)")
    parser.add_argument("--only-unscored", action="store_true", help="ask again only for replies that were not usable")
    parser.add_argument("--spend", type=float, metavar="USD", help="the most that all its starts may cost together")
    parser.add_argument("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="US dollars per million tokens")
    parser.add_argument(
        "--engine", choices=("here", "ray"), default="here",
        help="where calls are made: in this process, or by workers on a Ray cluster, which share all limits",
    )  # fmt: skip
    parser.add_argument("--address", default="", metavar="HOST:PORT", help="the Ray cluster (default: this machine)")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="of Ray (default: one a processor)")
    parser.add_argument("--dry-run", action="store_true", help="ask about three items and show it; nothing is stored")
    parser.add_argument("--batch", action="store_true", help="through the endpoint's Batch API; collect it later")
    parser.add_argument("--collect", action="store_true", help="fetch what the batches of all runs have brought")
    parser.add_argument("--resume", metavar="RUN", help="go on with a run; --spend and --price give it others")
    add_actor(parser)
    add_parameters(parser)
    add_endpoint(parser)


def run(options: argparse.Namespace) -> int:
    """Run, resume, collect or only try, as the options say. Exit code 0 also where replies could not be used."""
    if options.engine == "here" and (options.address or options.workers):
        raise BadInput("--address and --workers are for --engine ray.")
    if options.engine == "ray" and (options.batch or options.dry_run or options.collect):
        raise BadInput("--engine ray is for calls that are made one by one, not for --batch, --collect or --dry-run.")
    for name in _BESIDE:
        if getattr(options, name) not in (None, False) and (unheeded := _unheeded_options(options, name)):
            raise BadInput(f"--{name} goes on with what was ordered before, without {', '.join(unheeded)}.")
    with workspace_store() as store, contextlib.ExitStack() as stack:
        stack.callback(runs.close, store)
        name = acting_person(store, options.actor)
        if options.collect:
            return _collect(store)
        if options.resume is not None:
            price, engine = chosen_price(options.price), _engine(options, store, stack)
            runs.resume(store, name, options.resume, limit=options.spend, price=price, engine=engine)
            return follow_run(store, options.resume, name)
        config = _run_config(store, name, options)
        estimate = runs.estimate(store, config)
        if estimate.long:
            print(estimate.long, file=sys.stderr)
        if options.dry_run:
            return _dry_run(store, name, config)
        cost = "" if estimate.cost is None else f", about ${estimate.cost:,.2f}"
        calls = many(estimate.calls, "call")
        print(
            f"{many(estimate.judgments, 'judgment')} of {many(estimate.items, 'item')}, {calls}{cost}.", file=sys.stderr
        )
        started = runs.start(store, name, config, patient=False, engine=_engine(options, store, stack))
        return follow_run(store, started, name)


def _unheeded_options(options: argparse.Namespace, option: str) -> list[str]:
    """The options that were given but have no effect with one that continues a run."""
    parser = argparse.ArgumentParser()
    add(parser)
    usual = vars(parser.parse_args([]))
    heeded = {option, *_BESIDE[option]}
    names = (name for name in usual if name not in heeded and getattr(options, name) != usual[name])
    return [f"--{name.replace('_', '-')}" for name in names]


def _engine(options: argparse.Namespace, store: Store, stack: contextlib.ExitStack) -> Source | None:
    """Return the source that makes the calls until the stack is closed, after all runs; None means this process."""
    if options.engine == "here":
        return None
    from data.runs.ray_cluster import ray_source

    source = stack.enter_context(ray_source(options.address, options.workers))
    stack.callback(runs.close, store)
    return source


def _run_config(store: Store, name: str, options: argparse.Namespace) -> RunConfig:
    for option in ("dataset", "model"):
        if not getattr(options, option):
            raise BadInput(f"Say which {option}: --{option} NAME.")
    dataset = datasets.dataset_named(store, options.dataset)
    card = chosen_card(options, known=cards.current_cards(store))
    if cards.adopt_card(store, name, card, dry=options.dry_run):
        print(f"Saved the card {card.name}, version {card.version}.", file=sys.stderr)
    for fault in soundness.find_faults(card):
        print(fault.text, file=sys.stderr)
    params, endpoint = chosen_params(options, card.defaults), model_endpoint(options, options.model)
    return RunConfig(
        dataset.id, card, options.model, params, endpoint, options.spend,
        chosen_price(options.price), options.limit, options.only_unscored, options.batch,
    )  # fmt: skip


def model_endpoint(options: argparse.Namespace, model: str, base_url: str = "", key_variable: str = "") -> Endpoint:
    """The endpoint of a model as the options say; an address or a variable that is not empty replaces theirs.

    A practice model is asked here, unless there is an address. Raises BadInput.
    """
    address = base_url or options.base_url or usual_address(model)
    return chosen_endpoint(options, base_url=address, key_variable=key_variable)


def chosen_price(numbers: Sequence[float] | None) -> Price | None:
    """The price that an option gives by two numbers, if it is there."""
    return (numbers[0], numbers[1]) if numbers else None


def _dry_run(store: Store, name: str, config: RunConfig) -> int:
    for shown in runs.dry_run(store, name, config):
        show_dry_run(shown, config.card)
    cost_note = "" if config.synthetic else " What it cost counts among the trials."
    print(f"Nothing of this was stored.{cost_note}", file=sys.stderr)
    return 0


def show_dry_run(shown: DryRunJudgment, card: Card) -> None:
    """Print the messages of a judgment of a dry run, what came back, and what it was read as."""
    print(f"== {shown.name}")
    for message in shown.messages:
        print(f"-- {message['role']}\n{message['content']}")
    print(f"-- reply\n{shown.raw}")
    if shown.reading.unscored:
        print(f"-- unscored ({shown.reading.unscored}): {shown.reading.why}")
    for score in shown.reading.scores:
        dimension = card.dimension(score.dimension, score.unit)
        print(
            f"{score.unit:16} {score.dimension:24} {dimension.scale.format(score.value) if dimension else score.value}"
        )


def _collect(store: Store) -> int:
    waiting = [batch_run for batch_run in runs.list_runs(store) if batch_run.state == "waiting for batch"]
    for batch_run in waiting:
        runs.follow_batches(store, batch_run.id, patient=False)
    for batch_run in waiting:
        end = runs.wait(store, batch_run.id)
        print(
            f"{batch_run.id}  {batch_run.card} by {batch_run.model} on {batch_run.dataset}: {end.state}. {_counts(end)}"
        )
    if not waiting:
        print("No run waits for a batch.")
    return 0


def follow_run(
    store: Store, run_id: str, name: str, again: str = "", unit: str = "judgment", outcome: str = "scored"
) -> int:
    """Wait for the end of a run, with a line that moves; Ctrl+C stops it cleanly. The exit code.

    `again` is the command that goes on with it, `unit` what it makes, and `outcome` what one is that could be used.
    Raises KeyboardInterrupt if nothing was left to stop when Ctrl+C came: whoever calls it is to end all the same.
    """
    began, stopped = time.monotonic(), False
    with Bar(unit=f"{unit}s", began=runs.run_progress(store, run_id).done) as bar:
        try:
            end = runs.wait(store, run_id, lambda now: bar(now.done, now.total, now.done, _details(now)))
        except KeyboardInterrupt:
            bar.clear()
            stopped = True
            print("Stopping: calls under way get a few seconds ...", file=sys.stderr)
            runs.stop(store, name, run_id)
            end = runs.wait(store, run_id)
    for problem in end.problems:
        print(problem, file=sys.stderr)
    print(f"{end.state.capitalize()}. {_counts(end, unit, outcome)} {time.monotonic() - began:,.1f} s.")
    if end.state == "waiting for batch":
        print("Later, as often as you like: python -m data run --collect")
    elif end.state != "finished":
        print(end.why, file=sys.stderr)
        more = " --spend USD, with a higher limit" if "spending limit" in end.why else ""
        print(f"To go on: {again or f'python -m data run --resume {run_id}'}{more}", file=sys.stderr)
    done = end.state in ("finished", "waiting for batch")
    if stopped and done:
        raise KeyboardInterrupt
    return 0 if done else 130 if stopped else 1


def _counts(end: RunProgress, unit: str = "judgment", outcome: str = "scored") -> str:
    reasons = "".join(f", {n:,} {reason}" for reason, n in end.unscored.items())
    return (
        f"{end.done:,} of {many(end.total, unit)}: {end.scored:,} {outcome}{reasons}. {many(end.calls, 'call')}, "
        f"{end.tokens_in:,} tokens in, {end.tokens_out:,} out, {_cost(end)}."
    )


def _cost(now: RunProgress) -> str:
    """Return the amount spent, and the limit, in words."""
    if now.cost is None:
        return "cost not known"
    of = "" if now.limit is None else f" of the limit of {dollars(now.limit)}"
    yet = f" and up to {dollars(now.open)} more for calls under way" if now.open else ""
    return f"${now.cost:,.4f}{' (estimated)' if now.estimated else ''}{yet}{of}"


def _details(now: RunProgress) -> str:
    """Return the text next to the judgments in the progress bar: cost, unscored judgments, the seconds left."""
    left = "" if now.seconds_left is None else f"  {now.seconds_left:,.0f} s left"
    cost = "" if now.cost is None else f"  {'about ' if now.estimated else ''}${now.cost:,.4f}"
    cost += "" if now.limit is None else f" of {dollars(now.limit)}"
    return f"{cost}  {sum(now.unscored.values()):,} unscored{left}"
