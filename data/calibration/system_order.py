"""The order of systems by people's ratings and by a judge's, on the ratings that both gave."""

from __future__ import annotations

import numpy as np

from data.calibration.item_fields import SYSTEM, item_fields
from data.calibration.slices import encode_words, numbered_ratings
from data.gold.gold import Basis
from data.store import Store
from judges.stats import system_order
from judges.stats.calibration import value_cells
from judges.stats.system_order import SystemOrder
from judges.types import Dimension

QUESTION = "question_id"
"""The key of an item's meta by which answers of several systems to one question are known, as in MT-Bench."""


def measure_system_order(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> SystemOrder:
    """The systems of a dataset in people's order and the judge's; items without a system are left out.

    What is drawn together is a question where every item names one, else an item.
    """
    ratings, _ = numbered_ratings(store, dataset_id, judge_id, dimension, basis)
    cells, items = value_cells(ratings), item_fields(store, dataset_id)
    named = items.words[SYSTEM][np.asarray(cells.item, dtype=np.int64)] != ""
    cells = cells.where(named)
    number = np.asarray(cells.item, dtype=np.int64)
    systems = encode_words(items.words[SYSTEM][number])
    questions = items.meta[QUESTION][number] if QUESTION in items.meta else None
    by_question = questions is not None and bool((questions != "").all())
    cluster = encode_words(questions).code if by_question else number
    return system_order.order_systems(cells, systems.code, systems.names, cluster)
