"""The dashboards, summed up before anybody looks: at the start of a server, so that the first view need not wait."""

from __future__ import annotations

import contextlib
import threading

from data import dashboard, datasets
from data.deciding import decided
from data.store import Store
from judges.errors import AssayError


def ahead(store: Store) -> threading.Thread:
    """Begin to look at all that is approved, in a thread of its own; what it finds out, the store remembers.

    Whatever fails there fails again, and is told, when somebody looks. The thread does not keep the process alive.
    """
    thread = threading.Thread(target=_look, args=[store], name="dashboards", daemon=True)
    thread.start()
    return thread


def _look(store: Store) -> None:
    with contextlib.suppress(AssayError):
        for dataset_id in sorted({dataset for dataset, *_ in decided.stands(store)}):
            datasets.judges(store, dataset_id)
            for judge_id, held in dashboard.published(store, dataset_id).items():
                dashboard.tiles(store, dataset_id, judge_id, held)
                dashboard.withheld(store, dataset_id, judge_id)
