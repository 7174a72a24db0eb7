"""The progress of people on their assignments: counts, times, pace, forecast, and who may need help, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from statistics import median
from typing import Literal, NamedTuple

from data.assignments.assignments import WorkCount, count_work
from data.assignments.working_time import HOURS_PER_DAY, after_working_hours, working_hours
from data.records import people, tags
from data.records.access import allow
from data.records.queue_index import current_index
from data.store import Store, cache_result
from data.store.ids import now
from judges.plural import many

ProgressState = Literal["stuck", "inactive", "behind", "not begun", "on time", "done", "unassigned"]
STUCK_HOURS, STUCK_SKIPS, STUCK_EXPIRED, STUCK_SLOWDOWN = 8, 5, 3, 3
"""The limits from which somebody counts as stuck.

These are hours of working time without an answer; skips, if they are also half of the last 20 answers; reservations
since the last answer that ran out (the desk reserves some items ahead); and how many times slower the last 5 items were
than those before.
"""
_SKIP_WINDOW, _NEWEST_ITEMS, _MIN_EARLIER_ITEMS = 20, 5, 20
_MAX_RECENT_ANSWERS, _PACE_DAYS = 60, 5
"""The most answers that times are computed from, and the number of working days for the pace."""
STATES: dict[ProgressState, str] = {
    "stuck": f"half of the last {_SKIP_WINDOW} answers were skips, at least {STUCK_SKIPS}; or work is left, and: no "
    f"answer for {STUCK_HOURS} hours of working time, although some before; or items were reserved {STUCK_EXPIRED} "
    f"times since the last answer and ran out; or the last {_NEWEST_ITEMS} items took over {STUCK_SLOWDOWN} "
    f"times as long as those before",
    "inactive": "work is left to somebody who is not active any more; what was reserved for them is open to everybody",
    "behind": "work is left, and it is past its due date, or will be at the pace of the last days",
    "not begun": "work is left, and nothing was answered since it was given",
    "on time": "work is left, and nothing suggests that it will be late; of a tag no pace is known",
    "done": "nothing that was assigned is left",
    "unassigned": "nothing is assigned; what was answered came from the open queue",
}
"""The states and when they apply; the first that fits is taken."""


@dataclass(frozen=True)
class PersonProgress:
    """A person (or the people with a tag) in a dataset.

    `counts`: of what is assigned to them; `answered`: all items of the dataset that they have answered. Seconds are
    medians of their last answers. `due` is the next due date of what is left, `needed` the items per working day that
    meet all due dates, `pace` their own over the last five working days, `finish` when they will be done at that pace.
    Moments are UTC. `why`: why it is in this state, in a sentence.
    """

    assignee: str
    active: bool
    tags: tuple[str, ...]
    counts: WorkCount
    answered: int
    seconds: float | None
    cell_seconds: float | None
    last: datetime | None
    due: datetime | None
    needed: float | None
    pace: float | None
    finish: datetime | None
    state: ProgressState
    why: str

    @property
    def is_tag(self) -> bool:
        """Whether it is about whoever has a tag."""
        return tags.is_tag(self.assignee)

    @property
    def name(self) -> str:
        """The name of the assignee, in words."""
        return tags.describe_assignee(self.assignee)


class RecentAnswer(NamedTuple):
    """An answer: whether it was a skip, the seconds it took (0: not known), of how many cells."""

    skipped: bool
    seconds: float
    cells: int


NOTHING = WorkCount(0, 0, 0, 0)


@dataclass(frozen=True)
class AssignedWork:
    """Work assigned to somebody: counts, how much of it is due when, and since when they have had what is left.

    `expired`: how often they reserved items since their last answer and let them run out.
    """

    counts: WorkCount = NOTHING
    dues: tuple[tuple[datetime, int], ...] = ()
    since: datetime | None = None
    expired: int = 0


@dataclass(frozen=True)
class PersonActivity:
    """A person's work in a dataset: items answered (also lately), first and last answer, and the newest answers."""

    items: int = 0
    first: datetime | None = None
    last: datetime | None = None
    late: int = 0
    recent: tuple[RecentAnswer, ...] = ()


