"""Runs that programs start, stop and resume: the same configuration, checks and limits as on the page Runs."""

from __future__ import annotations

from collections.abc import Callable

from data.cards import cards
from data.runs import runs
from data.runs.endpoints import usual_address
from data.runs.run_config import RunConfig
from data.store.errors import BadInput, NotFound
from judges.client.budget import Price
from judges.params import Params
from pages.api.call import Call, StoredAnswer, named_dataset
from pages.api.models import RunMade

_OF_PROTOCOLS = {"protocol", "prompt", "wording"}
"""Parameters that only a protocol of MT-Bench sets."""


def start_run(call: Call) -> StoredAnswer:
    """Start a run; it goes on in this process, which holds its lease."""
    config = _run_config(call)
    return _once(call, lambda: runs.start(call.store, call.actor, config))


def stop_run(call: Call) -> StoredAnswer:
    """Ask a run to end, whichever process works on it."""
    return _once(call, lambda: runs.stop(call.store, call.actor, call.path["run"]))


def resume_run(call: Call) -> StoredAnswer:
    """Go on with a run, under another limit or price where they are given."""
    body = call.body
    return _once(call, lambda: runs.resume(
        call.store, call.actor, call.path["run"], limit=body.spending_limit, price=_price(call)
    ))  # fmt: skip


def _run_config(call: Call) -> RunConfig:
    body, known = call.body, cards.current_cards(call.store)
    if body.card not in known:
        raise NotFound(f"There is no card {body.card!r} in this workspace. GET /cards lists the cards.")
    card, overrides = known[body.card], body.params.model_dump(exclude_unset=True)
    if own := sorted(_OF_PROTOCOLS & overrides.keys()):
        raise BadInput(f"params: {', '.join(own)} cannot be given; protocols of MT-Bench set them.")
    place = body.endpoint
    if not place.base_url:
        place = place.model_copy(update={"base_url": usual_address(body.model)})
    dataset, params = named_dataset(call.store, body.dataset), Params(**{**card.defaults.model_dump(), **overrides})
    return RunConfig(
        dataset.id, card, body.model, params, place, body.spending_limit, _price(call), body.most,
        body.only_unscored, body.batch,
    )  # fmt: skip


def _price(call: Call) -> Price | None:
    price = call.body.price
    return (price[0], price[1]) if price else None


def _once(call: Call, work: Callable[[], str | None]) -> StoredAnswer:
    return call.answer_once(work, lambda run: RunMade(run=run or call.path["run"]).model_dump())
