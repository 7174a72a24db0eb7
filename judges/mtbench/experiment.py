"""The experiment that separates the effects of judge, prompt, references and answers of two pipelines.

Stored judgments alone cannot separate them. Each factor that differs is taken from one pipeline or the other, in every
combination: 2^k arms, of which two are stored already. The means of all arms then divide the difference over all
orders, as for the replayed steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from statistics import fmean
from typing import Literal, NamedTuple

from judges.mtbench.pipelines import (
    Pipeline,
    conversation,
    differing_references,
    knows_references,
    reference_set,
    shown_reference,
)
from judges.mtbench.prompts import family_name
from judges.mtbench.protocol import Protocol
from judges.tokens import tokens

Side = Literal["one", "other"]
Price = Callable[[str], tuple[float, float] | None]
"""US dollars per million tokens, in and out, of a model; None where they are not known."""
_PROMPT_TOKENS, _REPLY_TOKENS = 300, 300
"""Tokens of a prompt's own words, and of a judgment, where the files hold neither."""
_MILLION = 1e6


class PipelineArm(NamedTuple):
    """One combination: from which pipeline each factor comes, and the `protocol` by which its judgments are made.

    `calls` to the judge about the answers of `sides["answers"]`, with about so many tokens, and what they `cost` in US
    dollars (None: the judge's price is not known). `stored`: it is one of the two pipelines, and takes no call.
    """

    sides: Mapping[str, Side]
    protocol: Protocol
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    stored: bool


class PipelineExperiment(NamedTuple):
    """The factors that differ, the arms, and sentences on what is unknown or cannot be an arm."""

    factors: tuple[str, ...]
    arms: tuple[PipelineArm, ...]
    caveats: tuple[str, ...]


def plan_pipeline_experiment(pipeline: Pipeline, other: Pipeline, price: Price) -> PipelineExperiment:
    """The arms of two pipelines over the turns of answers whose texts both have; no arm where nothing differs."""
    runs: dict[Side, Pipeline] = {"one": pipeline, "other": other}
    keys_by_side = {side: _turns(run) for side, run in runs.items()}
    shared = {key[:3] for key in keys_by_side["one"]} & {key[:3] for key in keys_by_side["other"]}
    factors = _differing(pipeline, other, shared)
    notes = []
    if not shared:
        notes.append("The texts of the answers are not in both sets of files: no judge could be asked about them.")
    if not (knows_references(pipeline) and knows_references(other)):
        notes.append("The references of one of them are not known, so they are no factor here.")
    if len(factors) == 1:
        notes.append("Only one factor is left, and both of its sides are stored: nothing has to be run.")
    turns = {side: [key for key in keys if key[:3] in shared] for side, keys in keys_by_side.items()}

    @cache
    def sizes(side: Side, shown: Side) -> tuple[int, int]:
        return len(turns[side]), sum(_tokens_shown(runs[side], runs[shown], key) for key in turns[side])

    sides: list[Side] = ["one", "other"]
    every = product(sides, repeat=len(factors)) if shared and factors else ()
    arms = [_arm(runs, dict(zip(factors, of, strict=True)), sizes, price) for of in every]
    return PipelineExperiment(tuple(factors), tuple(arms), tuple(notes))


def _turns(run: Pipeline) -> list[tuple[str, str, int, int]]:
    """Question, model, turn and sample of every turn that the judge rated and whose text is in the files."""
    keys = dict.fromkeys((r.question, r.model, r.turn, r.choice) for r in run.bench.ratings if r.judge == run.judge)
    return [key for key in keys if conversation(run.bench, key[0], key[1], key[3], key[2]) is not None]


def _differing(pipeline: Pipeline, other: Pipeline, shared: set[tuple[str, str, int]]) -> list[str]:
    judges = [run.bench.judges.get(run.judge) for run in (pipeline, other)]
    models, prompts = ([getattr(judge, name, "") for judge in judges] for name in ("model", "prompt"))
    wordings = [getattr(judge, "wording", "") for judge in judges]
    factors = ["judge"] if models[0] != models[1] else []
    factors += ["prompt"] if prompts[0] != prompts[1] or wordings[0] != wordings[1] or not any(prompts) else []
    if knows_references(pipeline) and knows_references(other) and differing_references(pipeline, other):
        factors.append("references")
    texts = (
        [conversation(run.bench, question, model, 0, turn) for run in (pipeline, other)]
        for question, model, turn in shared
    )
    return [*factors, "answers"] if any(a != b for a, b in texts) else factors


def _arm(
    runs: Mapping[Side, Pipeline], of: Mapping[str, Side], sizes: Callable[[Side, Side], tuple[int, int]], price: Price
) -> PipelineArm:
    judged, prompter, shown, answerer = (runs[of.get(f, "one")] for f in ("judge", "prompt", "references", "answers"))
    judge, prompts = judged.bench.judges.get(judged.judge), prompter.bench.judges.get(prompter.judge)
    model = judge.model if judge else judged.judge
    family = f"{prompts.prompt}@{prompts.wording[:8]}".rstrip("@") if prompts and prompts.prompt else ""
    letters = "".join("ab"[side == "other"] for side in of.values())
    protocol = answerer.protocol.model_copy(update={
        "name": f"arm-{letters}", "title": ", ".join(f"{name} of {side}" for name, side in of.items())[:120],
        "judge": model, "judge_temperature": judged.protocol.judge_temperature,
        "judge_max_tokens": judged.protocol.judge_max_tokens, "prompts": family or prompter.protocol.prompts,
        "references": reference_set(shown) or shown.protocol.references,
    })  # fmt: skip
    if len(set(of.values())) == 1:
        return PipelineArm(of, protocol, 0, 0, 0, 0.0, True)
    around = [tokens(p.template) for p in prompter.bench.prompts if prompts and family_name(p.name) == prompts.prompt]
    replies = [tokens(r.text) for r in judged.bench.ratings if r.judge == judged.judge and r.text.strip()]
    calls, texts = sizes(of.get("answers", "one"), of.get("references", "one"))
    into = texts + calls * round(fmean(around) if around else _PROMPT_TOKENS)
    out = calls * round(fmean(replies) if replies else _REPLY_TOKENS)
    rate = price(model)
    cost = None if rate is None else (into * rate[0] + out * rate[1]) / _MILLION
    return PipelineArm(of, protocol, calls, into, out, cost, False)


def _tokens_shown(run: Pipeline, shown: Pipeline, key: tuple[str, str, int, int]) -> int:
    """The tokens that a judge is shown for a turn: questions, answers and references up to it."""
    question, model, turn, choice = key
    entry = run.bench.questions.get(question)
    texts = [*(entry.turns[:turn] if entry else ()), *(conversation(run.bench, question, model, choice, turn) or ())]
    return sum(map(tokens, (*texts, *shown_reference(shown, question, turn))))
