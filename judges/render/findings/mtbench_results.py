"""MT-Bench's results in words: means by model and judge, categories, failed judgments, the rules side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan

from judges.mtbench.japanese import JapaneseShare
from judges.mtbench.means import ALL_MODELS, ModelMeans, RuleMeans
from judges.mtbench.protocol import DUPLICATES_RULES, FAILED_RULES, PARSE_RULES, Duplicates, Failed
from judges.mtbench.ranks import Ranking
from judges.mtbench.ratings import HIGHEST, JudgeCount, ReadingRules
from judges.mtbench.records import Bench, Game, Rating, judge_names
from judges.mtbench.win_rates import VerdictCount, WinRate
from judges.plural import many
from judges.render.findings.findings import COUNT, Column, Finding, Intervals, Radar, Sentence, Table, quiet, say, warn
from judges.render.svg import IntervalRow
from judges.render.words import REASONS, cell, number, span
from judges.stats.uncertainty import Interval

FULL_QUESTION_COUNT = 80
"""The questions of a whole MT-Bench."""
MAX_IN_RADAR = 5
"""Models that a radar shows at once: more lines hide each other."""
MIN_IN_RADAR = 3
"""Categories that a radar needs: fewer enclose nothing."""
_ALL_LABEL = "all models"
"""Stands where a model's name does, for all of them together."""


def names_of_judges(bench: Bench, judged: Iterable[Rating | Game]) -> dict[str, str]:
    """The names of the judges of some judgments, by id: of those that rate turns, or that compare two answers."""
    ids = {judgment.judge for judgment in judged}
    return judge_names(judge for judge in bench.judges.values() if judge.id in ids)


def mean_format(rules: ReadingRules) -> str:
    """The format of means on the scale of these rules: as exact on 0 to 1 as on 1 to 10."""
    return ".3f" if rules.unit == 1 else ".4f"


def reading_rules(rules: ReadingRules) -> Sentence:
    """By which rules judgments become numbers."""
    return quiet(
        "Rules: {parse} counts; {counting}; scale {scale}.",
        parse=PARSE_RULES[rules.parse], counting=_describe_counting(rules.failed, rules.duplicates),
        scale="1 to 10" if rules.unit == 1 else "0 to 1 (rating / 10)",
    )  # fmt: skip


def _describe_counting(failed: Failed, duplicates: Duplicates) -> str:
    return f"failed judgments {FAILED_RULES[failed]}; of several judgments of a turn {DUPLICATES_RULES[duplicates]}"


def bench_contents(bench: Bench) -> list[Sentence]:
    """Return sentences on the contents of a benchmark, and on the questions and answers that are missing."""
    sentences = [
        say(
            "**{questions}**, **{models}**, **{judges}**.",
            questions=many(len(bench.questions), "question"), models=many(len(bench.models), "model"),
            judges=many(len(bench.judges), "judge"),
        )
    ]  # fmt: skip
    answered: dict[str, set[str]] = {model: set() for model in bench.models}
    for question, model, _ in bench.answers:
        answered[model].add(question)
    part = {model: n for model, questions in answered.items() if (n := len(bench.questions.keys() - questions))}
    if len(bench.questions) < FULL_QUESTION_COUNT:
        sentences.append(quiet("A whole MT-Bench has {n} questions.", n=FULL_QUESTION_COUNT))
    if part and bench.answers:
        named = [f"{model} ({many(n, 'question')})" for model, n in part.items()]
        least = ", ".join(named[:5]) + (f" and {len(named) - 5:,} more" if len(named) > 5 else "")
        sentences.append(warn("Answers are missing from: {least}.", least=least))
    return sentences


def prompts(bench: Bench, names: Mapping[str, str], known: Mapping[str, str]) -> Table:
    """Return the prompt that each judge was given, as far as known; `known` names wordings by fingerprint."""
    rates, compares = ({judgment.judge for judgment in judged} for judged in (bench.ratings, bench.games))
    rows = [
        {
            "judge": names[judge.id],
            "rates": " and ".join(
                subject for subject, these in (("turns", rates), ("pairs of answers", compares)) if judge.id in these
            ),
            "protocol": judge.protocol or "not known",
            "prompt": judge.prompt or "not known",
            "wording": (known.get(judge.wording) or judge.wording) or "not known",
        }
        for judge in bench.judges.values()
    ]
    return Table(rows, {"wording": Column(help="Fingerprint of the prompt: names stay while texts change.")})


