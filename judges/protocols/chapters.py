"""Pairs that are too long for one call: the input cut by its chapters, each judged with the sections that draw on it.

Every section of the responses is judged in exactly one chapter, whole. The cut follows from the item and the judge's
parameters alone, so it can be made again from a stored reply.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import log, sqrt
from typing import Any

from judges.card import Card
from judges.protocols import combination
from judges.protocols.orders import names_sides, reading_order, rename_units
from judges.reading.confidence import combine_confidence
from judges.rounding import ROUNDING
from judges.sections import cut_sections, halves, headed_parts
from judges.tokens import tokens
from judges.types import Pair, Reading, Remark, Score, Section, section_place

_PROMPT_TOKENS = 3000
"""Tokens kept free for the prompt, the fence around the material, and the text about the chapter."""
_MAX_OUTLINE_HEADINGS = 40
"""Headings of the input that a chapter's call is shown at most."""
_WORD = re.compile(r"[a-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]{4,}|\d{2,}")
_WIDE = re.compile(r"(?=([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}))")


@dataclass(frozen=True)
class Chapter:
    """Chapter k of n: the pair as its call sees it, and the numbers of its sections in the item, in order."""

    number: int
    of: int
    item: Pair
    sections: tuple[int, ...]
    outline: tuple[str, ...]

    @property
    def weight(self) -> float:
        """The length of its parts of the responses, in tokens; 1 if they are empty."""
        return float(tokens(self.item.response_a.text or "") + tokens(self.item.response_b.text or "")) or 1.0


