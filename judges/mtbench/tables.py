"""Every figure of MT-Bench as tables: plain rows with stable column names, for a terminal and for files.

A figure with an interval is three columns: its name, and the name with _low and _high. An undefined figure is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from judges.mtbench import ratings
from judges.mtbench.comparison import PairAgreement, compare_two_judges, share_ratings
from judges.mtbench.experiment import SIDE_NAMES, PipelineExperiment
from judges.mtbench.japanese import japanese_shares
from judges.mtbench.means import ALL_MODELS, ModelMeans, means_by_rule, model_means, question_mean
from judges.mtbench.protocol import Protocol, describe_protocol, protocols
from judges.mtbench.ranks import compare_ranks, rank_models
from judges.mtbench.records import Bench, Judge
from judges.mtbench.replay import Step, Waterfall
from judges.mtbench.votes import vote_agreement
from judges.mtbench.win_rates import Verdicts, decide_games, verdicts_from_ratings, win_rates
from judges.plural import many
from judges.stats.uncertainty import Interval

Value = str | int | float | bool | None
Row = dict[str, Value]
ALL_LABEL = "(all)"
"""Stands in place of a model's name for all models together, or of a turn for all turns."""
_MIN_JAPANESE_SHARE = 0.001
"""If the share of Japanese is below this in every model's answers, they are in another language."""


class ResultTable(NamedTuple):
    """Rows with the same keys; `name` is that of a file, `title` and the sentences of `notes` are for people."""

    name: str
    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()


class RatingSelection(NamedTuple):
    """The ratings that are asked for, and by which protocol each judge's are read; the protocol has its judges.

    `judges` are those with a rating among them, in the requested order, else in the order of the files.
    """

    bench: Bench
    table: ratings.RatingTable
    protocols: Mapping[str, tuple[Protocol, list[str]]]
    judges: Sequence[str]

    @property
    def parts(self) -> Iterator[tuple[ratings.ReadingRules, ratings.RatingTable]]:
        """The rules and the ratings of the judges of each protocol."""
        for protocol, judges in self.protocols.values():
            yield ratings.rules_of(protocol), self.table.narrow(judges)

    def names(self, judge: str, model: str) -> Row:
        """The first two columns: judge and model."""
        return {"judge": judge_label(self.bench, judge), "model": ALL_LABEL if model == ALL_MODELS else model}


def narrow(
    bench: Bench, judges: Sequence[str] = (), models: Sequence[str] = (), categories: Sequence[str] = ()
) -> Bench:
    """Restrict to some judges, models and categories (none: all); a pair stays if both of its models stay."""
    question_keys = {key for key, question in bench.questions.items() if question.category in categories}

    def is_selected(question: str, judge: str, *named: str) -> bool:
        fits = not models or all(model in models for model in named)
        return fits and (not categories or question in question_keys) and (not judges or judge in judges)

    any_judge = judges[0] if judges else ""
    return replace(
        bench,
        answers={key: answer for key, answer in bench.answers.items() if is_selected(key[0], any_judge, key[1])},
        ratings=tuple(rating for rating in bench.ratings if is_selected(rating.question, rating.judge, rating.model)),
        games=tuple(game for game in bench.games if is_selected(game.question, game.judge, game.a, game.b)),
        votes=tuple(vote for vote in bench.votes if is_selected(vote.question, any_judge, vote.a, vote.b)),
    )


def own_protocol(bench: Bench, judge: str) -> Protocol:
    """The built-in protocol that a judge's files name; FastChat's if they name none."""
    named = bench.judges[judge].protocol.partition("@")[0] if judge in bench.judges else ""
    return protocols().get(named, protocols()["fastchat"])


def select_ratings(
    bench: Bench, protocol: Protocol | None = None, judges: Sequence[str] = (), models: Sequence[str] = (),
    categories: Sequence[str] = (),
) -> RatingSelection:  # fmt: skip
    """The ratings of some judges, models and categories (none: all), each read by the given or the own protocol."""
    bench, by_name = narrow(bench, judges, models, categories), dict[str, tuple[Protocol, list[str]]]()
    table = ratings.read_ratings(bench)
    rated = table.judged
    raters = [judge for judge in judges or rated if judge in rated]
    for judge in raters:
        judge_protocol = protocol or own_protocol(bench, judge)
        by_name.setdefault(judge_protocol.name, (judge_protocol, []))[1].append(judge)
    for judge_protocol, named in by_name.values():
        if judge_protocol.parse != "fastchat":
            mask = np.isin(table.judge, [table.judges.index(judge) for judge in named])
            other = ratings.read_ratings(bench, judge_protocol.parse)
            number = np.where(mask, other.number, table.number)
            table = replace(table, number=number, reason=np.where(mask, other.reason, table.reason))
    return RatingSelection(bench, table, by_name, raters)


