"""The figures of the store for those who monitor it; no names and no texts."""

from __future__ import annotations

from collections import Counter

from data.metrics import Metric
from data.records.access import allow
from data.records.queue_index import current_index
from data.store import Store
from data.store.errors import BadInput
from data.store.ids import now
from data.workspace import backups


@allow("lead")
def read_metrics(store: Store) -> list[Metric]:
    """Revision, queues, runs and the age of the newest backup, the same on every replica."""
    metrics = [
        Metric("revision", "Number of the newest change of the store.", "gauge", {(): store.newest()}),
        Metric("queue_items", "Items that wait in the queues of all datasets.", "gauge", {
            (("stream", stream),): number for stream, number in _waiting(store).items()
        }),
        Metric("runs", "Runs by what became of them last.", "gauge", {
            (("state", str(kind)),): int(number)
            for kind, number in store.rows("select kind, count(*) from run_now group by kind")
        }),
    ]  # fmt: skip
    age = backup_age(store)
    if age is not None:
        about = "Seconds since the newest backup that can be opened was made."
        metrics.append(Metric("backup_age_seconds", about, "gauge", {(): age}))
    return metrics


def _waiting(store: Store) -> Counter[str]:
    index = current_index(store)
    with index.lock:
        counts = Counter({"audit": 0, "review": 0})
        for (_, stream), queue in index.queues.items():
            counts[stream] += queue.open
    return counts


def backup_age(store: Store) -> float | None:
    """Seconds since the newest sound backup; None where there is none, or the store is no file."""
    moment = now()  # a file with a time to come is none of the newest: the clock was ahead when it was made
    try:
        times = [backup.made_at for backup in backups.list_backups(store) if backup.revision is not None]
    except BadInput:
        return None
    return min(((moment - at).total_seconds() for at in times if at <= moment), default=None)
