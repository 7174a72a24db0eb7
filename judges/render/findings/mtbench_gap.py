"""The difference of two MT-Bench pipelines in words: their factors, the way from one mean to the other, the rest."""

from __future__ import annotations

from collections.abc import Sequence

from judges.mtbench.experiment import PipelineExperiment
from judges.mtbench.pipelines import Factor
from judges.mtbench.replay import Waterfall as Gap
from judges.plural import many
from judges.render.findings.findings import Column, Sentence, Table, WaterfallChart, quiet, say
from judges.render.words import cell, number, span

_BECOMES = {
    "replayed": "replayed on stored judgments where it can be",
    "rest": "part of what is left: new calls to a judge",
    "answers": "part of the answers: new answers",
    "report": "stated beside the mean, and moves none",
}
_PROVENANCE_WORDS = {"files": "data", "protocol": "protocol", "not known": "not known"}


def gap_summary(gap: Gap) -> list[Sentence]:
    """Both means and their difference; the two as they are reported, where their scales differ."""
    difference = gap.difference
    sentences = [
        say(
            "Over {models} that both rated: **{one}** {start}, **{other}** {end}; difference **{gap}**, 95% interval "
            "{ends}.",
            models=many(len(gap.models), "model"), one=gap.one.name, start=cell(gap.start.point), other=gap.other.name,
            end=cell(gap.end.point), gap=cell(difference.point, "+.3f"), ends=span(difference, "+.3f"),
        )
    ]  # fmt: skip
    if gap.one.protocol.scale != gap.other.protocol.scale:
        first, second = (cell(mean, ".4f") for mean in gap.reported)
        sentences.append(quiet("Reported on their own scales: {first} and {second}.", first=first, second=second))
    return sentences


def waterfall(gap: Gap) -> WaterfallChart:
    """The steps and what is left, from one mean to the other."""
    steps = [(step.factor, step.change.point or 0.0, step.explanation) for step in gap.steps]
    steps += [(part.name, part.change.point or 0.0, part.explanation) for part in gap.rest]
    steps += [(step.factor, step.change.point or 0.0, step.explanation) for step in gap.later]
    ends = (gap.one.name, gap.start.point or 0.0), (gap.other.name, gap.end.point or 0.0)
    return WaterfallChart(ends[0], steps, ends[1])


def step_table(gap: Gap) -> Table:
    """Every replayed factor: what switching it did in this order, in other orders, and how many ratings it touched."""
    rows = [
        {
            "factor": step.factor,
            "before": step.before,
            "after": step.after,
            "change": step.change.point,
            "95% interval": span(step.change, "+.3f"),
            "fair share": step.fair,
            "in other orders": f"{number(step.low, '+.3f')} to {number(step.high, '+.3f')}",
            "ratings": step.rows,
            "of": "second" if step.on_other else "first",
            "what was done": step.explanation,
        }
        for step in (*gap.steps, *gap.later)
    ]
    columns = {
        "factor": Column(width=190),
        **dict.fromkeys(("before", "after"), Column(".3f")),
        "change": Column("+.3f", "In the order in which the steps are shown."),
        "95% interval": Column("", "Of the change, by questions.", width=140),
        "fair share": Column("+.3f", "The change averaged over all orders of the factors (Shapley's value)."),
        "in other orders": Column("", "The least and the largest change in any order.", width=140),
        "ratings": Column(",", "Ratings that count only after the step, only before it, or differently."),
        "of": Column("", "Whose ratings show it. Steps that the first one's do not show are switched on the second's."),
        "what was done": Column(width="large"),
    }
    return Table(rows, columns)


def rest_table(gap: Gap) -> Table:
    """Return a table of the parts of the difference that are left after the replay."""
    rows = [
        {
            "what is left": part.name,
            "change": part.change.point,
            "95% interval": span(part.change, "+.3f"),
            "turns": part.cells,
            "of": part.explanation,
        }
        for part in gap.rest
    ]
    columns = {
        "what is left": Column(width=260),
        "change": Column("+.3f"),
        "95% interval": Column("", "By questions.", width=140),
        "turns": Column(","),
        "of": Column(title="what it is", width="large"),
    }
    return Table(rows, columns)


def step_order(gap: Gap) -> list[Sentence]:
    """Return sentences on how far the size of the steps depends on their order."""
    sentences = []
    steps = (*gap.steps, *gap.later)
    moving = [step for step in steps if abs(step.high - step.low) > 5e-4]
    if moving:
        sentences.append(
            quiet(
                "The size of a step depends on the order of the steps: {names}. The table has the least and the "
                "largest change in any order, and the fair share.",
                names=", ".join(
                    f"{step.factor} {number(step.low, '+.3f')} to {number(step.high, '+.3f')}" for step in moving
                ),
            )
        )  # fmt: skip
    elif len(steps) > 1:
        sentences.append(quiet("In every order of the steps each of them is the same to three digits."))
    return sentences


def unmoved_table(gap: Gap) -> Table:
    """The factors that differ without a step, and why there is none."""
    rows = [{"differs without a step": name, "why": why} for name, why in gap.unmoved]
    return Table(rows, {"differs without a step": Column(width=260)})


def experiment(pipeline_experiment: PipelineExperiment) -> list[Sentence | Table]:
    """The judge calls that would separate the rest of the difference, and their cost; if there are none, only why."""
    to_run = [arm for arm in pipeline_experiment.arms if not arm.stored]
    reasons: list[Sentence | Table] = [quiet("{why}", why=why) for why in pipeline_experiment.caveats]
    if not to_run:
        return reasons
    costs = [arm.cost for arm in to_run]
    cost = "not known" if None in costs else f"about {sum(amount or 0.0 for amount in costs):,.2f} US dollars"
    summary = say(
        "**{calls}** to judges would tell {factors} apart: each from the first or the second pipeline, in every "
        "combination. Cost: **{cost}**, by the price list.",
        calls=many(sum(arm.calls for arm in to_run), "call"), factors=", ".join(pipeline_experiment.factors), cost=cost,
    )  # fmt: skip
    rows = [
        {
            **{f"{name} of": {"a": "first", "b": "second"}[side] for name, side in arm.sides.items()},
            "calls": arm.calls,
            "tokens in": arm.tokens_in,
            "tokens out": arm.tokens_out,
            "US dollars": arm.cost,
        }
        for arm in to_run
    ]
    counts = dict.fromkeys(("calls", "tokens in", "tokens out"), Column(","))
    caption = (
        "Each row is a protocol for the command data mtbench run --dataset, which shows its calls and cost before it "
        "starts. The command judges mtbench compare --plan FOLDER writes these protocols as files."
    )
    return [summary, Table(rows, {**counts, "US dollars": Column(",.2f")}, caption), *reasons]


FACTORS = (("factor", "20%"), ("first", "27%"), ("second", "27%"), ("where it is known from", "26%"))
"""The columns of `factor_rows`, with their widths."""


def factor_rows(factors: Sequence[Factor]) -> list[tuple[str, str, str, str]]:
    """(factor and whether it differs, first, second, what a difference becomes); those that differ come first."""
    rows = []
    for factor in sorted(factors, key=lambda factor: (factor.differs is not True, factor.differs is not None)):
        state = {True: "\N{NOT EQUAL TO} differs", False: "equal", None: "not known"}[factor.differs]
        source = " and ".join(dict.fromkeys(_PROVENANCE_WORDS[known] for known in factor.sources))
        details = source + (f"\n{_BECOMES[factor.kind]}" if factor.differs else "")
        rows.append((f"{factor.name}\n{state}", factor.one, factor.other, details))
    return rows
