"""Long reports and their pairs: sections of known quality put together, with planted failures of whole reports."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from judges.sections import cut_sections
from tools.sample.dialogues import SYSTEMS
from tools.sample.material import Document, Text, documents
from tools.sample.truth import GeneratedItem, Truth, clip

FAILURES = (
    "mid_content_drift",
    "lost_in_middle",
    "hallucinated_continuation",
    "false_completeness",
    "format_collapse",
)
ASPECTS = ("groundedness", "relevance", "quality")
_FAILS = {"aster-1": 0.15, "birch-2": 0.45, "cedar-mini": 0.75}
_TASTE = {"aster-1": 0.45, "birch-2": 0.2, "cedar-mini": 0.0}
_STYLES = {"aster-1": "## {}\n\n", "birch-2": "### {}\n", "cedar-mini": "**{}**\n\n"}
_COMPLETE = {
    "en": "With that, every point of the material has been covered in full.",
    "ja": "以上で、記録にある事柄はすべて漏れなくご報告しました。",
    "zh": "以上内容已经全面、完整地覆盖了记录的所有要点。",
}
_FRAME = 0.2
"""The weight of an opening or closing paragraph, against that of a section of the same length."""
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|\n")


@dataclass
class Report:
    """One system's report on a document, and what is true of each stretch of it."""

    system: str
    text: str = ""
    stretches: list[tuple[int, int, Text, float]] = field(default_factory=list)
    """(start, end, what is there, how much it counts)"""
    failure: str = ""

    def add(self, lead: str, part: Text, weight: float = 1.0) -> None:
        """Append a stretch; `lead` is its heading with markup, or ""."""
        gap = "\n\n" if self.text else ""
        start = len(self.text) + len(gap)
        self.text += f"{gap}{lead}{part.text}"
        self.stretches.append((start, len(self.text), part, weight))

    def scores(self, span: tuple[int, int]) -> list[int]:
        """The true scores of a span: those of what lies in it, weighted by length."""
        total, sums = 0.0, [0.0, 0.0, 0.0]
        for start, end, part, weight in self.stretches:
            share = weight * max(0, min(end, span[1]) - max(start, span[0]))
            total += share
            sums = [s + share * score for s, score in zip(sums, part.scores, strict=True)]
        return [clip(s / total - 0.1) for s in sums] if total else [1, 1, 1]

    @property
    def worth(self) -> float:
        """The true aggregate: the mean of the stretches, less a half for a failure."""
        marks = [weight * sum(part.scores) / 3 for *_, part, weight in self.stretches]
        return sum(marks) / sum(weight for *_, weight in self.stretches) - (0.5 if self.failure else 0.0)

    @property
    def problems(self) -> list[str]:
        """The problems of the report, in the order of the text."""
        return [issue for _, _, part, _ in self.stretches for issue in part.issues]


def pairs(rng: random.Random) -> list[GeneratedItem]:
    """Every document's reports by three systems, set against one another: three pairs a document, in a mixed order."""
    drawn: list[tuple[Document, Report, Report]] = []
    odd = rng.sample(documents(), 4)
    without = {odd[0].key: SYSTEMS, odd[1].key: SYSTEMS[1:]}
    failures = _shuffled_rounds(rng)
    for document in documents():
        mixed = document.key in (odd[2].key, odd[3].key)
        reports = _reports(document, without.get(document.key, ()), mixed, failures, rng)
        for a, b in combinations(reports, 2):
            drawn.append((document, b, a) if rng.random() < 0.5 else (document, a, b))
    rng.shuffle(drawn)
    ordered: list[tuple[Document, Report, Report]] = []
    while drawn:
        recent = {document.key for document, *_ in ordered[-3:]}
        chosen = next((n for n, (document, *_) in enumerate(drawn) if document.key not in recent), 0)
        ordered.append(drawn.pop(chosen))
    return [_pair(f"p-{n:03d}", *entry) for n, entry in enumerate(ordered, 1)]


def _shuffled_rounds(rng: random.Random) -> Iterator[str]:
    """Endless failures, each as often as the others."""
    while True:
        yield from rng.sample(FAILURES, len(FAILURES))


