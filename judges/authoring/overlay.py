"""A card for single responses that is applied to every assistant turn of a dialogue."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from judges.card import PER_TURN, Card
from judges.errors import BadCard
from judges.types import Dialogue, Reading, Response, assistant_units

_TURN_INSTRUCTIONS = """\
## The output is one turn of a conversation
The task of this output is what was said up to it: `{task}` holds the conversation so far, each entry after a \
line with its turn and role, and ends with what the user said last. `{output}` is the assistant's answer to that. \
Judge this answer alone, in the light of what came before it; earlier answers of the assistant are context and are \
not judged. Nothing that came later is shown, and nothing of it counts."""


def can_apply_per_turn(card: Card) -> bool:
    """Whether a card can be applied per turn of dialogues: it judges single responses and answers in JSON."""
    return card.kind == "response" and card.text is None


def apply_per_turn(card: Card, kind: Literal["dialogue"] = "dialogue") -> Card:
    """A card for single responses applied per turn: one call for each assistant turn gives that turn's scores.

    The task is the conversation up to the turn, as text; the output is the turn. The version covers the card below.
    Raises BadCard for a card of another kind of item, or a card whose judges answer in prose.
    """
    if kind != "dialogue":
        raise BadCard(f"Cards are applied per turn of a dialogue, not to a {kind}.")
    if not can_apply_per_turn(card):
        raise BadCard(
            f"{card.name} cannot be applied per turn: it is no card for single responses with a JSON reply."
        )

    def fields(item: Dialogue, part: str) -> dict[str, Any]:
        return card.fields(turn_as_response(item, part), "")

    def variant(item: Dialogue, part: str) -> str:
        return card.variant(turn_as_response(item, part), "")

    def read_part(reply: Any, item: Dialogue, part: str) -> Reading:
        if part not in assistant_units(item):
            return Reading(unscored="incomplete", why=f"{part or 'the whole'} is no assistant turn of this dialogue")
        reading = card.read(reply, turn_as_response(item, part))
        scores = tuple(score._replace(unit=part) for score in reading.scores)
        return replace(reading, scores=scores, remarks=tuple(remark._replace(unit=part) for remark in reading.remarks))

    instructions = _TURN_INSTRUCTIONS.format(
        task=_field_that_shows(card, "task"), output=_field_that_shows(card, "output")
    )
    return Card(
        card.name + PER_TURN,
        f"{card.title} on turns",
        "dialogue",
        tuple(replace(d, sort="turn") for d in card.dimensions),
        card.reply,
        lambda _reply, _item: Reading(unscored="incomplete", why="the reply does not say which turn it is about"),
        prompts={name: f"{text}\n\n{instructions}" for name, text in card.prompts.items()},
        variant=variant,
        parts=assistant_units,
        fields=fields,
        # Its examples are of single outputs, and show just what a turn is judged by.
        examples=card.examples,
        audits=tuple(name for name in card.audits if name in _AUDITS),
        defaults=card.defaults,
        recipe={"over": card.spec | {"version": card.version}, "kind": kind},
        read_part=read_part,
        rules=card.rules,
    )


_AUDITS = ("same_score", "injected_order", "always_sure", "confidence_meaningless", "does_not_apply", "own_family")
"""The audits that use scores only: the others measure the text of a single response."""


def turn_as_response(item: Dialogue, part: str) -> Response:
    """An assistant turn as a response: the conversation up to the turn is the task, the turn is the output.

    Within the same turn number, an utterance belongs to the task if it comes before the assistant's.
    """
    before: list[str] = []
    if item.scenario.strip():
        before.append(f"[scenario]\n{item.scenario.strip()}")
    output = ""
    for entry in item.turns:
        if entry.role == "assistant" and f"turn:{entry.turn}" == part:
            output = entry.text
            break
        before.append(f"[turn {entry.turn}, {' '.join(filter(None, (entry.role, entry.name)))}]\n{entry.text}")
    return Response(id=item.id, kind="response", task="\n\n".join(before), output=output, system=item.system)


def _field_that_shows(card: Card, attribute: str) -> str:
    """The field in which a card shows the task or the output of a response."""
    shown = card.fields(Response(id="x", kind="response", task="\x02task", output="\x02output"), "")
    return next((name for name, value in shown.items() if value == f"\x02{attribute}"), attribute)
