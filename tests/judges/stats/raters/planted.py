"""Ratings written down by hand, or of people of whom it is known how often they say the truth."""

import numpy as np

from judges.stats.raters.ratings import Ratings
from judges.types import Scale

FIVE = Scale("ordinal", 1, 5)
VERDICT = Scale("unordered", categories=("a", "tie", "b"), drawn="tie")
PLAIN = Scale("unordered", categories=("x", "y", "z"))


def ratings(rows, scale, judge=None):
    """Ratings from (item, unit, person, code) rows; `judge` gives its code by (item, unit)."""
    cells = {key: n for n, key in enumerate(dict.fromkeys((i, u) for i, u, _, _ in rows))}
    people = sorted({p for _, _, p, _ in rows})
    column = [np.array(values, dtype=np.int64) for values in zip(*(
        (i, cells[i, u], people.index(p), v, (judge or {}).get((i, u), -1)) for i, u, p, v in rows
    ), strict=True)]  # fmt: skip
    return Ratings(*column, tuple(people), scale)


def plant_ratings(people, items=80, scale=FIVE, judge=0.8, seed=0, cells=2):
    """Everybody labels every cell: `people` and `judge` are the shares in which they say the truth, else a step off."""
    rng = np.random.default_rng(seed)
    k, rows, codes = scale.size, [], {}

    def say(truth, share):
        return truth if rng.random() < share else int(np.clip(truth + rng.choice([-1, 1]), 0, k - 1))

    for item in range(items):
        for unit in range(cells):
            truth = int(rng.integers(k))
            codes[item, unit] = int(rng.integers(k)) if judge is None else say(truth, judge)
            rows += [(item, unit, name, say(truth, share)) for name, share in people.items()]
    return ratings(rows, scale, codes)
