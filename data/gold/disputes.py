"""The cells to adjudicate: people's labels there differ by more than the dataset's rule allows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from data.cards import cards
from data.records.settings import GoldRule, gold_rule
from data.store import Store, Tx, cache_result, placeholders
from data.store.ids import content_id
from judges.gold import distance, needs_adjudication
from judges.strict_json import canonical
from judges.types import Scale, sort_of

_UNITS = ("conversation", "turn", "section", "side", "response", "pair")


class PersonLabel(NamedTuple):
    """One person's label of a cell: the label in force, its value (None = n/a), and how it was given."""

    id: str
    person: str
    value: float | None
    mode: Literal["blind", "assisted"]


@dataclass(frozen=True)
class Adjudication:
    """A person's decision on a cell, and the labels that it was made on."""

    id: str
    person: str
    value: float | None
    reason: str
    labels: tuple[PersonLabel, ...]


@dataclass(frozen=True)
class LabelledCell:
    """A cell with what people say of it and what was decided.

    labels: of two classes of them just one, see `comparable_labels`, or all that count for gold.
    distance: how far people disagree, 0 to 1. reopened: the labels changed after the decision. token: changes
    whenever a label or the decision does, so that nobody decides on what is not there any more.
    """

    item: str
    name: str
    unit: str
    dimension: str
    scale: Scale
    labels: tuple[PersonLabel, ...]
    decision: Adjudication | None
    rule: GoldRule

    @property
    def distance(self) -> float:
        return distance([s.value for s in self.labels], self.scale)

    @property
    def reopened(self) -> bool:
        return self.decision is not None and _facts(self.decision.labels) != _facts(self.labels)

    @property
    def waits(self) -> bool:
        """Whether somebody has to decide it: people disagree and nobody has, or what was decided on has changed."""
        if self.decision is not None:
            return self.reopened
        return needs_adjudication([s.value for s in self.labels], self.scale, self.rule.apart)

    @property
    def token(self) -> str:
        return content_id(self.decision.id if self.decision else "", sorted(map(list, self.labels)))


def comparable_labels(labels: Iterable[PersonLabel]) -> tuple[PersonLabel, ...]:
    """Return the labels of one class, which alone are compared with each other.

    They are the blind ones if two people or more answered blind, else those given with the judge in view if these are
    two or more, else what there is, blind first.
    """
    by_mode: dict[str, list[PersonLabel]] = {"blind": [], "assisted": []}
    for label in labels:
        by_mode[label.mode].append(label)
    comparable = [group for group in by_mode.values() if len(group) > 1]
    return _sort_by_person(next(iter(comparable or [f for f in by_mode.values() if f]), []))


def cells_to_adjudicate(store: Store | Tx, dataset_id: str) -> list[LabelledCell]:
    """The ratings of a dataset that somebody has to adjudicate.

    Items whose people disagree most come first, each item's ratings together and in reading order. Until somebody has
    adjudicated, a rating keeps the gold that the rule gives it.
    """
    return cells_waiting_under(store, dataset_id, gold_rule(store, dataset_id))


def order_cells(store: Store | Tx, cells: Sequence[LabelledCell]) -> list[LabelledCell]:
    """Return the cells that wait, in the order in which people go through them."""
    distances: dict[str, tuple[float, float]] = {}
    for cell in cells:
        most, total = distances.get(cell.item, (0.0, 0.0))
        distances[cell.item] = (max(most, cell.distance), total + cell.distance)
    ranks = {(sort, dimension): n for n, (_, sort, dimension) in enumerate(cards.scales(store))}

    def key(cell: LabelledCell) -> tuple[Any, ...]:
        most, total = distances[cell.item]
        sort = sort_of(cell.unit)
        number = int("".join(filter(str.isdigit, cell.unit)) or 0)
        last = _UNITS.index(sort) if sort != "conversation" else len(_UNITS)
        return -most, -total, cell.name, cell.item, last, number, cell.unit, ranks.get((sort, cell.dimension), 0)

    return sorted(cells, key=key)


def cells_waiting_under(store: Store | Tx, dataset_id: str, rule: GoldRule) -> list[LabelledCell]:
    """Return the cells that wait, or would wait under a rule.

    These are cells on which people disagree and that nobody has decided, or whose labels changed since.
    """
    disputed_cells = _cells_apart(store, dataset_id, rule)
    decisions = standing_adjudications(store, dataset_id)
    if not decisions:
        return disputed_cells
    left = [cell for cell in disputed_cells if (cell.item, cell.unit, cell.dimension) not in decisions]
    # Only labels written after a decision can have changed what it was made on. An imported decision may have been made
    # on other labels from the start.
    changed = (
        "select distinct a.item_id, a.unit, a.dimension from adjudication_now a join change c on c.seq = a.seq "
        "join label l on l.item_id = a.item_id and l.unit = a.unit and l.dimension = a.dimension "
        "where a.dataset_id = $1 and (l.seq > a.seq or c.action = 'import')"
    )
    if not store.rows(f"{changed} limit 1", [dataset_id]):
        return left
    reopened = [cell for cell in _cells(store, changed, [dataset_id], rule, decisions) if cell.waits]
    return order_cells(store, [*left, *reopened]) if reopened else left


