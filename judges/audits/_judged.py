"""The input of the audits: a judge's replies grouped by item and sample, and the cells that they fill."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.audits import AuditEvidence, AuditReply, Cell
from judges.card import Card, Item
from judges.reading.confidence import STATED
from judges.tokens import tokens
from judges.triage import ConfidenceLevel, confidence_level
from judges.types import Dialogue, Dimension, Remark, Response, Score, UnitSort, sort_of, units

Place = tuple[str, str]
"""(unit, dimension)"""
Question = tuple[UnitSort, str]
"""(sort of unit, dimension): a card may ask the same of each turn and of the conversation."""


@dataclass
class ItemJudgment:
    """One sample of an item with all its parts: scores by place, and remarks and facts unchanged.

    `stated` is the confidence that the judge stated, for scores whose confidence comes from another source.
    """

    key: str
    item: Item
    scores: dict[Place, Score] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    stated: dict[Place, float] = field(default_factory=dict)

    def value(self, unit: str, dimension: str) -> float | None:
        """The code of the score at this place; None if it is n/a or missing."""
        score = self.scores.get((unit, dimension))
        return None if score is None else score.value

    def turn_scores(self, dimensions: Sequence[str]) -> list[dict[str, float]]:
        """The values in these dimensions of every assistant turn that has any, in order."""
        turns = [unit for unit in units(self.item) if unit.startswith("turn:")]
        scores = ({d: v for d in dimensions if (v := self.value(unit, d)) is not None} for unit in turns)
        return [by_dimension for by_dimension in scores if by_dimension]

    def stated_confidence(self, unit: str, dimension: str) -> ConfidenceLevel | None:
        """The confidence that the judge stated for a score, even if another source replaced it; None: none stated."""
        score = self.scores[unit, dimension]
        own = score.confidence if score.source == STATED else None
        return confidence_level(self.stated.get((unit, dimension)) if own is None else own)

    def asked_scores(self, card: Card) -> Iterator[tuple[str, Dimension, float]]:
        """(unit, dimension, value) of every asked score that has a value."""
        for (unit, name), score in self.scores.items():
            dimension = card.dimension(name, unit)
            if dimension is not None and dimension.asked and score.value is not None:
                yield unit, dimension, score.value


def group_judgments(evidence: AuditEvidence, replies: Sequence[AuditReply] | None = None) -> list[ItemJudgment]:
    """The scored replies to known items, by item and sample; by default the judge's own replies."""
    judgments: dict[tuple[str, int], ItemJudgment] = {}
    for reply in evidence.replies if replies is None else replies:
        item = evidence.items.get(reply.item)
        if item is None or item.kind != evidence.card.kind or reply.reading.unscored is not None:
            continue
        judgment = judgments.setdefault((reply.item, reply.sample), ItemJudgment(reply.item, item))
        judgment.scores.update({(s.unit, s.dimension): s for s in reply.reading.scores})
        judgment.remarks += reply.reading.remarks
        judgment.facts.update(reply.reading.facts)
        judgment.stated.update(reply.reading.facts.get(STATED, {}))
    return list(judgments.values())


def cell_means(judgments: Iterable[ItemJudgment]) -> dict[Cell, float]:
    """The mean over samples of every cell that has a value, n/a left out."""
    sums: dict[Cell, list[float]] = defaultdict(list)
    for judgment in judgments:
        for (unit, dimension), score in judgment.scores.items():
            if score.value is not None:
                sums[judgment.key, unit, dimension].append(score.value)
    return {cell: sum(values) / len(values) for cell, values in sums.items()}


def ordered_dimensions(card: Card) -> dict[Question, Dimension]:
    """The asked dimensions of the card whose answers are ordered, so that a score can be higher or lower."""
    dimensions = [d for d in card.dimensions if d.asked and d.scale.has_order]
    return {(d.sort, d.name): d for d in dimensions}


def graded_dimensions(card: Card) -> dict[Question, Dimension]:
    """The ordered dimensions that give points, of which a mean makes sense; all ordered ones if none gives points."""
    dimensions = ordered_dimensions(card)
    return {question: d for question, d in dimensions.items() if d.scale.is_numeric} or dimensions


def graded_cells(card: Card, judgments: Iterable[ItemJudgment]) -> dict[Cell, float]:
    """The mean over samples of every cell of `graded_dimensions` that has a value."""
    questions = graded_dimensions(card)
    return {cell: value for cell, value in cell_means(judgments).items() if (sort_of(cell[1]), cell[2]) in questions}


def item_means(cells: Mapping[Cell, float]) -> dict[str, float]:
    """The mean over the cells of every item."""
    return {item: sum(places.values()) / len(places) for item, places in group_by_item(cells).items()}


def group_by_item(cells: Mapping[Cell, float]) -> dict[str, dict[Place, float]]:
    """The cells of every item."""
    by_item: dict[str, dict[Place, float]] = defaultdict(dict)
    for (item, unit, dimension), value in cells.items():
        by_item[item][unit, dimension] = value
    return dict(by_item)


def item_numbers(keys: Iterable[str]) -> list[int]:
    """The number of each key's item, counted from 0 in order of appearance, as the estimators need it."""
    order: dict[str, int] = {}
    return [order.setdefault(key, len(order)) for key in keys]


def text_lengths(item: Item) -> dict[str, int]:
    """The approximate number of tokens of each text that can be scored, by unit: assistant turns, a response, sides."""
    if isinstance(item, Dialogue):
        texts = {f"turn:{t.turn}": t.text for t in item.turns if t.role == "assistant"}
    elif isinstance(item, Response):
        texts = {"response": item.output}
    else:
        sides = {"response/a": item.response_a.text, "response/b": item.response_b.text}
        texts = {unit: text for unit, text in sides.items() if text is not None}
    return {unit: tokens(text) for unit, text in texts.items()}
