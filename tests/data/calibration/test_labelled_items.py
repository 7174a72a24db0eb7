"""The sums of labelled items, of several dimensions at a time."""

from contextlib import closing
from itertools import product

import numpy as np
import pytest

from data.calibration.labelled_items import labelled_items
from data.store import open_store
from judges.cards import cards
from tests.data.cells import Cell, fill


@pytest.mark.slow
def test_several_dimensions_on_several_bases_give_what_each_gives_alone(tmp_path):
    rng, units = np.random.default_rng(5), {"turn": ("turn:1", "turn:2"), "conversation": ("conversation",)}
    dimensions = [d for d in cards()["multi_turn_dialogue"].dimensions if d.asked and d.scale.size]
    with closing(open_store(f"duckdb:///{tmp_path}/s.duckdb")) as store:
        cells = [
            Cell(n, unit, tuple(rng.integers(1, 4, 1 + n % 3).astype(float)), float(rng.integers(1, 4)),
                 "assisted" if n % 4 == 3 else "blind", (0.25, 0.25, None)[n % 3], d.name)
            for place, d in enumerate(dimensions) for unit, n in product(units[d.sort], range(place, 24))
        ]  # fmt: skip
        dataset, judge = fill(store, cells)
        bases = [("gate", "imported", "all", "blind")[n % 4] for n in range(len(dimensions))]
        for chosen in (bases, ["all"] * len(dimensions)):
            together = labelled_items(store, dataset, judge, dimensions, chosen)
            for d, basis in zip(dimensions, chosen, strict=True):
                alone = labelled_items(store, dataset, judge, [d], [basis])[d.sort, d.name]
                sums = together[d.sort, d.name]
                assert sums.keys() == alone.keys() == {"s0", "s1"}, d.name
                for system, number in product(alone, range(len(alone["s0"]))):
                    for name, value in alone[system][number]._asdict().items():
                        np.testing.assert_allclose(getattr(sums[system][number], name), value, err_msg=f"{d} {name}")
