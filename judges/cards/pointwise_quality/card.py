"""pointwise_quality: one output on dimensions that the caller names, 1-5, each with the judge's own confidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, create_model

from judges.card import Card, prompts_beside
from judges.cards import scales
from judges.errors import BadCard
from judges.reading import length_limits
from judges.reading.values import TEXT, fold
from judges.triage import confidence_level
from judges.types import Dimension, Reading, Remark, Response, Scale, Score, Strict

NAME = "pointwise_quality"
CONFIDENCE = {"high": 0.9, "medium": 0.6, "low": 0.3}
"""The numbers that stand for the judge's words. judges.triage.confidence_level turns them back into those words."""
WEIGHTS = {"high": Fraction(1), "medium": Fraction(1, 2), "low": Fraction(1, 4)}
"""The weight of a score in overall_score, by its confidence (docs/methods.md, A judge's own means)."""
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
_WORDS, _BASIS = 20, 30
"""Words of a justification and of the decision basis."""
_AUDITS = (
    *("always_sure", "confidence_meaningless", "does_not_apply", "justification_fits", "same_score", "refuses_low"),
    "injected_order",
)
_OF_CONFIDENCE = ("always_sure", "confidence_meaningless", "does_not_apply", "refuses_low")
_SUMS = (
    "The overall score is the mean of the scores, where high confidence counts 1, medium .5 and low .25.",
    "The aggregate is trustworthy where more than half of the dimensions have high or medium confidence.",
)
_USUAL_SCORE = re.compile(r"`score`, a whole number from 1 to 5:\n(?:- \d: .*\n)+")
_OWN_SCORE = (
    "`score`, a whole number on the scale that stands beside the definition. The highest fully meets it: you can name "
    "nothing that is lacking. The lowest does not meet it, or does the opposite. Those between lie evenly between.\n"
)
_CONFIDENCE_TEXT = re.compile(r"`confidence`, how well.*?(?=\n## )", re.DOTALL)
_WITHOUT_CONFIDENCE = (
    (", and how sure you are of the score.", "."),
    ("a score, a reason", "a score and a reason"),
    ("states scores or confidences", "states scores"),
    (', "confidence": "high" | "medium" | "low"', ""),
    (', "overall_score": <number>, "trustworthy_aggregate": true | false', ""),
    ("what the overall score rests on", "what the scores rest on"),
    ("## The sums\n", "## The decision basis\n"),
)
"""The passages of the prompt for scales other than 1 to 5, and without confidence."""


def _confidence_word(value: Any) -> Any:
    """A stated confidence as a word; anything else becomes its text, which is marked later and costs no score."""
    return fold(value) if value is None or isinstance(value, str) else repr(value)


_Confidence = Annotated[
    str | None, BeforeValidator(_confidence_word), WithJsonSchema({"type": "string", "enum": ["high", "medium", "low"]})
]


def _reply_model(names: list[str], ends: tuple[int, int], sure: bool) -> type[BaseModel]:
    """The judge's JSON. The sums may be missing, as they are recomputed; without confidences there are none."""
    enum = Annotated[str, WithJsonSchema({"type": "string", "enum": names})]
    score = Annotated[int, Field(ge=ends[0], le=ends[1])]
    confidence: Any = {"confidence": (_Confidence, None)} if sure else {}
    judged: Any = create_model(
        "Judged", __base__=Strict, name=(enum, ...), score=(score, ...), justification=(TEXT, ...), **confidence
    )
    sums: Any = {
        "overall_score": (Annotated[float | None, WithJsonSchema({"type": "number"})], None),
        "trustworthy_aggregate": (Annotated[bool | None, WithJsonSchema({"type": "boolean"})], None),
    }
    return create_model(
        "Reply", __base__=Strict, dimensions=(list[judged], ...), **sums if sure else {}, decision_basis=(TEXT, ...)
    )


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
    """A dimension's name for matching replies: case, underscores, hyphens and spaces do not count."""
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())


