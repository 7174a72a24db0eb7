"""The meaning of a column's name: whether a judge or a person gave the values, who that is, and their subject.

Also the names in the header of a table, and the delimiter between them.
"""

from __future__ import annotations

import contextlib
import csv
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Owner = Literal["judge", "person", ""]
DELIMITERS = (",", ";", "\t", "|")
"""The signs that separate the cells of a table's text, unless it states another."""

WORDS = json.loads(Path(__file__).with_name("column_words.json").read_text(encoding="utf-8"))
"""The words of columns' names: whose a column is, what it holds, and what fields of items are called."""
_NAMES = ("judge", "judge_weak", "person", "person_weak", "plain", "average", "notes", "confidence")
_JUDGE, _JUDGE_WEAK, _PERSON, _PERSON_WEAK, _PLAIN, _AVERAGE, _NOTES, _CONFIDENCE = (
    frozenset(WORDS[name]) for name in _NAMES
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s_/:|()\[\],;]+")
_MODEL = re.compile(rf"(?:{'|'.join(WORDS['models'])})(?=$|[\d\-.])")
_SIZE = re.compile(r"\d[\w.]*|turbo|mini|nano|opus|sonnet|haiku|pro|flash|large|small|instruct")
_AFTER_MODEL = re.compile(rf"\.(?=[^\W\d])(?!(?:{_SIZE.pattern})(?![^\W_])|{_MODEL.pattern})")
_BEFORE_MODEL = re.compile(rf"(.+)\.({_MODEL.pattern}.*)")
"""A point between a model's name and another word, as in "gpt-4o.tone" and "tone.gpt-4o": in its version is none."""
_NUMBERED = re.compile(r"(\D{2,}?)(\d{1,3})")
_RANGE = re.compile(r"[(\[]\s*(\d+)\s*(?:[-–—/]|\.\.|to|bis)\s*(\d+)\s*[)\]]")
"""The ends of a scale, as in "helpful (1-5)": they say nothing of whose a column is."""
_SCRIPTS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


@dataclass(frozen=True)
class ColumnName:
    """What a column's name says: its owner (`either`: judge or person), how sure that is, who it is, the subject."""

    owner: Owner
    weak: bool
    either: bool
    rater: str
    stem: str
    """The words that say who it is: the same for annotator_1_score and annotator_1_comment."""
    dimension: str
    average: bool
    note: bool
    confidence: bool
    value: bool
    """Whether it says that the column holds values (score, rating, verdict)."""


def _words(name: str) -> list[str]:
    """The words of a column's name; a model's name with version and size counts as one word."""
    words: list[str] = []
    spaced = _CAMEL.sub("_", unicodedata.normalize("NFKC", name)).lower().replace("_as_a_", "_")
    for chunk in (run for part in _SEPARATORS.split(spaced.strip()) for run in _SCRIPTS.findall(part)):
        if words and _MODEL.match(words[-1]) and _SIZE.fullmatch(chunk):
            words[-1] += f"-{chunk}"
        elif _MODEL.match(chunk):
            model, *parts = _AFTER_MODEL.split(chunk)
            words += [model, *(word for part in parts for word in _words(part))]
        elif parted := _BEFORE_MODEL.fullmatch(chunk):
            words += [*_words(parted[1]), *_words(parted[2])]
        else:
            words += [word for part in re.split(r"[-.]+", chunk) if part for word in _split_words(part)]
    return words


def _split_words(text: str) -> list[str]:
    """The parts of a word without separators: "human2" is human and 2; known words are cut out of unspaced text."""
    parts = []
    for run in _SCRIPTS.findall(text):
        numbered = _NUMBERED.fullmatch(run)
        if numbered and numbered[1] in _OWNERS:
            parts += [numbered[1], numbered[2]]
        elif run.isascii() or run in _WORDS:
            parts.append(run)
        else:
            parts += _cut(run)
    return parts


def _cut(run: str) -> list[str]:
    """Known words in a run of letters without spaces, longest first, and the parts between them."""
    for word in _UNSPACED:
        before, at, after = run.partition(word)
        if at:
            return [*(_cut(before) if before else []), word, *(_cut(after) if after else [])]
    return [run]