@allow("researcher")
def people_progress(store: Store, dataset_id: str, zone: tzinfo | None = None) -> list[PersonProgress]:
    """Everybody who is active, has answered some of a dataset or is assigned some of it; who may need help first.

    Tags that work is assigned to are among them. Working days are those of that zone (default UTC).
    """
    offset, moment = (datetime.now(zone).utcoffset() if zone else None) or timedelta(), now()
    since = _days_back(moment + offset) - offset
    done, expired = _activity(store, dataset_id, since), _count_expired(store, dataset_id, moment)
    known, tags_by_name = {p.name: p for p in people.all_people(store, active=False)}, tags.all_tags(store)
    began: dict[str, datetime] = dict(store.rows(
        "select n.assignment_id, c.made_at from assignment_now n join change c on c.seq = n.began "
        "where n.dataset_id = $1 and not n.ended",
        [dataset_id],
    ))  # fmt: skip
    work, index = dict[str, AssignedWork](), current_index(store)
    with index.lock:
        for assignee, indexed_assignments in index.of_assignee.items():
            if assignments := [a for a in indexed_assignments if a.id in began]:
                dues = sorted((a.due, len(a.left)) for a in assignments if a.due and a.left)
                first = min((began[a.id] for a in assignments if a.left), default=None)
                work[assignee] = AssignedWork(
                    count_work(index, assignee, assignments), tuple(dues), first, expired.get(assignee, 0)
                )
    active_names = {p.name for p in known.values() if p.active}
    rows = []
    for assignee in {*work, *done, *active_names}:
        own = tags_by_name[assignee].tags if assignee in tags_by_name else ()
        active = assignee in active_names or tags.is_tag(assignee)
        did = done.get(assignee, PersonActivity())
        rows.append(_progress(assignee, active, own, work.get(assignee, AssignedWork()), did, moment, offset, since))
    order = list(STATES)
    return sorted(rows, key=lambda p: (order.index(p.state), p.assignee.casefold()))


def _progress(
    assignee: str, active: bool, own: tuple[str, ...], work: AssignedWork, did: PersonActivity, moment: datetime,
    offset: timedelta, since: datetime,
) -> PersonProgress:  # fmt: skip
    local, left = moment + offset, work.counts.left
    saves = [answer for answer in did.recent if not answer.skipped and answer.seconds > 0][:50]
    cells = [answer.seconds / answer.cells for answer in saves if answer.cells]
    pace = finish = None
    if did.late and did.first:
        start = max(did.first, since) + offset
        pace = did.late / max(working_hours(start, local), 1.0) * HOURS_PER_DAY
        if left and (end := after_working_hours(local, left / pace * HOURS_PER_DAY)):
            finish = end - offset
    needed = needed_pace(work.dues, moment, offset)
    state, why = progress_state(assignee, active, work, did, pace, needed, moment, offset)
    return PersonProgress(
        assignee, active, own, work.counts, did.items, median(answer.seconds for answer in saves) if saves else None,
        median(cells) if cells else None, did.last, work.dues[0][0] if work.dues else None, needed, pace, finish, state,
        why,
    )  # fmt: skip


def needed_pace(dues: Sequence[tuple[datetime, int]], moment: datetime, offset: timedelta) -> float | None:
    """The items per working day that meet every due date; None without any, infinite if no working time is left."""
    rates, left = [], 0
    for due, n in dues:
        left += n
        hours = working_hours(moment + offset, due + offset)
        rates.append(left / hours * HOURS_PER_DAY if hours else float("inf"))
    return max(rates, default=None)


