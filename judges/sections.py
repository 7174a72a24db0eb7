"""Cut long responses into sections, so that judge, annotator and table mean the same part by the same name.

Sections are the visible structure: the headings of either response, in order of appearance; without headings, first
half and second half. The card long_form_pairwise scores them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from judges.errors import AssayError
from judges.tokens import tokens
from judges.types import Dialogue, Pair, Response, Section, section_units

LONG_RESPONSE_TOKENS = 500
"""Tokens, roughly, from which the responses of a pair are cut into sections, as the card long_form_pairwise needs them.
"""
WHOLE_RESPONSE = "Whole response"
_NUMBERED = re.compile(
    r"(?:(?:section|part|chapter)\s+)?(?:\(?(?:\d{1,3}(?:\.\d{1,3})*|[ivxl]{1,6}|[a-z])[.):]+|\d{1,3}(?:\.\d{1,3})*\s)\s*(?=\S)"
)
# Lines may end as on Windows, with a carriage return before their end.
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+)$", re.MULTILINE)
_BOLD = re.compile(r"^ {0,3}\*\*([^*\n]{2,80})\*\*:?[ \t\r]*$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(^ {0,3}\1[ \t\r]*$|\Z)", re.MULTILINE | re.DOTALL)
_BREAKS = tuple(map(re.compile, (r"\n[ \t\r]*\n", r"\n", r"(?<=[.!?])\s|(?<=[。！？])", r"\s")))


class BadSections(AssayError):
    """The sections that a pair comes with do not fit its responses."""


def with_sections(item: Dialogue | Pair | Response) -> Dialogue | Pair | Response:
    """The item; a pair without given sections is cut if a response is long, and gets [] if both are short.

    Raises BadSections where given sections do not lie within their responses, or share a label.
    """
    if not isinstance(item, Pair):
        return item
    a, b = item.response_a.text, item.response_b.text
    if item.sections is None:
        long = a is not None and b is not None and max(tokens(a), tokens(b)) >= LONG_RESPONSE_TOKENS
        return item.model_copy(update={"sections": without_empty(cut_sections(a or "", b or "")) if long else []})
    labels = set()
    for number, section in enumerate(item.sections, 1):
        for side, text, span in (("a", a, section.a), ("b", b, section.b)):
            if span is not None and not 0 <= span[0] < span[1] <= len(text or ""):
                raise BadSections(
                    f"section {number}, {side}: {span[0]} to {span[1]} lies outside the response's {len(text or '')} "
                    "characters."
                )
        if section.label in labels or not section.label.strip():
            raise BadSections(f"section {number} has no label of its own: each section needs another one.")
        labels.add(section.label)
    return item


def cut_sections(a: str, b: str) -> list[Section]:
    """The sections of two responses, each with its label and its span in either text (None: that side lacks it).

    Headings with the same words are one section; one that only B has follows the section it follows in B. Text
    before a first heading is the section "Opening". Where neither side has a heading both are cut in the middle; where
    only one side has, the other is one section called "Whole response".
    """
    spans_a, spans_b = headed_parts(a), headed_parts(b)
    if not spans_a and not spans_b:
        halves_a, halves_b = halves(a), halves(b)
        return [
            Section(label=label, a=halves_a[n], b=halves_b[n]) for n, label in enumerate(("First half", "Second half"))
        ]
    if not spans_a:
        spans_a = [(WHOLE_RESPONSE, 0, len(a))]
    if not spans_b:
        spans_b = [(WHOLE_RESPONSE, 0, len(b))]
    order = [label for label, _, _ in spans_a]
    folded = {label.casefold(): label for label in order}
    previous = -1
    for label, _, _ in spans_b:
        known = folded.get(label.casefold())
        if known is None:
            known = folded[label.casefold()] = label
            order.insert(previous + 1, label)
        previous = max(previous, order.index(known))
    at_a = {label.casefold(): (start, end) for label, start, end in spans_a}
    at_b = {label.casefold(): (start, end) for label, start, end in spans_b}
    return [Section(label=label, a=at_a.get(label.casefold()), b=at_b.get(label.casefold())) for label in order]


def headed_parts(text: str) -> list[tuple[str, int, int]]:
    """(label, start, end) of each headed part; headings below the top two levels in use do not cut. [] without any."""
    fences = [m.span() for m in _FENCE.finditer(text)]

    def find(pattern: re.Pattern[str]) -> list[re.Match[str]]:
        return [m for m in pattern.finditer(text) if not any(s <= m.start() < e for s, e in fences)]

    headings = [(m.start(), len(m[1]), _without_closing(m[2])) for m in find(_HEADING)]
    if not headings:
        headings = [(m.start(), 1, m[1]) for m in find(_BOLD)]
        if len(headings) < 2:
            return []
    levels = sorted({level for _, level, _ in headings})
    top = levels[0]
    lone = sum(level == top for _, level, _ in headings) == 1 and headings[0][1] == top
    if lone and len(levels) > 1 and not text[: headings[0][0]].strip():
        top = levels[1]  # a lone title at the head is no structure of its own: the level below it is
    starts = [(pos, title) for pos, level, title in headings if level <= top]
    if not text[: starts[0][0]].strip():
        starts[0] = (0, starts[0][1])
    parts = [(_clean(title), pos) for pos, title in starts]
    if len(parts) > 1 and headings[0][1] < top and parts[0][1] == 0:
        # The title line opens the first real section.
        parts = [(parts[1][0], 0), *parts[2:]]
    if parts[0][1] > 0:
        parts.insert(0, ("Opening", 0))
    ends = [pos for _, pos in parts[1:]] + [len(text)]
    times, used, out = Counter[str](), set[str](), []
    for (title, start), end in zip(parts, ends, strict=True):
        label = title
        while label.casefold() in used:  # a heading may itself read "Costs (2)"
            times[title.casefold()] += 1
            label = f"{title} ({times[title.casefold()] + 1})"
        used.add(label.casefold())
        out.append((label, start, end))
    return out


def _without_closing(title: str) -> str:
    """A heading without the number signs and spaces that close it; a regular expression would be slow here."""
    return title.rstrip(" \t\r").rstrip("#").rstrip(" \t") or title[:1]


def _clean(title: str) -> str:
    """A heading without markup and numbering noise at its ends, at most 120 characters."""
    return re.sub(r"[*_`]+", "", title).strip().rstrip(":：").strip()[:120] or "Untitled"


def halves(text: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """The text cut near its middle at a paragraph, else a line, a sentence, a space, else in the middle itself."""
    middle, reach = len(text) // 2, max(len(text) // 5, 1)
    for pattern in _BREAKS:
        cuts = [m.end() for m in pattern.finditer(text, max(middle - reach, 0), min(middle + reach, len(text)))]
        if cuts:
            middle = min(cuts, key=lambda pos: abs(pos - len(text) // 2))
            break
    return (0, middle), (middle, len(text))


def without_empty(sections: list[Section]) -> list[Section]:
    """Sections without the parts that hold no text, as the halves of an empty response do."""
    trimmed_sections = [
        Section(label=s.label, a=s.a if s.a and s.a[0] < s.a[1] else None, b=s.b if s.b and s.b[0] < s.b[1] else None)
        for s in sections
    ]
    return [section for section in trimmed_sections if section.a or section.b]


def unasked_sections(item: Pair) -> list[Section]:
    """The sections on which a pair without sections may still be scored: each whole response, then its parts.

    The parts come from `cut_sections`. Short pairs are not cut at import, and people are not asked about their
    sections, but a judge's scores of them are kept. The numbers stay the same if the responses are swapped. [] if the
    pair has sections or lacks a text.
    """
    a, b = item.response_a.text, item.response_b.text
    if item.sections or not a or not b:
        return []
    parts = [section for section in without_empty(cut_sections(a, b)) if section.label != WHOLE_RESPONSE]

    def first(section: Section) -> tuple[int, str]:
        return min(span[0] for span in (section.a, section.b) if span is not None), section.label.casefold()

    return [Section(label=WHOLE_RESPONSE, a=(0, len(a)), b=(0, len(b))), *sorted(parts, key=first)]


def unasked_units(item: object) -> list[str]:
    """The units of `unasked_sections`: what a judge may score though nobody is asked about it."""
    return section_units(unasked_sections(item)) if isinstance(item, Pair) else []


def section_numbers(labels: Sequence[str]) -> Callable[[str], int | None]:
    """A function that finds the number of a section, from 1, by the label that a judge gives it.

    It tries the label itself; then the same words, ignoring case, punctuation, markup and spaces; then the same words
    without a leading number. A match counts only if it fits a single section: two labels that differ by a number need
    it.
    """
    exact = {label: n for n, label in enumerate(labels, 1)}
    steps = []
    for form in (_words, _words_without_number):
        forms = [form(label) for label in labels]
        times = Counter(forms)
        steps.append((form, {f: n for n, f in enumerate(forms, 1) if f and times[f] == 1}))

    def number(given_label: str) -> int | None:
        if given_label in exact:
            return exact[given_label]
        return next((place for form, known in steps if (place := known.get(form(given_label))) is not None), None)

    return number


def _words(label: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", label).casefold()))


def _words_without_number(label: str) -> tuple[str, ...]:
    text = unicodedata.normalize("NFKC", label).casefold().lstrip("#*_`>- \t\"'\u201c")
    return _words(_NUMBERED.sub("", text, count=1) if _NUMBERED.match(text) else text)
