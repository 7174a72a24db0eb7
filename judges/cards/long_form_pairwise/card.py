"""long_form_pairwise: two long responses section by section, 1-5, with failure flags and a verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from judges.card import Card
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score, Strict

Failure = Literal[
    "mid_content_drift", "lost_in_middle", "hallucinated_continuation", "false_completeness", "format_collapse"
]
VERDICTS = ("a", "tie", "b")
CLOSE = 0.25
"""Aggregates that differ by no more than this may be called a tie."""
_SCALE = Scale("ordinal", 1, 5, na=True)
_FLAG = Scale("flag")

DIMENSIONS = (
    Dimension("groundedness", "section", _SCALE, "True to the input."),
    Dimension("relevance", "section", _SCALE, "Serves what the input asks."),
    Dimension("quality", "section", _SCALE, "Clear, no padding."),
    Dimension("mid_content_drift", "side", _FLAG, "Loses the thread or contradicts itself."),
    Dimension("lost_in_middle", "side", _FLAG, "Under-uses the middle of the input."),
    Dimension("hallucinated_continuation", "side", _FLAG, "Later parts invent."),
    Dimension("false_completeness", "side", _FLAG, "Feels whole, misses major topics."),
    Dimension("format_collapse", "side", _FLAG, "The structure breaks down."),
    Dimension("aggregate", "side", Scale("number", 1, 5), "The judge's weighted score of the response.", asked=False),
    Dimension("verdict", "pair", Scale("unordered", categories=VERDICTS, drawn="tie"), "Which response is better."),
)


class SideScores(Strict):
    """The scores of one side of a section."""

    groundedness: int = Field(ge=1, le=5)
    relevance: int = Field(ge=1, le=5)
    quality: int = Field(ge=1, le=5)


class SectionJudgment(Strict):
    """One section by its label; a side that lacks it is null."""

    section_label: str
    response_a: SideScores | None
    response_b: SideScores | None


class Failures(Strict):
    """The failures that each response shows."""

    response_a: list[Failure] = Field(default_factory=list)
    response_b: list[Failure] = Field(default_factory=list)


class Aggregates(Strict):
    """The weighted score of each response."""

    response_a: float = Field(ge=1, le=5)
    response_b: float = Field(ge=1, le=5)


class Reply(Strict):
    """The judge's JSON; a side that lacks a section is null there."""

    section_judgments: list[SectionJudgment]
    long_form_failures: Failures
    aggregate_scores: Aggregates
    verdict: Literal["a", "b", "tie"]
    decision_basis: str


def read(reply: Reply, item: Pair) -> Reading:
    """Scores for each section of each side, failure flags and the verdict; a broken rule is a remark."""
    sections = item.sections or []
    number = {section.label: n for n, section in enumerate(sections, 1)}
    given: dict[str, SectionJudgment] = {}
    remarks: list[Remark] = []
    for judged in reply.section_judgments:
        if judged.section_label in given:
            return Reading(unscored="unreadable", why=f"section {judged.section_label!r} is judged twice")
        given[judged.section_label] = judged
        if judged.section_label not in number:
            text = f"judges {judged.section_label!r}, which is not in the list of sections"
            remarks.append(Remark("pair", "", "rule", text))
    scores: list[Score] = []
    for section in sections:
        for side in ("a", "b"):
            if getattr(section, side) is None:
                continue
            found = given.get(section.label)
            values: SideScores | None = getattr(found, f"response_{side}") if found else None
            if values is None:
                return Reading(
                    unscored="incomplete", why=f"no scores for section {section.label!r} of response {side.upper()}"
                )
            unit = f"section:{number[section.label]}/{side}"
            scores += [Score(unit, name, float(value)) for name, value in values]
    for side in ("a", "b"):
        flagged = getattr(reply.long_form_failures, f"response_{side}")
        for dimension in DIMENSIONS[3:8]:
            scores.append(Score(f"response/{side}", dimension.name, float(dimension.name in flagged)))
        aggregate = getattr(reply.aggregate_scores, f"response_{side}")
        scores.append(Score(f"response/{side}", "aggregate", float(aggregate)))
        own = [s.value for s in scores if s.unit.startswith("section:") and s.unit.endswith(f"/{side}")]
        low, high = (
            min((v for v in own if v is not None), default=1.0),
            max((v for v in own if v is not None), default=5.0),
        )
        if not low <= aggregate <= high and not (flagged and aggregate < low):
            where = f"outside its sections ({low:g} to {high:g})"
            text = f"The aggregate {aggregate:g} of response {side.upper()} lies {where}."
            remarks.append(Remark(f"response/{side}", "aggregate", "rule", text))
    scores.append(Score("pair", "verdict", float(VERDICTS.index(reply.verdict))))
    if reply.decision_basis.strip():
        remarks.append(Remark("pair", "verdict", "note", reply.decision_basis))
    a, b = reply.aggregate_scores.response_a, reply.aggregate_scores.response_b
    if reply.verdict not in allowed_verdicts(a, b):
        allowed = " or ".join(allowed_verdicts(a, b))
        text = f"The judge said {reply.verdict}. Its aggregates ({a:g} and {b:g}) allow {allowed}."
        remarks.append(Remark("pair", "verdict", "rule", text))
    return Reading(tuple(scores), tuple(remarks))


def allowed_verdicts(a: float, b: float) -> tuple[str, ...]:
    """The verdicts that two aggregates allow: the higher one wins, a tie only when they differ by at most CLOSE."""
    if a == b:
        return ("tie",)
    winner = "a" if a > b else "b"
    return (winner, "tie") if abs(a - b) <= CLOSE else (winner,)


CARD = Card("long_form_pairwise", "Long-form pair", "pair", DIMENSIONS, Reply, read)
