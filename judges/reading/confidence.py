"""The confidence of a score from sources other than the judge's statement: token log-probabilities and broken rules.

Confidence from the disagreement of orders, windows and chapters comes from `combination`, that of samples from a view
in the store. `combine_confidence` selects one if several are known.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from math import exp
from typing import Literal, NamedTuple

from judges.card import Card, Item
from judges.reading.spans import ValueSpan, score_spans
from judges.types import Reading, Scale, Score

Logprobs = tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
"""(token, ((alternative, log-probability), ...)) of a reply, in order."""

BROKEN_RULE_CONFIDENCE = 0.3
"""Confidence in a score that breaks a rule of its card: low."""
TOKENS, RULE, STATED = "log-probabilities", "broken rule", "self-reported"
SAMPLES = "agreement of samples"
"""The source of a confidence that comes from asking the judge several times; it is kept beside the others."""
Measure = Literal["self-consistency", "stated confidence", "token confidence", "confidence"]


class SourceWords(NamedTuple):
    """The words for a source of confidence: its name, the measure that it gives, and the cause of a low one.

    The cause is "" if the name of the measure already says it.
    """

    name: str
    measure: Measure
    cause: str


_WORDS = {
    STATED: SourceWords("stated confidence", "stated confidence", ""),
    TOKENS: SourceWords("token probabilities", "token confidence", ""),
    RULE: SourceWords("rules of the card", "confidence", "breaks its rule"),
    SAMPLES: SourceWords("self-consistency of samples", "self-consistency", SAMPLES),
    "orders": SourceWords("orders", "self-consistency", "orders"),
    **{name: SourceWords(name, "self-consistency", f"{name} differ") for name in ("samples", "windows", "chapters")},
}
_MIN_SURE_SHARE = 0.8
NOISE = " \t\r\n\"'`*:,[]{}().│▁Ġ"
"""Signs around a value in a token."""
_MIN_NAMED_SHARE = 0.05
"""Answers below this share of the probability are not named as what the tokens waver between."""


def source_words(source: str) -> SourceWords:
    """The words for a source of confidence; one that is not known has its own name."""
    return _WORDS.get(source, SourceWords(source, "confidence", source))


def combine_confidence(*known: tuple[float | None, str]) -> tuple[float | None, str]:
    """The (confidence, source) that counts among several; (None, "") if nothing is known.

    The lowest one counts, and the first among equals, because each source can show a doubt and none can remove
    another's. The judge's own statement counts only if nothing else is known. (The confidence from several samples is
    kept separately in the store: view score_spread.)
    """
    rows = [(value, source) for value, source in known if value is not None]
    observed = [row for row in rows if row[1] != STATED] or rows
    return min(observed, key=lambda row: row[0]) if observed else (None, "")


def with_token_confidence(
    card: Card, item: Item, part: str, raw: str, logprobs: Logprobs, reading: Reading, last: bool = True
) -> Reading:
    """A reading with the confidence from its tokens; unchanged if there are none or they do not fit the text.

    For each score whose token is found: the confidence is the probability of the given answer and `facts["expected"]`
    {(unit, dimension): sum(p v) / sum(p)} the expected value on an ordered scale, both over the answers that the scale
    allows (without n/a for the expected value). The judge's stated confidence is kept in `facts["self-reported"]`.
    `last`: which rating of a reply in prose counts.
    """
    if not logprobs or reading.unscored:
        return reading
    tokens = _Tokens(raw, logprobs)
    if not tokens.fit:
        return reading
    by_cell = {(s.unit, s.dimension): s for s in reading.scores}
    expected: dict[tuple[str, str], float] = {}
    stated: dict[tuple[str, str], float] = {}
    sure: dict[tuple[str, str], Score] = {}
    for place in score_spans(card, item, part, raw, last):
        score = by_cell.get((place.unit, place.dimension))
        dimension = card.dimension(place.dimension, place.unit)
        if score is None or dimension is None or place.value != score.value:
            continue
        shares = tokens.shares(dimension.scale, place)
        if score.value not in shares:
            continue
        key = score.unit, score.dimension
        if dimension.scale.kind in ("ordinal", "ordered"):
            numbers = {v: p for v, p in shares.items() if v is not None}
            if numbers:
                expected[key] = round(sum(v * p for v, p in numbers.items()) / sum(numbers.values()), 4)
        if score.source == STATED and score.confidence is not None:
            stated[key] = score.confidence
        of_tokens = round(shares[score.value], 4), _waver(dimension.scale, shares)
        value, source = combine_confidence((score.confidence, score.source), of_tokens)
        sure[key] = score._replace(confidence=value, source=source)
    facts = {**reading.facts, **({"expected": expected} if expected else {})}
    if stated:
        facts["self-reported"] = stated
    scores = tuple(sure.get((s.unit, s.dimension), s) for s in reading.scores)
    return replace(reading, scores=scores, facts=facts)


def lower_broken(reading: Reading) -> Reading:
    """A reading in which a score that breaks a rule of its card has low confidence, regardless of other sources."""
    broken = {(r.unit, r.dimension) for r in reading.remarks if r.sort == "rule" and r.dimension}
    if not broken:
        return reading

    def as_guess(score: Score) -> Score:
        if (score.unit, score.dimension) not in broken:
            return score
        value, source = combine_confidence((score.confidence, score.source), (BROKEN_RULE_CONFIDENCE, RULE))
        return score._replace(confidence=value, source=source)

    return replace(reading, scores=tuple(map(as_guess, reading.scores)))


def _waver(scale: Scale, shares: dict[float | None, float]) -> str:
    """The source and, if the tokens are not sure, the two most likely answers."""
    top = sorted(shares, key=lambda v: (-shares[v], v is None, v or 0.0))[:2]
    if len(top) < 2 or shares[top[0]] >= _MIN_SURE_SHARE or shares[top[1]] < _MIN_NAMED_SHARE:
        return TOKENS
    low, high = sorted(top, key=lambda v: (v is None, v or 0.0))
    return f"{TOKENS}: {scale.format(low)} or {scale.format(high)}"


class _Tokens:
    """The tokens of a reply, aligned with its text."""

    def __init__(self, raw: str, logprobs: Logprobs) -> None:
        self.tokens = logprobs
        texts = [token for token, _ in logprobs]
        # The stored reply may lack surrounding text; any other difference means another text.
        offset = "".join(texts).find(raw) if raw else -1
        self.fit = offset >= 0
        self.starts = list(accumulate(map(len, texts[:-1]), initial=-offset))

    def shares(self, scale: Scale, place: ValueSpan) -> dict[float | None, float]:
        """The probability of each answer of the scale at the beginning of a value; {} if not known.

        The probability left to the rest of the vocabulary may belong to answers too, so the sum is below 1 by that
        amount.
        """
        index = self._at(place.start)
        if index is None:
            return {}
        token, alternatives = self.tokens[index]
        lead = token[: place.start - self.starts[index]]
        if lead.strip(NOISE):
            return {}  # the token holds more than the value: its alternatives are not answers
        weights: dict[float | None, float] = {}
        for text, logprob in alternatives:
            weight, short = exp(min(logprob, 0.0)), _strip_token(text, lead)
            if scale.kind == "ordinal" and scale.hi > 9 and short in _starts(scale) and index + 1 < len(self.tokens):
                # "1" may be 1 or the beginning of 10: the next token decides, if the reply went this way.
                went = place.text.startswith(short) and _strip_token(token, lead) == short
                longer = self._next(index + 1, scale, short) if went else {}
                for value, share in longer.items():
                    weights[value] = weights.get(value, 0.0) + weight * share
                weight *= 1 - sum(longer.values())
            token_answer = _answer(scale, short, place)
            if token_answer != "":
                answer = None if token_answer is None else float(token_answer)
                weights[answer] = weights.get(answer, 0.0) + weight
        total = sum(weights.values()) + max(0.0, 1 - sum(exp(min(logprob, 0.0)) for _, logprob in alternatives))
        return {value: weight / total for value, weight in weights.items()} if total > 0 else {}

    def _next(self, index: int, scale: Scale, short: str) -> dict[float, float]:
        """For each longer answer, the probability that the token after a short number leads to it."""
        chances: dict[float, float] = {}
        for text, logprob in self.tokens[index][1]:
            head = text[: len(text) - len(text.lstrip("0123456789"))]
            if head and scale.lo <= int(short + head[:4]) <= scale.hi:
                value = float(short + head[:4])
                chances[value] = chances.get(value, 0.0) + exp(min(logprob, 0.0))
        return chances

    def _at(self, position: int) -> int | None:
        index = bisect_right(self.starts, position) - 1
        inside = index >= 0 and position < self.starts[index] + len(self.tokens[index][0])
        return index if inside else None


def _strip_token(text: str, lead: str) -> str:
    """A token without the text around a value: the lead text of the chosen token, quotes, commas."""
    if lead and text.startswith(lead):
        text = text[len(lead) :]
    return text.strip(NOISE).lower()


def _starts(scale: Scale) -> set[str]:
    """The answers of a numeric scale that are the beginning of a longer answer."""
    numbers = [str(n) for n in range(max(int(scale.lo), 0), min(int(scale.hi), 1000) + 1)]
    return {short for short in numbers if any(n != short and n.startswith(short) for n in numbers)}


def _answer(scale: Scale, token: str, place: ValueSpan) -> float | str | None:
    """The answer that a token begins; "" if it begins none, or several without the given one."""
    if not token:
        return ""
    if scale.na and (token in ("na", "null", "nul") or "n/a".startswith(token) or token.startswith("n/a")):
        return None
    if scale.kind == "ordinal":
        head = token[: len(token) - len(token.lstrip("0123456789"))]
        return float(head) if head and len(head) < 5 and scale.lo <= int(head) <= scale.hi else ""
    if scale.has_categories:
        if place.prose and token == "c" and "tie" in scale.categories:
            token = "tie"
        fits = [n for n, name in enumerate(scale.categories) if name.startswith(token) or token.startswith(name)]
        if place.value in fits and len(fits) > 1:
            return place.value
        return float(fits[0]) if len(fits) == 1 else ""
    return ""
