"""The runs that go on in this process, each in a thread with an event loop of its own; and the state of every run."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from data import log
from data.records.tables import RunEventRow
from data.records.values import put_setting, settings_in
from data.runs import charges, leases, terms
from data.runs.endpoints import open_client
from data.runs.pending import PendingJudgments
from data.runs.run_config import State
from data.runs.writer import JudgmentWriter
from data.store import Store, Tx
from data.store.errors import BadInput, StoreFailed
from data.store.ids import new_id
from judges.client.budget import Budget
from judges.client.client import Client
from judges.client.limits import wait_for
from judges.client.runner import Run, RunEvent, RunNotice
from judges.client.usage import Charge
from judges.errors import AssayError
from judges.process import delay_interrupts
from judges.protocols.call_plan import CallReply, FinishedJudgment, Task

STORE_INTERVAL_SECONDS, MAX_EVENTS_PER_CHANGE = 0.25, 400
"""Seconds after which what came is stored, and how much at most in one change: 200 replies and their judgments. An
annotator's save waits no longer than one such change."""
_MAX_BUFFERED_EVENTS = 10 * MAX_EVENTS_PER_CHANGE
_RATE_WINDOW_SECONDS = 15.0
_SHUT_DOWN_SECONDS = 12.0
_SHUT_DOWN_REASON = "Assay was shut down."
_INTERRUPTED_REASON = "Assay ended while this was running. Resume it to go on where it was."
_SCOPE = "endpoints"
FINAL_BATCH_STATES = ("collected", "failed")
"""States of a batch that nothing more will come of; "submitted" and the endpoint's own words are the others."""


@dataclass(frozen=True)
class WaitingForBatch:
    """A batch run has nothing to do for now: it ends here, and still waits for its batches."""


Event = RunEvent | WaitingForBatch
Source = Callable[["LiveRun", dict[str, str]], AsyncIterator[Event]]


