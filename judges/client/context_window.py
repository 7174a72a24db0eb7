"""Which calls of a run are longer than one call may be, so that they are named before they are paid for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from judges.card import Card, Item
from judges.client.prices import context_of_model
from judges.client.usage import tokens_sent
from judges.params import Params
from judges.plural import many
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply

_MARGIN = 2_000
"""Tokens around an item's own text in a call, beside the prompt: names of fields, the text about a window."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class LongCalls:
    """The calls that do not fit: how many, of how many items, and the largest of each item, (name, tokens)."""

    room: int
    calls: int
    items: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        """All of it in a sentence or two; "" where every call fits."""
        if not self.calls:
            return ""
        named = ", ".join(f"{name} (about {tokens:,})" for name, tokens in self.items[:_NAMED])
        rest = f" and {len(self.items) - _NAMED:,} more" if len(self.items) > _NAMED else ""
        verb = "is" if self.calls == 1 else "are"
        return (
            f"{many(self.calls, 'call')} about {many(len(self.items), 'item')} {verb} longer than the {self.room:,} "
            f"tokens that a call and its reply may have here: {named}{rest}. The endpoint refuses or cuts such calls, "
            "and they may have to be paid for. Leave these items out, allow shorter replies, cut them (windows, "
            "chapters), or take a model with more room."
        )


def context_size(model: str, params: Params, given: int = 0) -> int:
    """The tokens that a call and its reply may have together: as given, else what is known; 0: not known."""
    return given or params.context or context_of_model(model)


def safe_length(card: Card, params: Params, room: int) -> int:
    """The characters up to which an item's content surely fits: a character is a token at the most."""
    prompt = max((len(text) for text in card.prompts.values()), default=0) + sum(len(str(e)) for e in card.examples)
    return room - params.max_tokens - prompt - len(str(card.reply.model_json_schema())) - _MARGIN


def find_long_calls(card: Card, params: Params, items: Iterable[tuple[str, Item]], room: int) -> LongCalls:
    """The calls about (name, item) pairs that are longer than `room` tokens, with the longest reply that is allowed.

    A judge that is asked several times sends the same call each time: it is counted once.
    """
    calls = 0
    found: dict[str, int] = {}
    once = params.model_copy(update={"samples": 1, "probe": params.probe.replace("scenario_swapped", "")})
    for task in call_plan.tasks(card, once, items):
        before: dict[str, CallReply] = {}
        for piece in call_plan.pieces(card, once, task):
            size = tokens_sent(call_plan.ask(card, once, task, piece, before, "json_schema", ""), "json_schema")
            if size + params.max_tokens > room:
                calls += 1
                found[task.key] = max(found.get(task.key, 0), size + params.max_tokens)
    return LongCalls(room, calls, tuple(sorted(found.items(), key=lambda one: (-one[1], one[0]))))
