"""Work that is given to people: who is offered which items first, or alone, until when; changed by appended rows."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import NamedTuple

from data.assignments.shares import spread_items
from data.calibration import item_fields
from data.queue.queue import Stream
from data.records import people, tags
from data.records.access import act, allow, allow_change, find_person, require
from data.records.queue_index import IndexedAssignment, QueuedDraw, QueueIndex, current_index
from data.records.tables import AssignmentItemRow, AssignmentRow, ClaimRow
from data.store import Row, Store, Tx, columns_of
from data.store.errors import BadInput, NotFound
from data.store.ids import new_id, now
from judges.plural import many
from judges.strict_json import canonical, storable_text

PRIORITIES = {1: "high", 2: "normal", 3: "low"}
MAX_NOTE_LENGTH, MAX_PEOPLE = 500, 20
"""The most characters of a note, and the most people that may be asked for one item."""
_MAX_UNDOABLE_CHANGES = 5
_NUMBER = re.compile(r"\s*[-+]?[\d.,]+(e[-+]?\d+)?\s*%?", re.IGNORECASE)


@dataclass(frozen=True)
class Selection:
    """The choice of items of a queue to give out.

    Of the items with `value` in `field` (language, or a field of their meta), it chooses the first `number` or `share`
    (at least one) in the order of the queue; or it chooses `items`, by their ids. By default, it chooses all.
    """

    field: str = ""
    value: str = ""
    number: int | None = None
    share: float | None = None
    items: tuple[str, ...] = ()

    @classmethod
    def of_json(cls, chosen: str) -> Selection:
        """Return the selection that `as_json` stored."""
        fields = json.loads(chosen or "{}")
        return cls(**{**fields, "items": tuple(fields.get("items", ()))})

    def as_json(self, items: Sequence[str]) -> str:
        """The selection as it is stored, with `items` in place of those that it names."""
        fields = {name: value for name, value in asdict(self).items() if value not in ("", None, ())}
        return canonical({**fields, "items": list(items)} if self.items else fields)

    def check(self, stream: Stream) -> Selection:
        """Return itself. Raises BadInput for an invalid selection, such as single items of the audit sample."""
        if self.number is not None and self.number < 1:
            raise BadInput(f"{self.number} items cannot be given: give 1 or more.")
        if self.share is not None and not 0 < self.share <= 1:
            raise BadInput(f"{self.share:.0%} of the items cannot be given: give more than 0 % and at most 100 %.")
        if self.items and stream == "audit":
            raise BadInput(
                "Items of the audit sample cannot be chosen one by one: who labels an item must not depend on what is "
                "known of its scores. Give all of them, a number, a share, or those of a language."
            )
        return self

    def describe(self) -> str:
        """The selection in words, such as "25% of language Japanese"."""
        if self.items:
            return f"{many(len(self.items), 'item')} chosen"
        part = "" if self.share is None else f"{self.share:.0%}"
        part = part if self.number is None else f"the first {self.number:,}"
        pool = f"{self.field.replace('_', ' ')} {self.value}" if self.field else "all items"
        return f"{part} of {pool}" if part else pool


@dataclass(frozen=True)
class AssignmentTerms:
    """To whom work is given and how: to people (several share it evenly), or to anyone with a tag.

    `overlap`: to how many of them each item goes. People who have answered or reserved it, or have it assigned already,
    are counted, so that an item goes to no more people in all than this, or than its dataset asks for. `reserved`: only
    they may have it until they have answered or skipped it; otherwise they are offered it first. `due` is UTC. A lower
    `priority` comes first.
    """

    people: tuple[str, ...] = ()
    tag: str = ""
    overlap: int = 1
    reserved: bool = True
    due: datetime | None = None
    priority: int = 2
    note: str = ""
    seed: int = 0

    def check(self) -> AssignmentTerms:
        """Return itself. Raises BadInput for impossible terms."""
        if bool(self.people) == bool(self.tag):
            raise BadInput("Choose to whom the work is given: people, or a tag.")
        if not 1 <= self.overlap <= MAX_PEOPLE:
            raise BadInput(f"People per item is {self.overlap}: it must be 1 to {MAX_PEOPLE}.")
        if self.people and self.overlap > len(self.people):
            raise BadInput(f"{self.overlap} people per item are more than the {len(self.people)} to whom it is given.")
        if self.priority not in PRIORITIES:
            raise BadInput(f"The priority is {self.priority}: it must be 1 (high), 2 (normal) or 3 (low).")
        if len(self.note) > MAX_NOTE_LENGTH:
            raise BadInput(f"The note has {len(self.note):,} letters: at most {MAX_NOTE_LENGTH} are allowed.")
        return replace(self, note=storable_text(self.note).strip())


class SharePlan(NamedTuple):
    """The result of giving work out.

    `shares`: assignee -> draws. `items`: how many of the selected items still need somebody. `lacking`: for how many of
    them there are too few named people who may answer.
    """

    shares: dict[str, list[str]]
    items: int
    lacking: int


@dataclass(frozen=True)
class Assignment:
    """Work that `by` gave to somebody at `at`, and how far it is: `total` items, of which `left` still wait."""

    id: str
    stream: Stream
    assignee: str
    reserved: bool
    priority: int
    due: datetime | None
    note: str
    chosen: Selection
    by: str
    at: datetime
    total: int
    left: int


class UndoableChange(NamedTuple):
    """A change that gave out work and can be undone: its number, who, when, how many items, to how many people.

    `first` is one of several assignees.
    """

    revision: int
    by: str
    at: datetime
    items: int
    assignees: int
    first: str


# -- giving out ---------------------------------------------------------------------------------------------------


@allow("researcher")
def selection_values(store: Store, dataset_id: str, stream: Stream) -> dict[str, list[str]]:
    """Return by what items of a queue can be chosen: language and fields of their meta, each with its values.

    In the audit sample, fields of numbers are left out because they may be scores.
    """
    items = item_fields.item_fields(store, dataset_id)
    fields = {item_fields.LANGUAGE: items.words[item_fields.LANGUAGE], **items.meta}
    values = {name: sorted({str(word) for word in words} - {""}) for name, words in fields.items()}
    return {name: texts for name, texts in values.items() if texts and not (stream == "audit" and _are_numbers(texts))}


def _are_numbers(words: Iterable[str]) -> bool:
    return all(map(_NUMBER.fullmatch, words))


@allow("researcher")
def plan_shares(store: Store, dataset_id: str, stream: Stream, chosen: Selection, terms: AssignmentTerms) -> SharePlan:
    """Return the shares that `assign` would make now. Raises BadInput (terms, selection), NotFound (a person)."""
    terms, ids = terms.check(), _chosen_ids(store, dataset_id, stream, chosen.check(stream))
    return _plan(store, current_index(store), dataset_id, stream, chosen, ids, terms)


@allow("researcher")
def assign(
    store: Store, actor: str, dataset_id: str, stream: Stream, chosen: Selection, terms: AssignmentTerms
) -> SharePlan:
    """Give work out, in one assignment for each person, or one for a tag.

    Raises NotAllowed below the role researcher, BadInput and NotFound as `plan_shares` does, and BadInput if nothing
    would be given.
    """
    require(store, actor, "researcher")
    terms, ids = terms.check(), _chosen_ids(store, dataset_id, stream, chosen.check(stream))
    index = current_index(store)
    began, planned = index.seq, _plan(store, index, dataset_id, stream, chosen, ids, terms)

    def work(tx: Tx) -> SharePlan:
        index.follow(tx)
        plan = _drop_invalid_shares(tx, index, planned, began, terms)
        if plan is None:
            plan = _plan(tx, index, dataset_id, stream, chosen, ids, terms)
        if not any(plan.shares.values()):
            raise BadInput(
                "No item is left to give out: all chosen items are answered, assigned, or not open to any of these "
                "people."
            )
        _begin(tx, dataset_id, stream, terms, chosen, plan.shares)
        return plan

    return act(store, actor, "researcher", "assign", work, dataset_id)


def _drop_invalid_shares(
    tx: Tx, index: QueueIndex, plan: SharePlan, began: int, terms: AssignmentTerms
) -> SharePlan | None:
    """Return what is still valid of a plan that was made at change `began`; None if it must be made again.

    Others label while many items are spread over many people. Under the write lock only what they touched is checked.
    """
    if tx.rows(_CHANGED_MORE_SQL, [began]):
        return None
    touched = {str(row[0]) for row in tx.rows(_TOUCHED_DRAWS_SQL, [began])}
    moment, shares, invalid = now(), dict[str, list[str]](), set[str]()
    with index.lock:
        for name, share in plan.shares.items():
            for draw in touched.intersection(share):
                entry = index.draws[draw]
                had = _people_of_draw(index, entry, moment)
                full = len(had) >= max(terms.overlap, index.overlap[entry.dataset])
                if full or name in had or index.is_closed_to(entry, name) or not _can_be_given(index, entry, terms):
                    invalid.add(draw)
    if invalid:  # an item for several people goes to none of them: how many it lacks may be different now
        shares = {name: [draw for draw in share if draw not in invalid] for name, share in plan.shares.items()}
        return SharePlan(shares, plan.items - len(invalid), plan.lacking)
    return plan


_CHANGED_MORE_SQL = (
    "select 1 from person_event where seq > $1 union all select 1 from assignment where seq > $1 "
    f"union all select 1 from setting where seq > $1 and (name = 'queue' or scope = '{tags.SCOPE}') limit 1"
)
"""SQL: whether anything came since a change that can affect a whole plan."""
_TOUCHED_DRAWS_SQL = (
    "select draw_id from claim where seq > $1 union select draw_id from assignment_item where seq > $1 "
    "union select d.id from draw d where d.item_id in "
    "(select item_id from answer where seq > $1 union select item_id from exposure where seq > $1)"
)
"""SQL: the draws for which something came since a change that affects who may answer them."""


def _chosen_ids(store: Store, dataset_id: str, stream: Stream, chosen: Selection) -> frozenset[str] | None:
    """Return the items that a selection names by field or by id; None if it names all."""
    if chosen.items:
        return frozenset(chosen.items)
    if not chosen.field:
        return None
    items = item_fields.item_fields(store, dataset_id)
    words = items.words.get(chosen.field, items.meta.get(chosen.field))
    if words is None or chosen.field == item_fields.SYSTEM:
        known = ", ".join(selection_values(store, dataset_id, stream)) or "none"
        raise BadInput(f"Items have no field {chosen.field[:60]!r} to choose them by. There are: {known}.")
    if stream == "audit" and _are_numbers({str(word) for word in words} - {""}):
        raise BadInput(
            f"Items of the audit sample cannot be chosen by {chosen.field[:60]!r}, which has numbers: they may be "
            "scores, and who labels an item must not depend on what is known of these."
        )
    return frozenset(item for item, word in zip(items.ids, words, strict=True) if word == chosen.value)


def _plan(
    reader: Store | Tx, index: QueueIndex, dataset_id: str, stream: Stream, chosen: Selection,
    ids: frozenset[str] | None, terms: AssignmentTerms,
) -> SharePlan:  # fmt: skip
    weights = _weights(reader, terms.people)
    if terms.tag and all(terms.tag not in person.tags for person in tags.all_tags(reader).values()):
        raise NotFound(f"Nobody has the tag {terms.tag!r}. A lead can give it to people on the page Assignments.")
    needs, barred, moment = dict[str, int](), defaultdict[str, set[str]](set), now()
    with index.lock:
        seats = max(terms.overlap, index.overlap[dataset_id])
        for draw in index.queues[dataset_id, stream].all:
            if ids is not None and draw.item not in ids:
                continue
            had = _people_of_draw(index, draw, moment)
            lacks = min(terms.overlap, seats - len(had))
            if lacks < 1 or any(tags.is_tag(person) for person in had) or not _can_be_given(index, draw, terms):
                continue
            needs[draw.id] = lacks
            if had:
                barred[draw.id] |= had
        _add_barred(index, needs, weights, barred)
    most = len(needs) if chosen.share is None else max(round(chosen.share * len(needs)), 1)
    needs = dict(list(needs.items())[: most if chosen.number is None else chosen.number])
    if terms.tag:
        return SharePlan({tags.assignee(terms.tag): list(needs)}, len(needs), 0)
    shares = spread_items(needs, weights, barred, terms.seed)
    counts = Counter(draw for share in shares.values() for draw in share)
    return SharePlan(shares, len(needs), sum(counts[draw] < n for draw, n in needs.items()))


def _add_barred(
    index: QueueIndex, draws: Collection[str], names: Iterable[str], barred: defaultdict[str, set[str]]
) -> None:
    """Add to each of these draws which of the people may not answer it; the caller holds the lock of the index.

    It goes through what each person has answered and was shown, because that is little compared with all items.
    """
    for name in names:
        worker = index.workers[name]
        for item in worker.last.keys() | worker.saw_people | worker.saw_judge:
            for draw in index.of_item.get(item, ()):
                if draw.id in draws and index.is_closed_to(draw, name):
                    barred[draw.id].add(name)


def _weights(reader: Store | Tx, names: Sequence[str]) -> dict[str, float]:
    """The share that each of these people takes. Raises BadInput where somebody cannot label, or nobody takes any."""
    known = {person.name: person for person in people.all_people(reader, active=False)}
    for name in names:
        if not (known.get(name) or find_person(reader, name)).active:
            raise BadInput(f"{name} is not active in this workspace: nothing can be given to them.")
    tags_by_name = tags.all_tags(reader)
    weights = {name: tags_by_name.get(name, tags.PersonTags(name)).share for name in names}
    if len(weights) == 1:
        return dict.fromkeys(weights, 1.0)
    if weights and not any(weights.values()):
        raise BadInput("All of these people take a share of 0 for now. Choose others, or change their shares.")
    return weights


def _people_of_draw(index: QueueIndex, draw: QueuedDraw, moment: datetime) -> set[str]:
    """Return those who have answered a draw, have reserved it, or have it assigned (a tag for anybody who has it)."""
    if not (draw.answered_by or draw.holders or draw.assignments):
        return set()
    waits = {a.assignee for a in draw.assignments if draw in a.left and a.assignee not in index.former_people}
    return draw.answered_by | {name for name in index.holders(draw, moment) if name not in index.former_people} | waits


def _can_be_given(index: QueueIndex, draw: QueuedDraw, terms: AssignmentTerms) -> bool:
    """Whether a draw is open, or would be opened again by being reserved for a further person."""
    return not draw.closed or (index.is_done(draw) and terms.reserved and not terms.tag)


def _begin(
    tx: Tx, dataset_id: str, stream: str, terms: AssignmentTerms, chosen: Selection, shares: Mapping[str, Sequence[str]]
) -> None:
    """Append an assignment for each share that is not empty."""
    for assignee, draws in shares.items():
        if not draws:
            continue
        key = new_id()
        tx.append([
            AssignmentRow(
                new_id(), key, dataset_id, stream, assignee, "reserved" if terms.reserved else "preferred",
                terms.priority, terms.due, terms.note, chosen.as_json(draws), False,
            )
        ])  # fmt: skip
        tx.append([AssignmentItemRow(key, draw, True) for draw in draws])


# -- what there is ------------------------------------------------------------------------------------------------

@allow("researcher")
def current_assignments(store: Store, dataset_id: str, assignee: str = "") -> list[Assignment]:
    """The assignments of a dataset that have not ended (of one assignee, or all), the most urgent first."""
    where, params = (" and n.assignee = $2", [assignee]) if assignee else ("", [])
    rows = store.rows(
        "select n.assignment_id, n.stream, n.assignee, n.offer, n.priority, n.due, n.note, n.chosen, c.actor, "
        "c.made_at from assignment_now n join change c on c.seq = n.began "
        f"where n.dataset_id = $1 and not n.ended{where}",
        [dataset_id, *params],
    )
    index = current_index(store)
    with index.lock:
        assignments = [_assignment(index, row) for row in rows if row[0] in index.assignments]
    return sorted(assignments, key=lambda a: (a.priority, a.due or datetime.max, a.assignee, a.id))


def _assignment(index: QueueIndex, row: Row) -> Assignment:
    key, stream, assignee, offer, priority, due, note, chosen, by, at = row
    counts = count_work(index, str(assignee), [index.assignments[str(key)]])
    return Assignment(
        str(key), stream, str(assignee), offer == "reserved", int(priority), due, str(note),
        Selection.of_json(str(chosen)), str(by), at, counts.total, counts.left,
    )  # fmt: skip


class WorkCount(NamedTuple):
    """Items that are assigned to somebody: all, those that still wait, those answered and those skipped by them."""

    total: int
    left: int
    done: int
    skipped: int


def count_work(index: QueueIndex, assignee: str, assignments: Iterable[IndexedAssignment]) -> WorkCount:
    """The counts of an assignee's assignments, each item once; the caller has the lock of the index."""
    draws, left = _draws_and_left(assignments)
    done = draws - left
    if tags.is_tag(assignee):
        return WorkCount(len(draws), len(left), sum(bool(draw.answered_by) for draw in done), 0)
    last = index.workers[assignee].last
    actions = Counter(last[draw.item][0] for draw in done if draw.item in last)
    return WorkCount(len(draws), len(left), actions["save"], actions["skip"])


