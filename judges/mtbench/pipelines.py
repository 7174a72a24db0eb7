"""A pipeline of MT-Bench as it was run: its files, its judge, its protocol; and in what two of them differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from judges.mtbench.protocol import Protocol, describe_protocol
from judges.mtbench.records import WITH_REFERENCE, Bench

Provenance = Literal["files", "protocol", "not known"]
Kind = Literal["replayed", "rest", "answers", "report"]
UNKNOWN: Final = "not known"


class Pipeline(NamedTuple):
    """A judge's run over a Bench under a protocol; `name` distinguishes it from another pipeline."""

    bench: Bench
    judge: str
    protocol: Protocol
    name: str = ""


class Factor(NamedTuple):
    """One thing in which pipelines may differ, with its value in both, and where each is known from.

    `differs` is None where a value is not known. `kind` says what becomes of a difference: "replayed" on stored data,
    part of the "rest" (the judge's side) or of the "answers", or only a "report" beside the mean.
    """

    name: str
    one: str
    other: str
    differs: bool | None
    sources: tuple[Provenance, Provenance]
    kind: Kind


def compare_pipelines(pipeline: Pipeline, other: Pipeline) -> list[Factor]:
    """The table of factors, filled from both runs; facts from files take precedence over the protocol."""
    protocols = [dict(describe_protocol(run.protocol)) for run in (pipeline, other)]
    factors: dict[str, Factor] = {}
    for name, kind, row, tell in _FACTORS:
        facts = [tell(run) if tell else None for run in (pipeline, other)]
        (first, known), (second, known_too) = (
            (words[row], _PROTOCOL) if filed is None else filed for words, filed in zip(protocols, facts, strict=True)
        )
        sure = UNKNOWN not in (known, known_too)
        factors[name] = Factor(name, first, second, first != second if sure else None, (known, known_too), kind)
    if knows_references(pipeline) and knows_references(other):
        differs = bool(differing_references(pipeline, other))
        factors["references shown"] = factors["references shown"]._replace(differs=differs)
    samples, runs = factors["samples"], (pipeline, other)
    if samples.sources == ("files", "files"):
        judged = [_count_samples(run) for run in runs]
        counts = [1 if which == "first" else n for n, which in zip(judged, counted_choices(*runs), strict=True)]
        values = [f"{n} of {of}" if n < of else f"{n}" for n, of in zip(counts, judged, strict=True)]
        factors["samples"] = samples._replace(one=values[0], other=values[1], differs=counts[0] != counts[1])
    changed, shared = changed_questions(pipeline.bench, other.bench)
    if pipeline.bench is not other.bench and shared:
        texts = factors["questions"]
        words = f"{texts.one}; {len(changed)} of {len(shared)} with another text than there"
        factors["questions"] = texts._replace(one=words, differs=bool(changed) or texts.differs)
    if own := _differing_temperatures(pipeline, other):
        heat = factors["temperature of answers"]
        words = f"{heat.one}; {len(own)} of {len(shared)} questions state another one than there"
        factors[heat.name] = heat._replace(one=words, differs=True, sources=("files", heat.sources[1]))
    return list(factors.values())


def _differing_temperatures(pipeline: Pipeline, other: Pipeline) -> list[str]:
    """The shared questions that state a temperature, in one set or both, and are answered at different ones."""

    def heat(run: Pipeline, key: str) -> float:
        question = run.bench.questions[key]
        return run.protocol.temperature(question.category, question.temperature)

    return [
        key for key in pipeline.bench.questions.keys() & other.bench.questions.keys()
        if any(run.bench.questions[key].temperature is not None for run in (pipeline, other))
        and heat(pipeline, key) != heat(other, key)
    ]  # fmt: skip


def counted_choices(pipeline: Pipeline, other: Pipeline) -> tuple[Literal["first", "all"], Literal["first", "all"]]:
    """Which samples of both count: only the first of a run whose protocol asks for one, where the other asks for more.
    """
    one, two = pipeline.protocol.samples, other.protocol.samples
    return "first" if one == 1 < two else "all", "first" if two == 1 < one else "all"


def changed_questions(bench: Bench, other: Bench) -> tuple[set[str], set[str]]:
    """The questions (by id) that have different texts in both, and all questions that both have."""
    shared = bench.questions.keys() & other.questions.keys()
    return {key for key in shared if bench.questions[key].turns != other.questions[key].turns}, shared


def differing_references(pipeline: Pipeline, other: Pipeline) -> list[str]:
    """The shared questions with different references for the two judges, or for one judge only; names do not count."""
    shared = [key for key in pipeline.bench.questions if key in other.bench.questions]
    return [
        key for key in shared
        if any(
            shown_reference(pipeline, key, turn) != shown_reference(other, key, turn)
            for turn in range(1, len(pipeline.bench.questions[key].turns) + 1)
        )
    ]  # fmt: skip


