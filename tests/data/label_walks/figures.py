"""Figures of cells by numpy and scikit-learn; and that the product has the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from data.annotators import annotators
from data.annotators.annotators import LabelSet
from data.approvals import check_results, plans, policy
from data.calibration import human_ceiling
from data.gold.gold import Basis
from data.records.settings import gold_rule
from data.reports.statistics import load_figures
from data.store import Store
from judges.stats import bins
from judges.stats.calibration import Summary
from judges.types import Dimension, Scale, sort_of
from tests.data.label_walks.cell_rows import NO_GOLD, Cell, CellRows, resolve_gold

Numbers = np.ndarray[Any, np.dtype[np.float64]]

def compare(name: str, figure: Any, own: Any, tolerance: float = 1e-7) -> None:
    """Hold a figure of the product, or several, against those of the rows."""
    same = figure == pytest.approx(own, rel=tolerance, abs=tolerance, nan_ok=True)
    assert same, f"{name} is {figure}, by the rows {own}"


# -- statistics -------------------------------------------------------------------------------------------------------


def agreement(x: Numbers, y: Numbers, scale: Scale, weight: Numbers | None = None) -> float | None:
    """Cohen's kappa with quadratic weights of ordered answers, that of scikit-learn for others."""
    if not len(x):
        return None
    if scale.has_order:
        means = np.average(x, weights=weight), np.average(y, weights=weight)
        product = np.average((x - means[0]) * (y - means[1]), weights=weight)
        bottom = np.average((x - means[0]) ** 2 + (y - means[1]) ** 2, weights=weight) + (means[0] - means[1]) ** 2
        return None if bottom < 1e-12 else float(2 * product / bottom)
    if len({*x, *y}) == 1:
        return None
    codes = list(range(scale.size))
    return float(cohen_kappa_score(x.astype(int), y.astype(int), labels=codes, sample_weight=weight))


def correlation(x: Numbers, y: Numbers, weight: Numbers) -> float | None:
    """Pearson's correlation; None where a side is constant."""
    if not len(x) or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return None
    table = np.cov(np.vstack([x, y]), aweights=weight, bias=True)
    return float(table[0, 1] / sqrt(table[0, 0] * table[1, 1]))


def ranks(values: Numbers, weight: Numbers) -> Numbers:
    """The weighted ranks of values; ties share the middle."""
    return np.array([weight[values < value].sum() + weight[values == value].sum() / 2 for value in values])


def kendall(x: Numbers, y: Numbers, weight: Numbers) -> float:
    """Kendall's tau-b, each pair with the product of its weights."""
    first, second = np.triu_indices(len(x), 1)
    signs = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
    pull = weight[first] * weight[second]
    return float((pull * signs[0] * signs[1]).sum() / sqrt(np.prod([(pull * (sign != 0)).sum() for sign in signs])))


def krippendorff_alpha(units: Sequence[Sequence[float]], scale: Scale) -> float | None:
    """Krippendorff's alpha by its definition: 1 less the distance within units over that of all values."""
    counts = Counter(value for unit in units for value in unit)

    def distance(a: float, b: float) -> float:
        if scale.kind == "interval" or not scale.has_order:
            return (a - b) ** 2 if scale.has_order else float(a != b)
        between = sum(count for value, count in counts.items() if min(a, b) <= value <= max(a, b))
        return (between - (counts[a] + counts[b]) / 2) ** 2

    within = sum(2 * distance(a, b) / (len(unit) - 1) for unit in units for a, b in combinations(unit, 2))
    overall = sum(2 * counts[a] * counts[b] * distance(a, b) for a, b in combinations(counts, 2))
    return 1 - (counts.total() - 1) * within / overall if overall else None


def nearest_answers(values: Numbers, scale: Scale) -> Numbers:
    """The answers nearest to values that lie between two; a half counts up."""
    step = scale.step if scale.kind == "interval" else 1
    first = bins.first_value(scale)
    return first + np.floor((values - first) / step + 0.5 + 1e-9) * step if step else values


def columns(cells: Sequence[Cell], *names: str) -> list[Numbers]:
    """Fields of cells as arrays."""
    return [np.array([getattr(cell, name) for cell in cells], dtype=float) for name in names]


# -- the judge against gold -------------------------------------------------------------------------------------------


