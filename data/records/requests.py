"""Requests with an idempotency key: asked again with the same key, they get the same answer and are not done again."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from typing import Any, TypeVar

from data.records.access import allow
from data.records.tables import ApiRequestRow
from data.store import Store, Tx
from data.store.base import append_in_same_change
from data.store.errors import BadInput
from data.store.ids import new_id, now
from judges.strict_json import canonical

Json = dict[str, Any]
T = TypeVar("T")
MAX_KEY_LENGTH = 200
LEASE = timedelta(minutes=10)
"""A request that was begun and has no end after so long counts as interrupted, and may be begun again."""


class KeyInUse(BadInput):
    """The key belongs to another request, or to one that is still in progress; `wait` is True for the latter."""

    def __init__(self, sentence: str, wait: bool = False) -> None:
        super().__init__(sentence)
        self.wait = wait


@allow("annotator")
def answer_once(
    store: Store, person: str, key: str, digest: str, work: Callable[[], T], dump: Callable[[T], Json], one_change: bool
) -> tuple[Json, bool]:
    """Return the answer to a person's request, and whether it was given before; with the key "" it is not kept.

    `digest` is a fingerprint of all that is asked. `work` does it, and `dump` makes the answer from the result.
    `one_change`: the result comes from one change, and the answer is kept in it, so that no crash separates them; other
    work has to be harmless if it is done twice. A request that is refused leaves its key free. Raises KeyInUse,
    BadInput for an invalid key, and what `work` raises.
    """
    if not key:
        return dump(work()), False
    if not (len(key) <= MAX_KEY_LENGTH and key.isascii() and key.isprintable()):
        raise BadInput(f"An idempotency key has 1 to {MAX_KEY_LENGTH} printable ASCII characters.")

    def row(state: str, answer: Json | None = None) -> ApiRequestRow:
        return ApiRequestRow(new_id(), person, key, digest, state, "" if answer is None else canonical(answer), now())

    def begin(tx: Tx) -> Json | None:
        known = tx.rows(
            "select print, state, answer, made_at from api_request where person = $1 and name = $2 "
            "order by seq desc, id desc limit 1",
            [person, key],
        )
        if known and known[0][1] != "refused":
            before, state, answer, at = known[0]
            if before != digest:
                raise KeyInUse("This idempotency key was used for another request. Take a new key for a new request.")
            if state == "done":
                stored: Json = json.loads(answer)
                return stored
            if now() - at < LEASE:
                raise KeyInUse("The request with this idempotency key is still under way. Ask again later.", wait=True)
        tx.append([row("begun")])
        return None

    if (previous := store.tx(person, "request", begin)) is not None:
        return previous, True

    def keep(tx: Tx, result: T) -> None:
        tx.append([row("done", dump(result))])

    try:
        with append_in_same_change(keep) if one_change else nullcontext([keep]) as waiting:
            result = work()
        if waiting:
            store.tx(person, "request", lambda tx: keep(tx, result))
    except Exception:
        store.tx(person, "request", lambda tx: tx.append([row("refused")]))
        raise
    return dump(result), False
