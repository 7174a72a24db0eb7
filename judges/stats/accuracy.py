"""Accuracy as papers on classifiers have it: equal answers, and precision, recall and F1 averaged over the answers.

They are not corrected for chance. They are shown because published tables of verdicts consist of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from judges.stats.agreement import Floats, check_table, exact_agreement


class Accuracy(NamedTuple):
    """Share of equal answers, and the plain means over answers of precision, recall and F1; None for no cell."""

    exact: float | None
    precision: float | None
    recall: float | None
    f1: float | None


def accuracy(table: ArrayLike) -> Accuracy:
    """The figures of a K x K table (rows = human, columns = judge), of counts or weights.

        precision_k = C_kk / c_k,   recall_k = C_kk / r_k,   F1_k = 2 C_kk / (r_k + c_k)

    with r and c the margins. An answer that neither side gave is in no mean; where only one side gave it, what has no
    denominator is 0, as scikit-learn has it. ValueError as in `judges.stats.agreement.check_table`.
    """
    array = check_table(table)
    people, judge, equal = array.sum(axis=1), array.sum(axis=0), np.diag(array)
    given = people + judge > 0
    if not given.any():
        return Accuracy(None, None, None, None)
    macro = [float(_over(equal, below)[given].mean()) for below in (judge, people, (people + judge) / 2)]
    return Accuracy(exact_agreement(array), *macro)


def _over(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
