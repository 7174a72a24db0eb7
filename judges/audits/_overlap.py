"""How much of a reference answer an output says in the same words."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


def distinct_words(text: str) -> set[str]:
    """The distinct words of a text; where words are not parted (Chinese, Japanese), pairs of neighbouring signs."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    pairs = {run[n : n + 2] for run in _WIDE.findall(plain) for n in range(max(len(run) - 1, 1))}
    return pairs | set(_WORD.findall(_WIDE.sub(" ", plain)))


def word_overlap(output: str, reference: str) -> float | None:
    """Share of the reference's words that the output has, 0 to 1; None for a reference without words."""
    wanted = distinct_words(reference)
    return len(wanted & distinct_words(output)) / len(wanted) if wanted else None