def judge_label(bench: Bench, judge: str) -> str:
    """The name of a judge: its model, or its whole id if several judges have that model."""
    model = bench.judges[judge].model if judge in bench.judges else judge
    same_model_judges = sum(record.model == model for record in bench.judges.values())
    return model if same_model_judges == 1 else judge


def figure_columns(name: str, interval: Interval | None) -> Row:
    """A figure and its ends as three columns."""
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {name: interval.point if interval else None, f"{name}_low": low, f"{name}_high": high}


def field_columns(record: NamedTuple, *fields: str) -> Row:
    """Fields of a record as columns, "likely" or "a as higher"; a figure with its ends."""
    row: Row = {}
    for field, _, column in (name.partition(" as ") for name in fields):
        value = getattr(record, field)
        row |= figure_columns(column or field, value) if isinstance(value, Interval) else {column or field: value}
    return row


def result_tables(chosen: RatingSelection, wide: bool = False) -> list[ResultTable]:
    """The tables judges, means, categories, rules, ranks, wins and Japanese; empty tables are left out.

    `wide` puts the categories side by side, without intervals, which is easier to read.
    """
    means = [model_mean for rules, table in chosen.parts for model_mean in model_means(table, rules)]
    tables = [
        _judges(chosen), _means(chosen, means), _by_category(chosen, means, wide), _shared_table(chosen),
        _rules(chosen), *_ranks(chosen), *_wins(chosen), _japanese(chosen), _changed_table(chosen),
    ]  # fmt: skip
    return [table for table in tables if table.rows]


def _judges(chosen: RatingSelection) -> ResultTable:
    rows = []
    for protocol, judges in chosen.protocols.values():
        for count in ratings.count_judgments(chosen.bench, chosen.table.narrow(judges)):
            judge = chosen.bench.judges.get(count.judge, Judge("", "", "", ""))
            rows.append(
                {"judge": judge_label(chosen.bench, count.judge)} | field_columns(judge, "prompt", "wording")
                | {"read_by": protocol.name} | field_columns(count, "judgments", "turns")
                | {why: count.failed.get(why, 0) for why in ratings.REASONS[1:]}
                | field_columns(count, "doubled", "repeated as judged_again", "differing", "spread", "changed")
            )  # fmt: skip
    notes = (
        "doubled: judgments beyond the first of the same sample's turn. judged_again: turns whose text was judged more "
        "than once; in differing of them the ratings differ, by spread points on average over all of them. changed: "
        "judgments whose text gives another number than their file states.",
    )
    return ResultTable("judges", "Judges and their judgments", rows, notes)


def _means(chosen: RatingSelection, means: Sequence[ModelMeans]) -> ResultTable:
    turns = sorted({turn for model_mean in means for turn in model_mean.turns})
    rows = []
    for model_mean in means:
        row = chosen.names(model_mean.judge, model_mean.model)
        for turn in turns:
            row |= figure_columns(f"turn_{turn}", model_mean.turns.get(turn))
        rows.append(row | field_columns(model_mean, "all_turns as both", "judgments", "failed"))
    notes = []
    for protocol, _ in chosen.protocols.values():
        words = dict(describe_protocol(protocol))
        rules = "; ".join(f"{name}: {words[name]}" for name in ("failed judgments", "repeated judgments", "scale"))
        notes.append(f"Read by {protocol.name}: {rules}.")
    count = len(np.unique(chosen.table.question))
    notes.append(f"Intervals are at 95 %, by {many(count, 'question')}. both: the mean over the rows of all turns.")
    if sizes := sorted({model_mean.all_turns.items for model_mean in means if 0 < model_mean.all_turns.items < 30}):
        notes.append(f"Below 30 questions ({', '.join(map(str, sizes))} here) nothing is concluded from an interval.")
    return ResultTable("means", "Mean ratings", rows, notes)


