"""The judge's weakest turn compared with people's, for a judge of a workspace."""

from __future__ import annotations

import json
from collections import defaultdict

from data.calibration.calibration import paired_cells_sql
from data.cards import cards
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis, load_gold
from data.records.access import allow
from data.store import Store, cache_result
from judges.stats.weakest_turns import (
    NamedTurns,
    WeakestTurns,
    lowest_turns,
    measure_weakest_turns,
    scored_dimensions,
    turn_dimensions,
)
from judges.types import Dimension

_ITEMS_PER_QUERY = 1_000


@allow("annotator")
@cache_result
def compare_weakest_turns(store: Store, dataset_id: str, judge_id: str, basis: Basis) -> dict[Dimension, WeakestTurns]:
    """The figures of each dimension of the judge's card whose answer is a turn, and that has gold and a score.

    People's turn is what their labels resolve to, else the turn that they scored lowest (mean of all that they said).
    """
    card = cards.card_of_judge_if_known(store, judge_id)
    if card is None:
        return {}
    results, targets = {}, turn_dimensions(card.dimensions)
    scores, represented = (
        _scores_by_turn(store, dataset_id, judge_id, scored_dimensions(card.dimensions), basis) if targets else ({}, {})
    )
    for d in targets:
        rows = store.rows(
            f"with met as ({paired_cells_sql(store, dataset_id, judge_id, d, basis)}) "
            "select s.item_id, s.value, m.item_id is not null, m.human, m.weight from score_now s "
            "join item i on i.id = s.item_id left join met m on m.item_id = s.item_id where i.dataset_id = $1 "
            "and s.dimension = $2 and s.judge_id = $3 and s.unit = 'conversation' and s.value is not null order by 1",
            [dataset_id, d.name, judge_id],
        )
        rows = [row for row in rows if row[2] or row[0] in scores]
        turns = _turns(store, [row[0] for row in rows])
        dialogues = [
            NamedTurns(
                turns[item],
                frozenset({int(people or 0)} - {0}) if labelled else lowest_turns(scores[item]),
                int(judged),
                labelled,
                weight if labelled else represented[item],
            )
            for item, judged, labelled, people, weight in rows
        ]
        if dialogues:
            results[d] = measure_weakest_turns(dialogues)
    return results


def _scores_by_turn(
    store: Store, dataset_id: str, judge_id: str, dimensions: list[Dimension], basis: Basis
) -> tuple[dict[str, dict[int, list[float]]], dict[str, float]]:
    """Return people's scores of every turn in these dimensions, and how many dialogues an item represents, by item."""
    scores: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    represented = {}
    cells = load_gold(
        store, dataset_id, dimensions, basis, "item_id, unit, mean, weight", " where mean is not null",
        not_in_prompt_sql(store, judge_id),
    )  # fmt: skip
    for _, (item, unit, mean, weight) in cells:
        scores[str(item)][int(str(unit)[5:])].append(float(mean))
        represented[str(item)] = float(weight)
    return scores, represented


def _turns(store: Store, items: list[str]) -> dict[str, tuple[int, ...]]:
    """The assistant turns of each item."""
    turns_by_item = {}
    for start in range(0, len(items), _ITEMS_PER_QUERY):
        rows = store.rows("select id, content from item where id = any($1)", [items[start : start + _ITEMS_PER_QUERY]])
        for id_, content in rows:
            entries = json.loads(content)["turns"]
            turns_by_item[str(id_)] = tuple(entry["turn"] for entry in entries if entry["role"] == "assistant")
    return turns_by_item
