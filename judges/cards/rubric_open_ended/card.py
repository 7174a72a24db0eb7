"""rubric_open_ended: one open-ended output on four dimensions, 1-5, with a verdict."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from judges.card import Card, prompts_beside
from judges.params import Params
from judges.reading import length_limits
from judges.reading.values import TEXT, TEXTS, fold
from judges.types import Dimension, Reading, Remark, Response, Scale, Score, Strict

VERDICTS = ("poor", "borderline", "good", "excellent")
WORDS = 40
"""Words of the decision basis."""
_SCALE = Scale("ordinal", 1, 5)


def _dimension(name: str, definition: str, worst: str, best: str) -> Dimension:
    return Dimension(name, "response", _SCALE, definition, anchors=(("1", worst), ("5", best)))


DIMENSIONS = (
    _dimension(
        "factuality", "False claims cost, opinions do not.",
        "the main point is false, or much is made up", "no false claim found",
    ),
    _dimension(
        "instruction_following", "Does what the task asked, in the form it asked for.",
        "does something else", "every demand is met",
    ),
    _dimension(
        "coherence", "Hangs together and reads as one text.",
        "contradicts itself or falls apart", "one line from start to end",
    ),
    _dimension(
        "completeness", "Covers what the task needs.",
        "most of what the task needs is missing", "nothing that the task needs is missing",
    ),
    Dimension(
        "verdict", "response", Scale("ordered", categories=VERDICTS), "The output as a whole.",
        anchors=(("poor", "not usable"), ("excellent", "could be used as it is")),
    ),
)  # fmt: skip


class Scores(Strict):
    """The four scores."""

    factuality: int = Field(ge=1, le=5)
    instruction_following: int = Field(ge=1, le=5)
    coherence: int = Field(ge=1, le=5)
    completeness: int = Field(ge=1, le=5)


class Reply(Strict):
    """The judge's JSON."""

    scores: Scores
    verdict: Annotated[Literal["poor", "borderline", "good", "excellent"], BeforeValidator(fold)]
    decision_basis: TEXT
    issues: TEXTS = Field(default_factory=list)


def read(reply: Reply, item: Response) -> Reading:
    """Four scores, the verdict with its basis as a note, and the issues unchanged."""
    scores = [Score("response", name, float(value)) for name, value in reply.scores]
    scores.append(Score("response", "verdict", float(VERDICTS.index(reply.verdict))))
    remarks = [Remark("response", "", "issue", text) for text in reply.issues if text.strip()]
    if reply.decision_basis.strip():
        remarks.append(Remark("response", "verdict", "note", reply.decision_basis))
        remarks += length_limits.mark_many_words("response", "decision basis", reply.decision_basis, WORDS)
        remarks += length_limits.mark_quotes("response", "decision basis", reply.decision_basis, item.output)
    return Reading(tuple(scores), tuple(remarks))


def fields(item: Response, _part: str) -> dict[str, Any]:
    """Return the fields that the judge is shown; the system's name is not among them."""
    return {"task_description": item.task, "model_output": item.output, "reference_answer": item.reference}


CARD = Card(
    "rubric_open_ended",
    "Open-ended rubric",
    "response",
    DIMENSIONS,
    Reply,
    read,
    prompts=prompts_beside(__file__),
    fields=fields,
    audits=("own_family", "reference_penalty", "length_completeness", "same_score", "injected_order"),
    defaults=Params(combine="mean"),
    needs=("A reference answer is used where there is one; without it the judge relies on what it knows.",),
    rules=(f"The decision basis has at most {WORDS} words, and no quotes from the output. {length_limits.RULE}",),
)
