"""The human ceiling: how far people agree with each other (docs/methods.md, Human ceiling).

A kappa of .5 is good if people agree with each other at .55, and poor if they agree at .90. A judge above the ceiling
is more consistent than one person, and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from judges.plural import many
from judges.stats.bins import code_count
from judges.stats.intervals import Cells, kappa_difference, kappa_interval, with_unrelated_end
from judges.stats.raters.alpha import alpha_interval, unrelated_people_error
from judges.stats.raters.ratings import Ratings
from judges.stats.uncertainty import MIN_CLUSTERS, Interval, why_no_interval


@dataclass(frozen=True)
class HumanCeiling:
    """The figures of cells that two people or more have labelled: `people` gave the labels of `cells` in `items`.

    `between` is kappa between two people (its `cells` are pairs of labels), `alpha` Krippendorff's (`alpha_interval`).
    `judge` is the judge's kappa against single people on the very same cells, `difference` is `judge` minus `between`,
    paired by item. Both are None if no judge has scored such a cell.
    """

    people: int
    cells: int
    items: int
    between: Interval
    alpha: Interval
    judge: Interval | None
    difference: Interval | None


def kappa_between_people(ratings: Ratings) -> Interval | None:
    """Kappa between two people alone, as `measure_ceiling` has it; None where no cell has labels of two people."""
    shared = _shared_cells(ratings)
    return _between(shared)[1] if len(shared) else None


def _shared_cells(ratings: Ratings) -> Ratings:
    """The cells that two people or more labelled; where a judge has scores, those of them that it scored."""
    shared = ratings.multi_rater_cells()
    scored = shared.where(shared.judge >= 0)
    return scored if len(scored) else shared


def _between(shared: Ratings) -> tuple[Cells, Interval]:
    """Every pair of people in a cell, in both directions, with its kappa."""
    first, second = shared.pairs()
    sides = np.concatenate([first, second]), np.concatenate([second, first])
    pairs = Cells(shared.item[sides[0]], shared.code[sides[0]], shared.code[sides[1]])
    interval = replace(_kappa_of_rows(pairs, shared, 4 * len(first) / len(shared)), cells=len(first))
    # Each pair is there twice, so the error of unrelated sides that kappa itself allows for is too small.
    if interval.point is not None:
        interval = with_unrelated_end(interval, unrelated_people_error(shared, by_answer=False))
    return pairs, interval


def _kappa_of_rows(rows: Cells, shared: Ratings, rows_per_answer: float) -> Interval:
    """Kappa of rows, where one answer of a person or judge takes part in several.

    So where nobody ever differed, one answer apart from the others counts as so many rows (the rule of three).
    """
    interval = kappa_interval(rows, code_count(shared.scale), shared.scale.weights)
    if interval.point != 1 or interval.low is None or interval.lower_bound is None:
        return interval
    low, bound = (max(-1.0, 1 - rows_per_answer * (1 - end)) for end in (interval.low, interval.lower_bound))
    return replace(interval, low=low, lower_bound=bound)


def measure_ceiling(ratings: Ratings) -> HumanCeiling | None:
    """The ceiling of one dimension; None where no cell has labels of two people.

    Every pair of people in a cell adds its table and the transposed one, so the order of a pair does not matter. A cell
    that m people labelled adds m (m - 1) / 2 pairs. Intervals resample whole items. Where a judge has scores, only
    cells that it scored count, so that all figures use the same cells.
    """
    shared = _shared_cells(ratings)
    if not len(shared):
        return None
    scale, (pairs, between) = shared.scale, _between(shared)
    judge = ahead = None
    if shared.judge[0] >= 0:
        # Weighted by the number of pairs with the person's label: then both kappas weigh people and cells equally.
        first, second = shared.pairs()
        rows = np.concatenate([first, second])
        single = Cells(shared.item[rows], shared.code[rows], shared.judge[rows])
        judge = replace(_kappa_of_rows(single, shared, len(rows) / len(np.unique(shared.cell))), cells=len(shared))
        ahead = kappa_difference(pairs, single, code_count(scale), scale.weights, paired=True)
    return HumanCeiling(
        people=len(np.unique(shared.person)),
        cells=len(np.unique(shared.cell)),
        items=len(np.unique(shared.item)),
        between=between,
        alpha=alpha_interval(shared),
        judge=judge,
        difference=ahead,
    )


def explain(ceiling: HumanCeiling | None) -> str:
    """Return a sentence or two on what the ceiling says about the judge, for people who know no statistics."""
    if ceiling is None:
        return (
            "Agreement between people is not known yet: no item has blind labels of two people. Let several people "
            "label the same items (people per item, on the page Queues)."
        )
    items = many(ceiling.items, "item")
    if ceiling.between.point is None:
        return f"All people gave one and the same answer on {items}: kappa between them is undefined."
    people = f"Kappa between two people is {ceiling.between.point:z.2f}"
    gap = ceiling.difference
    if ceiling.judge is None or gap is None or ceiling.judge.point is None or gap.point is None:
        return f"{people}, from {items}; the judge has no score there to compare."
    text = f"{people}, between the judge and one of them {ceiling.judge.point:z.2f}, on the same {items}."
    if ceiling.between.is_too_small or gap.low is None or gap.high is None:
        need = f"That is too few to compare: {MIN_CLUSTERS} items are needed."
        return f"{text} {why_no_interval(gap) or need}"
    if gap.high < 0:
        by = f"by {-gap.point:.2f} ({-gap.high:.2f} to {-gap.low:.2f})"
        return f"{text} So people agree better, {by}: a better judge is possible."
    if gap.low > 0:
        return f"{text} So the judge agrees with people better than they do with each other."
    return (
        f"{text} The difference, {gap.point:+z.2f}, may be chance ({gap.low:+z.2f} to {gap.high:+z.2f}): the judge is "
        "not shown to agree with people less than they do with each other."
    )


def explain_labels(fewest: int, most: int, mean: float, known: bool) -> str:
    """Return a sentence or two on the people with whom a kappa measures agreement.

    `fewest`, `most` and `mean` (the average) are numbers of people who labelled a cell. `known` says whether the
    agreement between two of them is known.
    """
    if most < 2 and not known:
        return (
            "Kappa is agreement with the labels of one person per rating, not with the truth: label noise lowers it, "
            "and its size is unknown, as no two people have labelled the same items. Let two people label "
            f"{MIN_CLUSTERS} items or more (people per item, on the page Queues)."
        )
    many = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    people = "one person per rating" if most < 2 else f"{many} people per rating"
    people += "" if fewest == most else f" ({mean:.1f} on average)"
    text = f"Kappa is agreement with the labels of {people}, not with the truth."
    if not known:
        return f"{text} Agreement between people is not known yet: fewer than {MIN_CLUSTERS} items have labels of two."
    return (
        f"{text} Compare it with kappa between two people on the same items (the human ceiling): a judge near it is as "
        "consistent as one person."
    )
