"""The queue index: who has answered, reserved and been assigned what, in memory, updated from the newest rows.

Everybody who labels asks several times a second what is open to whom. Rows are only ever appended, so the answer is a
fold over them: each look reads only what came since the last one. The store stays the only truth; an index that is
thrown away is built again. Inside a transaction the fold ends before that transaction's own rows.
"""

from __future__ import annotations

import json
import threading
import weakref
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import merge
from itertools import chain, groupby

from data.records import tags
from data.records.settings import QueueRules
from data.store import Row, Store, Tx

_RULES, _DRAW, _CLAIM, _ANSWER, _EXPOSURE, _PERSON, _ASSIGNMENT, _ASSIGNED = 1, 2, 3, 4, 5, 6, 7, 8
_SINCE = {
    "setting": f"""select 1, seq, cast(null as timestamp), id, scope, value, name, '', '', '', '', 0, 0.0
from setting where (name = 'queue' or scope = '{tags.SCOPE}') and seq > $1 and seq <= $2""",
    "draw": """select 2, seq, cast(null as timestamp), id, dataset_id, stream, item_id, mode, '', '', '', 0, priority
from draw where seq > $1 and seq <= $2""",
    "claim": """select 3, seq, until, id, draw_id, person, item_id, '', '', '', '', 0, 0.0
from claim where draw_id <> '' and seq > $1 and seq <= $2""",
    "answer": """select 4, seq, made_at, id, item_id, draw_id, person, action, dataset_id, previous, mode,
milliseconds, 0.0 from answer where seq > $1 and seq <= $2""",
    "exposure": """select 5, seq, cast(null as timestamp), id, item_id, person, judge_id, '', '', '', '', 0, 0.0
from exposure where seq > $1 and seq <= $2""",
    "person_event": """select 6, seq, cast(null as timestamp), id, person, '', '', '', '', '', '',
case when active then 1 else 0 end, 0.0 from person_event where seq > $1 and seq <= $2""",
    "assignment": """select 7, seq, due, id, assignment_id, dataset_id, stream, assignee, offer,
case when ended then 'ended' else '' end, '', priority, 0.0 from assignment where seq > $1 and seq <= $2""",
    "assignment_item": """select 8, seq, cast(null as timestamp), draw_id, assignment_id, '', '', '', '', '', '',
case when given then 1 else 0 end, 0.0 from assignment_item where seq > $1 and seq <= $2""",
}
"""Table -> SQL of what the fold uses of its rows since a change. One statement reads them all, in half of the time."""
_TIDY_INTERVAL = timedelta(seconds=10)
_MAX_SINGLE_INSERTS = 200
"""Up to so many draws are put into a line singly; more of them are put in together."""
CLOSED, FREE, LATER, RESERVED = 0, 1, 2, 4
"""The places of a draw: closed; open to everybody; open to others once they have nothing else; open to some people."""
_NEVER, UNASSIGNED_PRIORITY = datetime.max, 9
"""The due date of what has none, and the priority of what is not assigned."""


@dataclass(slots=True, eq=False)
class QueuedDraw:
    """An item in a queue. `closed`: enough people have answered it, or the audit sample asks for it first.

    `assignments`: the assignments that give it out. `audience`: people and tags to whom alone it is open (None: to
    everybody). `place`: the line of its queue in which it is. `listed`: the lines in which it is still found.
    """

    id: str
    dataset: str
    stream: str
    item: str
    mode: str
    priority: float
    answered_by: set[str] = field(default_factory=set)
    holders: dict[str, datetime] = field(default_factory=dict)
    closed: bool = False
    assignments: tuple[IndexedAssignment, ...] = ()
    audience: frozenset[str] | None = None
    place: int = CLOSED
    listed: int = 0

    @property
    def order(self) -> tuple[float, str]:
        """Its place in the queue."""
        return self.priority, self.id


