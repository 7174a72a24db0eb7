"""The agreement of a judge with people: every figure that one K x K table of a dimension can give.

A table has rows = human, columns = judge, and always the full scale (K values, whether or not they occurred). Its cells
are counts, or sums of sampling weights 1/pi. An undefined figure is None, not nan and not 1.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.rounding import NO_SPREAD

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Weights = Literal["linear", "quadratic"] | None
_DIGITS = 12
"""The digits by which values are told apart."""


def check_codes(values: ArrayLike, k: int, side: str) -> Codes:
    """The values of one side as integer codes 0..k-1, checked.

    `side` names them in the sentence of the ValueError: not one-dimensional, not whole numbers, or off the scale.
    """
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        raise ValueError(f"The {side} codes must be a plain list of whole numbers from 0 to {k - 1}.")
    if array.size and (array.min() < 0 or array.max() >= k):
        raise ValueError(
            f"The {side} codes must lie on the scale, from 0 to {k - 1}; found {array.min()} to {array.max()}."
        )
    # A database gives int8 for a small scale, and human * k + judge overflows int8 from k = 12 on.
    return array.astype(np.intp, copy=False)


def check_values(values: ArrayLike, k: int, side: str, weights: Weights) -> Codes | Floats:
    """The values of one side as codes or, if kappa allows them, as values between two codes.

    A mean of a judge's samples, or the median of an even number of them, may lie between two codes. Kappa by six sums
    (`kappa_from_sums`) accepts such values. ValueError as in `check_codes`, and for fractions if answers have no order.
    """
    array = np.asarray(values)
    if array.dtype.kind != "f" or not is_kappa_of_moments(k, weights):
        return check_codes(values, k, side)
    if array.ndim != 1 or not np.isfinite(array).all() or (array.size and (array.min() < 0 or array.max() > k - 1)):
        raise ValueError(f"The {side} values must be a plain list of finite numbers from 0 to {k - 1}.")
    return array.astype(np.float64, copy=False)


def is_kappa_of_moments(k: int, weights: Weights) -> bool:
    """Whether kappa is a function of six sums: quadratic weights, and two values, where plain kappa is the same."""
    return weights == "quadratic" or k == 2


def merge_rounded(values: ArrayLike) -> Floats:
    """The values, equal where they differ by rounding only, as means of the same answers in another order do.

    Whether values are equal decides whether a side is constant, and which ranks are tied.
    """
    array = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(array).max(initial=0.0))
    return np.round(array, _DIGITS - ceil(log10(largest))) if largest else array


def nearest_codes(values: Codes | Floats) -> Codes:
    """The codes of the answers nearest to values that may lie between two; a half counts up."""
    return np.floor(np.asarray(values, dtype=np.float64) + 0.5).astype(np.intp)


def check_weights(weight: ArrayLike | None, cells: int) -> Floats:
    """Sampling weights (1 / inclusion probability), one per cell, checked; None means 1 each.

    ValueError when their number is not `cells`, or one is not a positive finite number.
    """
    array = np.ones(cells) if weight is None else np.asarray(weight, dtype=np.float64)
    if array.shape != (cells,):
        raise ValueError(f"There must be one weight for each of the {cells} cells; got {array.size}.")
    if not (np.isfinite(array) & (array > 0)).all():
        raise ValueError("Every weight must be a positive finite number: it is 1 / the probability of being drawn.")
    return array


def cross_table(human: ArrayLike, judge: ArrayLike, k: int, weight: ArrayLike | None = None) -> Floats:
    """The K x K table (rows = human, columns = judge) of cells given as codes 0..k-1, each counted once or by `weight`.

    ValueError when a code is off the scale, a weight is not positive, or the lengths differ.
    """
    if k < 1:
        raise ValueError("A scale needs at least one value.")
    rows, columns = check_codes(human, k, "human"), check_codes(judge, k, "judge")
    if rows.size != columns.size:
        raise ValueError(f"Human and judge must be given for the same cells; got {rows.size} and {columns.size}.")
    counts = np.bincount(rows * k + columns, check_weights(weight, rows.size), minlength=k * k)
    return counts.reshape(k, k).astype(np.float64)


def check_table(table: ArrayLike) -> Floats:
    """The table as floats; ValueError unless it is square and every entry a finite number that is not negative."""
    array = np.asarray(table, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(
            f"A table of agreement must be square, one row and one column a value; got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError("A table of agreement must hold finite numbers only; it has nan or infinity in it.")
    if (array < 0).any():
        raise ValueError("A table of agreement holds counts or weights, which cannot be negative.")
    return array


def disagreement_weights(k: int, weights: Weights) -> Floats:
    """The K x K cost D of human i against judge j: None [i != j], "linear" |i - j|, "quadratic" (i - j)^2."""
    if weights is not None and weights not in ("linear", "quadratic"):
        raise ValueError(f'Weights are None, "linear" or "quadratic"; got {weights!r}.')
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    if weights == "quadratic":
        return steps**2
    return steps if weights == "linear" else (steps > 0).astype(np.float64)


def kappa(table: ArrayLike, weights: Weights = None) -> float | None:
    """Cohen's kappa: plain for unordered scales and flags, weighted for ordered ones.

        kappa = 1 - sum(C * D) / (sum(r_i c_j D_ij) / n)

    with C the table, r and c its margins, n its sum, D = `disagreement_weights(K, weights)`. None if the expected
    disagreement is 0 (both sides always gave the same single value, or the table is empty). ValueError for a table that
    is not square, has negative, nan or infinite entries, or for unknown weights. Source: Cohen 1960 (plain), 1968
    (weighted).
    """
    array = check_table(table)
    cost = disagreement_weights(len(array), weights)
    # n is multiplied out instead of normalising, so that whole counts stay exact: the approval check compares with .5.
    expected = chance_disagreement(array, weights)
    return 1.0 - float(array.sum()) * float((array * cost).sum()) / expected if expected > 0 else None


def chance_disagreement(table: Floats, weights: Weights) -> float:
    """n^2 times the expected disagreement, sum(r_i c_j D_ij)."""
    return float(table.sum(axis=1) @ disagreement_weights(len(table), weights) @ table.sum(axis=0))


def chance_disagreement_from_sums(sums: Floats) -> float:
    """The same for quadratic weights, from the sums of `kappa_from_sums`."""
    n, sx, sy, sxx, syy, _ = sums.tolist()
    return float(n * (sxx + syy) - 2 * sx * sy)


def kappa_from_sums(sums: ArrayLike) -> float | None:
    """Quadratic-weighted kappa from six sums over cells (n, Sx, Sy, Sxx, Syy, Sxy), x = human, y = judge.

        kappa = 1 - n (Sxx + Syy - 2 Sxy) / (n (Sxx + Syy) - 2 Sx Sy)

    which is 2 cov(x, y) / (var x + var y + (mean x - mean y)^2) with population moments (Lin 1989), so one pass of SQL
    serves any number of rows. Any evenly spaced coding of the scale gives the same result. None as in `kappa`;
    ValueError unless six finite numbers.
    """
    array = np.asarray(sums, dtype=np.float64)
    if array.shape != (6,) or not np.isfinite(array).all():
        raise ValueError("Six finite sums are needed: n, Sx, Sy, Sxx, Syy, Sxy.")
    n, _, _, sxx, syy, sxy = array.tolist()
    expected = chance_disagreement_from_sums(array)
    # With fractional weights the difference of a constant pair is rounding noise, not zero.
    if expected <= NO_SPREAD * n * (sxx + syy):
        return None
    return float(1.0 - n * (sxx + syy - 2 * sxy) / expected)


def gradient_by_table(table: Floats, weights: Weights) -> Floats:
    """d kappa / d C_ij, K x K, for kappa = 1 - n O / E with O = sum(C D) and E = sum(r_i c_j D_ij)."""
    cost = disagreement_weights(len(table), weights)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    n, observed, expected = table.sum(), (table * cost).sum(), rows @ cost @ columns
    slope_expected = (cost @ columns)[:, None] + (rows @ cost)[None, :]
    slope = -((observed + n * cost) * expected - n * observed * slope_expected) / expected**2
    return np.asarray(slope, dtype=np.float64)


def six_moments(human: ArrayLike, judge: ArrayLike) -> Floats:
    """The contribution of every cell to the sums of `kappa_from_sums`, (6, cells)."""
    x, y = np.asarray(human, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])


def gradient_by_moments(sums: Floats) -> Floats:
    """The gradient of `kappa_from_sums` with respect to the six sums."""
    n, sx, sy, sxx, syy, sxy = sums.tolist()
    observed, expected = sxx + syy - 2 * sxy, n * (sxx + syy) - 2 * sx * sy
    slope_observed = np.array([observed, 0, 0, n, n, -2 * n])
    slope_expected = np.array([sxx + syy, -2 * sy, -2 * sx, n, n, 0])
    return np.asarray(-(slope_observed * expected - n * observed * slope_expected) / expected**2, dtype=np.float64)


def share_within(table: ArrayLike, steps: int) -> float | None:
    """Share of cells where judge and human differ by at most so many steps of the scale; None for an empty table."""
    array = check_table(table)
    n = float(array.sum())
    mask = disagreement_weights(len(array), "linear") <= steps
    return float(array[mask].sum()) / n if n > 0 else None


def marginals(table: ArrayLike) -> tuple[Floats, Floats] | None:
    """Share of every value with the human (K,) and with the judge (K,), each summing to 1; None for an empty table."""
    array = check_table(table)
    n = float(array.sum())
    return (array.sum(axis=1) / n, array.sum(axis=0) / n) if n > 0 else None


def commonest_share(table: ArrayLike) -> float | None:
    """Share of the commonest value among the answers of both sides, max (r_k + c_k) / 2n; None for an empty table.

    Above .8 kappa becomes fragile and the page warns.
    """
    margins = marginals(table)
    return float((margins[0] + margins[1]).max()) / 2 if margins else None


def gwet_ac(table: ArrayLike, weights: Weights = None) -> float | None:
    """Gwet's AC1 (weights None) or AC2 ("linear", "quadratic"), corrected for chance of another kind than kappa's.

        AC = (p_a - p_e) / (1 - p_e),  p_a = sum(P * W),  p_e = sum(W) / (K (K - 1)) * sum_k pi_k (1 - pi_k)

    with W = 1 - D / max(D) and pi_k = (r_k + c_k) / 2n. It is shown next to a kappa that is fragile because one value
    is very common, and does not replace it: if both sides always give the same value, its formula gives 1.0. None for
    an empty table or K = 1. Source: Gwet 2008, and Handbook of Inter-Rater Reliability (2014), chapter 3.
    """
    array = check_table(table)
    k, n = len(array), float(array.sum())
    if n == 0 or k < 2:
        return None
    cost = disagreement_weights(k, weights)
    credit = 1 - cost / cost.max()
    share = (array.sum(axis=1) + array.sum(axis=0)) / (2 * n)
    agreed = float((array * credit).sum()) / n
    by_chance = float(credit.sum()) / (k * (k - 1)) * float((share * (1 - share)).sum())
    return (agreed - by_chance) / (1 - by_chance)


@dataclass(frozen=True)
class NaAgreement:
    """The agreement of both sides on which cells can be scored.

    `agreement` is the share where both scored or both said n/a, and `kappa` is the plain kappa of scored against n/a.
    `cells` is their number (or weight). Both are None when there are no cells.
    """

    cells: float
    agreement: float | None
    kappa: float | None


def na_agreement(both: float, human_only: float, judge_only: float, neither: float) -> NaAgreement:
    """The agreement of both sides on n/a, separate from kappa on the cells that both scored.

    Counts (or weights) of cells scored by both, by the human only (the judge said n/a), by the judge only, and n/a
    for both.
    """
    table = np.array([[both, human_only], [judge_only, neither]], dtype=np.float64)
    return NaAgreement(cells=float(table.sum()), agreement=share_within(table, 0), kappa=kappa(table))


def effective_size(weights: ArrayLike) -> float:
    """Effective number of draws, n_eff = (sum w)^2 / sum w^2: the equivalent number of equally weighted draws.

    Equal weights give their number, no weights 0.0. ValueError for a weight that is negative or not finite.
    Source: Kish 1965.
    """
    array = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError("Weights must be finite numbers and not negative.")
    squares = float((array**2).sum())
    return float(array.sum()) ** 2 / squares if squares > 0 else 0.0


class Accuracy(NamedTuple):
    """Share of equal answers, and the plain means over answers of precision, recall and F1; None for no cell."""

    exact: float | None
    precision: float | None
    recall: float | None
    f1: float | None


def accuracy(table: ArrayLike) -> Accuracy:
    """The figures of a K x K table (rows = human, columns = judge), of counts or weights.

        precision_k = C_kk / c_k,   recall_k = C_kk / r_k,   F1_k = 2 C_kk / (r_k + c_k)

    with r and c the margins. An answer that neither side gave enters no mean. If only one side gave it, a figure
    without a denominator is 0, as in scikit-learn. ValueError as in `judges.stats.agreement.check_table`.
    """
    array = check_table(table)
    people, judge, equal = array.sum(axis=1), array.sum(axis=0), np.diag(array)
    present = people + judge > 0
    if not present.any():
        return Accuracy(None, None, None, None)
    macro = [float(_over(equal, denominator)[present].mean()) for denominator in (judge, people, (people + judge) / 2)]
    return Accuracy(share_within(array, 0), *macro)


def _over(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
