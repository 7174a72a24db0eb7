"""Several samples of a judge become one answer: the rows that the store derives at every change that brings scores."""

from __future__ import annotations

from typing import Any, NamedTuple

from data.store.base import Tx, columns_of, placeholders

_MAX_NAMED_ITEMS = 500
"""Items that are looked up by name; of more, the judge's samples are gone through."""


class CombinationRow(NamedTuple):
    """The answer that the samples of a judge combine to in a cell, and how far they agree.

    `anew`: it replaces an older row of the same samples, from before the scale said how far they agree.
    """

    judgment_id: str
    judge_id: str
    item_id: str
    unit: str
    dimension: str
    value: float | None
    confidence: float | None
    source: str
    sample: int
    samples: int
    agreement: float
    highest: float | None
    lowest: float | None
    flips: bool
    anew: bool | None


_ROUNDED = {name: f"round({name}, 9) as {name}" for name in ("value", "confidence")}
_COMBINED = f"select {', '.join(_ROUNDED.get(name, name) for name in CombinationRow._fields)} from combined_now"
"""SQL of the rows. The last digit of a sum goes by its order, and ties of values and levels of confidence are exact."""


def combine(tx: Tx) -> None:
    """Append what the samples combine to of which this change has brought some; the store calls it for every change.

    A judge is combined in full when it first has several samples of anything. A judge that was always asked once has no
    combinations, and costs nothing.
    """
    came = tx.rows("select distinct judge_id from score where seq = $1", [tx.seq])
    query = f"select distinct judge_id from score where sample > 0 and judge_id in ({placeholders(came)})"
    for (judge,) in tx.rows(query, [judge for (judge,) in came]):
        params: list[Any] = [judge]
        where = "judge_id = $1"
        if tx.rows("select 1 from combination where judge_id = $1 limit 1", params):
            items_query = "select distinct item_id from score where judge_id = $1 and seq = $2"
            items = [item for (item,) in tx.rows(f"{items_query} limit {_MAX_NAMED_ITEMS + 1:d}", [judge, tx.seq])]
            named = len(items) <= _MAX_NAMED_ITEMS
            where += f" and item_id in ({placeholders(items, 2) if named else items_query})"
            params += items if named else [tx.seq]
        tx.derive("combination", columns_of(CombinationRow), f"{_COMBINED} where {where}", params)
