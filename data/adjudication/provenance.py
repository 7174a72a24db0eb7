"""How gold came about, cell by cell, and what another rule would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from data.cards import cards
from data.gold import disputes
from data.gold.disputes import Adjudication, LabelledCell, PersonLabel
from data.gold.gold import Basis, gold_sql
from data.records import items
from data.records.settings import GoldRule, gold_rule
from data.store import Store
from judges.gold import How, resolve
from judges.types import Scale, sort_of


@dataclass(frozen=True)
class GoldOrigin:
    """The gold of one cell on all its labels but revealed ones, and how it came about.

    value: None is n/a; `has` is False where a drawn vote leaves no gold. told: "median of 3", "adjudicated by ann: x".
    """

    unit: str
    dimension: str
    scale: Scale
    has: bool
    value: float | None
    how: How | Literal["adjudicated"]
    told: str
    said: tuple[PersonLabel, ...]
    decision: Adjudication | None


@dataclass(frozen=True)
class RuleEffect:
    """What a rule would make of a dataset: cells that wait under it, those that wait now, gold values that change."""

    waiting: int
    now: int
    changed: int


def gold_origins(store: Store, item_id: str) -> list[GoldOrigin]:
    """How the gold of each labelled cell of an item came about, in reading order. Raises NotFound."""
    item = items.load_item(store, item_id)
    return [_came(cell) for cell in disputes.cells_of_item(store, item.dataset_id, item_id, whole=True)]


def _came(cell: LabelledCell) -> GoldOrigin:
    values = [s.value for s in cell.said]
    found = resolve(values, cell.scale, cell.rule.resolve)
    value, how = found or (None, "drawn")
    held = cell.decision
    if held is not None:
        told = f"adjudicated by {held.person}: {held.reason}"
        return GoldOrigin(cell.unit, cell.dimension, cell.scale, True, held.value, "adjudicated", told, cell.said, held)
    told = describe_origin(values, value, how)
    return GoldOrigin(cell.unit, cell.dimension, cell.scale, found is not None, value, how, told, cell.said, None)


def describe_origin(values: Sequence[float | None], value: float | None, how: How) -> str:
    """A way in which gold came about, in words."""
    n = len(values)
    if how == "one":
        return "one person"
    if how == "agreed":
        return f"{n} people agree"
    if how == "majority":
        return f"majority, {values.count(value)} of {n}"
    if how == "drawn":
        return f"drawn vote of {n}"
    skipped = values.count(None)
    return f"{how} of {n - skipped}" + (f" ({skipped} of {n} said n/a)" if skipped else "")


def rule_effect(store: Store, dataset_id: str, new: GoldRule) -> RuleEffect:
    """What changes in a dataset if its rule becomes another, on all labels but revealed ones; nothing is written."""
    new.check()
    old = gold_rule(store, dataset_id)
    then = len(disputes.cells_waiting_under(store, dataset_id, new))
    changed, now, then_ = 0, replace(old, waiting="counted"), replace(new, waiting="counted")
    if new.resolve != old.resolve:
        scales = cards.scales(store)
        rows = store.rows(
            "select distinct i.kind, l.unit, l.dimension from label_now l join item i on i.id = l.item_id "
            "where i.dataset_id = $1",
            [dataset_id],
        )
        places = {(kind, sort_of(unit), dimension) for kind, unit, dimension in rows}
        asked = {(sort, dimension, scales[kind, sort, dimension]) for kind, sort, dimension in places
                 if (kind, sort, dimension) in scales}  # fmt: skip
        basis: Basis = "all"
        for sort, dimension, scale in asked:
            changed += int(store.rows(
                f"select count(*) from ({gold_sql(sort, scale, basis, now)}) a "
                f"join ({gold_sql(sort, scale, basis, then_)}) b "
                "on b.item_id = a.item_id and b.unit = a.unit where a.value is distinct from b.value",
                [dataset_id, dimension],
            )[0][0])  # fmt: skip
    return RuleEffect(then, len(disputes.cells_to_adjudicate(store, dataset_id)), changed)