def _draws_and_left(assignments: Iterable[IndexedAssignment]) -> tuple[set[QueuedDraw], set[QueuedDraw]]:
    """All draws of these assignments, and those of them that still wait for one."""
    draws, left = set[QueuedDraw](), set[QueuedDraw]()
    for assignment in assignments:
        draws.update(assignment.line)
        left |= assignment.left
    return draws, left


class OwnWork(NamedTuple):
    """The work assigned to a person in a queue: items left, all items, and when the next of those left is due (UTC)."""

    left: int
    total: int
    due: datetime | None


@allow("annotator")
def own_work(store: Store, person: str, dataset_id: str, stream: Stream) -> OwnWork:
    """Return the work assigned to a person in a queue, by name or by a tag; each item counts once."""
    index = current_index(store)
    with index.lock:
        entries = index.assignments_of(dataset_id, stream, person)
        dues = [assignment.due for assignment in entries if assignment.left and assignment.due]
        draws, left = _draws_and_left(entries)
        return OwnWork(len(left), len(draws), min(dues, default=None))


@allow("annotator")
def own_notes(store: Store, person: str, dataset_id: str) -> list[str]:
    """Return the notes on a person's assignments in a dataset that have items left."""
    rows = store.rows(
        "select assignment_id, note from assignment_now where dataset_id = $1 and note <> '' and not ended "
        "order by priority, began",
        [dataset_id],
    )
    index = current_index(store)
    with index.lock:
        streams = ("audit", "review")
        open_ids = {a.id for stream in streams for a in index.assignments_of(dataset_id, stream, person) if a.left}
    return list(dict.fromkeys(str(note) for key, note in rows if key in open_ids))


