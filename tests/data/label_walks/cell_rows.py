"""The cells of a judge with gold by a plain reading of all rows; and that the product has the same."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, median_low
from typing import Any, NamedTuple

import numpy as np
import pytest

from data.calibration import calibration
from data.gold.gold import WEIGHTED, Basis
from data.records.settings import gold_rule
from data.store import Store
from judges.types import Dimension, Scale, sort_of

NO_GOLD = "no gold"
BLIND: tuple[Basis, ...] = ("gate", "imported", "blind")


class Label(NamedTuple):
    """A label of a cell, in force or not."""

    id: str
    item: str
    unit: str
    value: float | None
    person: str
    mode: str
    draw: str
    probability: float | None
    replaces: str | None
    withdrawn: bool
    seq: int


class Cell(NamedTuple):
    """A cell with gold; `score` is None for n/a, and of a cell that is not scored."""

    item: str
    unit: str
    value: float | None
    scored: bool
    score: float | None
    weight: float
    mean: float
    share: float
    people: int
    waits: bool


def resolve_gold(values: Sequence[float | None], scale: Scale, resolve: str) -> Any:
    """The gold of a cell with these labels, or NO_GOLD."""
    votes = Counter(values)
    if len(votes) == 1:
        return values[0]
    if not scale.has_order:
        tie = NO_GOLD if scale.tie_code is None else scale.tie_code
        return commonest_value(votes, tie)
    numbers = sorted(value for value in values if value is not None)
    if 2 * len(numbers) < len(values):
        return None
    if resolve == "mean" and scale.kind == "interval":
        return fmean(numbers)
    return commonest_value(Counter(numbers), median_low(numbers)) if resolve == "majority" else median_low(numbers)


def commonest_value(votes: Counter[Any], otherwise: Any) -> Any:
    """The value with most votes; of several the other one."""
    most = [value for value, count in votes.items() if count == max(votes.values())]
    return most[0] if len(most) == 1 else otherwise


def is_disputed(values: Sequence[float | None], scale: Scale, apart_at_most: float | None) -> bool:
    """Whether somebody has to decide a cell with these labels."""
    votes = Counter(values)
    if apart_at_most is None or len(votes) < 2:
        return False
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return True
    if scale.has_order:
        return max(numbers) - min(numbers) > apart_at_most + 1e-9
    return apart_at_most == 0 or list(votes.values()).count(max(votes.values())) > 1


class CellRows:
    """The cells with gold of a judge and a dimension on a basis, and from when on each item had a label that counts."""

    def __init__(self, store: Store, dataset: str, judge: str, dimension: Dimension, basis: Basis) -> None:
        self.store, self.dataset, self.dimension, self.basis = store, dataset, dimension, basis
        self.rule = gold_rule(store, dataset)
        self.intakes = dict(store.rows("select seq, population from intake"))
        query = "select id, item_id, mode, stratum, probability from draw where dataset_id = $1 and stream = 'audit'"
        draws = store.rows(f"{query} order by seq, probability", [dataset])
        self.strata = {id_: (item, mode, stratum) for id_, item, mode, stratum, _ in draws}
        self.chances = {row[2:4]: row[4] for row in draws if row[4] is not None}  # the newest draw of a stratum has it
        labels = self.read_labels()
        self.first_seq: dict[str, int] = {}
        for label in labels:
            if self.is_on_basis(label):
                self.first_seq[label.item] = min(self.first_seq.get(label.item, label.seq), label.seq)
        excluded = {row[0] for row in store.rows("select item_id from tuning_now")}
        replaced = {label.replaces for label in labels}
        labels_by_cell: dict[tuple[str, str], list[Label]] = defaultdict(list)
        for label in labels:
            gone = label.withdrawn or label.id in replaced or label.item in excluded
            if not gone and self.is_on_basis(label):
                labels_by_cell[label.item, label.unit].append(label)
        query = "select item_id, unit, value from score_now where judge_id = $1 and dimension = $2"
        scores = {(item, unit): value for item, unit, value in store.rows(query, [judge, dimension.name])}
        decisions, weights = self.read_decisions(), self.weigh_cells(labels_by_cell)
        self.cells: list[Cell] = []
        for (item, unit), of_cell in sorted(labels_by_cell.items()):
            place = item, unit
            values = [label.value for label in of_cell]
            waits = place not in decisions and is_disputed(values, dimension.scale, self.rule.apart)
            value, mean, share = self.settle_cell(values, decisions.get(place))
            if value != NO_GOLD and not (waits and self.rule.waiting == "out"):
                score = place in scores, scores.get(place)
                self.cells.append(Cell(item, unit, value, *score, weights[place], mean, share, len(values), waits))

    def both_valued(self) -> list[Cell]:
        """The cells of which gold and score are both a value."""
        return [cell for cell in self.cells if cell.value is not None and cell.score is not None]

    def first_items(self, first: int) -> list[str]:
        """So many items with such a cell: those whose first label that counts is oldest."""
        return sorted({cell.item for cell in self.both_valued()}, key=lambda item: (self.first_seq[item], item))[:first]

    def read_labels(self) -> list[Label]:
        """All labels of the dimension, also those that were replaced or withdrawn."""
        rows = self.store.rows(
            "select l.id, item_id, unit, value, annotator, mode, draw_id, probability, replaces, withdrawn, l.seq "
            "from label l join item i on i.id = l.item_id where i.dataset_id = $1 and l.dimension = $2",
            [self.dataset, self.dimension.name],
        )
        labels = (Label(*row) for row in rows)
        return [label for label in labels if sort_of(label.unit) == self.dimension.sort]

    def drawn_probability(self, draw_id: str) -> float | None:
        """The probability with which an item was drawn for the audit."""
        return self.chances.get(self.strata[draw_id][1:]) if draw_id in self.strata else None

    def is_on_basis(self, label: Label) -> bool:
        """Whether a label counts on the basis."""
        drawn = self.drawn_probability(label.draw) is not None
        random = drawn or label.probability is not None
        return {
            "gate": label.mode == "blind" and drawn,
            "imported": label.mode == "blind" and random,
            "blind": label.mode == "blind",
            "assisted": label.mode == "assisted" and random,
            "all": label.mode in ("blind", "assisted"),
        }[self.basis]

    def read_decisions(self) -> dict[tuple[str, str], tuple[float | None, bool]]:
        """Of each decided cell the value, and whether it counts on the basis."""
        newest = {}
        for item, unit, value, saw_judge, withdrawn, seq in self.store.rows(
            "select item_id, unit, value, saw_judge, withdrawn, seq from adjudication "
            "where dataset_id = $1 and dimension = $2 order by seq, id",
            [self.dataset, self.dimension.name],
        ):
            counts = not (saw_judge and self.basis in BLIND) and not (self.basis == "gate" and seq in self.intakes)
            newest[item, unit] = None if withdrawn else (value, counts)
        return {place: decision for place, decision in newest.items() if decision is not None}

    def settle_cell(
        self, values: list[float | None], decision: tuple[float | None, bool] | None
    ) -> tuple[Any, float, float]:
        """A cell's gold, what means take for it, and the share of people who gave a value."""
        if decision is not None and decision[1]:
            value = decision[0]
            return (None, math.nan, 0.0) if value is None else (value, value, 1.0)
        numbers = [value for value in values if value is not None]
        mean = fmean(numbers) if numbers else math.nan
        return resolve_gold(values, self.dimension.scale, self.rule.resolve), mean, len(numbers) / len(values)

    def weigh_cells(self, labels_by_cell: dict[tuple[str, str], list[Label]]) -> dict[tuple[str, str], float]:
        """The weight of each cell: of how many items of its stratum, or of its file's population, it is one."""
        if self.basis not in WEIGHTED:
            return dict.fromkeys(labels_by_cell, 1.0)
        long = {row[0] for row in self.store.rows("select id from item where kind = 'pair' and cells > 3")}
        sizes: Counter[Any] = Counter()
        for item, mode, stratum in self.strata.values():
            if self.dimension.sort != "section" or item in long:
                sizes[mode, stratum] += 1
        parts: dict[tuple[str, str], Any] = {}
        answered: dict[Any, set[str]] = defaultdict(set)
        for place, labels in labels_by_cell.items():
            strata = [self.strata[label.draw][1:] for label in labels if self.drawn_probability(label.draw) is not None]
            files = [self.intakes.get(label.seq) for label in labels if self.basis != "gate"]
            parts[place] = (strata or [population for population in files if population] or [None])[0]
            answered[parts[place]].add(place[0])
        weights = {}
        for place, labels in labels_by_cell.items():
            part, count = parts[place], len(answered[parts[place]])
            chances = [self.drawn_probability(label.draw) or label.probability for label in labels]
            weight = 1 / max(chances)
            if isinstance(part, tuple):
                weight *= max(sizes[part], count) / count
            weights[place] = part / count if isinstance(part, int) else weight
        return weights


