"""Designed experiments on two pipelines of MT-Bench: their judging crossed, factor by factor, on the same answers.

Stored judgments cannot tell what who judges, by which prompt, with which references, and what is shown do to a mean. A
full factorial design takes each factor that differs from the one or the other, in every combination: 2^k arms. The
means of all arms then divide the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from statistics import fmean
from typing import Literal, NamedTuple

from judges.card import Card
from judges.client.budget import Price, cost
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
from judges.mtbench.records import Judge
from judges.tokens import tokens
from judges.types import Dialogue

Side = Literal["a", "b"]
SIDE_NAMES: dict[Side, str] = {"a": "one", "b": "other"}
"""The two pipelines in the files of an experiment."""
FACTORS: dict[str, tuple[str, ...]] = {
    "judge": ("judge",),
    "prompt": ("prompts",),
    "references": ("references",),
    "shown": ("thinking", "cut_at"),
    "settings": ("judge_temperature", "judge_max_tokens"),
}
"""The factors that can be crossed -> the fields of a protocol that each stands for."""
_JUDGING = {name: FACTORS[name] for name in ("prompt", "references")} | {
    "judge": FACTORS["judge"] + FACTORS["settings"]
}  # fmt: skip
_PIPELINE_FACTORS = _JUDGING | {
    "answers": tuple(Protocol.model_fields.keys() - {"name", "title"}.union(*_JUDGING.values()))
}
"""The same for two pipelines: their judges have their own settings, and the rest of a protocol is about the answers."""
_PROMPT_TOKENS, _REPLY_TOKENS = 300, 300
"""Tokens of a prompt's own words, and of a judgment, where the files hold neither."""


class ExperimentArm(NamedTuple):
    """One combination: whose choice it takes of each factor, and the protocol that it amounts to."""

    sides: Mapping[str, Side]
    protocol: Protocol


class PipelineArm(NamedTuple):
    """An arm of two pipelines, with the calls that it takes.

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


class Effect(NamedTuple):
    """The change of the mean from A's choice of a factor to B's: from A's arm alone, and averaged over all arms."""

    factor: str
    alone: float | None
    main: float | None


def differing_factors(a: Protocol, b: Protocol, among: Iterable[str] = tuple(FACTORS)) -> list[str]:
    """The factors in which two protocols differ, of those that are asked for."""
    return [name for name in among if any(getattr(a, field) != getattr(b, field) for field in FACTORS[name])]


def is_same_to_judge(a: Card, b: Card, answers: Sequence[Dialogue]) -> bool:
    """Whether two cards show a judge the same content of every answer, with the same variant of their prompts."""
    return all(
        a.variant(item, part) == b.variant(item, part) and a.fields(item, part) == b.fields(item, part)
        for item in answers
        for part in a.parts(item)
    )


def cross_protocols(
    a: Protocol, b: Protocol, factors: Sequence[str], fields: Mapping[str, Sequence[str]] = FACTORS
) -> list[ExperimentArm]:
    """All combinations of the choices of two protocols in some factors, that of A first; the rest is as in A.

    `fields` are those of a protocol that each factor stands for. The arm of A is A itself; others are called after both
    and what they take of B: fastchat-swallow-judge-prompt.
    """
    arms = []
    for sides in product(("a", "b"), repeat=len(factors)):
        side_by_factor: dict[str, Side] = dict(zip(factors, sides, strict=True))  # type: ignore[arg-type]
        b_factors = [name for name, side in side_by_factor.items() if side == "b"]
        update = {field: getattr(b, field) for name in b_factors for field in fields[name]}
        named = {"name": "-".join([a.name, b.name, *b_factors])[-60:].lstrip("-_"), "title": ""} if b_factors else {}
        arms.append(ExperimentArm(side_by_factor, a.model_copy(update={**update, **named})))
    return arms


def estimate_effects(arms: Sequence[ExperimentArm], means: Sequence[float | None]) -> list[Effect]:
    """The effect of each factor on the mean of a full factorial design, given the mean of each arm.

    alone = mean(arm of A with B's choice) - mean(arm of A); main = mean over all pairs of arms that differ in this
    factor only of (B's choice - A's). None where an arm that it needs has no mean.
    """
    value = {tuple(arm.sides.items()): mean for arm, mean in zip(arms, means, strict=True)}
    effects = []
    for factor in arms[0].sides if arms else ():
        steps = []
        for arm in arms:
            if arm.sides[factor] == "b":
                before = value[tuple({**arm.sides, factor: "a"}.items())]
                after = value[tuple(arm.sides.items())]
                steps.append(None if before is None or after is None else after - before)
        main = None if None in steps else sum(step for step in steps if step is not None) / len(steps)
        effects.append(Effect(factor, steps[0], main))
    return effects