def check_calibration(store: Store, dataset: str, judge: str, basis: Basis) -> None:
    """What the page Calibration says of a judge is what the rows give."""
    for summary in check_results.summaries(store, dataset, judge, basis):
        rows = CellRows(store, dataset, judge, summary.dimension, basis)
        name = f"{basis} {summary.dimension.sort} {summary.dimension.name} ({rows.rule})"
        check_summary(name, summary, rows)
        check_other_metrics(name, store, judge, rows, summary)


def check_summary(name: str, summary: Summary, rows: CellRows) -> None:
    """The counts, kappa, exact agreement, bias and correlation of a dimension are those of its cells."""
    scale, interval = rows.dimension.scale, summary.interval
    both = rows.both_valued()
    x, y, weight = columns(both, "value", "score", "weight")
    counts = summary.gold_cells, summary.unscored, summary.cells, interval.items
    unscored = sum(not cell.scored for cell in rows.cells)
    compare(f"{name} counts", counts, (len(rows.cells), unscored, len(both), len({cell.item for cell in both})))
    compare(f"{name} kappa", interval.point, agreement(x, y, scale, weight))
    gap = np.abs(nearest_answers(x, scale) - nearest_answers(y, scale))
    step = bins.code_step(scale)
    exact = float(np.average(gap < 1e-6 * step, weights=weight)) if len(x) else None
    compare(f"{name} exact agreement", summary.exact, exact)
    if len(x):
        weights = defaultdict(list)
        for cell in both:
            weights[cell.item].append(cell.weight)
        means = np.array([fmean(of_item) for of_item in weights.values()])
        compare(f"{name} effective size", interval.n_eff, means.sum() ** 2 / (means**2).sum())
    if scale.has_order:
        near = float(np.average(gap <= step * (1 + 1e-6), weights=weight)) if len(x) else None
        compare(f"{name} within one step", summary.within_one, near)
        compare(f"{name} correlation", summary.correlation, correlation(x, y, weight))
        cells = [cell for cell in rows.cells if cell.score is not None and cell.share > 0]
        score, mean, weight, share = columns(cells, "score", "mean", "weight", "share")
        bias = float(np.average(score - mean, weights=weight * share)) if cells else None
        compare(f"{name} bias", summary.bias.point, bias)


def check_other_metrics(name: str, store: Store, judge: str, rows: CellRows, summary: Summary) -> None:
    """The other metrics rest on the same cells: accuracy, mean distance, and three correlations."""
    metrics = load_figures(store, "others", rows.dataset, judge, rows.dimension, rows.basis)
    compare(f"{name} accuracy", metrics.exact.point, summary.exact)
    x, y, weight = columns(rows.both_valued(), "value", "score", "weight")
    if metrics.concordance is None or not len(x):
        return
    compare(f"{name} mean distance", metrics.concordance.mae.point, float(np.average(np.abs(x - y), weights=weight)))
    compare(f"{name} Pearson", metrics.concordance.pearson.point, summary.correlation)
    if summary.correlation is not None:
        x, y = np.round(x, 9), np.round(y, 9)  # means that differ by rounding only are ties
        rho = correlation(ranks(x, weight), ranks(y, weight), weight)
        compare(f"{name} Spearman", metrics.concordance.spearman.point, rho)
        compare(f"{name} Kendall", metrics.concordance.kendall.point, kendall(x, y, weight))


def check_looks(store: Store, dataset: str, judge: str) -> None:
    """With a plan the check counts the items of its newest look, and says nothing before the first."""
    plan, basis = plans.look_plan(store, dataset), policy.approval_basis(store, dataset)
    if plan is None:
        return
    first = policy.requirements(store).policy.first
    for line in check_results.dimension_results(store, dataset, judge):
        rows = CellRows(store, dataset, judge, line.dimension, basis)
        items = {cell.item for cell in rows.both_valued()}
        looks = [size for size in plan.sizes if first <= size <= len(items)]
        name = f"{line.dimension.sort} {line.dimension.name}, looks {plan.sizes}"
        if not looks:
            is_open = line.check.state not in ("meets policy", "inconclusive", "fails")
            assert is_open, f"{name}: {line.check.state} before the first look, at {len(items)} items"
            continue
        earliest = rows.first_items(looks[-1])
        cells = sum(cell.item in earliest for cell in rows.both_valued())
        compare(f"{name}: (items, cells)", (line.gate.interval.items, line.gate.cells), (looks[-1], cells))


