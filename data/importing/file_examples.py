"""A small example of each shape of file that an import reads: to look at, to copy, to begin with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileExample:
    """A shape of file: what it is called, what is to be known of it, and small files of it, by name."""

    title: str
    says: str
    files: dict[str, str]


def _lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_RESPONSE = {
    "id": "r1", "kind": "response", "task": "Explain what a kappa is.", "output": "Agreement beyond chance.",
    "reference": "", "system": "model-x", "meta": {"language": "en"},
}  # fmt: skip
_REPLY = {
    "scores": {"factuality": 4, "instruction_following": 5, "coherence": 5, "completeness": 3},
    "verdict": "good", "decision_basis": "Correct, but short.", "issues": [],
}  # fmt: skip
_ABOUT = {"item": "r1", "unit": "response", "dimension": "factuality"}
_DIALOGUE = {
    "id": "d1", "kind": "dialogue", "scenario": "A customer returns shoes.", "system": "model-x",
    "turns": [
        {"turn": 1, "role": "user", "text": "Can I return these?"},
        {"turn": 1, "role": "assistant", "text": "Yes, within 30 days."},
    ],
}  # fmt: skip
_PAIR = {
    "id": "p1", "kind": "pair", "input": "Summarise the report.",
    "response_a": {"system": "x", "text": "Sales rose."},
    "response_b": {"system": "y", "text": "Sales rose by 4 % in May."},
}  # fmt: skip
_CHAT = {
    "id": "c1",
    "messages": [
        {"role": "user", "content": "Can I return these?"},
        {"role": "assistant", "content": "Yes, within 30 days."},
    ],
}
_ANSWER = {
    "question_id": 81, "answer_id": "a1", "model_id": "model-x", "tstamp": 1700000000,
    "choices": [{"index": 0, "turns": ["古池や", "古池"]}],
}  # fmt: skip

FILE_EXAMPLES = (
    FileExample(
        "Table of scores",
        "A column of a judge and a column of a person are enough for kappa; texts and ids are kept if present.",
        {
            "scores.csv": "id,instruction,output,judge_score,human_score\n"
            "1,Greet the customer.,Hello! How can I help?,5,4\n"
            "2,Name the capital of Japan.,大阪です。,2,1\n"
            '3,"Add 2, 3 and 4.",9,5,5\n'
        },
    ),
    FileExample(
        "Single responses",
        "JSON lines. `reference` may be empty; `meta` holds whatever you want to slice by later.",
        {"responses.jsonl": _lines(_RESPONSE, {**_RESPONSE, "id": "r2", "output": "The share of answers that agree."})},
    ),
    FileExample(
        "Dialogues",
        "JSON lines. A user and an assistant entry share a turn number; a role may also be tool, with its name.",
        {"dialogues.jsonl": _lines(_DIALOGUE)},
    ),
    FileExample(
        "Pairs",
        "JSON lines. Two responses to one input; the input may also be turns, as a dialogue has them.",
        {"pairs.jsonl": _lines(_PAIR)},
    ),
    FileExample(
        "Judgments",
        "JSON lines about items in the same files or already in the dataset. `reply` is the card's JSON; `raw` takes a "
        "reply as it came, `scores` values without a reply.",
        {
            "judgments.jsonl": _lines(
                _RESPONSE,
                {"item": "r1", "card": "rubric_open_ended", "model": "gpt-4o", "params": {}, "reply": _REPLY},
            )
        },
    ),
    FileExample(
        "People's labels",
        "JSON lines about items in the same files or already in the dataset. `mode` is blind, assisted or revealed.",
        {
            "labels.jsonl": _lines(
                _RESPONSE,
                {**_ABOUT, "value": 4, "annotator": "ann", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"},
                {**_ABOUT, "value": 5, "annotator": "ben", "mode": "blind", "made_at": "2026-01-31T12:05:00Z"},
            )
        },
    ),
    FileExample(
        "Chats",
        "JSON lines with `messages`, as language models take them; a system message becomes the scenario.",
        {"chats.jsonl": _lines(_CHAT)},
    ),
    FileExample(
        "MT-Bench",
        "FastChat's files, uploaded together. A file of reference answers has `reference` in its name.",
        {
            "question.jsonl": _lines({"question_id": 81, "category": "writing", "turns": ["A haiku.", "Shorter."]}),
            "model-x.jsonl": _lines(_ANSWER),
        },
    ),
)