def _by_category(chosen: RatingSelection, means: Sequence[ModelMeans], wide: bool) -> ResultTable:
    named = list(dict.fromkeys(category for model_mean in means for category in model_mean.categories))
    rows: list[Row] = []
    for model_mean in means:
        head, categories = chosen.names(model_mean.judge, model_mean.model), model_mean.categories
        if wide:
            means_of = {name or "(none)": categories.get(name) for name in named}
            rows.append(head | {name: mean.point if mean else None for name, mean in means_of.items()})
        else:
            rows += [head | {"category": name} | figure_columns("mean", mean) for name, mean in categories.items()]
    return ResultTable("categories", "Mean ratings by category", rows if named != [""] else ())


def _shared_table(chosen: RatingSelection) -> ResultTable:
    rows = []
    for judge, other in combinations(chosen.judges, 2):
        shared = share_ratings(chosen.table, judge, other)
        names: Row = {"judge": judge_label(chosen.bench, judge), "other": judge_label(chosen.bench, other)}
        for model in [None, *np.unique(shared.one.model).tolist()]:
            cells = shared if model is None else shared.where(shared.one.model == model)
            x, y, question = cells.one.number, cells.other.number, cells.one.question
            rows.append(
                names | {"model": ALL_LABEL if model is None else shared.one.models[model], "cells": len(x)}
                | figure_columns("mean", question_mean(x, question))
                | figure_columns("other_mean", question_mean(y, question))
                | figure_columns("difference", question_mean(y - x, question))
            )  # fmt: skip
    notes = ("A cell: a turn of a sample that both judges rated, in points from 1 to 10. difference: other - judge.",)
    return ResultTable("shared", "Means on the cells that two judges share", rows, notes)


def _rules(chosen: RatingSelection) -> ResultTable:
    rows = [
        chosen.names(rule_mean.judge, rule_mean.model)
        | {f"{failed}, {duplicates}": mean for (failed, duplicates), mean in rule_mean.means.items()}
        | {"range": rule_mean.range}
        for rules, table in chosen.parts for rule_mean in means_by_rule(table, rules)
    ]  # fmt: skip
    notes = (
        "Columns say what becomes of failed judgments (left out, counted as -1, or so unless all of their turn failed) "
        "and of several of one turn (raw: each counts; first; averaged). range: how far the mean moves.",
    )
    return ResultTable("rules", "Mean ratings under every rule of counting", rows, notes)


def _ranks(chosen: RatingSelection) -> Iterator[ResultTable]:
    rows, pairs = list[Row](), list[Row]()
    notes = ["first: how likely a model is the best, over draws of questions."]
    for rules, table in chosen.parts:
        counted = ratings.count_ratings(table, rules)
        for judge in table.judged:
            ranking, named = rank_models(counted, judge), judge_label(chosen.bench, judge)
            of_judge: Row = {"judge": named}
            rows += [of_judge | field_columns(model, "model", "mean", "rank", "first") for model in ranking.models]
            fields = ("higher", "lower", "difference as ahead", "turned", "settled")
            pairs += [of_judge | field_columns(pair, *fields) for pair in ranking.pairs]
            if ranking.pairs:
                open_ = len(ranking.unsettled)
                notes.append(
                    f"{named}: the order of {open_} of {many(len(ranking.pairs), 'pair')} of models is not settled."
                )
    yield ResultTable("ranks", "Ranks of models", rows if pairs else (), notes)
    legend = ("ahead: how far the higher mean is ahead. turned: in which share of draws the order is the other way.",)
    yield ResultTable("model_pairs", "Every two models", pairs, legend)


def _wins(chosen: RatingSelection) -> Iterator[ResultTable]:
    games, derived = decide_games(chosen.bench), verdicts_from_ratings(chosen.table)
    notes = [
        f"{judge_label(chosen.bench, count.judge)}: {many(count.decided, 'pair')} decided, {count.inconsistent} of "
        f"them ties because the verdict changed with the order, and {count.single} asked in one order only; "
        f"{count.failed} left out because a verdict failed."
        for count in games.counts
    ]
    adjusted = "adjusted = (wins + ties / 2) / games."
    yield ResultTable("wins", "Wins in pairs, both orders", _rates(chosen, games, False), [*notes, adjusted])
    yield ResultTable("wins_by_pair", "Wins of each two models", _rates(chosen, games, True))
    note = "The higher of two single ratings wins, as FastChat derives it; no judge compared the two answers."
    rates = _rates(chosen, derived, False)
    yield ResultTable("wins_from_ratings", "Wins derived from single ratings", rates, (note, adjusted))


