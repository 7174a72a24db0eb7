"""long_form_pairwise: two long responses section by section, 1-5, with failure flags and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from judges.card import Card, prompts_beside
from judges.params import Params
from judges.reading import length_limits
from judges.reading.values import TEXT, fold
from judges.sections import section_numbers, unasked_sections
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score, Strict

Failure = Literal[
    "mid_content_drift", "lost_in_middle", "hallucinated_continuation", "false_completeness", "format_collapse"
]
VERDICTS = ("a", "tie", "b")
CLOSE = 0.25
"""Aggregates that differ by no more than this may be called a tie."""
SENTENCES = 2
"""Sentences of the decision basis."""
_SCALE = Scale("ordinal", 1, 5, na=True)
_FLAG = Scale("flag")
_Failure = Annotated[Failure, BeforeValidator(fold)]


def _of_section(name: str, definition: str, worst: str, best: str) -> Dimension:
    return Dimension(name, "section", _SCALE, definition, anchors=(("1", worst), ("5", best)))


DIMENSIONS = (
    _of_section(
        "groundedness", "True to the input.",
        "contradicts the input or is made up", "every claim is in the input or follows from it",
    ),
    _of_section("relevance", "Serves what the input asks.", "beside the task", "all of it is needed for the task"),
    _of_section(
        "quality", "Clear, no padding.",
        "hard to follow, or mostly padding", "clear, every sentence carries something",
    ),
    Dimension("mid_content_drift", "side", _FLAG, "Loses the thread or contradicts itself."),
    Dimension("lost_in_middle", "side", _FLAG, "Under-uses the middle of the input."),
    Dimension("hallucinated_continuation", "side", _FLAG, "Later parts invent."),
    Dimension("false_completeness", "side", _FLAG, "Feels whole, misses major topics."),
    Dimension("format_collapse", "side", _FLAG, "The structure breaks down."),
    Dimension("aggregate", "side", Scale("interval", 1, 5), "The judge's weighted score of the response.", asked=False),
    Dimension("verdict", "pair", Scale("unordered", categories=VERDICTS, drawn="tie"), "Which response is better."),
)  # fmt: skip


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

    response_a: list[_Failure] = Field(default_factory=list)
    response_b: list[_Failure] = Field(default_factory=list)


class Aggregates(Strict):
    """The weighted score of each response."""

    response_a: float = Field(ge=1, le=5)
    response_b: float = Field(ge=1, le=5)


class Reply(Strict):
    """The judge's JSON; a side that lacks a section is null there."""

    section_judgments: list[SectionJudgment]
    long_form_failures: Failures
    aggregate_scores: Aggregates
    verdict: Annotated[Literal["a", "b", "tie"], BeforeValidator(fold)]
    decision_basis: TEXT


