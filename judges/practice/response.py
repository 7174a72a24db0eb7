"""Single outputs as the practice models judge them: rubric_open_ended, pointwise_quality, and prose ending in [[n]]."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from judges.practice import words
from judges.practice.completion import Grade
from judges.practice.family import DISCLAIMER, PracticeJudge, upper_middle

_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_LIST = re.compile(r"^\s*(?:[-*•・]|\d+[.)])\s", re.MULTILINE)
_WANTS_LIST = words.Cues("list", "bullet", "steps", "points", "箇条書き", "リスト", "列出", "步骤")
_WEIGHTS = {"high": 1.0, "medium": 0.5, "low": 0.25}
VERDICTS = ("poor", "borderline", "good", "excellent")
_VERDICT_LIMITS = (2.5, 3.5, 4.5)
HINTS: dict[str, tuple[str, ...]] = {
    "true": ("factual", "accura", "correct", "truth", "ground", "faithful", "honest", "正確", "事実", "准确", "真实"),
    "order": ("instruct", "follow", "format", "constraint", "relevan", "task", "help", "指示", "関連", "指令", "相关"),
    "whole": ("complet", "cover", "depth", "detail", "thorough", "網羅", "完全", "完整", "详"),
    "clear": (
        *("clear", "clarity", "coheren", "fluen", "concis", "structur", "read", "quality", "style", "明", "簡潔", "流"),
    ),
    "kind": ("safe", "polite", "tone", "empath", "respect", "harm", "bias", "丁寧", "安全", "礼貌", "语气"),
}
"""The question that a part of a dimension's name or definition hints at; without a hint, a little of everything."""


def observe_output(task: str, output: str, reference: str = "") -> dict[str, dict[str, float]]:
    """Return the model's observations of an output under each hint of HINTS, for grading.

    true: share of the reference's words (at most 25) and of its numbers; without a reference .7, less for hedges and
    numbers that the task does not have. order: share of the task's words (at most 10), a list where one is asked for.
    whole: share of task and reference, and length. clear: evenness and the length band. kind: no unsafe phrase.
    """
    own, task_words, known = words.content_words(output), words.content_words(task), words.content_words(reference)
    took = words.word_share(own, task_words, 10)
    vague = 0.25 if words.EVASION_CUES.occur_in(output) else 0.0
    if known:
        right, stated = set(_NUMBERS.findall(reference)), set(_NUMBERS.findall(output))
        truth = 0.3 + 0.7 * words.word_share(own, known, 25)
        wrong = 0.25 if right and not right & stated else 0.0
    else:
        strange = set(_NUMBERS.findall(output)) - set(_NUMBERS.findall(task))
        truth, wrong = 0.7, min(0.2, 0.03 * len(strange))
    listed = 0.2 if _WANTS_LIST.occur_in(task) and not _LIST.search(output) else 0.0
    even, shape = words.evenness(output), words.length_band(output)
    return {
        "true": {"topic": truth, "minus": wrong + vague / 2},
        "order": {"topic": 0.25 + 0.75 * took, "form": shape, "minus": listed + vague},
        "whole": {
            "topic": 0.2 + 0.5 * took + 0.4 * words.word_share(own, known, 25),
            "form": words.length_level(output, 15, 350),
        },
        "clear": {"form": 0.5 * even + 0.5 * shape, "topic": 0.5 + 0.5 * even},
        "kind": {"topic": 0.95, "minus": 0.6 if words.UNSAFE_CUES.occur_in(output) else 0.0},
        "": {"topic": 0.25 + 0.75 * took, "form": 0.5 * shape + 0.5 * even, "memory": truth, "minus": vague},
    }


def find_hint(name: str, definition: str = "") -> str:
    """Return the key of HINTS that a dimension's name, else its definition, hints at; "" for none."""
    for text in (name.casefold(), definition.casefold()):
        for hint, parts in HINTS.items():
            if any(part in text for part in parts):
                return hint
    return ""


def single_output(fields: dict[str, Any]) -> tuple[str, str, str]:
    """(task, output, reference) of the fields of a card on single outputs, the cards of conversations included."""
    dialogue = fields.get("dialogue")
    reference = fields.get("reference_answer", fields.get("reference", ""))
    known = reference if isinstance(reference, str) else "\n".join(_texts(reference))
    if isinstance(dialogue, list) and dialogue:
        turn = fields.get("judged_turn")
        own = [e for e in dialogue if e.get("role") == "assistant" and turn in (None, e.get("turn"))]
        output = words.field_text(own[-1]) if own else ""
        users = [e for e in dialogue if e.get("role") != "assistant"]
        return words.field_text(users[-1]) if users else "", output, known
    task = next(
        (words.field_text(fields[k]) for k in ("task_description", "task", "question", "input") if k in fields), ""
    )
    output = next(
        (words.field_text(fields[k]) for k in ("model_output", "output", "answer", "response") if k in fields), ""
    )
    return task, output, known


