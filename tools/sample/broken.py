"""Replies that cannot be read, as they do occur: cut off, refused, off the scale, or prose without JSON."""

from __future__ import annotations

import json
import random
import re
from typing import Any

_REFUSALS = (
    "I'm sorry, but I can't assess this conversation, because it contains personal information about the user.",
    "I can't help with rating this content. If you have another text to evaluate, I'd be glad to look at it.",
)
_PROSE = (
    "Overall this is a decent answer. The assistant stays polite and mostly to the point, but one part is weaker than "
    "the rest. I would give it a good mark, perhaps a 4.",
    "Let me think about this step by step. First I look at how well it fits what was asked, then at whether it is safe "
    "and helpful. On balance I find it acceptable.",
)


def spoil_reply(reply: dict[str, Any], fault: int, rng: random.Random) -> str:
    """The raw text of a reply gone wrong with fault number `fault` (they take turns)."""
    text = json.dumps(reply, ensure_ascii=False, indent=2)
    if fault % 4 == 0:
        return text[: int(len(text) * rng.uniform(0.45, 0.8))]
    if fault % 4 == 1:
        return re.sub(r'("(?:helpfulness|factuality|relevance)": )[1-5]', r"\g<1>7", text, count=1)
    return rng.choice(_REFUSALS if fault % 4 == 2 else _PROSE)
