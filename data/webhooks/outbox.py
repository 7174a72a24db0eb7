"""The events still to be told to each webhook, as the rows say: a restart loses none, and one process tells each.

A process that begins to tell a webhook of an event records this under the write lock, for a time within which no other
process begins. An event is told at least once, with an id by which a receiver recognizes repetitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from data.records.access import allow, require
from data.records.names import MACHINE_ACTOR
from data.records.tables import WebhookTryRow
from data.store import Store, Tx
from data.store.ids import new_id, now
from data.webhooks.events import EVENTS_SQL
from data.webhooks.webhooks import TEST, Webhook, active_webhooks, host_of

LEASE = timedelta(minutes=2)
RETRY_DELAYS = tuple(timedelta(seconds=s) for s in (10, 60, 300, 1_800, 7_200, 21_600, 43_200))
"""The time to wait after each failed try; after one more failure the event is given up."""
_DUE = f"""
with tried as (
    select event, state, due, row_number() over (partition by event order by seq desc, id desc) as newest,
        sum(case when state = 'failed' then 1 else 0 end) over (partition by event) as failed
    from webhook_try where webhook_id = $1
)
select e.id, e.kind, coalesce(t.failed, 0) from ({EVENTS_SQL}) e left join tried t on t.event = e.id and t.newest = 1
where e.seq > $2 and (t.state is null or (t.state in ('claimed', 'failed') and t.due <= $3)) and (strpos($4, e.kind) > 0
    or (e.kind = '{TEST}' and e.id in (select id from webhook_event where strpos(about, $1) > 0)))
order by e.seq, e.id limit 1
"""


class DeliveryTask(NamedTuple):
    """An event that this process is to tell a webhook of, and how many tries failed before."""

    webhook: Webhook
    event: str
    kind: str
    failed: int


@dataclass(frozen=True)
class DeliveryRecord:
    """A try: of which kind of event, to which host, when (UTC), what came of it and why, and when the next one is due.

    None is due where it was taken or given up, or the webhook is paused or removed.
    """

    host: str
    kind: str
    at: datetime
    state: str
    why: str
    due: datetime | None


def claim_task(store: Store, webhook: Webhook) -> DeliveryTask | None:
    """Return the next event to tell a webhook of, reserved for this process for a while; None if there is none now."""
    if not _due(store, webhook):
        return None

    def work(tx: Tx) -> DeliveryTask | None:
        task = _due(tx, webhook) if any(active.id == webhook.id for active in active_webhooks(tx)) else None
        if task is not None:
            tx.append([_row(task, "claimed", "", now() + LEASE)])
        return task

    return store.tx(MACHINE_ACTOR, "webhook", work)


def finish_task(store: Store, task: DeliveryTask, why: str) -> str:
    """Put on record what came of a try ("" for `why`: it was told); the state."""
    left = RETRY_DELAYS[task.failed] if task.failed < len(RETRY_DELAYS) else None
    state = "delivered" if not why else "failed" if left is not None else "given up"
    due = now() + (left or timedelta()) if why else now()
    store.tx(MACHINE_ACTOR, "webhook", lambda tx: tx.append([_row(task, state, why, due)]))
    return state


@allow("lead")
def list_tries(store: Store, actor: str, limit: int = 50) -> list[DeliveryRecord]:
    """The newest tries that have ended, for leads."""
    require(store, actor, "lead")
    rows = store.rows(
        f"select w.url, e.kind, t.made_at, t.state, t.why, t.due, w.id from webhook_try t "
        f"join webhook w on w.id = t.webhook_id join ({EVENTS_SQL}) e on e.id = t.event where t.state <> 'claimed' "
        "order by t.seq desc, t.id desc limit $1",
        [limit],
    )
    active = {webhook.id for webhook in active_webhooks(store)}
    return [
        DeliveryRecord(
            host_of(str(url)), str(kind), at, str(state), str(why),
            due if state == "failed" and webhook in active else None,
        )
        for url, kind, at, state, why, due, webhook in rows
    ]  # fmt: skip


def _due(reader: Store | Tx, webhook: Webhook) -> DeliveryTask | None:
    rows = reader.rows(_DUE, [webhook.id, webhook.seq, now(), " ".join(webhook.events)])
    return DeliveryTask(webhook, str(rows[0][0]), str(rows[0][1]), int(rows[0][2])) if rows else None


def _row(task: DeliveryTask, state: str, why: str, due: datetime) -> WebhookTryRow:
    return WebhookTryRow(new_id(), task.webhook.id, task.event, state, why, due, now())