def table(
    model_means: Sequence[ModelMeans], ranked: Mapping[str, Ranking], names: Mapping[str, str], rules: ReadingRules
) -> Table:
    """A row for each model and judge: rank, each turn, all turns together with their interval, what was judged."""
    places = {(judge, rank.model): rank for judge, ranking in ranked.items() for rank in ranking.models}
    model_means = best_first(model_means, ranked)
    turns = sorted({turn for means in model_means for turn in means.turns})
    rows = [
        {
            "judge": names[means.judge],
            "model": means.model or _ALL_LABEL,
            "rank": _point(rank.rank) if (rank := places.get((means.judge, means.model))) else None,
            "95% interval of it": _ends(rank.rank) if rank else "",
            **{f"turn {turn}": _point(means.turns.get(turn)) for turn in turns},
            "mean": means.all_turns.point,
            "95% interval": span(means.all_turns, mean_format(rules)),
            "questions": means.all_turns.items,
            "judgments": means.judgments,
            "failed": means.failed,
        }
        for means in model_means
    ]
    columns = {
        "judge": Column(width=190),
        "model": Column(width=230),
        "rank": Column("g", "1 is the best; equal means share the mean of their ranks.", width=52),
        "95% interval of it": Column("", "Of the rank: questions are resampled.", "95% interval", 96),
        **{f"turn {turn}": Column(mean_format(rules)) for turn in turns},
        "mean": Column(mean_format(rules), "Over all counted judgments of all turns, as FastChat averages."),
        "95% interval": Column("", "Of the mean. Whole questions are the units, as turns of one question go together."),
        **dict.fromkeys(("questions", "judgments", "failed"), COUNT),
    }
    return Table(rows, columns)


def _cell(mean: Interval, interval: bool) -> object:
    return f"{cell(mean.point, '.2f')} ({span(mean)})" if interval else mean.point


def _point(interval: Interval | None) -> float | None:
    return None if interval is None else interval.point


def best_first(model_means: Sequence[ModelMeans], ranked: Mapping[str, Ranking]) -> list[ModelMeans]:
    """The means judge by judge: all models together, then the models by rank, and those without a rating."""
    places = {(judge, rank.model): n for judge, ranking in ranked.items() for n, rank in enumerate(ranking.models, 1)}
    judges = {judge: n for n, judge in enumerate(dict.fromkeys(means.judge for means in model_means))}

    def place(means: ModelMeans) -> tuple[int, float]:
        return judges[means.judge], places.get((means.judge, means.model), inf if means.model else 0)

    return sorted(model_means, key=place)


