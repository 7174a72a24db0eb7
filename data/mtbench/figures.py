"""The figures of a dataset of MT-Bench, kept until something comes in that they rest on."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from data.mtbench.mtbench import item_ids, load_bench
from data.records import exposure
from data.records.access import allow
from data.records.protocols import protocol_named
from data.store import Store, cache_result
from judges.client.prices import price
from judges.mtbench import comparison, japanese, means, ranks, votes, win_rates
from judges.mtbench.comparison import MAX_DISAGREEMENTS, Disagreement, PairAgreement, RatingComparison
from judges.mtbench.completeness import describe_contents
from judges.mtbench.experiment import PipelineExperiment, plan_pipeline_experiment
from judges.mtbench.japanese import JapaneseShare
from judges.mtbench.means import ModelMeans, RuleMeans
from judges.mtbench.pipelines import Factor, Pipeline, compare_pipelines
from judges.mtbench.protocol import Parse
from judges.mtbench.ranks import RankComparison, Ranking
from judges.mtbench.ratings import JudgeCount, RatingTable, ReadingRules, count_judgments, count_ratings, read_ratings
from judges.mtbench.records import Bench, judge_names
from judges.mtbench.replay import Waterfall, replay
from judges.mtbench.votes import VerdictAgreement
from judges.mtbench.win_rates import VerdictCount, WinRate

Source = Literal["verdicts", "ratings"]
By = Literal["turn", "category", "model"]
Shared = tuple[str, str] | tuple[()]
"""The two judges of whose ratings only those of the same turns count; () for all ratings."""


@cache_result
def rating_table(store: Store, dataset_id: str, parse: Parse, shared: Shared = ()) -> RatingTable:
    """Every rating of a dataset, read by one rule; only those of turns that two judges share, where there are two."""
    if not shared:
        return read_ratings(load_bench(store, dataset_id), parse)
    table = rating_table(store, dataset_id, parse)
    tables = means.shared_turns(table, *shared)
    return table.where(np.isin(table.place, np.concatenate([rows.place for rows in tables])))


@allow("annotator")
@cache_result
def model_means(store: Store, dataset_id: str, rules: ReadingRules, shared: Shared = ()) -> list[ModelMeans]:
    """The means of every judge's models, after those of all its models together."""
    return means.model_means(rating_table(store, dataset_id, rules.parse, shared), rules)


@allow("annotator")
@cache_result
def rankings(store: Store, dataset_id: str, rules: ReadingRules, shared: Shared = ()) -> dict[str, Ranking]:
    """judge -> the ranks of its models."""
    table = rating_table(store, dataset_id, rules.parse, shared)
    counted = count_ratings(table, rules)
    return {judge: ranks.rank_models(counted, judge) for judge in table.judged}


@allow("annotator")
@cache_result
def means_by_rule(store: Store, dataset_id: str, rules: ReadingRules, shared: Shared = ()) -> list[RuleMeans]:
    """The same means under every combination of the rules on failed and on repeated judgments."""
    return means.means_by_rule(rating_table(store, dataset_id, rules.parse, shared), rules)


@allow("annotator")
@cache_result
def judgment_counts(store: Store, dataset_id: str, parse: Parse) -> list[JudgeCount]:
    """Return the counts of each judge's judgments."""
    return count_judgments(load_bench(store, dataset_id), rating_table(store, dataset_id, parse))


def named_bench(bench: Bench) -> Bench:
    """Return the same records with names of judges instead of ids."""
    names = judge_names(bench.judges.values())
    return replace(
        bench,
        judges={names[judge.id]: judge._replace(id=names[judge.id]) for judge in bench.judges.values()},
        ratings=tuple(rating._replace(judge=names[rating.judge]) for rating in bench.ratings),
        games=tuple(game._replace(judge=names[game.judge]) for game in bench.games),
    )


@allow("annotator")
@cache_result
def completeness(store: Store, dataset_id: str) -> list[str]:
    """Return in sentences what a dataset has and lacks: missing or doubled answers and judgments, those not scored.

    No sentence says what a judge gave a single answer, because not everybody may be shown that.
    """
    bench = named_bench(load_bench(store, dataset_id))
    unstated = (rating._replace(stated=None) if rating.text.strip() else rating for rating in bench.ratings)
    return describe_contents(replace(bench, ratings=tuple(unstated)))


@allow("annotator")
@cache_result
def compared_judges(store: Store, dataset_id: str, parse: Parse, judge: str, other: str) -> RatingComparison:
    """Two judges on the turns of answers that both gave a rating."""
    return comparison.compare_two_judges(rating_table(store, dataset_id, parse), judge, other, largest=200)


