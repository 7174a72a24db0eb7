"""The reply of any other card, by rules on its schema: custom cards, cards applied per turn, windows with a summary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from judges.practice import dialogue, pair, response, words
from judges.practice.completion import Grade
from judges.practice.family import DISCLAIMER, PracticeJudge, upper_middle
from judges.practice.shape import follow_reference, schema_options, schema_range

_MAX_DEPTH = 30
_PASSED_OVER = ("score", "scores", "value", "rating", "values")
"""Keys that name no dimension: the key around them does."""
_TURN_KEYS = ("turn", "turn_number")
_LABEL_KEYS = ("section_label", "section", "label")
_NAME_KEYS = ("name", "dimension")


@dataclass(frozen=True)
class ReplyPlace:
    """A value's place in a reply: the dimension's name, and what text it is about."""

    name: str
    task: str
    text: str
    reference: str = ""
    turn: int = 0
    label: str = ""
    preset: str = ""


def fill_schema(judge: PracticeJudge, fields: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A reply of that shape. Raises ValueError where the schema is none of an object.

    Whole numbers with limits are scores: what the key asks (response.HINTS) of the text it is about: the turn, the
    section or the side that it is inside of, else everything. Words are chosen from worst to best, {a, b, tie} by
    comparing; a flag is true where its words occur in the text; lists are one entry for each turn, section or name.
    """
    reply = _fill(judge, fields, schema, schema, whole_item(fields), 0)
    if not isinstance(reply, dict):
        raise ValueError("The schema is not that of a JSON object.")
    return reply


def whole_item(fields: dict[str, Any]) -> ReplyPlace:
    """The place that means everything in the fields."""
    if isinstance(fields.get("dialogue"), list):
        turns = dialogue.assistant_turns(fields)
        task = "\n".join([words.field_text(fields.get("scenario_description")), *(t.user for t in turns)])
        # A whole number without limits is the turn that repeats the fewest of its user's words.
        weakest = min(turns, key=lambda t: words.word_share(words.content_words(t.text), t.goal, 8), default=None)
        return ReplyPlace("", task, "\n".join(t.text for t in turns), turn=weakest.turn if weakest else 0)
    if "response_a" in fields:
        sides = [pair.side_text(fields, side) for side in pair.SIDES]
        return ReplyPlace("", pair.task_text(fields), "\n\n".join(sides))
    task, output, reference = response.single_output(fields)
    return ReplyPlace("", task, output or task, reference)


def _fill(
    judge: PracticeJudge, fields: dict[str, Any], node: dict[str, Any], root: dict[str, Any],
    place: ReplyPlace, deep: int,
) -> Any:
    if deep > _MAX_DEPTH:
        return None
    among = schema_options(node, root)
    # The most informative alternative: one with several values or types, before null and constants.
    alternatives = (o for o in among if "const" not in o and o.get("type") != "null" and o.get("enum") != ["n/a"])
    chosen = next(alternatives, among[0])
    if "const" in chosen:
        return chosen["const"]
    values = [v for option in among for v in option.get("enum", [option["const"]] if "const" in option else [])]
    if values and ("enum" in chosen):
        return _choice(judge, fields, values, place)
    sort = chosen.get("type")
    if sort == "object" or "properties" in chosen:
        return {
            name: _fill(judge, fields, inner, root, _into(fields, name, place), deep + 1)
            for name, inner in (chosen.get("properties") or {}).items()
        }
    if sort == "array":
        return _list(judge, fields, chosen.get("items") or {}, root, place, deep)
    if sort == "integer":
        low, high = _limits(chosen)
        if high is not None and low is not None:
            return _grade(judge, place, low, high)
        return place.turn
    if sort == "number":
        return _number(judge, place, *schema_range(chosen))
    if sort == "boolean":
        return bool(words.content_words(place.name.replace("_", " ")) & words.content_words(place.text))
    return None if sort == "null" else _text(fields, place)


