"""Runs of a judge over a dataset: what they would take, their start, stop and resume, how far they are, and all before.

What comes back is stored as it comes (data/runs/worker.py), so a run that ends, however it ends, goes on where it was.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from data.cards import cards
from data.records import combinations
from data.records.access import allow, require
from data.records.datasets import all_datasets, dataset_systems, question_sets
from data.records.rows import judge_id
from data.records.tables import COUNTED_JUDGMENT_SQL, JudgeRow, RunEventRow, RunLimitRow, RunRow
from data.runs import batches, charges, dry_runs, leases, terms, worker
from data.runs.endpoints import is_practice_here, practice_url
from data.runs.pending import PendingJudgments
from data.runs.run_config import LIVE, DryRunJudgment, RunConfig, RunJudge, RunProgress, RunSummary
from data.runs.worker import LiveRun, Source
from data.store import Store, Tx, cache_each, cache_result
from data.store.errors import BadInput, NotFound
from data.store.ids import new_id
from judges.authoring import soundness
from judges.client import estimate as estimates
from judges.client.budget import Price, dollars
from judges.client.endpoint import Endpoint
from judges.client.estimate import Estimate
from judges.errors import AssayError
from judges.params import Params
from judges.strict_json import canonical

SEED = 0
"""The seed of the items that a smaller run draws, and of the order in which all runs judge: the same each time."""
_LATEST = 5


@allow("researcher")
def estimate(store: Store, config: RunConfig) -> Estimate:
    """Return an estimate of what a run still needs, without the items that this judge has judged. Raises BadInput."""
    _check(store, config)
    # All parameters: some that are no part of this judge still say how long a call may be.
    key_parts = config.most, config.only_unscored, config.batch, config.price, config.endpoint.room, config.params
    key = ("estimate", config.dataset_id, judge_id_of(config), *key_parts)
    return cache_each(store, [key], lambda _: [_estimate(store, config)])[0]


@allow("researcher")
def dry_run(store: Store, actor: str, config: RunConfig, n: int = 3) -> list[DryRunJudgment]:
    """Ask the endpoint about the first n items of the draw; nothing is stored but what it cost. Raises AssayError."""
    require(store, actor, "researcher")
    _check(store, config)
    return dry_runs.dry_run(store, actor, config, judge_id_of(config), n, SEED)


@allow("researcher")
def start(
    store: Store, actor: str, config: RunConfig, *, patient: bool = True, source: Source | None = None,
    engine: Source | None = None,
) -> str:  # fmt: skip
    """Begin a run in the background, and give its id: researchers and leads.

    Returns once the endpoint has answered and knows the model. `patient`: a batch is waited for, not only handed in;
    `source` replaces the endpoint, `engine` what asks it (data/runs/spread.py), for this start alone. Raises BadInput
    where there is nothing to ask or this judge already runs here, FatalError where the endpoint cannot be asked.
    """
    require(store, actor, "researcher")
    _check(store, config)
    key = judge_id_of(config)
    _require_no_other_run(store, config.dataset_id, key)
    until = store.newest()
    left = PendingJudgments(store, config, key, until, SEED, until)
    items, judgments = left.count()
    if not judgments:
        raise BadInput("Nothing is left to ask: this very judge has judged all of these items.")
    price = terms.token_price(config)
    charged = dry_runs.try_endpoint(store, actor, "", config, 0.0) if source is None else []
    run_id = new_id()
    settings = {
        "inside": is_practice_here(config.endpoint),
        "endpoint": config.endpoint.model_dump(),
        "params": config.params.model_dump(),
        **{name: getattr(config, name) for name in ("spending_limit", "price", "most", "only_unscored", "batch")},
        "seed": SEED,
        "until": until,
    }

    def work(tx: Tx) -> None:
        require(tx, actor, "researcher")
        _require_no_other_run(tx, config.dataset_id, key)
        _add_judge(tx, config, key)
        tx.append([RunRow(run_id, config.dataset_id, key, canonical(settings), items, judgments)])
        tx.append([RunEventRow(new_id(), run_id, "started", "")])
        charges.add_charge(tx, run_id, charged, price)

    _live_run(actor, run_id, left, source or engine, patient).start("run started", work)
    return run_id


@allow("researcher")
def stop(store: Store, actor: str, run_id: str) -> None:
    """Stop a run: calls under way get a short grace, and what they bring is stored."""
    require(store, actor, "researcher")
    _run(store, run_id)
    why = f"{actor} stopped it. Resume it to go on where it was."
    if run_id in leases.runs_elsewhere(store):
        leases.ask_to_stop(store, actor, run_id, why)
        return
    if worker.live_run(run_id) is None and worker.run_state(store, run_id)[0] == "waiting for batch":
        follow_batches(store, run_id)
    if (live := worker.live_run(run_id)) is not None:
        live.stop(why)


@allow("researcher")
def resume(
    store: Store, actor: str, run_id: str, *, limit: float | None = None, price: Price | None = None,
    source: Source | None = None, engine: Source | None = None,
) -> None:  # fmt: skip
    """Go on with a run that was stopped, failed or interrupted: nothing that was answered is asked again.

    Calls that failed (api_error) are. From now on the run keeps the new spending `limit`, in US dollars for all of its
    starts together, and counts at the new `price`, where they are given. Raises BadInput where it cannot go on, with
    the reason.
    """
    require(store, actor, "researcher")
    run = _run(store, run_id)
    state, _ = worker.run_state(store, run_id)
    is_local = worker.live_run(run_id) is not None
    if state in LIVE and (is_local or state != "waiting for batch" or run_id in leases.runs_elsewhere(store)):
        raise BadInput("This run goes on already.")
    config = _run_config(store, run)
    config = replace(
        config, price=config.price if price is None else price,
        spending_limit=config.spending_limit if limit is None else limit,
    )  # fmt: skip
    key = run.judge_id
    _require_no_other_run(store, config.dataset_id, key, but=run_id)
    _same_card(store, config, key)
    terms.check_terms(config)
    token_price = terms.token_price(config)
    cost = charges.run_cost(store, run_id, token_price)
    if limit is not None and limit < cost.max_cost:
        about = "about " if cost.estimated or cost.open else ""
        raise BadInput(
            f"{about.capitalize()}{dollars(cost.max_cost)} is spent so far: a limit of {dollars(limit)} is below it. "
            "Give a higher one."
        )
    left = PendingJudgments(store, config, key, int(run.settings["until"]), int(run.settings["seed"]), store.newest())
    charged = dry_runs.try_endpoint(store, actor, run_id, config, cost.max_cost) if source is None else []

    def work(tx: Tx) -> None:
        require(tx, actor, "researcher")
        _require_no_other_run(tx, config.dataset_id, key, but=run_id)
        charges.add_lost_charges(tx, run_id, token_price)
        charges.add_charge(tx, run_id, charged, token_price)
        if limit is not None or price is not None:
            tx.append([RunLimitRow(new_id(), run_id, config.spending_limit, *(config.price or (None, None)))])
        tx.append([RunEventRow(new_id(), run_id, "started", "resumed")])

    _live_run(actor, run_id, left, source or engine).start("run resumed", work)


@allow("researcher")
def list_runs(store: Store, dataset_id: str = "") -> list[RunSummary]:
    """All runs, or those over a dataset, newest first."""
    names = {d.id: d.name for d in (*all_datasets(store), *question_sets(store))}
    runs = _runs(store, "$1 = '' or r.dataset_id = $1", dataset_id)
    waiting, elsewhere, summaries = worker.runs_waiting(store), leases.runs_elsewhere(store), []
    own_terms = terms.run_terms(store, {run.id: run.settings for run in runs})
    terms_by_run = {r.id: terms.counted_price(own_terms[r.id], r.model, r.settings) for r in runs}
    costs_by_run = charges.run_costs(store, {run_id: price for run_id, (_, price) in terms_by_run.items()})
    for run in runs:
        settings, cost = run.settings, costs_by_run[run.id]
        state, why = worker.derive_state(run.id, run.kind, run.why, waiting, elsewhere)
        if state == "interrupted":  # or it has ended since the rows were read
            state, why = worker.run_state(store, run.id)
        summaries.append(
            RunSummary(
                run.id, names.get(run.dataset_id, ""), run.card, run.version, run.model, run.params,
                settings["endpoint"]["base_url"], run.by, run.at, run.items, run.judgments, state, why, run.judge_id,
                settings["batch"], settings["most"], settings["only_unscored"], cost.cost, cost.estimated,
                terms_by_run[run.id][0], cost.tokens_in + cost.tokens_out, settings["inside"],
            )
        )  # fmt: skip
    return summaries


@allow("researcher")
@cache_result
def count_run_judgments(store: Store) -> dict[str, tuple[int, int]]:
    """(judgments made, those of them that are scored) of every run, by its id."""
    rows = store.rows(
        "select run_id, count(*), sum(scored) from (select run_id, max(case when unscored = '' then 1 else 0 end) as "
        "scored from judgment where run_id is not null group by run_id, item_id, part, sample) made group by run_id"
    )
    return {run_id: (total, int(scored)) for run_id, total, scored in rows}


@allow("researcher")
def run_progress(store: Store, run_id: str) -> RunProgress:
    """Return the progress of a run. Raises NotFound."""
    run = _run(store, run_id)
    state, why = worker.run_state(store, run_id)
    live = worker.live_run(run_id)
    counts: dict[str, int] = dict(
        store.rows(
            f"select unscored, count(*) from (from judgment m where run_id = $1 qualify {COUNTED_JUDGMENT_SQL}) "
            "group by unscored order by 2 desc, 1",
            [run_id],
        )
    )
    calls = store.rows("select count(*) from reply where run_id = $1", [run_id])[0][0]
    own_terms = terms.run_terms(store, {run_id: run.settings})[run_id]
    limit, price = terms.counted_price(own_terms, run.model, run.settings)
    cost = charges.run_cost(store, run_id, price)
    latest = store.rows(
        "select why, max(seq) from judgment where run_id = $1 and unscored <> '' group by why order by 2 desc, 1 "
        f"limit {_LATEST}",
        [run_id],
    )
    done, rate = sum(counts.values()), live.rate() if live else 0.0
    total = max(run.judgments, done)
    scored = counts.pop("", 0)
    return RunProgress(
        state, why, done, total, scored, counts, int(calls), cost.tokens_in, cost.tokens_out, cost.cost, rate,
        (total - done) / rate if rate and state == "running" else None,
        (*(live.notes if live else ()), *(str(w[0]) for w in latest)), cost.estimated, limit, cost.open,
    )  # fmt: skip


def follow_batches(store: Store, run_id: str, patient: bool = True) -> None:
    """Go on waiting for the batches of a run, where nobody in this process does; impatient: look once."""
    run = _run(store, run_id)
    config, until, seed = _run_config(store, run), int(run.settings["until"]), int(run.settings["seed"])
    _same_card(store, config, run.judge_id)
    actor, started = store.rows(
        "select c.actor, c.seq from run_event e join change c on c.seq = e.seq where e.run_id = $1 "
        "and e.kind = 'started' order by c.seq desc limit 1",
        [run_id],
    )[0]
    left = PendingJudgments(store, config, run.judge_id, until, seed, int(started))
    live = _live_run(str(actor), run_id, left, patient=patient)
    with contextlib.suppress(BadInput):  # somebody else looks after it
        live.start("run resumed", lambda tx: charges.add_lost_charges(tx, run_id, live.price))


def follow_all_batches(store: Store) -> None:
    """Go on waiting for every batch that is out, at the start of the app; what cannot be asked stays as it is.

    In a store of several processes this looks again and again: one that ends leaves its batches to the others.
    """

    def look() -> None:
        for run_id in sorted(worker.runs_waiting(store) - leases.runs_elsewhere(store)):
            with contextlib.suppress(AssayError):
                follow_batches(store, run_id)

    def look_again() -> None:
        while True:
            time.sleep(leases.LEASE_DURATION.total_seconds())
            with contextlib.suppress(AssayError):
                look()

    look()
    if store.shared:
        threading.Thread(target=look_again, name="batches", daemon=True).start()


def close(store: Store) -> None:
    """End every run of this store in this process before the store is closed; each can be resumed."""
    worker.stop_all(store)


def wait(
    store: Store, run_id: str, progress: Callable[[RunProgress], None] | None = None, every: float = 0.25
) -> RunProgress:
    """Wait until a run of this process ends; `progress` is called with its state now and then.

    The state of a run of millions takes long to count, so this is done rarely, for a tenth of the time at most.
    """
    while (live := worker.live_run(run_id)) is not None:
        began = time.monotonic()
        if progress is not None:
            progress(run_progress(store, run_id))
        live.join(max(every, 9 * (time.monotonic() - began)))
    return run_progress(store, run_id)


@allow("researcher")
def run_judge(store: Store, run_id: str) -> RunJudge:
    """The judge of a run, with its card as it was. Raises NotFound, UnknownCard."""
    run = _run(store, run_id)
    config = _run_config(store, run)
    return RunJudge(run.judge_id, config.card, config.model, _identity(config))


def has_newer_items(store: Store, run_id: str) -> bool:
    """Whether items for its judge came after a run was begun: the run does not ask about them, also when resumed."""
    run = _run(store, run_id)
    newer = "select 1 from item where dataset_id = $1 and kind = $2 and seq > $3 limit 1"
    kind = cards.card_of_judge(store, run.judge_id).kind
    return bool(store.rows(newer, [run.dataset_id, kind, int(run.settings["until"])]))


@allow("researcher")
def config_of(store: Store, run_id: str) -> RunConfig:
    """Return the configuration of a run, with the latest limit and price, which a resumption may have changed.

    Raises NotFound, and UnknownCard if its card no longer exists as it was.
    """
    return _run_config(store, _run(store, run_id))


# -- below the API ----------------------------------------------------------------------------------------------------


class _Run(NamedTuple):
    """A run as it was begun, its judge, and its newest event."""

    id: str
    dataset_id: str
    judge_id: str
    card: str
    version: str
    model: str
    params: dict[str, Any]
    settings: dict[str, Any]
    by: str
    at: datetime
    items: int
    judgments: int
    kind: str
    why: str


def _runs(store: Store, which: str, param: str) -> list[_Run]:
    """The runs that meet a condition on the run `r`, newest first."""
    rows = store.rows(
        "select r.id, r.dataset_id, r.judge_id, j.card, j.card_version, j.model, j.params, r.settings, c.actor, "
        "c.made_at, r.items, r.judgments, e.kind, e.why from run r join judge j on j.id = r.judge_id "
        f"join change c on c.seq = r.seq join run_now e on e.run_id = r.id where {which} order by r.seq desc",
        [param],
    )
    return [_Run._make((*row[:6], json.loads(row[6]), json.loads(row[7]), *row[8:])) for row in rows]


def _run(store: Store, run_id: str) -> _Run:
    if runs := _runs(store, "r.id = $1", run_id):
        return runs[0]
    raise NotFound("There is no such run in this workspace. The link may belong to another one.")


def _run_config(store: Store, run: _Run) -> RunConfig:
    settings = run.settings
    limit, price = terms.run_terms(store, {run.id: settings})[run.id]
    # Runs from before there were rules say nothing of one, and neither does the id of their judge.
    params = Params.model_validate({"combine": "", **settings["params"]})
    return RunConfig(
        run.dataset_id, cards.card_of_judge(store, run.judge_id), run.model, params, _endpoint(settings),
        limit, price, settings["most"], settings["only_unscored"], settings["batch"],
    )  # fmt: skip


def _endpoint(settings: dict[str, Any]) -> Endpoint:
    """The endpoint of a run; the practice endpoint inside the app has another address after each start."""
    endpoint = Endpoint.model_validate(settings["endpoint"])
    return endpoint.model_copy(update={"base_url": practice_url()}) if settings["inside"] else endpoint


def _live_run(
    actor: str, run_id: str, left: PendingJudgments, source: Source | None = None, patient: bool = True
) -> LiveRun:
    usual = batches.wait_for_batches if left.config.batch else worker.ask_endpoint
    return LiveRun(actor, run_id, left, source or usual, patient)


def judge_id_of(config: RunConfig) -> str:
    """The id of the judge that a run asks."""
    return judge_id(config.card.version, config.model, _identity(config), config.synthetic)


def _identity(config: RunConfig) -> dict[str, Any]:
    """The parameters that are a judge's identity; where a model answers questions those that its card says."""
    if config.card.conversation is not None:
        return {**config.card.conversation.params, "max_tokens": config.params.max_tokens}
    return config.params.identity(config.card.kind)


