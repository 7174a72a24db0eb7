"""The progress of a person and of a dataset."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from heapq import nlargest
from statistics import median

from data.queue.queue import QueueFilters, Stream, count_open
from data.records.access import allow
from data.records.queue_index import FirstSave, current_index
from data.store import Store
from data.store.ids import now, to_utc

_RECENT = 50
"""Items that the seconds per item are taken from."""


@dataclass(frozen=True)
class PersonalProgress:
    """A person's own progress: items today and in all, and the median seconds an item took (None: none yet)."""

    today: int
    total: int
    seconds: float | None


@allow("annotator")
def personal_progress(store: Store, person: str, dataset_id: str = "", zone: tzinfo | None = None) -> PersonalProgress:
    """The progress of a person in a dataset, or in all of them. Days begin at midnight of that zone (default UTC)."""
    saved = _first_saves(store, person, dataset_id)
    begin = midnight(zone)
    recent = [float(s.milliseconds) for s in nlargest(_RECENT, saved, key=lambda s: s.at) if s.milliseconds > 0]
    return PersonalProgress(sum(s.at >= begin for s in saved), len(saved), median(recent) / 1000 if recent else None)


@allow("annotator")
def saves_per_day(store: Store, person: str, zone: tzinfo | None = None) -> dict[date, int]:
    """Items that a person first saved on each of the last 14 days, oldest first, today last."""
    counts = Counter(_day(s.at, zone) for s in _first_saves(store, person, ""))
    days = (_day(now(), zone) - timedelta(days=back) for back in reversed(range(14)))
    return {day: counts[day] for day in days}


def _first_saves(store: Store, person: str, dataset_id: str) -> list[FirstSave]:
    """A person's first saves of the items that still hold an answer of theirs."""
    index = current_index(store)
    with index.lock:
        worker = index.workers[person]
        return [
            s for item, s in worker.first.items()
            if (not dataset_id or s.dataset == dataset_id) and worker.last[item][0] == "save"
        ]  # fmt: skip


def midnight(zone: tzinfo | None = None) -> datetime:
    """The beginning of this day in a zone, as the store keeps moments (UTC without a zone)."""
    return to_utc(datetime.combine(_day(now(), zone), time.min, zone or UTC))


def _day(moment: datetime, zone: tzinfo | None) -> date:
    """The day in a zone on which a moment of the store lies."""
    return moment.replace(tzinfo=UTC).astimezone(zone or UTC).date()


@dataclass(frozen=True)
class QueueProgress:
    """A stream's progress in a dataset: items drawn, and drawn items that somebody has answered."""

    drawn: int
    answered: int


@allow("annotator")
def queue_progress(store: Store, dataset_id: str, stream: str) -> QueueProgress:
    """Return the number of items that were drawn into a stream, and the number of those that have an answer."""
    index = current_index(store)
    with index.lock:
        queue = index.queues[dataset_id, stream]
        return QueueProgress(len(queue.all), queue.answered)


@dataclass(frozen=True)
class DeskProgress:
    """The progress that the desk shows with the items: how many wait for the person, and both progresses."""

    waiting: int
    own: PersonalProgress
    queue: QueueProgress


@allow("annotator")
def desk_progress(
    store: Store, person: str, dataset_id: str, stream: Stream, filters: QueueFilters, zone: tzinfo | None = None
) -> DeskProgress:
    """All of it in one look, for the desk that asks with every answer."""
    left = count_open(store, person, dataset_id, stream, filters)
    return DeskProgress(
        left, personal_progress(store, person, dataset_id, zone), queue_progress(store, dataset_id, stream)
    )


@dataclass(frozen=True)
class DatasetProgress:
    """A dataset's progress: items, items with at least one label, labels that hold, people who gave them."""

    items: int
    labelled: int
    labels: int
    people: int


@allow("annotator")
def dataset_progress(store: Store) -> dict[str, DatasetProgress]:
    """dataset id -> its progress, of every dataset that has items."""
    rows = store.rows(
        "select i.dataset_id, count(distinct i.id), count(distinct l.item_id), coalesce(sum(l.labels), 0), "
        "count(distinct l.annotator) from item i left join (select item_id, annotator, count(*) as labels "
        "from label_now group by item_id, annotator) l on l.item_id = i.id group by i.dataset_id"
    )
    return {str(dataset): DatasetProgress(*map(int, counts)) for dataset, *counts in rows}
