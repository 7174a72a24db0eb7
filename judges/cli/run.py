"""`run`: ask a judge about the items of a file; run it again to go on where it was, and nothing is asked twice."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from judges.authoring.soundness import find_faults, require_sound
from judges.card import Card
from judges.cli import options
from judges.cli.progress_bar import Bar
from judges.client.budget import Budget, Price, cost, dollars
from judges.client.client import Client
from judges.client.endpoint import Endpoint, is_practice
from judges.client.estimate import Estimate, context_size, estimate, find_long_calls, safe_length
from judges.client.runner import Run
from judges.client.usage import Charge
from judges.errors import AssayError, BadInput
from judges.importing.line_files import check_items, describe_other_kinds, stream_items
from judges.importing.run_file import ChargeFile, RunFile
from judges.params import Params
from judges.plural import many, verb
from judges.process import run_async
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply, FinishedJudgment, Task
from judges.types import Reading

_DRY_RUN_ITEMS = 3


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("items", type=Path, metavar="ITEMS.jsonl", help="items as canonical JSON lines")
    options.add_card(parser)
    parser.add_argument("--model", required=True, metavar="M", help="the model, as its endpoint calls it")
    parser.add_argument("--out", type=Path, metavar="FILE", help="add the judgments to this file (else: print them)")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only the first N items (0: all)")
    parser.add_argument("--dry-run", action="store_true", help="show prompts and the estimate; ask nothing")
    parser.add_argument("--ask", action="store_true", help="with --dry-run: ask about those items, and keep nothing")
    options.add_budget(parser)
    options.add_parameters(parser)
    options.add_endpoint(parser)


def run(args: argparse.Namespace) -> int:
    """Run the judge: 0 when every judgment is there, 1 when some could not be asked for, 130 when it was stopped."""
    card = options.chosen_card(args)
    params, endpoint = options.chosen_params(args, card.defaults), options.chosen_endpoint(args)
    price = options.chosen_price(args)
    if args.limit < 0:
        raise BadInput(f"--limit is a number of items, 0 for all; it is {args.limit}.")
    if args.ask and not args.dry_run:
        raise BadInput("--ask goes with --dry-run.")
    require_sound(card)
    for fault in find_faults(card):
        print(fault.text, file=sys.stderr)
    _, others = check_items(args.items, card, args.limit)
    if others:
        print(f"{describe_other_kinds(others)}: {card.name} judges a {card.kind}.", file=sys.stderr)
    work = _Work(card, args.model, params, endpoint, price, _FileItems(args.items, card.kind, args.limit), args.spend)
    if args.dry_run and not args.ask:
        return work.dry_run(None)
    with contextlib.ExitStack() as files:
        ledger = None
        if not args.dry_run:
            ledger = files.enter_context(RunFile(args.out, card, args.model, params, sys.stdout))
        purse = files.enter_context(ChargeFile(args.out, card, args.model, params, price))
        if args.spend is not None and args.spend < purse.spent:
            raise AssayError(
                f"{_format_spent(purse)} is spent on {args.out.name} so far: a limit of {dollars(args.spend)} "
                "is below it. Give a higher --spend."
            )
        if ledger is None:
            return work.dry_run(purse)
        return work.run(ledger, purse, sys.stderr if args.out is None else sys.stdout)


@dataclass
class _Counts:
    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    why: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass
class _Work:
    card: Card
    model: str
    params: Params
    endpoint: Endpoint
    price: Price | None
    items: _FileItems
    spend: float | None

    # -- a run --------------------------------------------------------------------------------------------------------

    def run(self, ledger: RunFile, purse: ChargeFile, out: Any) -> int:
        """Ask for the judgments that the ledger lacks, and report the outcome."""
        total = sum(1 for _ in self._tasks())
        left = sum(1 for task in self._tasks() if not ledger.has(task))
        if ledger.count:
            print(f"{total - left:,} of {many(total, 'judgment')} {verb(total, 'is', 'are')} there already.", file=out)
        if not left:
            print("Nothing is left to ask. To ask the unscored ones again, name another file with --out.", file=out)
            return 0
        self._say_long()
        counts, began, stop = _Counts(), time.monotonic(), asyncio.Event()
        try:
            work = self._ask_all(ledger, purse, counts, total, total - left, stop)
            ended = run_async(work, lambda: self._interrupt(stop))
        finally:
            self._summary(counts, time.monotonic() - began, left, out)
            self._say_spent(purse, out)
        if ended:
            advice = "with a higher --spend" if "spending limit" in ended else "again"
            print(f"{ended} To go on, run the same command {advice}.", file=sys.stderr)
            return 130
        if counts.unscored["api_error"]:
            print("Some calls failed: run the same command again to ask for those.", file=sys.stderr)
            return 1
        return 0

    async def _ask_all(
        self, ledger: RunFile, purse: ChargeFile, counts: _Counts, total: int, stored_count: int, stop: asyncio.Event
    ) -> str:
        """Run; "" if everything was asked, else why it ended."""
        budget = self._budget(purse)
        missing = (task for task in self._tasks() if not ledger.has(task))
        ended, done = "", stored_count
        with Bar(unit="judgments", began=stored_count) as bar:
            async with Client(self.endpoint, self.model) as client:
                stored = ledger.stored_pieces
                work = Run(self.card, self.params, client, missing, stored=stored, stop=stop.is_set, budget=budget)
                async for event in work.stream():
                    if isinstance(event, CallReply | Charge):
                        purse.pay(event)
                    if isinstance(event, Charge):
                        continue
                    if isinstance(event, CallReply):
                        ledger.keep(event)
                        counts.calls += 1
                        counts.tokens_in += event.tokens_in
                        counts.tokens_out += event.tokens_out
                    elif isinstance(event, FinishedJudgment):
                        ledger.write(event)
                        _count(counts, event.reading)
                        done += 1
                        bar(done, total, done, self._progress_note(counts))
                    elif event.sort in ("stopped", "spent"):
                        ended = event.text
                    else:
                        bar.clear()
                        print(event.text, file=sys.stderr)
        return ended

    def _budget(self, purse: ChargeFile) -> Budget | None:
        if self.spend is None or self.price is None:
            return None
        return Budget(self.spend, self.price, purse.spent, hold=purse.hold)

    def _say_spent(self, purse: ChargeFile, out: Any) -> None:
        """Print the cost of all starts together, with failed tries and trials, and the limit."""
        if self.price is not None and any(self.price):
            of = "" if self.spend is None else f" of the limit of {dollars(self.spend)}"
            print(f"  {_format_spent(purse)} spent so far{of}", file=out)

    def _interrupt(self, stop: asyncio.Event) -> None:
        """Ctrl+C: the first time, wait for the calls under way; the second time, drop them."""
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    def _progress_note(self, counts: _Counts) -> str:
        unscored = f"  {counts.unscored.total():,} unscored" if counts.unscored else ""
        return f"{unscored}  {self._cost(counts)}" if self.price and any(self.price) else unscored

    def _cost(self, counts: _Counts) -> str:
        if self.price is None:
            return "cost not known"
        return f"${cost(self.price, counts.tokens_in, counts.tokens_out):,.4f}"

    def _summary(self, counts: _Counts, seconds: float, left: int, out: Any) -> None:
        total = counts.scored + counts.unscored.total()
        whose = " (practice, not a language model)" if is_practice(self.model) else ""
        print(f"{self.card.name} {self.card.version} by {self.model}{whose}:", file=out)
        print(f"  {counts.scored:,} of {left:,} scored, {counts.unscored.total():,} unscored", file=out)
        for reason, number in counts.unscored.most_common():
            print(f"    {reason:12} {number:,}", file=out)
        for why, number in counts.why.most_common(3):
            print(f"      {number:,} x {why}", file=out)
        rate = total / seconds if seconds else 0.0
        used = f"{counts.tokens_in:,} tokens in, {counts.tokens_out:,} out, {self._cost(counts)}"
        print(f"  {many(counts.calls, 'answer')}, {used}, {seconds:,.1f} s, {rate:,.1f} judgments a second", file=out)

    def _tasks(self) -> Iterator[Task]:
        return call_plan.tasks(self.card, self.params, self.items)

    # -- a dry run ----------------------------------------------------------------------------------------------------

    def dry_run(self, purse: ChargeFile | None) -> int:
        """Show what would be sent for the first items, and the estimate for all; with a purse, make these calls."""
        self._say_long()
        first = list(islice(self.items, _DRY_RUN_ITEMS))
        for task in call_plan.tasks(self.card, self.params, first):
            if task.sample:
                continue
            for piece in call_plan.pieces(self.card, self.params, task):
                request = call_plan.build_request(self.card, self.params, task, piece, {}, "json_schema")
                named = _join_words(task.key, task.part, piece)
                print(f"=== {named} " + "=" * max(100 - len(named), 3))
                for message in request.messages:
                    print(f"[{message['role']}]\n{message['content']}\n")
        if purse is not None:
            run_async(self._asked_few(first, purse))
            self._say_spent(purse, sys.stdout)
        _print_estimate(estimate(self.card, self.model, self.params, self.items, price=self.price))
        return 0

    def _say_long(self) -> None:
        """Name the calls that are known to be too long, before anything is sent."""
        room = context_size(self.model, self.params, self.endpoint.room)
        if not room:
            return
        size = safe_length(self.card, self.params, room)
        items = ((key, item) for key, item in self.items if len(item.model_dump_json()) > size)
        if warning := str(find_long_calls(self.card, self.params, items, room)):
            print(warning, file=sys.stderr)

    async def _asked_few(self, first: list[tuple[str, Any]], purse: ChargeFile) -> None:
        tasks = (task for task in call_plan.tasks(self.card, self.params, first) if not task.sample)
        async with Client(self.endpoint, self.model) as client:
            work = Run(self.card, self.params, client, tasks, budget=self._budget(purse))
            async for event in work.stream():
                if isinstance(event, CallReply):
                    purse.pay(event)
                    named, tried = _join_words(event.key, event.part, event.piece), many(event.tries, "try", "tries")
                    print(f"=== {named}: the raw reply ({tried})")
                    print(event.raw if event.raw else f"({event.unscored}: {event.why})")
                elif isinstance(event, Charge):
                    purse.pay(event)
                elif isinstance(event, FinishedJudgment):
                    print(f"=== {_join_words(event.task.key, event.task.part)}: read as")
                    print("\n".join(_read(self.card, event.reading)))
                else:
                    print(event.text, file=sys.stderr)


@dataclass(frozen=True)
class _FileItems:
    """The items of a file; it can be iterated more than once and never has all items in memory."""

    path: Path
    kind: str
    limit: int

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return stream_items(self.path, self.kind, self.limit)


def _format_spent(purse: ChargeFile) -> str:
    return f"{'about ' if purse.estimated else ''}{dollars(purse.spent)}"


def _count(counts: _Counts, reading: Reading) -> None:
    if reading.unscored is None:
        counts.scored += 1
        return
    counts.unscored[reading.unscored] += 1
    if len(counts.why) < 1000:
        counts.why[reading.why] += 1


def _join_words(*words: str) -> str:
    return " ".join(word for word in words if word)


def _read(card: Card, reading: Reading) -> list[str]:
    """A reading as lines: every score, and every remark."""
    if reading.unscored:
        return [f"  unscored ({reading.unscored}): {reading.why}"]
    lines = []
    for score in reading.scores:
        dimension = card.dimension(score.dimension, score.unit)
        value = dimension.scale.format(score.value) if dimension else f"{score.value}"
        sure = "" if score.confidence is None else f"  (confidence {score.confidence:.2f}, {score.source})"
        lines.append(f"  {score.unit:14} {score.dimension:24} {value}{sure}")
    return lines + [f"  {r.unit:14} {r.dimension:24} {r.sort}: {r.text}" for r in reading.remarks]


def _print_estimate(estimate: Estimate) -> None:
    print(", ".join((many(estimate.items, "item"), many(estimate.judgments, "judgment"), many(estimate.calls, "call"))))
    print(f"about {estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} tokens out")
    if estimate.cost is not None and estimate.max_cost is not None:
        print(f"about ${estimate.cost:,.2f}, at most about ${estimate.max_cost:,.2f}")
    for note in estimate.notes:
        print(f"- {note}")