def card_with_dimensions(
    dimensions: Iterable[tuple[str, str] | tuple[str, str, Scale]], confidence: bool = True
) -> Card:
    """The card with the caller's dimensions, as (name, definition) in the order in which they are shown.

    The definition may be "". A third entry is a scale of whole numbers in place of 1 to 5. Without `confidence` judges
    give scores and justifications only, as small models can. The card's recipe holds all of it, and it is part of its
    version.

    There is a mean over the dimensions if all have the same scale; its name contains the ends of a scale other than 1
    to 5. Raises BadCard if a name is empty, too long, taken by this card or by another scale, or given twice.
    """
    rows = [(row[0].strip(), row[1].strip(), row[2] if len(row) > 2 else _SCALE) for row in dimensions]
    if not 1 <= len(rows) <= _MOST:
        raise BadCard(f"Give 1 to {_MOST} dimensions; there are {len(rows)}.")
    mean = _mean([scale for _, _, scale in rows])
    known: dict[str, str] = {key(d.name): "of the card itself" for d in (mean, _OVERALL, _TRUST) if d is not None}
    for name, definition, scale in rows:
        if not key(name) or len(name) > _NAME_LENGTH or not name.isprintable():
            raise BadCard(f"{name[:80]!r} cannot name a dimension: use 1 to {_NAME_LENGTH} characters on one line.")
        if len(definition) > _DEFINITION_LENGTH:
            raise BadCard(f"The definition of {name} is longer than {_DEFINITION_LENGTH} characters: shorten it.")
        if key(name) in known:
            raise BadCard(f"The name {name} is taken: it is {known[key(name)]}. Choose another name.")
        if scale.kind != "ordinal" or scale.na or not 0 <= scale.lo < scale.hi <= 10:
            raise BadCard(f"{name}: give whole numbers within 0 to 10, such as 1 to 3; this is {scale.words}.")
        if scales().get(("response", "response", name), scale) != scale:
            raise BadCard(
                f"The name {name} means another scale than {scale.words} in another card. Choose another name."
            )
        known[key(name)] = "among the dimensions already"
    entries = [[n, d] if s == _SCALE else [n, d, {"lo": int(s.lo), "hi": int(s.hi)}] for n, d, s in rows]
    return _make_card(rows, {"from": NAME, "dimensions": entries} | ({} if confidence else {"confidence": False}))


def restore_card(_card: Card, spec: Mapping[str, Any]) -> Card:
    """The card with named dimensions whose stored content this is."""
    recipe = spec["recipe"]
    dimensions: list[Any] = [
        (str(name), str(definition), *(Scale("ordinal", scale["lo"], scale["hi"]) for scale in own))
        for name, definition, *own in recipe["dimensions"]
    ]
    return card_with_dimensions(dimensions, bool(recipe.get("confidence", True)))


def _mean(scales: list[Scale]) -> Dimension | None:
    """The dimension for the mean over scores; None if the scales differ, because 2 of 3 and 4 of 5 have no mean."""
    if any(scale != scales[0] for scale in scales):
        return None
    lo, hi = int(scales[0].lo), int(scales[0].hi)
    if (lo, hi) == (1, 5):
        return _OVERALL
    name = f"{_OVERALL.name}_{lo}_to_{hi}"
    return Dimension(name, "response", Scale("interval", lo, hi), _OVERALL.definition, False)


def _make_card(rows: list[tuple[str, str, Scale]], recipe: dict[str, Any] | None) -> Card:
    names, dimensions = [name for name, _, _ in rows], []
    for name, text, scale in rows:
        anchors = (scale.answers[0], "does not meet it, or does the opposite"), (scale.answers[-1], "fully meets it")
        definition = text or f"How good the output is in {name}."
        dimensions.append(Dimension(name, "response", scale, definition, anchors=anchors))
    sure = recipe is None or recipe.get("confidence", True)
    mean = _mean([scale for _, _, scale in rows])
    sums = [d for d in (mean, _TRUST) if d is not None] if sure else []
    usual = mean is _OVERALL
    ends = int(min(d.scale.lo for d in dimensions)), int(max(d.scale.hi for d in dimensions))

    def fields(item: Response, _part: str) -> dict[str, Any]:
        shown = [
            {"name": name, "definition": text} | ({} if usual else {"scale": f"{scale.lo:g} to {scale.hi:g}"})
            for name, text, scale in rows
        ]
        return {"task_description": item.task, "model_output": item.output, "scoring_dimensions": shown}

    def read(answer: Any, _item: Response) -> Reading:
        return _read(answer, dimensions, mean, sure)

    return Card(
        NAME,
        "Pointwise quality",
        "response",
        (*dimensions, *sums),
        _reply_model(names, ends, sure),
        read,
        prompts={"": _prompt(usual, sure, ends)},
        fields=fields,
        audits=tuple(name for name in _AUDITS if sure or name not in _OF_CONFIDENCE),
        recipe=recipe,
        trust=_TRUST.name,
        again=restore_card,
        counts={confidence_level(CONFIDENCE[word]) or "": float(weight) for word, weight in WEIGHTS.items()},
        rules=(
            *(_SUMS if sure else ()),
            f"Every dimension that was named is scored once{', with a confidence,' if sure else ''} and no other.",
            f"A justification has at most {_WORDS} words, the decision basis {_BASIS}. {length_limits.RULE}",
        ),
        needs=("A model that can state how sure it is: for small ones, switch the confidence off.",) * sure,
    )