def read(reply: Reply, item: Pair) -> Reading:
    """Scores for each section of each side, failure flags and the verdict; a broken rule is a remark."""
    sections = item.sections or unasked_sections(item)
    number = section_numbers([section.label for section in sections])
    alone = len(reply.section_judgments) == 1 and not item.sections
    by_place: dict[int, SectionJudgment] = {}
    remarks: list[Remark] = []
    for judged in reply.section_judgments:
        # A short response of which one section is judged is that section, whatever it is called.
        place = number(judged.section_label) or (1 if alone and sections else None)
        if place is None:
            text = f"judges {judged.section_label!r}, which is not in the list of sections"
            remarks.append(Remark("pair", "", "rule", text))
            continue
        if place in by_place:
            return Reading(unscored="unreadable", why=f"section {sections[place - 1].label!r} is judged twice")
        by_place[place] = judged
    scores: list[Score] = []
    values_by_side: dict[str, list[int]] = {"a": [], "b": []}
    for place, section in enumerate(sections, 1):
        for side in ("a", "b"):
            values: SideScores | None = getattr(by_place.get(place), f"response_{side}", None)
            values_by_side[side] += [value for _, value in values or ()]
            if getattr(section, side) is None:
                if values is not None:
                    text = f"missing section: scores {section.label!r}, which response {side.upper()} does not have"
                    remarks.append(Remark(f"response/{side}", "", "rule", text))
            elif values is not None:
                scores += [Score(f"section:{place}/{side}", name, float(value)) for name, value in values]
            elif item.sections:
                return Reading(
                    unscored="incomplete", why=f"no scores for section {section.label!r} of response {side.upper()}"
                )
    for side in ("a", "b"):
        flagged = getattr(reply.long_form_failures, f"response_{side}")
        for dimension in DIMENSIONS[3:8]:
            scores.append(Score(f"response/{side}", dimension.name, float(dimension.name in flagged)))
        aggregate = getattr(reply.aggregate_scores, f"response_{side}")
        scores.append(Score(f"response/{side}", "aggregate", float(aggregate)))
        low, high = min(values_by_side[side], default=1), max(values_by_side[side], default=5)
        if not low <= aggregate <= high and not (flagged and aggregate < low):
            where = f"outside its sections ({low:g} to {high:g})"
            text = f"The aggregate {aggregate:g} of response {side.upper()} lies {where}."
            remarks.append(Remark(f"response/{side}", "aggregate", "rule", text))
    scores.append(Score("pair", "verdict", float(VERDICTS.index(reply.verdict))))
    if reply.decision_basis.strip():
        remarks.append(Remark("pair", "verdict", "note", reply.decision_basis))
        remarks += length_limits.mark_many_sentences("pair", "decision basis", reply.decision_basis, SENTENCES)
    a, b = reply.aggregate_scores.response_a, reply.aggregate_scores.response_b
    if reply.verdict not in (allowed := allowed_verdicts(a, b)):
        text = f"The judge said {reply.verdict}. Its aggregates ({a:g} and {b:g}) allow {' or '.join(allowed)}."
        remarks.append(Remark("pair", "verdict", "rule", text))
    if reply.verdict != "tie" and (failed := getattr(reply.long_form_failures, f"response_{reply.verdict}")):
        named = ", ".join(name.replace("_", " ") for name in dict.fromkeys(failed))
        remarks.append(Remark("pair", "", "rule", f"The winner {reply.verdict.upper()} has a failure: {named}."))
    return Reading(tuple(scores), tuple(remarks))


def allowed_verdicts(a: float, b: float) -> tuple[str, ...]:
    """The verdicts that two aggregates allow: the higher one wins, a tie only when they differ by at most CLOSE."""
    if a == b:
        return ("tie",)
    winner = "a" if a > b else "b"
    return (winner, "tie") if abs(a - b) <= CLOSE + 1e-9 else (winner,)


def verdicts_by_codes(codes: Mapping[tuple[str, str], float | None]) -> tuple[str, ...]:
    """The same for codes by (unit, dimension), for chapters that are combined; () unless both aggregates are there."""
    a, b = (codes.get((f"response/{side}", "aggregate")) for side in ("a", "b"))
    return () if a is None or b is None else allowed_verdicts(a, b)


def fields(item: Pair, _part: str) -> dict[str, Any]:
    """Return the fields that the judge is shown, without the names of the systems.

    `sections_absent` names the sections that only one of the responses has; it is left out if both have all sections.
    """
    sections = item.sections or []
    absent = {f"response_{side}": [s.label for s in sections if getattr(s, side) is None] for side in ("a", "b")}
    shown = {
        "long_input": item.input_shown,
        "response_a": item.response_a.text,
        "response_b": item.response_b.text,
        "sections": [section.label for section in sections],
    }
    return shown | ({"sections_absent": absent} if any(absent.values()) else {})


CARD = Card(
    "long_form_pairwise",
    "Long-form pair",
    "pair",
    DIMENSIONS,
    Reply,
    read,
    prompts=prompts_beside(__file__),
    fields=fields,
    audits=(
        *("opening_decides", "longer_wins", "failures_unnoticed", "invented_sections", "first_place_wins"),
        "injected_order",
    ),
    defaults=Params(orders="both"),
    allowed=verdicts_by_codes,
    rules=(
        f"The response with the higher aggregate wins; a tie only where they differ by at most {CLOSE}.",
        "An aggregate lies within the range of its sections, or below it where a failure is listed.",
        f"The decision basis has at most {SENTENCES} sentences. What has more is marked, and the scores stand.",
        "Sections are called by the labels that were given, and each is judged once for each response that has it.",
        "A winner with a failure listed against it is marked.",
    ),
    needs=(
        "Responses from about 500 tokens each: for shorter ones use the card Plain pair.",
        "A context that holds the input and both responses; where it does not, set the context of the model under "
        "Parameters, and the pair is judged chapter by chapter.",
    ),
    least_reply=500,
)
