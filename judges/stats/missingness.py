"""The effect of missing scores: the figures if they are left out, or count as an answer.

A cell is missing if people answered it and the judge was asked about it but gave no usable value (unreadable, cut off,
refused, off its scale ...). Assay leaves such cells out everywhere else, also in the approval check, because a failed
reply is not a low score. Published figures often count it as the lowest answer, as a tie, or as a number. The choice
changes the figures, so it must be stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judges.errors import BadScale
from judges.plural import many
from judges.stats.agreement import Accuracy, Floats, accuracy
from judges.stats.calibration import PairedRatings, Summary, summarise
from judges.types import Dimension, Scale

OUT, LOWEST, TIE = "out", "lowest", "tie"
CHOICES = {OUT: "left out", LOWEST: "as the lowest", TIE: "as a tie"}
"""Choices in words; beside them any answer of the scale is one, as "3" or "b"."""
APPROVAL_CHECK_NOTE = (
    "The approval check always leaves them out, and requires scores for enough of what people labelled."
)


@dataclass(frozen=True)
class ChoiceFigures:
    """The figures under one choice; `summary` is None where the scale has no such answer, and `why` says so."""

    choice: str
    summary: Summary | None
    why: str = ""

    @property
    def accuracy(self) -> Accuracy:
        """Equal answers, and precision, recall and F1 averaged over the answers, where each has a row of the table."""
        if self.summary is None or self.summary.binned:
            return Accuracy(self.summary.exact if self.summary else None, None, None, None)
        return accuracy(self.summary.table)


@dataclass(frozen=True)
class Missingness:
    """The number of missing cells, the number of cells with gold, and the figures under each choice."""

    cells: int
    gold: int
    counted: tuple[ChoiceFigures, ...]


def imputed_code(choice: str, scale: Scale) -> float | None:
    """The code that counts for what is missing; None: it is left out.

    A number may lie between two answers of an ordered scale. Raises BadScale where the scale has no such answer.
    """
    word = choice.strip().lower()
    if word == OUT:
        return None
    if word == LOWEST:
        if scale.kind in ("unordered", "turn"):
            raise BadScale("answers without an order have no lowest one")
        return float(scale.lo if scale.is_numeric else 0)
    if word == TIE and not scale.drawn and TIE not in scale.categories:
        raise BadScale("this scale has no tie")
    value = scale.parse_text(word)
    if scale.is_numeric and isinstance(value, float) and scale.lo <= value <= scale.hi:
        return value
    code = scale.code(scale.drawn or TIE if word == TIE else value)
    if code is None:
        raise BadScale("n/a is no value: leave missing answers out instead")
    return code


def impute(ratings: PairedRatings, value: float | None, asked_mask: NDArray[np.bool_]) -> PairedRatings:
    """The cells with `value` where the judge was asked and gave none, and people gave one; None changes nothing."""
    if value is None:
        return ratings
    where = asked_mask & ~ratings.scored & ~np.isnan(ratings.human)
    judge: Floats = np.where(where, value, ratings.judge)
    return replace(ratings, judge=judge, scored=ratings.scored | where)


def usual_choices(scale: Scale) -> list[str]:
    """The choices shown side by side: left out, lowest and tie, and for a numeric scale its middle."""
    middle = [f"{(scale.lo + scale.hi) / 2:g}"] if scale.is_numeric else []
    return [OUT, LOWEST, TIE, *middle]


def compare_choices(
    ratings: PairedRatings, dimension: Dimension, asked_mask: NDArray[np.bool_], chosen: Sequence[str], drop: str = ""
) -> Missingness:
    """The figures under each of the choices; `drop` is a category that is left out on both sides, as in `summarise`."""
    missing_cells, counted = int((asked_mask & ~ratings.scored & ~np.isnan(ratings.human)).sum()), []
    for choice in chosen:
        try:
            value = imputed_code(choice, dimension.scale)
        except BadScale as error:
            counted.append(ChoiceFigures(choice, None, str(error)))
        else:
            counted.append(ChoiceFigures(choice, summarise(impute(ratings, value, asked_mask), dimension, drop)))
    return Missingness(missing_cells, len(ratings), tuple(counted))


def describe_choice(choice: str) -> str:
    """A choice in words: "left out", "as 3"."""
    return CHOICES.get(choice, f"as {choice}")


def explain(missing: Missingness) -> str:
    """Return a sentence with the number of missing cells."""
    have = "has" if missing.cells == 1 else "have"
    return f"Of {many(missing.gold, 'rating')} with gold {missing.cells:,} {have} no usable value of this judge."


def as_json(missing: Missingness) -> dict[str, Any]:
    """The same as values of JSON, without choices that the scale does not have."""
    figures = [
        {
            "as": choice.choice, "kappa": choice.summary.interval.point, "ratings": choice.summary.cells,
            "interval": choice.summary.interval.ends,
            **dict(zip(("accuracy", "precision", "recall", "f1"), choice.accuracy, strict=True)),
        }
        for choice in missing.counted if choice.summary is not None
    ]  # fmt: skip
    return {"ratings": missing.cells, "gold": missing.gold, "each": figures}
