"""pointwise_quality: one output on dimensions that the caller names, 1-5, each with the judge's own confidence."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model

from judges.card import Card, prompts_beside, scales
from judges.errors import BadCard
from judges.triage import level
from judges.types import Dimension, Reading, Remark, Response, Scale, Score, Strict
from judges.values import TEXT, folded

NAME = "pointwise_quality"
CONFIDENCE = {"high": 0.9, "medium": 0.6, "low": 0.3}
"""What the judge's words are stored as: sure, may shift and a guess in the words of judges.triage.level."""
WEIGHTS = {"high": Fraction(1), "medium": Fraction(1, 2), "low": Fraction(1, 4)}
"""What a score counts in overall_score, by its confidence (CARDS, pointwise_quality)."""
ROUNDING = 0.005
"""A reported overall_score may differ from the recomputed one by this much: it is rounded to two decimals."""
DEFAULT = (
    ("instruction_following", "Does what the task asked, in the form it asked for."),
    ("factuality", "False claims cost, opinions do not."),
    ("completeness", "Covers what the task needs."),
    ("clarity", "Can be followed at the first reading: clear words, sensible order, nothing in the way."),
)
"""The dimensions where the caller names none; the first three mean the same as in rubric_open_ended."""
_SCALE = Scale("ordinal", 1, 5)
_OVERALL = Dimension("overall_score", "response", Scale("interval", 1, 5), "Mean of the scores by confidence.", False)
_TRUST = Dimension(
    "trustworthy_aggregate", "response", Scale("flag"), "Most dimensions have high or medium confidence.", False
)
_MOST, _NAME_LENGTH, _DEFINITION_LENGTH = 20, 60, 1000


def _said(value: Any) -> Any:
    """A stated confidence as a word; what is no word as its text: it is marked then, and costs no score."""
    return folded(value) if value is None or isinstance(value, str) else repr(value)


_Confidence = Annotated[
    str | None, BeforeValidator(_said), WithJsonSchema({"type": "string", "enum": ["high", "medium", "low"]})
]


class Judged(Strict):
    """One dimension: its score, the reason, and how sure the judge is (None where it did not say)."""

    name: str
    score: int = Field(ge=1, le=5)
    justification: TEXT
    confidence: _Confidence = None


class Reply(Strict):
    """The judge's JSON. The two sums may be missing, as they are recomputed."""

    dimensions: list[Judged]
    overall_score: Annotated[float | None, WithJsonSchema({"type": "number"})] = None
    trustworthy_aggregate: Annotated[bool | None, WithJsonSchema({"type": "boolean"})] = None
    decision_basis: TEXT


def overall(scored: Iterable[tuple[int, str]]) -> float:
    """The mean of scores, weighted by their confidence: sum(w s) / sum(w) with high 1, medium .5, low .25.

    5 high, 4 medium, 4 medium, 5 high: (5 + 2 + 2 + 5) / 3 = 4.67. ValueError without any score.
    """
    pairs = list(scored)
    if not pairs:
        raise ValueError("There is no mean of no scores.")
    total = sum((WEIGHTS[word] for _, word in pairs), Fraction())
    return float(sum((WEIGHTS[word] * score for score, word in pairs), Fraction()) / total)


def trustworthy(confidences: Iterable[str]) -> bool:
    """Whether a majority, more than half, of the dimensions have high or medium confidence."""
    words = list(confidences)
    return 2 * sum(word in ("high", "medium") for word in words) > len(words)


def key(name: str) -> str:
    """A dimension's name as replies are matched to it: case, underscores, hyphens and space do not count."""
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())


def named(dimensions: Iterable[tuple[str, str]]) -> Card:
    """The card with dimensions of one's own, as (name, definition) in the order in which they are shown; the definition
    may be "". Its recipe holds them, and they are part of its version.

    Raises BadCard where a name is empty, too long, taken by this card or by another scale, or stands twice.
    """
    given = [(name.strip(), definition.strip()) for name, definition in dimensions]
    if not 1 <= len(given) <= _MOST:
        raise BadCard(f"Give 1 to {_MOST} dimensions; there are {len(given)}.")
    known: dict[str, str] = {key(d.name): "of the card itself" for d in (_OVERALL, _TRUST)}
    for name, definition in given:
        if not key(name) or len(name) > _NAME_LENGTH or not name.isprintable():
            raise BadCard(f"{name[:80]!r} cannot name a dimension: use 1 to {_NAME_LENGTH} characters on one line.")
        if len(definition) > _DEFINITION_LENGTH:
            raise BadCard(f"The definition of {name} is longer than {_DEFINITION_LENGTH} characters: shorten it.")
        if key(name) in known:
            raise BadCard(f"The name {name} is taken: it is {known[key(name)]}. Choose another name.")
        if scales().get(("response", "response", name), _SCALE) != _SCALE:
            raise BadCard(f"The name {name} means another scale than 1 to 5 in another card. Choose another name.")
        known[key(name)] = "among the dimensions already"
    return _made(given, {"from": NAME, "dimensions": [list(pair) for pair in given]})


