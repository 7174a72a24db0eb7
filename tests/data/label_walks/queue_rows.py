"""The queue by a plain reading of all rows: who may have which item; and that the product says the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from data.queue import listing, progress, queue
from data.records import people, queue_index, settings, tags
from data.store import Store
from tests.data.planted_workspace import NO_FILTERS, PlantedWorkspace

STREAMS: tuple[queue.Stream, ...] = ("audit", "review")


class Draw(NamedTuple):
    """An item that was drawn into a stream."""

    id: str
    dataset: str
    item: str
    stream: str
    mode: str


class QueueRows:
    """Draws, answers, claims and assignments of a workspace as they are at this moment."""

    def __init__(self, workspace: PlantedWorkspace) -> None:
        store = workspace.store
        self.moment = workspace.clock.moment
        draws = (Draw(*row) for row in store.rows("select id, dataset_id, item_id, stream, mode from draw"))
        self.draws = {draw.id: draw for draw in draws}
        self.audit_draws: dict[str, list[str]] = defaultdict(list)
        for draw in self.draws.values():
            if draw.stream == "audit":
                self.audit_draws[draw.item].append(draw.id)
        answers = store.rows("select id, item_id, draw_id, person, action, previous, mode from answer")
        replaced, blind = {row[5] for row in answers}, {(row[1], row[3]) for row in answers if row[6] == "blind"}
        self.answered = {(item, person) for _, item, _, person, *_ in answers}
        self.savers: dict[str, set[str]] = defaultdict(set)
        for answer, item, draw_id, person, action, *_ in answers:
            in_force = answer not in replaced and action == "save" and draw_id in self.draws
            if in_force and (self.draws[draw_id].mode != "blind" or (item, person) in blind):
                self.savers[draw_id].add(person)
        self.claims: dict[str, dict[str, Any]] = defaultdict(dict)
        for draw_id, person, until in store.rows("select draw_id, person, until from claim order by seq, id"):
            self.claims[draw_id][person] = until
        self.exposures = {(i, p, bool(j)) for i, p, j in store.rows("select item_id, person, judge_id from exposure")}
        self.overlap = {id_: settings.queue_rules(store, id_).overlap for id_ in workspace.datasets.values()}
        self.active = {person.name for person in people.all_people(store)}
        self.tags = {name: set(map(tags.assignee, row.tags)) for name, row in tags.all_tags(store).items()}
        self.assignments = read_assignments(store)

    def is_closed_to(self, draw_id: str, person: str) -> bool:
        """Whether somebody can no longer answer a draw, for they have, or have seen what nobody may see before."""
        draw = self.draws[draw_id]
        if (draw.item, person) in self.answered:
            return True
        shown = (draw.item, person, False) in self.exposures
        shown = shown or (draw.mode == "blind" and (draw.item, person, True) in self.exposures)
        return draw.stream == "audit" and shown

    def audience(self, draw_id: str) -> set[str]:
        """The people and tags for whom a draw is reserved."""
        reserved = {assignee for assignee, is_reserved in self.assignments[draw_id] if is_reserved}
        return {
            name for name in reserved
            if tags.is_tag(name) or (name in self.active and not self.is_closed_to(draw_id, name))
        }  # fmt: skip

    def is_done(self, draw_id: str) -> bool:
        """Whether enough people have answered a draw, and nobody for whom it is reserved has still to."""
        enough = len(self.savers[draw_id]) >= self.overlap[self.draws[draw_id].dataset]
        return enough and all(map(tags.is_tag, self.audience(draw_id)))

    def is_closed(self, draw_id: str) -> bool:
        """Whether nobody gets a draw, for it is done, or its item is drawn for the audit and not done there."""
        draw = self.draws[draw_id]
        held_back = draw.stream == "review" and not all(map(self.is_done, self.audit_draws[draw.item]))
        return held_back or self.is_done(draw_id)

    def holders(self, draw_id: str) -> set[str]:
        """The active people who have a draw in hand and can answer it."""
        current = {person for person, until in self.claims[draw_id].items() if until > self.moment}
        return {person for person in current & self.active if not self.is_closed_to(draw_id, person)}

    def is_free(self, draw_id: str, person: str) -> bool:
        """Whether somebody may have a draw."""
        if self.is_closed(draw_id) or self.is_closed_to(draw_id, person):
            return False
        audience = self.audience(draw_id)
        if audience and person not in audience and not audience & self.tags.get(person, set()):
            return False
        return person in audience or self.has_place(draw_id, person, audience)

    def has_place(self, draw_id: str, person: str, audience: set[str]) -> bool:
        """Whether fewer people than the rules ask for have answered a draw, have it in hand, or have it reserved."""
        others = {name for name in audience if not tags.is_tag(name)} | self.savers[draw_id] | self.holders(draw_id)
        return len(others - {person}) < self.overlap[self.draws[draw_id].dataset]

    def of(self, dataset: str, stream: str) -> list[Draw]:
        """The draws of a dataset in a stream."""
        return [draw for draw in self.draws.values() if (draw.dataset, draw.stream) == (dataset, stream)]

    def open_items(self, dataset: str, stream: str, person: str) -> set[str]:
        """The items that somebody may have."""
        return {draw.item for draw in self.of(dataset, stream) if self.is_free(draw.id, person)}


def read_assignments(store: Store) -> dict[str, list[tuple[str, bool]]]:
    """For each draw to whom it is assigned now, and whether for them alone."""
    query = "select assignment_id, assignee, offer = 'reserved' from assignment_now where not ended"
    current = {id_: (assignee, reserved) for id_, assignee, reserved in store.rows(query)}
    newest = {
        (assignment, draw_id): is_part
        for assignment, draw_id, is_part in store.rows(
            "select assignment_id, draw_id, given from assignment_item order by seq, given"
        )
    }
    assignments: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for (assignment, draw_id), is_part in newest.items():
        if is_part and assignment in current:
            assignments[draw_id].append(current[assignment])
    return assignments


# -- what has to hold -------------------------------------------------------------------------------------------------


def check_counts(workspace: PlantedWorkspace, dataset: str, people_: tuple[str, ...]) -> None:
    """As many items as the rows say are open to everybody, on the counter and in the list."""
    rows, store = QueueRows(workspace), workspace.store
    for stream in STREAMS:
        for person in people_:
            items = rows.open_items(dataset, stream, person)
            count = queue.count_open(store, person, dataset, stream)
            assert count == len(items), f"{count} {stream} items are open to {person}, by the rows {sorted(items)}"
            if person in rows.active:
                page = listing.list_queue(store, person, dataset, stream, NO_FILTERS, limit=1000)
                listed = {row.item for row in page.rows if row.state in ("to label", "reserved by you")}
                assert listed == items, f"the list of {person} and the rows differ in {sorted(listed ^ items)}"
                assert page.left == len(items), f"{page.left} left for {person}, {len(items)} listed"


def check_progress(workspace: PlantedWorkspace, dataset: str) -> None:
    """As many items are drawn, answered and stranded as the rows say."""
    rows, store = QueueRows(workspace), workspace.store
    for stream in STREAMS:
        draws = rows.of(dataset, stream)
        state = progress.queue_progress(store, dataset, stream)
        counts = len(draws), sum(bool(rows.savers[draw.id]) for draw in draws)
        assert (state.drawn, state.answered) == counts, f"{stream} says {state}, by the rows {counts}"
    stranded = [
        draw.item for draw in rows.of(dataset, "audit")
        if draw.mode == "blind" and not rows.is_closed(draw.id)
        and all(rows.is_closed_to(draw.id, person) for person in rows.active)
    ]  # fmt: skip
    count = queue.count_stranded(store, dataset)
    assert count == len(stranded), f"{count} items are stranded, by the rows {stranded}"


def check_index(workspace: PlantedWorkspace) -> None:
    """The index that follows each change says the same as one that reads all rows anew."""
    current, new = queue_index.current_index(workspace.store), queue_index.QueueIndex()
    new.follow(workspace.store)
    facts: list[Callable[[Any], Any]] = [
        lambda index: {
            name: ([d.id for d in of.all], [d.id for d in of.waiting_draws()], of.open, of.answered, of.audiences)
            for name, of in index.queues.items()
        },
        lambda index: {d.id: (d.answered_by, d.closed, d.holders, d.place, d.audience) for d in index.draws.values()},
        lambda index: {
            key: (sorted(d.id for d in of.left), [d.id for d in of.line])
            for key, of in index.assignments.items() if not of.ended
        },
    ]  # fmt: skip
    for fact in facts:
        old, anew = fact(current), fact(new)
        wrong = {key: (value, anew.get(key)) for key, value in old.items() if anew.get(key) != value}
        assert not wrong and len(old) == len(anew), f"the index and one that is made anew differ: {wrong}"


def check_modes(workspace: PlantedWorkspace) -> None:
    """An answer is blind if it was drawn blind, and its person had seen nothing of that text, here or elsewhere."""
    store, texts = workspace.store, {}
    for item, content in store.rows("select id, content from item"):
        record = json.loads(content)
        texts[item] = json.dumps({k: v for k, v in record.items() if k not in ("id", "meta")}, sort_keys=True)
    exposures = defaultdict(list)
    for item, person, seq in store.rows("select item_id, person, seq from exposure"):
        exposures[texts[item], person].append(seq)
    draw_modes = dict(store.rows("select id, mode from draw"))
    for item, draw_id, person, mode, seq in store.rows("select item_id, draw_id, person, mode, seq from answer"):
        shown = any(earlier < seq for earlier in exposures[texts[item], person])
        own = "assisted" if draw_modes.get(draw_id) != "blind" else "revealed" if shown else "blind"
        assert mode == own, f"{person}'s answer to {item} is {mode}, by the rows {own}"


def check_labels(workspace: PlantedWorkspace) -> None:
    """A label has the mode of its answer, and of one cell one label of a person is in force, beside one revealed."""
    other = workspace.store.rows(
        "select l.item_id from label l join answer a on a.id = l.answer_id where l.mode <> a.mode and not l.withdrawn"
    )
    assert not other, f"labels of {other} have another mode than their answer"
    cell = "item_id, unit, dimension, annotator, mode = 'revealed'"
    doubled = workspace.store.rows(
        f"select {cell} from label_now where answer_id <> '' group by {cell} having count(*) > 1"
    )
    assert not doubled, f"two labels are in force: {doubled}"
