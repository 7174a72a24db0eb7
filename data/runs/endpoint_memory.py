"""What was found out of endpoints: how each model wants to be asked, remembered as settings of the workspace."""

from __future__ import annotations

import json

from data.records import settings
from data.store import Store, Tx

SCOPE = "endpoints"


def known_modes(store: Store | Tx) -> dict[str, str]:
    """How models are asked, by `Client.name(model)`: what a client is given at the start of a run."""
    rows = store.rows("select name, value from setting_now where scope = $1", [SCOPE])
    return {str(name): str(json.loads(value)) for name, value in rows}


def remember_modes(tx: Tx, found: dict[str, str]) -> None:
    """Append what a client found out and is not stored yet; for callers that have checked the right to do so."""
    known = known_modes(tx)
    for name, mode in found.items():
        if known.get(name) != mode:
            settings.put_setting(tx, SCOPE, name, mode)
