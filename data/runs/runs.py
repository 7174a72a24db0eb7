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
from typing import Any

from data.cards import cards
from data.importing.rows import judge_id
from data.records import combinations
from data.records.access import allow
from data.records.datasets import all_datasets, dataset_systems, question_sets
from data.records.people import require
from data.records.tables import CardRow, JudgeRow, RunEventRow, RunLimitRow, RunRow
from data.runs import charges, dry_runs, leases, terms, worker
from data.runs.charges import RunCost
from data.runs.dry_runs import list_models
from data.runs.endpoints import is_practice_here, practice_url, usual_address
from data.runs.pending import PendingJudgments
from data.runs.run_order import LIVE, DryRunJudgment, RunJudge, RunOrder, RunProgress, RunSummary
from data.runs.worker import LiveRun, Source
from data.store import Store, Tx, each_kept, kept
from data.store.errors import BadInput, NotFound
from data.store.ids import new_id
from judges.authoring import soundness
from judges.client import estimate as estimates
from judges.client.budget import Price, dollars
from judges.client.endpoint import Endpoint
from judges.client.estimate import MAX_COUNTED_ITEMS, Estimate
from judges.client.usage import Charge
from judges.errors import AssayError
from judges.params import Params
from judges.protocols.call_plan import CallReply
from judges.strict_json import canonical

__all__ = ["RunJudge", "RunOrder", "RunProgress", "list_models", "practice_url", "usual_address"]
SEED = 0
"""The seed of the items that a smaller run draws, and of the order in which all runs judge: the same each time."""
_LATEST = 5


@allow("researcher")
def estimate(store: Store, order: RunOrder) -> Estimate:
    """Return an estimate of what a run still needs, without the items that this judge has judged. Raises BadInput."""
    _check(store, order)
    # All parameters: some that are no part of this judge still say how long a call may be.
    key_parts = order.most, order.only_unscored, order.batch, order.price, order.endpoint.room, order.params
    key = ("estimate", order.dataset_id, judge_id_of(order), *key_parts)
    return each_kept(store, [key], lambda _: [_estimate(store, order)])[0]


@allow("researcher")
def dry_run(store: Store, actor: str, order: RunOrder, n: int = 3) -> list[DryRunJudgment]:
    """Ask the endpoint about the first n items of the draw; nothing is stored but what it cost. Raises AssayError."""
    require(store, actor, "researcher")
    _check(store, order)
    charged: list[CallReply | Charge] = []
    try:
        return dry_runs.dry_run(store, actor, order, judge_id_of(order), n, SEED, terms.budget(order, 0.0), charged)
    finally:
        charges.store_charge(store, actor, "", charged, terms.order_price(order))


@allow("researcher")
def trial_costs(store: Store) -> RunCost:
    """Return the cost of dry runs, and of checks before runs that never began."""
    return charges.run_cost(store, "", None)


@allow("researcher")
def start(
    store: Store, actor: str, order: RunOrder, *, patient: bool = True, source: Source | None = None,
    engine: Source | None = None,
) -> str:  # fmt: skip
    """Begin a run in the background, and give its id: researchers and leads.

    Returns once the endpoint has answered and knows the model. `patient`: a batch is waited for, not only handed in;
    `source` replaces the endpoint, `engine` what asks it (data/runs/spread.py), for this start alone. Raises BadInput
    where there is nothing to ask or this judge already runs here, FatalError where the endpoint cannot be asked.
    """
    require(store, actor, "researcher")
    _check(store, order)
    key = judge_id_of(order)
    _require_no_other_run(store, order.dataset_id, key)
    until = store.newest()
    left = PendingJudgments(store, order, key, until, SEED, until)
    items, judgments = left.count()
    if not judgments:
        raise BadInput("Nothing is left to ask: this very judge has judged all of these items.")
    price = terms.order_price(order)
    charged = dry_runs.try_endpoint(store, actor, "", order, 0.0) if source is None else []
    run_id = new_id()
    settings = {
        "inside": is_practice_here(order.endpoint),
        "endpoint": order.endpoint.model_dump(),
        "params": order.params.model_dump(),
        **{name: getattr(order, name) for name in ("spending_limit", "price", "most", "only_unscored", "batch")},
        "seed": SEED,
        "until": until,
    }

    def work(tx: Tx) -> None:
        require(tx, actor, "researcher")
        _require_no_other_run(tx, order.dataset_id, key)
        _add_judge(tx, order, key)
        tx.append([RunRow(run_id, order.dataset_id, key, canonical(settings), items, judgments)])
        tx.append([RunEventRow(new_id(), run_id, "started", "")])
        charges.add_charge(tx, run_id, charged, price)

    source = source or engine or _source(order)
    LiveRun(store, actor, run_id, order, left, price, source, patient).start("run started", work)
    return run_id


