"""The rows of FastChat's files in all the shapes that occur, converted to one shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from data.importing.lines import LineError
from judges.importing.jsonl import kind_of
from judges.protocols.orders import Order
from judges.strict_json import show_value

Role = Literal["question", "answer", "reference", "single", "pair", "vote", "prompt"]
_MACHINE = re.compile(
    r".*_(pair|single)|(gpt|claude|gemini|llama|qwen|mistral|mixtral|command|o\d|deepseek|judge|llm).*", re.IGNORECASE
)
_TURN = re.compile(r"turn[_-]?(\d)")


@dataclass(frozen=True)
class Rating:
    """One rating of one turn: the judgment's text and the file's own number; `sample` where several were drawn."""

    turn: int
    judgment: str
    score: float | None
    sample: int | None


@dataclass(frozen=True)
class Verdict:
    """Who won between two models whose names are in sorted order; `error` says why there is no verdict."""

    a: str
    b: str
    winner: Literal["a", "b", "tie", ""]
    reason: str = ""
    error: str = ""


@dataclass(frozen=True)
class Game:
    """A verdict in one order of a pair: "ab" where its first model in sorted order was first.

    `winner` is as the judge saw it: "a" is the one that was first.
    """

    order: Order
    winner: Literal["a", "b", "tie", ""]
    reason: str = ""
    error: str = ""


def role_of(name: str, keys: frozenset[str]) -> Role | None:
    """Which of FastChat's files an object with these keys comes from, if any."""
    if {"name", "prompt_template"} <= keys:
        return "prompt"
    if "question_id" not in keys:
        return None
    if "choices" in keys:
        return "reference" if "reference" in name.lower() else "answer"
    if {"model_1", "model_2"} <= keys:
        return "pair"
    if {"model_a", "model_b", "winner"} <= keys:
        return "vote"
    if keys & {"judgment", "score", "score_turn1"}:
        return "single"
    return "question" if "turns" in keys else None


def question_id(row: dict[str, Any]) -> str:
    """The question's id as text: 81 and "81" are the same question."""
    value = row.get("question_id")
    if isinstance(value, bool) or not isinstance(value, (int, str)) or not str(value).strip():
        raise LineError("question_id", f"question_id must be a number or a text (it is {show_value(value)}).")
    return str(value).strip()


def text_list(row: dict[str, Any], key: str, value: Any = None) -> list[str]:
    """A list of texts."""
    found = row.get(key) if value is None else value
    if not isinstance(found, list) or not found or not all(isinstance(text, str) for text in found):
        raise LineError(key, f"{key} must be a list of texts, one for each turn (it is {kind_of(found)}).")
    return found


def answer_turns(row: dict[str, Any]) -> list[str]:
    """The turns of an answer: those of the first choice, which is the one that is judged."""
    choices = row.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise LineError("choices", "choices must be a list with at least one answer.")
    return text_list(row, "choices.0.turns", choices[0].get("turns"))


def first_text(row: dict[str, Any], *keys: str) -> str:
    """The first of these keys that holds a text."""
    for key in keys:
        if isinstance(row.get(key), str) and row[key].strip():
            return str(row[key]).strip()
    raise LineError(keys[0], f"{keys[0]} must be a text (it is {show_value(row.get(keys[0]))}).")


def judge_model(row: dict[str, Any], name: str) -> str:
    """The model that judged: `judge` as [model, prompt] or as text, `judge_model`, or the name of the file."""
    value = row.get("judge", row.get("judge_model"))
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, str) and value.strip():
        return value.strip()
    stem, found, _ = PurePosixPath(name).stem.rpartition("_")
    if not found or not stem or PurePosixPath(name).stem.rpartition("_")[2] not in ("single", "pair"):
        raise LineError("judge", "The row names no judge: judge must be a model, or [model, prompt].")
    return stem


def is_person(row: dict[str, Any]) -> bool:
    """Whether a vote is a person's: its judge is a name such as expert_3, not a list and not a model."""
    value = row.get("judge")
    return isinstance(value, str) and not _MACHINE.fullmatch(value)