def plan_pipeline_experiment(
    pipeline: Pipeline, other: Pipeline, price: Callable[[str], Price | None], models: Sequence[str] = ()
) -> PipelineExperiment:
    """The arms of two pipelines over the turns of answers whose texts both have; no arm where nothing differs.

    Two arms are stored already. `price` gives the price of a model, None where it is not known. Of `models` only these
    answers are judged; () means all.
    """
    runs: dict[Side, Pipeline] = {"a": pipeline, "b": other}
    keys_by_side = {side: _turns(run, models) for side, run in runs.items()}
    shared = {key[:3] for key in keys_by_side["a"]} & {key[:3] for key in keys_by_side["b"]}
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

    crossed = factors if shared else []
    arms = cross_protocols(_complete_protocol(pipeline), _complete_protocol(other), crossed, _PIPELINE_FACTORS)
    pipeline_arms = [_plan_arm(runs, arm, sizes, price) for arm in arms if crossed]
    return PipelineExperiment(tuple(factors), tuple(pipeline_arms), tuple(notes))


def _turns(run: Pipeline, models: Sequence[str]) -> list[tuple[str, str, int, int]]:
    """Question, model, turn and sample of every turn that the judge rated and whose text is in the files."""
    rated = (r for r in run.bench.ratings if r.judge == run.judge and (not models or r.model in models))
    keys = dict.fromkeys((r.question, r.model, r.turn, r.choice) for r in rated)
    return [key for key in keys if conversation(run.bench, key[0], key[1], key[3], key[2]) is not None]


def _differing(pipeline: Pipeline, other: Pipeline, shared: set[tuple[str, str, int]]) -> list[str]:
    first, second = (run.bench.judges.get(run.judge, Judge("", "", "", "")) for run in (pipeline, other))
    factors = ["judge"] if first.model != second.model else []
    if (first.prompt, first.wording) != (second.prompt, second.wording) or not first.prompt:
        factors.append("prompt")
    if knows_references(pipeline) and knows_references(other) and differing_references(pipeline, other):
        factors.append("references")
    texts = (
        [conversation(run.bench, question, model, 0, turn) for run in (pipeline, other)]
        for question, model, turn in shared
    )
    return [*factors, "answers"] if any(a != b for a, b in texts) else factors


def _complete_protocol(run: Pipeline) -> Protocol:
    """A pipeline's protocol, with the judge, the prompts and the references that its files name."""
    judge = run.bench.judges.get(run.judge)
    family = f"{judge.prompt}@{judge.wording[:8]}".rstrip("@") if judge and judge.prompt else ""
    return run.protocol.model_copy(update={
        "judge": judge.model if judge else run.judge, "prompts": family or run.protocol.prompts,
        "references": reference_set(run) or run.protocol.references,
    })  # fmt: skip


def _plan_arm(
    runs: Mapping[Side, Pipeline], arm: ExperimentArm, sizes: Callable[[Side, Side], tuple[int, int]],
    price: Callable[[str], Price | None],
) -> PipelineArm:  # fmt: skip
    sides = arm.sides
    protocol = arm.protocol.model_copy(update={
        "name": f"arm-{''.join(sides.values())}",
        "title": ", ".join(f"{name} of {SIDE_NAMES[side]}" for name, side in sides.items())[:120],
    })  # fmt: skip
    if len(set(sides.values())) == 1:
        return PipelineArm(sides, protocol, 0, 0, 0, 0.0, True)
    judged, prompter = (runs[sides.get(factor, "a")] for factor in ("judge", "prompt"))
    judge = prompter.bench.judges.get(prompter.judge)
    around = [tokens(p.template) for p in prompter.bench.prompts if judge and family_name(p.name) == judge.prompt]
    replies = [tokens(r.text) for r in judged.bench.ratings if r.judge == judged.judge and r.text.strip()]
    calls, texts = sizes(sides.get("answers", "a"), sides.get("references", "a"))
    into = texts + calls * round(fmean(around) if around else _PROMPT_TOKENS)
    out = calls * round(fmean(replies) if replies else _REPLY_TOKENS)
    judge_price = price(protocol.judge)
    return PipelineArm(
        sides, protocol, calls, into, out, None if judge_price is None else cost(judge_price, into, out), False
    )


def _tokens_shown(run: Pipeline, shown: Pipeline, key: tuple[str, str, int, int]) -> int:
    """The tokens that a judge is shown for a turn: questions, answers and references up to it."""
    question, model, turn, choice = key
    entry = run.bench.questions.get(question)
    texts = [*(entry.turns[:turn] if entry else ()), *(conversation(run.bench, question, model, choice, turn) or ())]
    return sum(map(tokens, (*texts, *shown_reference(shown, question, turn))))