@allow("annotator")
def largest_disagreements(
    store: Store, person: str, dataset_id: str, parse: Parse, judge: str, other: str, limit: int = MAX_DISAGREEMENTS
) -> list[tuple[Disagreement, str]]:
    """The answers on which two judges differ most, each with its item, the largest difference first.

    Items that may still come to this person to be answered blind are left out; that the others are shown is recorded.
    """
    items, waits = item_ids(store, dataset_id), exposure.blind_pending(store, person)
    every = compared_judges(store, dataset_id, parse, judge, other).largest
    placed = [(difference, items[difference.question, difference.model, difference.choice]) for difference in every]
    shown = [(difference, item) for difference, item in placed if item not in waits][:limit]
    exposure.record_exposures(store, person, {item: (judge, other) for _, item in shown}, "comparison")
    return shown


@allow("annotator")
@cache_result
def agreement_by(
    store: Store, dataset_id: str, parse: Parse, judge: str, other: str, by: By
) -> dict[str, PairAgreement]:
    """Return how two judges agree on each turn, category or model."""
    compared = compared_judges(store, dataset_id, parse, judge, other)
    if by == "turn":
        return {f"turn {turn}": agreement for turn, agreement in compared.turns.items()}
    if by == "category":
        return {name or "no category": agreement for name, agreement in compared.categories.items()}
    row = compared.shared.one
    places = np.unique(row.model).tolist()
    return {row.models[n]: comparison.pair_agreement(compared.shared.where(row.model == n)) for n in places}


@allow("annotator")
@cache_result
def rank_changes(store: Store, dataset_id: str, parse: Parse, judge: str, other: str) -> RankComparison:
    """Return the changes in the ranks of models from one judge to the other."""
    return ranks.compare_ranks(compared_judges(store, dataset_id, parse, judge, other).shared)


@allow("annotator")
@cache_result
def pair_rates(
    store: Store, dataset_id: str, parse: Parse, source: Source, pairs: bool = False, shared: Shared = ()
) -> list[WinRate]:
    """Wins, losses and ties of every judge's models: against all others together, or (`pairs`) each other one.

    By the verdicts of judges that compared two answers, or derived from ratings (`shared`: which of them count), of
    which the higher one wins.
    """
    if source == "verdicts":
        verdicts = win_rates.decide_games(load_bench(store, dataset_id))
    else:
        verdicts = win_rates.verdicts_from_ratings(rating_table(store, dataset_id, parse, shared))
    return win_rates.win_rates(verdicts, pairs)


@allow("annotator")
@cache_result
def verdict_counts(store: Store, dataset_id: str) -> tuple[VerdictCount, ...]:
    """Return the outcomes of the verdicts of judges that compared two answers, as counts."""
    return win_rates.decide_games(load_bench(store, dataset_id)).counts


@allow("annotator")
@cache_result
def japanese_shares(store: Store, dataset_id: str) -> list[JapaneseShare]:
    """The share of Japanese characters in every model's answers, thinking left out."""
    return japanese.japanese_shares(load_bench(store, dataset_id))


@allow("annotator")
@cache_result
def vote_agreement(store: Store, dataset_id: str) -> list[VerdictAgreement]:
    """Judges with people's votes and their majority, and people with each other."""
    return votes.vote_agreement(load_bench(store, dataset_id))


@allow("annotator")
@cache_result
def rated_models(store: Store, dataset_id: str) -> dict[str, frozenset[str]]:
    """judge -> the models of which it rated an answer, or failed to."""
    models_by_judge: dict[str, set[str]] = {}
    for rating in load_bench(store, dataset_id).ratings:
        models_by_judge.setdefault(rating.judge, set()).add(rating.model)
    return {judge: frozenset(models) for judge, models in models_by_judge.items()}


class RunName(NamedTuple):
    """A pipeline by names: the ids of its dataset and judge, and a protocol's name, or the mark of an old version."""

    dataset: str
    judge: str
    protocol: str


def _pipeline(store: Store, run: RunName) -> Pipeline:
    """A pipeline with all that it rests on, called by its judge's model and its protocol."""
    bench, protocol = load_bench(store, run.dataset), protocol_named(store, run.protocol)
    return Pipeline(bench, run.judge, protocol, f"{bench.judges[run.judge].model}, {protocol.name}")


@allow("annotator")
@cache_result
def pipeline_gap(store: Store, run: RunName, other: RunName, model: str = "") -> Waterfall | None:
    """Return the steps from one pipeline's mean to another's, over one model or all in common; None without any."""
    return replay(_pipeline(store, run), _pipeline(store, other), [model] if model else [])


@allow("annotator")
@cache_result
def pipeline_factors(store: Store, run: RunName, other: RunName) -> tuple[Factor, ...]:
    """Return the factors in which two pipelines may differ, with the value of each in both."""
    return tuple(compare_pipelines(_pipeline(store, run), _pipeline(store, other)))


@allow("annotator")
@cache_result
def experiment_plan(store: Store, run: RunName, other: RunName, model: str = "") -> PipelineExperiment:
    """Return the judge calls, over one model or all, that tell apart what stored judgments cannot, and their cost."""
    return plan_pipeline_experiment(
        _pipeline(store, run), _pipeline(store, other), price, [model] if model else []
    )