def _rates(chosen: RatingSelection, verdicts: Verdicts, pairs: bool) -> list[Row]:
    fields = ("against",) * pairs + ("games", "win", "loss", "tie", "adjusted")
    return [
        chosen.names(rate.judge, rate.model) | field_columns(rate, *fields) for rate in win_rates(verdicts, pairs)
    ]


def _japanese(chosen: RatingSelection) -> ResultTable:
    shares = japanese_shares(chosen.bench)
    fields = ("model", "turn", "characters", "japanese", "share")
    rows = [field_columns(share, *fields) | ({} if share.turn else {"turn": ALL_LABEL}) for share in shares]
    notes = ("Of all characters of the answers as plain text, spaces too; blocks of thinking are left out.",)
    has_japanese = any((share.share.point or 0) >= _MIN_JAPANESE_SHARE for share in shares)
    return ResultTable("japanese", "Share of Japanese characters", rows if has_japanese else (), notes)


def _changed_table(chosen: RatingSelection) -> ResultTable:
    rows = []
    changed = chosen.table.where(np.isin(chosen.table.place, ratings.changed_ratings(chosen.bench, chosen.table)))
    for place, number in zip(changed.place.tolist(), changed.number.tolist(), strict=True):
        rating = chosen.bench.ratings[place]
        row = chosen.names(rating.judge, rating.model) | field_columns(rating, "question", "choice", "turn", "stated")
        rows.append(row | {"read": None if number != number else number})
    return ResultTable("changed", "Judgments whose text gives another number than their file states", rows)


def comparison_tables(chosen: RatingSelection) -> list[ResultTable]:
    """Every two judges on the answers that both rated: agreement, ranks, flips, and the largest disagreements."""
    rows, ranks, flips, largest = list[Row](), list[Row](), list[Row](), list[Row]()
    notes = ["difference: other - judge, in points from 1 to 10; kappa is quadratic-weighted; mae: mean distance."]
    for judge, other in combinations(chosen.judges, 2):
        comparison = compare_two_judges(chosen.table, judge, other)
        labels = judge_label(chosen.bench, judge), judge_label(chosen.bench, other)
        names: Row = {"judge": labels[0], "other": labels[1]}
        scopes: list[tuple[str, PairAgreement]] = [("all", comparison.overall)]
        if comparison.overall.cells:
            scopes += [(f"turn {turn}", cut) for turn, cut in comparison.turns.items()]
            if list(comparison.categories) != [""]:
                scopes += [(name or "(no category)", cut) for name, cut in comparison.categories.items()]
        rows += [
            names | {"scope": scope}
            | field_columns(cut, "cells", "one as mean", "other as other_mean", *PairAgreement._fields[3:])
            for scope, cut in scopes
        ]  # fmt: skip
        notes.append(
            f"{' and '.join(labels)}: {many(comparison.overall.cells, 'shared cell')}; {comparison.alone[0]} rated by "
            f"the first alone, {comparison.alone[1]} by the other alone."
        )
        moved = compare_ranks(comparison.shared)
        ranks += [
            names | field_columns(change, "model", "one as rank", "other as other_rank", "change")
            for change in moved.models
        ]
        fields = ("a as higher", "b as lower", "one as ahead", "other as other_ahead", "likely", "settled")
        flips += [names | field_columns(flip, *fields) for flip in moved.flipped]
        for disagreement in comparison.largest:
            named = ("question", "category", "model", "choice", "turn", "one as rating", "other as other_rating")
            text, other_text = (chosen.bench.ratings[place].text.strip() for place in disagreement.places)
            largest.append(names | field_columns(disagreement, *named) | {"text": text, "other_text": other_text})
    flipping = ("higher, lower: as the first judge has them. likely: in which share of draws the judges disagree.",)
    found_tables = [
        ResultTable("agreement", "Judge against judge", rows, notes),
        ResultTable("rank_changes", "Ranks of models with two judges, on the cells that both rated", ranks),
        ResultTable("flips", "Pairs of models that the judges put in opposite orders", flips, flipping),
        ResultTable("disagreements", "The largest disagreements", largest),
    ]
    return [table for table in found_tables if table.rows]


