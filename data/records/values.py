"""Values kept by scope and name: appended rows, the newest holds. What they mean is said where they are used."""

from __future__ import annotations

import json
from typing import Any

from data.records.tables import SettingRow
from data.store import Store, Tx, cache_result
from data.store.ids import new_id
from judges.strict_json import canonical

WORKSPACE = "workspace"


def get_setting(store: Store | Tx, scope: str, name: str, default: Any = None) -> Any:
    """The value that holds now, or the default."""
    text = _setting_text(store, scope, name)
    return default if text is None else json.loads(text)


@cache_result
def _setting_text(store: Store | Tx, scope: str, name: str) -> str | None:
    rows = store.rows("select value from setting_now where scope = $1 and name = $2", [scope, name])
    return str(rows[0][0]) if rows else None


@cache_result
def settings_in(store: Store | Tx, scope: str, prefix: str = "") -> dict[str, Any]:
    """The values of a scope that hold now, by name and in its order; of names with a prefix, or all."""
    rows = store.rows("select name, value from setting_now where scope = $1 order by name", [scope])
    return {str(name): json.loads(value) for name, value in rows if name.startswith(prefix)}


def change_setting(tx: Tx, scope: str, name: str, value: Any, default: Any = None) -> None:
    """Append a value unless it is the one that holds; for callers that have checked the right to do so.

    A field that a stored object does not have, because it is older than the field, has the value of `default`.
    """
    stored = get_setting(tx, scope, name, default)
    if (default | stored if isinstance(default, dict) else stored) != value:
        put_setting(tx, scope, name, value)


def put_setting(tx: Tx, scope: str, name: str, value: Any) -> None:
    """Append a value; for callers that have checked the right to do so."""
    tx.append([SettingRow(new_id(), scope, name, canonical(value))])
