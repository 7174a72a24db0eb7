"""Output of `agree` besides kappa: missing scores, other papers' figures, alternative-annotator test, weakest turns."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from judges.audits import AuditReply, Cell
from judges.card import Card, Item
from judges.cli.agree_verdicts import combine_cell, scores_by_cell
from judges.cli.options import BadOptions
from judges.errors import BadScale
from judges.params import CombinationRule
from judges.plural import many
from judges.stats import bins, missingness
from judges.stats.calibration import PairedRatings
from judges.stats.missingness import Missingness
from judges.stats.other_metrics import OtherMetrics
from judges.stats.raters import alternative_annotator
from judges.stats.raters.ratings import Ratings
from judges.stats.weakest_turns import (
    NamedTurns,
    WeakestTurns,
    lowest_turns,
    measure_weakest_turns,
    scored_dimensions,
    turn_dimensions,
)
from judges.types import Dialogue, Dimension, sort_of, turn_number

_WIDE = 14


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--missing",
        metavar="out|lowest|tie|ANSWER",
        default=missingness.OUT,
        help="what a reply that could not be used counts as: left out (usual), the lowest answer, a tie, or an answer "
        "such as 3; where some are missing the figures under each are printed anyway",
    )
    parser.add_argument(
        "--epsilon",
        type=float,
        metavar="E",
        help="run the alternative-annotator test with this handicap of people: "
        + ", ".join(f"{epsilon:g} for {people}" for epsilon, people in alternative_annotator.EPSILONS.items()),
    )


def check_handicap(args: argparse.Namespace) -> None:
    """Raise BadOptions for a handicap that makes no sense."""
    if args.epsilon is not None and not 0 <= args.epsilon < 1:
        raise BadOptions(f"--epsilon is at least 0 and below 1, such as .2 for experts; it is {args.epsilon:g}.")


def find_asked(cells: Sequence[Cell], reply_keys: Set[tuple[str, str]], named: Set[Cell]) -> NDArray[np.bool_]:
    """For each cell, whether the judge was asked about it: then a cell without a score is missing.

    `reply_keys` are the (item, part) of its replies; scores that came without a reply are about the cells `named` only.
    """
    return np.array(
        [(cell[0], "") in reply_keys or (cell[0], cell[1]) in reply_keys or cell in named for cell in cells], dtype=bool
    )


def fill_missing(
    ratings: Mapping[Dimension, PairedRatings], asked_masks: Mapping[Dimension, NDArray[np.bool_]], choice: str
) -> dict[Dimension, PairedRatings]:
    """The cells with missing scores filled by the choice; a dimension whose scale lacks that answer stays unchanged.

    Raises BadOptions if no dimension with gold has that answer.
    """
    filled_cells, refused = dict(ratings), []
    for d, cells in ratings.items():
        try:
            filled_cells[d] = missingness.impute(cells, missingness.imputed_code(choice, d.scale), asked_masks[d])
        except BadScale as error:
            refused += [f"{d.title}: {error}"] if len(cells) else []
    if refused and len(refused) == sum(len(cells) > 0 for cells in ratings.values()):
        raise BadOptions(f"--missing {choice} fits no dimension here. {'. '.join(refused)}.")
    return filled_cells


def figures_by_choice(
    ratings: PairedRatings, d: Dimension, asked_mask: NDArray[np.bool_], choice: str
) -> Missingness | None:
    """The figures under each choice; None if nothing is missing."""
    if not (asked_mask & ~ratings.scored & ~np.isnan(ratings.human)).any():
        return None
    choices = list(dict.fromkeys([*missingness.usual_choices(d.scale), choice]))
    figures = missingness.compare_choices(ratings, d, asked_mask, choices)
    return replace(figures, counted=tuple(counted for counted in figures.counted if counted.summary is not None))


def describe_choices(d: Dimension, figures: Missingness, choice: str) -> list[str]:
    """The same figures in lines; a star marks the choice that the table above uses."""
    lines = [f"{d.title}: {missingness.explain(figures)} The figures, where these count"]
    for counted in figures.counted:
        assert counted.summary is not None
        kappa, star = counted.summary.interval, "*" if counted.choice == choice else " "
        _, precision, recall, f1 = counted.accuracy
        macro = f"  macro precision {_number(precision)}, recall {_number(recall)}, F1 {_number(f1)}"
        macro = "" if d.scale.has_order else macro
        ends = kappa.in_brackets(".3f")
        lines.append(
            f"  {star} {missingness.describe_choice(counted.choice):{_WIDE}} kappa {_number(kappa.point)}{ends}  "
            f"accuracy {_number(counted.accuracy.exact)}{macro}  {many(counted.summary.cells, 'rating')}"
        )
    return [*lines, f"  {missingness.APPROVAL_CHECK_NOTE}"]


def _number(value: float | None) -> str:
    return "undef." if value is None else f"{value:.4f}"


def measure_alternative_annotator(
    d: Dimension, answers: Mapping[tuple[Cell, str], float | None], ratings: PairedRatings, cells: Sequence[Cell],
    epsilon: float,
) -> alternative_annotator.AlternativeAnnotatorTest:  # fmt: skip
    """The alternative-annotator test of a dimension; `cells` are those of `ratings`, in its order."""
    place = {cell: n for n, cell in enumerate(cells)}
    rows = [
        (place[cell], person, value) for (cell, person), value in answers.items() if cell in place and value is not None
    ]
    names = sorted({person for _, person, _ in rows})
    number = {person: n for n, person in enumerate(names)}
    cell = np.array([n for n, _, _ in rows], dtype=np.int64)
    scale, values = d.scale, np.array([value for _, _, value in rows], dtype=np.float64)
    judge = np.where(np.isnan(ratings.judge), -1.0, bins.to_codes(ratings.judge, scale))[cell]
    labels = Ratings(
        item=ratings.item[cell],
        cell=cell,
        person=np.array([number[person] for _, person, _ in rows], dtype=np.int64),
        value=bins.row_numbers(values, scale).astype(np.int64),
        judge=judge.astype(np.int64) if np.all(judge == np.floor(judge)) else judge,
        people=tuple(names),
        scale=scale,
        exact=np.asarray(bins.to_codes(values, scale), dtype=np.float64) if bins.is_binned(scale) else None,
    )
    return alternative_annotator.run_test(labels, epsilon)


def measure_weakest_turn_agreement(
    card: Card, people: Mapping[Cell, float | None], values_by_cell: Mapping[Cell, Sequence[float | None]],
    replies: list[AuditReply], rule: CombinationRule, items: Mapping[str, Item],
) -> dict[Dimension, WeakestTurns]:  # fmt: skip
    """Return the agreement of the judge's weakest turns with people's, for each dimension whose answer is a turn.

    The weakest turn according to people is their label for it, or else the turn that they scored lowest.
    """
    dimension_names, by_dimension = {d.name for d in scored_dimensions(card.dimensions)}, {}
    by_item: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (item, unit, name), values in values_by_cell.items():
        if name in dimension_names and sort_of(unit) == "turn":
            by_item[item][turn_number(unit)] += [value for value in values if value is not None]
    for d in turn_dimensions(card.dimensions):
        dialogues = []
        for (item, _, _), samples in scores_by_cell(d, replies).items():
            dialogue = items[item]
            label = people.get((item, d.sort, d.name))
            if (label is None and item not in by_item) or not isinstance(dialogue, Dialogue):
                continue
            named = lowest_turns(by_item[item]) if label is None else frozenset({int(label)} - {0})
            own = combine_cell(samples, d, rule)
            dialogues.append(NamedTurns(tuple(dialogue.assistant_turns), named, int(own or 0), label is not None))
        if dialogues:
            by_dimension[d] = measure_weakest_turns(dialogues)
    return by_dimension


def describe_other_metrics(metrics: OtherMetrics) -> str:
    """The figures of other papers in a line."""
    return ", ".join(
        f"{name} {_number(figure.point)}{figure.in_brackets('.3f')}" for name, figure, _ in metrics.rows
    )