@allow("researcher")
def stop(store: Store, actor: str, run_id: str) -> None:
    """Stop a run: calls under way get a short grace, and what they bring is stored."""
    require(store, actor, "researcher")
    _row(store, run_id)
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
    row = _row(store, run_id)
    state, _ = worker.run_state(store, run_id)
    is_local = worker.live_run(run_id) is not None
    if state in LIVE and (is_local or state != "waiting for batch" or run_id in leases.runs_elsewhere(store)):
        raise BadInput("This run goes on already.")
    order = order_of(store, run_id)
    order = replace(
        order, price=order.price if price is None else price,
        spending_limit=order.spending_limit if limit is None else limit,
    )  # fmt: skip
    key, settings = str(row[2]), json.loads(row[3])
    _require_no_other_run(store, order.dataset_id, key, but=run_id)
    _same_card(store, order, key)
    terms.check_terms(order)
    paid = terms.order_price(order)
    spent = charges.run_cost(store, run_id, paid)
    if limit is not None and limit < spent.max_cost:
        about = "about " if spent.estimated or spent.open else ""
        raise BadInput(
            f"{about.capitalize()}{dollars(spent.max_cost)} is spent so far: a limit of {dollars(limit)} is below it. "
            "Give a higher one."
        )
    left = PendingJudgments(store, order, key, int(settings["until"]), int(settings["seed"]), store.newest())
    charged = dry_runs.try_endpoint(store, actor, run_id, order, spent.max_cost) if source is None else []

    def work(tx: Tx) -> None:
        require(tx, actor, "researcher")
        _require_no_other_run(tx, order.dataset_id, key, but=run_id)
        charges.add_lost_charges(tx, run_id, paid)
        charges.add_charge(tx, run_id, charged, paid)
        if limit is not None or price is not None:
            tx.append([RunLimitRow(new_id(), run_id, order.spending_limit, *(order.price or (None, None)))])
        tx.append([RunEventRow(new_id(), run_id, "started", "resumed")])

    source = source or engine or _source(order)
    LiveRun(store, actor, run_id, order, left, paid, source).start("run resumed", work)


@allow("researcher")
def list_runs(store: Store, dataset_id: str = "") -> list[RunSummary]:
    """All runs, or those over a dataset, newest first."""
    names = {d.id: d.name for d in (*all_datasets(store), *question_sets(store))}
    rows = store.rows(
        "select r.id, r.dataset_id, j.card, j.card_version, j.model, j.params, r.settings, c.actor, c.made_at, "
        "r.items, r.judgments, r.judge_id, j.synthetic, e.kind, e.why from run r join judge j on j.id = r.judge_id "
        "join change c on c.seq = r.seq join run_now e on e.run_id = r.id "
        "where $1 = '' or r.dataset_id = $1 order by r.seq desc",
        [dataset_id],
    )
    waiting, elsewhere, summaries = worker.runs_waiting(store), leases.runs_elsewhere(store), []
    later, terms_by_run = terms.resume_terms(store), dict[str, terms.Terms]()
    for row in rows:
        settings = json.loads(row[6])
        terms_by_run[str(row[0])] = terms.counted_price(
            later.get(str(row[0])) or terms.initial_terms(settings), str(row[4]), settings
        )
    spent = charges.run_costs(store, {run_id: price for run_id, (_, price) in terms_by_run.items()})
    for row in rows:
        settings, cost = json.loads(row[6]), spent[str(row[0])]
        state, why = worker.derive_state(str(row[0]), str(row[13]), str(row[14]), waiting, elsewhere)
        summaries.append(
            RunSummary(
                str(row[0]), names.get(row[1], ""), str(row[2]), str(row[3]), str(row[4]), json.loads(row[5]),
                str(settings["endpoint"]["base_url"]), str(row[7]), row[8], int(row[9]), int(row[10]), state, why,
                str(row[11]), bool(row[12]), bool(settings["batch"]), int(settings["most"]),
                bool(settings["only_unscored"]), cost.cost, cost.estimated, terms_by_run[str(row[0])][0],
                cost.tokens_in + cost.tokens_out, bool(settings["inside"]),
            )
        )  # fmt: skip
    return summaries


