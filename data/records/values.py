"""Values kept by scope and name: appended rows, the newest holds. What they mean is said where they are used."""

from __future__ import annotations

import json
from typing import Any

from data.records.tables import SettingRow
from data.store import Store, Tx, kept
from data.store.ids import new_id
from judges.strict_json import canonical

WORKSPACE = "workspace"


def get_setting(store: Store | Tx, scope: str, name: str, default: Any = None) -> Any:
    """The value that holds now, or the default."""
    text = _setting_text(store, scope, name)
    return default if text is None else json.loads(text)


@kept
def _setting_text(store: Store | Tx, scope: str, name: str) -> str | None:
    rows = store.rows("select value from setting_now where scope = $1 and name = $2", [scope, name])
    return str(rows[0][0]) if rows else None


def put_setting(tx: Tx, scope: str, name: str, value: Any) -> None:
    """Append a value; for callers that have checked the right to do so."""
    tx.append([SettingRow(new_id(), scope, name, canonical(value))])