def _prompt(usual: bool, sure: bool, ends: tuple[int, int]) -> str:
    """The system message. `usual`: the scores are 1 to 5; `ends` are the lowest and the highest score of all scales."""
    text = prompts_beside(__file__)[""]
    if not usual:
        text = _USUAL_SCORE.sub(_OWN_SCORE, text).replace("{name, definition}", "{name, definition, scale}")
        text = text.replace('"score": <1-5>', f'"score": <number on its scale, within {ends[0]}-{ends[1]}>')
        text = text.replace("3 and 4 are scores", "Those in the middle are scores")
        text = text.replace("a 1 can be sure and a 5 a guess", "a low score can be sure and a high one a guess")
    if not sure:
        text = _CONFIDENCE_TEXT.sub("", text)
        text = re.sub(r"`overall_score`: .*?(?=`decision_basis`)", "", text, flags=re.DOTALL)
        for old, new in _WITHOUT_CONFIDENCE:
            text = text.replace(old, new)
    return text


def _read(reply: Any, dimensions: list[Dimension], mean_of: Dimension | None, sure_asked: bool) -> Reading:
    """A score for every dimension that was named; a broken rule is a remark, never a changed score.

    A confidence that is missing, or is none of the three words, leaves the score without one and is marked; then
    neither sum exists. `facts["reported"]` keeps the sums as the judge stated them.
    """
    names = [d.name for d in dimensions]
    names_by_key, by_name, remarks = {key(name): name for name in names}, dict[str, Any](), list[Remark]()
    for judged in reply.dimensions:
        name = names_by_key.get(key(judged.name))
        if name is None:
            remarks.append(_rule("", f"scores {judged.name[:60]!r}, which is not among the dimensions"))
        elif name in by_name:
            return Reading(unscored="unreadable", why=f"the dimension {name} is scored twice")
        else:
            by_name[name] = judged
    if missing := [name for name in names if name not in by_name]:
        return Reading(unscored="incomplete", why=f"no score for {', '.join(missing[:5])}")
    scores, sure, unsure = list[Score](), list[tuple[int, str]](), list[str]()
    for dimension in dimensions:
        name, scale, judged = dimension.name, dimension.scale, by_name[dimension.name]
        if not scale.lo <= judged.score <= scale.hi:
            return Reading(unscored="out_of_range", why=f"{name}: {judged.score} is not on its scale, {scale.words}")
        remarks += length_limits.mark_many_words("response", f"justification of {name}", judged.justification, _WORDS)
        stated, source = None, ""
        if sure_asked and judged.confidence in CONFIDENCE:
            sure.append((judged.score, judged.confidence))
            stated, source = CONFIDENCE[judged.confidence], "self-reported"
        elif sure_asked:
            unsure.append(f"{name} ({judged.confidence[:40]!r})" if judged.confidence else name)
        scores.append(Score("response", name, float(judged.score), stated, source))
        if judged.justification.strip():
            remarks.append(Remark("response", name, "note", judged.justification))
    if reply.decision_basis.strip():
        remarks.append(Remark("response", "", "note", reply.decision_basis))
        remarks += length_limits.mark_many_words("response", "decision basis", reply.decision_basis, _BASIS)
    if not sure_asked:
        return Reading(tuple(scores), tuple(remarks))
    if len(sure) == len(names):
        trust = trustworthy(word for _, word in sure)
        if mean_of is not None:
            mean = overall(sure)
            scores.append(Score("response", mean_of.name, mean))
            remarks += _mean_said(reply, mean_of, mean)
        scores.append(Score("response", _TRUST.name, float(trust)))
        remarks += _trust_said(reply, trust)
    else:
        text = f"High, medium or low confidence was asked for, and not given: {', '.join(unsure)}. The scores stand."
        remarks.append(_rule("", text))
    reported = {"overall_score": reply.overall_score, "trustworthy_aggregate": reply.trustworthy_aggregate}
    return Reading(tuple(scores), tuple(remarks), facts={"reported": reported})


def _mean_said(reply: Any, dimension: Dimension, mean: float) -> list[Remark]:
    """Return a remark if the judge's own mean differs from that of its scores and confidences, or if it gave none."""
    if reply.overall_score is None:
        return [_rule(dimension.name, f"The judge gave no overall score. By its confidences it is {mean:.2f}.")]
    if abs(reply.overall_score - mean) <= ROUNDING + 1e-9:
        return []
    text = f"The judge said {reply.overall_score:g}. Its scores, weighted by confidence, give {mean:.2f}."
    return [_rule(dimension.name, text)]


def _trust_said(reply: Any, trust: bool) -> list[Remark]:
    """The same for whether the mean can be trusted."""
    stated, yes_or_no = reply.trustworthy_aggregate, _TRUST.scale.format
    if stated == trust:
        return []
    clause = "did not say" if stated is None else f"said {yes_or_no(stated)}"
    return [_rule(_TRUST.name, f"The judge {clause}. By its confidences it is {yes_or_no(trust)}.")]


def _rule(dimension: str, text: str) -> Remark:
    return Remark("response", dimension, "rule", text)


CARD = _make_card([(*row, _SCALE) for row in DEFAULT], None)
