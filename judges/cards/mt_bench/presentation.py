"""What a judge of MT-Bench sees of an item: an answer, what led to it, its references; or these shown differently."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field, ValidationError

from judges.card import Card
from judges.errors import BadCard
from judges.mtbench.answer_pairs import ANSWER, USER, join_turns, split_turns
from judges.mtbench.protocol import Thinking
from judges.mtbench.records import WITH_REFERENCE
from judges.mtbench.thinking import strip_thinking
from judges.tool_calls import entry_fields
from judges.types import Dialogue, Pair, PairSide, Strict, Turn, turn_number

REPLY = "## Your reply"
"""The heading under which a prompt says how to reply: what else is said comes before it."""
_NUMBER = re.compile(r"\{\w+_([1-9])\}")


def references(item: Dialogue | Pair, turn: int) -> list[str]:
    """The reference answers to the turns up to this one that a judge is shown; [] outside math, reasoning and coding.

    If FastChat's files of reference answers (reference_answer/) come with a question, its own `reference` is for
    people. Then a judge sees only what is under `reference_answer`, even if that is empty.
    """
    if item.meta.get("category") not in WITH_REFERENCE:
        return []
    reference = item.meta.get("reference_answer", item.meta.get("reference"))
    answers = [reference] if isinstance(reference, str) else reference
    if not isinstance(answers, list) or not all(isinstance(text, str) for text in answers):
        return []
    return answers[:turn] if len(answers) >= turn and answers[turn - 1].strip() else []


def turn_variant(item: Dialogue, part: str) -> str:
    """The name of the prompt that a turn gets.

    It is "" for an answer to a single question and multi_turn for an answer with earlier turns, with reference added if
    there is one.
    """
    return _variant(len(entries_until(item, part)) != 2, references(item, turn_number(part)))


def pair_variant(item: Pair, _part: str) -> str:
    """Return the name of the prompt that a pair gets: by its turn, which FastChat's files name, and its reference."""
    return _variant(pair_turn(item) > 1, references(item, pair_turn(item)))


def turn_fields(item: Dialogue, part: str) -> dict[str, Any]:
    """Return the fields for the judge of a turn: question and answer, or the dialogue up to the turn that it rates."""
    until = entries_until(item, part)
    if len(until) == 2:
        shown: dict[str, Any] = {"question": until[0].text, "answer": until[1].text}
    else:
        shown = {"dialogue": [entry_fields(entry) for entry in until], "judged_turn": turn_number(part)}
    return shown | _with_reference(item, turn_number(part))


def pair_fields(item: Pair, _part: str) -> dict[str, Any]:
    """Return the fields for the judge of a pair; the systems' names are never among them."""
    shown = {"input": item.input_shown, "response_a": item.response_a.text, "response_b": item.response_b.text}
    return shown | _with_reference(item, pair_turn(item))


def _with_reference(item: Dialogue | Pair, turn: int) -> dict[str, Any]:
    answers = references(item, turn)
    return {"reference_answer": [{"turn": n, "text": text} for n, text in enumerate(answers, 1)]} if answers else {}


def entries_until(item: Dialogue, part: str) -> list[Turn]:
    """The entries of a dialogue up to and including the judged one."""
    turn = turn_number(part)
    places = (n for n, entry in enumerate(item.turns, 1) if (entry.turn, entry.role) == (turn, "assistant"))
    return [entry for entry in item.turns[: next(places, None)] if entry.turn <= turn]


def pair_turn(item: Pair) -> int:
    """The turn up to which a pair's answers go, which FastChat's files name."""
    turn = item.meta.get("turn", 1)
    return turn if isinstance(turn, int) and turn > 0 else 1


def _variant(several_turns: bool, reference_answers: list[str]) -> str:
    return "_".join(["multi_turn"] * several_turns + ["reference"] * bool(reference_answers))


class Presentation(Strict):
    """The settings of a protocol that change what its judge is shown: part of the card's content and version."""

    family: str = Field(default="assay", max_length=200)
    thinking: Thinking = "kept"
    cut_at: int = Field(default=0, ge=0)
    references: str = Field(default="", max_length=200)


def restore_card(base: Card, spec: Mapping[str, Any]) -> Card:
    """The card of a stored content that was made from `base`, with its prompts. Raises BadCard for other content."""
    recipe, prompts, templates = spec["recipe"], spec.get("prompts", {}), spec.get("templates", {})
    try:
        shown = Presentation.model_validate({name: value for name, value in recipe.items() if name != "from"})
    except ValidationError as error:
        raise BadCard(f"The stored card {base.name} says nothing that can be used of its showing: {error}.") from None
    for texts in (prompts, templates):
        if not isinstance(texts, Mapping) or not all(isinstance(text, str) for text in texts.values()):
            raise BadCard(f"The stored card {base.name} has prompts that are no texts.")
    return show(base, shown, dict(prompts), dict(templates))