@allow("researcher")
@kept
def count_run_judgments(store: Store) -> dict[str, tuple[int, int]]:
    """(judgments made, those of them that are scored) of every run, by its id."""
    rows = store.rows(
        "select run_id, count(*), sum(scored) from (select run_id, max(case when unscored = '' then 1 else 0 end) as "
        "scored from judgment where run_id is not null group by run_id, item_id, part, sample) made group by run_id"
    )
    return {str(run_id): (int(total), int(scored)) for run_id, total, scored in rows}


@allow("researcher")
def run_progress(store: Store, run_id: str) -> RunProgress:
    """Return the progress of a run. Raises NotFound."""
    row = _row(store, run_id)
    state, why = worker.run_state(store, run_id)
    live = worker.live_run(run_id)
    counts = {
        str(reason): int(n)
        for reason, n in store.rows(
            "select unscored, count(*) from (select unscored, row_number() over (partition by item_id, part, sample "
            "order by case when unscored = '' then 0 else 1 end, seq desc, id desc) as newest "
            "from judgment where run_id = $1) ranked where newest = 1 group by unscored order by 2 desc, 1",
            [run_id],
        )
    }
    calls = store.rows("select count(*) from reply where run_id = $1", [run_id])[0][0]
    settings = json.loads(row[3])
    limit, price = terms.counted_price(terms.latest_terms(store, run_id, settings), str(row[6]), settings)
    spent = charges.run_cost(store, run_id, price)
    latest = store.rows(
        "select why, max(seq) from judgment where run_id = $1 and unscored <> '' group by why order by 2 desc, 1 "
        f"limit {_LATEST}",
        [run_id],
    )
    done, rate = sum(counts.values()), live.rate() if live else 0.0
    total = max(int(row[5]), done)
    scored = counts.pop("", 0)
    return RunProgress(
        state, why, done, total, scored, counts, int(calls), spent.tokens_in, spent.tokens_out, spent.cost, rate,
        (total - done) / rate if rate and state == "running" else None,
        (*(live.notes if live else ()), *(str(w[0]) for w in latest)), spent.estimated, limit, spent.open,
    )  # fmt: skip


def follow_batches(store: Store, run_id: str, patient: bool = True) -> None:
    """Go on waiting for the batches of a run, where nobody in this process does; impatient: look once."""
    order, row = order_of(store, run_id), _row(store, run_id)
    _same_card(store, order, str(row[2]))
    settings = json.loads(row[3])
    actor, started = store.rows(
        "select c.actor, c.seq from run_event e join change c on c.seq = e.seq where e.run_id = $1 "
        "and e.kind = 'started' order by c.seq desc limit 1",
        [run_id],
    )[0]
    left = PendingJudgments(store, order, str(row[2]), int(settings["until"]), int(settings["seed"]), int(started))
    live = LiveRun(store, str(actor), run_id, order, left, terms.order_price(order), _source(order), patient)
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
    order = order_of(store, run_id)
    key = str(_row(store, run_id)[2])
    return RunJudge(key, order.card, order.model, _identity(order))


@allow("researcher")
def order_of(store: Store, run_id: str) -> RunOrder:
    """Return the order of a run, with the latest limit and price, which a resumption may have changed.

    Raises NotFound, and UnknownCard if its card no longer exists as it was.
    """
    row = _row(store, run_id)
    settings = json.loads(row[3])
    limit, price = terms.latest_terms(store, run_id, settings)
    # Runs from before there were rules say nothing of one, and neither does the id of their judge.
    params = Params.model_validate({"combine": "", **settings["params"]})
    return RunOrder(
        str(row[1]), cards.card_of_judge(store, str(row[2])), str(row[6]), params, _endpoint(settings),
        limit, price, settings["most"], settings["only_unscored"], settings["batch"],
    )  # fmt: skip


# -- below the API ----------------------------------------------------------------------------------------------------


