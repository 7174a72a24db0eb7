"""The estimate of a run before any call: calls, tokens, cost, the card's requirements, and calls that are too long."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any

from judges.card import Card, Item
from judges.client.budget import Price, cost
from judges.client.endpoint import is_practice
from judges.client.prices import context_of_model
from judges.client.usage import tokens_sent
from judges.families import family
from judges.params import Params
from judges.plural import many
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply, Task
from judges.tokens import tokens
from judges.types import Dialogue, Pair

MAX_COUNTED_ITEMS = 200
"""The most items whose messages are made and counted; if there are more, this many are drawn at random."""
_PHRASE_TOKENS, _PROSE_TOKENS = 30, 250
"""Tokens assumed for a free text in a reply, and for a reply in prose: one or two sentences, a few paragraphs."""
_ASSUMED_SUMMARY = json.dumps({"summary": "word " * 60})
_ANSWER_TOKENS = 400
"""Tokens assumed for an answer to a question."""
ASSUMED_ANSWER = "words " * (_ANSWER_TOKENS // 2)
"""A text of as many tokens: six characters are two (judges/tokens.py)."""
_OVERHEAD_TOKENS = 2_000
"""Tokens around an item's own text in a call, beside the prompt: names of fields, the text about a window."""
_MAX_NAMED_ITEMS, _MAX_NAMED_MODELS = 3, 4
"""Long items, and models whose texts are judged, that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A sentence on what a card needs of a model; `lacking`: the run as chosen does not have it."""

    text: str
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """The calls, tokens and money that a run is expected to take.

    `cost` is in US dollars, with replies of the usual length; `max_cost` with the longest that `max_tokens` allows.
    Both are None if the price is not known. `counted`: items whose messages were counted.

    `notes` are sentences: what was counted, and what is assumed. `long` names the calls that do not fit, "" for none
    (find_long_calls); `requirements` are those of the card.
    """

    items: int
    judgments: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    max_cost: float | None
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
    counted: int = MAX_COUNTED_ITEMS,
) -> Estimate:
    """Return the estimate of a run over (key, item) pairs, by the messages that it would send.

    At most `counted` items are counted. If there are more, they are drawn at random (the same each time) and the sums
    are scaled: sum over all = N * mean over the counted. `of` is N if `items` are themselves a random sample of N
    items. `judgments` is the number still to make, if some exist (default: all of them).
    """
    drawn, total = _draw_sample(items, counted, Random(0))
    number = total if of is None else of
    task_count = calls = tokens_in = tokens_out = 0
    for task in call_plan.tasks(card, _without_scenario(params), drawn):
        task_count += 1
        for prompt_tokens, back in _call_sizes(card, _without_scenario(params), task):
            calls, tokens_in, tokens_out = calls + 1, tokens_in + prompt_tokens, tokens_out + back
    stretch = number / len(drawn) if drawn else 0.0
    if judgments is not None and task_count:
        stretch = judgments / task_count
    judgment_count = round(task_count * stretch) if judgments is None else judgments
    prompt_tokens, back = round(tokens_in * stretch), round(min(tokens_out, calls * params.max_tokens) * stretch)
    call_count = round(calls * stretch)
    return Estimate(
        items=number,
        judgments=judgment_count,
        calls=call_count,
        tokens_in=prompt_tokens,
        tokens_out=back,
        cost=None if price is None else cost(price, prompt_tokens, back),
        max_cost=None if price is None else cost(price, prompt_tokens, call_count * params.max_tokens),
        counted=len(drawn),
        notes=_notes(model, params, price, number, len(drawn), card.conversation is None),
    )


def _call_sizes(card: Card, params: Params, task: Task) -> Iterator[tuple[int, int]]:
    """The approximate tokens (sent, in the reply) of each call of a judgment."""
    before: dict[str, CallReply] = {}
    names = call_plan.pieces(card, params, task)
    shares = sum("window" in name or "chapter" in name for name in names) or 1
    for piece in names:
        request = call_plan.build_request(card, params, task, piece, before, "json_schema", "")
        before[piece] = CallReply(*task.slot, piece, _ASSUMED_SUMMARY if card.conversation is None else ASSUMED_ANSWER)
        if card.conversation is not None:
            yield tokens_sent(request, "text"), _ANSWER_TOKENS
            continue
        repeats = ceil(_repeats(card, task) / shares)
        reply = _PROSE_TOKENS if request.schema is None else _reply(request.schema, repeats)
        yield tokens_sent(request, "json_schema"), reply