@cache_result
def _cells_apart(store: Store | Tx, dataset_id: str, rule: GoldRule) -> list[LabelledCell]:
    """Return the cells where people differ by more than a rule allows, in order, whether somebody decided or not."""
    if rule.apart is None:
        return []
    scales = cards.scales(store)
    loose = sorted({name for (_, _, name), scale in scales.items() if not scale.has_order})
    # A first filter, so that only cells in which people differ leave the database; `waits` has the last word.
    query = (
        "select distinct l.item_id, l.unit, l.dimension from label_now l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 and l.mode in ('blind', 'assisted') "
        "group by l.item_id, l.unit, l.dimension, l.mode having count(*) > 1 and ("
        f"count(l.value) between 1 and count(*) - 1 or max(l.value) - min(l.value) > {rule.apart:d} "
        f"or min(l.value) < max(l.value) and l.dimension in ({placeholders(loose, 2)}))"
    )
    return order_cells(store, [c for c in _cells(store, query, [dataset_id, *loose], rule, {}) if c.waits])


def cells_of_item(store: Store | Tx, dataset_id: str, item_id: str, whole: bool = False) -> list[LabelledCell]:
    """All cells of an item that people have labelled, whether they wait or not, in reading order.

    whole: with the labels of both classes, as gold on all labels takes them; else with those of one class.
    """
    query = "select distinct item_id, unit, dimension from label where item_id = $1"
    decisions = standing_adjudications(store, dataset_id, item_id)
    return order_cells(store, _cells(store, query, [item_id], gold_rule(store, dataset_id), decisions, whole))


Place = tuple[str, str, str]
"""Item, unit and dimension."""


def _cells(
    store: Store | Tx, query: str, params: list[Any], rule: GoldRule, decisions: Mapping[Place, Adjudication],
    both_classes: bool = False,
) -> list[LabelledCell]:  # fmt: skip
    """The cells that a query names, with people's labels and what was decided of them."""
    scales: Mapping[Any, Scale] = cards.scales(store)
    rows = store.rows(
        f"with wanted as ({query}) select l.item_id, i.name, i.kind, l.unit, l.dimension, l.id, l.annotator, l.value, "
        "l.mode from wanted w join label_now l on l.item_id = w.item_id and l.unit = w.unit "
        "and l.dimension = w.dimension join item i on i.id = l.item_id where l.mode in ('blind', 'assisted')",
        params,
    )
    by_place: dict[Place, tuple[str, str, list[PersonLabel]]] = {}
    for item, name, kind, unit, dimension, *fields in rows:
        by_place.setdefault((item, unit, dimension), (name, kind, []))[2].append(PersonLabel(*fields))
    cells = []
    for place, (name, kind, labels) in by_place.items():
        item, unit, dimension = place
        scale = scales.get((kind, sort_of(unit), dimension))
        if scale is not None:
            counted = _sort_by_person(labels) if both_classes else comparable_labels(labels)
            cells.append(LabelledCell(item, name, unit, dimension, scale, counted, decisions.get(place), rule))
    return cells


def standing_adjudications(store: Store | Tx, dataset_id: str, item_id: str = "") -> dict[Place, Adjudication]:
    """Return the decisions in force in a dataset, or only those on one item."""
    rows = store.rows(
        "select item_id, unit, dimension, id, person, value, reason, labels from adjudication_now "
        f"where dataset_id = $1{' and item_id = $2' if item_id else ''}",
        [dataset_id, item_id] if item_id else [dataset_id],
    )
    return {
        (item, unit, dimension): Adjudication(id_, person, value, reason, labels_from_json(labels))
        for item, unit, dimension, id_, person, value, reason, labels in rows
    }


def labels_to_json(person_labels: Iterable[PersonLabel], at: datetime | None = None) -> str:
    """The JSON that is kept with a decision: the labels that it was made on and, where it was imported, when."""
    labels = [label._asdict() for label in person_labels]
    return canonical(labels if at is None else {"labels": labels, "made_at": at.isoformat()})


def labels_from_json(labels: str) -> tuple[PersonLabel, ...]:
    """The labels that a decision was made on, from the JSON that is kept with it."""
    payload = json.loads(labels)
    entries = payload["labels"] if isinstance(payload, dict) else payload
    return tuple(PersonLabel(label["id"], label["person"], label["value"], label["mode"]) for label in entries)


def decision_time(labels: str, made_at: datetime) -> datetime:
    """Return the time of a decision: when it was written, unless the JSON that is kept with it gives another time."""
    payload = json.loads(labels)
    return datetime.fromisoformat(payload["made_at"]) if isinstance(payload, dict) else made_at


def _sort_by_person(labels: Iterable[PersonLabel]) -> tuple[PersonLabel, ...]:
    """Return the labels sorted by the names of their people."""
    return tuple(sorted(labels, key=lambda s: (s.person, s.id)))


def _facts(labels: Iterable[PersonLabel]) -> list[tuple[str, bool, float, str]]:
    """Return the facts that a decision is made on: who says what and how. The same value given again is no change."""
    return sorted((s.person, s.value is None, s.value or 0.0, s.mode) for s in labels)