def voter_group(name: str) -> str:
    """The group that a voter belongs to: expert_3 is one of the experts."""
    group, found, number = name.rpartition("_")
    return group if found and number.isdigit() else ""


def read_ratings(row: dict[str, Any], name: str) -> list[Rating]:
    """The ratings of a row: one; one for each sample, where score or judgment is a list; or one for each turn."""
    split = [n for n in (1, 2, 3) if f"score_turn{n}" in row]
    if split:
        found = [_rating(n, row.get(f"judgment_turn{n}", ""), row[f"score_turn{n}"], None) for n in split]
        return [r for r in found if r.judgment or r.score != -1]
    turn = row.get("turn")
    if turn is None and (in_name := _TURN.search(name)):
        turn = int(in_name[1])
    if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= 1000:
        raise LineError("turn", f"turn must be a number from 1 (it is {show_value(turn)}).")
    judgments, scores = row.get("judgment", ""), row.get("score")
    if not isinstance(judgments, list) and not isinstance(scores, list):
        return [_rating(turn, judgments, scores, None)]
    count = max(len(held) for held in (judgments, scores) if isinstance(held, list))
    if any(isinstance(held, list) and len(held) != count for held in (judgments, scores)):
        raise LineError("score", "score and judgment are lists of different length: each sample needs both.")
    each = [held if isinstance(held, list) else [held] * count for held in (judgments, scores)]
    return [_rating(turn, j, s, n) for n, (j, s) in enumerate(zip(*each, strict=True))]


def _rating(turn: int, judgment: Any, score: Any, sample: int | None) -> Rating:
    if judgment is not None and not isinstance(judgment, str):
        raise LineError("judgment", f"judgment must be a text (it is {show_value(judgment)}).")
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
        raise LineError("score", f"score must be a number (it is {show_value(score)}).")
    return Rating(turn, judgment or "", None if score is None else float(score), sample)


def read_verdict(row: dict[str, Any]) -> Verdict:
    """The verdict of a vote, or of a judge over both orders: orders that disagree are a tie, as in FastChat."""
    one, two = ("model_1", "model_2") if "model_1" in row else ("model_a", "model_b")
    first, second = first_text(row, one), first_text(row, two)
    if first == second:
        raise LineError(two, f"{one} and {two} are the same model, {show_value(first)}.")
    a, b = sorted((first, second))
    sides: dict[Any, Literal["a", "b", "tie"]] = {one: "a" if first == a else "b", two: "b" if first == a else "a"}
    sides |= {"tie": "tie", "tie (inconsistent)": "tie", "tie (bothbad)": "tie"}
    said = [row[key] for key in ("g1_winner", "g2_winner") if key in row] or [row.get("winner")]
    if "error" in said:
        return Verdict(a, b, "", error="the call to the judge failed in one of the two orders")
    for value in said:
        if not isinstance(value, str) or value not in sides:
            raise LineError("winner", f"winner must be {one}, {two}, tie or error (it is {show_value(value)}).")
    winners = {sides[value] for value in said}
    if len(winners) == 1:
        note = row.get("g1_judgment") if said != ["tie (inconsistent)"] else "The two orders do not agree."
        return Verdict(a, b, winners.pop(), note if isinstance(note, str) else "")
    first, second = (sides[value] for value in said)
    return Verdict(a, b, "tie", f"The two orders do not agree: the first says {first}, the second {second}.")


def read_games(row: dict[str, Any], found: Verdict) -> list[Game]:
    """The two games of a row that has both: model_1 is first in the first, model_2 in the second; else none."""
    if not {"model_1", "g1_winner", "g2_winner"} <= row.keys():
        return []
    out = []
    for first, second, n in (("model_1", "model_2", 1), ("model_2", "model_1", 2)):
        order: Order = "ab" if first_text(row, first) == found.a else "ba"
        said, note = row[f"g{n}_winner"], row.get(f"g{n}_judgment")
        seen: dict[Any, Literal["a", "b", ""]] = {first: "a", second: "b", "error": ""}
        error = "the call to the judge failed" if said == "error" else ""
        out.append(Game(order, seen.get(said, "tie"), note if isinstance(note, str) else "", error))
    return out
