"""A random walk of several people who label, and of those who steer them, the same for the same seed.

What a step promises is held in the step: what was planned is done, and what is taken back leaves all as it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

from data.adjudication import adjudication
from data.approvals import check_results
from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.assignments.progress import people_progress
from data.calibration import calibration
from data.desk import desk, labels
from data.desk.desk import DeskView
from data.gold import disputes, excluded_items
from data.queue import progress, queue
from data.queue.queue import OfferedItem
from data.records import datasets, people, settings, tags
from data.records.settings import GoldRule, QueueRules, gold_rule
from judges.errors import AssayError
from judges.stats.sampling import SampleDesign
from tests.data.label_walks.label_workspace import DATASETS, TEAM, random_value
from tests.data.label_walks.queue_rows import STREAMS, QueueRows, check_counts
from tests.data.planted_workspace import NO_FILTERS, PlantedWorkspace

Facts = dict[str, str]


def compare_facts(occasion: str, before: Facts, after: Facts) -> None:
    """Hold facts against those from before."""
    for name, fact in before.items():
        other = after.get(name, "")
        place = next((n for n, pair in enumerate(zip(fact, other, strict=False)) if pair[0] != pair[1]), len(fact))
        around = slice(max(0, place - 120), place + 120)
        assert fact == other, f"{occasion} left {name} otherwise: {fact[around]} became {other[around]}"


class Walk:
    """One walk: what its people have in hand and have sent, what the last step did, and in which dataset."""

    def __init__(self, workspace: PlantedWorkspace, seed: int) -> None:
        self.workspace, self.store, self.clock = workspace, workspace.store, workspace.clock
        self.chance = Random(seed)
        self.keys = 0
        self.note = ""
        self.current = workspace.datasets["talks"]
        self.hands: dict[tuple[str, str, queue.Stream], list[OfferedItem]] = defaultdict(list)
        self.answers: list[tuple[str, dict[str, Any]]] = []
        self.decisions: list[str] = []

    def step(self) -> None:
        """Do something; `note` says what."""
        does = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        self.note = does.__name__
        self.clock.pass_(seconds=20)
        try:
            does(self)
        except AssayError as error:
            self.note += f", refused: {error}"

    # -- what chance picks --------------------------------------------------------------------------------------------

    def key(self) -> str:
        self.keys += 1
        return f"label-walk-{self.keys}"

    def person(self) -> str:
        return self.chance.choice(TEAM)

    def steering(self) -> str:
        return self.chance.choice(["lea", "lou", "rex"]) if self.chance.random() < 0.9 else self.person()

    def dataset(self) -> str:
        name = self.chance.choices(list(DATASETS), (6, 2, 4, 5))[0]
        self.note += f" in {name}"
        self.current = self.workspace.datasets[name]
        return self.current

    def judge(self, dataset: str) -> str:
        return self.chance.choice([judge.id for judge in datasets.dataset_judges(self.store, dataset)])

    def items(self, dataset: str) -> list[str]:
        return [row[0] for row in self.store.rows("select id from item where dataset_id = $1 order by name", [dataset])]

    # -- facts that have to come back ---------------------------------------------------------------------------------

    def queue_facts(self) -> Facts:
        """What is open to whom, and the state of assignments."""
        facts = {}
        for name, dataset in self.workspace.datasets.items():
            for stream in STREAMS:
                counts = [queue.count_open(self.store, person, dataset, stream) for person in TEAM]
                facts[f"{name} {stream}"] = f"{counts} {assignments.assigned_counts(self.store, dataset, stream)}"
            rows = people_progress(self.store, dataset)
            facts[f"{name} progress"] = repr([(row.assignee, row.active, row.counts) for row in rows])
        return facts

    def figures(self, dataset: str) -> Facts:
        """What waits, the cells of each judge to the last digit, the results of the approval check, and progress."""
        waiting = [(cell.item, cell.unit, cell.dimension) for cell in disputes.cells_to_adjudicate(self.store, dataset)]
        facts = {"waiting cells": repr(sorted(waiting))}
        for judge in datasets.dataset_judges(self.store, dataset):
            dimensions = calibration.compared_dimensions(self.store, judge.id)
            inputs = calibration.comparison_inputs(self.store, dataset, judge.id, dimensions, "all")
            for dimension, cells in zip(dimensions, inputs, strict=True):
                place = f"{judge.model} {dimension.sort} {dimension.name}"
                columns = cells.item, cells.human, cells.judge, cells.weight
                facts[place] = repr([column.tolist() for column in columns])
            results = check_results.dimension_results(self.store, dataset, judge.id)
            facts[f"check of {judge.model}"] = repr([(line.key, line.check) for line in results])
        for stream in STREAMS:
            facts[stream] = repr(progress.queue_progress(self.store, dataset, stream))
        return facts

    # -- labelling ----------------------------------------------------------------------------------------------------

    def labels_some(self) -> None:
        dataset, person, stream = self.dataset(), self.person(), self.chance.choice(["audit", "audit", "review"])
        self.label_items(dataset, person, stream, self.chance.choice([1, 3, 6]), self.chance.choice([0, 0.7, 1, 1]))

    def label_items(self, dataset: str, person: str, stream: queue.Stream, number: int, share: float) -> None:
        """Claim so many items and answer that share of what is in hand."""
        hand = self.hands[person, dataset, stream]
        open_items = QueueRows(self.workspace).open_items(dataset, stream, person)
        had = [item.item for item in hand if self.chance.random() < 0.8]
        offered = queue.claim_items(self.store, person, dataset, stream, NO_FILTERS, had, number)
        self.note += f": {person} has {len(offered)} of {stream}"
        rows = QueueRows(self.workspace)
        for item in offered:
            assert item.item in open_items, f"{person} got {item.item}, which is not open to them"
            assert item.item not in had, f"{person} got {item.item} again"
            fits = person in rows.audience(item.draw) or rows.has_place(item.draw, person, set())
            assert fits, f"more people than are needed have {item.item}"
        hand[:] = [item for item in hand if item.item in had] + offered
        for item in list(hand):
            if self.chance.random() < share:
                hand.remove(item)
                [view] = desk.desk_views(self.store, person, [item])
                shows = bool(view.scores or view.judge_id or view.doubts)
                assert view.mode != "blind" or not shows, f"a blind view of {item.item} shows the judge"
                self.clock.pass_(seconds=30)
                self.answer(person, view)

    def answer(self, person: str, view: DeskView, skip: float = 0.1) -> None:
        """Answer most of what the desk shows, at times no question of one sort of units; or skip it."""
        left_out = self.chance.choice(["turn", "conversation", "", "", "", ""])
        values: list[dict[str, Any]] = []
        for (unit, dimension), (_, of) in view.cells.items():
            score = view.scores.get((unit, dimension))
            value = random_value(self.chance, of.scale, view.item.name, unit, dimension)
            if score and self.chance.random() < 0.6:
                value = score.value
            if value is not None:
                value = of.scale.snap(value if of.scale.kind == "interval" else int(value + 0.5))
            if self.chance.random() > 0.08 and not (left_out and unit.startswith(left_out)):
                seen = {"saw": score is not None, "seen": score.value if score else None}
                values.append({"unit": unit, "dimension": dimension, "v": value, **seen})
        skips = not values or self.chance.random() < skip
        message = {
            "key": self.key(), "person": person, "item": view.item.id, "claim": view.draw or None,
            "judge": view.judge_id or None, "version": view.version, "action": "skip" if skips else "save",
            "values": [] if skips else values, "reason": "読めない" if skips else "", "ms": 9000, "notes": [],
        }  # fmt: skip
        saved, refused = labels.save_answers(self.store, person, [message])
        self.answers += [(person, message)] if saved else []
        if refused:
            self.note += f", not saved: {refused[0].why}"
        elif not skips and self.chance.random() < 0.2:
            again = desk.open_item(self.store, person, view.item.id)
            own = {(value["unit"], value["dimension"]): value["v"] for value in values}
            answers = {place: again.own_answers.get(place, "none") for place in own}
            assert (again.version, answers) == (message["key"], own), f"{person} answered {own}, the desk has {answers}"

    def opens_and_labels(self) -> None:
        person, item = self.person(), self.chance.choice(self.items(self.dataset()))
        view = desk.open_item(self.store, person, item)
        if self.chance.random() < 0.4:
            self.answer(person, view)

    def changes_answer(self) -> None:
        person, message = self.chance.choice(self.answers)
        if self.chance.random() < 0.25:
            desk.reveal_judges(self.store, person, message["item"])
        self.answer(person, desk.open_item(self.store, person, message["item"]), 0.25)

    def takes_answer_back_and_gives_it_again(self) -> None:
        person, message = self.chance.choice([pair for pair in self.answers if pair[1]["action"] == "save"])
        view = desk.open_item(self.store, person, message["item"])
        if view.version != message["key"] or view.mode == "revealed":
            return
        before, key = self.figures(view.item.dataset_id), self.key()
        skip = {"key": key, "version": view.version, "action": "skip", "values": [], "notes": [], "reason": "No."}
        again = {**message, "key": self.key(), "version": key}
        for part in ({**message, **skip}, again):
            saved, refused = labels.save_answers(self.store, person, [part])
            assert saved, f"{person}'s {part['action']} was refused: {refused}"
        self.answers.append((person, again))
        compare_facts("an answer that was taken back and given again", before, self.figures(view.item.dataset_id))

    def waits(self) -> None:
        self.clock.pass_(minutes=self.chance.choice([1, 10, 40, 60 * 20]))

    # -- the queue ----------------------------------------------------------------------------------------------------

    def draws(self) -> None:
        dataset = self.dataset()
        size, judge, seed = self.chance.choice([1, 5, 12]), self.judge(dataset), self.chance.randrange(99)
        design = self.chance.choice([None, SampleDesign("system"), SampleDesign("score", judge=judge)])
        plan = queue.plan_audit(self.store, dataset, size, judge, design)
        drawn = queue.draw_audit(self.store, "rex", dataset, size, judge, seed, design)
        assert drawn == sum(stratum.now for stratum in plan), f"{drawn} items are drawn, planned were {plan}"

    def fills(self) -> None:
        dataset = self.dataset()
        judge, limit = self.judge(dataset), self.chance.choice([2, 6])
        plan = queue.plan_review(self.store, dataset, judge, limit)
        number = queue.fill_review(self.store, "rex", dataset, judge, limit=limit)
        assert number == plan.new, f"{number} items are new in the review queue, planned were {plan}"

    def sets_rules(self) -> None:
        rules = QueueRules(self.chance.choice([1, 2, 2, 3]), self.chance.choice([0, 0.3]))
        settings.set_queue_rules(self.store, self.steering(), self.dataset(), rules)

    def sets_person(self) -> None:
        actor, person = self.chance.choice([("lea", "lou"), ("lou", "lea"), ("lea", self.chance.choice(TEAM[1:]))])
        role, active = self.chance.choice(["annotator", "researcher", "lead"]), self.chance.random() < 0.5
        [old] = [row for row in people.all_people(self.store, active=False) if row.name == person]
        before = self.queue_facts()
        people.set_person(self.store, actor, person, role, active)
        self.note += f": {person} is {role}, {active}"
        check_counts(self.workspace, self.dataset(), TEAM)
        people.set_person(self.store, actor, person, old.role, old.active)
        compare_facts(f"{person}, who became {role} and again {old.role},", before, self.queue_facts())

    def sets_tags(self) -> None:
        own = self.chance.sample(["german", "日本語"], self.chance.randint(0, 2))
        tags.set_tags(self.store, self.chance.choice(["lea", "lou"]), self.person(), own, self.chance.choice([0, 1, 2]))

    def assigns(self) -> None:
        dataset, stream = self.dataset(), self.chance.choice(STREAMS)
        field, value = self.chance.choice([("", ""), ("", ""), ("言語", "日本語"), ("topic", "x")])
        chosen = Selection(field, value, self.chance.choice([None, 2, 5]), self.chance.choice([None, None, 0.4]))
        team = tuple(self.chance.sample(TEAM, self.chance.randint(1, 3)))
        tag = self.chance.choice(["", "", "日本語", "german"])
        reserved, overlap, seed = self.chance.random() < 0.7, self.chance.choice([1, 1, 2]), self.chance.randrange(9)
        terms = AssignmentTerms(() if tag else team, tag, overlap, reserved, seed=seed)
        plan, before = assignments.plan_shares(self.store, dataset, stream, chosen, terms), self.queue_facts()
        done = assignments.assign(self.store, self.steering(), dataset, stream, chosen, terms)
        assert done == plan, f"{done} was assigned, planned was {plan}"
        rows = QueueRows(self.workspace)
        for assignee, share in done.shares.items():
            closed = [draw for draw in share if not tags.is_tag(assignee) and rows.is_closed_to(draw, assignee)]
            assert not closed, f"{closed} are assigned to {assignee}, who cannot answer them"
        check_counts(self.workspace, dataset, TEAM)
        if self.chance.random() < 0.5:
            self.undo_newest(dataset, before)

    def undo_newest(self, dataset: str, before: Facts) -> None:
        """Undo the newest change of assignments, after which all is as it was before."""
        assignments.undo(self.store, "lea", dataset, assignments.undoable_changes(self.store, dataset)[0].revision)
        compare_facts("a change of assignments that was undone", before, self.queue_facts())

    def changes_assignment(self) -> None:
        dataset = self.dataset()
        current = assignments.current_assignments(self.store, dataset)
        if not current:
            return
        assignment, before = self.chance.choice(current), self.queue_facts()
        action, priority = self.chance.randrange(3), self.chance.randint(1, 3)
        if action == 0:
            assignments.end_assignment(self.store, "lea", assignment.id)
        elif action == 1:
            reserved = self.chance.random() < 0.5
            assignments.change_assignment(self.store, "lea", assignment.id, reserved, priority, None, "早く")
        else:
            others = [name for name in TEAM if name != assignment.assignee]
            team, claims = tuple(self.chance.sample(others, 2)), self.store.rows("select count(*) from claim")
            plan = assignments.plan_reassignment(self.store, dataset, assignment.assignee, team, 3)
            done = assignments.reassign(self.store, "lea", dataset, assignment.assignee, team, 3)
            assert done == plan, f"{done} was reassigned, planned was {plan}"
            if self.chance.random() < 0.5 and claims == self.store.rows("select count(*) from claim"):
                self.undo_newest(dataset, before)
        check_counts(self.workspace, dataset, TEAM)

    # -- gold ---------------------------------------------------------------------------------------------------------

    def sets_gold_rule(self) -> None:
        dataset = self.dataset()
        resolve = self.chance.choice(["median", "mean", "mean", "majority"])
        rule = GoldRule(resolve, self.chance.choice([None, 0, 1, 20]), self.chance.choice(["counted", "out"]))
        old = gold_rule(self.store, dataset)
        effect, back = adjudication.rule_effect(self.store, dataset, rule), self.chance.random() < 0.3
        before = self.figures(dataset) if back else {}
        settings.set_gold_rule(self.store, "lea", dataset, rule)
        waiting = len(disputes.cells_to_adjudicate(self.store, dataset))
        assert waiting == effect.waiting, f"{waiting} cells wait under {rule}, foreseen were {effect}"
        if back:
            settings.set_gold_rule(self.store, "lou", dataset, old)
            compare_facts(f"{rule}, which was taken back,", before, self.figures(dataset))

    def decides(self) -> None:
        dataset, person, key = self.dataset(), self.steering(), self.key()
        work = adjudication.adjudication_work(self.store, person, dataset)
        waiting = disputes.cells_to_adjudicate(self.store, dataset)
        assert len(work.own) + work.others == len(waiting), f"{person} sees {work}, {len(waiting)} cells wait"
        if not work.own:
            return
        cell = self.chance.choice(work.own)
        if self.chance.random() < 0.3:
            adjudication.record_look(self.store, person, [cell.item])
        if self.chance.random() < 0.15:
            adjudication.reveal_while_adjudicating(self.store, person, cell.item)
        value = self.chance.choice([label.value for label in cell.labels])
        place, before = (cell.item, cell.unit, cell.dimension), self.figures(dataset)
        adjudication.adjudicate(self.store, person, key, *place, value, "理由。", cell.token)
        waiting = disputes.cells_to_adjudicate(self.store, dataset)
        assert place not in [(c.item, c.unit, c.dimension) for c in waiting], f"{place} is decided, and waits"
        if self.chance.random() < 0.4 and cell.decision is None:
            adjudication.withdraw_adjudication(self.store, person, self.key(), key)
            compare_facts("a decision that was withdrawn", before, self.figures(dataset))
        else:
            self.decisions.append(key)

    def withdraws(self) -> None:
        if self.decisions:
            adjudication.withdraw_adjudication(self.store, "lea", self.key(), self.chance.choice(self.decisions))

    def excludes(self) -> None:
        dataset = self.dataset()
        excluded = {row[0] for row in self.store.rows("select item_id from tuning_now")}
        fixed = excluded | set(excluded_items.blind_sample_items(self.store, dataset))
        items = [item for item in self.items(dataset) if item not in fixed]
        if items:
            item, before = [self.chance.choice(items)], self.figures(dataset)
            excluded_items.exclude_items(self.store, "rex", dataset, item, "In the prompt.")
            if self.chance.random() < 0.7:
                excluded_items.readmit_items(self.store, "rex", dataset, item, "Not any more.")
                compare_facts("an item that was excluded and readmitted", before, self.figures(dataset))


WEIGHTS: dict[Callable[[Walk], None], int] = {
    Walk.labels_some: 24, Walk.opens_and_labels: 3, Walk.changes_answer: 6,
    Walk.takes_answer_back_and_gives_it_again: 8, Walk.waits: 3, Walk.draws: 4, Walk.fills: 3, Walk.sets_rules: 2,
    Walk.sets_person: 3, Walk.sets_tags: 3, Walk.assigns: 6, Walk.changes_assignment: 4, Walk.sets_gold_rule: 4,
    Walk.decides: 5, Walk.withdraws: 1, Walk.excludes: 2,
}  # fmt: skip


def begin(workspace: PlantedWorkspace) -> Walk:
    """A walk whose people have drawn and labelled some of each dataset, so that there are figures and looks."""
    walk = Walk(workspace, 0)
    numbers = {"talks": (40, 34, 18), "marks": (16, 8, 8), "parts": (14, 6, 6), "twins": (4, 2, 1)}
    for name, (size, *shares) in numbers.items():
        dataset = workspace.datasets[name]
        settings.set_queue_rules(walk.store, "lea", dataset, QueueRules(2, 0 if name == "talks" else 0.2))
        settings.set_gold_rule(walk.store, "lea", dataset, GoldRule("mean", 1))
        queue.draw_audit(walk.store, "rex", dataset, size, walk.judge(dataset), 3, SampleDesign("system"))
        for person, number in zip(("cy", "Ана"), shares, strict=True):
            walk.label_items(dataset, person, "audit", number, 1)
    return walk
