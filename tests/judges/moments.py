"""The six moments of kappa by item, in numpy: what the database sums up by itself, and tests hold it to."""

import numpy as np


def moments(item_index, human, judge, weight=None):
    """(totals (6,) of s = (n, Sx, Sy, Sxx, Syy, Sxy), cross-products sum_g s_g s_g^T (6, 6), items G).

    x = human, y = judge; every cell counts `weight` times; s_g are the sums of the cells of item g.
    """
    items, item = np.unique(np.asarray(item_index), return_inverse=True)
    x, y = np.asarray(human, dtype=float), np.asarray(judge, dtype=float)
    w = np.ones(len(x)) if weight is None else np.asarray(weight, dtype=float)
    sums = np.stack([np.bincount(item, w * value, len(items)) for value in (x**0, x, y, x * x, y * y, x * y)])
    return sums.sum(axis=1), sums @ sums.T, len(items)


def with_sizes(total, cross, items):
    """The same with cells and effective items, as `interval_from_moments` and `interval_from_table` need them.

    Of items of equally many cells: the total weight, and Kish's number of the items' weights.
    """
    weight, squares = (total[0], cross[0, 0]) if total.ndim == 1 else (total.sum(), cross.sum())
    return total, cross, items, round(float(weight)), float(weight**2 / squares) if squares else 0.0
