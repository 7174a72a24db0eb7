"""Recent activity: the newest changes of the workspace, those of one person at one thing put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from data.records import datasets
from data.records.access import allow
from data.store import Store

_LOOK = 300
"""Changes that are looked at, of the sorts that may be moves."""
_PEOPLE = ("added", "role", "deactivated", "reactivated")
_MAX_PAUSE = timedelta(minutes=45)
"""Answers of one person with a longer pause between them are counted separately."""


Sort = Literal["answered", "drew", "filled", "items", "judgments", "labels", "joined", "added", "role",
               "deactivated", "reactivated", "rules"]  # fmt: skip


@dataclass(frozen=True)
class Activity:
    """Something that `actor` did until `at` (from `since` on): to how many items, or other things, of which dataset.

    `name` and `role` are those of the person whom a change of people is about.
    """

    sort: Sort
    actor: str
    at: datetime
    since: datetime
    n: int
    dataset: str
    name: str
    role: str


@allow("annotator")
def recent_activity(store: Store, limit: int = 8) -> list[Activity]:
    """The newest moves, newest first. Skips, corrections, and all that is done besides are no moves."""
    changes = store.rows(
        "select seq, made_at, actor, action, target from change "
        "where action in ('answers', 'import', 'join', 'person', 'queue rules') "
        "or starts_with(action, 'draw audit sample') or starts_with(action, 'fill review queue') "
        f"order by seq desc limit {_LOOK}"
    )
    moves: list[Activity] = []
    if not changes:
        return moves
    names = datasets.dataset_names(store)
    facts = {int(r[0]): r[1:] for r in store.rows(_FACTS, [changes[-1][0]])}
    for seq, at, actor, action, target in changes:
        fact = facts.get(int(seq))
        if fact:
            fact_sort, n, dataset, role = fact
            dataset_name = names.get(dataset) or str(target)
            sort: Sort = "filled" if action.startswith("fill") else fact_sort
            _add(moves, Activity(sort, actor, at, at, int(n), dataset_name, target, role))
    return moves[:limit]


_FACTS = """
select a.seq, 'answered', count(*), min(a.dataset_id), '' from answer a
left join answer p on p.id = a.previous and p.action = 'save'
where a.action = 'save' and p.id is null and a.seq >= $1 group by a.seq
union all
select seq, 'drew', count(*), min(dataset_id), '' from draw where seq >= $1 group by seq
union all
select seq, case when sum(items) > 0 then 'items' when sum(judgments) > 0 then 'judgments' else 'labels' end,
case when sum(items) > 0 then sum(items) when sum(judgments) > 0 then sum(judgments) else sum(labels) end,
min(dataset_id), '' from intake where seq >= $1 and items + judgments + labels > 0 group by seq
union all
select e.seq, case when c.action = 'join' then 'joined' when not e.active then 'deactivated'
when e.was is null then 'added' when e.was then 'role' else 'reactivated' end, 1, '', e.role
from (select seq, active, role, lag(active) over (partition by person order by seq, id) as was from person_event) e
join change c on c.seq = e.seq where e.seq >= $1 and c.action in ('join', 'person')
union all
select seq, 'rules', 1, min(scope), '' from setting where name = 'queue' and seq >= $1 group by seq
"""


def _add(moves: list[Activity], new: Activity) -> None:
    """Add an older move, or put it to a newer one of the same person and thing, if the two lie close together."""
    for place, move in enumerate(moves):
        same = (move.sort, move.actor, move.dataset) == (new.sort, new.actor, new.dataset)
        if same and new.sort not in _PEOPLE and move.since - new.at < _MAX_PAUSE:
            moves[place] = replace(move, n=move.n + new.n, since=new.at)
            return
    moves.append(new)