def forest(model_means: Sequence[ModelMeans], ranking: Ranking, rules: ReadingRules) -> Intervals:
    """One judge's models with their intervals, the best first, and a line at the mean of all of them."""
    by_model = {means.model: means.all_turns for means in model_means}
    rows, intervals = [], []
    for model, _, rank, _ in (ranked for ranked in ranking.models if ranked.model in by_model):
        mean, likely = by_model[model], "" if rank.low == rank.high else f" ({_ends(rank)})"
        remark = f"{cell(mean.point, mean_format(rules))}, rank {cell(rank.point, 'g')}{likely}"
        rows.append(IntervalRow.of(model, mean, "", remark))
        intervals.append(mean)
    ends = [end for mean in intervals for end in (mean.low, mean.point, mean.high) if end is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    spare = max(0.0, rules.unit - (high - low)) / 2  # never less than a point, as small gaps would look large
    reach = low - spare, high + spare
    return Intervals(rows, _point(by_model.get(ALL_MODELS)), _ALL_LABEL, reach, "Mean ratings")


def _ends(rank: Interval) -> str:
    """The ranks that are likely: one where both ends are the same."""
    return cell(rank.low, "g") if rank.low == rank.high else span(rank, "g")


def model_order(ranking: Ranking) -> list[Sentence]:
    """Return sentences on how much of the order of a judge's models is settled."""
    if len(ranking.models) < 2:
        return []
    open_, best = ranking.unsettled, ranking.models[0]
    if not open_:
        if len(ranking.models) == 2:
            return [say("The order of the two models is settled at 95%.")]
        return [say("The order of all **{n} pairs** of models is settled at 95%.", n=f"{len(ranking.pairs):,}")]
    sentences = [
        say(
            "Of {pairs} of models the order of **{n}** is not settled at 95%; the closest: {higher} and {lower} "
            "({gap} apart).",
            pairs=many(len(ranking.pairs), "pair"), n=len(open_), higher=open_[0].higher, lower=open_[0].lower,
            gap=number(open_[0].difference.point),
        )
    ]  # fmt: skip
    if best.first is not None:
        sentences.append(quiet("{model} is best in {share} of resamples.", model=best.model, share=f"{best.first:.0%}"))
    return sentences


def category_table(model_means: Sequence[ModelMeans], intervals: bool) -> Table:
    """One judge's models by category: the means, with their intervals in words where they are asked for."""
    named = list(dict.fromkeys(name for means in model_means for name in means.categories))
    rows = [
        {
            "model": means.model or _ALL_LABEL,
            **{name or "no category": _cell(mean, intervals) for name in named if (mean := means.categories.get(name))},
        }
        for means in model_means
    ]
    columns = {"model": Column(width=230)} | ({} if intervals else {n or "no category": Column(".2f") for n in named})
    return Table(rows, columns)


def radar(model_means: Sequence[ModelMeans], models: Sequence[str], rules: ReadingRules) -> Radar:
    """Some models of one judge over the categories."""
    named = list(dict.fromkeys(name for means in model_means for name in means.categories))
    chosen = {means.model: means for means in model_means}
    series = [
        (model, [_point(chosen[model].categories.get(name)) for name in named]) for model in models if model in chosen
    ]
    return Radar([name or "no category" for name in named], series, (0.0, HIGHEST * rules.unit))


def counts(judge_counts: Sequence[JudgeCount], names: Mapping[str, str]) -> list[Finding]:
    """Return the counts of judgments that failed, came twice, differ when judged again, or differ from their file."""
    rows = [
        {
            "judge": names[count.judge],
            "judgments": count.judgments,
            "turns": count.turns,
            **{REASONS[why]: count.failed.get(why, 0) for why in ("unreadable", "out_of_range", "api_error")},
            "duplicates": count.doubled,
            "judged again": count.repeated,
            "differently": count.differing,
            "spread": count.spread,
            "text \N{NOT EQUAL TO} file": count.changed,
        }
        for count in judge_counts
    ]
    columns = {
        **dict.fromkeys(rows[0] if rows else (), COUNT),
        "judge": Column(width=230),
        "turns": Column(",", "Turns of a model's answers to a question, whatever the sample."),
        "duplicates": Column(",", "Judgments beyond the first of the same turn of the same sample."),
        "judged again": Column(",", "Turns whose identical text was judged several times."),
        "differently": Column(",", "Those of them whose ratings differ: the judge disagrees with itself."),
        "spread": Column(".2f", "Highest minus lowest rating of a text that was judged several times, on average."),
        "text \N{NOT EQUAL TO} file": Column(",", "Judgments whose text gives another rating than the file states."),
    }
    return [Table(rows, columns)]


def rule_table(rule_means: Sequence[RuleMeans], names: Mapping[str, str], rules: ReadingRules) -> list[Finding]:
    """The mean of every model under every rule on failed judgments and on several of one turn."""
    rows = [
        {"judge": names[row.judge], "model": row.model or _ALL_LABEL}
        | {f"{failed} · {duplicates}": mean for (failed, duplicates), mean in row.means.items()}
        | {"moves by": row.range}
        for row in rule_means
    ]
    columns = {
        "judge": Column(width=190),
        "model": Column(width=230),
        **{
            f"{failed} · {duplicates}": Column(mean_format(rules), f"{_describe_counting(failed, duplicates)}.")
            for row in rule_means[:1]
            for failed, duplicates in row.means
        },
        "moves by": Column(mean_format(rules), "Highest less lowest mean of the row."),
    }
    widest = max(((row.range or 0.0, row) for row in rule_means), key=lambda pair: pair[0], default=(0.0, None))
    if widest[0] > 0 and widest[1] is not None:
        sentence = say(
            "The rules move a mean by up to **{most}** ({model}, {judge}).",
            most=cell(widest[0], mean_format(rules)), model=widest[1].model or _ALL_LABEL, judge=names[widest[1].judge],
        )  # fmt: skip
    else:
        sentence = say("No rule moves a mean: no judgment failed, and no turn was judged twice.")
    return [sentence, Table(rows, columns)]


def wins(win_rates: Sequence[WinRate], names: Mapping[str, str]) -> Table:
    """A row for each model and judge: shares of wins, losses and ties, and the adjusted win rate with its interval."""
    rows = [
        {
            "judge": names[rate.judge],
            "model": rate.model,
            "games": rate.games,
            "win": rate.win.point,
            "loss": rate.loss.point,
            "tie": rate.tie.point,
            "adjusted": rate.adjusted.point,
            "95% interval": span(rate.adjusted, ".1%"),
        }
        for rate in win_rates
    ]
    columns = {
        "judge": Column(width=190),
        "model": Column(width=230),
        "games": COUNT,
        **dict.fromkeys(("win", "loss", "tie"), Column(".1%")),
        "adjusted": Column(".1%", "(wins + ties / 2) / games"),
        "95% interval": Column("", "Of the adjusted win rate, by questions.", width=130),
    }
    return Table(rows, columns)


def verdicts(counts: Sequence[VerdictCount], names: Mapping[str, str]) -> list[Sentence]:
    """Return a sentence for each judge on the outcome of its verdicts on pairs."""
    return [
        quiet(
            "{judge}: {n} decided; {turned} changed with the order and count as ties, {failed} left out as a verdict "
            "failed, {single} asked in one order only.",
            judge=names[count.judge], n=many(count.decided, "pair"), turned=f"{count.inconsistent:,}",
            failed=f"{count.failed:,}", single=f"{count.single:,}",
        )
        for count in counts
    ]  # fmt: skip


def duels(win_rates: Sequence[WinRate]) -> tuple[list[str], list[list[float]], list[list[str]]]:
    """One judge's models, the adjusted win rate of each against each other (nan: none), and the same in words."""
    rates: dict[str, list[float]] = {}
    for rate in win_rates:
        if rate.adjusted.point is not None:
            rates.setdefault(rate.model, []).append(rate.adjusted.point)
    models = sorted(rates, key=lambda name: -sum(rates[name]) / len(rates[name]))
    at = {name: n for n, name in enumerate(models)}
    shares = [[nan] * len(models) for _ in models]
    tooltips = [[""] * len(models) for _ in models]
    for rate in win_rates:
        if rate.model in at and rate.against in at and rate.adjusted.point is not None:
            shares[at[rate.model]][at[rate.against]] = rate.adjusted.point
            tooltips[at[rate.model]][at[rate.against]] = (
                f"{rate.model} against {rate.against}: {rate.adjusted.point:.1%} ({span(rate.adjusted, '.1%')}), "
                f"{rate.games:,} games"
            )
    return models, shares, tooltips


def japanese(japanese_shares: Sequence[JapaneseShare]) -> Table:
    """A row for each model: the share of Japanese characters in each turn and in all, with its interval."""
    turns = sorted({share.turn for share in japanese_shares if share.turn is not None})
    of = {(share.model, share.turn): share for share in japanese_shares}
    rows = [
        {
            "model": model,
            **{f"turn {turn}": _point(of[model, turn].share) if (model, turn) in of else None for turn in turns},
            "all turns": of[model, None].share.point,
            "95% interval": span(of[model, None].share, ".1%"),
            "characters": of[model, None].characters,
        }
        for model in dict.fromkeys(share.model for share in japanese_shares)
    ]
    columns = {
        "model": Column(width=230),
        **{f"turn {turn}": Column(".1%") for turn in turns},
        "all turns": Column(".1%", "All characters of all answers together, so that long answers weigh more."),
        "characters": Column(",", "Of the plain text: Markdown and thinking are left out, spaces count."),
    }
    return Table(rows, columns)
