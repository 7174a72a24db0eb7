"""The rows of a change in words: names instead of ids, answers as their scale says them, settings by their parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from data.approvals.record import fact_title
from data.cards import cards
from data.records import datasets
from data.records.access import allow
from data.records.names import display_name
from data.store import Store
from data.trail.trail import ROWS
from data.trail.trail_kinds import describe_value, setting_title
from judges.types import sort_of

Row = Mapping[str, Any]
_TABLES = {
    "approval": "decision", "approval_evidence": "evidence of the decision", "person_event": "person",
    "item_use": "items used for tuning", "intake": "import", "claim": "reservations", "exposure": "what was shown",
    "fit": "justifications rated", "repair": "texts written by people", "run_event": "run", "charge": "calls paid",
    "run_limit": "spending limit of a run", "draw": "items drawn", "assignment_item": "items assigned",
    "identity": "account", "login": "sign-in", "login_end": "signed out",
}  # fmt: skip
_COLUMNS = {
    "item_id": "item", "judge_id": "judge", "dataset_id": "dataset", "run_id": "run", "sort": "unit",
    "saw": "judge in view", "seen": "judge value shown", "source": "file", "until": "reserved until", "told": "details",
    "milliseconds": "seconds", "made_at": "at (UTC)", "probability": "chance to be drawn", "n": "number",
}  # fmt: skip
_OURS = frozenset(
    "id seq hash print key spec content raw replaces previous draw_id answer_id judgment_id approval_id priority "
    "assignment_id version order judge_version label_id batch_id policy_id".split()
)
"""Columns whose values mean nothing to people."""
_MAX_TEXT_LENGTH = 600


@allow("researcher")
def describe_rows(store: Store, appended: Mapping[str, Sequence[Row]]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Return what a change appended (`data.trail.trail.appended_rows`), as tables of words: title, columns, rows."""
    names = _names(store, appended)
    return [_table(store, table, rows, names) for table, rows in appended.items()]


def _table(
    store: Store, table: str, rows: Sequence[Row], names: Mapping[str, str]
) -> tuple[str, list[str], list[list[str]]]:  # fmt: skip
    ids = sorted({row["item_id"] for row in rows if "item_id" in row})
    kinds: dict[Any, Any] = dict(store.rows("select id, kind from item where id = any($1)", [ids])) if ids else {}
    scales = cards.scales(store)
    lines: list[dict[str, str]] = []
    for at in rows:
        if at.get("name") == "order" and table == "approval_evidence":
            continue
        unit = sort_of(str(at["unit"])) if at.get("unit") else ""
        scale = scales.get((kinds.get(at.get("item_id")), unit, at.get("dimension")))  # type: ignore[arg-type]
        line = dict[str, str]()
        for name, value in at.items():
            if name in _OURS:
                continue
            if scale is not None and name in ("value", "seen") and not (name == "seen" and not at.get("saw")):
                line[name] = scale.format(value)
            elif name == "name" and table == "setting":
                line[name] = setting_title(str(value), str(at["scope"]))
            elif name == "name" and table == "approval_evidence":
                line[name] = fact_title(str(value))
            elif name == "milliseconds":
                line[name] = f"{value / 1000:,.1f}"
            elif name in ("person", "annotator", "by"):
                line[name] = display_name(str(value))
            elif name.endswith("_id") or name == "scope":
                line[name] = names.get(str(value), "" if name.endswith("_id") else str(value))
            else:
                line[name] = _format_value(value)
        lines.append(line)
    columns = [name for name in rows[0] if name not in _OURS and any(line.get(name) for line in lines)]
    title = _TABLES.get(table, table.replace("_", " "))
    more = f" (the first {ROWS})" if len(rows) == ROWS else ""
    heads = [_COLUMNS.get(name, name.replace("_", " ")) for name in columns]
    return title.capitalize() + more, [head.capitalize() for head in heads], [[x[n] for n in columns] for x in lines]


def _format_value(value: Any) -> str:
    """A value of a table in words; a text that is JSON by its parts."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, str):
        if value[:1] in "{[":
            with suppress(ValueError):  # cut, or somebody's own text
                return describe_value(json.loads(value))
        return value if len(value) <= _MAX_TEXT_LENGTH else f"{value[:_MAX_TEXT_LENGTH]}…"
    return describe_value(value)


def _names(store: Store, appended: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """The names of what is named by id in these rows."""
    names = {"workspace": "the workspace", **datasets.dataset_names(store)}
    ids = {
        str(value)
        for rows in appended.values()
        for row in rows
        for name, value in row.items()
        if name in ("item_id", "judge_id", "run_id")
    }
    for query in (
        "select id, name from item where id = any($1)",
        "select id, model || ' · ' || card from judge where id = any($1)",
        "select r.id, j.model || ' · ' || j.card from run r join judge j on j.id = r.judge_id where r.id = any($1)",
    ):
        names |= {str(i): str(n) for i, n in store.rows(query, [sorted(ids)])}
    return names
