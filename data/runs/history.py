"""All runs as they are listed: what each was asked to be, its state, how far it came and what it cost."""

from __future__ import annotations

import json

from data.records.datasets import all_datasets
from data.runs import charges, states, terms
from data.runs.run_order import RunSummary
from data.store import Store, kept


def list_runs(store: Store, dataset_id: str = "") -> list[RunSummary]:
    """All runs, or those over a dataset, newest first."""
    names = {d.id: d.name for d in all_datasets(store)}
    rows = store.rows(
        "select r.id, r.dataset_id, j.card, j.card_version, j.model, j.params, r.settings, c.actor, c.made_at, "
        "r.items, r.judgments, r.judge_id, j.synthetic, e.kind, e.why from run r join judge j on j.id = r.judge_id "
        "join change c on c.seq = r.seq join run_now e on e.run_id = r.id "
        "where $1 = '' or r.dataset_id = $1 order by r.seq desc",
        [dataset_id],
    )
    waiting, found = states.runs_waiting(store), []
    later, held = terms.resume_terms(store), dict[str, terms.Terms]()
    for row in rows:
        settings = json.loads(row[6])
        held[str(row[0])] = terms.counted_price(
            later.get(str(row[0])) or terms.initial_terms(settings), str(row[4]), settings
        )
    spent = charges.run_costs(store, {run_id: price for run_id, (_, price) in held.items()})
    for row in rows:
        settings, cost = json.loads(row[6]), spent[str(row[0])]
        state, why = states.derive_state(str(row[0]), str(row[13]), str(row[14]), waiting)
        found.append(
            RunSummary(
                str(row[0]), names.get(row[1], ""), str(row[2]), str(row[3]), str(row[4]), json.loads(row[5]),
                str(settings["endpoint"]["base_url"]), str(row[7]), row[8], int(row[9]), int(row[10]), state, why,
                str(row[11]), bool(row[12]), bool(settings["batch"]), int(settings["most"]),
                bool(settings["only_unscored"]), cost.cost, cost.estimated, held[str(row[0])][0],
                cost.tokens_in + cost.tokens_out, bool(settings["inside"]),
            )
        )  # fmt: skip
    return found


@kept
def count_judgments(store: Store) -> dict[str, tuple[int, int]]:
    """(judgments made, those of them that are scored) of every run, by its id."""
    rows = store.rows(
        "select run_id, count(*), sum(scored) from (select run_id, max(case when unscored = '' then 1 else 0 end) as "
        "scored from judgment where run_id is not null group by run_id, item_id, part, sample) made group by run_id"
    )
    return {str(run_id): (int(made), int(scored)) for run_id, made, scored in rows}
