"""The items that need a person's review first, and the reasons, in the words that the desk shows above the item."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal, NamedTuple

from judges.reading.confidence import STATED, TOKENS, Measure, source_words
from judges.types import section_place, turn_number

ReasonKind = Literal[
    "broken rule", "unscored", "low confidence", "judges disagree", "no confidence", "flagged", "not spared"
]
ConfidenceLevel = Literal["high", "medium", "low"]

HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.8, 0.5
"""Confidence from which it is called high, and from which it is called medium; below that it is low."""


@dataclass(frozen=True)
class Reason:
    """One reason why an item needs a look. `strength` lies in 0..1; unit and dimension are "" for the whole item."""

    item: str
    kind: ReasonKind
    text: str
    strength: float
    unit: str = ""
    dimension: str = ""


class ItemSize(NamedTuple):
    """The work that an item gives its reviewer: the number of ratings by the judge, and the length of the text."""

    ratings: int = 0
    length: int = 0


UNRATED_NEED = 0.01
"""The need of an item of which the judge gave no rating at all: there is nothing to check, so it comes last."""


@dataclass(frozen=True)
class ReviewNeed:
    """The need of an item for review, per rating (0..1), and the reasons, strongest first."""

    item: str
    need: float
    reasons: tuple[Reason, ...]


def confidence_level(confidence: float | None) -> ConfidenceLevel | None:
    """A confidence in words; None where nothing is known."""
    if confidence is None:
        return None
    return "high" if confidence >= HIGH_CONFIDENCE else "medium" if confidence >= MEDIUM_CONFIDENCE else "low"


def describe_confidence(confidence: float | None, source: str) -> str:
    """A confidence in words, by what it measures: "low self-consistency", "medium stated confidence"; or ""."""
    word = confidence_level(confidence)
    return f"{word} {confidence_measure(source)}" if word else ""


def confidence_measure(source: str) -> Measure:
    """Return the name of the measure behind a confidence of that source, such as "self-consistency"."""
    return source_words(source.partition(": ")[0]).measure


def rank_by_need(reasons: Iterable[Reason], sizes: Mapping[str, ItemSize] | None = None) -> list[ReviewNeed]:
    """Items in the order of their need per rating; of equal need the shorter item first, then by id.

    A rating's need is 1 - prod(1 - strength) over its reasons. An item's need is the mean over all its ratings, so that
    long items do not come first just because of their length. A reason about the whole item counts for every rating.
    Items without any reason are not in the list. (Errors found in the first tenth of the annotators' time, in a
    simulation of 2,000 items with 1 to 130 ratings: 24 %; by the need of the whole item 16 %, at random 9 %.)
    """
    grouped: dict[str, list[Reason]] = defaultdict(list)
    for reason in reasons:
        grouped[reason.item].append(reason)
    known = sizes or {}
    needs = []
    for item, own in grouped.items():
        need = _need(own, known.get(item))
        own.sort(key=lambda reason: (-reason.strength, reason.unit, reason.dimension, reason.text))
        needs.append(ReviewNeed(item, need, tuple(own)))
    return sorted(needs, key=lambda n: (-n.need, known.get(n.item, ItemSize()).length, n.item))


def _need(reasons: Iterable[Reason], size: ItemSize | None) -> float:
    """The need of an item per rating; where its size is not known, it has the ratings that its reasons name."""
    calm: dict[tuple[str, str], list[float]] = defaultdict(list)
    for reason in reasons:
        calm[reason.unit, reason.dimension].append(1 - min(max(reason.strength, 0.0), 0.99))
    item_factor = prod(calm.pop(("", ""), []))
    named = sum(1 - prod(factors) for factors in calm.values())
    need = 1 - item_factor * (1 - named / max(len(calm), size.ratings if size else 1, 1))
    return min(need, UNRATED_NEED) if size and not size.ratings else need


def broken_rule(item: str, unit: str, dimension: str, text: str) -> Reason:
    """A judgment that breaks a rule of its own card."""
    description = f"{dimension.replace('_', ' ')} breaks its rule" if dimension == "verdict" else text
    return Reason(item, "broken rule", description, 0.8, unit, dimension)


def unusable_reply(item: str, part: str, why: str) -> Reason:
    """A reply that could not be read."""
    return Reason(item, "unscored", f"the judge's reply could not be used: {why}", 0.9, part)


def low_confidence(item: str, unit: str, dimension: str, confidence: float, source: str) -> Reason | None:
    """A score of medium or low confidence, else None. Strength is half of what is missing to certainty.

    The text names the source: "verdict changed with the order", "coherence: medium self-consistency (windows differ)",
    "turn 3 helpfulness: low token confidence (between 3 and 4)".
    """
    if confidence_level(confidence) in (None, "high"):
        return None
    subject = f"{describe_unit(unit)}{dimension.replace('_', ' ')}"
    text = f"{subject} changed with the order" if source == "orders" else f"{subject}: {_doubt(confidence, source)}"
    return Reason(item, "low confidence", text, (1 - confidence) / 2, unit, dimension)


def _doubt(confidence: float, source: str) -> str:
    name, _, between = source.partition(": ")
    cause = f"between {between.replace(' or ', ' and ')}" if between else source_words(name).cause
    return describe_confidence(confidence, source) + (f" ({cause})" if cause else "")


_BEFORE = re.compile(r"(.+) (is a guess|may shift)(?: \((.+?)(?: between (.+))?\))?")
_SOURCES = {
    "the judge says so": STATED,
    "token probabilities waver": TOKENS,
    **{f"{name} differ": name for name in ("samples", "windows", "chapters")},
}


def update_wording(text: str) -> str:
    """A reason stored in earlier wording, in today's wording."""
    if match := _BEFORE.fullmatch(text):
        subject, word, cause, between = match.groups()
        source = _SOURCES.get(cause or "", cause or "") + (f": {between.replace(' and ', ' or ')}" if between else "")
        return f"{subject}: {_doubt(0.0 if word == 'is a guess' else MEDIUM_CONFIDENCE, source)}"
    text = text.removesuffix(" says otherwise") + (" disagrees" if text.endswith(" says otherwise") else "")
    return text.replace(" is not kept unseen (", ": below the threshold of confidence (")


