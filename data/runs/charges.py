"""The cost of runs and trials as it arises: calls, failed tries, and calls in progress when a process ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.records.access import allow
from data.records.tables import ChargeRow, SpendingHoldRow
from data.store import Store, Tx
from data.store.ids import new_id
from judges.client.budget import Price, cost
from judges.client.usage import Charge
from judges.protocols.call_plan import CallReply


@dataclass(frozen=True)
class RunCost:
    """The cost of calls. `cost` in US dollars, None: the price is not known; `estimated`: some of the tokens are.

    `open`: what calls in progress may still cost, or those that were in progress when a process ended unexpectedly.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    estimated: bool = False
    open: float = 0.0

    @property
    def max_cost(self) -> float:
        """The most that may be spent by now."""
        return (self.cost or 0.0) + self.open


def add_charge(tx: Tx, run_id: str, charged: Iterable[CallReply | Charge], price: Price | None, sort: str = "") -> None:
    """Append what calls cost, those of one sort together; `sort` in place of their own."""
    sums: dict[tuple[str, bool], list[int]] = {}
    for call in charged:
        if isinstance(call, CallReply) and call.unscored == "api_error":
            continue  # each of its tries that may be paid for has a charge
        own = call.sort if isinstance(call, Charge) else "call"
        totals = sums.setdefault((sort or own, call.estimated), [0, 0, 0])
        for n, value in enumerate((call.calls if isinstance(call, Charge) else 1, call.tokens_in, call.tokens_out)):
            totals[n] += value
    rows = []
    for (kind, estimated), (calls, tokens_in, tokens_out) in sums.items():
        paid = None if price is None else cost(price, tokens_in, tokens_out)
        rows.append(ChargeRow(new_id(), run_id, kind, calls, tokens_in, tokens_out, paid, estimated))
    tx.append(rows)


def store_charge(
    store: Store, actor: str, run_id: str, charged: Sequence[CallReply | Charge], price: Price | None
) -> None:
    """Store what calls cost that belong to no other change; a run "" is none."""
    if charged:
        store.tx(actor, "trial", lambda tx: add_charge(tx, run_id, charged, price, "trial"), target=run_id)


def add_hold(tx: Tx, run_id: str, up_to: float) -> None:
    """Append up to what amount a run may have cost by now."""
    tx.append([SpendingHoldRow(new_id(), run_id, up_to)])


def add_lost_charges(tx: Tx, run_id: str, price: Price | None) -> None:
    """Append as a charge, at its most, what was in progress when a process ended unexpectedly."""
    open_cost = run_cost(tx, run_id, price).open
    if open_cost > 0:
        tx.append([ChargeRow(new_id(), run_id, "lost", 0, 0, 0, open_cost, True)])


def run_cost(store: Store | Tx, run_id: str, price: Price | None) -> RunCost:
    """Return the cost of a run by now; calls that were stored without a price count at this one."""
    return run_costs(store, {run_id: price}).get(run_id, RunCost())


def run_costs(store: Store | Tx, prices: dict[str, Price | None]) -> dict[str, RunCost]:
    """Return the cost of each of these runs by now, by its id."""
    sums = {
        str(row[0]): row[1:]
        for row in store.rows(
            "select run_id, sum(calls), sum(tokens_in), sum(tokens_out), coalesce(sum(cost), 0), bool_or(estimated), "
            "coalesce(sum(tokens_in) filter (cost is null), 0), coalesce(sum(tokens_out) filter (cost is null), 0) "
            "from charge where run_id = any($1) group by run_id",
            [list(prices)],
        )
    }
    holds: dict[str, float] = dict(
        store.rows(
            "select h.run_id, h.upto from spending_hold_now h where h.run_id = any($1) and not exists "
            "(select 1 from run_event e where e.run_id = h.run_id and e.kind <> 'started' and e.seq > h.seq)",
            [list(prices)],
        )
    )
    out: dict[str, RunCost] = {}
    for run_id, price in prices.items():
        calls, tokens_in, tokens_out, paid, estimated, bare_in, bare_out = sums.get(run_id, (0,) * 7)
        known: float | None = float(paid)
        if price is not None:
            known = float(paid) + cost(price, int(bare_in), int(bare_out))
        elif bare_in or bare_out or not paid:
            known = None
        left = max(float(holds.get(run_id, 0.0)) - (known or 0.0), 0.0)
        counts = int(calls), int(tokens_in), int(tokens_out)
        out[run_id] = RunCost(*counts, known, bool(estimated), left if left > 1e-9 else 0.0)
    return out


@allow("researcher")
def trial_costs(store: Store) -> tuple[RunCost, int]:
    """Return the cost of dry runs, and of checks before runs that never began; and how many more calls had no price."""
    ((calls, tokens_in, tokens_out, paid, estimated, unpriced),) = store.rows(
        "select coalesce(sum(calls) filter (cost is not null), 0), "
        "coalesce(sum(tokens_in) filter (cost is not null), 0), "
        "coalesce(sum(tokens_out) filter (cost is not null), 0), coalesce(sum(cost), 0.0), "
        "coalesce(bool_or(estimated) filter (cost is not null), false), "
        "coalesce(sum(calls) filter (cost is null), 0) from charge where run_id = ''"
    )
    return RunCost(int(calls), int(tokens_in), int(tokens_out), float(paid), estimated), int(unpriced)