async def ask_endpoint(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
    """Yield the runner's events: it asks the endpoint for what the run still lacks."""
    async with open_client(live.config.endpoint, live.config.model, capabilities) as client:
        async for event in live.ask(client, live.remaining.tasks()):
            yield event


async def ask_first(live: LiveRun, client: Client) -> AsyncIterator[Event]:
    """Ask for the first judgment alone if it is not known how its model wants to be asked.

    This finds it out before a day is spent, or before others ask. At the end all of it is stored and no call is under
    way.
    """
    if not client.remembers_model():
        async for event in live.ask(client, itertools.islice(live.remaining.tasks(), 1)):
            yield event
    await live.release()


class LiveRun:
    """One run that goes on here. It ends by itself, or soon after `stop`; its last row says how."""

    def __init__(
        self, actor: str, run_id: str, remaining: PendingJudgments, source: Source, patient: bool = True
    ) -> None:
        self.actor, self.run_id, self.remaining, self.patient = actor, run_id, remaining, patient
        self.store, self.config = store, config = remaining.store, remaining.config
        self.price, self._source = terms.token_price(config), source
        self.notes: deque[str] = deque(maxlen=5)
        self._stop = ""
        self._started_at, self._stored = 0.0, 0
        self._judged: deque[tuple[float, int]] = deque(maxlen=1000)
        self._writer = JudgmentWriter(store, actor, run_id, remaining.judge_id, config.card, self.price)
        self._buffer: list[CallReply | FinishedJudgment | Charge] = []
        self._budget: Budget | None = None
        self._holding = asyncio.Lock()
        self._failed: Exception | None = None
        self._thread = threading.Thread(target=self._work, name=f"run {run_id}", daemon=True)
        self._ended = threading.Event()

    @delay_interrupts()  # between the change and the thread, which alone writes how the run ends
    def start(self, action: str, work: Callable[[Tx], None]) -> None:
        """Begin, with the change that `work` writes; returns at once. Raises BadInput where it goes on already."""
        with _LOCK:
            if self.run_id in _LIVE:
                raise BadInput("This run goes on already.")
            _LIVE[self.run_id] = self  # before its row, so that nobody takes it for interrupted in between

        def begin(tx: Tx) -> str:
            leases.take_lease(tx, self.run_id)
            work(tx)
            return self.run_id

        try:
            self.store.tx(self.actor, action, begin, target=self.run_id)
            with _LOCK:
                _UNRECORDED_ENDS.pop(self.run_id, None)
            self._started_at = time.monotonic()
            log.info(action.replace(" ", "_"), run=self.run_id, **self._facts())
            self._thread.start()
        except BaseException:
            with _LOCK:
                _LIVE.pop(self.run_id, None)
            raise

    def ask(self, client: Client, tasks: Iterable[Task]) -> AsyncIterator[RunEvent]:
        """Ask for these judgments as this run does: what it has is not asked again, and its limit and end hold."""
        return Run(
            self.config.card, self.config.params, client, tasks, stored=self.remaining.stored_replies,
            stop=self.should_stop, budget=self.budget(),
        ).stream()  # fmt: skip

    def stop(self, why: str) -> None:
        """Ask it to end: no new calls, a short grace for those under way."""
        self._stop = self._stop or why

    def should_stop(self) -> bool:
        """Whether it was asked to end, or cannot store any more."""
        return bool(self._stop) or self._failed is not None

    @property
    def shut(self) -> bool:
        """Whether it ends because the app does, and not because somebody wants it to."""
        return self._stop == _SHUT_DOWN_REASON

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, at most so many seconds."""
        if self._thread.ident is not None:
            self._ended.wait(timeout)  # once interrupted, Thread.join takes a thread that goes on for ended

    def budget(self) -> Budget | None:
        """The spending limit, with all that the run has cost so far; what calls may cost yet is stored before them."""
        limited = self.config.spending_limit is not None
        spent = charges.run_cost(self.store, self.run_id, self.price).max_cost if limited else 0.0
        self._budget = terms.budget(self.config, spent, self._hold)
        return self._budget

    async def release(self) -> None:
        """Wait until all is stored: what the calls could cost is no longer held then (`_writing`)."""
        await self.wait_until_stored()
        self._budget = None

    async def _hold(self, up_to: float) -> None:
        def work(tx: Tx) -> None:
            leases.require_lease(tx, self.run_id)
            charges.add_hold(tx, self.run_id, up_to)

        async with self._holding:
            await asyncio.to_thread(self.store.tx, self.actor, "hold", work, self.run_id)

    async def _keep_lease(self) -> None:
        """Renew the lease while the run goes on, and stop where another process asks for it."""
        renewed = time.monotonic()
        renew = partial(leases.renew_lease, run_id=self.run_id)
        while self._failed is None:
            await asyncio.sleep(leases.STOP_CHECK_SECONDS)
            try:
                if wish := await asyncio.to_thread(leases.stop_reason, self.store, self.run_id):
                    self.stop(wish)
                if time.monotonic() - renewed >= leases.RENEW_SECONDS:
                    await asyncio.to_thread(self.store.tx, self.actor, "lease", renew, self.run_id)
                    renewed = time.monotonic()
            except StoreFailed:
                continue
            except Exception as error:
                self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End the run, because nothing more can be stored; code that waits for storing goes on."""
        self._failed = error
        self._kick.set()
        self._room.set()

    def rate(self) -> float:
        """Judgments stored a second, of late."""
        now, counted = time.monotonic(), list(self._judged)
        recent = [(at, n) for at, n in counted if now - at <= _RATE_WINDOW_SECONDS]
        if len(recent) < 2:
            return 0.0
        return sum(n for _, n in recent[1:]) / max(now - recent[0][0], STORE_INTERVAL_SECONDS)

    # -- the thread ---------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        kind, why = "failed", ""
        known, capabilities = dict[str, str](), dict[str, str]()
        try:
            known = known_capabilities(self.store)
            capabilities.update(known)
            kind, why = asyncio.run(self._run(capabilities))
        except AssayError as error:
            why = str(error)
        except Exception as error:
            log.error("run_broke_off", error, run=self.run_id)
            why = f"The run stopped because of an error in Assay ({type(error).__name__}). Resume it to go on."
        # Why it ended is not in the log: the reason may quote what an endpoint answered.
        log_event, seconds = (log.warning if kind == "failed" else log.info), time.monotonic() - self._started_at
        log_event(f"run_{kind or 'waits'}", run=self.run_id, **self._facts(), judgments=self._stored, seconds=seconds)
        try:
            if kind or capabilities != known or self.store.shared:
                new = capabilities if capabilities != known else {}
                record_end(self.store, self.actor, self.run_id, kind, why, new)
        except AssayError:
            # The disk takes nothing more: the run shows as interrupted at the next start, and here as what it is.
            if kind:
                with _LOCK:
                    _UNRECORDED_ENDS[self.run_id] = (kind, why)
        finally:
            with _LOCK:
                _LIVE.pop(self.run_id, None)
            self._ended.set()

    def _facts(self) -> dict[str, log.Fact]:
        """Return the facts that the log states of every run."""
        config = self.config
        return {"person": self.actor, "dataset_id": config.dataset_id, "card": config.card.name, "model": config.model}

    async def _run(self, capabilities: dict[str, str]) -> tuple[str, str]:
        """(kind, why) of the run's end."""
        self._kick, self._room = asyncio.Event(), asyncio.Event()
        writer = asyncio.create_task(self._writing())
        # Named, so that it is not collected; it ends with the loop.
        self._lease = asyncio.create_task(self._keep_lease()) if self.store.shared else None
        last = ("finished", "")
        try:
            async for event in self._source(self, capabilities):
                if isinstance(event, WaitingForBatch):
                    last = ("", "")
                    continue
                if isinstance(event, RunNotice):
                    if event.sort in ("stopped", "spent"):
                        more = " Resume it with a higher limit to go on." if event.sort == "spent" else ""
                        last = ("stopped", event.text + more)
                    elif event.text not in self.notes:
                        self.notes.append(event.text)
                    continue
                self._buffer.append(event)
                if isinstance(event, Charge):
                    continue
                if len(self._buffer) >= MAX_EVENTS_PER_CHANGE:
                    self._kick.set()
                while len(self._buffer) >= _MAX_BUFFERED_EVENTS and self._failed is None:
                    self._room.clear()
                    await self._room.wait()
                if self._failed is not None:
                    break
        finally:
            self._done = True
            self._kick.set()
            await writer
        if self._failed is not None:
            raise self._failed
        if self._stop and last[0] == "stopped":
            last = ("stopped", self._stop)
        return last

    async def wait_until_stored(self) -> None:
        """Wait until all that was given is stored. Raises what kept it from being stored."""
        while self._buffer and self._failed is None:
            self._kick.set()
            await asyncio.sleep(0.01)
        if self._failed is not None:
            raise self._failed

    _done = False

    async def _writing(self) -> None:
        """Store what has come whenever there is enough of it, or a pause is over, until there is no more."""
        while True:
            await wait_for(self._kick, STORE_INTERVAL_SECONDS)
            self._kick.clear()
            while self._buffer and self._failed is None:
                batch = self._buffer[:MAX_EVENTS_PER_CHANGE]
                try:
                    async with self._holding:
                        upto = self._budget.lower_hold() if self._budget is not None else None
                        added = await asyncio.to_thread(self._writer.store_events, batch, upto)
                except Exception as error:
                    self._fail(error)
                    break
                del self._buffer[: len(batch)]
                self._stored += added
                self._judged.append((time.monotonic(), added))
                self._room.set()
                if len(self._buffer) < MAX_EVENTS_PER_CHANGE and not self._done:
                    break
            if self._done and (not self._buffer or self._failed is not None):
                return


_LOCK = threading.Lock()
_LIVE: dict[str, LiveRun] = {}
_UNRECORDED_ENDS: dict[str, tuple[str, str]] = {}


def live_run(run_id: str) -> LiveRun | None:
    """The run, while it goes on in this process."""
    with _LOCK:
        return _LIVE.get(run_id)


def record_end(store: Store, actor: str, run_id: str, kind: str, why: str, capabilities: Mapping[str, str]) -> None:
    """Say how a run ended, and remember how its model wants to be asked."""

    def work(tx: Tx) -> None:
        if kind:
            tx.append([RunEventRow(new_id(), run_id, kind, why)])
        remember_capabilities(tx, capabilities)
        leases.end_lease(tx, run_id)

    store.tx(actor, f"run {kind or 'waits'}", work, target=run_id)


def known_capabilities(store: Store | Tx) -> dict[str, str]:
    """How each model must be asked, by its endpoint and name: a client gets them at the start of a run."""
    return settings_in(store, _SCOPE)


def remember_capabilities(tx: Tx, capabilities: Mapping[str, str]) -> None:
    """Append what a client found out and is not stored yet; for callers that have checked the right to do so."""
    known = known_capabilities(tx)
    for key, text in capabilities.items():
        if known.get(key) != text:
            put_setting(tx, _SCOPE, key, text)


def runs_waiting(store: Store | Tx) -> set[str]:
    """The runs that wait for a batch, whether or not anybody in this process looks after it."""
    rows = store.rows(
        "select distinct b.run_id, b.state from batch_now b join run_now e on e.run_id = b.run_id "
        "where e.kind = 'started'"
    )
    return {str(run_id) for run_id, state in rows if state not in FINAL_BATCH_STATES}


def run_state(store: Store, run_id: str) -> tuple[State, str]:
    """(state, why) of a run.

    An end is written down before the run leaves this process. So a run that has left it, and whose end was not there
    yet when its events were read, is read once more.
    """
    state, why = _read_state(store, run_id)
    return _read_state(store, run_id) if state == "interrupted" else (state, why)


def _read_state(store: Store, run_id: str) -> tuple[State, str]:
    rows = store.rows("select kind, why from run_now where run_id = $1", [run_id])
    return derive_state(run_id, str(rows[0][0]), str(rows[0][1]), runs_waiting(store), leases.runs_elsewhere(store))


def derive_state(run_id: str, kind: str, why: str, out: set[str], elsewhere: set[str]) -> tuple[State, str]:
    """(state, why) of a run by its newest event and what goes on here.

    `out`: those that wait for a batch; `elsewhere`: those that another process works on. A run that ended since its
    event was read seems interrupted: `run_state` reads it again.
    """
    with _LOCK:
        live, outcome = _LIVE.get(run_id), _UNRECORDED_ENDS.get(run_id)
    if live is not None and live.should_stop():
        return "stopping", ""
    if live is not None or run_id in elsewhere:
        return ("waiting for batch" if run_id in out else "running"), ""
    if kind == "started":  # an end that is written down holds, also where another process took the run over
        kind, why = outcome or (("waiting for batch", "") if run_id in out else ("interrupted", _INTERRUPTED_REASON))
    return kind, why  # type: ignore[return-value]


def stop_all(store: Store) -> None:
    """End every run of this store in this process, for a shutdown: calls under way get their grace."""
    with _LOCK:
        going = [live for live in _LIVE.values() if live.store is store]
    for live in going:
        live.stop(_SHUT_DOWN_REASON)
    until = time.monotonic() + _SHUT_DOWN_SECONDS
    for live in going:
        live.join(max(until - time.monotonic(), 0.0))