@dataclass(slots=True, eq=False)
class IndexedAssignment:
    """Draws that are given to a person or to the people with a tag (`assignee`), in the order of their queue.

    `left` are those that still wait for it. Before `start` none of `line` does.
    """

    id: str
    dataset: str
    stream: str
    assignee: str
    reserved: bool = False
    priority: int = 0
    due: datetime | None = None
    ended: bool = False
    line: list[QueuedDraw] = field(default_factory=list)
    left: set[QueuedDraw] = field(default_factory=set)
    start: int = 0

    @property
    def rank(self) -> tuple[int, datetime]:
        """The sort key of assignments: the lower priority number first, then what is due sooner."""
        return self.priority, self.due or _NEVER

    def waiting_draws(self) -> Iterator[QueuedDraw]:
        """Return the draws that wait for the assignment, in order."""
        while self.start < len(self.line) and self.line[self.start] not in self.left:
            self.start += 1
        return (d for d in self.line[self.start :] if d in self.left)


@dataclass(slots=True)
class DrawQueue:
    """Draws in order. Those that do not belong to it any more (`stale`) are dropped once they are many."""

    draws: list[QueuedDraw] = field(default_factory=list)
    coming: list[QueuedDraw] = field(default_factory=list)
    stale: int = 0

    def settle(self, place: int) -> None:
        """Put in what is coming, and drop what is stale if there is much of it."""
        if len(self.coming) <= _MAX_SINGLE_INSERTS:
            for draw in self.coming:
                insort(self.draws, draw, key=lambda d: d.order)
        else:
            self.draws += self.coming
            self.draws.sort(key=lambda d: d.order)
        self.coming.clear()
        if self.stale > _MAX_SINGLE_INSERTS and self.stale > len(self.draws) // 4:
            for draw in self.draws:
                if draw.place != place:
                    draw.listed &= ~place
            self.draws, self.stale = [d for d in self.draws if d.place == place], 0


@dataclass(slots=True, eq=False)
class Queue:
    """A dataset's stream: all its draws in order, a line for each place of those that are open, and counts.

    `open` are the draws in a line; `audiences` is how many of them are open to some people alone, by whom.
    """

    all: list[QueuedDraw] = field(default_factory=list)
    lines: dict[int, DrawQueue] = field(
        default_factory=lambda: {kind: DrawQueue() for kind in (FREE, LATER, RESERVED)}
    )
    audiences: Counter[frozenset[str]] = field(default_factory=Counter)
    open: int = 0
    answered: int = 0

    def waiting_draws(self, *places: int) -> Iterator[QueuedDraw]:
        """The open draws of these places (none named: of all), each place in order."""
        return (d for place in places or self.lines for d in self.lines[place].draws if d.place == place)

    def move(self, draw: QueuedDraw, place: int, audience: frozenset[str] | None) -> bool:
        """Move a draw to another place and audience; return whether its lines have to be settled then."""
        before = draw.place
        if draw.audience != audience:
            if draw.audience:
                self.audiences[draw.audience] -= 1
                self.audiences += Counter()
            if audience:
                self.audiences[audience] += 1
            draw.audience = audience
        if place == before:
            return False
        draw.place = place
        self.open += bool(place) - bool(before)
        if before:
            self.lines[before].stale += 1
        if place and draw.listed & place:
            self.lines[place].stale -= 1
        elif place:
            draw.listed |= place
            self.lines[place].coming.append(draw)
        return True

    def settle(self) -> None:
        """Bring the lines in order."""
        for place, line in self.lines.items():
            line.settle(place)


@dataclass(frozen=True, slots=True)
class FirstSave:
    """The first time that a person saved an item, and how long it had taken them."""

    at: datetime
    milliseconds: int
    dataset: str


@dataclass(slots=True)
class PersonItems:
    """The items of one person.

    `last`: the action and the draw of the newest answer to each item. `first`: the first save of each. `blind`: the
    items that the person ever answered blind. `saw_people`: those of which the person was shown what other people say;
    `saw_judge`: those of which they were shown a judge's scores.
    """

    last: dict[str, tuple[str, str]] = field(default_factory=dict)
    first: dict[str, FirstSave] = field(default_factory=dict)
    blind: set[str] = field(default_factory=set)
    saw_people: set[str] = field(default_factory=set)
    saw_judge: set[str] = field(default_factory=set)


