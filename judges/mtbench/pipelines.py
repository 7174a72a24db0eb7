"""A pipeline of MT-Bench as it was run: its files, its judge, its protocol; and in what two of them differ."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

from judges.mtbench.protocol import Protocol
from judges.mtbench.records import WITH_REFERENCE, Answer, Bench

Known = Literal["files", "protocol", "not known"]
Kind = Literal["replayed", "rest", "answers"]
UNKNOWN = "not known"


class Pipeline(NamedTuple):
    """A judge's run over a Bench under a protocol; `name` is what it is called beside another."""

    bench: Bench
    judge: str
    protocol: Protocol
    name: str = ""


class Factor(NamedTuple):
    """One thing in which pipelines may differ, with its value in both, and where each is known from.

    `differs` is None where a value is not known. `kind` says what becomes of a difference: "replayed" on stored data,
    or part of the "rest" (the judge's side) or of the "answers".
    """

    name: str
    one: str
    other: str
    differs: bool | None
    known: tuple[Known, Known]
    kind: Kind


def compare_pipelines(one: Pipeline, other: Pipeline) -> list[Factor]:
    """The table of factors, filled from both runs: what the files tell goes before what the protocol says."""
    rows: list[tuple[str, Kind, tuple[str, Known], tuple[str, Known]]] = []
    for name, kind, told in (
        ("questions", "replayed", _questions), ("references shown", "replayed", _references),
        ("system prompt of answers", "answers", _system), ("temperature of answers", "answers", _temperature),
        ("samples", "replayed", _samples), ("turn 2 continues", "answers", _continues),
        ("answers cut at", "replayed", _cut), ("thinking shown", "replayed", _thinking),
        ("judge", "rest", _judge), ("judge's temperature", "rest", _judge_temperature),
        ("judge's prompt", "rest", _prompt), ("rating read", "replayed", _parse),
        ("failed judgments", "replayed", _failed), ("several judgments of a turn", "replayed", _duplicates),
        ("scale of the mean", "replayed", _scale), ("share of Japanese", "answers", _japanese),
    ):  # fmt: skip
        rows.append((name, kind, told(one), told(other)))  # type: ignore[arg-type]
    found = []
    for name, kind, (first, known), (second, known_too) in rows:
        told_both = UNKNOWN not in (known, known_too)
        found.append(Factor(name, first, second, first != second if told_both else None, (known, known_too), kind))
    if knows_references(one) and knows_references(other):
        at = next(n for n, factor in enumerate(found) if factor.name == "references shown")
        found[at] = found[at]._replace(differs=bool(differing_references(one, other)))
    edition = question_editions(one.bench, other.bench)
    if one.bench is not other.bench and edition["equal"] + edition["differ"]:
        words = f"; {edition['differ']} of {edition['equal'] + edition['differ']} with another text than there"
        asked = found[0]
        found[0] = asked._replace(one=asked.one + words, differs=bool(edition["differ"]) or asked.differs)
    return found


def question_editions(one: Bench, other: Bench) -> dict[str, int]:
    """How many questions of both have equal texts, how many differ, and how many only one has (by id)."""
    found = {"equal": 0, "differ": 0, "alone": len(one.questions.keys() ^ other.questions.keys())}
    for key in one.questions.keys() & other.questions.keys():
        found["equal" if one.questions[key].turns == other.questions[key].turns else "differ"] += 1
    return found


def differing_references(one: Pipeline, other: Pipeline) -> list[str]:
    """The questions of both whose judges were shown other references, or only one of them any; names do not count."""
    both = [key for key in one.bench.questions if key in other.bench.questions]
    return [
        key for key in both
        if any(shown_reference(one, key, turn) != shown_reference(other, key, turn) for turn in (1, 2))
    ]  # fmt: skip


def shown_reference(pipeline: Pipeline, question: str, turn: int) -> tuple[str, ...]:
    """The reference answers up to a turn that a judge was shown; () where it was shown none, or none is known.

    Only in math, reasoning and coding: the set that the protocol names, else that of the judge's own name, else the
    only one that there is, else the question's own.
    """
    bench, wanted = pipeline.bench, pipeline.protocol.references
    asked = bench.questions.get(question)
    if wanted == "none" or asked is None or asked.category not in WITH_REFERENCE:
        return ()
    if wanted != "own":
        given = bench.references.get(reference_set(pipeline), {}).get(question)
        if given:
            return given[:turn]
    return asked.reference[:turn]


def knows_references(run: Pipeline) -> bool:
    """Whether it is known what references a pipeline's judge was shown: they are in the files, or it was shown none."""
    own = any(asked.reference for asked in run.bench.questions.values())
    return run.protocol.references == "none" or bool(reference_set(run)) or own


