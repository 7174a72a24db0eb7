"""Values kept by scope and name: appended rows, the newest holds. What they mean is said where they are used."""

from __future__ import annotations

import json
from typing import Any

from data.records.tables import SettingRow
from data.store import Store, Tx, remembered
from data.store.ids import new_id
from judges.strict_json import canonical

WORKSPACE = "workspace"


def get_setting(store: Store | Tx, scope: str, name: str, default: Any = None) -> Any:
    """The value that holds now, or the default."""
    query = "select value from setting_now where scope = $1 and name = $2"
    rows = remembered(store, ("setting", scope, name), ["setting"], lambda: store.rows(query, [scope, name]))
    return json.loads(rows[0][0]) if rows else default


def put_setting(tx: Tx, scope: str, name: str, value: Any) -> None:
    """Append a value; for callers that have checked the right to do so."""
    tx.append([SettingRow(new_id(), scope, name, canonical(value))])
