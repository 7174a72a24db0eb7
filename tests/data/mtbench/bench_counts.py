"""How much of MT-Bench the datasets of a workspace hold."""

from __future__ import annotations

from typing import NamedTuple

from data.mtbench.mtbench import COMPARED, RATED, bench_datasets
from data.records.items import OF_QUESTION
from data.store import Store


class BenchCounts(NamedTuple):
    """What a dataset holds: answers (each all turns of one choice), ratings, verdicts, people's votes."""

    answers: int
    ratings: int
    verdicts: int
    votes: int


def count_bench(store: Store) -> dict[str, BenchCounts]:
    """What each dataset holds of MT-Bench, counted in its rows, by its id, the oldest first."""
    judged = "judgment m join item i on i.id = m.item_id join judge j on j.id = m.judge_id"
    voted = "label_now l join item i on i.id = l.item_id"
    queries = (
        "item i where i.kind = 'dialogue'",
        f"{judged} where i.kind = 'dialogue' and j.card = '{RATED}'",
        f"{judged} where i.kind = 'pair' and j.card in {COMPARED}",
        f"{voted} where l.unit = 'pair' and l.dimension = 'verdict'",
    )
    counts = []
    for query in queries:
        counts.append(dict(store.rows(f"select i.dataset_id, count(*) from {query} and {OF_QUESTION} group by 1")))
    return {d: BenchCounts(*(int(count.get(d, 0)) for count in counts)) for d in bench_datasets(store)}
