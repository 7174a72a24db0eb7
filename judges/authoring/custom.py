"""Cards without a folder: built from a recipe, applied per turn, with examples; and rebuilt from what was stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judges.authoring.overlay import apply_per_turn
from judges.authoring.recipe import Recipe, RecipeQuestion, check_recipe
from judges.authoring.reply_model import reply_model, reply_reader
from judges.authoring.rubric import rubric_prompt
from judges.card import Card, Example, prompts_beside
from judges.cards import cards
from judges.errors import BadCard, UnknownCard
from judges.examples import examples_of_folder
from judges.params import Params
from judges.protocols.orders import names_sides
from judges.reading.schema import describe_reply
from judges.types import Dialogue, Dimension, Kind, Response


def from_recipe(recipe: Recipe) -> Card:
    """The card that a recipe describes. The same recipe gives the same card, with the same version."""
    dimensions = tuple(_dimension(question) for question in recipe.dimensions)
    reply = reply_model(dimensions)
    return Card(
        recipe.name,
        recipe.title.strip(),
        recipe.kind,
        dimensions,
        reply,
        reply_reader(dimensions),
        prompts={"": rubric_prompt(recipe, describe_reply(reply))},
        fields=_fields,
        audits=general_audits(recipe.kind, dimensions),
        defaults=Params(orders="both" if recipe.kind == "pair" else "ab"),
        recipe=recipe.model_dump(mode="json"),
    )


def _dimension(question: RecipeQuestion) -> Dimension:
    """A question of a recipe, with the words for its answers in their order."""
    scale = question.answers.scale
    anchors = tuple((a, question.anchors[a].strip()) for a in scale.answers if a in question.anchors)
    return Dimension(question.name, question.unit, scale, question.definition.strip(), anchors=anchors)


def general_audits(kind: Kind, dimensions: Sequence[Dimension]) -> tuple[str, ...]:
    """The audits that fit any card, because their figure depends on no named dimension.

    The audit of score clustering needs three ordered answers. Probe audits and self-preference need ordered answers.
    The audits of verdicts on pairs need a question whose answers are the sides.
    """
    steps = [d for d in dimensions if d.scale.has_order]
    chosen = any(d.sort == "pair" and names_sides(d.scale) for d in dimensions)
    parted = any(d.sort == "section" and d.scale.kind == "ordinal" for d in dimensions)
    conditions = {
        "same_score": any(d.scale.size > 2 for d in steps),
        "scenario_ignored": kind == "dialogue" and bool(steps),
        "attention_drop": any(d.sort == "turn" for d in steps),
        "reference_penalty": kind == "response" and bool(steps),
        "own_family": kind != "pair" and bool(steps),
        "opening_decides": chosen and parted,
        "longer_wins": chosen,
        "first_place_wins": chosen,
        "injected_order": chosen if kind == "pair" else bool(steps),
    }
    return tuple(name for name, holds in conditions.items() if holds)


def from_folder(folder: Path) -> Card:
    """The card of an exported folder: recipe, wording and examples. Raises BadCard where they cannot be read."""
    try:
        recipe = check_recipe(json.loads((folder / "recipe.json").read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise BadCard(f"The card in {folder.name} cannot be read: {error}.") from None
    file = str(folder / "card.py")
    return examples_of_folder(file, [replace(from_recipe(recipe), prompts=prompts_beside(file))])[0]


def _fields(item: Any, part: str) -> dict[str, Any]:
    """Return the fields that the judge is shown, without the names of the systems."""
    if isinstance(item, Dialogue):
        return {"scenario_description": item.scenario, "dialogue": [t.model_dump(mode="json") for t in item.turns]}
    if isinstance(item, Response):
        return {"task_description": item.task, "model_output": item.output, "reference_answer": item.reference}
    return cards()["long_form_pairwise"].fields(item, part)


def from_spec(spec: Mapping[str, Any], folders: Mapping[str, Card]) -> Card:
    """The card of a stored content (Card.spec): rebuilt from its recipe, or the folder's card of that name.

    `folders` are the cards that have a folder, by name. If a folder's card still reads the same replies, it gets its
    stored wording and examples and so has the stored version. If its scales or its reply have changed since, the result
    is the folder's present card, as its version shows. Raises UnknownCard if there is none, BadCard if the kind of the
    recipe is unknown.
    """
    recipe, name = spec.get("recipe"), str(spec.get("name"))
    if recipe is None:
        if name not in folders:
            raise UnknownCard(f"There is no card {name!r} any more: its folder is gone from judges/cards/.")
        card = folders[name]
    else:
        card = _restore_card(spec, folders)
    examples = tuple(Example(e["shows"], e["fields"], e["reply"]) for e in spec.get("examples") or ())
    stored_card = replace(card, title=str(spec.get("title", card.title)), examples=examples)
    if "prompts" in spec:
        definitions = {(d["sort"], d["name"]): str(d["definition"]) for d in spec["dimensions"]}
        dimensions = (replace(d, definition=definitions.get((d.sort, d.name), d.definition)) for d in card.dimensions)
        stored_card = replace(stored_card, prompts=dict(spec["prompts"]), dimensions=tuple(dimensions))
    # As JSON has both contents, which knows no tuples.
    now, then = (json.loads(json.dumps(dict(content), default=list)) for content in (stored_card.spec, spec))
    return stored_card if all(then.get(name) == value for name, value in now.items()) else card


def _restore_card(spec: Mapping[str, Any], folders: Mapping[str, Card]) -> Card:
    recipe = spec["recipe"]
    if recipe.get("how") == "own":
        return from_recipe(check_recipe(dict(recipe)))
    if recipe.get("how") == "answers":
        from judges.mtbench.generation import restore_answer_card

        return restore_answer_card(recipe)
    made_from = folders.get(str(recipe.get("from")))
    if made_from is not None and made_from.again is not None:
        return made_from.again(made_from, spec)
    if "over" in recipe:
        return apply_per_turn(from_spec(recipe["over"], folders), recipe["kind"])
    raise BadCard("The card's recipe is of no kind that this Assay knows. A newer one may have made it.")