def _check(store: Store, config: RunConfig) -> None:
    """Raises BadInput where the configuration makes no sense."""
    card = config.card
    soundness.require_sound(card)
    if not config.model.strip():
        raise BadInput("Choose a model.")
    among = all_datasets(store) if card.conversation is None else question_sets(store)
    if not any(d.id == config.dataset_id for d in among):
        raise BadInput("There is no such dataset in this workspace.")
    if not store.rows(
        "select 1 from item where dataset_id = $1 and kind = $2 limit 1", [config.dataset_id, config.card.kind]
    ):
        raise BadInput(f"The dataset has no {card.kind} for the card {card.name} to judge.")
    if config.most < 0:
        raise BadInput(f"The most items is {config.most}: it must be 1 or more, or 0 for all.")
    terms.check_terms(config)


def _require_no_other_run(store: Store | Tx, dataset_id: str, judge: str, but: str = "") -> None:
    """Raises BadInput where a run of this judge over the dataset goes on."""
    rows = store.rows("select id from run where dataset_id = $1 and judge_id = $2", [dataset_id, judge])
    going = worker.runs_waiting(store) | leases.runs_elsewhere(store)
    for (run_id,) in rows:
        if run_id != but and (worker.live_run(run_id) is not None or run_id in going):
            raise BadInput("This very judge is running over this dataset already. Wait for it, or stop it first.")


