"""Sums of a judge's scores by system; tests/data/dashboard/test_dashboard.py has how they follow the store."""

from __future__ import annotations

import numpy as np
import pytest

from data.calibration.aggregates import AggregateGroup
from data.records.outcomes import counted_dimension
from judges.stats import ppi
from judges.types import Dimension, Scale

ASK = counted_dimension(Dimension("wit", "turn", Scale("ordinal", 1, 5), "How witty?"))
GROUP = AggregateGroup(10, 10, np.array([1.0, 2, 3, 0, 4]), np.array([[34.0, 10]]), np.ones((1, 3)), 136.0)


@pytest.mark.parametrize(("values", "uncovered"), [
    ([1, 5], 0.0), ([2, 3], 0.5), ([2, 5], 0.1), ([1, 3], 0.4), ([4], 1.0), ([], 1.0),
])  # fmt: skip
def test_what_labels_do_not_cover_lies_below_or_above_all_labelled_values(
    values: list[int], uncovered: float
) -> None:
    n = len(values)
    labelled = ppi.moments(range(n), values, values, [True] * n)
    moments = GROUP.moments(ASK, 0, labelled if n else None)
    assert (moments.labelled, moments.items, moments.uncovered) == (n, 10, uncovered)
    assert (moments.total.tolist(), moments.weights) == (labelled.total.tolist(), (n, n))
