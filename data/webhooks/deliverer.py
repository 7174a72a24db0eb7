"""The thread that tells webhooks what happened, in every process that serves a workspace."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from data import log
from data.approvals.suspension import suspend_unsupported
from data.store import Store
from data.webhooks.events import describe_event, note_finished_queues
from data.webhooks.outbox import DeliveryTask, claim_task, finish_task
from data.webhooks.signed_request import post
from data.webhooks.webhooks import Webhook, active_webhooks, secret_of
from judges.errors import AssayError

_DELIVERY_INTERVAL_SECONDS, _REVIEW_INTERVAL_SECONDS = 2.0, 60.0
"""Seconds between two looks at what is to be told, and between two looks at whether an approval still holds."""
_MAX_CONCURRENT_WEBHOOKS = 4


class Deliverer:
    """Looks for what is to be told, and tells it; a webhook that does not answer holds up no other."""

    def __init__(self, store: Store, often: float = _DELIVERY_INTERVAL_SECONDS) -> None:
        self._store, self._often = store, often
        self._ended = threading.Event()
        self._pool = ThreadPoolExecutor(_MAX_CONCURRENT_WEBHOOKS, "webhook")
        self._busy: dict[str, Future[None]] = {}
        self._looked = 0.0
        self._thread = threading.Thread(target=self._go, name="webhooks", daemon=True)

    def start(self) -> Callable[[], None]:
        """Begin in a thread of its own; what it gives ends that."""
        self._thread.start()
        return self.stop

    def stop(self) -> None:
        """End; what is under way is waited for."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._pool.shutdown(cancel_futures=True)

    def _go(self) -> None:
        while not self._ended.wait(self._often):
            try:
                self.look()
            except AssayError:  # a store that fails is told of where it is, and looked at again
                continue
            except Exception as error:
                log.error("webhook_failed", error)

    def look(self) -> None:
        """Look once, and begin to tell what is due."""
        webhooks = active_webhooks(self._store)
        event_kinds = {kind for w in webhooks for kind in w.events}
        if "approval.changed" in event_kinds and time.monotonic() - self._looked > _REVIEW_INTERVAL_SECONDS:
            self._looked = time.monotonic()
            suspend_unsupported(self._store)
        if "queue.finished" in event_kinds:
            note_finished_queues(self._store)
        for webhook in webhooks:
            before = self._busy.get(webhook.id)
            if before is None or before.done():
                self._busy[webhook.id] = self._pool.submit(self._deliver_due, webhook)

    def _deliver_due(self, webhook: Webhook) -> None:
        """Tell a webhook all that is due, until it fails."""
        try:
            while not self._ended.is_set() and (task := claim_task(self._store, webhook)) is not None:
                if deliver(self._store, task) != "delivered":
                    return
        except AssayError as error:
            log.warning("webhook_not_told", host=webhook.host, why=log.error_type(error))
        except Exception as error:
            log.error("webhook_failed", error, host=webhook.host)


def deliver(store: Store, task: DeliveryTask) -> str:
    """Tell a webhook of an event, and put on record what came of it: the state."""
    body = json.dumps(describe_event(store, task.event, task.kind), ensure_ascii=False).encode()
    why = post(task.webhook.url, secret_of(store, task.webhook.id), task.event, task.kind, body)
    state = finish_task(store, task, why)
    log.info("webhook_told", host=task.webhook.host, kind=task.kind, event_id=task.event, state=state, why=why)
    return state
