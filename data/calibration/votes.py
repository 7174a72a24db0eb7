"""The single votes of people on the pairs of a dataset, with the judge's verdicts."""

from __future__ import annotations

import numpy as np
import pandas

from data.calibration.calibration import float_columns
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import NEWEST_OF_PERSON
from data.records.access import allow
from data.store import Store, cache_result
from judges.stats import bins
from judges.stats.votes import VoteAgreement, Votes, agreement_table
from judges.types import Dimension

PART = "turn"
"""The field of the items' meta that a dataset of pairs is reported by."""


def votes(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> Votes:
    """Every vote that holds, blind or assisted, of people who belong to a team, with the judge's value of the item.

    Values are rows of the scale's table (`judges.stats.bins.row_numbers`), the judge's that of the nearest answer.

    Of several votes of one person on one item the newest counts. The parts of the dataset are the values of `turn` in
    its items' meta, in order; votes that say n/a are left out, and items that do not count for the judge
    (`data.gold.fewshot.not_in_prompt_sql`).
    """
    frame = store.frame(
        f"select dense_rank() over (order by v.item_id) - 1 as item, cast(i.meta as json) ->> '{PART}' as part, "
        "v.team, v.value, s.value as judge from ("
        f"select l.item_id, l.value, p.team, {NEWEST_OF_PERSON} as newest from label_now l "
        "join person_now p on p.person = l.annotator "
        "where l.dimension = $2 and l.unit = 'pair' and l.mode in ('blind', 'assisted') and p.team <> ''"
        ") v join item i on i.id = v.item_id "
        "left join score_now s on s.item_id = v.item_id and s.unit = 'pair' and s.dimension = $2 and s.judge_id = $3 "
        "where v.newest = 1 and i.dataset_id = $1 and v.value is not null"
        f"{not_in_prompt_sql(store, judge_id, 'v.item_id')}",
        [dataset_id, dimension.name, judge_id],
    )
    part = frame["part"].fillna("")
    names = sorted(part.unique(), key=lambda p: (not p.isdecimal(), int(p) if p.isdecimal() else 0, p))
    groups, group = np.unique(frame["team"].to_numpy(dtype=str), return_inverse=True)
    value, judge = float_columns(frame, "value", "judge")
    judged = np.full(len(judge), -1, dtype=np.int64)
    judged[~np.isnan(judge)] = bins.row_numbers(judge[~np.isnan(judge)], dimension.scale)
    return Votes(
        item=frame["item"].to_numpy(dtype=np.int64),
        part=pandas.Categorical(part, names).codes.astype(np.int64),
        group=group.astype(np.int64),
        value=bins.row_numbers(value, dimension.scale).astype(np.int64),
        judge=judged,
        parts=tuple(f"{PART} {name}" if name else f"no {PART}" for name in names),
        groups=tuple(groups.tolist()),
    )


@allow("annotator")
@cache_result
def team_agreement(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> list[VoteAgreement]:
    """Return how often the judge agrees with single votes, and people with each other.

    Empty if nobody is in a team, or if a row of the table holds many answers.
    """
    scale = dimension.scale
    if bins.is_binned(scale):
        return []
    return agreement_table(votes(store, dataset_id, judge_id, dimension), scale.tie_code)