_OWNERS = _JUDGE | _JUDGE_WEAK | _PERSON | _PERSON_WEAK
_WORDS = _OWNERS | _PLAIN | _NOTES | _CONFIDENCE | _AVERAGE
_UNSPACED = sorted((word for word in _WORDS if _SCRIPTS.match(word) and ord(word[0]) > 0x3000), key=len, reverse=True)


def parse_name(name: str) -> ColumnName:
    """Return the meaning of a column's name."""
    words = _words(_RANGE.sub(" ", name))
    named = [w for w in words if w != "truth" or not _asks_for_truth(words)]
    judge = [w for w in named if w in _JUDGE or _MODEL.match(w)]
    person = [w for w in named if w in _PERSON]
    strong = bool(judge or person)
    if not strong:
        judge, person = [w for w in named if w in _JUDGE_WEAK], [w for w in named if w in _PERSON_WEAK]
    owner_words = judge or person
    signs = [w for w in words if w.isdigit() or (len(w) == 1 and w != "の")]
    rest = [
        w for w in words
        if w not in named or (w not in _WORDS and w not in owner_words and w not in signs and w != "の")
    ]  # fmt: skip
    signed = len(signs) == 1 and signs[0] in (words[0], words[-1])  # helpful_2, and not the article of a question
    models = [w for w in judge if _MODEL.match(w)]
    stem = "_".join(models or [w for w in words if w in owner_words or w in signs])
    return ColumnName(
        "judge" if judge and not person else "person" if person and not judge else "",
        not strong,
        bool(judge and person),
        stem if models or judge or (rest and (person or signed)) else name.strip(),
        stem,
        "_".join(rest),
        any(w in _AVERAGE for w in words),
        any(w in _NOTES for w in words),
        any(w in _CONFIDENCE for w in words),
        any(w in _PLAIN for w in words),
    )


def _asks_for_truth(words: Sequence[str]) -> bool:
    """Whether "truth" is what somebody named before it answers, as in judge_truth, and no title of gold."""
    before = words[: words.index("truth")]
    return "ground" not in before and any(w in _OWNERS or _MODEL.match(w) for w in before)


def stated_ends(name: str) -> tuple[int, ...]:
    """The ends of the scale, from 0 or 1 up, that a column's name states ("helpful (1-7)"); none if it has none."""
    low, high = map(int, match.groups()) if (match := _RANGE.search(name)) else (0, 0)
    return (low, high) if low <= 1 and 2 < high <= 100 else ()


def normalize(name: str) -> str:
    """A name in small letters with _ between its words."""
    return re.sub(r"[^\w#]+|_+", "_", unicodedata.normalize("NFKC", _CAMEL.sub("_", name)).lower()).strip("_")


def column_names(header: Sequence[str]) -> list[str]:
    """The names of a table's columns; a column without a name, such as a saved index, is named by its position."""
    return [cell.strip() or f"Unnamed: {place}" for place, cell in enumerate(header)]


def is_unnamed(name: str, place: int) -> bool:
    """Whether a column has no name in the header, but that of its position."""
    return name == f"Unnamed: {place}"


def is_saved_index(name: str) -> bool:
    """Whether a column has the name of an index that pandas saved, in text or in Parquet."""
    return normalize(name).startswith(("unnamed_", "index_level_"))


def detect_delimiter(text: str, complete: bool = True) -> str:
    """The delimiter of a table's text: the one that it states, or that by which most rows are as wide as the header.

    Where the text is not `complete`, its last line may be half a line, and does not count.
    """
    lines = text.splitlines(keepends=True)
    sample = lines if complete or len(lines) < 2 else lines[:-1]
    return stated_delimiter(text) or max(DELIMITERS, key=lambda sign: _fit(sample, sign))


def _fit(lines: list[str], delimiter: str) -> tuple[int, int]:
    """Return how well a delimiter fits: the number of rows as wide as the header, and the number of columns."""
    widths = []
    with contextlib.suppress(csv.Error):
        for row in csv.reader(lines[:200], delimiter=delimiter, strict=True):
            if row:
                widths.append(len(row))
    if not widths or widths[0] < 2:
        return 0, 0
    return sum(width == widths[0] for width in widths[:50]), widths[0]


def stated_delimiter(text: str) -> str:
    """The delimiter that the first line of a text declares (`sep=;`, as Excel reads it); "" if it declares none."""
    match = re.match(r'"?sep=(.)"?\r?(\n|\Z)', text, re.IGNORECASE)
    return match[1] if match else ""
