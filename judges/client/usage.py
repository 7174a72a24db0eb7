"""The tokens that a call has used: the endpoint's own counts if plausible, else tokens counted on the texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from judges.client.client import ClientReply
from judges.protocols.call_plan import ChatRequest, Mode
from judges.tokens import tokens

MESSAGE_OVERHEAD_TOKENS = 4
"""Tokens that a chat model's own format adds around each message."""
_MAX_COUNT_FACTOR, _COUNT_SLACK_TOKENS = 8, 20_000
"""A count above this many per allowed token (or sent character), plus this constant, is implausible."""


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of calls without a stored answer: a failed try, a trial, or a call whose outcome is unknown.

    `estimated`: the tokens are not the endpoint's own counts.
    """

    sort: Literal["try", "trial", "lost"]
    tokens_in: int
    tokens_out: int
    estimated: bool = True
    calls: int = 1


def tokens_sent(request: ChatRequest, mode: Mode) -> int:
    """The approximate tokens that a call sends: its messages, and the schema if one is enforced."""
    message_tokens = sum(tokens(message["content"]) + MESSAGE_OVERHEAD_TOKENS for message in request.messages)
    sends_schema = request.schema is not None and mode == "json_schema"
    return message_tokens + (tokens(json.dumps(request.schema)) if sends_schema else 0)


def tokens_used(reply: ClientReply, size: int, count_sent: Callable[[], int], max_tokens: int) -> tuple[int, int, bool]:
    """(tokens in, tokens out, whether they are estimated) of the answer to a call of `size` characters.

    If one of the endpoint's counts is missing or implausible, `count_sent` and the received text count instead. A reply
    that was cut off, or has no text, may have taken `max_tokens` tokens and is counted so.
    """
    good_in = 0 < reply.tokens_in <= _MAX_COUNT_FACTOR * size + _COUNT_SLACK_TOKENS
    good_out = reply.tokens_out <= _MAX_COUNT_FACTOR * max_tokens + _COUNT_SLACK_TOKENS and (
        reply.tokens_out > 0 or (good_in and not reply.raw)
    )
    tokens_in = reply.tokens_in if good_in else count_sent()
    if good_out:
        return tokens_in, reply.tokens_out, not good_in
    if reply.unscored == "cut_off" or not reply.raw:
        return tokens_in, max_tokens, True
    return tokens_in, min(tokens(reply.raw) + MESSAGE_OVERHEAD_TOKENS, max_tokens), True


def tokens_billed(reply: ClientReply, request: ChatRequest, mode: Mode, max_tokens: int) -> tuple[int, int, bool]:
    """The same for an answer to this call."""
    size = sum(len(message["content"]) for message in request.messages)
    return tokens_used(reply, size, lambda: tokens_sent(request, mode), max_tokens)
