"""The figures of a dataset of MT-Bench, kept until something comes in that they rest on."""

from __future__ import annotations

from typing import Literal

import numpy as np

from data.mtbench.mtbench import load_bench
from data.store import Store, kept
from judges.mtbench import comparison, means
from judges.mtbench.comparison import JudgeComparison, PairAgreement
from judges.mtbench.means import ModelMeans, RuleMeans
from judges.mtbench.protocol import Parse
from judges.mtbench.ratings import JudgeCount, RatingTable, Rules, count_judgments, read_ratings

By = Literal["turn", "category", "model"]
Shared = tuple[str, str] | tuple[()]
"""The two judges of whose ratings only those of the same turns count; () for all ratings."""


@kept
def rating_table(store: Store, dataset_id: str, parse: Parse, shared: Shared = ()) -> RatingTable:
    """Every rating of a dataset, read by one rule; only those of turns that two judges share, where there are two."""
    if not shared:
        return read_ratings(load_bench(store, dataset_id), parse)
    table = rating_table(store, dataset_id, parse)
    both = means.shared_cells(table, *shared)
    return table.where(np.isin(table.place, np.concatenate([rows.place for rows in both])))


@kept
def model_means(store: Store, dataset_id: str, rules: Rules, shared: Shared = ()) -> list[ModelMeans]:
    """The means of every judge's models, after those of all its models together."""
    return means.model_means(rating_table(store, dataset_id, rules.parse, shared), rules)


@kept
def means_by_rule(store: Store, dataset_id: str, rules: Rules, shared: Shared = ()) -> list[RuleMeans]:
    """The same means under every combination of the rules on failed and on repeated judgments."""
    return means.means_by_rule(rating_table(store, dataset_id, rules.parse, shared), rules)


@kept
def judgment_counts(store: Store, dataset_id: str, parse: Parse) -> list[JudgeCount]:
    """What each judge's judgments are, in numbers."""
    return count_judgments(load_bench(store, dataset_id), rating_table(store, dataset_id, parse))


@kept
def compared_judges(store: Store, dataset_id: str, parse: Parse, one: str, other: str) -> JudgeComparison:
    """Two judges on the turns of answers that both gave a rating."""
    return comparison.compare_judges(rating_table(store, dataset_id, parse), one, other, largest=200)


@kept
def agreement_by(
    store: Store, dataset_id: str, parse: Parse, one: str, other: str, by: By
) -> dict[str, PairAgreement]:
    """How two judges go together on each turn, category or model."""
    found = compared_judges(store, dataset_id, parse, one, other)
    if by == "turn":
        return {f"turn {turn}": held for turn, held in found.turns.items()}
    if by == "category":
        return {name or "no category": held for name, held in found.categories.items()}
    row = found.shared.row
    places = np.unique(row.model).tolist()
    return {row.models[n]: comparison.agreement(found.shared.where(row.model == n)) for n in places}
