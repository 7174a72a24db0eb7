"""What a call has used: the endpoint's own counts where they can be believed, else tokens counted on the texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from judges.client.client import ClientReply
from judges.protocols.call_plan import Ask, Mode
from judges.tokens import tokens

AROUND = 4
"""Tokens that a chat model's own format adds around each message."""
_TIMES, _ROOM = 8, 20_000
"""A count of more than so many for each token allowed, or each character sent, and so many more, is nonsense."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What calls cost beside the answers that are kept: a try that failed, a trial, or one that was lost sight of.

    `estimated`: the tokens are not the endpoint's own counts.
    """

    sort: Literal["try", "trial", "lost"]
    tokens_in: int
    tokens_out: int
    estimated: bool = True
    calls: int = 1


def tokens_sent(ask: Ask, mode: Mode) -> int:
    """About how many tokens a call sends: its messages, and the schema where the endpoint is held to one."""
    message_tokens = sum(tokens(message["content"]) + AROUND for message in ask.messages)
    return message_tokens + (tokens(json.dumps(ask.schema)) if ask.schema is not None and mode == "json_schema" else 0)


def tokens_used(
    token_counts: tuple[int, int], size: int, sent: Callable[[], int], raw: str, cut: bool, most: int
) -> tuple[int, int, bool]:
    """(tokens in, tokens out, whether they are estimated) of an answer to a call of `size` characters.

    `token_counts` are the endpoint's, 0 for none. Where one is missing or nonsense, `sent` and the text that came
    count. A reply that was cut off, or holds no text, may have taken `most` tokens, and is counted so.
    """
    good_in = 0 < token_counts[0] <= _TIMES * size + _ROOM
    good_out = token_counts[1] <= _TIMES * most + _ROOM and (token_counts[1] > 0 or (good_in and not raw))
    tokens_in = token_counts[0] if good_in else sent()
    if good_out:
        return tokens_in, token_counts[1], not good_in
    return tokens_in, most if cut or not raw else min(tokens(raw) + AROUND, most), True


def tokens_billed(given: ClientReply, ask: Ask, mode: Mode, most: int) -> tuple[int, int, bool]:
    """The same of an answer to this very call."""
    size = sum(len(message["content"]) for message in ask.messages)
    token_counts, cut = (given.tokens_in, given.tokens_out), given.unscored == "cut_off"
    return tokens_used(token_counts, size, lambda: tokens_sent(ask, mode), given.raw, cut, most)