def _texts(value: Any) -> list[str]:
    """Every text inside a value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for element in inner for text in _texts(element)]


def judge_rubric(judge: PracticeJudge, fields: dict[str, Any]) -> dict[str, Any]:
    """rubric_open_ended. The verdict follows the mean: below 2.5 poor, 3.5 borderline, 4.5 good, else excellent."""
    task, output, reference = single_output(fields)
    saw = observe_output(task, output, reference)
    names = {"factuality": "true", "instruction_following": "order", "coherence": "clear", "completeness": "whole"}
    scores = {name: judge.grade(name, output, saw[hint]) for name, hint in names.items()}
    mean = sum(scores.values()) / len(scores)
    issues = [f"low {name.replace('_', ' ')} by the practice rule" for name, score in scores.items() if score <= 2]
    verdict = "excellent" if judge.has("contradicts") else VERDICTS[sum(mean >= limit for limit in _VERDICT_LIMITS)]
    return {"scores": scores, "verdict": verdict, "decision_basis": f"{DISCLAIMER} Mean {mean:.2f}.", "issues": issues}


def judge_pointwise(judge: PracticeJudge, fields: dict[str, Any]) -> dict[str, Any]:
    """pointwise_quality. Confidence: high where the unrounded value lies within .2 of the score, medium within .4.

    A dimension that no hint fits is a guess: low. The floors say medium, as they know nothing.
    """
    task, output, reference = single_output(fields)
    saw = observe_output(task, output, reference)
    entries: list[dict[str, Any]] = []
    for spec in fields.get("scoring_dimensions") or []:
        name, definition = (spec, "") if isinstance(spec, str) else (spec["name"], spec.get("definition") or "")
        hint = find_hint(name, definition)
        score = judge.grade(name, output, saw[hint])
        off = abs(score.raw - score)
        sure = "low" if not hint else "high" if off < 0.2 else "medium" if off < 0.4 else "low"
        if judge.family.sees != "words":
            sure = "medium"
        if judge.has("always_sure"):
            sure = "high"
        reason = f"Practice rule on {'everything' if not hint else hint + ' cues'}: {score.raw:.2f} before rounding."
        entries.append({"name": name, "score": score, "justification": reason, "confidence": sure})
    total = sum(_WEIGHTS[e["confidence"]] for e in entries) or 1.0
    overall = round(sum(_WEIGHTS[e["confidence"]] * e["score"] for e in entries) / total, 2)
    if judge.has("wrong_sum"):
        overall = round(overall - 0.5 if overall >= 3 else overall + 0.5, 2)
    return {
        "dimensions": entries,
        "overall_score": overall,
        "trustworthy_aggregate": 2 * sum(e["confidence"] != "low" for e in entries) > len(entries),
        "decision_basis": DISCLAIMER,
    }


def rate_in_prose(judge: PracticeJudge, fields: dict[str, Any]) -> tuple[str | Grade, ...]:
    """A rating of 1-10 in prose: truth, orders and clarity together; a later turn also by what it takes up again."""
    task, output, reference = single_output(fields)
    saw = observe_output(task, output, reference)
    level = {
        "topic": sum(saw[hint]["topic"] for hint in ("true", "order", "whole")) / 3,
        "form": saw["clear"]["form"],
        "minus": saw["order"]["minus"] / 2 + saw["true"]["minus"] / 2,
    }
    dialogue = fields.get("dialogue")
    texts = (words.field_text(entry) for entry in (dialogue if isinstance(dialogue, list) else [])[:-2])
    earlier = frozenset().union(*map(words.content_words, texts))
    if earlier:
        level["memory"] = 0.3 + 0.7 * words.word_share(words.content_words(output), earlier, 12)
    grade = judge.grade("rating", output, level, 1, 10)
    seen = f"the words taken up ({level['topic']:.2f} of 1) and the form ({level['form']:.2f} of 1)"
    text = f"{DISCLAIMER} It looked at {seen}."
    return (f"{text}\n\nRating: [[", grade, "]]")


def choose_grade(judge: PracticeJudge, names: Sequence[str], level: float) -> str:
    """One of some grades, listed from worst to best, or best to worst if the first one sounds good."""
    if judge.family.sees == "nothing":
        at = upper_middle(0, len(names) - 1)
    else:
        at = min(len(names) - 1, int(level * len(names)))
    best_first = bool(names) and names[0].casefold() in _GOOD
    return names[len(names) - 1 - at] if best_first else names[at]


_GOOD = frozenset("excellent best high good yes pass strong always great full correct safe".split())