def judges_disagree(item: str, unit: str, dimension: str, gap: float, width: float, other: str) -> Reason:
    """Two judges whose values differ by `gap` steps on a scale that is `width` steps wide (1 for unordered ones)."""
    text = f"{describe_unit(unit)}{dimension.replace('_', ' ')}: {other} disagrees"
    return Reason(item, "judges disagree", text, 0.6 * min(gap / max(width, 1.0), 1.0), unit, dimension)


def no_confidence(item: str) -> Reason:
    """A judge whose confidence is not known."""
    return Reason(item, "no confidence", "the judge's confidence is not known", 0.05)


def below_threshold(item: str, unit: str, dimension: str, confidence: float | None, threshold: float) -> Reason:
    """An item below the threshold from which a judge's verdicts are kept unseen (judges/stats/auto_accept.py)."""
    sure = "it is not known" if confidence is None else f"{confidence:.3g}, and the threshold is {threshold:.3g}"
    text = f"{describe_unit(unit)}{dimension.replace('_', ' ')}: below the threshold of confidence ({sure})"
    return Reason(item, "not spared", text, (1 - (confidence or 0.0)) / 2, unit, dimension)


def audit_flag(item: str, audit: str, text: str, strength: float, unit: str = "", dimension: str = "") -> Reason:
    """An item behind what an audit found: `audit` is its title, `text` says what is the matter there."""
    return Reason(item, "flagged", f"flagged by an audit ({audit}): {text}", strength, unit, dimension)


def describe_unit(unit: str) -> str:
    """A unit as the beginning of a sentence: `turn:3` -> "turn 3 ", `section:2/a` -> "section 2 of A "."""
    if unit.startswith("turn:"):
        return f"turn {turn_number(unit)} "
    if unit.startswith("section:"):
        number, side = section_place(unit)
        return f"section {number} of {side.upper()} "
    if unit.startswith("response/"):
        return f"response {unit[-1].upper()} "
    return ""


def name_unit(unit: str) -> str:
    """A unit by itself: `turn:3` -> "turn 3", `conversation` as it is."""
    return describe_unit(unit).strip() or unit
