"""Runs through an endpoint's Batch API: handed in, waited for over days and restarts, collected; in rounds.

A judgment of several calls takes several rounds, as a window carries a summary of what came before. All that matters is
in the store: replies as for any run, and the state of each batch, so that any process can go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from data.records.tables import BatchEventRow
from data.runs import charges
from data.runs.endpoints import open_client
from data.runs.worker import FINAL_BATCH_STATES, Event, LiveRun, WaitingForBatch, ask_first
from data.store import Tx
from data.store.ids import new_id
from judges.client import batch_files as lines
from judges.client import usage
from judges.client.budget import explain_limit
from judges.client.client import Client
from judges.client.errors import CallError, FatalError, ParameterRefused, TransientError
from judges.client.runner import RunNotice
from judges.client.usage import Charge
from judges.errors import AssayError, BadCard
from judges.protocols.call_plan import CallReply, FinishedJudgment, build_request, fuse, remaining_pieces
from judges.strict_json import canonical
from judges.types import Reading

T = TypeVar("T")
POLL_SECONDS = 30.0
"""Seconds between two looks at a batch."""
_MAX_CALL_TRIES, _MAX_FRUITLESS_ROUNDS = 2, 3
_RETRY_DELAYS_SECONDS = 1.0, 4.0, 10.0
"""Seconds before each further try of what an endpoint does not take just now."""
_STOP_CHECK_SECONDS = 0.25
_ENDED = ("completed", "expired", "cancelled")


async def wait_for_batches(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
    """Yield the events that batches bring for a run, round after round, until nothing is left to ask.

    A call that fails in two batches is an api_error for good; what a batch did not carry out is asked in the next one.
    A live run that is not patient looks once, and hands in the next round if there is one.
    """
    async with open_client(live.config.endpoint, live.config.model, capabilities) as client:
        async for event in _Batches(live, client).stream():
            yield event


class _Batches:
    def __init__(self, live: LiveRun, client: Client) -> None:
        self.live, self.client, self.config = live, client, live.config
        self.store, self.run_id = live.store, live.run_id
        self._fruitless_rounds = self._tokens_per_call = 0

    async def stream(self) -> AsyncIterator[Event]:
        live = self.live
        async for event in ask_first(live, self.client):
            yield event
        await self._record_unknown_batches()
        while True:
            await live.wait_until_stored()
            if live.should_stop():
                if not live.shut:
                    await self._cancel_pending()
                waits = live.shut and self._pending_batches()
                yield WaitingForBatch() if waits else RunNotice("stopped", "The run was stopped.")
                return
            for ident, state in self._pending_batches().items():
                async for answer in self._collect_batch(ident, state):
                    yield answer
            if self._pending_batches():
                if not live.patient:
                    yield WaitingForBatch()
                    return
                await self._pause()
                continue
            async for event in self._round():
                yield event
            if not self._pending_batches():
                return
            if not live.patient:
                yield WaitingForBatch()
                return

    # -- a round ------------------------------------------------------------------------------------------------------

    async def _round(self) -> AsyncIterator[FinishedJudgment | RunNotice]:
        """Judgments whose calls are all answered; the others' are handed in, or a notice says why none is."""
        card, params, left = self.config.card, self.config.params, self.live.remaining
        failed, budget = self._failed_calls(), self.live.budget()
        batch: list[bytes] = []
        size = sent = 0
        full = min(lines.MAX_LINES, lines.max_calls(params))
        note: RunNotice | None = None
        for task in left.tasks():
            answers = dict(left.stored_replies(task))
            missing = remaining_pieces(card, params, task, answers)
            failure = next((failed[*task.slot, piece] for piece in missing if (*task.slot, piece) in failed), None)
            if failure is not None:
                answers |= {piece: CallReply(*task.slot, piece, "", "api_error", failure) for piece in missing}
                missing = []
            if not missing:
                yield fuse(card, params, task, answers)
                continue
            mode = self.client.capabilities.mode
            try:
                request = build_request(card, params, task, missing[0], answers, mode)
            except BadCard:
                raise
            except AssayError as error:  # an item that this judge cannot be asked about, as in a run without a batch
                yield FinishedJudgment(task, "", Reading(unscored="incomplete", why=str(error)))
                continue
            about = usage.tokens_sent(request, mode)
            if budget is not None and not budget.take(most := budget.highest_cost(about, params.max_tokens)):
                note = RunNotice("spent", explain_limit(budget.limit, budget.spent + budget.open, most))
                break
            body = self.client.capabilities.body(self.config.model, params, request)
            text = lines.batch_line(task, missing[0], body)
            if batch and (len(batch) >= full or size + len(text) > lines.MAX_BYTES):
                await self._submit(batch, sent)
                batch, size, sent = [], 0, 0
            batch.append(text)
            size += len(text)
            sent += about
        if batch:
            await self._submit(batch, sent)
        elif note is not None and not self._pending_batches():
            yield note

    def _failed_calls(self) -> dict[lines.Place, str]:
        """Calls that failed as often as they are tried, since the run was begun or resumed, and why."""
        rows = self.store.rows(
            "select item_id, part, sample, piece, max(why) from reply where run_id = $1 and unscored = 'api_error' "
            "and seq > $2 group by 1, 2, 3, 4 having count(*) >= $3",
            [self.run_id, self.live.remaining.since, _MAX_CALL_TRIES],
        )
        return {(item, part, sample, piece): why for item, part, sample, piece, why in rows}

    async def _submit(self, batch: list[bytes], sent: int) -> None:
        """Hand in a file of calls that hold about so many tokens."""
        file = await _call_with_retries(partial(self.client.upload, b"".join(batch)))
        shown = await _call_with_retries(partial(self._begin, file), partial(self._find_or_begin, file))
        self._record(str(shown["id"]), "submitted", {"file": file, "calls": len(batch), "tokens": sent})

    async def _begin(self, file: str) -> dict[str, Any]:
        return await self.client.submit(file, {"assay_run": self.run_id})

    async def _find_or_begin(self, file: str) -> dict[str, Any]:
        """The batch of a file that has begun although the answer was lost, which must not be paid for twice."""
        file_batches = (
            batch for batch in await self._list_batches() if batch.get("input_file_id") == file and batch.get("id")
        )
        return next(file_batches, None) or await self._begin(file)

    # -- batches that are out -----------------------------------------------------------------------------------------

    def _states(self) -> dict[str, str]:
        """The state of every batch of this run, in the order in which these were reached."""
        return dict(self.store.rows("select batch, state from batch_now where run_id = $1 order by seq", [self.run_id]))

    def _pending_batches(self) -> dict[str, str]:
        return {ident: state for ident, state in self._states().items() if state not in FINAL_BATCH_STATES}

    async def _record_unknown_batches(self) -> None:
        """Enter batches of this run that were handed in just before a process ended, and not written down."""
        known = self._states()
        for shown in await self._list_batches():
            note, ident = shown.get("metadata"), str(shown.get("id"))
            if isinstance(note, dict) and note.get("assay_run") == self.run_id and ident not in known:
                self._record(ident, "submitted", {"file": str(shown.get("input_file_id")), "calls": 0})

    async def _list_batches(self) -> list[dict[str, Any]]:
        """The batches that the endpoint lists; none where it keeps no list, as not every one does."""
        try:
            return await self.client.batches()
        except (TransientError, FatalError):
            return []

    async def _collect_batch(self, ident: str, last_state: str) -> AsyncIterator[CallReply | Charge]:
        """The answers of a batch that has ended, and what failed calls cost, without what is stored already.

        Raises FatalError where one batch after the other brought nothing.
        """
        try:
            shown = await self.client.batch(ident)
        except TransientError:
            return
        since, calls, sent = self._submission(ident)
        if not shown:
            charge = Charge("lost", sent, calls * self.config.params.max_tokens, calls=calls)
            self._record(ident, "failed", {"why": "not known any more"}, charge)
            raise FatalError(
                "The endpoint does not know the batch any more. Resume the run to hand its calls in again."
            )
        state = str(shown.get("status"))
        if state == "failed":
            reason = self.client.refusal(shown)
            self._record(ident, "failed", {"why": reason})
            raise FatalError(
                f"The endpoint refused the batch: {reason or 'it gave no reason'}. Fix that, then resume the run."
            )
        if state not in _ENDED:
            if state != last_state:
                self._record(ident, state, {"counts": shown.get("request_counts")})
            return
        answered_calls = missed = 0
        self._tokens_per_call = round(sent / calls) if calls else 0
        stored_calls = self._stored_calls(since)
        for name in ("output_file_id", "error_file_id"):
            if not shown.get(name):
                continue
            data = await _call_with_retries(partial(self.client.content, str(shown[name])))
            for result in lines.read_results(data):
                answers = self._read_result(result)
                missed += not answers
                answered_calls += bool(answers)
                if answers and result.place not in stored_calls:
                    stored_calls.add(result.place)
                    for answer in answers:
                        yield answer
        await self.live.wait_until_stored()
        self._record(ident, "collected", {"brought": answered_calls, "missed": missed})
        self._fruitless_rounds = 0 if answered_calls else self._fruitless_rounds + 1
        if self._fruitless_rounds >= _MAX_FRUITLESS_ROUNDS:
            raise FatalError(
                f"{_MAX_FRUITLESS_ROUNDS} batches in a row brought no replies. Resume the run to try again, or without "
                "a batch."
            )

    def _read_result(self, result: lines.BatchResult) -> list[CallReply | Charge]:
        """One result as an answer, with what it may have cost where it failed.

        Empty where the call was not carried out, or has to be made in another manner.
        """
        if result.missed:
            return []
        config, place = self.config, result.place
        try:
            typed = config.card.text is None
            answer = self.client.result(result.status, result.body, config.params, typed)
        except ParameterRefused:
            return []
        except CallError as fact:
            return [CallReply(*place, "", fact.unscored, fact.why, model=config.model)]
        except (TransientError, FatalError) as fault:
            failed = CallReply(*place, "", "api_error", str(fault), model=config.model)
            charged = isinstance(fault, TransientError) and fault.charged
            return [Charge("try", self._tokens_per_call, config.params.max_tokens), failed] if charged else [failed]
        sent, most = self._tokens_per_call, config.params.max_tokens
        tokens_in, tokens_out, estimated = usage.tokens_used(answer, 4 * sent, lambda: sent, most)
        return [CallReply(
            *place, answer.raw, answer.unscored, answer.why, answer.mode, answer.model, tokens_in, tokens_out, 1, 0.0,
            answer.logprobs, estimated,
        )]  # fmt: skip

    def _submission(self, ident: str) -> tuple[int, int, int]:
        """(its change, calls, about how many tokens they send) of a batch; no calls of one that was adopted."""
        query = "select seq, detail from batch_event where run_id = $1 and batch = $2 order by seq limit 1"
        [(seq, text)] = self.store.rows(query, [self.run_id, ident])
        detail = json.loads(text)
        return int(seq), int(detail.get("calls", 0)), int(detail.get("tokens", 0))

    def _stored_calls(self, since: int) -> set[lines.Place]:
        rows = self.store.rows(
            "select item_id, part, sample, piece from reply where run_id = $1 and seq > $2", [self.run_id, since]
        )
        return {(item, part, sample, piece) for item, part, sample, piece in rows}

    async def _cancel_pending(self) -> None:
        """Cancel what is out, so that it costs no more; what it brought by then is collected on a resume."""
        for ident in self._pending_batches():
            with contextlib.suppress(TransientError, FatalError):
                await self.client.cancel(ident)

    async def _pause(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + POLL_SECONDS
        while loop.time() < until and not self.live.should_stop():
            await asyncio.sleep(min(_STOP_CHECK_SECONDS, POLL_SECONDS))

    def _record(self, ident: str, state: str, detail: Mapping[str, object], charge: Charge | None = None) -> None:
        def work(tx: Tx) -> None:
            charges.add_charge(tx, self.run_id, [charge] if charge else [], self.live.price)
            tx.append([BatchEventRow(new_id(), self.run_id, ident, state, canonical(dict(detail)))])

        self.store.tx(self.live.actor, "batch", work, target=self.run_id)


async def _call_with_retries(call: Callable[[], Awaitable[T]], again: Callable[[], Awaitable[T]] | None = None) -> T:
    """Return the result of a call, tried a few times if the endpoint fails for now; `again`: the later tries."""
    for wait in _RETRY_DELAYS_SECONDS:
        try:
            return await call()
        except TransientError:
            await asyncio.sleep(wait)
        call = again or call
    try:
        return await call()
    except TransientError as fault:
        raise FatalError(
            f"The endpoint does not take batches just now: {fault.why}. Resume the run in a while."
        ) from None
