"""The text features of the practice heuristics: content words, length, and cues in four languages."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from math import log
from pathlib import Path

from judges.practice.completion import count_tokens

_MAX_READ_CHARACTERS = 60_000
"""Characters of a text that are looked at; the rest only counts for its length."""
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
COMMON = frozenset(
    "the and for are was were you your yours with that this these those from have has had not but can could would "
    "should will about what which when where who how why they them their there here then than also into out our his "
    "her its all any some one more most very just get got make please let may might been being does did doing".split()
)


class Cues:
    """Phrases to look for in a text, in either case; those of Latin letters only as whole words."""

    def __init__(self, *phrases: str) -> None:
        self._phrases = phrases

    def occur_in(self, text: str) -> bool:
        """Whether any of them occurs in the text. A regular expression of all takes ten times as long."""
        lowered = text[:_MAX_READ_CHARACTERS].lower()
        return any(phrase in lowered and _stands_alone(phrase, lowered) for phrase in self._phrases)


def _stands_alone(phrase: str, text: str) -> bool:
    """Whether the phrase occurs in the text with no letter on either side, where it is one of Latin letters."""
    if not phrase.isascii():
        return True
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        before = at == 0 or not (phrase[0].isalnum() and text[at - 1].isalnum())
        if before and (end == len(text) or not (phrase[-1].isalnum() and text[end].isalnum())):
            return True
        at = text.find(phrase, at + 1)
    return False


_CUES = json.loads(Path(__file__).with_name("cues.json").read_text(encoding="utf-8"))
EVASION_CUES, FORGETTING_CUES, UNSAFE_CUES = (Cues(*_CUES[name]) for name in ("evades", "forgets", "unsafe"))
CORRECTION_CUES, ACCEPTANCE_CUES = Cues(*_CUES["corrects"]), Cues(*_CUES["takes_it"])
REQUEST_CUES, THANKS_CUES = Cues(*_CUES["requests"]), Cues(*_CUES["thanks"])
CONCLUSION_CUES, ORDER_CUES = Cues(*_CUES["concludes"]), Cues(*_CUES["orders"])


@lru_cache(maxsize=2048)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text: words of three letters or more and numbers, pairs of characters in wide scripts."""
    text = text[:_MAX_READ_CHARACTERS].lower()
    words = set(_WORD.findall(text)) - COMMON
    if not text.isascii():
        words = {w for w in words if not _WIDE.match(w)}
        for run in _WIDE.findall(text):
            words.update(run[n : n + 2] for n in range(len(run) - 1))
    return frozenset(words)


def word_share(part: frozenset[str], of: frozenset[str], enough: int = 1_000_000) -> float:
    """The share of the words of `of` that occur in `part`; `enough` words suffice for 1; 0 if `of` has no words."""
    return min(1.0, len(part & of) / min(len(of), enough)) if of else 0.0


def length_band(text: str, low: int = 25, high: int = 450) -> float:
    """1 where a text has between `low` and `high` tokens, 0 at a twelfth of `low` and twelve times `high`."""
    size = max(count_tokens(text), 1)
    beyond = log(low / size) if size < low else log(size / high) if size > high else 0.0
    return max(0.0, 1 - beyond / log(12))


def length_level(text: str, low: int = 8, high: int = 400) -> float:
    """Length alone, as 0..1: the logarithm of the tokens between `low` and `high`."""
    size = max(count_tokens(text), 1)
    return min(1.0, max(0.0, log(size / low) / log(high / low)))


def evenness(text: str) -> float:
    """Return how little a text repeats itself, 0..1: distinct content words over 2.2 tokens^.72."""
    size = count_tokens(text)
    return min(1.0, len(content_words(text)) / (2.2 * size**0.72)) if size else 0.0


def field_text(value: object) -> str:
    """The text of a field: a text, or an object with one in `text`."""
    if isinstance(value, dict):
        value = value.get("text")
    return value if isinstance(value, str) else ""
