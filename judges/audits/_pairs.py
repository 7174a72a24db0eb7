"""Functions for the audits of pairs: the verdict as a number, and by how much A's section scores exceed B's."""

from __future__ import annotations

from judges.audits._judged import ItemJudgment, text_lengths
from judges.card import Card
from judges.protocols.orders import verdict_dimension
from judges.types import Dimension, section_place

SIGNS = {"a": 1.0, "tie": 0.0, "b": -1.0}


def verdict_sign(card: Card, judgment: ItemJudgment) -> float | None:
    """1 where the verdict is A, -1 where it is B, 0 for a tie; None where there is none."""
    dimension = verdict_dimension(card)
    return None if dimension is None else sign_of_code(dimension, judgment.value("pair", dimension.name))


def sign_of_code(dimension: Dimension, code: float | None) -> float | None:
    """The same for a verdict that is given as a code of its scale."""
    return None if code is None else SIGNS.get(dimension.scale.format(code))


def section_means(card: Card, judgment: ItemJudgment) -> list[tuple[str, dict[str, float]]]:
    """(section, mean over dimensions by side), in order; a side without scores in the section is left out."""
    names = {d.name for d in card.dimensions if d.sort == "section" and d.scale.kind == "ordinal"}
    by_section: dict[int, dict[str, list[float]]] = {}
    for (unit, dimension), score in judgment.scores.items():
        if dimension in names and unit.startswith("section:") and score.value is not None:
            number, side = section_place(unit)
            by_section.setdefault(number, {}).setdefault(side, []).append(score.value)
    return [(f"section:{n}", {s: sum(v) / len(v) for s, v in sides.items()}) for n, sides in sorted(by_section.items())]


def section_lead(parts: list[tuple[str, dict[str, float]]]) -> float | None:
    """Mean of A's sections minus mean of B's; None where a side has none."""
    sides = {side: [means[side] for _, means in parts if side in means] for side in ("a", "b")}
    if not sides["a"] or not sides["b"]:
        return None
    return sum(sides["a"]) / len(sides["a"]) - sum(sides["b"]) / len(sides["b"])


def response_lengths(judgment: ItemJudgment) -> tuple[int, int] | None:
    """The approximate numbers of tokens of A and of B; None if a text is missing or empty."""
    lengths = text_lengths(judgment.item)
    a, b = lengths.get("response/a", 0), lengths.get("response/b", 0)
    return (a, b) if a and b else None
