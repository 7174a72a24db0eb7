"""The reply of a practice model: the card and its fields are read from the fence in the last message."""

from __future__ import annotations

from typing import Any

from judges.practice import dialogue, generic, pair, response
from judges.practice.completion import Reply, reply_text
from judges.practice.family import DISCLAIMER, PracticeJudge
from judges.practice.shape import follow_reference, schema_from_outline
from judges.protocols.messages import read_fence

_JSON = {
    "multi_turn_dialogue": (dialogue.judge_dialogue, "per_turn"),
    "rubric_open_ended": (response.judge_rubric, "scores"),
    "pointwise_quality": (response.judge_pointwise, "dimensions"),
    "long_form_pairwise": (pair.judge_long_form, "section_judgments"),
    "plain_pairwise": (pair.judge_plain, "verdict"),
}
"""The rules of the cards that are answered as JSON, and a key that each one's own reply has."""
_NAMES = {"turns": "dialogue", "scenario": "scenario_description"}
"""An item's own names of fields, and those that the rules know."""
_PROSE = {"mt_bench": response.rate_in_prose, "mt_bench_pair": pair.judge_in_prose}


def answer_message(judge: PracticeJudge, text: str, schema: dict[str, Any] | None, as_json: bool) -> Reply:
    """The reply to the last user message.

    Assay's own cards have specific rules. The generic rules fill in further keys of the schema (the summary of a
    window) and answer all other cards. If no shape is known, a single output is rated, and a pair compared. Without a
    fence, the model says what it is.
    """
    fence = read_fence(text)
    if fence is None:
        note = f"{DISCLAIMER} It answers judge cards; this message holds no material to judge."
        return {"note": note} if as_json or schema else (note,)
    card, own = fence
    # A card without `fields` uses the item's own names.
    fields = {_NAMES[key] if key in _NAMES and _NAMES[key] not in own else key: value for key, value in own.items()}
    if card in _PROSE and not schema and not as_json:
        return _PROSE[card](judge, fields)
    shape = schema or schema_from_outline(text[text.rfind("===") :])
    if card in _JSON and _fits(card, shape):
        return _with_rest(judge, fields, _JSON[card][0](judge, fields), shape)
    if shape is not None:
        return generic.fill_schema(judge, fields, shape)
    prose = pair.judge_in_prose(judge, fields) if "response_a" in fields else response.rate_in_prose(judge, fields)
    return {"reply": reply_text(prose)} if as_json else prose


def _fits(card: str, shape: dict[str, Any] | None) -> bool:
    """Whether the requested shape is that of the card's own reply: a card applied per turn may have the same name."""
    if shape is None:
        return True
    properties = shape.get("properties") or {}
    if card != "pointwise_quality":
        return _JSON[card][1] in properties
    # With other scales or without confidence, its reply has another shape.
    items = (properties.get("dimensions") or {}).get("items") or {}
    inside = follow_reference(items, shape).get("properties") or {}
    score = inside.get("score") or {}
    ends = score.get("enum") or [score.get("minimum", 1), score.get("maximum", 5)]
    return "confidence" in inside and (ends[0], ends[-1]) == (1, 5)


def _with_rest(
    judge: PracticeJudge, fields: dict[str, Any], reply: dict[str, Any], shape: dict[str, Any] | None
) -> dict[str, Any]:
    """The reply with exactly the keys of the shape; the baseline models also fill keys beyond the card."""
    if shape is None:
        return reply
    properties = shape["properties"]
    missing = {name: node for name, node in properties.items() if name not in reply}
    rest = generic.fill_schema(judge, fields, {**shape, "properties": missing}) if missing else {}
    return {name: reply[name] if name in reply else rest[name] for name in properties}