# -- changing -----------------------------------------------------------------------------------------------------


@allow_change("researcher", "assignment", "assignment_id")
def change_assignment(
    tx: Tx, actor: str, assignment_id: str, reserved: bool, priority: int, due: datetime | None, note: str
) -> None:
    """Change the terms of an assignment. Raises NotAllowed below the role researcher, BadInput, NotFound."""
    terms = AssignmentTerms(tag="any", reserved=reserved, priority=priority, due=due, note=note).check()
    before = _find(tx, assignment_id)
    offer = "reserved" if terms.reserved else "preferred"
    new = before._replace(offer=offer, priority=terms.priority, due=terms.due, note=terms.note)
    if new != before:
        tx.append([new._replace(id=new_id())])


@allow_change("researcher", "end assignment", "assignment_id")
def end_assignment(tx: Tx, actor: str, assignment_id: str) -> None:
    """End an assignment: what was done stays done, the rest is for everybody again.

    Raises NotAllowed below the role researcher, NotFound where there is none or it has ended.
    """
    tx.append([_find(tx, assignment_id)._replace(id=new_id(), ended=True)])


def _find(tx: Tx, assignment_id: str) -> AssignmentRow:
    rows = tx.rows(f"select {columns_of(AssignmentRow)} from assignment_now where assignment_id = $1", [assignment_id])
    if not rows or rows[0][-1]:
        raise NotFound("This assignment has ended already, or is not of this workspace. Load the page again.")
    return AssignmentRow(*rows[0])


