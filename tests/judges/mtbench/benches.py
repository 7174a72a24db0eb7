"""Small benches for tests: ratings as short rows, and a reader of FastChat's files as plain as can be."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from judges.mtbench.records import Answer, Bench, BenchQuestion, Judge, Rating

CATEGORIES = ("writing", "math")


def bench(rows: Iterable[tuple[object, ...]], categories: dict[str, str] | None = None) -> Bench:
    """A bench of rows (judge, question, model, turn, rating or text or None, choice = 0, sample = 0)."""
    ratings = []
    for row in rows:
        judge, question, model, turn, verdict, *rest = row
        choice, sample = (*map(int, map(str, rest)), 0, 0)[:2]
        text = verdict if isinstance(verdict, str) else "no verdict" if verdict is None else f"So: [[{verdict}]]"
        ratings.append(Rating(str(judge), str(question), str(model), choice, int(str(turn)), sample, text, None))
    names = dict.fromkeys(rating.question for rating in ratings)
    questions = {n: BenchQuestion(n, (categories or {}).get(n, CATEGORIES[0]), ("first", "second")) for n in names}
    judges = {rating.judge: Judge(rating.judge, rating.judge, "single-v1", "") for rating in ratings}
    return Bench(questions=questions, ratings=tuple(ratings), judges=judges)


def real_bench(folder: Path) -> Bench:
    """FastChat's directory of single ratings as a bench."""

    def rows(pattern: str) -> list[dict[str, object]]:
        lines = [line for file in sorted(folder.glob(pattern)) for line in file.read_text("utf-8").splitlines()]
        return [json.loads(line) for line in lines if line.strip()]

    questions = {
        str(row["question_id"]): BenchQuestion(str(row["question_id"]), str(row["category"]), tuple(row["turns"]))  # type: ignore[arg-type]
        for row in rows("question.jsonl")
    }
    answers = [
        Answer(str(row["question_id"]), str(row["model_id"]), choice["index"], tuple(choice["turns"]))
        for row in rows("model_answer/*.jsonl") for choice in row["choices"]  # type: ignore[attr-defined]
    ]  # fmt: skip
    ratings = [
        Rating(
            row["judge"][0], str(row["question_id"]), str(row["model"]), 0, int(str(row["turn"])), 0,  # type: ignore[index]
            str(row["judgment"]), float(str(row["score"])),
        )
        for row in rows("model_judgment/*_single.jsonl")
    ]  # fmt: skip
    judges = {rating.judge: Judge(rating.judge, rating.judge, "single-v1", "") for rating in ratings}
    by_key = {(answer.question, answer.model, answer.choice): answer for answer in answers}
    return Bench(questions=questions, answers=by_key, ratings=tuple(ratings), judges=judges)