def _without_scenario(params: Params) -> Params:
    """The parameters without the scenario probe: it needs all scenarios, which are about as long as the item's own."""
    return params.model_copy(update={"probe": params.probe.replace("scenario_swapped", "")})


def _sizes_once(card: Card, params: Params, items: Iterable[tuple[str, Item]]) -> Iterator[tuple[str, int, int]]:
    """(name, tokens sent, tokens in the reply) of every call about (name, item) pairs, for the first sample only."""
    once = _without_scenario(params).model_copy(update={"samples": 1})
    for task in call_plan.tasks(card, once, items):
        for prompt_tokens, back in _call_sizes(card, once, task):
            yield task.key, prompt_tokens, back


def _draw_sample(items: Iterable[tuple[str, Item]], size: int, chance: Random) -> tuple[list[tuple[str, Item]], int]:
    """A simple random sample in one pass, and the number of all items (Vitter's algorithm R, 1985)."""
    sample: list[tuple[str, Item]] = []
    seen = 0
    for entry in items:
        seen += 1
        if len(sample) < size:
            sample.append(entry)
        elif (place := chance.randrange(seen)) < size:
            sample[place] = entry
    return sample, seen


def _repeats(card: Card, task: Task) -> int:
    """Return the length of an array of judgments: assistant turns, sections, or the dimensions of a single response."""
    item = task.item
    if task.part:
        return 1
    if isinstance(item, Dialogue):
        return len(item.assistant_turns)
    if isinstance(item, Pair):
        return max(len(item.sections or []), 1)
    return max(len(card.dimensions), 1)


def _reply(schema: dict[str, Any], repeats: int) -> int:
    """The approximate tokens of a reply of a strict schema; arrays of objects have `repeats` entries, others one."""
    if "anyOf" in schema:
        return max(_reply(option, repeats) for option in schema["anyOf"])
    if "enum" in schema:
        return 2
    sort = schema["type"]
    if sort == "object":
        return 2 + sum(tokens(name) + 3 + _reply(inner, repeats) for name, inner in schema["properties"].items())
    if sort == "array":
        return 2 + _reply(schema["items"], repeats) * (repeats if schema["items"].get("type") == "object" else 1)
    return _PHRASE_TOKENS if sort == "string" else 1


def _notes(
    model: str, params: Params, price: Price | None, number: int, counted: int, shape_known: bool
) -> tuple[str, ...]:
    whose = "all items" if counted >= number else f"{counted} of {number:,} items, drawn at random"
    by_shape = f"from the shape of the reply ({_PHRASE_TOKENS} tokens a text)"
    assumed = by_shape if shape_known else f"to be {_ANSWER_TOKENS} an answer"
    notes = [
        f"Tokens in: counted on the messages of {whose}; approximate, as no tokenizer of the model is available.",
        f"Tokens out: assumed {assumed}; the most that a call may give is {params.max_tokens:,}.",
    ]
    if price is None:
        notes.append(f"Cost: the price of {model} is not in the price list, so it is not known.")
    else:
        notes.append(f"Cost: at ${price[0]:g} in and ${price[1]:g} out per million tokens; check the price list.")
    return tuple(notes)


# -- what a card needs ------------------------------------------------------------------------------------------------


def run_requirements(
    card: Card, model: str, params: Params, longest: Iterable[tuple[str, Item]], systems: Sequence[str], room: int = 0
) -> list[Requirement]:
    """Return the requirements of a run, met and lacking: strength of the model, another family, reply length, context.

    `longest` are (name, item) pairs of the items with the longest texts, `systems` the models whose texts are judged,
    `room` the tokens that a call and its reply may have together (0: not known).
    """
    own = [Requirement(need) for need in card.needs]
    if card.conversation is not None:
        return own
    return [*_strength(model, systems), *_room(card, params, longest, room), *own]


