"""The figures of `agree` besides kappa: missing scores, rates, auto-acceptance, samples, people, weakest turns."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from judges.audits import AuditReply, Cell
from judges.card import Card, Item
from judges.cli.agree_cells import JudgedCells, codes, combine_samples, item_numbers, scores_by_cell
from judges.errors import BadInput, BadScale
from judges.params import CombinationRule
from judges.plural import many
from judges.reading.confidence import SAMPLES
from judges.stats import auto_accept, bins, missingness, rates, self_consistency, weakest_turns
from judges.stats.auto_accept import AutoAcceptance, ConfidenceRatings
from judges.stats.calibration import PairedRatings
from judges.stats.missingness import Missingness
from judges.stats.other_metrics import OtherMetrics
from judges.stats.raters import alternative_annotator
from judges.stats.raters.ratings import Ratings
from judges.stats.rates import AnswerRates
from judges.stats.self_consistency import SampledCells, SelfConsistency
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
    """Raise BadInput for a handicap that makes no sense."""
    if args.epsilon is not None and not 0 <= args.epsilon < 1:
        raise BadInput(f"--epsilon is at least 0 and below 1, such as .2 for experts; it is {args.epsilon:g}.")


def find_asked(cells: JudgedCells, reply_keys: Set[tuple[str, str]], named: Set[Cell]) -> NDArray[np.bool_]:
    """For each cell, whether the judge was asked about it: then a cell without a score is missing.

    `reply_keys` are the (item, part) of its replies; scores that came without a reply are about the cells `named` only.
    """
    keys = [((item, ""), (item, unit), (item, unit, name)) for item, unit, name in cells.places]
    return np.array([whole in reply_keys or part in reply_keys or cell in named for whole, part, cell in keys], bool)


def fill_missing(
    judged: Sequence[JudgedCells], asked_masks: Sequence[NDArray[np.bool_]], choice: str
) -> list[PairedRatings]:
    """The ratings with missing scores filled by the choice; a dimension whose scale lacks that answer stays unchanged.

    Raises BadInput if no dimension with gold has that answer.
    """
    filled_ratings, refused = [], []
    for cells, mask in zip(judged, asked_masks, strict=True):
        try:
            code = missingness.imputed_code(choice, cells.dimension.scale)
            filled_ratings.append(missingness.impute(cells.ratings, code, mask))
        except BadScale as error:
            filled_ratings.append(cells.ratings)
            refused += [f"{cells.dimension.title}: {error}"] if cells.places else []
    if refused and len(refused) == sum(len(cells.places) > 0 for cells in judged):
        raise BadInput(f"--missing {choice} fits no dimension here. {'. '.join(refused)}.")
    return filled_ratings


def figures_by_choice(cells: JudgedCells, asked_mask: NDArray[np.bool_], choice: str) -> Missingness | None:
    """The figures under each choice; None if nothing is missing."""
    d, ratings = cells.dimension, cells.ratings
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
    cells: JudgedCells, answers: Mapping[tuple[Cell, str], float | None], epsilon: float
) -> alternative_annotator.AlternativeAnnotatorTest:
    """The alternative-annotator test of a dimension, with each person's answers in a cell."""
    ratings, scale = cells.ratings, cells.dimension.scale
    place = {cell: n for n, cell in enumerate(cells.places)}
    rows = [
        (place[cell], person, value) for (cell, person), value in answers.items() if cell in place and value is not None
    ]
    names = sorted({person for _, person, _ in rows})
    number = {person: n for n, person in enumerate(names)}
    cell = np.array([n for n, _, _ in rows], dtype=np.int64)
    values = np.array([value for _, _, value in rows], dtype=np.float64)
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
) -> dict[Dimension, weakest_turns.WeakestTurns]:  # fmt: skip
    """Return the agreement of the judge's weakest turns with people's, for each dimension whose answer is a turn.

    The weakest turn according to people is their label for it, or else the turn that they scored lowest.
    """
    dimension_names, by_dimension = {d.name for d in weakest_turns.scored_dimensions(card.dimensions)}, {}
    by_item: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (item, unit, name), values in values_by_cell.items():
        if name in dimension_names and sort_of(unit) == "turn":
            by_item[item][turn_number(unit)] += [value for value in values if value is not None]
    for d in weakest_turns.turn_dimensions(card.dimensions):
        dialogues = []
        for (item, _, _), samples in scores_by_cell(d, replies).items():
            dialogue = items[item]
            label = people.get((item, d.sort, d.name))
            if (label is None and item not in by_item) or not isinstance(dialogue, Dialogue):
                continue
            named = weakest_turns.lowest_turns(by_item[item]) if label is None else frozenset({int(label)} - {0})
            turns, own = tuple(dialogue.assistant_turns), int(combine_samples(samples, d, rule) or 0)
            dialogues.append(weakest_turns.NamedTurns(turns, named, own, label is not None))
        if dialogues:
            by_dimension[d] = weakest_turns.measure_weakest_turns(dialogues)
    return by_dimension