def _endpoint(settings: dict[str, Any]) -> Endpoint:
    """The endpoint of a run; the practice endpoint inside the app has another address after each start."""
    endpoint = Endpoint.model_validate(settings["endpoint"])
    return endpoint.model_copy(update={"base_url": practice_url()}) if settings["inside"] else endpoint


def judge_id_of(order: RunOrder) -> str:
    """The id of the judge that an order runs."""
    return judge_id(order.card.version, order.model, _identity(order), order.synthetic)


def _identity(order: RunOrder) -> dict[str, Any]:
    """The parameters that are a judge's identity; where a model answers questions those that its card says."""
    if order.card.conversation is not None:
        return {**order.card.conversation.params, "max_tokens": order.params.max_tokens}
    return order.params.identity(order.card.kind)


def _row(store: Store | Tx, run_id: str) -> tuple[Any, ...]:
    rows = store.rows(
        "select r.id, r.dataset_id, r.judge_id, r.settings, r.items, r.judgments, j.model from run r "
        "join judge j on j.id = r.judge_id where r.id = $1",
        [run_id],
    )
    if not rows:
        raise NotFound("There is no such run in this workspace. The link may belong to another one.")
    return rows[0]


def _check(store: Store, order: RunOrder) -> None:
    """Raises BadInput where an order makes no sense."""
    card = order.card
    soundness.require_sound(card)
    if not card.prompts:
        raise BadInput(f"The card {card.name} has no prompt: its judgments can be imported, but it cannot be run.")
    if not order.model.strip():
        raise BadInput("Choose a model.")
    among = all_datasets(store) if card.conversation is None else question_sets(store)
    if not any(d.id == order.dataset_id for d in among):
        raise BadInput("There is no such dataset in this workspace.")
    if not store.rows(
        "select 1 from item where dataset_id = $1 and kind = $2 limit 1", [order.dataset_id, order.card.kind]
    ):
        raise BadInput(f"The dataset has no {card.kind} for the card {card.name} to judge.")
    if order.most < 0:
        raise BadInput(f"The most items is {order.most}: it must be 1 or more, or 0 for all.")
    terms.check_terms(order)


def _require_no_other_run(store: Store | Tx, dataset_id: str, judge: str, but: str = "") -> None:
    """Raises BadInput where a run of this judge over the dataset goes on."""
    rows = store.rows("select id from run where dataset_id = $1 and judge_id = $2", [dataset_id, judge])
    going = worker.runs_waiting(store) | leases.runs_elsewhere(store)
    for (run_id,) in rows:
        if run_id != but and (worker.live_run(run_id) is not None or run_id in going):
            raise BadInput("This very judge is running over this dataset already. Wait for it, or stop it first.")


def _add_judge(tx: Tx, order: RunOrder, key: str) -> None:
    """The rows of the card and the judge, where they are missing."""
    card = order.card
    if not tx.rows("select 1 from card where version = $1", [card.version]):
        tx.append([CardRow(card.version, card.name, canonical(card.spec))])
    if not tx.rows("select 1 from judge where id = $1", [key]):
        params = canonical(_identity(order))
        tx.append([JudgeRow(key, card.name, card.version, order.model, params, order.synthetic)])
        combinations.add_rules(tx, {key: (card, _identity(order))})


def _same_card(store: Store, order: RunOrder, judge: str) -> None:
    """Raises BadInput where the card is another one by now: what came before would not be of the same judge."""
    if not store.rows("select 1 from judge where id = $1 and card_version = $2", [judge, order.card.version]):
        raise BadInput(f"The card {order.card.name} has changed since this run began. Start a new run.")


def _estimate(store: Store, order: RunOrder) -> Estimate:
    left = PendingJudgments(store, order, judge_id_of(order), store.newest(), SEED)
    items, judgments = left.count()
    judge = order.card, order.model, order.params
    base_estimate = estimates.estimate(
        *judge, left.first_items(MAX_COUNTED_ITEMS), price=terms.order_price(order), of=items, judgments=judgments
    )
    room = estimates.context_size(order.model, order.params, order.endpoint.room)
    systems = dataset_systems(store, order.dataset_id)
    required = estimates.run_requirements(*judge, left.longest_item(), systems, room)
    return replace(base_estimate, long=str(left.long_calls()), requirements=tuple(required))


def _source(order: RunOrder) -> Source | None:
    if not order.batch:
        return None
    from data.runs.batches import wait_for_batches

    return wait_for_batches