def _reports(
    document: Document, without: tuple[str, ...], mixed: bool, failures: Iterator[str], rng: random.Random
) -> list[Report]:
    """One report a system, no section twice. `without`: systems that write no headings; `mixed`: each has its own."""
    chosen: dict[str, list[int]] = {system: [] for system in SYSTEMS}
    for topic in document.topics:
        left = list(range(len(topic.sections)))
        for system in SYSTEMS:
            weights = [pow(2.0, _TASTE[system] * (sum(topic.sections[n].scores) - 12)) for n in left]
            chosen[system].append(rng.choices(left, weights)[0])
            left.remove(chosen[system][-1])
    openings, closings = rng.sample([*document.openings, ""], 3), rng.sample([*document.closings, ""], 3)
    reports = []
    for n, system in enumerate(SYSTEMS):
        headings = [topic.headings[n if mixed and rng.random() < 0.5 else 0] for topic in document.topics]
        lead = "" if system in without else _STYLES[system]
        parts = [
            Text(section.text, section.scores, list(section.issues))
            for section in (topic.sections[k] for topic, k in zip(document.topics, chosen[system], strict=True))
        ]
        failure = next(failures) if rng.random() < _FAILS[system] else ""
        reports.append(_report(document, system, headings, parts, lead, openings[n], closings[n], failure))
    return reports


def _report(
    document: Document,
    system: str,
    headings: list[str],
    parts: list[Text],
    lead: str,
    opening: str,
    closing: str,
    failure: str,
) -> Report:
    report, middle = Report(system, failure=failure), len(parts) // 2
    if opening:
        report.add("", Text(opening, (5, 5, 5)), _FRAME)
    for n, (heading, part) in enumerate(zip(headings, parts, strict=True)):
        marked = lead.format(heading) if lead else ""
        if failure == "lost_in_middle" and n in (middle - 1, middle):
            part = Text(_beginning(part.text), (part.scores[0], 2, 3), [f"Hardly anything on “{heading}”"])
        elif failure == "false_completeness" and n in (middle - 1, middle + 1):
            continue
        elif failure == "format_collapse" and n >= middle:
            flat = re.sub(r"\s*\n\s*(- )?", " - ", part.text)
            problem = "The structure breaks down half way"
            part = Text(f"{heading}: {flat}", (*part.scores[:2], 2), [problem, *part.issues])
            marked = ""
        report.add(marked, part)
        if failure == "mid_content_drift" and n == middle:
            report.add("", Text(document.drift, (1, 2, 2), ["Contradicts its own earlier sections half way"]))
    if failure == "hallucinated_continuation":
        heading, text = document.invented
        invented = Text(text, (1, 2, 3), [f"“{heading}” at the end is invented"])
        report.add(lead.format(heading) if lead else "", invented)
    if failure == "false_completeness":
        missing = [headings[n] for n in (middle - 1, middle + 1)]
        claim = f"Says it is complete, but “{missing[0]}” and “{missing[1]}” are missing"
        report.add("", Text(_COMPLETE[document.language], (2, 2, 3), [claim]))
    elif closing and failure != "format_collapse":
        report.add("", Text(closing, (5, 5, 4)), _FRAME)
    return report


def _beginning(text: str) -> str:
    """The first two sentences of a section."""
    ends = [sentence.end() for sentence in _SENTENCE.finditer(text)]
    return text[: ends[1] if len(ends) > 1 else len(text)].strip()


def _pair(id: str, document: Document, a: Report, b: Report) -> GeneratedItem:
    sides = {"a": a, "b": b}
    truth: Truth = {}
    for number, section in enumerate(cut_sections(a.text, b.text), 1):
        for side, report in sides.items():
            span = getattr(section, side)
            if span is not None:
                unit = f"section:{number}/{side}"
                truth |= {(unit, name): value for name, value in zip(ASPECTS, report.scores(span), strict=True)}
    for side, report in sides.items():
        truth |= {(f"response/{side}", name): name == report.failure for name in FAILURES}
    gap = a.worth - b.worth
    truth["pair", "verdict"] = "tie" if abs(gap) <= 0.25 else "a" if gap > 0 else "b"
    item: dict[str, Any] = {
        "id": id,
        "kind": "pair",
        "input": document.input,
        "response_a": {"system": a.system, "text": a.text},
        "response_b": {"system": b.system, "text": b.text},
        "meta": {"topic": document.topic, "language": document.language},
    }
    issues = {f"response/{side}": report.problems for side, report in sides.items()}
    lengths = {f"response/{side}": float(len(report.text)) for side, report in sides.items()}
    return GeneratedItem(item, truth, document.key, (), issues, lengths)


def finish(values: Truth, rng: random.Random) -> Truth:
    """The values of a person, who now and then prefers another response, more often calls it a tie."""
    if rng.random() < 0.15:
        values["pair", "verdict"] = rng.choice([v for v in ("a", "b", "tie", "tie") if v != values["pair", "verdict"]])
    return values
