"""No audit falls over anything that a judge may have said; what it says of it holds together."""

from __future__ import annotations

import math
import random
import re

import pytest

from judges.audits import AuditEvidence, AuditReply, all_audits
from judges.card import Card, Item
from judges.types import Dimension, Reading, Remark, Score, sort_of, units
from tests.judges.audits.made_evidence import dialogue, pair, response
from tests.judges.replies import SHIPPED

WORDS = ["", "no, that's wrong", "違います", "不对", "plain words " * 20, "# Head\n" + "word " * 300]
SYSTEMS = ["", "gpt-4o", "claude-3", "vicuna-13b"]


def _item(card: Card, key: str, rng: random.Random) -> Item:
    if card.kind == "dialogue":
        return dialogue(key, [(rng.choice(WORDS), rng.choice(WORDS)) for _ in range(rng.choice((1, 2, 4, 12)))])
    if card.kind == "pair":
        return pair(key, rng.choice(WORDS), rng.choice(WORDS), rng.randint(0, 4))
    return response(key, rng.choice(WORDS), rng.choice(SYSTEMS), rng.choice(WORDS))


def _code(dimension: Dimension, rng: random.Random, mood: str) -> float | None:
    scale = dimension.scale
    if mood == "n/a" and scale.na:
        return None
    if mood == "same":
        return float(scale.hi if scale.kind in ("ordinal", "interval") else 0)
    if scale.na and rng.random() < 0.2:
        return None
    if scale.kind == "interval":
        return round(rng.uniform(scale.lo, scale.hi), 2)
    return float(scale.base + rng.randrange(max(scale.size, 1)))


def _reading(card: Card, item: Item, rng: random.Random, mood: str) -> Reading:
    if mood == "unscored" or rng.random() < 0.05:
        return Reading(unscored=rng.choice(("refused", "unreadable", "api_error")), why="it was so")
    places = [(u, d) for u in units(item) for d in card.dimensions if d.sort == sort_of(u)]
    scored_places = [place for place in places if mood != "gaps" or rng.random() < 0.7]
    scores = tuple(
        Score(u, d.name, _code(d, rng, mood), rng.choice((None, 0.3, 0.6, 0.9)), rng.choice(("", "self-reported")))
        for u, d in scored_places
    )
    remarks = [Remark(u, d.name, rng.choice(("note", "rule")), rng.choice(WORDS)) for u, d in scored_places[:5]]
    remarks.append(Remark("pair", "", "rule", "judges 'x', which is not in the list of sections"))
    facts: dict[str, object] = {}
    if rng.random() < 0.5:
        facts["orders"] = rng.choice(({"ab": "a", "ba": "b"}, {"ab": "tie", "ba": "b"}, {"ab": "a"}, 3, {}))
    return Reading(scores, tuple(remarks), facts=facts)


def _replies(card: Card, items: dict[str, Item], rng: random.Random, mood: str) -> list[AuditReply]:
    replies = [
        AuditReply(key, _reading(card, item, rng, mood), sample=s) for key, item in items.items() for s in range(2)
    ]
    return [*replies, AuditReply("not there", replies[0].reading)] if replies else []


def _evidence(card: Card, rng: random.Random, mood: str, size: int) -> AuditEvidence:
    items = {f"i{k}": _item(card, f"i{k}", rng) for k in range(size)}
    cells = [(key, u, d) for key, item in items.items() for u, d in card.cells(item)]
    return AuditEvidence(
        card,
        rng.choice(("gpt-4.1", "", "practice-heuristic")),
        items,
        _replies(card, items, rng, mood),
        {
            name: _replies(card, items, rng, mood)
            for name in ("scenario_swapped", "reference_removed", "injected_order")
        },
        {model: _replies(card, items, rng, mood) for model in ("claude-3", "gpt-3.5", "")},
        {(key, u, d.name): _code(d, rng, mood) for key, u, d in cells if rng.random() < 0.5},
        {(key, u, d.name): rng.random() < 0.8 for key, u, d in cells if rng.random() < 0.3},
    )


@pytest.mark.slow
@pytest.mark.parametrize("mood", ["mixed", "gaps", "same", "n/a", "unscored"])
@pytest.mark.parametrize("card", list(SHIPPED.values()), ids=lambda c: c.name)
def test_every_audit_answers_in_sentences_whatever_the_evidence(card: Card, mood: str) -> None:
    for size in (0, 1, 3, 40):
        rng = random.Random(f"{card.name} {mood} {size}")
        evidence = _evidence(card, rng, mood, size)
        # Not the card's own audits only: a card that people make may ask for any.
        for audit in all_audits().values():
            finding = audit.find(evidence, audit.threshold or 0.0)
            if mood == "mixed":
                assert finding == audit.find(evidence, audit.threshold or 0.0), f"{audit.name} is not the same twice"
            assert finding.why.endswith(".") and not finding.why[0].islower(), finding.why
            assert not re.search(r"\bnan\b|\bNone\b(?! of)", finding.why), finding.why
            assert finding.figure is None or math.isfinite(finding.figure)
            for flag in finding.flags:
                assert flag.item in evidence.items
                assert flag.text.endswith((".", "!", "?")), flag.text
                assert 0 <= flag.strength <= 1
                assert not flag.unit or flag.unit in units(evidence.items[flag.item]) or flag.unit == "conversation"
            for _, xs, ys in finding.plot.series if finding.plot else ():
                assert len(xs) == len(ys)
                assert all(math.isfinite(y) for y in ys)
            if finding.verdict == "alarm":
                assert finding.figure is not None


def test_every_audit_says_what_it_measures_and_when_it_is_an_alarm() -> None:
    for name, audit in all_audits().items():
        assert audit.name == name
        assert audit.measures.endswith(".") and audit.alarm.endswith(".")
        assert ("{threshold}" in audit.alarm) == (audit.threshold is not None)
        assert audit.alarm.format(threshold=audit.threshold)