@allow("researcher")
def plan_reassignment(store: Store, dataset_id: str, giver: str, to: Sequence[str], seed: int) -> SharePlan:
    """Return the shares that `reassign` would make now."""
    return _plan_reassignment(store, current_index(store), dataset_id, giver, to, seed)[0]


@allow_change("researcher", "reassign", "dataset_id")
def reassign(tx: Tx, actor: str, dataset_id: str, giver: str, to: Sequence[str], seed: int) -> SharePlan:
    """Give what a person has left of a dataset to others, evenly and by the same terms; release their reservations.

    What none of the others may answer stays where it is. Raises NotAllowed below the role researcher, BadInput if
    nothing would move, NotFound for a person.
    """
    index = current_index(tx)
    plan, source = _plan_reassignment(tx, index, dataset_id, giver, to, seed)
    moved = {draw for share in plan.shares.values() for draw in share}
    if not moved:
        raise BadInput(f"Nothing that is left to {giver} can be given to these people.")
    for assignment in {a.id: a for a in source.values()}.values():
        row = _find(tx, assignment.id)
        terms = AssignmentTerms(to[:1], "", 1, row.offer == "reserved", row.due, row.priority, row.note)  # type: ignore[arg-type]
        draws_by_person = {n: [d for d in share if source[d] is assignment] for n, share in plan.shares.items()}
        _begin(tx, dataset_id, assignment.stream, terms, Selection.of_json(row.chosen), draws_by_person)
    with index.lock:
        draws, moment = [index.draws[draw] for draw in sorted(moved)], now()
        removals = [AssignmentItemRow(a.id, d.id, False) for d in draws for a in d.assignments if a.assignee == giver]
        ended = [
            ClaimRow(new_id(), dataset_id, d.id, d.item, giver, moment)
            for d in draws if d.holders.get(giver, moment) > moment
        ]  # fmt: skip
    tx.append(removals)
    tx.append(ended)
    return plan


