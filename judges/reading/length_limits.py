"""Marks for judges' texts that are too long or quote the output. They never put an item up for review.

A mark is a remark of the sort `rule` about a unit, not about a dimension, whose text ends in MARK. It lowers no
confidence, and the review queue ignores it.
"""

from __future__ import annotations

import re
import unicodedata

from judges.types import Remark

MARK = "Only the wording breaks a rule."
"""The end of the text of each mark."""
RULE = "A Chinese or Japanese character counts as half a word. What is longer is marked, and the scores stand."
_WIDE = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD = re.compile(r"[^\s\u2013\u2014/]*\w[^\s\u2013\u2014/]*")
_ENDS = re.compile(r"[。！？]+(?=[^\s。！？」』”’)）])|[.!?]+[\"'”’)]*\s+(?=[\"'“‘(]?[^\Wa-z_])|[。！？]\s+(?=\S)")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|prof|st|[A-Za-z])\.\s+$", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{2,})[\"“”„«»]|[「『]([^」』]{2,})[」』]|`([^`]{2,})`")


def count_words(text: str) -> float:
    """The words of a text: what is between spaces, dashes and slashes; a Chinese or Japanese character is half one.

    Signs without a letter or digit are no words. Korean is written with spaces, and counts as that.
    """
    wide = len(_WIDE.findall(text))
    return len(_WORD.findall(_WIDE.sub(" ", text) if wide else text)) + wide / 2


def count_sentences(text: str) -> int:
    """About how many sentences a text has: an end is followed by a capital letter, a digit or a wide character.

    Abbreviations and initials end none.
    """
    plain = text.strip()
    if not plain:
        return 0
    return 1 + sum(not _SHORT.search(plain[: match.end()]) for match in _ENDS.finditer(plain))


def mark_many_words(unit: str, noun: str, text: str, limit: int) -> list[Remark]:
    """The mark of a text with more words than requested; none for a text within the limit."""
    if len(text) < 2 * limit or (count := count_words(text)) <= limit:
        return []
    return [_mark(unit, f"The {noun} has {count:g} words, and {limit} were asked for at most.")]


def mark_many_sentences(unit: str, noun: str, text: str, limit: int) -> list[Remark]:
    """The mark of a text of more sentences than were asked for."""
    if (count := count_sentences(text)) <= limit:
        return []
    return [_mark(unit, f"The {noun} has {count} sentences, and {limit} were asked for at most.")]


def mark_quotes(unit: str, noun: str, text: str, source: str) -> list[Remark]:
    """The mark of a text that quotes what it is about: quotation marks around words that occur in it."""
    quotes = [quote for groups in _QUOTED.findall(text) for quote in groups if quote]
    if not quotes or not (plain := _normalize(source)):
        return []
    if not any(len(quote) > 1 and quote in plain for quote in map(_normalize, quotes)):
        return []
    return [_mark(unit, f"The {noun} quotes the output, and was to do without.")]


def _normalize(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,;:!?…")


def _mark(unit: str, sentence: str) -> Remark:
    return Remark(unit, "", "rule", f"{sentence} {MARK}")
