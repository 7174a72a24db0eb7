"""MT-Bench's records written as FastChat's files: FastChat's tools read them, and a re-import is lossless.

We add keys where FastChat has none: `choice` of a judgment where an answer has several, `wording` and `protocol` of its
judge, `continues` and `cut_at` of a choice.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from judges.errors import AssayError
from judges.mtbench import parsing
from judges.mtbench.prompts import family_name, wording
from judges.mtbench.records import WITH_REFERENCE, Answer, Bench, Game, Judge, PromptText, Rating, Winner, match_orders
from judges.mtbench.rows import INCONSISTENT
from judges.protocols.messages import fill
from judges.strict_json import canonical
from judges.whole_file import whole_folder

_MAX_NAME_BYTES = 180
"""Bytes of a name that a file is called by, so that its number and its ending have room in what systems allow."""
_UNSAFE = re.compile(r"[^\w.+=@ -]")
_TSTAMP = 0.0
"""Records have no time, and FastChat's rows need one."""


def write_fastchat(bench: Bench, folder: Path) -> list[Path]:
    """Write the records into a folder, which must be new or empty; gives the files. Raises AssayError, OSError.

    The folder gets its name when all of it is written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AssayError(f"{folder} is there already, and not an empty folder. Give another one.")
    files = fastchat_files(bench)
    with whole_folder(folder) as part:
        for name, rows in files.items():
            path = part / name
            path.parent.mkdir(exist_ok=True)
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return [folder / name for name in files]


def fastchat_files(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    """The rows of every file by its name: question.jsonl, model_answer/MODEL.jsonl and so on; files without rows lack.
    """
    files: dict[str, list[dict[str, Any]]] = {"question.jsonl": [*_questions(bench)]}
    files |= _by_name("model_answer", _answers(bench))
    files |= _by_name("reference_answer", _references(bench))
    files |= _prompts(bench.prompts)
    files |= _by_name("model_judgment", _ratings(bench), "_single")
    files |= _by_name("model_judgment", _games(bench), "_pair")
    files["votes.jsonl"] = [*_votes(bench)]
    return {name: rows for name, rows in files.items() if rows}


def _by_name(folder: str, rows: Mapping[str, list[dict[str, Any]]], ends: str = "") -> dict[str, list[dict[str, Any]]]:
    """The rows of each name as a separate file, with / written as __; names that would give the same file get a number.

    A long name is cut; the rows contain it in full.
    """
    files: dict[str, list[dict[str, Any]]] = {}
    for name, file_rows in rows.items():
        stem = _UNSAFE.sub("_", name.replace("/", "__")).encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
        stem = stem.strip(". ") or "unnamed"
        path, n = f"{folder}/{stem}{ends}.jsonl", 1
        while path in files:
            n += 1
            path = f"{folder}/{stem}-{n}{ends}.jsonl"
        files[path] = file_rows
    return files


def _number(question: str) -> int | str:
    """A question's id as FastChat's files have it: a number where it is one."""
    return int(question) if question.isdecimal() and str(int(question)) == question else question


def _questions(bench: Bench) -> Iterator[dict[str, Any]]:
    for question in bench.questions.values():
        row: dict[str, Any] = {
            "question_id": _number(question.id), "category": question.category, "turns": list(question.turns),
        }  # fmt: skip
        row |= {"reference": list(question.reference)} if question.reference else {}
        yield row | ({} if question.temperature is None else {"required_temperature": question.temperature})


def _answers(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    answers_by_key: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in bench.answers.values():
        answers_by_key[answer.model, answer.question].append(answer)
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for (model, question), choices in answers_by_key.items():
        choice_rows = []
        for choice in choices:
            facts = {"continues": choice.continues, "cut_at": choice.cut_at or None}
            known_facts = {name: value for name, value in facts.items() if value is not None}
            choice_rows.append({"index": choice.choice, "turns": list(choice.turns), **known_facts})
        files[model].append(_answer(question, model, choice_rows))
    return files


def _answer(question: str, model: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    digest = wording(canonical([question, model, choices]))
    return {
        "question_id": _number(question), "answer_id": digest, "model_id": model, "choices": choices, "tstamp": _TSTAMP
    }  # fmt: skip


def _references(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    return {
        judge: [_answer(question, judge, [{"index": 0, "turns": list(turns)}]) for question, turns in answers.items()]
        for judge, answers in bench.references.items()
    }


def _prompts(prompts: Iterable[PromptText]) -> dict[str, list[dict[str, Any]]]:
    """The prompts; where a name has several texts, as FastChat takes the last of a file, each in a file of its own."""
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    met: dict[str, int] = defaultdict(int)
    for prompt in prompts:
        met[prompt.name] += 1
        end = "" if met[prompt.name] == 1 else f"_{met[prompt.name]}"
        files[f"judge_prompts{end}.jsonl"].append({
            "name": prompt.name, "type": prompt.type, "system_prompt": prompt.system,
            "prompt_template": prompt.template, "description": "",
            "category": "math" if "-math" in prompt.name else "general",
            "output_format": "[[A]]" if prompt.type == "pairwise" else "[[rating]]",
        })  # fmt: skip
    return files


def _judge(bench: Bench, judge: Judge, question: str, turn: int) -> dict[str, Any]:
    """The judge of a row: its model and the name of the prompt for such a turn."""
    fields: dict[str, Any] = {"judge": judge.model}
    if judge.prompt:
        fields["judge"] = [judge.model, _prompt_name(bench, judge, question, turn)]
    if judge.wording or bench.prompts:
        fields["wording"] = judge.wording
    return fields | ({"protocol": judge.protocol} if judge.protocol != "fastchat" else {})


def _prompt_name(bench: Bench, judge: Judge, question: str, turn: int) -> str:
    """The name of the prompt of a judge's family for a turn of a question, as FastChat chooses it."""
    record = bench.questions.get(question)
    shown = question in bench.references.get(judge.model, next(iter(bench.references.values()), {}))
    math = record is not None and record.category in WITH_REFERENCE and (shown or bool(record.reference))
    name = judge.prompt
    if math:
        math_name = "pair-math-v1" if name == "pair-v2" else re.sub(r"^([^-]+)", r"\1-math", name)
        name = math_name if family_name(math_name) == name else name
    return f"{name}-multi-turn" if turn > 1 and family_name(f"{name}-multi-turn") == judge.prompt else name


