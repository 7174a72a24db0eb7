"""A judge's reply as it came, turned into scores, or into an *unscored* judgment with the reason. Never a default.

Nothing is guessed: a text is not a number, an unknown word is not a verdict, and if a reply contains two different
objects, neither counts. Other spellings are accepted: 4.0 is 4, "Good" is good, prose and fences around the JSON do not
matter, and thinking before it is ignored. tests/judges/reading/test_replies.py shows each case, and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError

from judges.card import Card
from judges.reading.validation import validate_reading
from judges.reading.values import is_na
from judges.types import Dialogue, Pair, Reading, Response, UnscoredReason

Verdict = Literal["last", "fastchat"]
_MAX_OBJECT_STARTS = 500
"""The most braces in prose that are tried as the start of an object: a reply has one, a hostile reply a million."""
_RANGE = {"greater_than_equal", "less_than_equal", "greater_than", "less_than", "off_scale"}
_WORDS = {"literal_error", "enum"}
_INTEGER = {"int_type", "int_from_float"}
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_EXACT = 2**53
_REFUSAL_CHARACTERS = 400
"""A refusal says so at once: only so many characters are looked at.

The patterns are few and narrow. A refusal that is not known as one is still unscored, as unreadable."""
_ENGLISH = re.compile(
    r"(?:\b(?:I|we)(?:'m| am|'re| are)?(?: (?:currently|simply|really|also|therefore))?|\A\W*(?:sorry,? (?:but )?)?) ?"
    r"(?<!\w)(?:can ?not|can't|won't|will not|unable to|not able to|must decline to|have to decline to|refuse to"
    r"|not comfortable|do not feel comfortable|don't feel comfortable)\b[^.!?\n]{0,40}?"
    r"\b(?:help(?!ful| but)|assist|comply|fulfil|provide|evaluate|assess|judge|judging|rate|rating|score|scoring"
    r"|continue|engage|participate|process|complete|do (?:that|this)|respond|discuss)",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"(?:お答え|回答|お応え|応答|対応|お手伝い|お受け|応じ|評価|採点|判定|提供|ご要望|支援|処理)[^。\n]{0,20}?"
    r"(?:でき(?:ません|ない|かね)|出来(?:ません|ない|かね)|いたしかね|致しかね|しかね|控え|られません|られない|お断り)"
)
_CHINESE = re.compile(
    r"(?:我|抱歉|对不起|對不起|很遗憾|很遺憾)[^。！\n]{0,20}?(?:无法|無法|不能|不可以|不便|拒绝|拒絕)[^。！\n]{0,20}?"
    r"(?:帮助|幫助|协助|協助|提供|回答|回应|回應|评价|評價|评分|評分|评估|評估|评判|完成|处理|處理|满足|滿足|继续|繼續|参与|參與|讨论|討論)"
)
_THINKING_START = re.compile(r"[\s\ufeff]*<(think|thinking|thought|reason|reasoning)>", re.IGNORECASE)
_THINKING_END = re.compile(
    r"</(?:think|thinking|thought|reason|reasoning)>(?=[ \t]*(?:\r?\n|\{|```|\Z))", re.IGNORECASE
)


def read_reply(
    card: Card,
    reply: str | dict[str, Any],
    item: Dialogue | Pair | Response,
    part: str = "",
    verdict: Verdict = "fastchat",
) -> Reading:
    """The scores of one reply for one item; `part` is the unit that the reply is about where it is not the whole item.

    A text that holds no JSON object, or more than one that differ, is unscored as `unreadable`; a value off its scale
    as `out_of_range`; a missing field, turn or section as `incomplete`; one that ends too early as `cut_off`; a text
    without JSON that declines as `refused`. `verdict` says which of several ratings in prose is the one: FastChat's
    choice, for files, or the last, as in our own runs (Params.verdict). Raises BadCard where the card's own `read`
    fails, or gives what the card does not ask (judges/reading/validation.py).
    """
    try:
        return _storable(_read(card, reply, item, part, verdict))
    except RecursionError:
        return Reading(unscored="unreadable", why="the reply's JSON is nested too deeply")


def counted_verdict(params: Mapping[str, Any]) -> Verdict:
    """Return which rating in prose counts for a judge with these stored parameters.

    It is the one that they name. Otherwise it is the last rating for our own runs (Params.identity leaves that out),
    and FastChat's choice for imported files.
    """
    if params.get("verdict") in ("last", "fastchat"):
        return "last" if params["verdict"] == "last" else "fastchat"
    return "last" if "max_tokens" in params and "samples" in params else "fastchat"


def _read(
    card: Card, reply: str | dict[str, Any], item: Dialogue | Pair | Response, part: str, verdict: Verdict
) -> Reading:
    data: Any = reply
    if isinstance(reply, str):
        if card.text is not None:
            return _prose(card, reply, item, part, verdict)
        objects = json_objects(reply)
        # An object with none of the reply's keys is a quote, or part of a broken object: not a reply.
        replies = [value for value in objects if value.keys() & card.reply.model_fields.keys()]
        if objects and not replies:
            return Reading(unscored="unreadable", why="the reply's JSON has none of the keys that were asked for")
        if len(replies) != 1:
            return _no_object(reply, len(replies))
        data = replies[0]
    try:
        model = _valid(card, data, parsed=isinstance(reply, str))
    except ValidationError as error:
        return _invalid(error)
    return validate_reading(card, model, item, part)


def _valid(card: Card, data: Any, parsed: bool) -> Any:
    """The validated reply. JSON that was not parsed here, as in files, may still contain 4.0 for 4."""
    try:
        return card.reply.model_validate(data)
    except ValidationError:
        if parsed:
            raise
        return card.reply.model_validate(_whole_numbers(data))


def _whole_numbers(value: Any) -> Any:
    """The same JSON with 4.0 as 4 throughout."""
    if isinstance(value, dict):
        return {key: _whole_numbers(element) for key, element in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(element) for element in value]
    return _whole_number(value) if isinstance(value, float) else value


def _prose(card: Card, reply: str, item: Dialogue | Pair | Response, part: str, verdict: Verdict) -> Reading:
    assert card.text is not None
    answer = without_thinking(reply) if verdict == "last" else reply
    if answer is None or (verdict == "last" and not answer.strip()):
        return _no_answer(answer)
    data = card.text(answer, part)
    if "counts" in card.reply.model_fields:
        data["counts"] = verdict
    try:
        model = card.reply.model_validate(data)
    except ValidationError as error:
        return _invalid(error)
    reading = validate_reading(card, model, item, part)
    if verdict == "last" and reading.unscored == "unreadable" and is_refusal(answer):
        return Reading(unscored="refused", why="the judge declined to judge")
    return reading


def json_objects(text: str) -> list[dict[str, Any]]:
    """The distinct JSON objects that a reply holds: the whole text, else in code fences, else anywhere in the prose.

    Thinking before it is left out. An object that names a key twice with two values is none.
    """
    answer = without_thinking(text)
    if answer is None:
        return []
    for candidates in ([answer], _fenced_blocks(answer)):
        parsed = [value for value in map(_object, candidates) if value is not None]
        if parsed:
            break
    at, tries = -1 if parsed else answer.find("{"), 0
    while at >= 0 and tries < _MAX_OBJECT_STARTS:
        tries += 1
        try:
            value, end = _DECODER.raw_decode(answer, at)
        except json.JSONDecodeError as error:
            # Text before the fault belongs to a broken object: an object inside it is not a reply.
            at = answer.find("{", max(error.pos, at + 1))
            continue
        except (ValueError, RecursionError):
            break
        if isinstance(value, dict) and value:
            parsed.append(value)
        at = answer.find("{", end)
    return [value for n, value in enumerate(parsed) if value not in parsed[:n]]


def _fenced_blocks(text: str) -> list[str]:
    """The contents of the code fences, line by line: a regular expression takes cubic time on many empty lines."""
    blocks: list[str] = []
    inside: list[str] | None = None
    for line in text.split("\n"):
        if not line.lstrip().startswith("```"):
            if inside is not None:
                inside.append(line)
        elif inside is not None:
            blocks.append("\n".join(inside))
            inside = None
        elif line.strip().lower() in ("```", "```json"):
            inside = []
    return blocks


class _DuplicateKey(ValueError):
    """A key that occurs twice in one object, with two values."""


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _whole_number(value: float) -> int | float:
    """A number with a point or an exponent: 4.0 becomes the whole number 4, because JSON does not distinguish them."""
    return int(value) if abs(value) < _EXACT and value == int(value) else value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        for name, value in pairs:
            if fields[name] != value:
                raise _DuplicateKey(name)
    return fields


_DECODER = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=lambda digits: _whole_number(float(digits)), object_pairs_hook=_pairs
)


def _no_answer(answer: str | None) -> Reading:
    """A reply that ends within its thinking (None), or has nothing after it."""
    if answer is None:
        return Reading(unscored="cut_off", why="the reply ends within its thinking")
    return Reading(unscored="unreadable", why="the reply is empty")


def _no_object(text: str, count: int) -> Reading:
    if count > 1:
        return Reading(unscored="unreadable", why=f"the reply holds {count} different JSON objects")
    answer = without_thinking(text)
    if answer is None or not answer.strip():
        return _no_answer(answer)
    if "{" not in answer and is_refusal(answer):
        return Reading(unscored="refused", why="the judge declined to judge")
    if answer.count("{") > answer.count("}"):
        return Reading(unscored="cut_off", why="the reply's JSON ends before it is complete")
    return Reading(unscored="unreadable", why=_describe_duplicate_key(answer) or "the reply holds no JSON object")


def _describe_duplicate_key(text: str) -> str:
    """Return a clause that names the JSON key with two values; "" if that is not what is wrong."""
    for candidate in (text[text.find("{") :], *_fenced_blocks(text)):
        try:
            _DECODER.raw_decode(candidate.lstrip())
        except _DuplicateKey as error:
            return f"the reply gives {str(error)[:60]!r} twice, with two values"
        except (ValueError, RecursionError):
            continue
    return ""


def _invalid(error: ValidationError) -> Reading:
    errors = error.errors(include_url=False, include_context=False)
    missing = [".".join(map(str, e["loc"])) for e in errors if e["type"] == "missing"]
    if missing:
        return Reading(unscored="incomplete", why=f"the reply lacks {', '.join(missing[:5])}")
    off = [e for e in errors if _off_scale(e["type"], e["input"])]
    reason: UnscoredReason = "out_of_range" if off else "unreadable"
    first = (off or errors)[0]
    where = ".".join(str(part) for part in first["loc"])
    return Reading(unscored=reason, why=f"{where}: {first['msg'].lower()} (got {_describe_value(first['input'])})")


def _off_scale(sort: str, value: Any) -> bool:
    """Whether a value can be read but is not allowed on the scale: 7, 4.5, a word of another scale, n/a."""
    if sort in _RANGE:
        return True
    if sort in _WORDS:
        return isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return sort in _INTEGER and (isinstance(value, float) or (value is not None and is_na(value)))


def _describe_value(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(value if not isinstance(value, str) else value[:60])[:60]


def _storable(reading: Reading) -> Reading:
    """Notes without characters that no store can hold: NUL and lone surrogates. The raw text is kept unchanged."""
    if not any(_UNSTORABLE.search(remark.text) for remark in reading.remarks):
        return reading
    clean = (remark._replace(text=_UNSTORABLE.sub("\ufffd", remark.text)) for remark in reading.remarks)
    return replace(reading, remarks=tuple(clean))


def is_refusal(text: str) -> bool:
    """Whether a text that holds no score says, in English, Japanese or Chinese, that none will be given."""
    head = text[:_REFUSAL_CHARACTERS].replace("\u2019", "'")
    return any(pattern.search(head) for pattern in (_ENGLISH, _JAPANESE, _CHINESE))


def without_thinking(text: str) -> str | None:
    """A reply without the thinking before it; None where it ends within its thinking.

    Thinking can only be at the very beginning: the same marks within the reply are quoted text. A template may open it
    for the model, so that only its end is there, before a new line or the JSON. A text that begins with JSON or a fence
    contains no thinking.
    """
    at, has_thinking = 0, False
    while match := _THINKING_START.match(text, at):
        end = re.compile(f"</{match[1]}>", re.IGNORECASE).search(text, match.end())
        if end is None:
            return None
        at, has_thinking = end.end(), True
    if (
        not has_thinking
        and not text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "`"))
        and (end := _THINKING_END.search(text))
    ):
        at = end.end()
    return text[at:].lstrip("\ufeff")
