"""The two arms of the audit sample, blind and assisted, side by side.

They show how often people give the judge's answer, how long it takes them, and what they change after they have seen
the judge. Assisted labels are here those of people who were shown this very judge.
"""

from __future__ import annotations

from typing import NamedTuple

from data.calibration.calibration import comparison_input, load_paired_ratings, paired_cells_sql
from data.gold.gold import Basis
from data.records.access import allow
from data.records.outcomes import answer_sql, unit_sort_sql
from data.store import Store, cache_result
from judges.stats.calibration import anchoring_difference, count_other_answers, summarise
from judges.stats.uncertainty import Interval
from judges.types import Dimension

ASSISTED: Basis = "assisted"
_SHOWN = (
    "(l.mode = 'blind' or l.judge_id = $3 or (l.judge_id = '' and (l.mode = 'assisted' or l.answer_id = '')) "
    "or exists (select 1 from exposure e "
    "where e.item_id = l.item_id and e.person = l.annotator and e.judge_id = $3 and e.seq < l.seq))"
)
"""SQL: a label `l` is blind, or the scores of the judge $3 were in view, not only another judge's or other people's.

For a label from a file nobody knows which judge's they were; it counts for every judge.
"""


class Arm(NamedTuple):
    """One arm of the audit sample.

    It has the labels in cells with a score of the judge, how many equal it (n/a on both sides too), items with such
    labels, and the median and quartiles of seconds that an item took (None: none timed).
    """

    labels: int
    same: int
    items: int
    seconds: tuple[float, float, float] | None


class Arms(NamedTuple):
    """Both arms of the audit sample.

    For labels changed after a reveal of this judge: how many, how many then equal its answer, and how many are nearer
    to it than the blind label before. They count for neither arm.
    """

    blind: Arm
    assisted: Arm
    changed: int
    to_judge: int
    nearer: int


@allow("annotator")
@cache_result
def arms(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, counted: Basis) -> Arms:
    """Return the arms of one dimension that `anchor` compares.

    Seconds are those of whole items, with all that was asked of them.
    """
    params = [dataset_id, dimension.name, judge_id]
    sort = paired_cells_sql(store, dataset_id, judge_id, dimension, "all")
    stated = "l.probability is not null" + ("" if counted == "imported" else " and l.mode <> 'blind'")
    # The cells with gold are asked for, so that the units and the items left out are those of every other figure.
    cells = (
        f"with met as ({sort}), beside as (select m.item_id, m.unit, m.judge, l.value, l.mode, l.annotator, "
        f"(d.probability is not null or {stated}) as random from met m join label_now l "
        "on l.item_id = m.item_id and l.unit = m.unit and l.dimension = $2 "
        f"left join draw_now d on d.id = l.draw_id and d.stream = 'audit' where m.scored and {_SHOWN}) "
    )
    labels_by_mode = {
        str(mode): (int(n), int(same), int(items))
        for mode, n, same, items in store.rows(
            f"{cells}select mode, count(*), "
            f"sum(case when value is not distinct from {answer_sql('judge', dimension.scale)} then 1 else 0 end), "
            "count(distinct item_id) from beside where random and mode in ('blind', 'assisted') group by mode",
            params,
        )
    }
    seconds = {
        str(mode): (q1 / 1000, q2 / 1000, q3 / 1000)
        for mode, (q1, q2, q3) in store.rows(
            "select a.mode, quantile_cont(a.milliseconds, [0.25, 0.5, 0.75]) from answer_now a "
            "join draw_now d on d.id = a.draw_id and d.stream = 'audit' "
            "where a.dataset_id = $1 and a.action = 'save' and a.milliseconds > 0 and a.mode in ('blind', 'assisted') "
            "and exists (select 1 from label_now l where l.answer_id = a.id and l.dimension = $2 "
            f"and {unit_sort_sql(dimension.sort, 'l')} and {_SHOWN}) group by a.mode",
            params,
        )
    }
    matches_judge = f"case when r.value is not distinct from {answer_sql('r.judge', dimension.scale)} then 1 else 0 end"
    changed = store.rows(
        f"{cells}select count(*), sum({matches_judge}), "
        "sum(case when abs(r.value - r.judge) < abs(b.value - b.judge) then 1 else 0 end) from beside r "
        "join beside b on b.item_id = r.item_id and b.unit = r.unit and b.annotator = r.annotator and b.mode = 'blind' "
        "where r.mode = 'revealed' and r.value is distinct from b.value",
        params,
    )[0]

    def arm(mode: str) -> Arm:
        return Arm(*labels_by_mode.get(mode, (0, 0, 0)), seconds.get(mode))

    return Arms(arm("blind"), arm("assisted"), *(int(n or 0) for n in changed))


class Anchor(NamedTuple):
    """The same judge compared with blind and with assisted labels of random draws, and the difference.

    `others`: how many items' worth of ratings have another answer than the commonest one, with either sort of labels.
    """

    blind: Interval
    assisted: Interval
    difference: Interval
    others: tuple[float, float]


def anchor(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, counted: Basis) -> Anchor:
    """Compare the judge with blind labels on the basis `counted`, and with labels given with this judge in view."""
    blind = comparison_input(store, dataset_id, judge_id, dimension, counted)
    assisted = load_paired_ratings(store, dataset_id, judge_id, dimension, ASSISTED, among=f" and {_SHOWN}")
    blind_arm, assisted_arm = (summarise(cells, dimension) for cells in (blind, assisted))
    others = (
        count_other_answers(blind_arm.interval, blind_arm.commonest),
        count_other_answers(assisted_arm.interval, assisted_arm.commonest),
    )
    return Anchor(blind_arm.interval, assisted_arm.interval, anchoring_difference(blind, assisted, dimension), others)