def _plan_reassignment(
    reader: Store | Tx, index: QueueIndex, dataset_id: str, giver: str, to: Sequence[str], seed: int
) -> tuple[SharePlan, dict[str, IndexedAssignment]]:
    """Plan the others' shares; return them with the most urgent assignment that each remaining draw comes from."""
    if giver in to or not to:
        raise BadInput(f"Choose one person or more to take over from {giver}.")
    weights, barred, moment = _weights(reader, to), defaultdict[str, set[str]](set), now()
    source = dict[str, IndexedAssignment]()
    with index.lock:
        assignments = [a for a in index.of_assignee.get(giver, ()) if a.dataset == dataset_id and not a.ended]
        for assignment in sorted(assignments, key=lambda a: a.rank):
            for draw in assignment.line:
                had = _people_of_draw(index, draw, moment)
                open_ = giver not in index.former_people or len(had) < index.overlap[dataset_id]
                if draw in assignment.left and draw.id not in source and open_:
                    source[draw.id] = assignment
                    barred[draw.id] |= had
        _add_barred(index, source, weights, barred)
    shares = spread_items(dict.fromkeys(source, 1), weights, barred, seed)
    total = sum(map(len, shares.values()))
    return SharePlan(shares, len(source), len(source) - total), source


@allow("researcher")
def undoable_changes(store: Store, dataset_id: str) -> list[UndoableChange]:
    """The newest changes that gave work of a dataset out and have not been undone, the newest first."""
    rows = store.rows(
        "select c.seq, c.actor, c.made_at, count(*), count(distinct n.assignee), min(n.assignee) "
        "from assignment_now n join change c on c.seq = n.began "
        "join assignment_item i on i.assignment_id = n.assignment_id and i.seq = n.began "
        "where n.dataset_id = $1 and not n.ended group by c.seq, c.actor, c.made_at "
        f"order by c.seq desc limit {_MAX_UNDOABLE_CHANGES}",
        [dataset_id],
    )
    return [UndoableChange(*row) for row in rows]


