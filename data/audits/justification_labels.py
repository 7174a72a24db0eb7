"""Whether a judge's justification fits the score beside it: a random sample of cells, and what people say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.records import exposure
from data.records.access import allow, allow_change
from data.records.tables import FitRow
from data.store import Store, Tx
from data.store.errors import BadInput
from data.store.ids import new_id
from judges.stats.clustered import share_from_counts
from judges.stats.uncertainty import Interval

_DRAWN = (
    "from score_now s join item i on i.id = s.item_id join ("
    "select item_id, unit, dimension, sample, min(text) as text from remark where judge_id = $2 and sort = 'note' "
    "group by item_id, unit, dimension, sample) r on r.item_id = s.item_id and r.unit = s.unit "
    "and r.dimension = s.dimension and r.sample = s.sample "
)
_OF_JUDGE = "where i.dataset_id = $1 and s.judge_id = $2 "


def leans_sql(judge: str, counts: str = "") -> str:
    """Return a query, in brackets: per cell, the newest answers that fit minus those that do not, and their `counts`.

    `judge` is the position of the judge's id among the parameters.
    """
    return (
        f"(select item_id, unit, dimension, sum(case when fits then 1 else -1 end) as lean{counts} from (select *, "
        "row_number() over (partition by item_id, unit, dimension, person order by seq desc) as n "
        f"from fit where judge_id = {judge}) newest where n = 1 group by item_id, unit, dimension)"
    )


@dataclass(frozen=True)
class JustifiedScore:
    """A score with the sentence that the judge gives for it. `value` is a code of its scale, None = n/a."""

    item: str
    name: str
    unit: str
    dimension: str
    value: float | None
    text: str


@dataclass(frozen=True)
class JustificationTally:
    """The counts of answers to the question whether justifications fit.

    It has the ratings that have a justification, those that somebody answered, those of them where most people say that
    it does not fit, and how many this person answered.
    """

    cells: int
    answered: int
    unfit: int
    own_answers: int


@allow("annotator")
def justifications_ahead(
    store: Store, dataset_id: str, judge_id: str, person: str, dimensions: Sequence[str], limit: int
) -> list[JustifiedScore]:
    """Return the next cells that a person has not answered, in the judge's own random order, the same for everybody.

    Nothing of it shows what others answered. Items that the person may still get to answer blind are left out. That the
    scores of the rest are shown is recorded.
    """
    rows = store.rows(
        f"select r.item_id, i.name, r.unit, r.dimension, s.value, r.text {_DRAWN} {_OF_JUDGE} "
        "and r.dimension = any($5) and not exists (select 1 from fit f where f.judge_id = $2 and f.person = $3 "
        "and f.item_id = r.item_id and f.unit = r.unit and f.dimension = r.dimension) and not (r.item_id = any($4)) "
        f"order by md5($2 || r.item_id || r.unit || r.dimension), r.item_id, r.unit, r.dimension limit {limit:d}",
        [dataset_id, judge_id, person, sorted(exposure.blind_pending(store, person)), list(dimensions)],
    )
    exposure.record_exposures(store, person, {str(row[0]): [judge_id] for row in rows}, "justifications")
    return [JustifiedScore(*row) for row in rows]


@allow("annotator")
def last_justification(store: Store, dataset_id: str, judge_id: str, person: str) -> tuple[JustifiedScore, bool] | None:
    """Return the score that a person answered last, and their answer (True: fits); None before the first answer."""
    rows = store.rows(
        f"select r.item_id, i.name, r.unit, r.dimension, s.value, r.text, f.fits {_DRAWN} "
        "join fit f on f.judge_id = $2 and f.item_id = r.item_id and f.unit = r.unit "
        f"and f.dimension = r.dimension {_OF_JUDGE} and f.person = $3 order by f.seq desc, f.id desc limit 1",
        [dataset_id, judge_id, person],
    )
    return (JustifiedScore(*rows[0][:6]), bool(rows[0][6])) if rows else None


@allow_change("annotator", "justification fits", "judge_id")
def record_fit(tx: Tx, actor: str, judge_id: str, cell: JustifiedScore, fits: bool) -> None:
    """Say whether a justification fits its score; a newer answer of the same person replaces it.

    Raises NotAllowed, BadInput where the judge gave no such justification.
    """
    exposure.add_exposures(tx, actor, {cell.item: [judge_id]}, "justifications")
    query = (
        "select 1 from remark where judge_id = $1 and item_id = $2 and unit = $3 and dimension = $4 "
        "and sort = 'note' limit 1"
    )
    if not tx.rows(query, [judge_id, cell.item, cell.unit, cell.dimension]):
        raise BadInput("This judge gives no justification there, so nothing can be said about it.")
    tx.append([FitRow(new_id(), judge_id, cell.item, cell.unit, cell.dimension, fits, actor)])


@allow("annotator")
def count_fits(
    store: Store, dataset_id: str, judge_id: str, person: str, dimensions: Sequence[str]
) -> JustificationTally:
    """Count how far the question is answered. If people differ, most decide; a tie counts as not fitting."""
    leans = leans_sql("$2", ", sum(case when person = $3 then 1 else 0 end) as mine")
    rows = store.rows(
        f"select count(*), count(f.lean), sum(case when f.lean <= 0 then 1 else 0 end), sum(f.mine) {_DRAWN} "
        f"left join {leans} f on f.item_id = r.item_id and f.unit = r.unit and f.dimension = r.dimension {_OF_JUDGE} "
        "and r.dimension = any($4)",
        [dataset_id, judge_id, person, list(dimensions)],
    )
    cells, answered, unfit, own_count = (int(value or 0) for value in rows[0])
    return JustificationTally(cells, answered, unfit, own_count)


@allow("annotator")
def unfit_share(store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[str]) -> Interval:
    """Return the share of the answered ratings where most people say "no", with its interval by items, as the audit."""
    rows = store.rows(
        f"select sum(case when f.lean <= 0 then 1 else 0 end), count(*) {_DRAWN} "
        f"join {leans_sql('$2')} f on f.item_id = r.item_id and f.unit = r.unit and f.dimension = r.dimension "
        f"{_OF_JUDGE} and r.dimension = any($3) group by r.item_id",
        [dataset_id, judge_id, list(dimensions)],
    )
    unfit, answered = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    return share_from_counts(unfit, answered)
