"""Random walks through a workspace: its people do anything at all, in any order, the same for the same seed.

Of each step the archive has what was done and a mark of what came of it: the answer or refusal, and every row that was
written.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from data.adjudication import adjudication, adjudication_items
from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.desk import desk, labels
from data.queue import listing, queue
from data.queue import progress as queue_progress
from data.queue.queue import OfferedItem, QueueFilters
from data.records import people, settings, tags
from data.records.settings import GoldRule, QueueRules
from data.store.duckdb_driver import DuckTx
from judges.stats.sampling import SampleDesign
from judges.triage import Reason
from tests.archives import compare_marks
from tests.data.planted_workspace import PlantedWorkspace
from tests.facts import collect_refusals, facts

pytestmark = [
    pytest.mark.together("rooms of data"),  # they share the planted workspace
    pytest.mark.duckdb_only("what a walk wrote is taken from its transactions"),
]
STEPS, SEEDS = 150, range(8)
STREAMS: tuple[queue.Stream, ...] = ("audit", "review")
ROLES: tuple[Literal["annotator", "researcher", "lead"], ...] = ("annotator", "researcher", "lead")
STATES: tuple[Any, ...] = (None, *"to label,reserved,reserved by you,answered,answered by you,not for you".split(","))


class Walk:
    """One walk: what its people have in hand, and every row that a step has written."""

    def __init__(self, workspace: PlantedWorkspace, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace, self.store, self.dataset = workspace, workspace.store, workspace.datasets["support"]
        self.chance = random.Random(seed)
        self.people = [person.name for person in people.all_people(self.store)]
        self.former = [
            person.name for person in people.all_people(self.store, active=False) if person.name not in self.people
        ]
        self.judges = [judge for (dataset, _), judge in workspace.judges.items() if dataset == "support"]
        query = "select id from item where dataset_id = $1 order by name"
        self.items = [str(item) for (item,) in self.store.rows(query, [self.dataset])]
        self.hands: dict[str, list[OfferedItem]] = {}
        self.answers: list[tuple[str, str, dict[str, Any]]] = []
        self.decisions: list[str] = []
        self.keys = 0
        self.written: list[str] = []
        add = DuckTx.add

        def note(tx: DuckTx, table: str, columns: str, rows: Any) -> int:
            rows = list(rows)
            # Some rows of one change are written in the order of a set, which is another one in each process.
            self.written += [f"  {table} {row}" for row in sorted(rows, key=lambda row: str(row[1:]))]
            return add(tx, table, columns, rows)

        monkeypatch.setattr(DuckTx, "add", note)

    def step(self) -> tuple[str, str]:
        """Do something; what, and what came of it."""
        does = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        before = self.store.newest()
        self.written.clear()
        lines: list[str] = []
        with collect_refusals() as refused:
            lines += facts("", does(self))
        lines += refused
        if self.store.newest() > before:
            lines += self.written
        return f"{does.__name__}{' refused' if refused else ''}", "\n".join(lines)

    # -- what chance picks --------------------------------------------------------------------------------------------

    def person(self) -> str:
        return self.chance.choice(self.people if self.chance.random() < 0.96 else self.former)

    def steering(self) -> str:
        """As a rule one of those who may; else anybody."""
        return self.chance.choice(["lea", "lou", "rex"]) if self.chance.random() < 0.85 else self.person()

    def stream(self) -> queue.Stream:
        return self.chance.choice(STREAMS)

    def item(self) -> str:
        return self.chance.choice(self.items)

    def filters(self) -> QueueFilters:
        system, judge, dimension, reason = (self.chance.random() < 0.15 for _ in range(4))
        return QueueFilters(
            self.chance.choice(["model-x", "model-y"]) if system else "",
            self.chance.choice(self.judges) if judge else "",
            self.chance.choice(["helpfulness", "safety"]) if dimension else "",
            self.chance.choice(["judges disagree", "unscored", "flagged"]) if reason else "",
        )

    def key(self) -> str:
        self.keys += 1
        return f"walk-key-{self.keys}"

    def team(self) -> tuple[str, ...]:
        known = tuple(self.chance.sample(self.people, self.chance.randint(1, 3)))
        return known if self.chance.random() < 0.95 else ("nobody",)

    # -- what people do -----------------------------------------------------------------------------------------------

    def claims(self) -> Any:
        person, stream = self.person(), self.stream()
        had = [item.item for item in self.hands.get(person, []) if self.chance.random() < 0.7]
        items = queue.claim_items(
            self.store, person, self.dataset, stream, self.filters(), had, self.chance.randint(1, 6)
        )
        self.hands[person] = [*self.hands.get(person, [])[-4:], *items]
        return person, stream, items

    def answers_one(self) -> Any:
        person = self.chance.choice([name for name, hand in self.hands.items() if hand] or self.people)
        hand = self.hands.get(person, [])
        if hand and self.chance.random() < 0.9:
            item = hand.pop(self.chance.randrange(len(hand)))
        else:
            item = OfferedItem("", self.item(), self.stream(), self.chance.choice(["blind", "assisted"]), "")
        [view] = desk.desk_views(self.store, person, [item])
        values = []
        for (unit, dimension), (_, of) in view.cells.items():
            if self.chance.random() < 0.8:
                value = self.chance.choice([of.scale.lo, of.scale.hi, 2, 3, None, "n/a", 1])
                values.append({"unit": unit, "dimension": dimension, "v": value})
                if self.chance.random() < 0.3:
                    values[-1] |= {"saw": self.chance.random() < 0.5, "seen": self.chance.choice([1, 3, None])}
        message: dict[str, Any] = {
            "key": self.key(), "person": person, "action": "skip" if self.chance.random() < 0.15 else "save",
            "item": item.item, "draw": item.draw, "mode": item.mode, "judge": item.judge, "values": values,
            "ms": self.chance.choice([-1, 900, 30_000, 10**8]), "reason": self.chance.choice(["", "Not mine.", " "]),
            "version": view.version if self.chance.random() < 0.8 else "",
        }  # fmt: skip
        if message["action"] == "skip":
            message["values"] = []
        if self.chance.random() < 0.15:
            message["notes"] = [{"unit": "", "sort": self.chance.choice(["comment", "issue"]), "text": "Long."}]
        if self.chance.random() < 0.1:
            message["repairs"] = [{"unit": "turn:1", "text": "Yes."}]
        return self.sends(person, message)

    def sends(self, person: str, message: dict[str, Any]) -> Any:
        saved, refused = labels.save_answers(self.store, person, [message])
        self.answers += [(person, answer.key, message) for answer in saved]
        return message, saved, refused

    def sends_again(self) -> Any:
        if not self.answers:
            return None
        person, key, message = self.chance.choice(self.answers)
        change: dict[str, Any] = self.chance.choice(
            [{}, {"values": []}, {"key": self.key(), "version": key}, {"key": self.key()}, {"person": self.person()}]
        )
        return self.sends(person, {**message, **change})

    def opens(self) -> Any:
        person, item = self.person(), self.item()
        return person, item, desk.open_item(self.store, person, item)

    def looks_at_hand(self) -> Any:
        person = self.person()
        return person, desk.desk_views(self.store, person, self.hands.get(person, [])[:2])

    def reveals(self) -> Any:
        person, _, message = (
            self.chance.choice(self.answers) if self.answers else (self.person(), "", {"item": self.item()})
        )
        return person, desk.reveal_judges(self.store, person, message["item"])

    def releases(self) -> Any:
        person = self.person()
        return person, queue.release_claims(self.store, person, self.dataset)

    def lists(self) -> Any:
        person, stream, search = self.person(), self.stream(), self.chance.choice(["", "", "", "d-1", "承知", "cy"])
        state, skip = self.chance.choice(STATES), self.chance.choice([0, 0, 2])
        page = listing.list_queue(self.store, person, self.dataset, stream, self.filters(), state, skip, 5, search)
        return person, stream, page, queue.count_open(self.store, person, self.dataset, stream, self.filters())

    def looks_at_progress(self) -> Any:
        person, stream = self.person(), self.stream()
        return (
            person, queue_progress.desk_progress(self.store, person, self.dataset, stream, self.filters()),
            queue_progress.queue_progress(self.store, self.dataset, stream),
            queue.count_known_to_all(self.store, self.dataset), queue.count_stranded(self.store, self.dataset),
            queue.filter_options(self.store, self.dataset),
        )  # fmt: skip

    # -- what is steered ----------------------------------------------------------------------------------------------

    def sets_rules(self) -> Any:
        rules = QueueRules(self.chance.choice([0, 1, 1, 2, 3]), self.chance.choice([0, 0.2, 0.5, 1]), 30)
        return rules, settings.set_queue_rules(self.store, self.steering(), self.dataset, rules)

    def sets_gold_rule(self) -> Any:
        rule = GoldRule(
            self.chance.choice(["median", "mean", "majority"]), self.chance.choice([None, 0, 1, 2]),
            self.chance.choice(["counted", "out"]),
        )  # fmt: skip
        effect = adjudication.rule_effect(self.store, self.dataset, rule)
        return rule, effect, settings.set_gold_rule(self.store, self.steering(), self.dataset, rule)

    def hides_systems(self) -> Any:
        return settings.hide_systems(self.store, self.steering(), self.dataset, self.chance.random() < 0.5)

    def draws(self) -> Any:
        by: Any = self.chance.choice(["language", "language", "language", "system"])
        size, judge = self.chance.choice([0, 2, 4, 99]), self.chance.choice(self.judges)
        plan = queue.plan_audit(self.store, self.dataset, 3, judge, SampleDesign(by))
        seed = self.chance.randrange(100)
        return plan, queue.draw_audit(self.store, self.steering(), self.dataset, size, judge, seed, SampleDesign(by))

    def fills(self) -> Any:
        kind: Any = self.chance.choice([None, None, "judges disagree", "unscored", "broken rule"])
        judge = self.chance.choice(self.judges)
        return queue.fill_review(self.store, self.steering(), self.dataset, judge, self.chance.choice([0, 1, 3]), kind)

    def takes_flagged(self) -> Any:
        reasons = [Reason(self.item(), "flagged", "Flag.", self.chance.random()) for _ in range(2)]
        return queue.take_flagged(self.store, self.steering(), self.dataset, self.chance.choice(self.judges), reasons)

    def tags(self) -> Any:
        named = self.chance.sample(["german", "ja", "new"], self.chance.randint(0, 2))
        return tags.set_tags(self.store, self.steering(), self.person(), named, self.chance.choice([0, 1, 2]))

    def sets_person(self) -> Any:
        active = self.chance.random() < 0.7
        return people.set_person(self.store, self.steering(), self.person(), self.chance.choice(ROLES), active)

    def assigns(self) -> Any:
        field, value = self.chance.choice([("", ""), ("", ""), ("language", "ja"), ("topic", "travel")])
        chosen = Selection(field, value, self.chance.choice([None, 1, 3]), self.chance.choice([None, None, 0.4]))
        pool = self.chance.random() < 0.25
        terms = AssignmentTerms(
            () if pool else self.team(), self.chance.choice(["german", "ja"]) if pool else "",
            self.chance.choice([1, 1, 2]), self.chance.random() < 0.7, None, self.chance.randint(1, 3),
            seed=self.chance.randrange(9),
        )  # fmt: skip
        return (
            chosen,
            terms,
            assignments.assign(self.store, self.steering(), self.dataset, self.stream(), chosen, terms),
        )

    def changes_assignment(self) -> Any:
        current = assignments.current_assignments(self.store, self.dataset)
        if not current:
            return None
        assignment, actor, choice = self.chance.choice(current), self.steering(), self.chance.randrange(3)
        if choice == 0:
            return assignments.end_assignment(self.store, actor, assignment.id)
        if choice == 1:
            terms = self.chance.random() < 0.5, self.chance.randint(1, 4), None, self.chance.choice(["", "Soon."])
            return assignments.change_assignment(self.store, actor, assignment.id, *terms)
        return assignments.reassign(
            self.store, actor, self.dataset, self.person(), self.team(), self.chance.randrange(9)
        )

    def undoes(self) -> Any:
        changes = assignments.undoable_changes(self.store, self.dataset)
        revision = self.chance.choice(changes).revision if changes and self.chance.random() < 0.9 else 1
        return changes[:3], assignments.undo(self.store, self.steering(), self.dataset, revision)

    def looks_at_work(self) -> Any:
        person = self.person()
        return (
            person, [assignments.own_work(self.store, person, self.dataset, stream) for stream in STREAMS],
            assignments.own_notes(self.store, person, self.dataset),
            [assignments.assigned_counts(self.store, self.dataset, stream) for stream in STREAMS],
        )  # fmt: skip

    # -- what is decided ----------------------------------------------------------------------------------------------

    def decides(self) -> Any:
        person = self.steering()
        work = adjudication.adjudication_work(self.store, person, self.dataset)
        if not work.own:
            return person, work.others
        cell, key = self.chance.choice(work.own), self.key()
        if self.chance.random() < 0.3:
            adjudication.record_look(self.store, person, [cell.item])
        if self.chance.random() < 0.2:
            adjudication.reveal_while_adjudicating(self.store, person, cell.item)
        value, reason = self.chance.choice([1, 2, 3, 4, 5, None, 9]), self.chance.choice(["So."] * 7 + [" "])
        token = cell.token if self.chance.random() < 0.9 else "old"
        place = cell.item, cell.unit, cell.dimension
        outcome = adjudication.adjudicate(self.store, person, key, *place, value, reason, token)
        self.decisions.append(key)
        return person, len(work.own), work.others, outcome

    def takes_back(self) -> Any:
        if not self.decisions:
            return None
        decision = self.chance.choice(self.decisions)
        return adjudication.withdraw_adjudication(self.store, self.steering(), self.key(), decision)

    def looks_at_board(self) -> Any:
        person = self.steering()
        work = adjudication.adjudication_work(self.store, person, self.dataset)
        items = adjudication_items.load_adjudication_items(self.store, person, work.own, 2)
        return person, len(work.own), work.others, [(item.cells, item.decided, item.comments) for item in items]

    def waits(self) -> Any:
        span = self.chance.choice([1, 10, 50, 60 * 24])
        self.workspace.clock.pass_(minutes=span)
        return span


WEIGHTS: dict[Callable[[Walk], Any], int] = {
    Walk.claims: 14, Walk.answers_one: 22, Walk.sends_again: 5, Walk.opens: 4, Walk.looks_at_hand: 3, Walk.reveals: 3,
    Walk.releases: 2, Walk.lists: 8, Walk.looks_at_progress: 3, Walk.sets_rules: 2, Walk.sets_gold_rule: 2,
    Walk.hides_systems: 1, Walk.draws: 3, Walk.fills: 3, Walk.takes_flagged: 2, Walk.tags: 2, Walk.sets_person: 3,
    Walk.assigns: 6, Walk.changes_assignment: 4, Walk.undoes: 2, Walk.looks_at_work: 3, Walk.decides: 6,
    Walk.takes_back: 2, Walk.looks_at_board: 2, Walk.waits: 4,
}  # fmt: skip


def walk(workspace: PlantedWorkspace, seed: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """The steps of a walk."""
    walker = Walk(workspace, seed, monkeypatch)
    for _ in range(STEPS):
        workspace.clock.pass_(seconds=20)
        yield walker.step()


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.slow) if seed else 0 for seed in SEEDS])
def test_a_walk_answers_refuses_and_writes_what_it_did(
    workspace: PlantedWorkspace, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = list(walk(workspace, seed, monkeypatch))
    named = workspace.replace_ids("\0".join(text for _, text in steps)).split("\0")
    marks = ((f"{number} {name}", text) for number, ((name, _), text) in enumerate(zip(steps, named, strict=True)))
    compare_marks(marks, Path(__file__).with_name("walks") / f"{seed}.txt", tmp_path)
