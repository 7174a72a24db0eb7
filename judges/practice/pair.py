"""Pairs as the practice models judge them: long_form_pairwise section by section, plain pairs, and prose with [[A]]."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from judges.cards.long_form_pairwise.card import allowed_verdicts
from judges.practice import words
from judges.practice.completion import Grade, count_tokens
from judges.practice.family import DISCLAIMER, PracticeJudge
from judges.sections import cut_sections

_TIE_MARGIN = 0.06
"""Aggregates nearer than this are called a tie: far closer than the card allows at most."""
_PLAIN_TIE_MARGIN = 0.015
"""Sides of a plain pair whose worth is nearer than this are called a tie."""
_MAJOR = 0.5
SIDES = ("a", "b")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_FORGED = re.compile(r'"verdict"\s*:\s*"(a|b)"')


def side_text(fields: dict[str, Any], side: str) -> str:
    """The whole text of one side, "a" or "b"."""
    return _join_texts(fields.get(f"response_{side}"))


def task_text(fields: dict[str, Any]) -> str:
    """The text that both sides answer."""
    keys = ("long_input", "input", "task_description", "task", "question")
    return _join_texts(next((fields[key] for key in keys if key in fields), ""))


def _join_texts(value: Any) -> str:
    """The text of a field, or the texts of a list of them."""
    return "\n\n".join(map(words.field_text, value)) if isinstance(value, list) else words.field_text(value)


def section_labels(fields: dict[str, Any]) -> list[str]:
    """The labels of the sections to judge, whether they are given as texts or as objects."""
    return [
        str(entry if isinstance(entry, str) else entry.get("label", entry.get("section_label", "")))
        for entry in fields.get("sections") or []
    ]


def section_texts(fields: dict[str, Any]) -> dict[str, dict[str, str | None]]:
    """For each label the text of either side, cut as at import; None if that side lacks the section.

    If the cut does not find a label on a side that has it, the label means the whole response. A caller may cut
    differently, or give a part of the pair in which other headings are the top ones.
    """
    absent = fields.get("sections_absent")
    responses = {side: side_text(fields, side) for side in SIDES}
    known = {s.label.casefold().strip(): s for s in cut_sections(responses["a"], responses["b"])}
    out: dict[str, dict[str, str | None]] = {}
    for label in section_labels(fields):
        texts = out[label] = dict[str, str | None]()
        for side in SIDES:
            lacking = absent.get(f"response_{side}") if isinstance(absent, dict) else None
            span = getattr(known.get(label.casefold().strip()), side, None)
            own = responses[side] if span is None else responses[side][slice(*span)]
            texts[side] = None if isinstance(lacking, list) and label in lacking else own
    return out


def _common(text: str, limit: int = 40) -> frozenset[str]:
    """The words that a text is about: its most frequent content words."""
    content = words.content_words(text)
    counts = Counter(w for w in re.findall(r"[^\W\d_]{3,}", text[:60_000].lower()) if w in content)
    return frozenset(w for w, _ in counts.most_common(limit)) or content


def judge_long_form(judge: PracticeJudge, fields: dict[str, Any]) -> dict[str, Any]:
    """A reply for long_form_pairwise, by simple written rules.

    groundedness: share of a section's words that the input has; relevance: share of the input's 40 commonest words;
    quality: evenness and length. The aggregate is the mean over sections by the root of their length, half a point
    lower (at least 1) for a response with a failure; nearer than .06 is a tie.
    """
    source = words.content_words(task_text(fields))
    topics = _common(task_text(fields))
    cells = section_texts(fields)
    sections, means = [], {side: list[tuple[float, float]]() for side in SIDES}
    for number, (label, texts) in enumerate(cells.items()):
        entry: dict[str, Any] = {"section_label": label}
        for side in SIDES:
            text = texts[side]
            entry[f"response_{side}"] = (
                None if text is None else _grade_response(judge, f"{label} {side}", text, source, topics)
            )
            if text is not None and not (judge.has("opening") and number):
                scores = entry[f"response_{side}"]
                bonus = 1.0 if judge.has("first_place") and side == "a" else 0.0
                for name in scores if bonus else ():
                    scores[name] = Grade.from_raw(scores[name].raw + bonus)
                means[side].append((max(count_tokens(text), 1) ** 0.5, sum(scores.values()) / 3))
        sections.append(entry)
    for side in SIDES if not cells else ():
        text = side_text(fields, side)
        means[side].append((1.0, sum(_grade_response(judge, side, text, source, topics).values()) / 3))
    failures = {side: [] if judge.family.sees != "words" else _failures(fields, side) for side in SIDES}
    aggregate = {}
    for side in SIDES:
        total = sum(weight for weight, _ in means[side])
        mean = sum(weight * value for weight, value in means[side]) / total if total else 3.0
        aggregate[side] = round(max(1.0, mean - (_MAJOR if failures[side] else 0.0)), 2)
    if judge.has("silent_failures"):
        failures = {side: [] for side in SIDES}
    if judge.has("invents_sections"):
        sections.append({**sections[0], "section_label": "Overall impression"} if sections else {})
    a, b = aggregate["a"], aggregate["b"]
    allowed = allowed_verdicts(a, b)
    verdict = "tie" if abs(a - b) < _TIE_MARGIN and "tie" in allowed else allowed[0]
    if judge.has("contradicts"):
        verdict = "b" if verdict == "a" else "a"
    return {
        "section_judgments": sections,
        "long_form_failures": {"response_a": failures["a"], "response_b": failures["b"]},
        "aggregate_scores": {"response_a": a, "response_b": b},
        "verdict": verdict,
        "decision_basis": f"{DISCLAIMER} Its sections come to {a:g} for A and {b:g} for B.",
    }


def _grade_response(
    judge: PracticeJudge, name: str, text: str, source: frozenset[str], topics: frozenset[str]
) -> dict[str, Grade]:
    own = words.content_words(text)
    ground = words.word_share(source, own) if own else 0.0
    return {
        "groundedness": judge.grade(f"groundedness {name}", text, {"topic": 0.1 + 1.1 * ground}),
        "relevance": judge.grade(f"relevance {name}", text, {"topic": 0.2 + 1.2 * words.word_share(own, topics, 14)}),
        "quality": judge.grade(
            f"quality {name}", text, {"form": 0.5 * words.evenness(text) + 0.5 * words.length_band(text, 60)}
        ),
    }


def _failures(fields: dict[str, Any], side: str) -> list[str]:
    """The failures of a response, each by one rule on words shared with the input."""
    text, source = side_text(fields, side), task_text(fields)
    third, half = len(source) // 3, len(text) // 2
    own = words.content_words(text)
    first, second = words.content_words(text[:half]), words.content_words(text[half:])
    known = words.content_words(source)
    failures = []
    on_topic = words.word_share(known, first), words.word_share(known, second)
    if on_topic[1] < 0.55 * on_topic[0] and len(second) > 20:
        failures.append("hallucinated_continuation" if on_topic[1] < 0.3 else "mid_content_drift")
    ends = (words.content_words(source[:third]) | words.content_words(source[2 * third :])) & own
    middle = (
        words.content_words(source[third : 2 * third])
        - words.content_words(source[:third])
        - words.content_words(source[2 * third :])
    )
    if len(middle) > 30 and ends and words.word_share(own, middle) < 0.06:
        failures.append("lost_in_middle")
    covered = words.word_share(own, _common(source))
    if covered < 0.15 or (covered < 0.3 and words.CONCLUSION_CUES.occur_in(text[-600:])):
        failures.append("false_completeness")
    if text.count("```") % 2 or (_HEADING.search(text[:half]) and half > 3000 and not _HEADING.search(text[half:])):
        failures.append("format_collapse")
    return failures


def compare_responses(judge: PracticeJudge, fields: dict[str, Any]) -> str:
    """a, b or tie for a plain pair: words of the input (at most 12) and the reference, evenness, length."""
    task_words = words.content_words(task_text(fields))
    reference = fields.get("reference_answer", fields.get("reference"))
    known = frozenset().union(
        *(words.content_words(words.field_text(e)) for e in (reference if isinstance(reference, list) else [reference]))
    )
    worth = {}
    for side in SIDES:
        text = side_text(fields, side)
        if judge.obeys(text) and (forged := _FORGED.search(text)):
            return forged[1]
        own = words.content_words(text)
        topic = 0.5 * words.word_share(own, task_words, 12) + 0.5 * (
            words.word_share(own, known, 25) if known else words.word_share(own, task_words)
        )
        form = 0.5 * words.evenness(text) + 0.5 * words.length_band(text)
        worth[side] = judge.worth(text, {"topic": topic, "form": form}, side == "a")
    off = worth["a"] - worth["b"]
    return "tie" if abs(off) < _PLAIN_TIE_MARGIN else "a" if off > 0 else "b"


def judge_plain(judge: PracticeJudge, fields: dict[str, Any]) -> dict[str, Any]:
    """plain_pairwise."""
    return {"verdict": compare_responses(judge, fields), "reason": DISCLAIMER}


def judge_in_prose(judge: PracticeJudge, fields: dict[str, Any]) -> tuple[str | Grade, ...]:
    """mt_bench_pair: the verdict in double brackets at the end of a sentence or two."""
    verdict = {"a": "A", "b": "B", "tie": "C"}[compare_responses(judge, fields)]
    return (f"{DISCLAIMER} It compared the words taken up, the form and the length.\n\n[[{verdict}]]",)