def measure_rates(cells: JudgedCells) -> list[AnswerRates]:
    """The rates of a flag or of categories; the judge's own share is of all replies, labelled or not."""
    scale = cells.dimension.scale
    answers = (None if value is None else bins.nearest_answers([value], scale)[0] for value in cells.judged.values())
    shares = rates.judge_shares(item_numbers(cells.judged), codes(answers))
    return rates.rates_by_answer(cells.ratings, cells.dimension, shares)


def measure_auto_acceptance(
    cells: JudgedCells, replies: Iterable[AuditReply], options: argparse.Namespace
) -> tuple[str, AutoAcceptance]:
    """The source of confidence, and which verdicts need no review by it.

    Raises BadInput if the requested source does not exist.
    """
    d, ratings = cells.dimension, cells.ratings
    sure = _confidence_by_source(cells)
    sources = sorted(sure, key=lambda name: (-len(sure[name]), name))
    if options.source and options.source not in sources:
        source_names = ", ".join(sources) or "none"
        raise BadInput(f"{d.title} has no confidence from {options.source!r}. There is: {source_names}.")
    source = options.source or (sources[0] if sources else "")
    failed = {reply.item for reply in replies if reply.reading.unscored is not None}
    lowest: dict[str, float] = {}
    for cell in cells.scores:
        value = np.nan if cell[0] in failed else sure.get(source, {}).get(cell, np.nan)
        lowest[cell[0]] = float(np.minimum(lowest.get(cell[0], np.inf), value))
    steps = 1 if options.near and d.scale.has_order else 0
    both_na = np.isnan(ratings.human) & np.isnan(ratings.judge)
    agree = np.where(both_na | (bins.steps_apart(ratings.human, ratings.judge, d.scale) <= steps), 1.0, 0.0)
    confidence, at = codes(lowest.get(cell[0]) for cell in cells.places), ratings.scored
    by_confidence = ConfidenceRatings(ratings.item[at], confidence[at], agree[at], ratings.weight[at])
    return source, auto_accept.find_threshold(by_confidence, options.target, options.delta)


def _confidence_by_source(cells: JudgedCells) -> dict[str, dict[Cell, float]]:
    """The confidence in each cell, by source; of several samples, the first one counts."""
    sure: dict[str, dict[Cell, float]] = {}
    for cell, samples in cells.scores.items():
        first = next(iter(samples.values()))
        if first.confidence is not None:
            sure.setdefault(first.source.partition(": ")[0], {})[cell] = first.confidence
        if len(samples) > 1:
            values = [score.value for score in samples.values()]
            share = bins.agreeing_share(values, cells.judged[cell], cells.dimension.scale)
            sure.setdefault(SAMPLES, {})[cell] = share
    return sure


def measure_gain(cells: JudgedCells) -> SelfConsistency | None:
    """The gain from several samples in a dimension; None if there is only one."""
    scale = cells.dimension.scale
    changes_by_item: dict[str, list[bool]] = defaultdict(list)
    for cell, samples in cells.scores.items():
        if len(samples) > 1:
            changes_by_item[cell[0]].append(bins.differ([score.value for score in samples.values()], scale))
    if not changes_by_item:
        return None
    numbers = sorted({number for samples in cells.scores.values() for number in samples})
    of_places = [cells.scores.get(cell, {}) for cell in cells.places]
    columns = [codes(samples[n].value if n in samples else None for samples in of_places) for n in numbers]
    ratings = cells.ratings
    draws = SampledCells(ratings.item, ratings.human, ratings.judge, ratings.weight, np.stack(columns, axis=1))
    hits, of = (np.array([float(count(changes)) for changes in changes_by_item.values()]) for count in (sum, len))
    return self_consistency.measure_self_consistency(draws, (hits, of), scale)


def describe_other_metrics(metrics: OtherMetrics) -> str:
    """The figures of other papers in a line."""
    return ", ".join(
        f"{name} {_number(figure.point)}{figure.in_brackets('.3f')}" for name, figure, _ in metrics.rows
    )
