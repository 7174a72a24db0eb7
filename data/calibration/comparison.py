"""Several judges of one dataset on the very same cells, for holding them against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from data.calibration import calibration
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis, gold_sql
from data.records.access import allow
from data.records.settings import gold_rule
from data.store import Store, cache_result, placeholders
from judges.stats import bins
from judges.stats.agreement import Floats
from judges.stats.baselines import guess_by_length, has_length_rule, unit_length
from judges.stats.comparison import JudgeComparison, SharedCells, compare_judges
from judges.types import ITEM, Dimension

LENGTH, CONSTANT = "rule: length", "rule: always the same"
"""Two rules that do not read, as judges beside the judges."""
MOST_ITEMS = 5_000
"""On more items than this the length rule is left out: it would have to read them all."""


class ComparedCells(NamedTuple):
    """The cells of a dimension that people and all chosen judges gave a value of the scale, and what was left out.

    `gold` counts the cells with a gold value, `scored` those that each judge gave a value too. `too_many`: the length
    rule was left out.
    """

    cells: SharedCells
    gold: int
    scored: Mapping[str, int]
    too_many: bool


def common_dimensions(store: Store, judge_ids: Sequence[str]) -> dict[str, tuple[Dimension, list[str]]]:
    """sort.name -> (dimension, the judges that have it), of those with a table; a name means one scale everywhere."""
    common: dict[str, tuple[Dimension, list[str]]] = {}
    for judge_id in judge_ids:
        for dimension in calibration.compared_dimensions(store, judge_id):
            entry = common.setdefault(f"{dimension.sort}.{dimension.name}", (dimension, []))
            if entry[0].scale == dimension.scale:
                entry[1].append(judge_id)
    return common


def compared_cells(
    store: Store, dataset_id: str, judge_ids: Sequence[str], dimension: Dimension, basis: Basis
) -> ComparedCells:
    """Return the cells that all of these judges share with people, with the rules LENGTH and CONSTANT as judges.

    Items that are examples in the prompt of any of them are left out for all.
    """
    scale = dimension.scale
    joins = "".join(
        f"left join score_now s{n} on s{n}.item_id = g.item_id and s{n}.unit = g.unit and s{n}.dimension = $2 "
        f"and s{n}.judge_id = ${n + 3} "
        for n in range(len(judge_ids))
    )
    scores_sql = "".join(f", s{n}.value as j{n}" for n in range(len(judge_ids)))
    shown = "".join(dict.fromkeys(not_in_prompt_sql(store, judge_id) for judge_id in judge_ids))
    frame = store.frame(
        f"select g.item_id, g.unit, g.value as human, g.weight{scores_sql} "
        f"from ({gold_sql(dimension.sort, scale, basis, gold_rule(store, dataset_id), shown)}) g {joins}"
        "join item i on i.id = g.item_id where g.value is not null order by i.hash, g.item_id, g.unit",
        [dataset_id, dimension.name, *judge_ids],
    )
    columns = calibration.float_columns(frame, *(f"j{n}" for n in range(len(judge_ids))))
    values = dict(zip(judge_ids, columns, strict=True))
    everywhere = ~np.isnan(columns).any(axis=0)
    chosen = frame[everywhere]
    item = np.asarray(chosen["item_id"].factorize()[0], dtype=np.int64)  # as the rows are ordered
    human = bins.to_codes(chosen["human"].to_numpy(dtype=np.float64), scale)
    weights = chosen["weight"].to_numpy(dtype=np.float64)
    judges = {judge_id: bins.to_codes(scores[everywhere], scale) for judge_id, scores in values.items()}
    many = len(np.unique(item)) > MOST_ITEMS
    if len(item):
        row = int(np.bincount(bins.row_numbers(chosen["human"], scale), weights).argmax())
        lengths = None if many or not has_length_rule(dimension) else _lengths(store, dataset_id, chosen)
        if lengths is not None and not np.isnan(lengths).any() and len(np.unique(item)) > 1:
            judges[LENGTH] = guess_by_length(lengths, item, human, weights, dimension)
        judges[CONSTANT] = bins.to_codes(np.full(len(item), bins.row_values(scale)[row]), scale)
    cells = SharedCells(item, human, judges, None if np.all(weights == 1) else weights)
    return ComparedCells(
        cells, len(frame), {judge_id: int((~np.isnan(v)).sum()) for judge_id, v in values.items()}, many
    )


def _lengths(store: Store, dataset_id: str, chosen: object) -> Floats:
    """The length of each cell's text, in tokens."""
    ids, units = (chosen[name].to_numpy(dtype=str) for name in ("item_id", "unit"))  # type: ignore[index]
    item_ids = sorted(set(ids.tolist()))
    rows = store.rows(f"select id, content from item where id in ({placeholders(item_ids)})", item_ids)
    items = {str(id_): ITEM.validate_json(content) for id_, content in rows}
    return np.array([unit_length(items[i], unit) for i, unit in zip(ids.tolist(), units.tolist(), strict=True)])


@allow("annotator")
@cache_result
def compare_on_shared_cells(
    store: Store, dataset_id: str, judge_ids: tuple[str, ...], basis: Basis
) -> dict[str, tuple[Dimension, ComparedCells, JudgeComparison]]:
    """Every dimension that the first judge, the reference, has, with those of the others that have it too."""
    comparisons = {}
    for name, (dimension, judges) in common_dimensions(store, judge_ids).items():
        if judge_ids[0] not in judges:
            continue
        shared = compared_cells(store, dataset_id, judges, dimension, basis)
        if len(shared.cells.item):
            k, weights = bins.code_count(dimension.scale), dimension.scale.weights
            comparisons[name] = dimension, shared, compare_judges(shared.cells, judge_ids[0], k, weights)
    return comparisons
