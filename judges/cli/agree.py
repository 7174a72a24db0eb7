"""`agree`: how well judgments agree with people's labels, per dimension, from plain files."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judges.audits import AuditReply
from judges.card import Card
from judges.cli import agree_extras
from judges.cli.agree_cells import pair_cells
from judges.cli.options import add_card, add_param, add_scale, chosen_card, chosen_scales, filed_card
from judges.errors import BadInput
from judges.importing.contents import FileContents, read_files
from judges.importing.line_files import read_items
from judges.importing.matches import JudgeMatch, match_judges
from judges.importing.tables import read_tables
from judges.params import CombinationRule
from judges.plural import many, verb
from judges.protocols import orders
from judges.protocols.combination import RULE_NAMES
from judges.render.findings import human_ceiling as human_ceiling_findings
from judges.render.findings.findings import sentence_text
from judges.stats import auto_accept, both_orders, missingness, other_metrics, rates, self_consistency, weakest_turns
from judges.stats.auto_accept import AutoAcceptance
from judges.stats.bins import describe_equality, row_count
from judges.stats.both_orders import PositionalAgreement
from judges.stats.calibration import Summary, summarise
from judges.stats.missingness import Missingness
from judges.stats.other_metrics import OtherMetrics
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import AlternativeAnnotatorTest
from judges.stats.rates import AnswerRates
from judges.stats.self_consistency import SelfConsistency
from judges.stats.weakest_turns import WeakestTurns
from judges.types import Dimension, sort_of


@dataclass(frozen=True)
class DimensionFigures:
    """What is measured of one dimension of a judge; None where nothing is missing, or where it was not asked for.

    `acceptance` has the source of confidence. `repeated` is the gain from several samples. `rates` has a flag's answer,
    or each category.
    """

    summary: Summary
    others: OtherMetrics
    missing: Missingness | None
    alternative: AlternativeAnnotatorTest | None
    rates: list[AnswerRates]
    acceptance: tuple[str, AutoAcceptance] | None
    repeated: SelfConsistency | None

    @property
    def dimension(self) -> Dimension:
        """The dimension that is measured."""
        return self.summary.dimension

    @property
    def title(self) -> str:
        """The dimension in words."""
        return self.dimension.title


@dataclass(frozen=True)
class JudgeFigures:
    """What is measured of one judge: its dimensions, its weakest turns, and the verdicts of pairs in both orders."""

    match: JudgeMatch
    dimensions: list[DimensionFigures]
    weakest_turns: dict[Dimension, WeakestTurns]
    orders: tuple[Dimension, PositionalAgreement] | None


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Agreement of a judge with people, per dimension: quadratic-weighted kappa where answers are in "
        "order, plain kappa elsewhere, with intervals by item. Blind labels count, or assisted ones where none is "
        "blind. A table needs no card: its columns are told apart by their names, and its scale by all its values."
    )
    parser.add_argument(
        "files", type=Path, nargs="+", metavar="FILE",
        help="judgments or scores, and labels or gold, in one file or several: Assay's lines, any export that has "
        "them, or a table with a judge's and a person's column; JSON lines, CSV or Parquet",
    )  # fmt: skip
    parser.add_argument("--judge", action="append", default=[], metavar="COLUMN", help="a judge's column of a table")
    parser.add_argument("--human", action="append", default=[], metavar="COLUMN", help="a person's column of a table")
    add_scale(parser)
    parser.add_argument("--good-rows", action="store_true", help="leave out rows of a table that are no answers")
    parser.add_argument(
        "--items", type=Path, metavar="ITEMS.jsonl", help="the items, so that replies are checked against them"
    )
    add_card(parser, "the card, where the judgments are of several")
    parser.add_argument("--model", help="the model, where the judgments are of several")
    add_param(parser)
    parser.add_argument(
        "--target", type=float, metavar="SHARE", help="which verdicts need no person: the agreement asked of them"
    )
    parser.add_argument(
        "--delta", type=float, metavar="P", help="with --target: the chance of missing it"
    )
    parser.add_argument("--near", action="store_true", help="with --target: one step apart is agreement")
    parser.add_argument(
        "--source", default="", help="with --target: whose confidence, where the judgments have it from several places"
    )
    agree_extras.add_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print a line for every dimension that has labels, the rates of flags and categories, and what needs no person."""
    if options.target is None and (options.delta is not None or options.near or options.source):
        raise BadInput("--delta, --near and --source go with --target.")
    options.delta = auto_accept.DELTA if options.delta is None else options.delta
    if options.target is not None:
        auto_accept.check_target(options.target, options.delta)
    agree_extras.check_handicap(options)
    contents = read_files(options.files, options.good_rows)
    if contents.tables:
        if contents.judgments or contents.labels or contents.scores or contents.gold:
            path = next(iter(contents.tables))
            raise BadInput(f"{path} is a table with its own columns: give it without files of Assay's lines.")
        unread = contents.assumptions
        contents = read_tables(contents.tables, options.judge, options.human, options.good_rows, chosen_scales(options))
        contents.assumptions += unread
    items = read_items(options.items) if options.items else {}
    own = filed_card(options)
    name = own.name if own else options.card or None
    matches = match_judges(contents, items, name, " ".join([options.model or "", *options.param]).strip(),
                    lambda card: own or chosen_card(options, card))  # fmt: skip
    judges = [figures for match in matches if (figures := _measure(options, match)) is not None]
    if not judges:
        raise BadInput(_explain_no_judge(options.files, contents, matches))
    if options.json:
        records = [{"judge": judge.match.judge, "dimensions": _as_records(options, judge)} for judge in judges]
        print(json.dumps(records[0]["dimensions"] if len(matches) == 1 else records, ensure_ascii=False, indent=1))
    else:
        print("\n\n".join("\n".join(_describe(options, judge)) for judge in judges))
    return 0


