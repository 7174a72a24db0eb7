"""The board: who has answered what and who holds what, in memory, brought up to date from the newest rows.

What is open to whom is asked several times a second by everybody who labels. Rows are only ever appended, so the answer
is a fold over them: each look reads just what came since the last one. The store stays the only truth; a board that is
thrown away is read again. Inside a transaction the fold ends before that transaction's own rows.
"""

from __future__ import annotations

import json
import threading
import weakref
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from data.store import Row, Store, Tx

OVERLAP = 1
"""People per item where a dataset says nothing."""


_RULES, _DRAW, _CLAIM, _ANSWER, _EXPOSURE = 1, 2, 3, 4, 5
_SINCE = {
    "setting": """select 1, seq, cast(null as timestamp), id, scope, value, '', '', '', '', '', 0, 0.0
from setting where name = 'queue' and seq > $1 and seq <= $2""",
    "draw": """select 2, seq, cast(null as timestamp), id, dataset_id, stream, item_id, mode, '', '', '', 0, priority
from draw where seq > $1 and seq <= $2""",
    "claim": """select 3, seq, until, id, draw_id, person, item_id, '', '', '', '', 0, 0.0
from claim where draw_id <> '' and seq > $1 and seq <= $2""",
    "answer": """select 4, seq, made_at, id, item_id, draw_id, person, action, dataset_id, previous, mode,
milliseconds, 0.0 from answer where seq > $1 and seq <= $2""",
    "exposure": """select 5, seq, cast(null as timestamp), id, item_id, person, judge_id, '', '', '', '', 0, 0.0
from exposure where seq > $1 and seq <= $2""",
}
"""Table -> what of its rows since a change the fold is made of."""
_TIDY = timedelta(seconds=10)


@dataclass(slots=True, eq=False)
class QueuedDraw:
    """An item in a queue. `closed`: enough people have answered it, or the audit sample asks for it first."""

    id: str
    dataset: str
    stream: str
    item: str
    mode: str
    priority: float
    savers: set[str] = field(default_factory=set)
    holders: dict[str, datetime] = field(default_factory=dict)
    closed: bool = False
    listed: bool = True

    @property
    def order(self) -> tuple[float, str]:
        """Its place in the queue."""
        return self.priority, self.id


@dataclass(slots=True)
class Queue:
    """A dataset's stream: all its draws and the line of those that may be open, both in order, and counts."""

    all: list[QueuedDraw] = field(default_factory=list)
    line: list[QueuedDraw] = field(default_factory=list)
    open: int = 0
    answered: int = 0
    stale: int = 0


@dataclass(frozen=True, slots=True)
class FirstSave:
    """When an item was first saved by a person, and how long it had taken them."""

    at: datetime
    milliseconds: int
    dataset: str


@dataclass(slots=True)
class PersonItems:
    """The items of one person.

    They are how the newest answer to each came about (action, draw), first saves, those of which they were answered
    blind, those of which the person was shown what other people say (`known`) or a judge's scores (`judged`).
    """

    last: dict[str, tuple[str, str]] = field(default_factory=dict)
    first: dict[str, FirstSave] = field(default_factory=dict)
    blind: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    judged: set[str] = field(default_factory=set)


