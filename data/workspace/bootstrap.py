"""The start of a workspace: opening the store and, in a new one, the synthetic sample."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from data.queue import queue
from data.records import datasets, people
from data.records.names import MAKER as MAKER
from data.records.people import Person
from data.store import Store, open_store

_SEEDS = {"long-reports": 33}
"""Seeds of draws in which a short item comes first.

An audit sample keeps its random order, whatever the lengths: looks at its figures before it is answered assume it."""


def begin(url: str | None = None) -> Store:
    """Open the workspace, with the synthetic sample in it when it is new and `ASSAY_SAMPLES` is not 0."""
    store = open_store(url)
    wanted = os.environ.get("ASSAY_SAMPLES", "1") != "0"
    if _cut_off(store) or (wanted and store.newest() == 0):
        _install(store)
    return store


def _cut_off(store: Store) -> bool:
    """Whether a start has begun the sample and not ended it: what it wrote itself, which no entering person can."""
    rows = store.rows(
        "select e.active from person_event e join change c on c.seq = e.seq "
        "where e.person = $1 and c.actor = $1 and c.action = 'samples' order by e.seq desc limit 1",
        [MAKER],
    )
    return bool(rows and rows[0][0])


def install_samples(store: Store, actor: str) -> None:
    """Put the synthetic sample into a workspace (researchers and leads). What of it is there is not added again."""
    people.require(store, actor, "researcher")
    _install(store)


def _install(store: Store) -> None:
    """Import the sample, marked as synthetic, and fill both queues of each of its datasets."""
    from data import samples
    from data.importing import Plan, from_path, take

    store.tx(MAKER, "samples", lambda tx: people.append(tx, [Person(MAKER, "researcher", True)]))
    made = samples.generate()
    with tempfile.TemporaryDirectory() as folder:
        for number, dataset in enumerate(made.datasets):
            path = Path(folder) / f"{dataset.name}.jsonl"
            samples.write_lines(path, [*dataset.items, *dataset.judgments, *dataset.labels])
            take(
                store,
                MAKER,
                from_path(path),
                Plan(
                    dataset=dataset.name,
                    description=dataset.description,
                    synthetic=True,
                    sampling="random",
                    population=len(dataset.items),
                ),
            )
            found = datasets.dataset(store, dataset.name)
            judges = datasets.judges(store, found.id)
            judge = judges[0][0] if judges else ""
            if not store.rows("select 1 from draw where dataset_id = $1 and stream = 'audit' limit 1", [found.id]):
                seed = _SEEDS.get(dataset.name, number)
                queue.draw_audit(store, MAKER, found.id, max(len(dataset.items) // 2, 1), judge, seed)
            if judge:
                queue.fill_review(store, MAKER, found.id, judge)
    store.tx(MAKER, "samples", lambda tx: people.append(tx, [Person(MAKER, "researcher", False)]))
