"""Asking an endpoint before a run: does it answer, what does it offer, and what would it say of a few items."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar, cast

from data.records import exposure
from data.records.items import load_items as stored_items
from data.runs import charges, terms
from data.runs.endpoints import open_client
from data.runs.pending import PendingJudgments
from data.runs.run_config import DryRunJudgment, RunConfig
from data.runs.worker import known_capabilities
from data.store import Store
from data.store.errors import BadInput
from judges.client import usage
from judges.client.budget import Budget
from judges.client.endpoint import Endpoint
from judges.client.errors import CallError, ParameterRefused, TransientError
from judges.client.runner import Run
from judges.client.usage import Charge
from judges.errors import AssayError
from judges.protocols.call_plan import CallReply, ChatRequest, FinishedJudgment, Task, build_request, pieces
from judges.protocols.messages import Message

T = TypeVar("T")
_FITS = 8


def dry_run(store: Store, actor: str, config: RunConfig, judge_id: str, n: int, seed: int) -> list[DryRunJudgment]:
    """Ask the endpoint about n items of the run's draw; nothing is stored but what it cost. Raises AssayError.

    They are the first that do not wait for a blind answer of the actor; that these scores are shown is recorded.
    """
    left = PendingJudgments(store, replace(config, only_unscored=False), "", store.newest(), seed)
    blind_items = exposure.blind_pending(store, actor)
    ids = left.ids()
    chosen = sorted(ids, key=lambda i: i in blind_items)[:n]
    exposure.record_exposures(store, actor, dict.fromkeys(chosen, (judge_id,)), "dry run")
    lacking = itertools.chain.from_iterable(left.pending([i for i in ids if i in chosen], False))
    tasks = [task for task in lacking if not task.sample]
    names = {item.id: item.name for item in stored_items(store, chosen)}
    return try_tasks(store, actor, config, tasks, names)


def try_tasks(
    store: Store, actor: str, config: RunConfig, tasks: list[Task], names: Mapping[str, str]
) -> list[DryRunJudgment]:
    """Ask the endpoint for these judgments, whose items have `names` by their key; only what it cost is stored."""
    salt = secrets.token_hex(16)  # what is shown is what was sent, to the marks of its fences
    charged: list[CallReply | Charge] = []
    try:
        judged = _run_in_thread(_run_tasks(config, tasks, known_capabilities(store), salt, charged))
    finally:
        charges.store_charge(store, actor, "", charged, terms.token_price(config))
    replies, shown = [reply for reply in charged if isinstance(reply, CallReply)], []
    for judgment in judged:
        by_piece = {r.piece: r for r in replies if (r.key, r.part) == (judgment.task.key, judgment.task.part)}
        calls: dict[str, list[Message]] = {}
        for piece in pieces(config.card, config.params, judgment.task):
            if piece in by_piece:
                before, mode = {p: a for p, a in by_piece.items() if p != piece}, by_piece[piece].mode
                calls[piece] = build_request(
                    config.card, config.params, judgment.task, piece, before, mode, salt
                ).messages
        name = names[judgment.task.key] + (f", {judgment.task.part}" if judgment.task.part else "")
        shown.append(DryRunJudgment(name, calls, judgment.raw, judgment.reading, tuple(by_piece.values())))
    return sorted(shown, key=lambda s: s.name)


def list_models(endpoint: Endpoint) -> list[str]:
    """The models that an endpoint lists; [] where it keeps no list. Raises AssayError in a sentence."""

    async def ask_models() -> list[str]:
        async with open_client(endpoint) as client:
            return await client.models()

    try:
        return _run_in_thread(ask_models())
    except TransientError as fault:
        raise BadInput(f"The endpoint does not answer just now: {fault.why}. Try again in a while.") from None


def try_endpoint(store: Store, actor: str, run_id: str, config: RunConfig, spent: float) -> list[CallReply | Charge]:
    """Ask whether the endpoint answers and lists the model, or else answers a short call; return what that cost.

    If it is not ready, what it cost is stored at once, and FatalError or BadInput raised. The call is left out if the
    budget has no room for it.
    """
    charged: list[CallReply | Charge] = []
    try:
        _run_in_thread(_try_call(config, known_capabilities(store), terms.budget(config, spent), charged))
    except AssayError:
        charges.store_charge(store, actor, run_id, charged, terms.token_price(config))
        raise
    return charged


async def _try_call(
    config: RunConfig, capabilities: dict[str, str], budget: Budget | None, charged: list[CallReply | Charge]
) -> None:
    hello = ChatRequest([{"role": "user", "content": "Answer with the word yes."}], None, config.card.name)
    sent, most = usage.tokens_sent(hello, "text"), config.params.max_tokens
    async with open_client(config.endpoint, config.model, capabilities) as client:
        try:
            if config.model in await client.models():
                return
            if budget is not None and not budget.take(budget.highest_cost(sent, most)):
                return
            for _ in range(_FITS):
                try:
                    answer = await client.answer(config.params, hello)
                except ParameterRefused:
                    continue
                charged.append(Charge("trial", *usage.tokens_billed(answer, hello, "text", most)))
                return
        except CallError:
            return
        except TransientError as fault:
            if fault.charged:
                charged.append(Charge("trial", sent, most))
            raise BadInput(f"The endpoint does not answer just now: {fault.why}. Try again in a while.") from None


async def _run_tasks(
    config: RunConfig, tasks: list[Task], capabilities: dict[str, str], salt: str, charged: list[CallReply | Charge]
) -> list[FinishedJudgment]:
    """The judgments; replies, and what else its calls cost, are added to `charged` as they come."""
    judged: list[FinishedJudgment] = []
    endpoint = config.endpoint.model_copy(update={"tries": min(config.endpoint.tries, 2)})
    async with open_client(endpoint, config.model, capabilities) as client:
        work = Run(config.card, config.params, client, tasks, budget=terms.budget(config, 0.0), salt=salt)
        async for event in work.stream():
            if isinstance(event, CallReply | Charge):
                charged.append(event)
            elif isinstance(event, FinishedJudgment):
                judged.append(event)
            elif event.sort == "spent" and not judged:
                raise BadInput(event.text)
    return judged


def _run_in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine, run in a thread of its own: the caller's may have an event loop already.

    An interrupt of the caller cancels it.
    """
    tasks = Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]]()

    async def run() -> T:
        tasks.set_result((asyncio.get_running_loop(), cast(asyncio.Task[Any], asyncio.current_task())))
        return await work

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(asyncio.run, run())
        try:
            return result.result()
        except KeyboardInterrupt:
            loop, task = tasks.result()
            with contextlib.suppress(RuntimeError):  # it has just ended by itself
                loop.call_soon_threadsafe(task.cancel)
            raise
