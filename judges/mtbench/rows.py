"""Rows of MT-Bench's files in all forms that occur, read into one form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from judges.mtbench.dialogues import whole_number
from judges.mtbench.parsing import is_failed_call
from judges.mtbench.records import Answer, BenchQuestion, Game, Rating, Winner
from judges.protocols.orders import Order
from judges.strict_json import show_value

Role = Literal["prompt", "question", "reference", "answer", "single", "pair", "vote"]
_MACHINE = re.compile(
    r".*_(pair|single)|(gpt|claude|gemini|llama|qwen|mistral|mixtral|command|o\d|deepseek|judge|llm).*", re.IGNORECASE
)
_TURN = re.compile(r"turn[_-]?(\d)", re.IGNORECASE)
_REFERENCE = re.compile(r"(?<![a-z])(references?|ref[_-]answers?)(?![a-z])", re.IGNORECASE)
_SCORES = re.compile(r"score_turn_?(\d)")
_NUMBER = re.compile(r"\s*-?\d{1,9}(\.\d{1,9})?\s*", re.ASCII)
_JUDGED = re.compile(r"(.+)_(?:single|pair)(?:[_-].*)?")
_JUDGE_KEYS = frozenset(("judge", "judge_model", "judge_id", "judge_prompt_template"))
_MOST_TURNS = 1000
MOST_CHOICES = 2**31
"""An index from here on is a mark that a tool made up, and no column of numbers has room for it."""
_FAILED = "the call to the judge failed"
INCONSISTENT = "The two orders do not agree."
"""The text of a verdict over both orders that is a tie because the orders do not agree."""
_LONGEST_NAME = 120


UNKNOWN_CHOICE = -1
"""The choice of a rating that does not say which sample of an answer it is about."""
SentRating = tuple[Rating, str, int | None]
"""A rating without judge, answer and choice, the prompt that its judge was sent, and its place in a list of several."""
SentGame = tuple[Game, str]
"""A verdict without judge, and the prompt that its judge was sent."""


class BadField(ValueError):
    """A row that cannot be used: (field, sentence)."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(name, sentence)
        self.problem = (name, sentence)


class SourcePlace(NamedTuple):
    """The place of something in a file; `row` is kept while the row may still be refused."""

    file: str
    line: int
    row: Any = None


class JudgeNames(NamedTuple):
    """The judge as a row names it: its model, its prompt's name, and its prompt's text if the row has it.

    Our own files also say the `wording` of its prompt (None: the row says none) and its `protocol`.
    """

    model: str
    prompt: str = ""
    template: str = ""
    wording: str | None = None
    protocol: str = ""


def role_of(name: str, keys: frozenset[str]) -> Role | None:
    """Return the role of the FastChat file that an object with these keys comes from; None if there is none."""
    if {"name", "prompt_template"} <= keys:
        return "prompt"
    if "question_id" not in keys:
        return None
    if "choices" in keys:
        return "reference" if holds_references(name) else "answer"
    if {"model_1", "model_2"} <= keys or {"winner_ab", "winner_ba"} & keys:
        return "pair"
    if {"model_a", "model_b", "winner"} <= keys:
        return "vote"
    if "judgment" in keys or any(_SCORES.fullmatch(key) for key in keys) or _is_rating(name, keys):
        return "single"
    return "question" if "turns" in keys else None


def _is_rating(name: str, keys: frozenset[str]) -> bool:
    """Whether an object with a score is FastChat's rating of a turn: it or its file's name says judge and turn."""
    path = PurePosixPath(name)
    judged = bool(keys & _JUDGE_KEYS) or _JUDGED.fullmatch(path.stem) is not None
    return "score" in keys and judged and ("turn" in keys or _TURN.search(path.name) is not None)


def holds_references(name: str) -> bool:
    """Whether the name of a file or of its folder says that it contains reference answers."""
    return any(_REFERENCE.search(part) for part in PurePosixPath(name).parts[-2:])


def question_id(row: Mapping[str, Any]) -> str:
    """The question's id as text: 81 and "81" are the same question."""
    value = row.get("question_id")
    if isinstance(value, bool) or not isinstance(value, (int, str)) or not str(value).strip():
        raise BadField("question_id", f"question_id must be a number or a text (it is {show_value(value)}).")
    return str(value).strip()


