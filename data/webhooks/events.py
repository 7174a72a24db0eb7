"""The events for webhooks: rows of approvals and runs as they are, and queues that are found to be finished."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from data.approvals.actions import PAST_FORMS
from data.records import datasets
from data.records.names import MACHINE_ACTOR
from data.records.queue_index import current_index
from data.records.tables import WebhookEventRow
from data.store import Store, Tx, cache_result
from data.store.ids import content_id
from judges.strict_json import canonical

Json = dict[str, Any]
EVENTS_SQL = """
select a.id, 'approval.changed' as kind, a.seq from approval a
union all
select e.id, 'run.ended', e.seq from run_event e where e.kind in ('finished', 'failed', 'stopped')
union all
select w.id, w.kind, w.seq from webhook_event w
"""
"""Every event: its id, its kind, and the change that it happened in."""


def note_finished_queues(store: Store) -> int:
    """Put queues on record that are found to be finished and were not noted so with as many items; how many."""
    known = {str(row[0]) for row in store.rows("select id from webhook_event where kind = 'queue.finished'")}
    events = [event for event in _finished_queues(store) if event.id not in known]

    def work(tx: Tx) -> int:
        ids = {str(r[0]) for r in tx.rows("select id from webhook_event where id = any($1)", [[e.id for e in events]])}
        return tx.append([event for event in events if event.id not in ids])

    return store.tx(MACHINE_ACTOR, "queue finished", work) if events else 0


@cache_result
def _finished_queues(store: Store) -> list[WebhookEventRow]:
    """The queues in which every item has its answers; the same queue with the same items has one id for good."""
    index, names = current_index(store), {dataset.id: dataset.name for dataset in datasets.all_datasets(store)}
    with index.lock:
        done = [
            (dataset, stream, len(queue.all))
            for (dataset, stream), queue in index.queues.items()
            if queue.all and not queue.open and all(index.is_done(draw) for draw in queue.all)
        ]
    return [
        WebhookEventRow(
            content_id("queue.finished", dataset, stream, items), "queue.finished", dataset,
            canonical({"dataset": names[dataset], "dataset_id": dataset, "stream": stream, "items": items}),
        )
        for dataset, stream, items in done if dataset in names
    ]  # fmt: skip


def describe_event(store: Store, event: str, kind: str) -> Json:
    """An event as it is told: ids, names and states, and nothing that an item, a label or a reply says."""
    about, at = _ABOUT.get(kind, _of_itself)(store, event)
    return {"id": event, "type": kind, "made_at": f"{at.isoformat(timespec='seconds')}Z", "data": about}


def _of_approval(store: Store, event: str) -> tuple[Json, datetime]:
    keys = ("dataset", "dataset_id", "judge", "card", "model", "unit", "dimension", "decision", "state", "person")
    payload, at = _event_row(
        store, event, keys,
        "select d.name, a.dataset_id, a.judge_id, j.card, j.model, a.sort, a.dimension, a.decision, a.state, a.person, "
        "c.made_at from approval a join dataset d on d.id = a.dataset_id join judge j on j.id = a.judge_id "
        "join change c on c.seq = a.seq where a.id = $1",
    )  # fmt: skip
    return {**payload, "decision": PAST_FORMS[str(payload["decision"])]}, at


def _of_run(store: Store, event: str) -> tuple[Json, datetime]:
    return _event_row(
        store, event, ("dataset", "dataset_id", "run", "judge", "card", "model", "state"),
        "select d.name, r.dataset_id, r.id, r.judge_id, j.card, j.model, e.kind, c.made_at from run_event e "
        "join run r on r.id = e.run_id join dataset d on d.id = r.dataset_id join judge j on j.id = r.judge_id "
        "join change c on c.seq = e.seq where e.id = $1",
    )  # fmt: skip


def _event_row(store: Store, event: str, keys: Sequence[str], sql: str) -> tuple[Json, datetime]:
    """The row of an event by these names, and when it was written, which is its last column."""
    *row, at = store.rows(sql, [event])[0]
    return dict(zip(keys, row, strict=True)), at


def _of_itself(store: Store, event: str) -> tuple[Json, datetime]:
    about, at = store.rows(
        "select w.about, c.made_at from webhook_event w join change c on c.seq = w.seq where w.id = $1", [event]
    )[0]
    return json.loads(about), at


_ABOUT = {"approval.changed": _of_approval, "run.ended": _of_run}
