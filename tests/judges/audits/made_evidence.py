"""Evidence for audits, made up: items and readings with just the scores that a test is about."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from judges.audits import AuditEvidence, AuditFinding, AuditReply, Cell, all_audits
from judges.card import Item
from judges.cards import card
from judges.types import Dialogue, Pair, Reading, Remark, Response, Score

Row = tuple[Item, Reading]


def dialogue(key: str, texts: Sequence[tuple[str, str]], scenario: str = "A shop.") -> Dialogue:
    """A dialogue of (user, assistant) utterances."""
    turns = [
        {"turn": n, "role": role, "text": text}
        for n, pair in enumerate(texts, 1)
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return Dialogue.model_validate({"id": key, "kind": "dialogue", "scenario": scenario, "turns": turns})


def judged_dialogue(
    turns: Sequence[tuple[int, int, int]],
    coherence: int | None = 4,
    repair: int | None = None,
    note: str = "",
    rule: str = "",
) -> Reading:
    """A reading of context use, helpfulness and safety by turn, and of the conversation."""
    scores = [
        Score(f"turn:{n}", name, float(value))
        for n, values in enumerate(turns, 1)
        for name, value in zip(("context_use", "helpfulness", "safety"), values, strict=True)
    ]
    scores.append(Score("conversation", "coherence", None if coherence is None else float(coherence)))
    scores.append(Score("conversation", "repair_handling", None if repair is None else float(repair)))
    scores.append(Score("conversation", "verdict", 2.0))
    remarks = [Remark("conversation", "repair_handling", "note", note)] if note else []
    remarks += [Remark("conversation", "verdict", "rule", rule)] if rule else []
    return Reading(tuple(scores), tuple(remarks))


def pair(key: str, a: str = "words " * 50, b: str = "words " * 40, sections: int = 3) -> Pair:
    """A pair with sections that both sides have."""
    cut = [{"label": f"Part {n}", "a": [n, n + 1], "b": [n, n + 1]} for n in range(sections)]
    sides = {f"response_{side}": {"system": f"system-{side}", "text": text} for side, text in (("a", a), ("b", b))}
    return Pair.model_validate({"id": key, "kind": "pair", "input": "Tell.", **sides, "sections": cut})


def judged_pair(
    sections: Sequence[tuple[int, int]] = (),
    verdict: str = "a",
    aggregates: tuple[float, float] = (4.0, 3.0),
    failures: tuple[bool, bool] = (False, False),
    rule: str = "",
    orders: tuple[str, str] | None = None,
) -> Reading:
    """A reading of (A, B) by section, aggregates, one failure flag a side, and the verdict."""
    scores = [
        Score(f"section:{n}/{side}", name, float(value))
        for n, values in enumerate(sections, 1)
        for side, value in zip("ab", values, strict=True)
        for name in ("groundedness", "relevance", "quality")
    ]
    for side, aggregate, failed in zip("ab", aggregates, failures, strict=True):
        scores.append(Score(f"response/{side}", "aggregate", aggregate))
        scores.append(Score(f"response/{side}", "lost_in_middle", float(failed)))
    scores.append(Score("pair", "verdict", float(("a", "tie", "b").index(verdict))))
    facts: dict[str, Any] = {} if orders is None else {"orders": dict(zip(("ab", "ba"), orders, strict=True))}
    return Reading(tuple(scores), (Remark("pair", "", "rule", rule),) if rule else (), facts=facts)


def response(key: str, output: str = "some words", system: str = "", reference: str = "") -> Response:
    """A response."""
    return Response(id=key, kind="response", task="Do it.", output=output, system=system, reference=reference)


def response_reading(confidence: float | None = None, source: str = "self-reported", **scores: float | None) -> Reading:
    """A reading of a response by dimension, each with the same confidence."""
    stated = (confidence, source) if confidence is not None else (None, "")
    return Reading(tuple(Score("response", name, value, *stated) for name, value in scores.items()))


def evidence(
    name: str,
    rows: Sequence[Row],
    model: str = "judge-x",
    probe: str = "",
    probed: Sequence[Row] = (),
    others: dict[str, Sequence[Row]] | None = None,
    gold: dict[Cell, float | None] | None = None,
    fits: dict[Cell, bool] | None = None,
) -> AuditEvidence:
    """Evidence of a card on (item, reading) rows; probes and others are rows of the same items."""
    items = {item.id: item for item, _ in rows}
    return AuditEvidence(
        card(name),
        model,
        items,
        replies(rows),
        {probe: replies(probed)} if probe else {},
        {m: replies(other_rows) for m, other_rows in (others or {}).items()},
        gold or {},
        fits or {},
    )


def replies(rows: Sequence[Row]) -> list[AuditReply]:
    """Rows as replies; a second row of an item is its second sample."""
    sample_counts: dict[str, int] = {}
    audit_replies = []
    for item, reading in rows:
        audit_replies.append(AuditReply(item.id, reading, sample=sample_counts.get(item.id, 0)))
        sample_counts[item.id] = sample_counts.get(item.id, 0) + 1
    return audit_replies


def find(name: str, evidence: AuditEvidence, limit: float | None = None) -> AuditFinding:
    """What an audit finds, at its default limit or another one."""
    audit = all_audits()[name]
    return audit.find(evidence, (audit.threshold or 0.0) if limit is None else limit)


def dice(seed: int = 0) -> random.Random:
    """Seeded randomness."""
    return random.Random(seed)
