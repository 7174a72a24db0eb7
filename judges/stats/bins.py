"""The values of a scale as codes, and as rows of its table.

Kappa uses values: `to_codes` maps them to codes from 0, one step apart; values may lie between two codes. Tables and
counts by answer have a row for every answer. An interval scale with more than `MAX_EXACT_ANSWERS` answers, or with any
number as answer, has `MAX_BINS` equal bins instead. Nothing else is binned.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.rounding import ROUNDING, STEP_ROUNDING
from judges.stats import agreement
from judges.stats.agreement import Codes, Floats, nearest_codes
from judges.types import Scale

MAX_BINS = 10
"""Bins of an interval scale that has too many answers for a row each."""
MAX_EXACT_ANSWERS = 11
"""The answers of an interval scale up to which each has its row, as on ordinal scales."""
_TENTH = 0.1000001
"""With room for what is exactly a tenth apart, and rounded."""


def first_value(scale: Scale) -> float:
    """The value of code 0."""
    return float(scale.lo) if scale.is_numeric else 0.0


def code_step(scale: Scale) -> float:
    """The distance of neighbouring codes: 1, the step of an interval scale, or a tenth of one that is binned."""
    return scale_width(scale) / MAX_BINS if is_binned(scale) else scale.step or 1.0


def code_count(scale: Scale) -> int:
    """K, so that the codes of values lie in 0..K-1; 0 where answers are no codes (turn references)."""
    return round(scale_width(scale) / code_step(scale)) + 1 if scale.kind == "interval" else scale.size


def scale_width(scale: Scale) -> float:
    """The distance of the ends of an ordered scale, in its own units."""
    return float(scale.hi - scale.lo) if scale.kind == "interval" else float(max(0, scale.size - 1))


def describe_step(scale: Scale) -> str:
    """The distance of neighbouring answers, in words: "one step", or a distance on the scale."""
    return f"{code_step(scale):.4g}" if scale.kind == "interval" else "one step"


def describe_equality(scale: Scale) -> str:
    """Return a sentence on which answers count as equal when single answers are right or wrong; "" if obvious."""
    step = describe_step(scale)
    return f"Answers at most {step} apart count as equal in these shares." if is_binned(scale) else ""


def to_codes(values: ArrayLike, scale: Scale) -> NDArray[np.int64] | Floats:
    """Values of a scale, none of them n/a, as codes from 0: whole numbers where all of them are answers."""
    codes = (np.asarray(values, dtype=np.float64) - first_value(scale)) / code_step(scale)
    if scale.kind == "interval":  # a step such as .1 is no binary number
        rounded = np.round(codes)
        codes = np.where(np.abs(codes - rounded) <= ROUNDING, rounded, codes)
    return codes.astype(np.int64) if np.all(codes == np.floor(codes)) else np.asarray(codes, dtype=np.float64)


def is_binned(scale: Scale) -> bool:
    """Whether a row of the table holds many answers."""
    return scale.kind == "interval" and not (scale.step and round(scale_width(scale) / scale.step) < MAX_EXACT_ANSWERS)


def row_count(scale: Scale) -> int:
    """The rows of the table; 0 where there is none (turn references)."""
    return MAX_BINS if is_binned(scale) else code_count(scale)


def row_labels(scale: Scale) -> tuple[str, ...]:
    """Return the label of each row, in words: an answer, or the ends of a bin."""
    if not is_binned(scale):
        return tuple(scale.answers)
    return tuple(
        f"{scale.format(low)}–{scale.format(high)}" for low, high in (bin_ends(n, scale) for n in range(MAX_BINS))
    )


def row_values(scale: Scale) -> tuple[float, ...]:
    """The value of each row: its answer, or the middle of its bin."""
    if is_binned(scale):
        return tuple(sum(bin_ends(n, scale)) / 2 for n in range(MAX_BINS))
    return tuple(float(first_value(scale) + n * code_step(scale)) for n in range(row_count(scale)))


def bin_ends(row: int, scale: Scale) -> tuple[float, float]:
    """Return the ends of a bin. Values on a border belong to the upper bin, the end of the scale to the last bin."""
    width = (scale.hi - scale.lo) / MAX_BINS
    return float(round(scale.lo + row * width, 9)), float(round(scale.lo + (row + 1) * width, 9))


def row_ends(value: float, scale: Scale) -> tuple[float, float]:
    """The ends of the row of an interval scale that holds a value: from the first up to, and without, the second.

    A query with these ends finds the same values as `row_numbers`; the outer rows have no outer end.
    """
    row, close = int(row_numbers([value], scale)[0]), ROUNDING * code_step(scale)
    if is_binned(scale):
        low, high = bin_ends(row, scale)
    else:
        low, high = (scale.lo + (row + half) * scale.step for half in (-0.5, 0.5))
    return (low - close if row else scale.lo - scale_width(scale)), (
        high - close if row < row_count(scale) - 1 else scale.hi + scale_width(scale)
    )


def is_same_answer(code: ArrayLike, other: ArrayLike, scale: Scale) -> NDArray[np.bool_]:
    """Whether codes are the same answer; on scales with too many answers for a table: at most a tenth apart."""
    gap = np.abs(np.asarray(code, dtype=np.float64) - np.asarray(other, dtype=np.float64))
    return np.asarray(gap <= is_binned(scale) + ROUNDING, dtype=bool)


def same_answer_reach(scale: Scale) -> float:
    """The largest distance at which one sample's answer counts as equal to the combined value of all samples.

    It is half a step (the nearest answer), or a tenth of the scale if that has too many answers for a table.
    """
    return scale_width(scale) * _TENTH if is_binned(scale) else code_step(scale) / 2


def agreeing_share(samples: Sequence[float | None], combined: float | None, scale: Scale) -> float:
    """The share of a cell's samples that agree with their combined value; None is n/a."""
    if combined is None:
        return sum(sample is None for sample in samples) / len(samples)
    low, high = (combined + sign * same_answer_reach(scale) + ROUNDING for sign in (-1, 1))
    return sum(sample is not None and low < sample <= high for sample in samples) / len(samples)


