"""How gold came about, cell by cell, and what another rule would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median_low
from typing import Literal

from data.cards import cards
from data.gold import disputes
from data.gold.disputes import Adjudication, LabelledCell, PersonLabel
from data.gold.gold import Basis, gold_sql
from data.records import items
from data.records.settings import GoldRule, gold_rule
from data.store import Store
from judges.types import Scale, sort_of

How = Literal["one", "agreed", "median", "mean", "majority", "drawn", "adjudicated"]


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
    how: How
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
    found = resolve(values, cell.scale, cell.rule)
    value, how = found if found else (None, "drawn")
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


def resolve(values: Sequence[float | None], scale: Scale, rule: GoldRule) -> tuple[float | None, How] | None:
    """The gold of one cell by the rule, and how it came about; None where a drawn vote leaves none.

    The same as `data.gold.gold.gold_sql` says in SQL, for one cell at a time; tests hold the two against each other.
    """
    if len(values) == 1:
        return values[0], "one"
    if all(v == values[0] for v in values):
        return values[0], "agreed"
    given = [v for v in values if v is not None]
    if scale.kind in ("ordinal", "ordered", "interval"):
        if 2 * len(given) < len(values):
            return None, "majority"
        top = _tops(given)
        if rule.resolve == "majority" and len(top) == 1:
            return top[0], "majority"
        if rule.resolve == "mean" and scale.kind == "interval":
            return (given[0] if min(given) == max(given) else fmean(given)), "mean"
        return median_low(given), "median"
    tops = _tops(values)
    if len(tops) == 1:
        return tops[0], "majority"
    return (float(scale.categories.index(scale.drawn)), "drawn") if scale.drawn else None


def _tops(values: Sequence[float | None]) -> list[float | None]:
    """The values that most people gave."""
    counts = {v: values.count(v) for v in values}
    return [v for v, n in counts.items() if n == max(counts.values())]


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