def show(base: Card, shown: Presentation, prompts: dict[str, str], templates: dict[str, str]) -> Card:
    """The card with these prompts, and with functions that show an item in this way."""
    most = max([1, *(int(number) for number in _NUMBER.findall(templates.get("multi_turn", "")))])

    def parts(item: Any) -> list[str]:
        base_parts = base.parts(item)
        return [part for part in base_parts if len(_turns(item, part)) in (1, most)] if templates else base_parts

    def variant(item: Any, part: str) -> str:
        seen = _with_references(item, shown.references)
        if not templates:
            return base.variant(seen, part)
        turn = len(_turns(seen, part))
        return _variant(turn > 1, references(seen, turn))

    def fields(item: Any, part: str) -> dict[str, Any]:
        seen = _with_references(_shown_item(item, shown), shown.references)
        return _template_fields(seen, part) if templates else base.fields(seen, part)

    recipe = {"from": base.name, **shown.model_dump()}
    return replace(
        base, prompts=prompts, templates=templates, variant=variant, parts=parts, fields=fields, recipe=recipe
    )


def _with_references(item: Dialogue | Pair, set_name: str) -> Dialogue | Pair:
    """The item with the references that its judge is to see: the question's own, none, or a judge's.

    If an item has different sets for several judges, a name chooses one of them; else all judges have the same set.
    """
    sets = item.meta.get("reference_answers")
    if set_name in ("own", "none"):
        answers = item.meta.get("reference", []) if set_name == "own" else []
    elif set_name and isinstance(sets, dict):
        answers = sets.get(set_name, [])
    else:
        return item
    return item.model_copy(update={"meta": {**item.meta, "reference_answer": answers}})


def _shown_item(item: Dialogue | Pair, shown: Presentation) -> Dialogue | Pair:
    """The item with its answers as they are shown: without thinking, and cut."""

    def clean(text: str) -> str:
        plain = strip_thinking(text) if shown.thinking == "removed" else text
        return plain[: shown.cut_at] if shown.cut_at else plain

    if isinstance(item, Dialogue):
        turns = [
            entry.model_copy(update={"text": clean(entry.text)}) if entry.role == "assistant" else entry
            for entry in item.turns
        ]
        return item.model_copy(update={"turns": turns})
    sides = {}
    for name in ("response_a", "response_b"):
        side: PairSide = getattr(item, name)
        answers = [clean(text) for text in split_turns(side.text or "", pair_turn(item), ANSWER)]
        sides[name] = side.model_copy(update={"text": join_turns(answers, ANSWER)})
    return item.model_copy(update=sides)


def _turns(item: Dialogue | Pair, part: str) -> list[dict[str, str]]:
    """Return the texts of each turn up to the judged one, by the names of their fields without the number.

    The list is empty for a pair that does not say where its turns begin.
    """
    if isinstance(item, Dialogue):
        until = entries_until(item, part)
        fields_by_turn = {entry.turn: {"question": "", "answer": ""} for entry in until}
        for entry in until:
            name = {"user": "question", "assistant": "answer"}.get(entry.role)
            if name is not None:
                fields_by_turn[entry.turn][name] = entry.text
        return list(fields_by_turn.values())
    turn = pair_turn(item)
    input_text = item.input if isinstance(item.input, str) else "\n\n".join(entry.text for entry in item.input)
    columns = (
        split_turns(input_text, turn, USER),
        *(split_turns(side.text or "", turn, ANSWER) for side in (item.response_a, item.response_b)),
    )
    if any(len(texts) != turn for texts in columns):
        return []
    names = ("question", "answer_a", "answer_b")
    return [dict(zip(names, texts, strict=True)) for texts in zip(*columns, strict=True)]


def _template_fields(item: Dialogue | Pair, part: str) -> dict[str, str]:
    """The fields of a template: unnumbered for a first turn, numbered for several turns, with the references."""
    turns = _turns(item, part)
    answers = references(item, len(turns))
    if len(turns) == 1:
        fields = turns[0]
    else:
        fields = {f"{name}_{n}": text for n, turn in enumerate(turns, 1) for name, text in turn.items()}
    return fields | {f"ref_answer_{n}": text for n, text in enumerate(answers, 1)}