def _explain_no_judge(files: list[Path], contents: FileContents, matches: list[JudgeMatch]) -> str:
    """Explain why no judge has a figure."""
    dimensions = [(label.dimension, label.unit) for lines in contents.labels.values() for _, label in lines]
    dimensions += [(value.dimension, value.unit) for value in contents.gold]
    named = ", ".join(dict.fromkeys(f"{dimension} of {sort_of(unit)}" for dimension, unit in dimensions))
    about = ", ".join(f"{d.name} of {d.sort}" for d in matches[0].card.dimensions if _counts(d))
    return (
        f"{', '.join(map(str, files))}: no label is about a dimension of {matches[0].card.name} and an item of these "
        f"judgments. The labels are about {_shorten(named) or 'nothing'}; the card asks {_shorten(about)}."
    )


def _measure(options: argparse.Namespace, match: JudgeMatch) -> JudgeFigures | None:
    """The figures of a judge; None if no label is about anything that it judged."""
    card, people, replies, rule = match.card, match.people, match.replies, match.rule
    judged = [pair_cells(d, people, replies, rule, match.labels) for d in card.dimensions if _counts(d)]
    asked_masks = [agree_extras.find_asked(cells, match.asked_parts, match.named) for cells in judged]
    figures = []
    filled_ratings = agree_extras.fill_missing(judged, asked_masks, options.missing)
    for cells, asked_mask, ratings in zip(judged, asked_masks, filled_ratings, strict=True):
        if not (summary := summarise(ratings, cells.dimension)).gold_cells:
            continue
        alternative = acceptance = None
        if options.epsilon is not None:
            alternative = agree_extras.measure_alternative_annotator(cells, match.voices, options.epsilon)
        if options.target is not None:
            acceptance = agree_extras.measure_auto_acceptance(cells, replies, options)
        figures.append(
            DimensionFigures(
                summary,
                other_metrics.measure_other_metrics(ratings, cells.dimension),
                agree_extras.figures_by_choice(cells, asked_mask, options.missing),
                alternative,
                agree_extras.measure_rates(cells),
                acceptance,
                agree_extras.measure_gain(cells),
            )
        )
    turns = agree_extras.measure_weakest_turn_agreement(card, people, match.labels, replies, rule, match.items)
    if not figures and not turns:
        return None
    return JudgeFigures(match, figures, turns, _position_agreement(card, replies))


def _as_records(options: argparse.Namespace, judge: JudgeFigures) -> list[dict[str, Any]]:
    """The figures of a judge for JSON, a record for each dimension."""
    records = []
    for of in judge.dimensions:
        record = _summary_record(of.summary) | other_metrics.as_json(of.others)
        if judge.orders and judge.orders[0] == of.dimension:
            record["orders"] = both_orders.as_json(judge.orders[1])
        if of.missing:
            record["missing"] = {"counted": options.missing, **missingness.as_json(of.missing)}
        if of.alternative:
            record["alternative"] = alternative_annotator.as_json(of.alternative)
        record |= _gain_record(of.repeated, judge.match.rule)
        if of.rates:
            record["rates"] = [rates.as_json(answer) for answer in of.rates]
        if of.acceptance:
            source, acceptance = of.acceptance
            record["selective"] = {"source": source, **auto_accept.as_json(acceptance)}
        records.append(record)
    turns = judge.weakest_turns.items()
    return records + [{"unit": d.sort, "dimension": d.name, "weakest": weakest_turns.as_json(of)} for d, of in turns]


