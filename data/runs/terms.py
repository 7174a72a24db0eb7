"""The terms of a run, its spending limit and its price: as it was begun, and as given when it was resumed."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from data.runs.run_config import RunConfig
from data.store import Store
from data.store.errors import BadInput
from judges.client.budget import Budget, Price
from judges.client.prices import price as listed_price

Terms = tuple[float | None, Price | None]
"""(spending limit in US dollars, price in US dollars per million tokens)"""


def token_price(config: RunConfig) -> Price | None:
    """US dollars per million tokens that a reply of this run costs; None: not known."""
    return config.price or listed_price(config.model, batch=config.batch)


def check_terms(config: RunConfig) -> None:
    """Raise BadInput if the price or limit of a run is invalid, or if the limit cannot be kept."""
    limit = config.spending_limit
    if config.price is not None and not all(math.isfinite(p) and p >= 0 for p in config.price):
        price_in, price_out = config.price
        raise BadInput(f"A price is two amounts of 0 or more in US dollars; it is {price_in}, {price_out}.")
    if limit is None:
        return
    if not (math.isfinite(limit) and limit > 0):
        raise BadInput(f"A spending limit is an amount above 0 in US dollars, such as 2.50; it is {limit:g}.")
    if token_price(config) is None:
        raise BadInput(f"The price of {config.model} is not known, so no spending limit can be kept: give the price.")


def budget(
    config: RunConfig, spent: float, hold: Callable[[float], Awaitable[None]] | None = None
) -> Budget | None:
    """The spending limit of a run of which so much is spent; `hold` as in Budget."""
    limit, price = config.spending_limit, token_price(config)
    return None if limit is None or price is None else Budget(limit, price, spent, hold=hold)


def run_terms(store: Store, settings: Mapping[str, dict[str, Any]]) -> dict[str, Terms]:
    """Return the terms of runs, given the settings of each by its id: as resumed last, or as they were begun."""
    rows = store.rows(
        "select run_id, spending_limit, price_in, price_out from run_limit_now where run_id = any($1)", [list(settings)]
    )
    resumed = {run_id: (limit, None if out is None else (in_, out)) for run_id, limit, in_, out in rows}
    initial = {key: (own["spending_limit"], own["price"] and tuple(own["price"])) for key, own in settings.items()}
    return initial | resumed


def counted_price(of: Terms, model: str, settings: dict[str, Any]) -> Terms:
    """Return the terms that a run is counted with: its limit, and its price, else that of the list."""
    return of[0], of[1] or listed_price(model, batch=bool(settings["batch"]))
