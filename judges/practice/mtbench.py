"""MT-Bench at the practice endpoint: questions get an answer, and prompts that hold what is judged get a judgment.

Both come without our fence: the questions unchanged, the judge's prompts in the wording of a judge_prompts.jsonl.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judges.practice import pair, response, words
from judges.practice.completion import Reply
from judges.practice.family import DISCLAIMER, PracticeJudge, draw_chance

_BLOCK = re.compile(
    r"^(?:\[|<\|)The Start of ([^\]|\n]{1,80})(?:\]|\|>)\n(.*?)\n?^(?:\[|<\|)The End of \1(?:\]|\|>)",
    re.MULTILINE | re.DOTALL,
)
_SPEAKER = re.compile(r"^#{2,3} (User|Assistant|Reference)[^:\n]{0,20}:\n", re.MULTILINE)
_ASKS = re.compile(r"^\[(?:User )?Question\]\n", re.MULTILINE)
_RATES, _COMPARES = re.compile(r"\[\[(?:rating|\d|n)\]\]"), ("[[A]]", "[[B]]")
_KANA, _HANGUL, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\uac00-\ud7af]"), re.compile(r"[\u4e00-\u9fff]")
_SENTENCES = json.loads(Path(__file__).with_name("sentences.json").read_text(encoding="utf-8"))
"""The parts of an answer, by language: sentences around words of the question."""
_TOPIC = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u4e00-\u9fff]{2,}|[\uac00-\ud7af]{2,}|[A-Za-z]{4,}|\d{2,}")
_MAX_READ_CHARACTERS = 2_000
_THINKING_SHARE = 0.3
"""The share of its answers before which practice-second thinks aloud."""


def reply_without_fence(judge: PracticeJudge, messages: Sequence[Mapping[str, Any]], text: str) -> Reply:
    """The reply to messages without a fence: a judgment where they ask for one in brackets, else an answer."""
    content = "\n".join(str(message.get("content", "")) for message in messages if message.get("role") != "assistant")
    if all(mark in content for mark in _COMPARES):
        return pair.judge_in_prose(judge, _fields_of_prompt(text))
    if _RATES.search(content):
        return response.rate_in_prose(judge, _fields_of_prompt(text))
    return (answer_question(judge, text),)


def answer_question(judge: PracticeJudge, question: str) -> str:
    """An answer in the question's language, made of its own words: the same for the same seed, call and attempt."""

    def draw(purpose: str) -> float:
        attempt = judge.attempt if judge.temperature else 0
        return draw_chance(judge.seed if judge.temperature else 0, f"{judge.family.name} {judge.key}", attempt, purpose)

    topics = [
        word
        for word in dict.fromkeys(_TOPIC.findall(question[:_MAX_READ_CHARACTERS]))
        if word.lower() not in words.COMMON
    ]
    topics = topics or [question.strip()[:20] or "this"]
    scripts = (("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN))
    lines = _SENTENCES[next((language for language, letters in scripts if letters.search(question)), "en")]
    number = {"length": 40, "nothing": 2}.get(judge.family.sees, 3 + int(6 * draw("length")))
    parts = []
    for n in range(number):
        a, b, c = (topics[int(draw(f"{n} {slot}") * len(topics))] for slot in "abc")
        parts.append(lines[n % len(lines)].format(a=a, b=b, c=c))
    answer = f"{' '.join(parts)}\n\n({DISCLAIMER})"
    return (
        f"<think>\n{parts[0]}\n</think>\n\n{answer}"
        if judge.family.kindness and draw("think") < _THINKING_SHARE
        else answer
    )


def _fields_of_prompt(text: str) -> dict[str, Any]:
    """The fields that our own cards would show, by the prompt's marks; without marks, the whole prompt as an answer."""
    blocks = [(match[1].lower(), match[2]) for match in _BLOCK.finditer(text)]
    first = _BLOCK.search(text)
    shown: dict[str, Any] = {"question": _ASKS.split(text[: first.start() if first else 0])[-1], "answer": text}
    references = [content for name, content in blocks if "reference" in name]
    sides = [content for name, content in blocks if "reference" not in name]
    if references:
        shown["reference_answer"] = "\n".join(references)
    if len(sides) > 1:
        return shown | {"input": shown["question"], "response_a": {"text": sides[0]}, "response_b": {"text": sides[1]}}
    if sides:
        shown["answer"] = sides[0]
        if entries := _entries(sides[0]):
            return shown | {"dialogue": entries, "judged_turn": entries[-1]["turn"]}
    return shown


def _entries(conversation: str) -> list[dict[str, Any]]:
    """The entries of a conversation whose headings name the speakers."""
    parts = _SPEAKER.split(conversation)[1:]
    entries, turn = list[dict[str, Any]](), 0
    for speaker, utterance in zip(parts[::2], parts[1::2], strict=True):
        turn += speaker == "User"
        entries.append({"turn": max(turn, 1), "role": speaker.lower(), "text": utterance.strip()})
    return entries