def _limits(node: dict[str, Any]) -> tuple[int | None, int | None]:
    low, high = node.get("minimum"), node.get("maximum")
    low = node["exclusiveMinimum"] + 1 if low is None and "exclusiveMinimum" in node else low
    high = node["exclusiveMaximum"] - 1 if high is None and "exclusiveMaximum" in node else high
    return None if low is None else int(low), None if high is None else int(high)


def _into(fields: dict[str, Any], name: str, place: ReplyPlace) -> ReplyPlace:
    """The place of a key inside another."""
    side = name[-1].lower() if name.lower() in ("response_a", "response_b", "a", "b") else ""
    if side and "response_a" in fields:
        text = pair.side_text(fields, side)
        if place.label:
            text = pair.section_texts({**fields, "sections": [place.label]})[place.label][side] or text
        return replace(place, text=text)
    return place if name in _PASSED_OVER else replace(place, name=name)


def _choice(judge: PracticeJudge, fields: dict[str, Any], values: list[Any], place: ReplyPlace) -> Any:
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    if len(numbers) > 1:
        return _grade(judge, place, min(numbers), max(numbers))
    if place.preset in values and place.name in _NAME_KEYS:
        return place.preset
    names = [v for v in values if isinstance(v, str) and v.casefold() not in ("n/a", "na")]
    if not names:
        return values[0]
    if {n.casefold() for n in names} <= {"a", "b", "tie"} and "response_a" in fields:
        verdict = pair.compare_responses(judge, fields)
        return next((n for n in names if n.casefold() == verdict), names[0])
    if judge.family.sees == "nothing":
        return response.choose_grade(judge, names, 0.0)
    level = (_grade(judge, place, 1, 5).raw - 1) / 4
    return response.choose_grade(judge, names, level)


def _grade(judge: PracticeJudge, place: ReplyPlace, low: int, high: int) -> Grade:
    if judge.family.sees == "nothing":
        return Grade.from_raw(upper_middle(low, high), low, high)
    saw = response.observe_output(place.task, place.text, place.reference)[response.find_hint(place.name)]
    return judge.grade(f"{place.name} {place.turn} {place.label}", place.text, saw, low, high)


def _number(judge: PracticeJudge, place: ReplyPlace, low: float, high: float, step: float) -> float:
    """A number of that scale, on a step where it has any."""
    share = (_grade(judge, place, 1, 5).raw - 1) / 4
    value = low + share * (high - low)
    return round(low + round((value - low) / step) * step if step else value, 6 if step else 2)


def _text(fields: dict[str, Any], place: ReplyPlace) -> str:
    if "summary" in place.name:
        return dialogue.summarize_dialogue(fields)
    if place.name in _LABEL_KEYS and place.label:
        return place.label
    if place.name in _NAME_KEYS and place.preset:
        return place.preset
    return "assistant" if place.name == "role" else DISCLAIMER


def _list(
    judge: PracticeJudge, fields: dict[str, Any], items: dict[str, Any], root: dict[str, Any],
    place: ReplyPlace, deep: int,
) -> list[Any]:
    item = follow_reference(items, root)
    inside = item.get("properties") or {}
    places: list[ReplyPlace] = []
    if any(key in inside for key in _TURN_KEYS) and isinstance(fields.get("dialogue"), list):
        places = [ReplyPlace("", t.user, t.text, turn=t.turn) for t in dialogue.assistant_turns(fields)]
    elif any(key in inside for key in _LABEL_KEYS) and "response_a" in fields:
        places = [replace(place, label=label) for label in pair.section_labels(fields)]
    elif name_key := next((key for key in _NAME_KEYS if key in inside), ""):
        values = [v for option in schema_options(inside[name_key], root) for v in option.get("enum", [])]
        places = [replace(place, preset=str(v), name=str(v)) for v in values]
    return [_fill(judge, fields, item, root, entry, deep + 1) for entry in places]