def reference_set(pipeline: Pipeline) -> str:
    """The name of the set of references that a pipeline's judge was shown; "" for none, or the questions' own."""
    wanted, there = pipeline.protocol.references, pipeline.bench.references
    judge = pipeline.bench.judges.get(pipeline.judge)
    for name in (wanted, judge.model if judge else pipeline.judge):
        if name in there:
            return name
    return next(iter(there)) if len(there) == 1 and wanted in ("", *there) else ""


def conversation(bench: Bench, question: str, model: str, choice: int, turn: int) -> tuple[str, ...] | None:
    """The texts of an answer up to a turn, as they came; None where they are not in the files."""
    answer = bench.answers.get((question, model, choice))
    return answer.turns[:turn] if answer is not None and len(answer.turns) >= turn else None


def _questions(run: Pipeline) -> tuple[str, Known]:
    known = len(run.bench.questions)
    return (f"{known} questions", "files") if known else (run.protocol.questions or UNKNOWN, "protocol")


def _references(run: Pipeline) -> tuple[str, Known]:
    wanted = run.protocol.references
    known: Known = "protocol"
    if wanted == "none":
        return "none", known
    named = "" if wanted == "own" else reference_set(run)
    if named:
        return f"of {named}", "files"
    if any(q.reference for q in run.bench.questions.values() if q.category in WITH_REFERENCE):
        return "the questions' own", "files"
    return ("the questions' own", known) if wanted == "own" else (UNKNOWN, "not known")


def _system(run: Pipeline) -> tuple[str, Known]:
    return run.protocol.system or "the model's own", "protocol"


def _temperature(run: Pipeline) -> tuple[str, Known]:
    by_value: dict[float, list[str]] = {}
    for category, value in sorted(run.protocol.temperatures.items()):
        by_value.setdefault(value, []).append(category)
    told = [f"{', '.join(names)} {value:g}" for value, names in sorted(by_value.items())]
    return "; ".join([*told, f"others {run.protocol.other_temperature:g}"]), "protocol"


def _samples(run: Pipeline) -> tuple[str, Known]:
    judged = len({rating.choice for rating in run.bench.ratings if rating.judge == run.judge})
    asked = run.protocol.samples
    if not judged:
        return str(asked), "protocol"
    return (f"{asked} of {judged}" if asked == 1 < judged else str(judged)), "files"


def _answers(run: Pipeline) -> list[Answer]:
    return list(run.bench.answers.values())


def _continues(run: Pipeline) -> tuple[str, Known]:
    told = {answer.continues for answer in _answers(run) if answer.choice}
    if told and told != {None}:
        return "the first sample's turn 1", "files"
    words = {"own": "its own turn 1", "first": "the first sample's turn 1"}
    return words[run.protocol.continues], "protocol"


def _cut(run: Pipeline) -> tuple[str, Known]:
    told = Counter(answer.cut_at for answer in _answers(run) if answer.cut_at)
    if told:
        return " and ".join(f"{length:,} characters" for length in sorted(told)), "files"
    return (f"{run.protocol.cut_at:,} characters" if run.protocol.cut_at else "never"), "protocol"


def _thinking(run: Pipeline) -> tuple[str, Known]:
    return ("no" if run.protocol.thinking == "removed" else "as it came"), "protocol"


def _judge(run: Pipeline) -> tuple[str, Known]:
    judge = run.bench.judges.get(run.judge)
    return (judge.model if judge else run.judge), "files"


def _judge_temperature(run: Pipeline) -> tuple[str, Known]:
    return f"{run.protocol.judge_temperature:g}, {run.protocol.judge_max_tokens:,} tokens", "protocol"


def _prompt(run: Pipeline) -> tuple[str, Known]:
    judge = run.bench.judges.get(run.judge)
    if judge is None:
        return run.protocol.prompts, "protocol"
    named = f"{judge.prompt} ({judge.wording})" if judge.prompt and judge.wording else judge.prompt or judge.wording
    return (named, "files") if named else (UNKNOWN, "not known")


def _parse(run: Pipeline) -> tuple[str, Known]:
    words = {"fastchat": "the first [[n]]", "last": "the last [[n]]", "stated": "the file's number"}
    return words[run.protocol.parse], "protocol"


def _failed(run: Pipeline) -> tuple[str, Known]:
    words = {"left out": "left out", "counted": "count as -1", "all failed": "count as -1 unless all of a turn failed"}
    return words[run.protocol.failed], "protocol"


def _duplicates(run: Pipeline) -> tuple[str, Known]:
    words = {"raw": "each counts", "first": "the first counts", "averaged": "their mean counts"}
    return words[run.protocol.duplicates], "protocol"


def _scale(run: Pipeline) -> tuple[str, Known]:
    return ("a tenth, 0 to 1" if run.protocol.scale == "share" else "1 to 10"), "protocol"


def _japanese(run: Pipeline) -> tuple[str, Known]:
    return ("reported" if run.protocol.japanese_share else "not reported"), "protocol"