def _strength(model: str, systems: Sequence[str]) -> Iterable[Requirement]:
    if is_practice(model):
        yield Requirement("Practice models are fixed rules: use them to try the steps, not as evidence about a judge.")
        return
    more = " ..." if len(systems) > _MAX_NAMED_MODELS else ""
    named = f" ({', '.join(systems[:_MAX_NAMED_MODELS])}{more})" if systems else ""
    yield Requirement(
        f"A model at least as strong as what it judges{named}: a weaker one misses errors that it would make."
    )
    own = family(model)
    if kin := [name for name in systems if own and family(name) == own]:
        yield Requirement(
            f"{', '.join(kin[:_MAX_NAMED_MODELS])} and {model} are of one family ({own}): judges tend to prefer the "
            "texts of their own family. Run a judge of another family on the same items too, and see Audits, "
            "Self-preference.",
            lacking=True,
        )


def _room(card: Card, params: Params, longest: Iterable[tuple[str, Item]], room: int) -> Iterable[Requirement]:
    """For the longest items: the longest reply, and the largest call with its reply."""
    calls = list(_sizes_once(card, params, longest))
    if not calls:
        return
    reply, of = max((back, name) for name, _, back in calls)
    reply, allowed = max(reply, card.least_reply), params.max_tokens
    if reply > allowed:
        yield Requirement(
            f"A reply takes up to about {reply:,} tokens ({of}), and {allowed:,} are allowed: longer replies are cut "
            f"off and stay unscored. Under Parameters, allow at least {reply:,}.",
            lacking=True,
        )
    else:
        yield Requirement(f"Replies of up to about {reply:,} tokens ({of}): {allowed:,} are allowed.")
    sent, name = max((prompt_tokens, name) for name, prompt_tokens, _ in calls)
    size = sent + allowed
    known = f"here it is {room:,}" if room else "that of this model is not in the price list, so check it"
    yield Requirement(
        f"A context of at least {size:,} tokens for the longest item ({name}: about {sent:,} sent, {allowed:,} for the "
        f"reply); {known}.",
        lacking=bool(room) and size > room,
    )


# -- what does not fit ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LongCalls:
    """The calls that do not fit: how many, of how many items, and the largest of each item, (name, tokens)."""

    room: int
    calls: int
    items: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        """One or two sentences on them; "" if every call fits."""
        if not self.calls:
            return ""
        named = ", ".join(f"{name} (about {tokens:,})" for name, tokens in self.items[:_MAX_NAMED_ITEMS])
        rest = f" and {len(self.items) - _MAX_NAMED_ITEMS:,} more" if len(self.items) > _MAX_NAMED_ITEMS else ""
        verb = "is" if self.calls == 1 else "are"
        return (
            f"{many(self.calls, 'call')} about {many(len(self.items), 'item')} {verb} longer than the {self.room:,} "
            f"tokens that a call and its reply may have here: {named}{rest}. The endpoint refuses or cuts such calls, "
            "and they may have to be paid for. Leave these items out, allow shorter replies, cut them (windows, "
            "chapters), or take a model with more room."
        )


def context_size(model: str, params: Params, size: int = 0) -> int:
    """The tokens that a call and its reply may have together: as given, else as known for the model; 0: not known."""
    return size or params.context or context_of_model(model)


def safe_length(card: Card, params: Params, room: int) -> int:
    """The number of characters up to which an item's content surely fits: a character is at most one token.

    0 for a card with templates, because they may contain a part of an item several times.
    """
    if card.templates:
        return 0
    prompt = max((len(text) for text in card.prompts.values()), default=0) + sum(len(str(e)) for e in card.examples)
    return room - params.max_tokens - prompt - len(str(card.spec["reply"])) - _OVERHEAD_TOKENS


def find_long_calls(card: Card, params: Params, items: Iterable[tuple[str, Item]], room: int) -> LongCalls:
    """The calls about (name, item) pairs that are longer than `room` tokens, with the longest reply that is allowed.

    A judge that is asked several times sends the same call each time: it is counted once.
    """
    calls = 0
    sizes: dict[str, int] = {}
    for name, prompt_tokens, _ in _sizes_once(card, params, items):
        size = prompt_tokens + params.max_tokens
        if size > room:
            calls += 1
            sizes[name] = max(sizes.get(name, 0), size)
    return LongCalls(room, calls, tuple(sorted(sizes.items(), key=lambda row: (-row[1], row[0]))))