def _ratings(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    choices = Counter((answer.question, answer.model) for answer in bench.answers.values())
    for rating in bench.ratings:
        judge = bench.judges[rating.judge]
        fields = _judge(bench, judge, rating.question, rating.turn)
        has_several = choices[rating.question, rating.model] > 1
        files[judge.model].append({
            "question_id": _number(rating.question), "model": rating.model, "judge": fields.pop("judge"),
            "user_prompt": _prompt_of(bench, judge, rating),
            "judgment": rating.text or (parsing.ERROR if rating.error else ""),
            "score": _score(rating), "turn": rating.turn, "tstamp": _TSTAMP,
            **({"choice": rating.choice} if rating.choice or has_several else {}), **fields,
        })  # fmt: skip
    return files


def _score(judgment: Rating) -> float | int:
    """The number of a judgment: what its file stated, else what its text says, else FastChat's -1."""
    rating = judgment.stated
    if rating is None:
        rating = parsing.rating(judgment.text) if judgment.text.strip() else None
    number = -1.0 if rating is None else rating
    return int(number) if number.is_integer() else number


def _prompt_of(bench: Bench, judge: Judge, rating: Rating) -> str:
    """The prompt that such a judge is sent, where its template is known; "" else."""
    question = bench.questions.get(rating.question)
    answer = bench.answers.get((rating.question, rating.model, rating.choice))
    base = next((p for p in bench.prompts if p.name == judge.prompt and wording(p.template) == judge.wording), None)
    if question is None or answer is None or base is None:
        return ""
    if rating.turn > min(2, len(question.turns), len(answer.turns)):
        return ""
    name = _prompt_name(bench, judge, rating.question, rating.turn)
    texts = [p.template for p in bench.prompts if p.name == name]
    if len(texts) != 1 and name != judge.prompt:
        return ""
    template = base.template if name == judge.prompt else texts[0]
    references = bench.references.get(judge.model, next(iter(bench.references.values()), {})).get(rating.question)
    shown = references or question.reference
    fields = {"question": question.turns[0], "answer": answer.turns[0]}
    for n in range(1, rating.turn + 1):
        fields |= {f"question_{n}": question.turns[n - 1], f"answer_{n}": answer.turns[n - 1]}
        fields |= {f"ref_answer_{n}": shown[n - 1]} if len(shown) >= n else {}
    return fill(template, fields)


def _games(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    """The verdicts: both orders of a pair in one row, model_1 first in its first game."""
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for match in match_orders(bench.games):
        game, *others = (bench.games[n] for n in match)
        judge = bench.judges[game.judge]
        first, second = (game.b, game.a) if game.order == "ba" else (game.a, game.b)
        fields = _judge(bench, judge, game.question, game.turn)
        row = {"question_id": _number(game.question), "model_1": first, "model_2": second, "judge": fields.pop("judge")}
        row |= {"turn": game.turn, "tstamp": _TSTAMP, **fields}
        if game.order:
            for number, of_order in enumerate((game, *others), 1):
                row |= _game_columns(of_order, number, first)
        else:
            disagree = game.text == INCONSISTENT
            row["winner"] = "tie (inconsistent)" if disagree else _winner_column(game.winner, first == game.a)
            row |= {"judgment": game.text} if game.text and not disagree else {}
        files[judge.model].append(row)
    return files


def _game_columns(game: Game, number: int, first: str) -> dict[str, Any]:
    winner = _winner_column(game.winner, first == game.a)
    return {f"g{number}_winner": winner, f"g{number}_user_prompt": "", f"g{number}_judgment": game.text}


def _winner_column(winner: Winner, a_first: bool) -> str:
    """A winner as the pair's model_1 or model_2; "" is an error."""
    first, second = ("model_1", "model_2") if a_first else ("model_2", "model_1")
    return {"a": first, "b": second, "tie": "tie"}.get(winner, "error")


def _votes(bench: Bench) -> Iterator[dict[str, Any]]:
    places = {"a": "model_a", "b": "model_b"}
    for vote in bench.votes:
        row = {"question_id": _number(vote.question), "turn": vote.turn, "model_a": vote.a, "model_b": vote.b}
        row |= {"winner": places.get(vote.winner, "tie"), "judge": vote.voter}
        yield row | ({} if vote.at is None else {"tstamp": vote.at})