# -- what has to hold -------------------------------------------------------------------------------------------------


def check_cells(store: Store, dataset: str, judge: str, dimension: Dimension, basis: Basis) -> None:
    """Every cell with its gold, score, weight, mean and people is the one of the rows."""
    rows = CellRows(store, dataset, judge, dimension, basis)
    ratings = calibration.load_paired_ratings(store, dataset, judge, dimension, basis)
    name = f"{basis} {dimension.sort} {dimension.name} ({rows.rule})"
    assert len(ratings) == len(rows.cells), f"{name} has {len(ratings)} cells, by the rows {len(rows.cells)}"
    for n, cell in enumerate(rows.cells):
        numbers = np.array([ratings.human[n], ratings.judge[n], ratings.weight[n], ratings.mean[n], ratings.share[n]])
        own = np.array([cell.value, cell.score, cell.weight, cell.mean, cell.share], dtype=float)
        facts = bool(ratings.scored[n]), int(ratings.people[n]), bool(ratings.waits[n])
        same = numbers == pytest.approx(own, rel=1e-9, abs=1e-9, nan_ok=True)
        same = same and facts == (cell.scored, cell.people, cell.waits)
        assert same, f"{name} has {numbers} {facts}, by the rows {cell}"


def check_first_items(store: Store, dataset: str, judge: str, dimension: Dimension, basis: Basis, first: int) -> None:
    """The items that a look counts are those whose first label that counts is oldest."""
    rows = CellRows(store, dataset, judge, dimension, basis)
    items = rows.first_items(first)
    ratings = calibration.load_paired_ratings(store, dataset, judge, dimension, basis, first)
    own = [(cell.value, cell.score) for cell in rows.cells if cell.item in items]
    numbers = np.column_stack([ratings.human, ratings.judge])
    same = len(numbers) == len(own) and numbers == pytest.approx(np.array(own, dtype=float).reshape(-1, 2), nan_ok=True)
    assert same, f"{basis} {dimension.sort} {dimension.name}: the first {first} items are other ones than {items}"