def shown_reference(pipeline: Pipeline, question: str, turn: int) -> tuple[str, ...]:
    """The reference answers up to a turn that a judge was shown; () where it was shown none, or none is known.

    Only in math, reasoning and coding: the set that the protocol names, else that of the judge's own name, else the
    only one that there is, else the question's own.
    """
    bench, set_name = pipeline.bench, pipeline.protocol.references
    record = bench.questions.get(question)
    if set_name == "none" or record is None or record.category not in WITH_REFERENCE:
        return ()
    if set_name != "own":
        references = bench.references.get(reference_set(pipeline), {}).get(question)
        if references:
            return references[:turn]
    return record.reference[:turn]


def knows_references(run: Pipeline) -> bool:
    """Whether the references shown to a pipeline's judge are known: they are in the files, or there were none."""
    own = any(question.reference for question in run.bench.questions.values())
    return run.protocol.references == "none" or bool(reference_set(run)) or own


def reference_set(pipeline: Pipeline) -> str:
    """The name of the set of references that a pipeline's judge was shown; "" for none, or the questions' own."""
    set_name, references = pipeline.protocol.references, pipeline.bench.references
    judge = pipeline.bench.judges.get(pipeline.judge)
    for name in (set_name, judge.model if judge else pipeline.judge):
        if name in references:
            return name
    return next(iter(references)) if len(references) == 1 and set_name in ("", *references) else ""


def conversation(bench: Bench, question: str, model: str, choice: int, turn: int) -> tuple[str, ...] | None:
    """The texts of an answer up to a turn, unchanged; None if they are not in the files."""
    answer = bench.answers.get((question, model, choice))
    return answer.turns[:turn] if answer is not None and len(answer.turns) >= turn else None


FactorValue = tuple[str, Provenance] | None
"""A value and where it is known from; None where the files do not tell it."""
_PROTOCOL: Provenance = "protocol"


def _questions(run: Pipeline) -> FactorValue:
    known = len(run.bench.questions)
    return (f"{known} questions", "files") if known else None


def _references(run: Pipeline) -> FactorValue:
    if run.protocol.references == "none":
        return None
    named = "" if run.protocol.references == "own" else reference_set(run)
    if named:
        return f"of {named}", "files"
    if any(q.reference for q in run.bench.questions.values() if q.category in WITH_REFERENCE):
        return "the questions' own", "files"
    return None if run.protocol.references == "own" else (UNKNOWN, UNKNOWN)


def _count_samples(run: Pipeline) -> int:
    """The number of different samples that were judged."""
    return len({rating.choice for rating in run.bench.ratings if rating.judge == run.judge})


def _samples(run: Pipeline) -> FactorValue:
    judged = _count_samples(run)
    return (str(judged), "files") if judged else None


def _continues(run: Pipeline) -> FactorValue:
    is_known = any(answer.continues is not None for answer in run.bench.answers.values())
    return ("turn 1 of the first sample", "files") if is_known else None


def _cut(run: Pipeline) -> FactorValue:
    lengths = sorted({answer.cut_at for answer in run.bench.answers.values() if answer.cut_at})
    return (" and ".join(f"{length:,} characters" for length in lengths), "files") if lengths else None


def _judge(run: Pipeline) -> FactorValue:
    judge = run.bench.judges.get(run.judge)
    return (judge.model if judge else run.judge), "files"


def _judge_temperature(run: Pipeline) -> FactorValue:
    return f"{run.protocol.judge_temperature:g}, {run.protocol.judge_max_tokens:,} tokens", "protocol"


def _prompt(run: Pipeline) -> FactorValue:
    judge = run.bench.judges.get(run.judge)
    if judge is None:
        return None
    named = f"{judge.prompt} ({judge.wording})" if judge.prompt and judge.wording else judge.prompt or judge.wording
    return (named, "files") if named else (UNKNOWN, UNKNOWN)


_FACTORS: tuple[tuple[str, Kind, str, Callable[[Pipeline], FactorValue] | None], ...] = (
    ("questions", "replayed", "questions", _questions),
    ("references shown", "replayed", "references", _references),
    ("system prompt of answers", "answers", "system prompt for answers", None),
    ("temperature of answers", "answers", "temperature of answers", None),
    ("longest answer", "answers", "longest answer", None),
    ("samples", "replayed", "answers to a question", _samples),
    ("turn 2 continues", "answers", "turn 2 follows", _continues),
    ("answers cut at", "replayed", "answers cut at", _cut),
    ("thinking shown", "replayed", "thinking in answers", None),
    ("judge", "rest", "judge", _judge),
    ("judge's temperature", "rest", "judge", _judge_temperature),
    ("judge's prompt", "rest", "judge's prompts", _prompt),
    ("rating read", "replayed", "rating that counts", None),
    ("failed judgments", "replayed", "failed judgments", None),
    ("several judgments of a turn", "replayed", "repeated judgments", None),
    ("scale of the mean", "replayed", "scale", None),
    ("share of Japanese", "report", "share of Japanese", None),
)
"""Name, what becomes of a difference, its row in `judges.mtbench.protocol.describe_protocol`, what files say."""
