"""In which order the answers of a cell are shown to whoever decides between them."""

from __future__ import annotations

from itertools import permutations

from data.adjudication.adjudication_items import shuffle_labels
from data.gold.disputes import PersonLabel


def test_the_order_of_labels_is_the_same_every_time_and_not_that_of_names() -> None:
    labels = [PersonLabel(f"label {n}", person, float(n), "blind") for n, person in enumerate(("ann", "ben", "cy"))]
    orders = set()
    for item in map(str, range(60)):
        shuffles = {tuple(shuffle_labels(item, "turn:1", "safety", order)) for order in permutations(labels)}
        assert len(shuffles) == 1
        orders |= shuffles
    assert orders == set(permutations(labels))