# -- people against each other ----------------------------------------------------------------------------------------


def newest_labels(
    store: Store, dataset: str, dimension: Dimension, modes: Sequence[str]
) -> dict[tuple[str, str], dict[str, float]]:
    """For each cell the newest label of each person, n/a left out."""
    newest: dict[tuple[str, str], dict[str, float | None]] = defaultdict(dict)
    for item, unit, person, value, mode in store.rows(
        "select l.item_id, l.unit, l.annotator, l.value, l.mode from label_now l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 and l.dimension = $2 order by l.made_at, l.seq, l.id",
        [dataset, dimension.name],
    ):
        if mode in modes and sort_of(unit) == dimension.sort:
            newest[item, unit][person] = value
    return {
        place: {person: value for person, value in values.items() if value is not None}
        for place, values in newest.items()
    }


def check_ceiling(store: Store, dataset: str, judge: str, dimension: Dimension) -> None:
    """The human ceiling is kappa between pairs of people, and Krippendorff's alpha, on cells that the judge scored."""
    ceiling = human_ceiling.measure_ceiling(store, dataset, judge, dimension)
    excluded = {row[0] for row in store.rows("select item_id from tuning_now")}
    labels = newest_labels(store, dataset, dimension, ["blind"])
    shared = {place: of for place, of in labels.items() if len(of) > 1 and place[0] not in excluded}
    query = "select item_id, unit from score_now where judge_id = $1 and dimension = $2 and value is not null"
    scored = set(store.rows(query, [judge, dimension.name]))
    values = [of for place, of in shared.items() if place in scored] or list(shared.values())
    name = f"ceiling of {dimension.sort} {dimension.name}"
    assert (ceiling is None) == (not values), f"{name} is {ceiling}, people share {len(values)} cells"
    if ceiling is None:
        return
    pairs = np.array([pair for of in values for pair in combinations(of.values(), 2)], dtype=float)
    x, y = np.vstack([pairs, pairs[:, ::-1]]).T
    compare(f"{name}, pairs", ceiling.between.cells, len(pairs))
    compare(f"{name}, kappa", ceiling.between.point, agreement(x, y, dimension.scale), 1e-6)
    alpha = krippendorff_alpha([list(of.values()) for of in values], dimension.scale)
    compare(f"{name}, alpha", ceiling.alpha.point, alpha, 1e-6)


def check_annotators(store: Store, dataset: str, dimension: Dimension, label_set: LabelSet) -> None:
    """A person is held against the gold of the others, or a decision of somebody else, in each cell that they share."""
    labels = newest_labels(store, dataset, dimension, ["blind"] if label_set == "blind" else ["blind", "assisted"])
    decisions = {
        (item, unit): (value, person)
        for item, unit, value, saw_judge, person in store.rows(
            "select item_id, unit, value, saw_judge, person from adjudication_now "
            "where dataset_id = $1 and dimension = $2",
            [dataset, dimension.name],
        )
        if label_set == "all" or not saw_judge
    }
    scale, resolve = dimension.scale, gold_rule(store, dataset).resolve
    for row in annotators.find_annotators(store, dataset, dimension, label_set):
        name = f"{row.name}'s {label_set} labels of {dimension.sort} {dimension.name} ({resolve})"
        own = {place: of for place, of in labels.items() if row.name in of}
        compare(f"{name}, (labels, items)", (row.labels, row.items), (len(own), len({item for item, _ in own})))
        pairs = []
        for place, of in own.items():
            others = [value for person, value in of.items() if person != row.name]
            gold = resolve_gold(others, scale, resolve) if others else NO_GOLD
            if place in decisions and decisions[place][1] != row.name:
                gold = NO_GOLD if decisions[place][0] is None else decisions[place][0]
            pairs += [(gold, of[row.name])] if gold != NO_GOLD else []
        compare(f"{name}, shared cells", row.shared, len(pairs))
        if pairs:
            x, y = np.array(pairs, dtype=float).T
            reach = bins.scale_width(scale) / 10 if bins.is_binned(scale) else 0
            compare(f"{name}, exact agreement", row.exact, float((np.abs(x - y) <= reach + 1e-7).mean()))
            if scale.has_order:
                compare(f"{name}, kappa", row.agreement.point, agreement(x, y, scale), 1e-6)
