"""The output of `agree` about single verdicts: the rates of flags and categories, and which need no review."""

from __future__ import annotations

import argparse

import numpy as np

from judges.audits import AuditReply, Cell
from judges.errors import AssayError
from judges.params import CombinationRule
from judges.protocols.combination import combine_on_scale
from judges.reading.confidence import SAMPLES
from judges.stats import auto_accept, rates
from judges.stats.auto_accept import AutoAcceptance, ConfidenceRatings
from judges.stats.bins import agreeing_share, nearest_answers, steps_apart
from judges.stats.calibration import PairedRatings
from judges.stats.rates import AnswerRates
from judges.types import Dimension, Score, sort_of


class NoSource(AssayError):
    """The judgments have no confidence of that source."""


def scores_by_cell(dimension: Dimension, replies: list[AuditReply]) -> dict[Cell, dict[int, Score]]:
    """Return the scores of the replies in each cell of a dimension, by sample number in ascending order."""
    by_cell: dict[Cell, dict[int, Score]] = {}
    for reply in sorted(replies, key=lambda r: r.sample):
        for score in reply.reading.scores:
            if score.dimension == dimension.name and sort_of(score.unit) == dimension.sort:
                by_cell.setdefault((reply.item, score.unit, score.dimension), {})[reply.sample] = score
    return by_cell


def combine_cell(scores: dict[int, Score], dimension: Dimension, rule: CombinationRule) -> float | None:
    """The combined value of the samples of a cell; None is n/a."""
    return combine_on_scale([score.value for score in scores.values()], rule, dimension.scale)


def _nearest_answer(scores: dict[int, Score], dimension: Dimension, rule: CombinationRule) -> float | None:
    """The answer of the scale that is nearest to it."""
    value = combine_cell(scores, dimension, rule)
    return None if value is None else float(nearest_answers([value], dimension.scale)[0])


def measure_rates(
    dimension: Dimension, ratings: PairedRatings, replies: list[AuditReply], rule: CombinationRule
) -> list[AnswerRates]:
    """The rates of a flag or of categories; the judge's own share is of all replies, labelled or not."""
    by_cell = scores_by_cell(dimension, replies)
    answers = [_nearest_answer(scores, dimension, rule) for scores in by_cell.values()]
    number = {item: n for n, item in enumerate(dict.fromkeys(cell[0] for cell in by_cell))}
    item = np.array([number[cell[0]] for cell in by_cell], dtype=np.int64)
    value = np.array([np.nan if v is None else v for v in answers], dtype=np.float64)
    return rates.rates_by_answer(ratings, dimension, rates.judge_shares(item, value))


def measure_auto_acceptance(
    d: Dimension, ratings: PairedRatings, cells: list[Cell], replies: list[AuditReply], rule: CombinationRule,
    options: argparse.Namespace,
) -> tuple[str, AutoAcceptance]:  # fmt: skip
    """The source of confidence, and which verdicts need no review by it; `cells` are those of `ratings`, in its order.

    Raises NoSource if the requested source does not exist.
    """
    by_cell = scores_by_cell(d, replies)
    sure = _confidence_by_source(d, by_cell, rule)
    sources = sorted(sure, key=lambda name: (-len(sure[name]), name))
    if options.source and options.source not in sources:
        source_names = ", ".join(sources) or "none"
        raise NoSource(f"{d.title} has no confidence from {options.source!r}. There is: {source_names}.")
    source = options.source or (sources[0] if sources else "")
    failed = {reply.item for reply in replies if reply.reading.unscored is not None}
    lowest: dict[str, float] = {}
    for cell in by_cell:
        value = np.nan if cell[0] in failed else sure.get(source, {}).get(cell, np.nan)
        lowest[cell[0]] = float(np.minimum(lowest.get(cell[0], np.inf), value))
    steps = 1 if options.near and d.scale.has_order else 0
    both_na = np.isnan(ratings.human) & np.isnan(ratings.judge)
    agree = np.where(both_na | (steps_apart(ratings.human, ratings.judge, d.scale) <= steps), 1.0, 0.0)
    confidence = np.array([lowest.get(cell[0], np.nan) for cell in cells], dtype=np.float64)
    at = ratings.scored
    by_confidence = ConfidenceRatings(ratings.item[at], confidence[at], agree[at], ratings.weight[at])
    return source, auto_accept.find_threshold(by_confidence, options.target, options.delta)


def _confidence_by_source(
    d: Dimension, by_cell: dict[Cell, dict[int, Score]], rule: CombinationRule
) -> dict[str, dict[Cell, float]]:
    """The confidence in each cell, by source; of several samples, the first one counts."""
    sure: dict[str, dict[Cell, float]] = {}
    for cell, scores in by_cell.items():
        first = next(iter(scores.values()))
        if first.confidence is not None:
            sure.setdefault(first.source.partition(": ")[0], {})[cell] = first.confidence
        if len(scores) > 1:
            samples = [score.value for score in scores.values()]
            sure.setdefault(SAMPLES, {})[cell] = agreeing_share(samples, combine_cell(scores, d, rule), d.scale)
    return sure
