"""Mean ratings of models by judge: each turn, all turns, each category; and how much the counting rules change them.

FastChat's mean of a model is the mean over all rows that count, of both turns. If judgments failed, that is not the
mean of the two turns' means. Intervals are clustered by question: all turns, samples and models of a question go
together, because a hard question is hard for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.mtbench.protocol import Duplicates, Failed
from judges.mtbench.ratings import (
    COMBINATIONS,
    FAILED,
    HIGHEST,
    LOWEST,
    RatingTable,
    ReadingRules,
    count_ratings,
)
from judges.stats.agreement import Codes
from judges.stats.clustered import mean_by_item, with_t_ends
from judges.stats.uncertainty import Interval

ALL_MODELS = ""
"""Stands in place of a model's name for all models together."""


class ModelMeans(NamedTuple):
    """A model's means with a judge (`model` `ALL_MODELS`: of all models together), each with its interval by questions.

    `turns` by number, `all_turns` over all rows of all turns, `categories` by name over both turns. `failed` of its
    `judgments` have no rating.
    """

    judge: str
    model: str
    turns: Mapping[int, Interval]
    all_turns: Interval
    categories: Mapping[str, Interval]
    judgments: int
    failed: int


def model_means(table: RatingTable, rules: ReadingRules) -> list[ModelMeans]:
    """The means of every judge's models, after the mean of all its models; a mean without rows has no point."""
    counted = count_ratings(table, rules)
    lowest = LOWEST if rules.failed == "left out" else FAILED
    ends = (-inf, inf) if rules.failed == "counted" else (lowest * rules.unit, HIGHEST * rules.unit)
    means = []
    for judge in np.unique(table.judge).tolist():
        own = counted.where(counted.judge == judge)
        judge_table = table.where(table.judge == judge)
        for model in [None, *np.unique(judge_table.model).tolist()]:
            rows = own if model is None else own.where(own.model == model)
            model_table = judge_table if model is None else judge_table.where(judge_table.model == model)
            name = ALL_MODELS if model is None else table.models[model]
            means.append(_means(rows, model_table, table.judges[judge], name, ends))
    return means


def _means(
    counted: RatingTable, table: RatingTable, judge: str, model: str, ends: tuple[float, float]
) -> ModelMeans:
    def mean(keep: NDArray[np.bool_]) -> Interval:
        return question_mean(counted.number[keep], counted.question[keep], ends)

    everything = np.ones(len(counted), dtype=bool)
    return ModelMeans(
        judge,
        model,
        {turn: mean(counted.turn == turn) for turn in table.turns},
        mean(everything),
        {table.categories[n]: mean(counted.category == n) for n in np.unique(table.category).tolist()},
        len(table),
        int((table.reason > 0).sum()),
    )


def question_mean(
    value: NDArray[np.float64], question: Codes, ends: tuple[float, float] = (-inf, inf)
) -> Interval:
    """A mean over rows with Student's t over questions (`judges.stats.clustered.mean_by_item`), kept within `ends`.

    It uses t, not a bootstrap, because a category has ten questions, for which percentile intervals are too short. All
    None without rows; no ends if there is only one question or no spread.
    """
    return with_t_ends(mean_by_item(value, question), *ends)


def shared_turns(table: RatingTable, judge: str, other: str) -> tuple[RatingTable, RatingTable]:
    """The rows of two judges about turns of answers that both have given a rating.

    Each sample is a separate answer. A failed judgment is not a rating, whatever the protocol counts.
    """
    cells = table.cell_key
    first, second = (table.judge == table.judges.index(name) for name in (judge, other))
    rated = table.reason == 0
    shared = np.isin(cells, np.intersect1d(cells[first & rated], cells[second & rated]))
    return table.where(first & shared), table.where(second & shared)


class RuleMeans(NamedTuple):
    """A model's mean over all turns under each combination of rules (None if nothing counts), and their range.

    `range` is the highest less the lowest, None where one of them does not exist.
    """

    judge: str
    model: str
    means: Mapping[tuple[Failed, Duplicates], float | None]
    range: float | None


def means_by_rule(table: RatingTable, rules: ReadingRules) -> list[RuleMeans]:
    """Every judge's models, after all its models together, under each of `COMBINATIONS`; the rest is as in `rules`."""
    shape = len(table.judges), len(table.models)
    sums, sizes = [], []
    for failed, duplicates in COMBINATIONS:
        counted = count_ratings(table, rules._replace(failed=failed, duplicates=duplicates))
        place = counted.judge * shape[1] + counted.model
        sums.append(np.bincount(place, counted.number, minlength=shape[0] * shape[1]).reshape(shape))
        sizes.append(np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape))
    rule_means = []
    for judge in np.unique(table.judge).tolist():
        for model in [None, *np.unique(table.model[table.judge == judge]).tolist()]:
            at = slice(None) if model is None else model
            means = {
                rule: float(np.sum(total[judge, at]) / n) if (n := int(np.sum(size[judge, at]))) else None
                for rule, total, size in zip(COMBINATIONS, sums, sizes, strict=True)
            }
            known_means = [mean for mean in means.values() if mean is not None]
            mean_range = max(known_means) - min(known_means) if len(known_means) == len(means) else None
            name = ALL_MODELS if model is None else table.models[model]
            rule_means.append(RuleMeans(table.judges[judge], name, means, mean_range))
    return rule_means