class QueueIndex:
    """The fold over draws, claims, answers, exposures, people, assignments and rules up to change `seq`."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.seq = 0
        self.stamp: list[int | None] = []
        self.newest_draw = 0
        self.draws: dict[str, QueuedDraw] = {}
        self.queues: dict[tuple[str, str], Queue] = defaultdict(Queue)
        self.of_item: dict[str, list[QueuedDraw]] = defaultdict(list)
        self.workers: dict[str, PersonItems] = defaultdict(PersonItems)
        self.overlap: dict[str, int] = defaultdict(lambda: QueueRules.overlap)
        self.assignments: dict[str, IndexedAssignment] = {}
        self.of_assignee: dict[str, list[IndexedAssignment]] = defaultdict(list)
        self.tags: dict[str, frozenset[str]] = {}
        self.former_people: set[str] = set()
        self.unsettled: set[Queue] = set()
        self.claimed_draws: set[QueuedDraw] = set()
        self.tidied = datetime.min
        self.matching: dict[object, tuple[int, frozenset[str]]] = {}

    # -- keeping up ---------------------------------------------------------------------------------------------

    def follow(self, store: Store | Tx) -> None:
        """Take in what was written since the last look. Rows are read before the lock is taken, and used only once.

        Only tables that were written since are read, up to the newest change in `seen`. The versions are read twice,
        because a change may come in between: `now` then covers all that `seen` does, and the rest is taken in next
        time.
        """
        while True:
            before, since = self.stamp, self.seq
            seen = store.follow(_SINCE)
            if seen == before and None not in seen:
                return
            now = [store.table_version(table) for table in _SINCE]
            known = 0 if isinstance(store, Tx) else max(s or 0 for s in seen) if before else store.newest()
            upto = store.seq - 1 if isinstance(store, Tx) else known
            changed = [n for n, version in enumerate(now) if version is None or not before or version != before[n]]
            parts = list(_SINCE.values())
            rows = store.rows(" union all ".join(parts[n] for n in changed), [since, upto]) if upto > since else []
            with self.lock:
                if self.seq == since:
                    self._take(sorted(rows, key=lambda row: (row[0], row[1], row[2] or datetime.min, row[3])))
                    self.seq, self.stamp = max(since, upto), seen
                    return

    def _take(self, rows: list[Row]) -> None:
        weigh: list[QueuedDraw] = []
        assignments: set[IndexedAssignment] = set()
        replaced = {row[9] for row in rows if row[0] == _ANSWER}
        for sort, seq, at, row_id, *values in rows:
            if sort == _RULES and values[0] == tags.SCOPE:
                person_tags = tags.read_tags(values[2], json.loads(values[1]))
                self.tags[values[2]] = frozenset(map(tags.assignee, person_tags.tags))
            elif sort == _RULES:
                self.overlap[values[0]] = int(json.loads(values[1]).get("overlap", QueueRules.overlap))
                weigh += [d for stream in ("audit", "review") for d in self.queues[values[0], stream].all]
            elif sort == _DRAW:
                dataset, stream, item, mode, *_, priority = values
                draw = QueuedDraw(row_id, dataset, stream, item, mode, priority)
                weigh.append(draw)
                self.draws[row_id] = draw
                self.of_item[draw.item].append(draw)
                self.newest_draw = seq
                self.queues[draw.dataset, draw.stream].all.append(draw)
            elif sort == _EXPOSURE:
                item, person, judge, *_ = values
                worker = self.workers[person]
                (worker.saw_judge if judge else worker.saw_people).add(item)
                weigh += [d for d in self.of_item.get(item, ()) if d.assignments]
            elif sort == _PERSON:
                (self.former_people.discard if values[7] else self.former_people.add)(values[0])
                weigh += [d for a in self.of_assignee.get(values[0], ()) for d in a.line]
            elif sort == _ASSIGNMENT:
                weigh += self._assign(at, *values)
            elif sort == _ASSIGNED:
                draw, assignment = self.draws[row_id], self.assignments[values[0]]
                rest = tuple(a for a in draw.assignments if a is not assignment)
                draw.assignments = (*rest, assignment) if values[7] and not assignment.ended else rest
                assignment.line.append(draw)
                assignments.add(assignment)
            elif sort == _CLAIM and values[0] in self.draws:
                draw = self.draws[values[0]]
                draw.holders[values[1]] = at
                if not draw.closed:
                    self.claimed_draws.add(draw)
            elif sort == _ANSWER:
                item, draw_id, person, action, dataset, _, mode, milliseconds, _ = values
                worker = self.workers[person]
                if action == "save":
                    worker.first.setdefault(item, FirstSave(at, milliseconds, dataset))
                if mode == "blind":
                    worker.blind.add(item)
                if row_id not in replaced:
                    self._note_answer(worker, person, item, draw_id, action)
        if any(row[0] == _DRAW for row in rows):
            for name in {(d.dataset, d.stream) for d in weigh}:
                self.queues[name].all.sort(key=lambda d: d.order)
        for assignment in assignments:
            weigh += assignment.line
            assignment.line = sorted({d for d in assignment.line if assignment in d.assignments}, key=lambda d: d.order)
            assignment.left.intersection_update(assignment.line)
            assignment.start = 0
        for draw in dict.fromkeys(weigh):
            self._weigh(draw)
        for queue in self.unsettled:
            queue.settle()
        self.unsettled.clear()

    def _assign(
        self, due: datetime | None, key: str, dataset: str, stream: str, assignee: str, offer: str, state: str,
        _: str, priority: int, __: float,
    ) -> list[QueuedDraw]:  # fmt: skip
        """Take in an assignment as it is from now on; return the draws whose place may change by it."""
        assignment = self.assignments.get(key)
        if assignment is None:
            assignment = self.assignments[key] = IndexedAssignment(key, dataset, stream, assignee)
            self.of_assignee[assignee].append(assignment)
        assignment.reserved, assignment.priority, assignment.due, assignment.ended = (
            offer == "reserved", priority, due, state == "ended"
        )  # fmt: skip
        if assignment.ended:
            assignment.left.clear()
            for draw in assignment.line:
                draw.assignments = tuple(a for a in draw.assignments if a is not assignment)
        return assignment.line

    def _note_answer(self, worker: PersonItems, person: str, item: str, draw_id: str, action: str) -> None:
        """A person's newest answer to an item: it counts for the draw it was given under, and no longer for another.

        A blind draw stays open while none of their answers to it was blind.
        """
        before = worker.last.get(item)
        worker.last[item] = (action, draw_id)
        for id_ in {before[1] if before else "", draw_id}:
            draw = self.draws.get(id_)
            if draw is None:
                continue
            had = bool(draw.answered_by)
            counts = id_ == draw_id and action == "save" and (draw.mode != "blind" or item in worker.blind)
            (draw.answered_by.add if counts else draw.answered_by.discard)(person)
            self.queues[draw.dataset, draw.stream].answered += bool(draw.answered_by) - had
            self._weigh(draw)
        for draw in self.of_item.get(item, ()):
            if draw.assignments:
                self._weigh(draw)

    def _weigh(self, draw: QueuedDraw) -> None:
        """Open or close a draw, and set to whom it is open; one of the audit sample also closes one for review."""
        if draw.stream == "audit":
            for other in self.of_item[draw.item]:
                if other.stream == "review":
                    self._weigh(other)
        draw.closed = self.is_done(draw) or (draw.stream == "review" and self.is_reserved(draw.item))
        live = []
        for assignment in draw.assignments:
            if draw.closed or self.is_closed_to(draw, assignment.assignee):
                assignment.left.discard(draw)
                continue
            if draw not in assignment.left:
                assignment.left.add(draw)
                assignment.start = 0
            if assignment.assignee not in self.former_people:
                live.append(assignment)
        audience = frozenset(assignment.assignee for assignment in live if assignment.reserved) or None
        place = CLOSED if draw.closed else RESERVED if audience else LATER if live else FREE
        queue = self.queues[draw.dataset, draw.stream]
        if queue.move(draw, place, audience):
            self.unsettled.add(queue)
        if draw.closed:
            self.claimed_draws.discard(draw)
        elif draw.holders:
            self.claimed_draws.add(draw)

    def is_done(self, draw: QueuedDraw) -> bool:
        """Whether a draw waits for no answer any more: it is full, and reserved for nobody who can answer it."""
        return self.is_full(draw) and not any(
            assignment.reserved and not tags.is_tag(assignment.assignee)
            and assignment.assignee not in self.former_people
            and not self.is_closed_to(draw, assignment.assignee)
            for assignment in draw.assignments
        )  # fmt: skip

    def is_full(self, draw: QueuedDraw) -> bool:
        """Whether as many people have answered a draw as its dataset asks for."""
        return len(draw.answered_by) >= self.overlap[draw.dataset]

    def is_reserved(self, item: str) -> bool:
        """Whether an item waits for its answers in the audit sample, so that the review queue must not take it."""
        return any(draw.stream == "audit" and not self.is_done(draw) for draw in self.of_item[item])

    # -- asking -------------------------------------------------------------------------------------------------

    def holders(self, draw: QueuedDraw, moment: datetime) -> list[str]:
        """Return the people who hold a draw now: claimed, not yet over, and still theirs to answer."""
        return [p for p, until in draw.holders.items() if until > moment and not self.is_closed_to(draw, p)]

    def is_closed_to(self, draw: QueuedDraw, person: str) -> bool:
        """Whether a draw is not for this person any more.

        They answered the item. Or, in the audit sample, they were shown what keeps their answer from counting: what
        others say of it, or, if it is to be answered blind, a judge's scores.
        """
        worker = self.workers[person]
        if draw.item in worker.last or draw.stream != "audit":
            return draw.item in worker.last
        return draw.item in worker.saw_people or (draw.mode == "blind" and draw.item in worker.saw_judge)

    def wants_blind(self, draw: QueuedDraw) -> bool:
        """Whether a draw still waits for blind answers, whoever can give them."""
        return draw.mode == "blind" and not draw.closed

    def pending_items(self, person: str, dataset: str = "") -> set[str]:
        """Return the items (of a dataset, or all) that a person may still get to answer blind, reserved or not."""
        return {
            d.item for (where, stream), queue in self.queues.items() if stream == "audit" and dataset in ("", where)
            for d in queue.waiting_draws() if self.wants_blind(d) and not self.is_closed_to(d, person)
        }  # fmt: skip

    def is_free(self, draw: QueuedDraw, person: str, moment: datetime) -> bool:
        """Whether a person may be given this item now.

        Not if it is in the audit sample and they were shown too much of it, or if it is reserved for others. What is
        reserved for them is theirs whoever holds it, and takes a place from the people with a tag.
        """
        if draw.closed or self.is_closed_to(draw, person):
            return False
        audience = draw.audience or frozenset()
        if audience and not self.admits(audience, person):
            return False
        if person in audience:
            return True
        assignees = draw.answered_by | {assignee for assignee in audience if not tags.is_tag(assignee)}
        assignees |= {name for name in self.holders(draw, moment) if name != person and name not in self.former_people}
        return len(assignees) < self.overlap[draw.dataset]

    def admits(self, audience: frozenset[str], person: str) -> bool:
        """Whether a person is one of those to whom something is open, by name or by a tag."""
        return person in audience or not audience.isdisjoint(self.tags.get(person, ()))

    def describe_reservation(self, draw_id: str, person: str) -> str:
        """For whom a draw is reserved, in words; "" where this person may answer it, or once had it from the desk."""
        draw = self.draws.get(draw_id)
        if draw is None or not draw.audience or person in draw.holders or self.admits(draw.audience, person):
            return ""
        return ", ".join(sorted(map(tags.describe_assignee, draw.audience)))

    def assignments_of(self, dataset: str, stream: str, person: str) -> list[IndexedAssignment]:
        """Return a person's assignments in a queue that have not ended, by name or by a tag, the most urgent first."""
        names = (person, *self.tags.get(person, ()))
        assignments = (a for name in names for a in self.of_assignee.get(name, ()) if not a.ended)
        return sorted((a for a in assignments if (a.dataset, a.stream) == (dataset, stream)), key=lambda a: a.rank)

    def open_draws(self, dataset: str, stream: str, person: str, moment: datetime) -> Iterator[QueuedDraw]:
        """Yield the draws open to a person: those assigned to them, then to nobody, then those for others first."""
        urgent = groupby(self.assignments_of(dataset, stream, person), key=lambda a: a.rank)
        own = chain.from_iterable(
            merge(*(a.waiting_draws() for a in assignments), key=lambda d: d.order) for _, assignments in urgent
        )
        yielded_draws: set[QueuedDraw] = set()
        for draw in chain(own, self.queues[dataset, stream].waiting_draws(FREE, LATER)):
            if draw not in yielded_draws and self.is_free(draw, person, moment):
                if draw.place != FREE:
                    yielded_draws.add(draw)
                yield draw

    def rank(self, draw: QueuedDraw, person: str) -> tuple[tuple[int, datetime], tuple[float, str]]:
        """A draw's place in the order in which a person is given what is open to them."""
        own = (a.rank for a in draw.assignments if not a.ended and self.admits(frozenset([a.assignee]), person))
        return min(own, default=(UNASSIGNED_PRIORITY, _NEVER)), draw.order

    def count(self, dataset: str, stream: str, person: str, moment: datetime) -> int:
        """Return the number of a queue's items open to a person: all open ones but those that `is_free` denies them."""
        worker, queue = self.workers[person], self.queues[dataset, stream]
        groups = [worker.last, worker.saw_people, worker.saw_judge] if stream == "audit" else [worker.last]
        if sum(map(len, groups)) < queue.open:
            looked: Iterable[QueuedDraw] = (d for items in groups for item in items for d in self.of_item.get(item, ()))
        else:
            looked = queue.waiting_draws()
        closed_audiences = {audience for audience in queue.audiences if not self.admits(audience, person)}

        def is_counted(d: QueuedDraw) -> bool:
            return not d.closed and d.dataset == dataset and d.stream == stream and d.audience not in closed_audiences

        denied_draws = {d for d in looked if is_counted(d) and self.is_closed_to(d, person)}
        if moment > self.tidied + _TIDY_INTERVAL:
            self.claimed_draws = {d for d in self.claimed_draws if any(until > moment for until in d.holders.values())}
            self.tidied = moment
        denied_draws |= {d for d in self.claimed_draws if is_counted(d) and not self.is_free(d, person, moment)}
        return queue.open - sum(queue.audiences[audience] for audience in closed_audiences) - len(denied_draws)

    def held_draws(self, dataset: str, stream: str, person: str, moment: datetime) -> dict[QueuedDraw, datetime]:
        """Return the draws of a queue that a person holds and may still answer, with the end of each claim."""
        return {
            d: d.holders[person] for d in self.claimed_draws
            if person in d.holders and d.dataset == dataset and d.stream == stream and d.holders[person] > moment
            and self.is_free(d, person, moment)
        }  # fmt: skip


_indexes: weakref.WeakKeyDictionary[Store, QueueIndex] = weakref.WeakKeyDictionary()
_making = threading.Lock()


def current_index(reader: Store | Tx) -> QueueIndex:
    """Return the queue index of a store, up to date; inside a transaction of it up to what came before."""
    store = reader.store if isinstance(reader, Tx) else reader
    with _making:
        index = _indexes.get(store) or _indexes.setdefault(store, QueueIndex())
    index.follow(reader)
    return index
