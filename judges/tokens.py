"""An estimate of the number of tokens of a text: there is no tokenizer here, and each model has a different one."""

from __future__ import annotations

import re

_SHORT = 500
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def tokens(text: str) -> int:
    """About how many tokens a text has: one for a Chinese, Japanese or Korean character, one for three others."""
    if len(text) < _SHORT and text.isascii():
        return len(text) // 3
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide) // 3
