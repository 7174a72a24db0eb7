"""Thinking that a model wrote into its answer, in blocks `<think>...</think>` or `<reason>...</reason>`.

The original text is always kept. The text that a judge is shown, and the parts that a desk folds, are derived here.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(think|reason)>", re.IGNORECASE)


def split_thinking(text: str) -> list[tuple[bool, str]]:
    """The text in parts, in order, as (whether it is thinking, part); joined, the parts are the text again.

    A block goes from its opening tag to the next closing tag of the same name, tags included. A tag without its
    partner (`unclosed_tags`) makes no block.
    """
    parts, at = [], 0
    for start, end in _scan(text)[0]:
        parts += [(False, text[at:start]), (True, text[start:end])]
        at = end
    return [(thinks, part) for thinks, part in [*parts, (False, text[at:])] if part]


def strip_thinking(text: str) -> str:
    """The text without its blocks of thinking and then without space at its ends; unchanged if it has no block."""
    blocks = _scan(text)[0]
    return "".join(part for thinks, part in split_thinking(text) if not thinks).strip() if blocks else text


def unclosed_tags(text: str) -> tuple[str, ...]:
    """The unpaired thinking tags, as they are written in the text; the text next to them is not removed."""
    return tuple(tag[0] for tag in _scan(text)[1])


def fold_thinking(text: str) -> list[tuple[str, str]]:
    """The text in parts as (why it is folded, part) for a reader; joined, the parts are the text again.

    "" marks text that is not folded, "thinking" a block. Everything from an unpaired opening tag on is one part, marked
    with that tag.
    """
    tag = next((match for match in _scan(text)[1] if not match[1]), None)
    end = len(text) if tag is None else tag.start()
    parts = [("thinking" if thinks else "", part) for thinks, part in split_thinking(text[:end])]
    return parts if tag is None else [*parts, (tag[0], text[end:])]


def _scan(text: str) -> tuple[list[tuple[int, int]], list[re.Match[str]]]:
    """Return the start and end of every block, and the tags without a partner."""
    tags = list(_TAG.finditer(text))
    last_end = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    blocks: list[tuple[int, int]] = []
    alone: list[re.Match[str]] = []
    open_: re.Match[str] | None = None
    for tag in tags:
        name = tag[2].lower()
        if open_ is not None:
            if tag[1] and name == open_[2].lower():
                blocks.append((open_.start(), tag.end()))
                open_ = None
        elif not tag[1] and last_end.get(name, -1) > tag.start():
            open_ = tag
        else:
            alone.append(tag)
    return blocks, alone