def _made(given: list[tuple[str, str]], recipe: dict[str, Any] | None) -> Card:
    names = [name for name, _ in given]
    asked = [Dimension(n, "response", _SCALE, text or f"How good the output is in {n}.") for n, text in given]
    enum = Annotated[str, WithJsonSchema({"type": "string", "enum": names})]
    judged = create_model("Judged", __base__=Judged, name=(enum, ...))
    reply = create_model("Reply", __base__=Reply, dimensions=(list[judged], ...))  # type: ignore[valid-type]

    def fields(item: Response, _part: str) -> dict[str, Any]:
        shown = [{"name": name, "definition": definition} for name, definition in given]
        return {"task_description": item.task, "model_output": item.output, "scoring_dimensions": shown}

    def read(found: Reply, _item: Response) -> Reading:
        return _read(found, names)

    return Card(
        NAME,
        "Pointwise quality",
        "response",
        (*asked, _OVERALL, _TRUST),
        reply,
        read,
        prompts=prompts_beside(__file__),
        fields=fields,
        audits=(
            "always_sure",
            "confidence_meaningless",
            "does_not_apply",
            "justification_fits",
            "same_score",
            "refuses_low",
            "injected_order",
        ),
        recipe=recipe,
        trust=_TRUST.name,
        counts={level(CONFIDENCE[word]) or "": float(weight) for word, weight in WEIGHTS.items()},
        rules=(
            "The overall score is the mean of the scores, where high confidence counts 1, medium .5 and low .25.",
            "The aggregate is trustworthy where more than half of the dimensions have high or medium confidence.",
            "Every dimension that was named is scored once, with a confidence, and no other.",
        ),
    )


def _read(reply: Reply, names: list[str]) -> Reading:
    """A score for every dimension that was named; a broken rule is a remark, never a changed score.

    A confidence that is missing, or is none of the three words, leaves the score without one and is marked; then
    neither sum exists. `facts["reported"]` keeps the sums as the judge stated them.
    """
    asked, given, remarks = {key(name): name for name in names}, dict[str, Judged](), list[Remark]()
    for judged in reply.dimensions:
        name = asked.get(key(judged.name))
        if name is None:
            remarks.append(_rule("", f"scores {judged.name[:60]!r}, which is not among the dimensions"))
        elif name in given:
            return Reading(unscored="unreadable", why=f"the dimension {name} is scored twice")
        else:
            given[name] = judged
    if missing := [name for name in names if name not in given]:
        return Reading(unscored="incomplete", why=f"no score for {', '.join(missing[:5])}")
    scores, sure, unsure = list[Score](), list[tuple[int, str]](), list[str]()
    for name in names:
        judged = given[name]
        if judged.confidence in CONFIDENCE:
            sure.append((judged.score, judged.confidence))
            stated, source = CONFIDENCE[judged.confidence], "self-reported"
        else:
            stated, source = None, ""
            unsure.append(f"{name} ({judged.confidence[:40]!r})" if judged.confidence else name)
        scores.append(Score("response", name, float(judged.score), stated, source))
        if judged.justification.strip():
            remarks.append(Remark("response", name, "note", judged.justification))
    if reply.decision_basis.strip():
        remarks.append(Remark("response", "", "note", reply.decision_basis))
    if len(sure) == len(names):
        mean, trust = overall(sure), trustworthy(word for _, word in sure)
        scores += [Score("response", _OVERALL.name, mean), Score("response", _TRUST.name, float(trust))]
        remarks += _differences(reply, mean, trust)
    else:
        text = f"High, medium or low confidence was asked for, and not given: {', '.join(unsure)}. The scores stand."
        remarks.append(_rule("", text))
    reported = {"overall_score": reply.overall_score, "trustworthy_aggregate": reply.trustworthy_aggregate}
    return Reading(tuple(scores), tuple(remarks), facts={"reported": reported})


def _differences(reply: Reply, mean: float, trust: bool) -> list[Remark]:
    """What the judge's own sums say otherwise than its scores and confidences, or leave out."""
    found = []
    if reply.overall_score is None:
        found.append(_rule(_OVERALL.name, f"The judge gave no overall score. By its confidences it is {mean:.2f}."))
    elif not abs(reply.overall_score - mean) <= ROUNDING + 1e-9:
        text = f"The judge said {reply.overall_score:g}. Its scores, weighted by confidence, give {mean:.2f}."
        found.append(_rule(_OVERALL.name, text))
    if reply.trustworthy_aggregate is None:
        found.append(_rule(_TRUST.name, f"The judge did not say. By its confidences it is {_yes(trust)}."))
    elif reply.trustworthy_aggregate != trust:
        text = f"The judge said {_yes(reply.trustworthy_aggregate)}. By its confidences it is {_yes(trust)}."
        found.append(_rule(_TRUST.name, text))
    return found


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _rule(dimension: str, text: str) -> Remark:
    return Remark("response", dimension, "rule", text)


CARD = _made(list(DEFAULT), None)