def differ(samples: Sequence[float | None], scale: Scale) -> bool:
    """Whether the samples of a cell do not all say the same; n/a is an answer like any other."""
    values = [sample for sample in samples if sample is not None]
    return 0 < len(values) < len(samples) or (bool(values) and max(values) - min(values) > same_answer_reach(scale))


def axis_ticks(scale: Scale, count: int) -> list[float]:
    """Round numbers on the axis of a scale of numbers, about `count` of them; whole ones on an ordinal scale."""
    step = max(1.0, round(scale_width(scale) / count))
    if scale.kind == "interval" and scale_width(scale) < count:
        step = next(e for e in (0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0) if scale_width(scale) / e <= count)
    return [float(round(scale.lo + n * step, 9)) for n in range(int(scale_width(scale) / step + ROUNDING) + 1)]


def steps_apart(value: ArrayLike, other: ArrayLike, scale: Scale) -> Floats:
    """The difference of two sides in steps, between the nearest answers; nan if a side is nan.

    On scales with too many answers for a table, a step is a tenth of the scale, and the result is 0 up to one tenth, 1
    up to two tenths, and so on.
    """
    gap = np.abs(nearest_answers(value, scale) - nearest_answers(other, scale))
    if is_binned(scale):
        return np.asarray(np.maximum(np.ceil(gap / code_step(scale) - ROUNDING) - 1, 0.0), dtype=np.float64)
    return np.asarray(np.round(gap / code_step(scale), 6), dtype=np.float64)


def row_numbers(values: ArrayLike, scale: Scale) -> Codes:
    """The row of every value: that of the nearest answer (a half counts up), or of its bin."""
    array = np.asarray(values, dtype=np.float64)
    if not is_binned(scale):
        return nearest_codes(to_codes(array, scale))
    at = (array - scale.lo) / (scale.hi - scale.lo) * MAX_BINS
    return np.asarray(np.clip(np.floor(at + ROUNDING), 0, MAX_BINS - 1), dtype=np.intp)


def from_codes(codes: ArrayLike, scale: Scale) -> Floats:
    """The values of codes: the inverse of `to_codes`."""
    return np.asarray(first_value(scale) + np.asarray(codes, dtype=np.float64) * code_step(scale), dtype=np.float64)


def is_between_answers(values: ArrayLike, scale: Scale) -> NDArray[np.bool_]:
    """Return a mask of the values between two answers of the scale, as combined samples may be; nan is not."""
    gap = np.abs(np.asarray(values, dtype=np.float64) - nearest_answers(values, scale))
    return np.asarray(gap > STEP_ROUNDING * (scale.step or 1), dtype=bool)


def nearest_answers(values: ArrayLike, scale: Scale) -> Floats:
    """The answer nearest to every value, which people are shown; without steps the value itself. nan stays."""
    array = np.asarray(values, dtype=np.float64)
    if scale.kind == "interval" and not scale.step:
        return array
    step = scale.step or 1.0
    return np.asarray(first_value(scale) + np.floor((array - first_value(scale)) / step + 0.5 + ROUNDING) * step)


def gwet_ac(table: ArrayLike, scale: Scale) -> float | None:
    """`agreement.gwet_ac` of a scale's table; None on a binned scale, where it would depend on the number of bins."""
    return None if is_binned(scale) else agreement.gwet_ac(table, scale.weights)