def progress_state(
    assignee: str, active: bool, work: AssignedWork, did: PersonActivity, pace: float | None, needed: float | None,
    moment: datetime, offset: timedelta,
) -> tuple[ProgressState, str]:  # fmt: skip
    """The state of a person, the first of STATES that fits, and why, in a sentence."""
    if not work.counts.total:
        return "unassigned", "Nothing is assigned to them."
    if not work.counts.left and not _skips_much(did):
        return "done", "Nothing that was assigned to them is left."
    if not active:
        return "inactive", "They are not active any more: what was reserved for them is open to everybody."
    signs = find_stuck_signs(work, did, moment, offset)
    if signs:
        return "stuck", f"{signs[0][0].upper()}{'; '.join(signs)[1:]}."
    overdue = sum(n for due, n in work.dues if due <= moment)
    if overdue:
        return "behind", f"{many(overdue, 'item')} past the due date."
    if needed == float("inf"):
        return "behind", "No working time is left before the due date."
    if needed is not None and pace is not None and pace < needed:
        return "behind", f"{pace:.3g} items per working day, where {needed:.3g} are needed to be done in time."
    if not tags.is_tag(assignee) and (did.last is None or (work.since and did.last < work.since)):
        return "not begun", "No answer since it was given to them."
    if needed is not None and pace is None:
        return "on time", f"Not past its due date, and no pace is known: {needed:.3g} items per working day are needed."
    return "on time", "Nothing suggests that it will be late."


def find_stuck_signs(work: AssignedWork, did: PersonActivity, moment: datetime, offset: timedelta) -> list[str]:
    """Return signs that somebody may be stuck, in words; none for somebody who never answered."""
    if did.last is None:
        return []
    signs = []
    if skips := _skips_much(did):
        signs.append(f"{skips} of the last {len(did.recent[:_SKIP_WINDOW])} answers skipped")
    if not work.counts.left:
        return signs
    quiet = working_hours(max(did.last, work.since or did.last) + offset, moment + offset)
    if quiet >= STUCK_HOURS:
        signs.append(f"no answer for {quiet:.0f} hours of working time")
    if work.expired >= STUCK_EXPIRED:
        signs.append(f"items reserved {work.expired} times since the last answer, and none of them answered")
    times = [answer.seconds for answer in did.recent if not answer.skipped and answer.seconds > 0]
    newest, before = times[:_NEWEST_ITEMS], times[_NEWEST_ITEMS:]
    if (
        len(newest) == _NEWEST_ITEMS
        and len(before) >= _MIN_EARLIER_ITEMS
        and median(newest) > STUCK_SLOWDOWN * median(before)
    ):
        signs.append(f"{median(newest):.0f} s per item recently, {median(before):.0f} s before")
    return signs


def _skips_much(did: PersonActivity) -> int:
    """The skips among somebody's last answers; 0 where they are less than half, or few."""
    latest = did.recent[:_SKIP_WINDOW]
    skips = sum(answer.skipped for answer in latest)
    return skips if skips >= max(STUCK_SKIPS, len(latest) / 2) else 0


def _days_back(local: datetime) -> datetime:
    """Return the start of the day that lies `_PACE_DAYS` working days back, in local time."""
    day = local.replace(hour=0, minute=0, second=0, microsecond=0)
    left = _PACE_DAYS
    while left:
        day -= timedelta(days=1)
        left -= day.weekday() < 5
    return day


_HELD_ANSWERS = """
select f.* from answer_now n join (
    select *, row_number() over (partition by person, item_id, action order by seq, id) as nth
    from answer where dataset_id = $1
) f on f.person = n.person and f.item_id = n.item_id and f.action = n.action where n.dataset_id = $1 and f.nth = 1
"""
"""SQL: for each item that a person has answered or skipped, the first answer that said what holds now; $1 dataset.

So an item that was skipped and answered later is answered. A correction says neither when nor how fast it was answered.
"""