@allow_change("researcher", "undo assignment", "dataset_id")
def undo(tx: Tx, actor: str, dataset_id: str, revision: int) -> None:
    """End what one change gave out, and give back what it took from somebody; what was done since stays done.

    What was passed on to others since, or has ended by itself, is not given back. Raises NotAllowed below the role
    researcher, BadInput if none of it is in force any more.
    """
    rows = tx.rows(
        f"select {columns_of(AssignmentRow)} from assignment_now where dataset_id = $1 and began = $2 and not ended",
        [dataset_id, revision],
    )
    if not rows:
        raise BadInput("There is nothing to undo: what was given out then has ended. Load the page again.")
    ended, index = [AssignmentRow(*row)._replace(id=new_id(), ended=True) for row in rows], current_index(tx)
    with index.lock:
        still = {draw.id for row in ended for draw in index.assignments[row.assignment_id].line}
    tx.append(ended)
    removals = tx.rows(
        "select i.assignment_id, i.draw_id from assignment_item i join assignment_now n "
        "on n.assignment_id = i.assignment_id where i.seq = $1 and not i.given and not n.ended",
        [revision],
    )
    tx.append([AssignmentItemRow(str(key), str(draw), True) for key, draw in removals if draw in still])


@allow("researcher")
def assigned_counts(store: Store, dataset_id: str, stream: Stream) -> tuple[int, int, dict[str, int]]:
    """Return how many items of a queue are open, how many are unassigned, and tag -> items that nobody can take.

    The latter wait for people with the tag, and nobody active has it.
    """
    index = current_index(store)
    active = {person.name for person in people.all_people(store)}
    with index.lock:
        able = {tag for name, own in index.tags.items() if name in active for tag in own}
        nobody = Counter[str]()
        open_ = unassigned = 0
        for draw in index.queues[dataset_id, stream].waiting_draws():
            open_ += 1
            unassigned += draw.audience is None and not any(draw in a.left for a in draw.assignments)
            if draw.audience and not any(assignee in able or not tags.is_tag(assignee) for assignee in draw.audience):
                nobody[min(draw.audience)] += 1
        return open_, unassigned, dict(nobody)
