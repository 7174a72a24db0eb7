"""What undoes an approval by itself: gold that came after it, when its dimension no longer meets what it was held

against (METHODS 10). Nothing is ever approved again by itself; a person decides.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from data import calibration
from data.deciding import case, decided
from data.deciding.case import Case
from data.deciding.decided import AUTOMATIC, Approval
from data.errors import NotFound
from data.store import Store, Tx
from judges import calibrate, gate
from judges.calibrate import Line

_SINCE = """
select 'new labels' as what, i.dataset_id, '' as judge_id, l.dimension, max(l.seq) as seq
from label l join item i on i.id = l.item_id where l.seq > $1 group by i.dataset_id, l.dimension
union all
select 'other scores', i.dataset_id, s.judge_id, s.dimension, max(s.seq)
from score s join item i on i.id = s.item_id where s.seq > $1 and s.item_id in (select item_id from label)
group by i.dataset_id, s.judge_id, s.dimension
union all
select 'adjudicated cells', dataset_id, '', dimension, max(seq) from adjudication where seq > $1
group by dataset_id, dimension
union all
select 'items put aside', dataset_id, '', '', max(seq) from item_use where seq > $1 group by dataset_id
union all
select 'a further draw', dataset_id, '', '', max(seq) from draw where seq > $1 and stream = 'audit' group by dataset_id
union all
select 'another gold rule', scope, '', '', max(seq) from setting where seq > $1 and name = 'gold' group by scope
union all
select 'other items', dataset_id, '', '', max(seq) from item where seq > $1
and id in (select item_id from label) group by dataset_id
"""
"""What came since a change and can move a figure. A judge or dimension "" means all of the dataset's. Items without a

label are in no figure: they, and their scores, count from their first label on."""


class Came(NamedTuple):
    """Rows that came: what they are in words, whom they touch, and the newest change among them."""

    what: str
    dataset: str
    judge: str
    dimension: str
    seq: int

    def touches(self, one: Approval, since: int) -> bool:
        """Whether they can move the figures of an approval that was last looked at after change `since`."""
        return (
            self.seq > since and self.dataset == one.dataset and self.judge in ("", one.judge)
            and self.dimension in ("", one.dimension)
        )  # fmt: skip


_looked: weakref.WeakKeyDictionary[Store, dict[str, int]] = weakref.WeakKeyDictionary()
"""Up to which change each approval was looked at. It may be lost: then all since the approval is looked at again."""


def check(store: Store) -> list[Approval]:
    """Suspend what no longer meets the policy that it was approved under; what was suspended now.

    Looked at is only what new rows can have moved. The dimension is decided by itself, at the level of its policy:
    Holm's correction guards the first decision, where several are taken at one time, and leaves some room above this
    test. As every new label is another look, a dimension at the very border is suspended more often than 5% would have
    it: that errs on the safe side. Alarms of audits and changes of the policy suspend nothing by themselves.
    """
    upto, looked = store.newest(), _looked.setdefault(store, {})
    standing = [s.holds for s in decided.stands(store).values() if s.holds and s.holds.decision == "approve"]
    waiting = [one for one in standing if looked.get(one.id, one.seq) < upto]
    if not waiting:
        return []
    came = [Came(*row) for row in store.rows(_SINCE, [min(looked.get(one.id, one.seq) for one in waiting)])]
    moved = [one for one in waiting if any(rows.touches(one, looked.get(one.id, one.seq)) for rows in came)]
    _together(store, moved)
    gone = []
    for one in waiting:
        if one in moved and _failed(store, one) is not None:
            gone += _suspend(store, one)
        looked[one.id] = upto
    return gone


def _together(store: Store, moved: Sequence[Approval]) -> None:
    """Have the figures of approvals that are to be looked at made in one go, which the store remembers."""
    for dataset_id, judge_id in sorted({(one.dataset, one.judge) for one in moved}):
        here = [one for one in moved if (one.dataset, one.judge) == (dataset_id, judge_id)]
        keys = {one.key[2:] for one in here}
        with suppress(NotFound):
            synthetic = case.dataset(store, dataset_id).synthetic
            asked = [d for d in calibration.dimensions(store, judge_id) if (d.sort, d.name) in keys]
            for basis in {one.asked.basis(synthetic) for one in here}:
                calibration.every(store, dataset_id, judge_id, asked, basis)


def _suspend(store: Store, one: Approval) -> list[Approval]:
    """Suspend it, unless somebody has decided meanwhile, or it holds by now."""

    def work(tx: Tx) -> bool:
        stand, failed = decided.stands(tx).get(one.key), _failed(store, one)
        if stand is None or stand.holds is None or stand.holds.id != one.id or failed is None:
            return False
        reason, found = failed
        # Under the write lock nobody else commits: what the store gives is what stands at this very change.
        facts = case.facts(store, found) if found else []
        came = [Came(*row) for row in store.rows(_SINCE, [one.seq])]
        what = ", ".join(dict.fromkeys(rows.what for rows in came if rows.touches(one, one.seq)))
        state, mark = (found.line.decision.state, case.print_of(store, found)) if found else ("undefined", "")
        why = f"Since the approval came {what}. {reason}"
        decided.append(tx, one.key, "suspend", why, AUTOMATIC, state, one.asked, mark, facts)
        return True

    done = store.tx(AUTOMATIC, "suspend", work, target=one.dataset)
    return [s.holds] if done and (s := decided.stands(store)[one.key]).holds else []


def _failed(store: Store, one: Approval) -> tuple[str, Case | None] | None:
    """Why an approval does not hold any more, and the case as it is now; None where it holds."""
    try:
        found = _alone(store, one)
    except NotFound as error:
        return f"It cannot be held against its gold any more: {error}", None
    if found.line.decision.state == "eligible" and not found.against:
        return None
    then, now = {name: figure for name, figure, _ in decided.evidence(store, one.id)}, found.line.gate.interval
    before = _told(then.get("kappa"), then.get("kappa, lower bound"), then.get("items"))
    after = _told(now.point, now.lower_bound, now.items)
    return f"Kappa was {before} then, and is {after} now. {' '.join(found.against)}", found


def _alone(store: Store, one: Approval) -> Case:
    """The case of an approval now, its dimension decided by itself under the policy that it met."""
    dimension = next((d for d in calibration.dimensions(store, one.judge) if (d.sort, d.name) == one.key[2:]), None)
    if dimension is None:
        raise NotFound(f"the judge's card asks no {one.dimension!r} of a {one.sort}.")
    where, who = case.dataset(store, one.dataset), case.judge(store, one.judge)
    cells = calibration.evidence(store, one.dataset, one.judge, dimension, one.asked.basis(where.synthetic))
    summary = calibrate.summarise(cells, dimension)
    line = Line(summary, summary, gate.decide(summary.interval, one.policy))
    asked = replace(one.asked, alarms=False)
    return Case(where, who, line, asked, None, (line.key,), case.brought(store, one.dataset))


def _told(kappa: float | None, bound: float | None, items: float | None) -> str:
    figure = "undefined" if kappa is None else f"{kappa:.2f}"
    lower = "" if bound is None else f" (lower bound {bound:.2f})"
    return f"{figure}{lower} on {items or 0:,.0f} items"