def _add_judge(tx: Tx, config: RunConfig, key: str) -> None:
    """The rows of the card and the judge, where they are missing."""
    card = config.card
    cards.store_card(tx, card)
    if not tx.rows("select 1 from judge where id = $1", [key]):
        params = canonical(_identity(config))
        tx.append([JudgeRow(key, card.name, card.version, config.model, params, config.synthetic)])
        combinations.add_rules(tx, {key: (card, _identity(config))})


def _same_card(store: Store, config: RunConfig, judge: str) -> None:
    """Raises BadInput where the card is another one by now: what came before would not be of the same judge."""
    if not store.rows("select 1 from judge where id = $1 and card_version = $2", [judge, config.card.version]):
        raise BadInput(f"The card {config.card.name} has changed since this run began. Start a new run.")


def _estimate(store: Store, config: RunConfig) -> Estimate:
    left = PendingJudgments(store, config, judge_id_of(config), store.newest(), SEED)
    items, judgments = left.count()
    judge = config.card, config.model, config.params
    base_estimate = estimates.estimate(
        *judge, left.first_items(), price=terms.token_price(config), of=items, judgments=judgments
    )
    room = estimates.context_size(config.model, config.params, config.endpoint.room)
    systems = dataset_systems(store, config.dataset_id)
    required = estimates.run_requirements(*judge, left.longest_item(), systems, room)
    return replace(base_estimate, long=str(left.long_calls()), requirements=tuple(required))