def _describe(options: argparse.Namespace, judge: JudgeFigures) -> list[str]:
    """The figures of a judge in lines: a table, then a statistic after the other for all dimensions."""
    match, replies = judge.match, judge.match.replies
    unread = sum(reply.reading.unscored is not None for reply in replies)
    gold = f"{many(len(match.people), 'reference label')} (gold) from {match.basis}"
    text = [
        *match.assumptions,
        f"{match.judge}: {many(len(replies), 'reply', 'replies')} ({unread} unscored), {gold}.\n",
        f"{'dimension':34} {'items':>6} {'ratings':>7}  {'kappa':>6}  {'95% interval':16} {'% agreement':>11} "
        f"{'n/a agreement':>13}",
    ]
    text += [_row(match.card, of.summary) for of in judge.dimensions]
    for of in judge.dimensions:
        lin = "kappa is Lin's concordance, " if of.dimension.scale.kind == "interval" else ""
        text.append(f"{of.title}: {lin}{agree_extras.describe_other_metrics(of.others).rstrip('.')}.")
    for of in judge.dimensions:
        if of.missing is not None:
            text.append("\n" + "\n".join(agree_extras.describe_choices(of.dimension, of.missing, options.missing)))
    for of in judge.dimensions:
        if of.alternative is not None:
            text.append(f"\n{of.title}: {sentence_text(human_ceiling_findings.test(of.alternative))}")
    for d, worst in judge.weakest_turns.items():
        text.append(f"\n{d.title}: {' '.join(weakest_turns.explain(worst))}")
    for of in judge.dimensions:
        for answer in of.rates:
            named = of.title if of.dimension.scale.kind == "flag" else f"{of.title}, {answer.rates.answer}"
            text.append(f"\n{named}: {' '.join(rates.explain(answer, of.dimension))}")
    for of in judge.dimensions:
        if of.acceptance is not None:
            (source, acceptance), scale = of.acceptance, of.dimension.scale
            sentences = auto_accept.explain(acceptance, options.near and scale.has_order)
            text.append(
                f"\n{of.title} ({source or 'no confidence'}): {sentences} {describe_equality(scale)}".rstrip()
            )
    if judge.orders:
        text.append(f"\n{judge.orders[0].title}, both orders: {' '.join(both_orders.explain(judge.orders[1]))}")
    if match.left_out:
        left, are = many(match.left_out, "reply", "replies"), verb(match.left_out, "is", "are")
        text.append(f"\n{left} of it that {are} not to both orders of a pair {are} left out.")
    gains = [(of, of.repeated) for of in judge.dimensions if of.repeated is not None]
    if gains:
        most = max(gain.samples for _, gain in gains)
        text.append(f"\n{most} samples, {RULE_NAMES[match.rule]}: all samples about one thing count as one answer.")
    for of, gain in gains:
        text += [f"{of.title}:", *(f"  {sentence}" for sentence in self_consistency.explain(gain))]
        text += [f"  {sentence}"] if (sentence := describe_equality(of.dimension.scale)) else []
    return text


def _position_agreement(card: Card, replies: list[AuditReply]) -> tuple[Dimension, PositionalAgreement] | None:
    """Return (verdict dimension, agreement of verdicts in both orders of pairs); None if no pair was judged in both."""
    d = orders.verdict_dimension(card)
    pairs = both_orders.verdicts_in_both_orders(
        (r.item, r.reading.facts.get("orders")) for r in replies if not r.reading.unscored
    )
    return (d, both_orders.positional_agreement(pairs, d.scale.answers)) if d is not None and pairs else None


def _counts(dimension: Dimension) -> bool:
    """Whether a labelled dimension has figures; of dimensions that only a judge states, aggregates have them."""
    return row_count(dimension.scale) > 0 and (dimension.asked or dimension.scale.kind == "interval")


def _gain_record(self_consistency: SelfConsistency | None, rule: CombinationRule) -> dict[str, Any]:
    if self_consistency is None:
        return {}
    return {
        "samples": self_consistency.samples,
        "combine": rule,
        "single": self_consistency.single,
        "gain": self_consistency.gain.point,
        "flips": self_consistency.flips.point,
        "flips_interval": self_consistency.flips.ends,
        "flaky": self_consistency.flaky,
    }


def _shorten(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:297]}..."


def _row(card: Card, summary: Summary) -> str:
    d, kappa = summary.dimension, summary.interval
    sorts = {dimension.sort for dimension in card.dimensions}
    name = f"{d.sort}.{d.name}" if len(sorts) > 1 else d.name
    point = "undef." if kappa.point is None else f"{kappa.point:.3f}"
    ends = "none" if kappa.low is None or kappa.high is None else f"{kappa.low:.3f} to {kappa.high:.3f}"
    exact = "" if summary.exact is None else f"{summary.exact:.1%}"
    na_text = "" if summary.na.agreement is None or not d.scale.na else f"{summary.na.agreement:.3f}"
    note = "  too few items for a verdict" if kappa.is_too_small else ""
    weights = "" if d.scale.has_order else " (plain)"
    figures = f"{kappa.items:6} {summary.cells:7}  {point:>6}  {ends:16} {exact:>11} {na_text:>13}"
    return f"{name + weights:34} {figures}{note}".rstrip()


def _summary_record(summary: Summary) -> dict[str, Any]:
    kappa = summary.interval
    return {
        "unit": summary.dimension.sort,
        "dimension": summary.dimension.name,
        "weights": summary.dimension.scale.weights,
        "kappa": kappa.point,
        "interval": kappa.ends,
        "items": kappa.items,
        "ratings": summary.cells,
        "agreement": summary.exact,
        "within_one": summary.within_one,
        "bias": summary.mean_difference,
        "unscored": summary.unscored,
        "answers": list(summary.answers),
        "table": summary.counts.tolist(),
    }