def room_for_item(context: int, max_tokens: int) -> int:
    """Tokens that are left for the item in a context of so many.

        context - min(max_tokens, context / 4) - min(3000, context / 4)

    The two terms reserve room for the reply, and for the prompt with its frame. The second does not use the length of
    the actual prompt, so that a stored judgment can still be read after a card's wording changes. A card with long
    examples needs a lower `context` than the model has.
    """
    return max(context - min(max_tokens, context // 4) - min(_PROMPT_TOKENS, context // 4), 1)


def plan_chapters(item: Pair, limit: int) -> tuple[Chapter, ...]:
    """The chapters of a pair whose texts have more than `limit` tokens, in the order of the input; () otherwise.

    The input is cut at its headings, and what is still longer than half of the limit at paragraph ends. Each section
    goes to the part whose words it shares most (rare words count more; a like heading counts as ten words; where
    nothing is shared, to the part at the same place in the text). Neighbouring parts then form a chapter while they
    fit with their sections. Where the sections of one part do not fit together, the part is shown again with the rest
    of them. A part that no section draws on is shown with the part before it where it fits; all headings are in the
    outline that every call gets. A single section that does not fit with its part is asked all the same.
    """
    a, b = item.response_a.text or "", item.response_b.text or ""
    if tokens(item.input_text) + tokens(a) + tokens(b) <= limit:
        return ()
    sections = tuple(item.sections) if item.sections is not None else tuple(cut_sections(a, b))
    groups, outline = _group_chapters(item.input_text, a, b, sections, limit)
    if len(groups) < 2:
        return ()
    return tuple(
        Chapter(number, len(groups), _pair_of_chapter(item, text, sections, section_numbers), section_numbers, outline)
        for number, (text, section_numbers) in enumerate(groups, 1)
    )


def chapter_fields(chapter: Chapter) -> dict[str, Any]:
    """The fields that a chapter's call is shown in addition to the pair."""
    return {"chapter": f"{chapter.number} of {chapter.of}", "outline_of_input": list(chapter.outline)}


def chapter_instructions(chapter: Chapter) -> str:
    """The text after the material of a chapter."""
    return (
        f"The input is too long for one call and is judged in {chapter.of} parts; this is part {chapter.number}, with "
        "the sections of both responses that draw on it. outline_of_input shows how the whole input is built. Judge "
        "what is shown here, all of it and nothing else: what is left out here is shown in another part."
    )


def restore_section_numbers(chapter: Chapter, reading: Reading) -> Reading:
    """The reading of a chapter with its sections under their numbers in the item."""

    def unit(name: str) -> str:
        if not name.startswith("section:"):
            return name
        number, side = section_place(name)
        return f"section:{chapter.sections[number - 1]}/{side}"

    return rename_units(reading, unit)


def fuse_chapters(card: Card, chapters: Sequence[Chapter], readings: Sequence[Reading]) -> Reading:
    """One reading of a pair from those of its chapters, whose sections have their numbers in the item.

    - A section has the scores of the chapter that it was judged in.
    - A failure is raised where any chapter raised it. Other answers about a side are the mean over the chapters,
      weighted by the tokens of that side in each (`combination`): so are the aggregates.
    - The verdict is that with the most weight (tokens of both sides; a tie where the heaviest are equal), if the
      fused scores allow it by the card's own rule, else the first that they allow. Its confidence, source "chapters",
      is the share of the weight that says so, at most .9.

    `facts["chapters"]` has the verdict of each chapter in words.
    """
    scores = [s for reading in readings for s in reading.scores if s.unit.startswith("section:")]
    remarks = [_remark(c, remark) for c, reading in zip(chapters, readings, strict=True) for remark in reading.remarks]
    facts: dict[str, Any] = {}
    expected = {k: v for r in readings for k, v in r.facts.get("expected", {}).items() if k[0].startswith("section:")}
    if expected:
        facts["expected"] = expected
    cells = dict.fromkeys(
        (s.unit, s.dimension) for r in readings for s in r.scores if not s.unit.startswith("section:")
    )
    for unit, name in cells:
        dimension = card.dimension(name, unit)
        rows = [
            (score, _weight(chapter, unit))
            for chapter, reading in zip(chapters, readings, strict=True)
            for score in reading.scores
            if (score.unit, score.dimension) == (unit, name)
        ]
        rows = [(score, weight) for score, weight in rows if weight > 0] or [(score, 1.0) for score, _ in rows]
        if dimension is None:
            continue
        answers = [(score.value, weight) for score, weight in rows]
        there_is, value = combination.combine_answers(dimension.scale, answers)
        sure: tuple[float | None, str] = (None, "")
        if names_sides(dimension.scale):
            if value is not None or not there_is:  # all that say n/a have an answer
                value = _nearest_allowed(card, name, dimension.scale.categories, scores, value)
                there_is = value is not None
            share = sum(w for score, w in rows if score.value == value) / sum(w for _, w in rows)
            agreed = round(min(combination.AGREED, max(combination.LEAST, share)), 4)
            own = [(s.confidence, s.source) for s, _ in rows if s.value == value]
            sure = combine_confidence((agreed, "chapters"), *own)
            facts["chapters"] = [dimension.scale.format(score.value) for score, _ in rows]
        if there_is:
            scores.append(Score(unit, name, value, *sure))
    return Reading(tuple(sorted(scores, key=reading_order)), tuple(remarks), facts=facts)


def _nearest_allowed(
    card: Card, name: str, categories: tuple[str, ...], scores: Sequence[Score], value: float | None
) -> float | None:
    if name != "verdict" or card.allowed is None:
        return value
    words = card.allowed({(s.unit, s.dimension): s.value for s in scores})
    codes = [float(categories.index(word)) for word in words]
    return value if value in codes or not codes else codes[0]


def _weight(chapter: Chapter, unit: str) -> float:
    if unit.startswith("response/"):
        return float(tokens(getattr(chapter.item, f"response_{unit[-1]}").text or ""))
    return chapter.weight


def _remark(chapter: Chapter, remark: Remark) -> Remark:
    if remark.unit.startswith("section:"):
        return remark
    return remark._replace(text=f"Chapter {chapter.number} of {chapter.of}: {remark.text}")


# -- the cut ----------------------------------------------------------------------------------------------------------

Group = tuple[str, tuple[int, ...]]
"""The text of a chapter and the numbers of its sections."""


@lru_cache(maxsize=64)
def _group_chapters(
    text: str, a: str, b: str, sections: tuple[Section, ...], limit: int
) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """The chapters' texts and sections, and the outline of the input. Kept: a judgment asks for its plan many times."""
    parts = [
        (label, piece)
        for label, start, end in headed_parts(text) or [("", 0, len(text))]
        for piece in _split(text[start:end], limit // 2)
    ]
    word_sets = [_words(_of(a, s.a) + "\n" + _of(b, s.b)) for s in sections]
    home = _homes([label for label, _ in parts], [piece for _, piece in parts], [s.label for s in sections], word_sets)
    sizes = [tokens(_of(a, s.a)) + tokens(_of(b, s.b)) for s in sections]
    groups: list[Group] = []
    shown: list[str] = []
    section_indexes: list[int] = []

    def fits(piece: str, more: Sequence[int]) -> bool:
        return sum(map(tokens, shown)) + tokens(piece) + sum(sizes[n] for n in [*section_indexes, *more]) <= limit

    def close() -> None:
        if section_indexes:
            groups.append(("".join(shown), tuple(n + 1 for n in sorted(section_indexes))))
        shown.clear()
        section_indexes.clear()

    for index, (_, piece) in enumerate(parts):
        own = [n for n, at in enumerate(home) if at == index]
        if fits(piece, own):
            shown.append(piece)
            section_indexes += own
        elif own:
            close()
            shown.append(piece)
            for n in own:
                if section_indexes and not fits("", [n]):
                    close()
                    shown.append(piece)
                section_indexes.append(n)
    close()
    labels = list(dict.fromkeys(label or " ".join(piece.split())[:60] for label, piece in parts))
    return tuple(groups), tuple(labels[:_MAX_OUTLINE_HEADINGS])


def _split(text: str, max_tokens: int) -> list[str]:
    """A text in pieces of at most so many tokens, cut in halves near paragraph ends as long as they are longer."""
    if tokens(text) <= max(max_tokens, 1) or len(text) < 2:
        return [text]
    (_, middle), _ = halves(text)
    if not 0 < middle < len(text):
        middle = len(text) // 2
    return [*_split(text[:middle], max_tokens), *_split(text[middle:], max_tokens)]


def _homes(labels: list[str], parts: list[str], named: list[str], word_sets: list[set[str]]) -> list[int]:
    """For each section the index of the part that it draws on."""
    words = [_words(part) for part in parts]
    count_by_word = Counter(word for own in words for word in own)
    rarity = {word: log(1 + len(parts) / count) for word, count in count_by_word.items()}
    ends = list(accumulate(map(len, parts)))
    homes = []
    for number, (label, section) in enumerate(zip(named, word_sets, strict=True)):
        scored = []
        for index, own in enumerate(words):
            shared = sum(rarity[word] for word in sorted(section & own)) / sqrt(len(own) or 1)
            same_label = bool(labels[index]) and labels[index].casefold() == label.casefold()
            scored.append(shared + same_label * 10 * log(1 + len(parts)))
        where = (number + 0.5) / len(word_sets) * (ends[-1] or 1)
        expected_index = min(bisect_right(ends, where), len(parts) - 1)
        best = max(scored)
        # Of parts that share as much, the one nearest to the same place in the text.
        like = [n for n, value in enumerate(scored) if value >= best - ROUNDING]
        homes.append(min(like, key=lambda n: (abs(n - expected_index), n)))
    return homes


def _words(text: str) -> set[str]:
    folded = text.casefold()
    return {*_WORD.findall(folded), *_WIDE.findall(folded)}


def _of(text: str, span: tuple[int, int] | None) -> str:
    return "" if span is None else text[span[0] : span[1]]


def _pair_of_chapter(item: Pair, text: str, sections: tuple[Section, ...], section_numbers: tuple[int, ...]) -> Pair:
    """The pair as a chapter's call sees it: this part of the input, and of the responses these sections."""
    sides: dict[str, str] = {"a": "", "b": ""}
    cuts: list[Section] = []
    for number in section_numbers:
        spans: dict[str, tuple[int, int] | None] = {}
        for side in ("a", "b"):
            span = getattr(sections[number - 1], side)
            own = _of(getattr(item, f"response_{side}").text or "", span)
            spans[side] = None if span is None else (len(sides[side]), len(sides[side]) + len(own))
            sides[side] += own
        cuts.append(Section(label=sections[number - 1].label, a=spans["a"], b=spans["b"]))
    return item.model_copy(
        update={
            "input": text,
            "response_a": item.response_a.model_copy(update={"text": sides["a"]}),
            "response_b": item.response_b.model_copy(update={"text": sides["b"]}),
            "sections": cuts,
        }
    )