class QueueIndex:
    """The fold over draws, claims, answers, exposures and queue rules up to change `seq`."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.seq = 0
        self.stamp: list[int | None] = []
        self.drawn = 0
        self.draws: dict[str, QueuedDraw] = {}
        self.queues: dict[tuple[str, str], Queue] = defaultdict(Queue)
        self.of_item: dict[str, list[QueuedDraw]] = defaultdict(list)
        self.workers: dict[str, PersonItems] = defaultdict(PersonItems)
        self.overlap: dict[str, int] = {}
        self.held: set[QueuedDraw] = set()
        self.tidied = datetime.min
        self.matching: dict[object, tuple[int, frozenset[str]]] = {}

    # -- keeping up ---------------------------------------------------------------------------------------------

    def follow(self, store: Store | Tx) -> None:
        """Take in what was written since the last look. Rows are read before the lock is taken, and used only once.

        Only tables that were written since are read, up to the newest change that `seen` knows of. It is looked at
        twice, as a change may come while it is: `now` then knows of all that `seen` knows of, and the rest comes later.
        """
        while True:
            before, since = self.stamp, self.seq
            seen = store.follow(_SINCE)
            if seen == before and None not in seen:
                return
            now = [store.touched(table) for table in _SINCE]
            known = 0 if isinstance(store, Tx) else max(s or 0 for s in seen) if before else store.newest()
            upto = store.seq - 1 if isinstance(store, Tx) else known
            changed = [n for n, one in enumerate(now) if one is None or not before or one != before[n]]
            parts = list(_SINCE.values())
            rows = store.rows(" union all ".join(parts[n] for n in changed), [since, upto]) if upto > since else []
            with self.lock:
                if self.seq == since:
                    self._take(sorted(rows, key=lambda row: row[:4]))
                    self.seq, self.stamp = max(since, upto), seen
                    return

    def _take(self, rows: list[Row]) -> None:
        weigh: list[QueuedDraw] = []
        replaced = {row[9] for row in rows if row[0] == _ANSWER}
        for sort, seq, at, row_id, *values in rows:
            if sort == _RULES:
                self.overlap[values[0]] = int(json.loads(values[1]).get("overlap", OVERLAP))
                weigh += [d for stream in ("audit", "review") for d in self.queues[values[0], stream].all]
            elif sort == _DRAW:
                dataset, stream, item, mode, *_, priority = values
                draw = QueuedDraw(row_id, dataset, stream, item, mode, priority)
                weigh.append(draw)
                self.draws[row_id] = draw
                self.of_item[draw.item].append(draw)
                self.drawn = seq
                queue = self.queues[draw.dataset, draw.stream]
                queue.all.append(draw)
                queue.line.append(draw)
                queue.open += 1
            elif sort == _EXPOSURE:
                item, person, judge, *_ = values
                worker = self.workers[person]
                (worker.judged if judge else worker.known).add(item)
            elif sort == _CLAIM and values[0] in self.draws:
                draw = self.draws[values[0]]
                draw.holders[values[1]] = at
                if not draw.closed:
                    self.held.add(draw)
            elif sort == _ANSWER:
                item, draw_id, person, action, dataset, _, mode, milliseconds, _ = values
                worker = self.workers[person]
                if action == "save":
                    worker.first.setdefault(item, FirstSave(at, milliseconds, dataset))
                if mode == "blind":
                    worker.blind.add(item)
                if row_id not in replaced:
                    self._answered(worker, person, item, draw_id, action)
        for name in {(d.dataset, d.stream) for d in weigh}:
            self.queues[name].all.sort(key=lambda d: d.order)
            self.queues[name].line.sort(key=lambda d: d.order)
        for draw in weigh:
            self._weigh(draw)

    def _answered(self, worker: PersonItems, person: str, item: str, draw_id: str, action: str) -> None:
        """A person's newest answer to an item: it counts for the draw it was given under, and no longer for another.

        A blind draw stays open while none of their answers to it was blind.
        """
        before = worker.last.get(item)
        worker.last[item] = (action, draw_id)
        for one in {before[1] if before else "", draw_id}:
            draw = self.draws.get(one)
            if draw is None:
                continue
            had = bool(draw.savers)
            counts = one == draw_id and action == "save" and (draw.mode != "blind" or item in worker.blind)
            (draw.savers.add if counts else draw.savers.discard)(person)
            self.queues[draw.dataset, draw.stream].answered += bool(draw.savers) - had
            self._weigh(draw)

    def _weigh(self, draw: QueuedDraw) -> None:
        """Open or close a draw; one of the audit sample also closes its item's place in the review queue."""
        if draw.stream == "audit":
            for other in self.of_item[draw.item]:
                if other.stream == "review":
                    self._weigh(other)
        closed = self.full(draw) or (draw.stream == "review" and self.reserved(draw.item))
        if closed == draw.closed:
            return
        draw.closed = closed
        queue = self.queues[draw.dataset, draw.stream]
        queue.open += -1 if closed else 1
        queue.stale += 1 if closed else -1
        if closed:
            self.held.discard(draw)
        elif draw.holders:
            self.held.add(draw)
        if not closed and not draw.listed:
            insort(queue.line, draw, key=lambda d: d.order)
            draw.listed, queue.stale = True, queue.stale + 1
        if queue.stale > 200 and queue.stale > len(queue.line) // 4:
            for one in queue.line:
                one.listed = not one.closed
            queue.line, queue.stale = [one for one in queue.line if not one.closed], 0

    def full(self, draw: QueuedDraw) -> bool:
        """Whether as many people have answered a draw as its dataset asks for."""
        return len(draw.savers) >= self.overlap.get(draw.dataset, OVERLAP)

    def reserved(self, item: str) -> bool:
        """Whether an item waits for its answers in the audit sample, so that the review queue must not take it."""
        return any(draw.stream == "audit" and not self.full(draw) for draw in self.of_item[item])

    # -- asking -------------------------------------------------------------------------------------------------

    def holders(self, draw: QueuedDraw, moment: datetime) -> list[str]:
        """Who holds a draw now: claimed, not yet over, and still theirs to answer."""
        return [p for p, until in draw.holders.items() if until > moment and not self.past(draw, p)]

    def past(self, draw: QueuedDraw, person: str) -> bool:
        """Whether a draw is not for this person any more.

        They answered the item, or, in the audit sample, were shown what keeps their answer from counting: what others
        say of it, or, where it is to be answered blind, a judge's scores.
        """
        worker = self.workers[person]
        if draw.item in worker.last or draw.stream != "audit":
            return draw.item in worker.last
        return draw.item in worker.known or (draw.mode == "blind" and draw.item in worker.judged)

    def pending(self, person: str) -> set[str]:
        """The items that may still come to a person for a blind answer, whoever holds them now."""
        return {
            d.item for (_, stream), queue in self.queues.items() if stream == "audit"
            for d in queue.line if d.mode == "blind" and not d.closed and not self.past(d, person)
        }  # fmt: skip

    def free(self, draw: QueuedDraw, person: str, moment: datetime) -> bool:
        """Whether a person may be given this item now; of the audit sample none of which they were shown too much."""
        if draw.closed or self.past(draw, person):
            return False
        taken = len(draw.savers)
        for holder, until in draw.holders.items():
            if holder != person and until > moment and holder not in draw.savers and not self.past(draw, holder):
                taken += 1
        return taken < self.overlap.get(draw.dataset, OVERLAP)

    def line(self, dataset: str, stream: str, person: str, moment: datetime) -> Iterator[QueuedDraw]:
        """What is open to a person, in order."""
        return (d for d in self.queues[dataset, stream].line if self.free(d, person, moment))

    def count(self, dataset: str, stream: str, person: str, moment: datetime) -> int:
        """How many items of a queue are open to a person: all open ones but those that `free` keeps from them."""
        worker, queue = self.workers[person], self.queues[dataset, stream]
        told = [worker.last, worker.known, worker.judged] if stream == "audit" else [worker.last]
        if sum(map(len, told)) < len(queue.line):
            looked: Iterable[QueuedDraw] = (d for items in told for item in items for d in self.of_item.get(item, ()))
        else:
            looked = queue.line
        gone = {
            d for d in looked
            if not d.closed and d.dataset == dataset and d.stream == stream and self.past(d, person)
        }  # fmt: skip
        if moment > self.tidied + _TIDY:
            self.held = {d for d in self.held if any(until > moment for until in d.holders.values())}
            self.tidied = moment
        gone |= {
            d for d in self.held
            if not d.closed and d.dataset == dataset and d.stream == stream and not self.free(d, person, moment)
        }  # fmt: skip
        return queue.open - len(gone)

    def holding(self, dataset: str, stream: str, person: str, moment: datetime) -> dict[QueuedDraw, datetime]:
        """What a person holds of a queue and may still answer, with the end of each claim."""
        return {
            d: d.holders[person] for d in self.held
            if person in d.holders and d.dataset == dataset and d.stream == stream and d.holders[person] > moment
            and self.free(d, person, moment)
        }  # fmt: skip


_boards: weakref.WeakKeyDictionary[Store, QueueIndex] = weakref.WeakKeyDictionary()
_making = threading.Lock()


def current_index(store: Store, tx: Tx | None = None) -> QueueIndex:
    """The board of a store, up to date; inside a transaction of it up to what came before."""
    with _making:
        found = _boards.get(store) or _boards.setdefault(store, QueueIndex())
    found.follow(tx or store)
    return found
