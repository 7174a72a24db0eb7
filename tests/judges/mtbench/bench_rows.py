"""Rows of MT-Bench's files by hand, as the tests of reading and writing them need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judges.jsonl import Record
from judges.mtbench.assembly import AssembledBench, BenchFile, assemble
from judges.mtbench.rows import role_of

QUESTIONS: list[dict[str, Any]] = [
    {"question_id": 81, "category": "writing", "turns": ["Write a poem about rain.", "Make it shorter, please."]},
    {"question_id": "82", "category": "math", "turns": ["What is 17 times 3?", "And 17 times 4?"]},
]
SINGLE = "[Instruction]\nJudge the answer, and say Rating: [[5]].\n\n[Question]\n{question}\n\n[Answer]\n{answer}\n"
OTHER_TEXT = SINGLE.replace("Judge the answer", "Judge the answer, and its language")
MATH = SINGLE.replace("[Answer]", "[Reference]\n{ref_answer_1}\n\n[Answer]")
MULTI = "### User:\n{question_1}\n\n### A:\n{answer_1}\n\n### User:\n{question_2}\n\n### A:\n{answer_2}\n<end>"
TEXTS = {
    "81": ("Rain falls softly on the town.", "Rain, softly."),
    "82": ("It is fifty-one.", "It is sixty-eight."),
}


def answer(question: Any, model: str, *choices: Sequence[str], **more: Any) -> dict[str, Any]:
    """A line of model_answer; without choices it has the texts of TEXTS."""
    texts = choices or (TEXTS[str(question)],)
    listed = [{"index": n, "turns": list(turns)} for n, turns in enumerate(texts)]
    return {"question_id": question, "answer_id": "x", "model_id": model, "choices": listed, "tstamp": 1.0, **more}


def fill_template(template: str, question: Any, turns: Sequence[str] = (), reference: str = "") -> str:
    """The prompt that a template makes of a question and the turns of its answer."""
    question_turns = next(row for row in QUESTIONS if str(row["question_id"]) == str(question))["turns"]
    answer_turns = turns or TEXTS[str(question)]
    return template.format(
        question=question_turns[0], answer=answer_turns[0], question_1=question_turns[0], answer_1=answer_turns[0],
        question_2=question_turns[-1], answer_2=answer_turns[-1], ref_answer_1=reference,
    )  # fmt: skip


def rating_row(question: Any = 81, turn: int = 1, score: Any = 8, **more: Any) -> dict[str, Any]:
    """A line of `<judge>_single`."""
    row = {"question_id": question, "model": "m/one", "judge": ["gpt-4", "single-v1"], "user_prompt": "", "turn": turn}
    return {**row, "judgment": f"Good. Rating: [[{score}]]", "score": score, "tstamp": 1.0, **more}


def read(**files: Sequence[Any]) -> AssembledBench:
    """Files as one set: names with __ for folders and without .jsonl, rows as they are; a text is a broken line."""
    bench_files = []
    for name, rows in files.items():
        path = name.replace("__", "/") + ".jsonl"
        lines = enumerate(rows, 1)
        records = [Record(n, {}, row, "is not JSON") if isinstance(row, str) else Record(n, row) for n, row in lines]
        role = next(role for row in rows if not isinstance(row, str) and (role := role_of(path, frozenset(row))))
        bench_files.append(BenchFile(path, role, records))
    return assemble(bench_files)