def text_list(value: Any, key: str) -> tuple[str, ...]:
    """A list of texts, one for each turn; a text may be the `content` of an object."""
    if isinstance(value, list) and value and all(isinstance(turn, dict) for turn in value):
        value = [turn.get("content") for turn in value]
    if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
        raise BadField(key, f"{key} must be a list of texts, one for each turn (it is {show_value(value)}).")
    return tuple(value)


def text_under(row: Mapping[str, Any], *keys: str) -> str:
    """The first of these keys that holds a text."""
    for key in keys:
        if isinstance(row.get(key), str) and row[key].strip():
            return str(row[key]).strip()
    raise BadField(keys[0], f"{keys[0]} must be a text (it is {show_value(row.get(keys[0]))}).")


def read_question(row: Mapping[str, Any]) -> BenchQuestion:
    """A row of a question file; `reference` may be a list of texts, null where a turn has none, or one text."""
    turns, own, heat = text_list(row.get("turns"), "turns"), row.get("reference"), row.get("required_temperature")
    if isinstance(own, list):
        own = ["" if text is None else text for text in own] if any(own) else None
    reference = (own,) if isinstance(own, str) else text_list(own, "reference") if own else ()
    if heat is not None and (isinstance(heat, bool) or not isinstance(heat, (int, float))):
        raise BadField("required_temperature", f"required_temperature must be a number (it is {show_value(heat)}).")
    category = row.get("category") or ""
    return BenchQuestion(question_id(row), str(category), turns, reference, None if heat is None else float(heat))


def read_choices(row: Mapping[str, Any], question: str, model: str) -> list[Answer]:
    """The choices of a row of answers, by their `index` where each has one of its own, else by their place."""
    choices = row.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        raise BadField("choices", "choices must be a list with at least one answer.")
    numbers = [choice.get("index") for choice in choices]
    if not all(isinstance(n, int) and 0 <= n < MOST_CHOICES for n in numbers) or len(set(numbers)) < len(numbers):
        numbers = list(range(len(choices)))
    answers = []
    for n, choice in sorted(zip(numbers, choices, strict=True), key=lambda pair: pair[0]):
        after, cut = whole_number(choice, "continues"), whole_number(choice, "cut_at") or 0
        turns = text_list(choice.get("turns"), f"choices.{n}.turns")
        answers.append(Answer(question, model, n, turns, after, cut))
    return answers


def read_judge(row: Mapping[str, Any], file: str) -> JudgeNames:
    """Return the judge: from `judge` ([model, prompt] or a text), `judge_model` or `judge_id`, or the file's name.

    `judge_prompt_template` is a prompt's name, or its text where it has fields in braces.
    """
    value, prompt = row.get("judge"), ""
    if isinstance(value, list) and value:
        prompt = value[1] if len(value) > 1 and isinstance(value[1], str) else ""
        value = value[0]
    for key in ("judge_model", "judge_id"):
        value = value or row.get(key)
    prompt_text = row.get("judge_prompt_template")
    prompt_text = prompt_text if isinstance(prompt_text, str) else ""
    template = prompt_text if "{" in prompt_text or "\n" in prompt_text or len(prompt_text) > _LONGEST_NAME else ""
    prompt = prompt.strip() or ("" if template else prompt_text.strip())
    model = value.strip() if isinstance(value, str) else ""
    if not model and (match := _JUDGED.fullmatch(PurePosixPath(file).stem)):
        model = match[1]
    if not model:
        raise BadField("judge", "The row names no judge: judge must be a model, or [model, prompt].")
    wording, protocol = (own if isinstance(own := row.get(name), str) else None for name in ("wording", "protocol"))
    return JudgeNames(model, prompt, template, wording, protocol or "")


