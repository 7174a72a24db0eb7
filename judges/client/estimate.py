"""What a run will take, before anything is asked: judgments, calls, tokens and cost, and what that rests on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any

from judges.card import Card, Item
from judges.client.budget import Price, cost
from judges.client.usage import tokens_sent
from judges.params import Params
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply, Task
from judges.tokens import tokens
from judges.types import Dialogue, Pair

COUNTED = 200
"""Items whose messages are made and counted; of more, so many are drawn at random."""
_PHRASE, _PROSE = 30, 250
"""Tokens assumed for a free text in a reply, and for a reply in prose: one or two sentences, a few paragraphs."""
_SUMMARY = json.dumps({"summary": "word " * 60})


@dataclass(frozen=True, slots=True)
class Requirement:
    """A sentence on what a card needs of a model; `lacking` where the run as it is chosen does not have it."""

    text: str
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take in calls, tokens and money.

    `cost` is in US dollars, with replies of the usual length; `most` with the longest that `max_tokens` allows; both
    are None where the price is not known. `counted`: items whose messages were counted.

    `notes` are sentences: what was counted, and what is assumed. `long` names the calls that do not fit, "" for none
    (judges/client/context_window.py); `requirements` are those of the card (requirements.py).
    """

    items: int
    judgments: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    most: float | None
    counted: int
    notes: tuple[str, ...] = ()
    long: str = ""
    requirements: tuple[Requirement, ...] = ()


def estimate(
    card: Card,
    model: str,
    params: Params,
    items: Iterable[tuple[str, Item]],
    *,
    price: Price | None = None,
    of: int | None = None,
    judgments: int | None = None,
    seed: int = 0,
    counted: int = COUNTED,
) -> Estimate:
    """What a run over (key, item) pairs will take, by the messages that it would send.

    Up to `counted` of the items are counted, drawn at random with `seed` where there are more, and the sums stretched:
    sum over all = N * mean over the counted. `of` is N where `items` are themselves a random sample of that many;
    `judgments` the number still to make, where some exist (default: all of them).
    """
    drawn, total = _drawn(items, counted, Random(seed))
    number = total if of is None else of
    made = calls = tokens_in = tokens_out = 0
    if params.probe == "scenario_swapped":
        params = params.model_copy(update={"probe": ""})  # another scenario is about as long as an item's own
    for key, item in drawn:
        for task in call_plan.tasks(card, params, [(key, item)]):
            made += 1
            for there, back in call_sizes(card, params, task):
                calls, tokens_in, tokens_out = calls + 1, tokens_in + there, tokens_out + back
    stretch = number / len(drawn) if drawn else 0.0
    if judgments is not None and made:
        stretch = judgments / made
    whole = round(made * stretch) if judgments is None else judgments
    there, back = round(tokens_in * stretch), round(min(tokens_out, calls * params.max_tokens) * stretch)
    asked = round(calls * stretch)
    return Estimate(
        items=number,
        judgments=whole,
        calls=asked,
        tokens_in=there,
        tokens_out=back,
        cost=None if price is None else cost(price, there, back),
        most=None if price is None else cost(price, there, asked * params.max_tokens),
        counted=len(drawn),
        notes=_notes(model, params, price, number, len(drawn)),
    )


def call_sizes(card: Card, params: Params, task: Task) -> Iterator[tuple[int, int]]:
    """About how many tokens (sent, in the reply) each call of a judgment has."""
    before: dict[str, CallReply] = {}
    names = call_plan.pieces(card, params, task)
    shares = sum("window" in name or "chapter" in name for name in names) or 1
    for piece in names:
        ask = call_plan.ask(card, params, task, piece, before, "json_schema", "")
        before[piece] = CallReply(task.key, task.part, task.sample, piece, _SUMMARY)
        repeats = ceil(_repeats(card, task) / shares)
        yield tokens_sent(ask, "json_schema"), _PROSE if ask.schema is None else _reply(ask.schema, repeats)


def _drawn(items: Iterable[tuple[str, Item]], most: int, chance: Random) -> tuple[list[tuple[str, Item]], int]:
    """A simple random sample in one pass, and how many there were (Vitter's algorithm R, 1985)."""
    kept: list[tuple[str, Item]] = []
    seen = 0
    for entry in items:
        seen += 1
        if len(kept) < most:
            kept.append(entry)
        elif (place := chance.randrange(seen)) < most:
            kept[place] = entry
    return kept, seen


def _repeats(card: Card, task: Task) -> int:
    """How many entries an array of judgments has: assistant turns, sections, or the dimensions of a single response."""
    item = task.item
    if task.part:
        return 1
    if isinstance(item, Dialogue):
        return sum(turn.role == "assistant" for turn in item.turns)
    if isinstance(item, Pair):
        return max(len(item.sections or []), 1)
    return max(len(card.dimensions), 1)


def _reply(schema: dict[str, Any], repeats: int) -> int:
    """About how many tokens a reply of that shape has; `repeats` for every array of objects, one text for others."""
    defs = schema.get("$defs", {})

    def size(node: Any, depth: int = 0) -> int:
        if not isinstance(node, dict) or depth > 20:
            return 1
        if "$ref" in node:
            return size(defs.get(str(node["$ref"]).rpartition("/")[2]), depth + 1)
        for several in ("anyOf", "oneOf", "allOf"):
            if node.get(several):
                return max(size(n, depth + 1) for n in node[several])
        if "enum" in node or "const" in node:
            return 2
        sort = node.get("type")
        if sort == "object":
            inner = node.get("properties", {})
            return 2 + sum(tokens(name) + 3 + size(n, depth + 1) for name, n in inner.items())
        if sort == "array":
            entry = node.get("items") or {}
            inside = defs.get(str(entry["$ref"]).rpartition("/")[2], {}) if "$ref" in entry else entry
            return 2 + size(entry, depth + 1) * (repeats if inside.get("type") == "object" else 1)
        return _PHRASE if sort == "string" else 1

    return size(schema)


def _notes(model: str, params: Params, price: Price | None, number: int, counted: int) -> tuple[str, ...]:
    whose = "all items" if counted >= number else f"{counted} of {number:,} items, drawn at random"
    notes = [
        f"Tokens in: counted on the messages of {whose}; about, for no tokenizer of the model is at hand.",
        f"Tokens out: assumed from the shape of the reply ({_PHRASE} tokens a text); "
        f"the most that a call may give is {params.max_tokens:,}.",
    ]
    if price is None:
        notes.append(f"Cost: the price of {model} is not in the price list, so it is not known.")
    else:
        notes.append(f"Cost: at ${price[0]:g} in and ${price[1]:g} out per million tokens; check the price list.")
    return tuple(notes)
