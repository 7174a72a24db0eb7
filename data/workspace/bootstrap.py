"""The start of a workspace: opening the store and, in a new one, the synthetic sample."""

from __future__ import annotations

from data.queue import queue
from data.records import datasets, people
from data.records.access import Person, allow, is_switched_on, require
from data.records.names import SAMPLE_ACTOR
from data.store import Store, open_store


def open_workspace(url: str | None = None) -> Store:
    """Open the workspace, with the synthetic sample in it when it is new and `ASSAY_SAMPLES` is not 0.

    Raises BadInput where that is neither 0 nor 1: a sample that nobody wanted would stay for good.
    """
    with_samples = is_switched_on("ASSAY_SAMPLES", "1")
    store = open_store(url)
    if _cut_off(store) or (with_samples and store.newest() == 0):
        with store.exclusive_access():  # of several processes that start at once the first does it
            if _cut_off(store) or store.newest() == 0:
                _install(store)
    return store


def _cut_off(store: Store) -> bool:
    """Whether a start has begun the sample and not ended it: what it wrote itself, which no entering person can."""
    rows = store.rows(
        "select e.active from person_event e join change c on c.seq = e.seq "
        "where e.person = $1 and c.actor = $1 and c.action = 'samples' order by e.seq desc limit 1",
        [SAMPLE_ACTOR],
    )
    return bool(rows and rows[0][0])


@allow("researcher")
def install_samples(store: Store, actor: str) -> None:
    """Put the synthetic sample into a workspace (researchers and leads). What of it is there is not added again."""
    require(store, actor, "researcher")
    _install(store)


def _install(store: Store) -> None:
    """Import the sample, marked as synthetic, and fill both queues of each of its datasets."""
    from data.importing.files.source import from_bytes
    from data.importing.importing import import_source
    from data.importing.plan import ImportPlan
    from data.samples import DESCRIPTION, SAMPLES

    store.tx(SAMPLE_ACTOR, "samples", lambda tx: people.append_people(tx, [Person(SAMPLE_ACTOR, "researcher", True)]))
    for sample in SAMPLES:
        plan = ImportPlan(sample.name, DESCRIPTION, synthetic=True, sampling="random", population=sample.items)
        import_source(store, SAMPLE_ACTOR, from_bytes([(f"{sample.name}.jsonl", sample.lines())]), plan)
        dataset = datasets.dataset_named(store, sample.name)
        judges = datasets.dataset_judges(store, dataset.id)
        judge = judges[0].id if judges else ""
        if not store.rows("select 1 from draw where dataset_id = $1 and stream = 'audit' limit 1", [dataset.id]):
            queue.draw_audit(store, SAMPLE_ACTOR, dataset.id, max(sample.items // 2, 1), judge, sample.seed)
        if judge:
            queue.fill_review(store, SAMPLE_ACTOR, dataset.id, judge)
    store.tx(SAMPLE_ACTOR, "samples", lambda tx: people.append_people(tx, [Person(SAMPLE_ACTOR, "researcher", False)]))