def read_conversation(value: Any) -> list[tuple[str, str]]:
    """(what was asked, what was answered) of each turn of a conversation as a list of messages; none of anything else.
    """
    messages = value if isinstance(value, list) else []
    spoken = [message for message in messages if isinstance(message, dict) and message.get("role") != "system"]
    texts = [text for message in spoken if isinstance(text := message.get("content"), str)]
    roles = [message.get("role") for message in spoken]
    if not len(messages) - 1 <= len(spoken) == len(texts) or roles != ["user", "assistant"] * (len(spoken) // 2):
        return []
    return list(zip(texts[::2], texts[1::2], strict=True))


def voters(row: Mapping[str, Any]) -> list[str]:
    """The people whose vote a row is, from a name or a list of names; none if a model judged."""
    value = row.get("judge")
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    people = [name.strip() for name in names if isinstance(name, str) and name.strip() and not _MACHINE.fullmatch(name)]
    return people if len(people) == len(names) else []


def voter_group(name: str) -> str:
    """The group that a voter belongs to: expert_3 is one of the experts."""
    group, _, number = name.rpartition("_")
    return group if number.isdigit() else ""


def read_turn(row: Mapping[str, Any], file: str, usual: int | None = None) -> int:
    """The turn that a row is about; if it names none, the turn in the file's name, or the default."""
    turn = row.get("turn")
    if turn is None:
        turn = int(in_name[1]) if (in_name := _TURN.search(PurePosixPath(file).name)) else usual
    if isinstance(turn, bool) or not isinstance(turn, int) or not 1 <= turn <= _MOST_TURNS:
        raise BadField("turn", f"turn must be a number from 1 (it is {show_value(turn)}).")
    return turn


def read_judged_turns(row: Mapping[str, Any], file: str) -> list[SentRating]:
    """The judgments of a row: one; one for each sample, where score or judgment is a list; or one for each turn.

    Of a row with a score for each turn, -1 without a judgment is a turn that was not asked.
    """
    split = sorted(int(match[1]) for key in row if (match := _SCORES.fullmatch(key)))
    if split:
        scores = []
        for n in split:
            texts, stated, user_prompt = (
                row.get(f"{name}_turn{n}", row.get(f"{name}_turn_{n}")) for name in ("judgment", "score", "user_prompt")
            )
            scores += _samples(n, texts, stated, user_prompt)
        return [score for score in scores if score[0].text or score[0].stated not in (-1, None)]
    return _samples(read_turn(row, file), row.get("judgment"), row.get("score"), row.get("user_prompt"))


def _samples(turn: int, texts: Any, stated: Any, user_prompt: Any) -> list[SentRating]:
    lists = [value for value in (texts, stated) if isinstance(value, list)]
    prompt = sent_prompt(user_prompt)
    if not lists:
        return [_score(turn, texts, stated, prompt, None)]
    count = len(lists[0])
    if any(len(value) != count for value in lists):
        raise BadField("score", "score and judgment are lists of different length: each sample needs both.")
    columns = [value if isinstance(value, list) else [value] * count for value in (texts, stated)]
    prompts = [prompt] * count
    if isinstance(user_prompt, list) and len(user_prompt) == count:
        prompts = [sent_prompt(value) for value in user_prompt]
    return [_score(turn, *fields, n) for n, fields in enumerate(zip(columns[0], columns[1], prompts, strict=True))]


def _score(turn: int, text: Any, stated: Any, prompt: str, sample: int | None) -> SentRating:
    if text is not None and not isinstance(text, str):
        raise BadField("judgment", f"judgment must be a text (it is {show_value(text)}).")
    if isinstance(stated, str) and _NUMBER.fullmatch(stated):
        stated = float(stated)
    if stated is not None and (isinstance(stated, bool) or not isinstance(stated, (int, float))):
        raise BadField("score", f"score must be a number (it is {show_value(stated)}).")
    reply, number = text or "", None if stated is None else float(stated)
    error = _FAILED if is_failed_call(reply) else ""
    return Rating("", "", "", UNKNOWN_CHOICE, turn, 0, reply, number, error), prompt, sample


def sent_prompt(value: Any) -> str:
    """The prompt that a judge was sent, as a text or as messages of which the last is the user's; "" for none."""
    if isinstance(value, str):
        return value
    contents = (
        [message.get("content") for message in value if isinstance(message, dict)] if isinstance(value, list) else []
    )
    return contents[-1] if contents and isinstance(contents[-1], str) else ""


def read_verdict(row: Mapping[str, Any], file: str, question: str) -> tuple[list[SentGame], bool]:
    """A row's verdicts on two models, one in each order or one over both, and whether its `winner` says another thing.

    g1 is the game in which model_1 was first, g2 that in which model_2 was; their winners are models. winner_ab is the
    game in which model_a was first: letters are places (A was shown first), names are models; where the row's `winner`
    fits only if they are models throughout, they are.
    """
    key_1, key_2 = ("model_1", "model_2") if "model_1" in row else ("model_a", "model_b")
    first, second = text_under(row, key_1), text_under(row, key_2)
    if first == second:
        raise BadField(key_2, f"{key_1} and {key_2} are the same model, {show_value(first)}.")
    a, b = sorted((first, second))
    pair = Game("", question, read_turn(row, file, 1), a, b, "", "")
    sides: dict[Any, Winner] = {key_1: "a" if first == a else "b", key_2: "b" if first == a else "a", "tie": "tie"}
    sides |= {first: sides[key_1], second: sides[key_2]}
    for tie_name in ("tie (inconsistent)", "tie (bothbad)", "inconsistent", "both"):
        sides[tie_name] = "tie"
    sides["error"] = ""
    forward: Order = "ab" if first == a else "ba"
    back: Order = "ba" if first == a else "ab"
    overall = _side(row, "winner", sides) if row.get("winner") is not None else None
    if {"g1_winner", "g2_winner"} & row.keys():
        games = [
            _game(pair, row, order, _side(row, f"g{n}_winner", sides), f"g{n}_judgment", f"g{n}_user_prompt")
            for n, order in ((1, forward), (2, back)) if row.get(f"g{n}_winner") is not None
        ]  # fmt: skip
    elif {"winner_ab", "winner_ba"} & row.keys():
        games = _games_of_letters(pair, row, sides, (key_1, key_2), (forward, back), overall)
    elif overall is None:
        raise BadField("winner", f"winner must be {key_1}, {key_2}, tie or error (it is null).")
    else:
        text = reply if isinstance(reply := row.get("judgment"), str) else ""
        text = text or INCONSISTENT * (row.get("winner") == "tie (inconsistent)")
        games = [(pair._replace(winner=overall, text=text, error="" if overall else _FAILED), "")]
    if not games:
        raise BadField("winner", "The row names no winner in either order.")
    return games, overall is not None and len(games) == 2 and _combine_games(games) != overall


def _games_of_letters(
    pair: Game, row: Mapping[str, Any], sides: dict[Any, Winner], names: tuple[str, str], orders: tuple[Order, Order],
    overall: Winner | None,
) -> list[SentGame]:  # fmt: skip
    """The games of winner_ab and winner_ba, letters read as places, or as models where only that fits `overall`."""
    first, second = sides[names[0]], sides[names[1]]

    def read(upper: Winner, lower: Winner) -> list[SentGame]:
        """The games, where A and B of the second one mean these."""
        games = []
        for key, order, a, b in (("ab", orders[0], first, second), ("ba", orders[1], upper, lower)):
            if row.get(f"winner_{key}") is not None:
                letter_sides = {**sides, "A": a, "B": b, "C": "tie", "TIE": "tie"}
                games.append(_game(pair, row, order, _side(row, f"winner_{key}", letter_sides), f"judgment_{key}", ""))
        return games

    def fits(games: list[SentGame]) -> bool:
        return overall is None or len(games) < 2 or _combine_games(games) == overall

    as_places, as_models = read(second, first), read(first, second)
    return as_models if fits(as_models) and not fits(as_places) else as_places


def _side(row: Mapping[str, Any], key: str, sides: Mapping[Any, Winner]) -> Winner:
    value = row.get(key)
    if not isinstance(value, str) or value not in sides:
        named = [name for name in sides if name in ("model_1", "model_2", "model_a", "model_b")]
        raise BadField("winner", f"winner must be {named[0]}, {named[1]}, tie or error (it is {show_value(value)}).")
    return sides[value]


def _game(pair: Game, row: Mapping[str, Any], order: Order, winner: Winner, text: str, prompt: str) -> SentGame:
    reply = row.get(text)
    reply = reply if isinstance(reply, str) else ""
    error = _FAILED if not winner or is_failed_call(reply) else ""
    return pair._replace(order=order, winner=winner, text=reply, error=error), sent_prompt(row.get(prompt))


def _combine_games(games: list[SentGame]) -> Winner:
    """The verdict of two games by FastChat's rule: none if one is an error, and a tie if the orders disagree."""
    winners = {game.winner for game, _ in games}
    return "" if "" in winners else winners.pop() if len(winners) == 1 else "tie"
