"""The input of `judges.stats.forecast`: what a draw is likely to show, from the scores that a judge gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from data.calibration.calibration import compared_dimensions, paired_cells_sql
from data.records.access import allow
from data.records.outcomes import unit_sort_sql
from data.store import Store, Tx
from data.store.errors import BadInput
from judges.stats import bins, forecast, sampling
from judges.stats.forecast import Forecast, InfluenceSpread
from judges.stats.intervals import Cells
from judges.stats.sampling import Allocation, SampleDesign
from judges.types import Dimension

MAX_ITEMS_PER_STRATUM = 400
"""The most items of a stratum that are looked at; ids are hashes, so the first by id are a random choice."""
DEFAULT_AGREEMENT = 0.65
"""The agreement that Neyman's allocation assumes by default."""


def dimension_of(store: Store | Tx, judge_id: str, about: str) -> Dimension:
    """The dimension of a judge's card by its name in designs, "turn.helpfulness". Raises BadInput."""
    by_name = {f"{d.sort}.{d.name}": d for d in compared_dimensions(store, judge_id)}
    if about not in by_name:
        raise BadInput(f"This judge's card has no dimension called {about!r}. It has: {', '.join(by_name) or 'none'}.")
    return by_name[about]


def known_population(
    store: Store | Tx, dataset_id: str, parts: Mapping[str, str], judge_id: str, dimension: Dimension
) -> forecast.ScoredPopulation:
    """The judge's scores of the items of each stratum; `parts` is item -> stratum. Raises BadInput without scores."""
    sizes, scale = sizes_of(parts), dimension.scale
    code, item_counts = {h: n for n, h in enumerate(sizes)}, dict.fromkeys(sizes, 0)
    number: dict[str, int] = {}
    for item, h in sorted(parts.items()):
        if item_counts[h] < MAX_ITEMS_PER_STRATUM:
            item_counts[h] += 1
            number[item] = len(number)
    rows = store.rows(
        "select l.item_id, l.value from score_now l join item i on i.id = l.item_id where i.dataset_id = $1 and "
        f"l.judge_id = $2 and l.dimension = $3 and {unit_sort_sql(dimension.sort, 'l')} and l.value is not null "
        "order by l.item_id, l.unit",
        [dataset_id, judge_id, dimension.name],
    )
    cells = [(number[str(i)], float(v)) for i, v in rows if str(i) in number]
    if not cells:
        raise BadInput(f"This judge has no scores of {dimension.name.replace('_', ' ')} here to forecast from.")
    item, value = np.array(cells).T
    judge = bins.row_numbers(value, scale).astype(np.int64)
    stratum = np.array([code[parts[i]] for i in number], dtype=np.int64)
    counts = np.array(list(sizes.values()))
    return forecast.ScoredPopulation(
        item.astype(np.int64), judge, stratum, counts, bins.row_count(scale), scale.weights
    )


def sizes_of(parts: Mapping[str, str]) -> dict[str, int]:
    """Return the number of items of each stratum, by name."""
    return dict(sorted(Counter(parts.values()).items()))


def stratum_worth(
    store: Store | Tx, dataset_id: str, parts: Mapping[str, str], design: SampleDesign
) -> dict[str, float]:
    """Return in what proportion a sample is allocated to the strata. Raises BadInput for an impossible design."""
    sizes = sizes_of(parts)
    if design.allocation != "neyman" or not sizes:
        return sampling.allocation_weights(sizes, design.allocation)
    dimension = dimension_of(store, design.judge, design.about)
    imagined = forecast.simulate_spread(
        known_population(store, dataset_id, parts, design.judge, dimension), DEFAULT_AGREEMENT
    )
    return _neyman(store, dataset_id, parts, design.judge, dimension, imagined)


def _neyman(
    store: Store | Tx, dataset_id: str, parts: Mapping[str, str], judge_id: str, dimension: Dimension,
    imagined: InfluenceSpread | None,
) -> dict[str, float]:  # fmt: skip
    """Return the Neyman weights, from gold so far and imagined people; without `imagined`, the square-root weights."""
    sizes, scale = sizes_of(parts), dimension.scale
    if imagined is None:
        return sampling.allocation_weights(sizes, "root")
    code = {h: n for n, h in enumerate(sizes)}
    cells = paired_cells_sql(store, dataset_id, judge_id, dimension, "gate")
    rows = [
        (str(i), float(h), float(j), float(w))
        for i, h, j, w in store.rows(
            f"with met as ({cells}) select item_id, human, judge, weight from met "
            "where scored and human is not null and judge is not null order by item_id, unit",
            [dataset_id, dimension.name, judge_id],
        )
        if str(i) in parts
    ]
    spread = imagined.strata
    if rows:
        ids, human, judge, weight = zip(*rows, strict=True)
        place = {i: n for n, i in enumerate(dict.fromkeys(ids))}
        stratum = np.array([code[parts[i]] for i in ids], dtype=np.int64)
        people, judged = bins.row_numbers(human, scale), bins.row_numbers(judge, scale)
        gold = Cells([place[i] for i in ids], people, judged, weight)
        spread = forecast.blend_spread(imagined, gold, stratum, bins.row_count(scale), scale.weights)
    return sampling.allocation_weights(sizes, "neyman", dict(zip(sizes, spread.tolist(), strict=True)))


@allow("researcher")
def forecast_draw(
    store: Store, dataset_id: str, parts: Mapping[str, str], judge_id: str, about: str, items: int,
    agreements: Sequence[float], threshold: float, z: float, first: int, last: int, level: float,
) -> dict[Allocation | None, Forecast]:  # fmt: skip
    """Return the likely result of a sample of `items` by allocation (None: drawn at random without strata).

    See `judges.stats.forecast.forecast`. Raises BadInput if there is no forecast.
    """
    dimension, sizes = dimension_of(store, judge_id, about), sizes_of(parts)
    population = known_population(store, dataset_id, parts, judge_id, dimension)
    spreads = [s for s in (forecast.simulate_spread(population, a) for a in agreements) if s is not None]
    if not spreads:
        raise BadInput(
            f"This judge gives every item the same {dimension.name.replace('_', ' ')}, so kappa is undefined however "
            "many labels there are, and there is no forecast."
        )
    neyman = _neyman(store, dataset_id, parts, judge_id, dimension, spreads[len(spreads) // 2])
    worths: dict[Allocation | None, dict[str, float] | None] = {
        None: None,
        "proportional": sampling.allocation_weights(sizes, "proportional"),
        "root": sampling.allocation_weights(sizes, "root"),
        "neyman": neyman,
    }
    return {
        allocation: forecast.forecast(spreads, sizes, worth, items, threshold, z, first, last, level)
        for allocation, worth in worths.items()
    }