@cache_result
def _activity(store: Store, dataset_id: str, since: datetime) -> dict[str, PersonActivity]:
    """Person -> what they did in a dataset, without reservations that ran out."""
    recent = defaultdict[str, list[RecentAnswer]](list)
    for name, action, milliseconds, cells in store.rows(
        "select a.person, a.action, a.milliseconds, count(l.id) from ("
        "select *, row_number() over (partition by person order by made_at desc, id desc) as newest "
        f"from ({_HELD_ANSWERS}) h) a left join label l on l.answer_id = a.id "
        f"where a.newest <= {_MAX_RECENT_ANSWERS} group by a.person, a.newest, a.id, a.action, a.milliseconds "
        "order by a.person, a.newest",
        [dataset_id],
    ):
        recent[str(name)].append(RecentAnswer(action == "skip", milliseconds / 1000, int(cells)))
    rows = store.rows(
        "select a.person, count(h.id), min(a.made_at), max(a.made_at), count(case when h.made_at >= $2 then 1 end) "
        f"from answer a left join ({_HELD_ANSWERS}) h on h.id = a.id and h.action = 'save' "
        "where a.dataset_id = $1 group by a.person",
        [dataset_id, since],
    )
    return {
        str(name): PersonActivity(int(items), first, last, int(late), tuple(recent[str(name)]))
        for name, items, first, last, late in rows
    }


def _count_expired(store: Store, dataset_id: str, moment: datetime) -> dict[str, int]:
    """Count how often people reserved items since their last answer and let them run out; several at once are one time.

    Those that they gave back, or went on reserving, are left out, and so are people who never answered.
    """
    rows = store.rows(
        "select n.person, count(distinct n.seq) from claim n join change c on c.seq = n.seq "
        "join (select person, max(made_at) as last from answer where dataset_id = $1 group by person) a "
        "on a.person = n.person where n.dataset_id = $1 and n.draw_id <> '' and n.until < $2 and c.made_at > a.last "
        "and n.until > c.made_at and not exists (select 1 from claim r join change k on k.seq = r.seq "
        "where r.person = n.person and r.draw_id = n.draw_id and r.seq > n.seq and k.made_at < n.until) "
        "group by n.person",
        [dataset_id, moment],
    )
    return {str(name): int(n) for name, n in rows}


COLUMNS = {
    "person": "A person, or whoever has a tag.",
    "tags": "Languages and skills.",
    "state": "Whether help may be needed.",
    "why": "Why it is in this state.",
    "assigned": "Items assigned to them.",
    "done": "Of these, answered by them; of a tag, by anybody.",
    "left": "Of these, waiting for them still.",
    "skipped": "Of these, skipped by them: others may have them.",
    "answered": "All items of the dataset that they have answered, assigned or not.",
    "seconds_per_item": "Median of their last 50 items.",
    "seconds_per_rating": "The same for one rating.",
    "last_answer": "When they last answered in this dataset (UTC).",
    "due": "The next due date of what is left (UTC).",
    "needed_per_day": "Items per working day that meet every due date.",
    "pace_per_day": "Items per working day over the last five (Monday to Friday, 9 to 17).",
    "forecast": "When what is left will be done at that pace (UTC).",
}
"""The columns of progress as a file, with what each says."""


def progress_record(row: PersonProgress) -> dict[str, str | float | None]:
    """A row of progress as a file has it."""
    needed = None if row.needed == float("inf") else row.needed
    values = (
        row.name, ", ".join(row.tags), row.state, row.why, row.counts.total, row.counts.done, row.counts.left,
        row.counts.skipped, row.answered, row.seconds, row.cell_seconds, row.last, row.due, needed, row.pace,
        row.finish,
    )  # fmt: skip
    return {name: _to_json_value(value) for name, value in zip(COLUMNS, values, strict=True)}


def _to_json_value(value: str | float | datetime | None) -> str | float | None:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return round(value, 2) if isinstance(value, float) else value
