"""The body of a chat completion: the reply's text cut to its tokens, their log-probabilities, and the usage."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from email.utils import formatdate, mktime_tz, parsedate_tz
from math import exp, floor, log
from typing import Any

from judges.tokens import tokens

_TOKEN = re.compile(r" ?[^\W\d_]{1,6}|\d{1,3}|\s+|[^\w\s]{1,2}|.", re.DOTALL)
_SPREAD = 0.45
"""Standard deviation, in scale points, of what the heuristic's value is taken to be when probabilities are asked."""


class Grade(int):
    """A score in a reply, with the unrounded value it comes from and its scale: what log-probabilities are made of."""

    raw: float
    lo: int
    hi: int

    @classmethod
    def from_raw(cls, raw: float, lo: int = 1, hi: int = 5) -> Grade:
        """The whole number next to a raw value, within the scale."""
        grade = cls(min(hi, max(lo, floor(raw + 0.5))))
        grade.raw, grade.lo, grade.hi = min(float(hi), max(float(lo), raw)), lo, hi
        return grade

    def chances(self) -> list[tuple[str, float]]:
        """(number, log-probability) for the whole scale, likeliest first: normal around the raw value, normalised."""
        weights = {n: -((n - self.raw) ** 2) / (2 * _SPREAD**2) for n in range(self.lo, self.hi + 1)}
        top = max(weights.values())
        total = top + log(sum(exp(w - top) for w in weights.values()))
        return sorted(((str(n), w - total) for n, w in weights.items()), key=lambda pair: (-pair[1], pair[0]))


Reply = dict[str, Any] | tuple[str | Grade, ...]
"""A reply as JSON with Grades in it, or as prose in pieces."""


def reply_text(reply: Reply) -> str:
    """The reply's text."""
    return json.dumps(reply, ensure_ascii=False) if isinstance(reply, dict) else "".join(map(str, reply))


def spell_tokens(reply: Reply) -> Iterator[tuple[str, Grade | None]]:
    """The reply's text token by token; a score comes with its Grade. Joined, they are reply_text(reply)."""
    parts = _json(reply) if isinstance(reply, dict) else iter(reply)
    for part in parts:
        if isinstance(part, Grade):
            yield str(part), part
        else:
            yield from ((token, None) for token in _TOKEN.findall(part))


def _json(value: Any) -> Iterator[str | Grade]:
    """JSON in pieces as json.dumps writes it, Grades apart."""
    if isinstance(value, Grade):
        yield value
    elif isinstance(value, dict):
        yield "{"
        for number, (name, inner) in enumerate(value.items()):
            yield f"{', ' if number else ''}{json.dumps(name, ensure_ascii=False)}: "
            yield from _json(inner)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "["
        for number, inner in enumerate(value):
            if number:
                yield ", "
            yield from _json(inner)
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=False)


def write_logprobs(spelling: Sequence[tuple[str, Grade | None]], top: int) -> dict[str, Any]:
    """OpenAI's `logprobs` of a choice: for scores the alternatives of their scale, for other tokens only themselves."""
    content = []
    for token, grade in spelling:
        among = grade.chances() if grade is not None else [(token, -0.001)]
        own = dict(among)[token]
        content.append({**_entry(token, own), "top_logprobs": [_entry(t, p) for t, p in among[:top]]})
    return {"content": content, "refusal": None}


def _entry(token: str, chance: float) -> dict[str, Any]:
    return {"token": token, "logprob": round(chance, 6), "bytes": list(token.encode("utf-8", "replace"))}


def unix_seconds() -> int:
    """Seconds since 1970, as the Date header of an answer says it."""
    parsed = parsedate_tz(formatdate(usegmt=True))
    return int(mktime_tz(parsed)) if parsed else 0


def count_tokens(text: str) -> int:
    """About how many tokens a text has; quicker than judges.tokens for ASCII."""
    return len(text) // 3 if text.isascii() else tokens(text)


def cut_to_tokens(text: str, max_tokens: int, spelling: Sequence[tuple[str, Grade | None]] = ()) -> tuple[str, bool]:
    """The text within `max_tokens` (0: any number), and whether it had to be cut; `spelling`: its tokens, if known."""
    if max_tokens <= 0 or len(text) <= max_tokens:
        return text, False
    texts = [token for token, _ in spelling] or _TOKEN.findall(text)
    return ("".join(texts[:max_tokens]), True) if len(texts) > max_tokens else (text, False)


def completion_choice(index: int, text: str, finish: str, chances: Any = None) -> dict[str, Any]:
    """One choice of a chat completion."""
    message = {"role": "assistant", "content": text, "refusal": None}
    return {"index": index, "message": message, "logprobs": chances, "finish_reason": finish}