def vote_table(bench: Bench) -> ResultTable:
    """Votes of people with judges and with each other; without rows where there are no votes."""
    rows: list[Row] = []
    for agreement in vote_agreement(bench):
        one = agreement.one if agreement.between else judge_label(bench, agreement.one)
        turn = ALL_LABEL if agreement.turn is None else agreement.turn
        row: Row = {"one": one, "other": agreement.other, "turn": turn}
        rows.append(row | field_columns(agreement, "setup as ties", "pairs", "equal as agreement", "kappa"))
    notes = (
        "agreement: the share of equal pairs of votes, which with ties counted is S1, and with ties dropped S2 in the "
        "MT-Bench paper. "
        "majority: what most voters say, a drawn vote being a tie. Intervals are at 95 %, by questions.",
    )
    return ResultTable("votes", "Votes on pairs", rows, notes)


def waterfall_tables(waterfall: Waterfall) -> list[ResultTable]:
    """Two pipelines: the table of factors, the way from one mean to the other, and what could not be replayed."""
    factors: list[Row] = [
        {"factor": factor.name, "one": factor.one, "other": factor.other,
         "differs": {True: "yes", False: "no", None: "not known"}[factor.differs],
         "known_from": " and ".join(dict.fromkeys(factor.sources))}
        for factor in waterfall.factors
    ]  # fmt: skip
    left_rows = [
        _step(part.name, part.change, "left", ratings=part.cells, done=part.explanation) for part in waterfall.rest
    ]
    steps = [
        _step("mean of the first", waterfall.start, "start"), *map(_replay_row, waterfall.steps), *left_rows,
        *map(_replay_row, waterfall.later), _step("mean of the other", waterfall.end, "end"),
        _step("difference", waterfall.difference, "difference"),
    ]  # fmt: skip
    first, second = waterfall.reported
    left, least, most = waterfall.left
    notes = [
        "All in points from 1 to 10. fair: the change averaged over all orders; least, most: in any order. What only "
        "the other's ratings show is switched on them, at the end.",
        f"What is left takes new calls to tell apart: {left:+z.3f} averaged over all orders, {least:+z.3f} to "
        f"{most:+z.3f} in any of them.",
        f"On their own scales: {first:.4g} and {second:.4g}.",
        *(f"{name}: not replayed, as {why}." for name, why in waterfall.unmoved),
    ]
    return [
        ResultTable("factors", "What the two pipelines do", factors),
        ResultTable("waterfall", "From one mean to the other", steps, notes),
    ]


def experiment_table(experiment: PipelineExperiment) -> ResultTable:
    """The arms that would separate the remaining difference, with their cost; no rows if there are none."""
    rows: list[Row] = [
        {"arm": arm.protocol.name, **{f"{factor}_of": SIDE_NAMES[side] for factor, side in arm.sides.items()},
         "calls": arm.calls, "tokens_in": arm.tokens_in, "tokens_out": arm.tokens_out, "cost": arm.cost,
         "there": "stored" if arm.stored else "to run"}
        for arm in experiment.arms
    ]  # fmt: skip
    run = [arm for arm in experiment.arms if not arm.stored]
    costs = [arm.cost for arm in run]
    cost = "not known" if None in costs else f"about {sum(cost or 0 for cost in costs):.2f} US dollars"
    notes = [f"To run: {many(sum(arm.calls for arm in run), 'call')} to judges; cost: {cost}.", *experiment.caveats]
    return ResultTable("experiment", "What it would take to tell apart what is left", rows, notes)


def _replay_row(step: Step) -> Row:
    kind = "replayed, other" if step.on_other else "replayed, first"
    fields = ("after", "fair", "low as least", "high as most", "rows as ratings", "explanation as done")
    return _step(step.factor, step.change, kind, **field_columns(step, *fields))


def _step(name: str, interval: Interval, kind: str, **figures: Value) -> Row:
    empty: Row = {"after": None, "fair": None, "least": None, "most": None, "ratings": interval.cells, "done": ""}
    return {"step": name, "kind": kind} | figure_columns("points", interval) | empty | figures
