"""One workspace with something of everything, the same in every run: what the archives of the rooms of `data` say of.

Three datasets. `support`: dialogues, half of them blind audit sample, labelled on the desk and by two imports, with
disputes, a judge of several samples, a reveal, withdrawn answers, better turns, assignments and approvals.
`duels`: pairs with verdicts. `answers`: single responses with confidences. Time stands still but for a millisecond
with each question for it, and for `Clock.pass_`; random letters of ids come from a seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from data.adjudication import adjudication
from data.approvals import approvals, case
from data.approvals import policy as policies
from data.approvals.rules import Requirements
from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.audits import justification_labels
from data.desk import desk, labels
from data.gold import excluded_items
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, guidelines, people, settings, tags
from data.records.rows import item_id
from data.records.settings import GoldRule, QueueRules
from data.store import Store
from judges.stats.approval_check import CheckPolicy
from judges.stats.sampling import SampleDesign
from tests import seeds
from tests.data.imports import source

Json = dict[str, Any]
BEGIN = datetime(2026, 3, 2, 9)
PEOPLE = {"lou": "lead", "rex": "researcher", "cy": "annotator", "dee": "annotator", "eva": "annotator"}
NO_FILTERS = queue.QueueFilters()


@dataclass
class Clock:
    """What the store takes for the time, and where its random letters come from."""

    moment: datetime = BEGIN
    random: Random = field(default_factory=lambda: Random(5))

    def now(self, zone: Any = UTC) -> datetime:
        """The moment, a millisecond on."""
        self.moment += timedelta(milliseconds=1)
        return self.moment.replace(tzinfo=UTC).astimezone(zone)

    def pass_(self, **span: float) -> None:
        """Let so much time pass."""
        self.moment += timedelta(**span)


@contextmanager
def frozen_clock() -> Iterator[Clock]:
    """A clock of one's own for `data.store.ids`, which all of the store asks."""
    clock = Clock()
    stamp = SimpleNamespace(time_ns=lambda: int(clock.now().timestamp() * 1_000) * 1_000_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("data.store.ids.datetime", clock)
        patch.setattr("data.store.ids.time", stamp)
        patch.setattr("data.store.ids.os", SimpleNamespace(urandom=clock.random.randbytes))
        yield clock


@dataclass
class PlantedWorkspace:
    """The workspace: the store, its clock, and the ids of datasets (by name) and judges (by dataset and model)."""

    store: Store
    clock: Clock
    datasets: dict[str, str] = field(default_factory=dict)
    judges: dict[tuple[str, str], str] = field(default_factory=dict)

    def item(self, dataset: str, name: str) -> str:
        """The id of an item."""
        return item_id(self.datasets[dataset], name)

    def replace_ids(self, text: str) -> str:
        """The text with names in place of ids: of items, judges and datasets, and (id), (mark) for all others."""
        known = {key: f"<{name}>" for name, key in self.datasets.items()}
        known |= {key: f"<{name}>" for (_, name), key in self.judges.items()}
        known |= dict(self.store.rows("select id, '<' || name || '>' from item"))
        drawn = "select d.id, '<' || d.stream || ' ' || i.name || '>' from draw d join item i on i.id = d.item_id"
        known |= dict(self.store.rows(drawn))
        uuid = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
        text = re.sub(rf"\b{uuid}\b", lambda match: known.get(match[0], "(id)"), text)
        return re.sub(r"(?<![\w.])[0-9a-f]{12,}\b", lambda match: known.get(match[0], "(mark)"), text)


# -- what is imported -------------------------------------------------------------------------------------------------


def support() -> Iterator[Json]:
    """40 dialogues with two turns (every fifth three), of three systems, every third Japanese; two judges, labels."""
    for n in range(1, 41):
        item = _dialogue(n)
        yield item
        yield from _judgments(n, item)
    for n in range(1, 36):
        for person, shift in (("ann", 0), ("ben", n % 4 == 0), ("カナ", 2 * (n % 6 == 0))):
            if person != "カナ" or n % 2 == 0:
                yield from _labels(n, person, shift)
    yield _label("d-37", "turn:1", "helpfulness", 3, "ann", "assisted", 37)
    yield _label("d-38", "turn:1", "helpfulness", 4, "ann", "revealed", 38)
    yield {
        "item": "d-36", "unit": "turn:1", "dimension": "safety", "value": 4, "adjudicator": "old hand",
        "reason": "Harmless.", "saw_judge": True, "made_at": "2026-02-27T12:00:00Z",
        "labels": [{"annotator": "ann", "value": 1, "mode": "blind"},
                   {"annotator": "ben", "value": 5, "mode": "assisted"}],
    }  # fmt: skip


def _dialogue(n: int) -> Json:
    japanese = n % 3 == 0
    dialogue = seeds.dialogue(n, 3 if n % 5 == 0 else 2, "はい、承知しました。" if japanese else "Yes. " * (n % 4))
    meta = {"topic": ("refund", "travel")[n % 2], "language": "ja" if japanese else "en", "tier": n % 3}
    return dialogue | {"id": f"d-{n:02}", "meta": meta}


def _truth(n: int, turn: int) -> int:
    return (n * 7 + turn * 3) % 5 + 1


def _judgments(n: int, item: Json) -> Iterator[Json]:
    reply = seeds.reply(item, weakest=1 + n % 2)
    for turn in reply["per_turn"]:
        truth = _truth(n, turn["turn"])
        off = int(n % 5 == 0) - int(n % 7 == 0)
        turn["scores"] = {
            "helpfulness": min(5, max(1, truth + off)),
            "context_use": 1 + n % 5,
            "safety": 5 - 2 * (n % 6 == 0),
        }
    whole = reply["conversation_level"]
    whole["coherence"]["score"] = 1 + (n + n // 4) % 5
    whole["task_completion"]["score"] = "n/a" if n % 4 == 0 else 1 + n % 5
    reply["verdict"] = ("poor", "borderline", "good", "excellent")[n % 4]
    if n == 13:
        yield seeds.judgment(item) | {"reply": None, "raw": "I'd rather not answer."}
    elif n != 14:
        yield seeds.judgment(item, reply)
    for sample in range(3):
        scores = [
            {"unit": f"turn:{t}", "dimension": "helpfulness", "value": 1 + (_truth(n, t) + (n + sample) % 3) % 5,
             **({"confidence": 0.4 + 0.1 * (n % 6)} if sample == 0 else {})}
            for t in (1, 2)
        ]  # fmt: skip
        more = {"scores": scores, "reply": None, "sample": sample}
        yield seeds.judgment(item, model="judge-two") | more


def _labels(n: int, person: str, shift: int) -> Iterator[Json]:
    mode = "assisted" if n in (16, 17) else "blind"
    for turn in (1, 2):
        value = min(5, max(1, _truth(n, turn) - shift))
        yield _label(f"d-{n:02}", f"turn:{turn}", "helpfulness", value, person, mode, n)
    yield _label(f"d-{n:02}", "conversation", "task_completion", "n/a" if n % 4 == 0 else 1 + n % 5, person, mode, n)
    verdict = ("poor", "borderline", "good", "excellent")[max(0, n % 4 - shift - (n % 9 == 0))]
    yield _label(f"d-{n:02}", "conversation", "verdict", verdict, person, mode, n)
    if n % 2:
        yield _label(f"d-{n:02}", "conversation", "weakest_turn", 1 + n % 2, person, mode, n)


def _label(item: str, unit: str, dimension: str, value: Any, person: str, mode: str, day: int) -> Json:
    line = {"item": item, "unit": unit, "dimension": dimension, "value": value, "annotator": person, "mode": mode}
    more: Json = {"team": "east"} if person == "ann" else {}
    more |= {"probability": None} if day == 9 else {}
    return line | more | {
        "made_at": f"{datetime(2026, 1, 20, 10, len(person)) + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}"
    }


def contrary(n: int, person: str) -> Iterator[Json]:
    """Labels of a dialogue by a newcomer, far from what everybody said."""
    for turn in (1, 2):
        value = 1 + (_truth(n, turn) + 2) % 5
        yield _label(f"d-{n:02}", f"turn:{turn}", "helpfulness", value, person, "blind", 30)


def duels() -> Iterator[Json]:
    """36 pairs of two systems on questions, one with a conversation, one blank; a judge in both orders, and labels."""
    for n in range(1, 37):
        first, second = ("x", "y") if n % 2 else ("y", "x")
        a, b = f"Antwort {n}. " * (1 + n % 4), f"答え {n}。" * (1 + n % 3)
        question: Any = f"Question {n}?"
        if n == 2:
            question = [{"turn": 1, "role": "user", "text": "Hello."}, {"turn": 1, "role": "assistant", "text": "Yes?"},
                     {"turn": 2, "role": "user", "text": "Why?"}]  # fmt: skip
        yield {
            "id": f"p-{n:02}", "kind": "pair", "input": question, "meta": {"question": f"q{n % 8}", "hard": n % 3 == 0},
            "response_a": {"system": first, "text": a}, "response_b": {"system": second, "text": b},
        }  # fmt: skip
        truth = ("a", "b", "tie")[n % 3]
        for order in ("ab", "ba"):
            verdict = truth if order == "ab" else {"a": "b", "b": "a", "tie": "tie"}[truth]
            verdict = "a" if n % 6 == 1 else verdict
            reply = {"verdict": verdict, "reason": "Longer." if n % 4 == 0 else ""}
            yield {"item": f"p-{n:02}", "card": "plain_pairwise", "model": "pair-judge", "order": order,
                   "params": {"orders": "both"}, "reply": reply}  # fmt: skip
        for person, label in (("ann", truth), ("ben", "tie" if n % 5 == 0 else truth)):
            yield _label(f"p-{n:02}", "pair", "verdict", label, person, "blind", 1 + n) | {
                "probability": 0.25 + n % 2 / 2
            }


def answers() -> Iterator[Json]:
    """34 responses of two systems with confidences; one judge; labels of one person."""
    for n in range(1, 35):
        yield {
            "id": f"r-{n:02}", "kind": "response", "task": f"Explain {n}.", "output": "Because. " * n,
            "reference": "Since." if n % 2 else "", "system": "xy"[n % 2], "meta": {"language": "en"},
        }  # fmt: skip
        scores = [
            {"unit": "response", "dimension": d, "value": 1 + (n + k) % 5, "confidence": 0.3 + n % 7 / 10}
            for k, d in enumerate(("factuality", "coherence"))
        ]
        yield {"item": f"r-{n:02}", "card": "rubric_open_ended", "model": "grader", "params": {}, "scores": scores}
        if n < 33:
            yield _label(f"r-{n:02}", "response", "factuality", 1 + (n + (n % 5 == 0)) % 5, "ann", "blind", n)


# -- what people do ---------------------------------------------------------------------------------------------------


def plant(store: Store, clock: Clock) -> PlantedWorkspace:
    """The workspace, in a new store.

    It is made before the clock: the first one of a process is migrated, which asks for the time; others are copies.
    """
    workspace = PlantedWorkspace(store, clock)
    people.join_workspace(store, "lea")
    for person, role in PEOPLE.items():
        people.make_lead_locally(store, person) if role == "lead" else people.set_person(
            store, "lea", person, role  # type: ignore[arg-type]
        )
    plans = {
        "support": (support, ImportPlan("support", "Customers who write to us.", sampling="all")),
        "duels": (duels, ImportPlan("duels", sampling="random")),
        "answers": (answers, ImportPlan("answers", sampling="all")),
    }
    for name, (lines, plan) in plans.items():
        clock.pass_(hours=1)
        import_source(store, "lea", source(list(lines()), f"{name}.jsonl"), plan)
        workspace.datasets[name] = datasets.dataset_named(store, name).id
        for judge in datasets.dataset_judges(store, workspace.datasets[name]):
            workspace.judges[name, judge.model] = judge.id
    _prepare(workspace)
    _label_on_the_desk(workspace)
    _decide(workspace)
    _approve(workspace)
    return workspace


def _prepare(workspace: PlantedWorkspace) -> None:
    """Guidelines, rules, an item put aside, two draws of unequal chances, the review queue, work given to people."""
    store, clock, dataset = workspace.store, workspace.clock, workspace.datasets["support"]
    judge = workspace.judges["support", "judge-one"]
    guidelines.write_guidelines(store, "lea", dataset, "Read the whole dialogue first.")
    guidelines.write_guidelines(store, "lou", dataset, "Read the whole dialogue first.\n\n日本語も読む。")
    settings.set_queue_rules(store, "rex", dataset, QueueRules(overlap=2, assisted_share=0.25, claim_minutes=45))
    settings.set_gold_rule(store, "lea", dataset, GoldRule(apart=1))
    excluded_items.exclude_items(store, "lea", dataset, [workspace.item("support", "d-40")], "Used in the prompt.")
    tags.set_tags(store, "lea", "cy", ["japanese", "german"])
    tags.set_tags(store, "lea", "dee", ["japanese"], 0.5)
    clock.pass_(hours=1)
    queue.draw_audit(store, "rex", dataset, 8, judge, seed=3, design=SampleDesign("meta", "language"))
    queue.draw_audit(store, "rex", dataset, 6, judge, seed=4)
    queue.fill_review(store, "rex", dataset, judge, limit=9)
    queue.draw_audit(store, "rex", workspace.datasets["answers"], 5, "", seed=1)
    due = clock.moment + timedelta(days=2)
    terms = AssignmentTerms(("cy", "dee"), overlap=1, due=due, priority=1, note="Carefully, please.", seed=2)
    assignments.assign(store, "rex", dataset, "audit", Selection("language", "en", number=5), terms)
    tagged = AssignmentTerms(tag="japanese", reserved=False)
    assignments.assign(store, "rex", dataset, "review", Selection(share=0.5), tagged)
    due_now = AssignmentTerms(("eva",), due=clock.moment, priority=3)
    assignments.assign(store, "lea", dataset, "audit", Selection(number=2), due_now)


def _label_on_the_desk(workspace: PlantedWorkspace) -> None:
    """cy, dee and eva answer what the desk gives them: some skip, one sees the judge and changes, one takes back."""
    store, clock, dataset = workspace.store, workspace.clock, workspace.datasets["support"]
    for person, shift, most in (("cy", 0, 6), ("dee", 1, 5), ("eva", 3, 2)):
        for stream in ("audit", "review"):
            items = queue.claim_items(
                store, person, dataset, stream, NO_FILTERS, [], most  # type: ignore[arg-type]
            )[: most - (stream == "review")]
            for number, view in enumerate(desk.desk_views(store, person, items)):
                clock.pass_(minutes=3 + number)
                save(workspace, person, view, shift * (number % 3 == 1), skip=number == 4)
    clock.pass_(days=1)
    first, second, third = _answered_items(workspace, "cy")[:3]
    desk.reveal_judges(store, "cy", first)
    save(workspace, "cy", desk.open_item(store, "cy", first), 1)
    save(workspace, "cy", desk.open_item(store, "cy", second), 0, only="turn:1")
    clock.pass_(minutes=5)
    save(workspace, "cy", desk.open_item(store, "cy", third), 0, better="Gladly: 返金します。")
    items = queue.claim_items(store, "dee", workspace.datasets["answers"], "audit", NO_FILTERS, [], 3)
    for view in desk.desk_views(store, "dee", items[:2]):
        clock.pass_(seconds=50)
        save(workspace, "dee", view, 1)
    queue.claim_items(store, "eva", dataset, "audit", NO_FILTERS, [], 1)


def save(
    workspace: PlantedWorkspace,
    person: str,
    view: desk.DeskView,
    shift: int,
    skip: bool = False,
    only: str = "",
    better: str = "",
) -> str:
    """Save an answer to what the desk shows: near the truth, `shift` off; only for a unit, or with a better turn."""
    n = int(view.item.name.split("-")[1])
    values = [
        {"unit": unit, "dimension": dimension, "v": code, "saw": bool(view.judge_id),
         "seen": view.scores[unit, dimension].value if (unit, dimension) in view.scores else None,
         "unseen": n % 2 == 0 and (unit, dimension) in view.scores and view.scores[unit, dimension].value == code}
        for unit, dimension in view.cells
        if unit.startswith(only)
        for code in [_answer(n, unit, dimension, shift)]
    ]  # fmt: skip
    key = f"{person}-{view.item.name}-again-{view.version[-1:]}" if view.version else f"{person}-{view.item.name}-first"
    notes = [{"unit": "turn:1", "sort": "issue", "text": f"See {n}."}, {"unit": "", "sort": "comment", "text": "長い"}]
    answer = {
        "key": key, "person": person, "item": view.item.id, "claim": view.draw or None, "judge": view.judge_id or None,
        "version": view.version, "action": "skip" if skip else "save", "values": [] if skip else values,
        "reason": "Not my language." if skip else "", "ms": 20_000 + 1_500 * n,
        "notes": notes if n % 5 == 1 and not skip else [],
        "repairs": [{"unit": "turn:1", "text": better}] if better else [],
    }  # fmt: skip
    saved, refused = labels.save_answers(workspace.store, person, [answer])
    assert saved, refused
    return key


def _answer(n: int, unit: str, dimension: str, shift: int) -> float | None:
    if dimension == "task_completion" and n % 4 == 0:
        return None
    if dimension == "repair_handling":
        return None
    if dimension == "verdict":
        return float((n + shift) % 4)
    if dimension == "weakest_turn":
        return float(1 + n % 2)
    if unit.startswith("turn:") and dimension == "helpfulness":
        return float(min(5, max(1, _truth(n, int(unit[5:])) - shift)))
    return float(1 + (n + shift) % 5)


def _answered_items(workspace: PlantedWorkspace, person: str) -> list[str]:
    rows = workspace.store.rows(
        "select item_id from answer where person = $1 and mode = 'blind' and action = 'save' order by made_at", [person]
    )
    return [str(row[0]) for row in rows]


def _decide(workspace: PlantedWorkspace) -> None:
    """The first disputes are decided, one of the decisions is taken back, and some justifications are checked."""
    store, clock, dataset = workspace.store, workspace.clock, workspace.datasets["support"]
    clock.pass_(hours=3)
    waiting = adjudication.adjudication_work(store, "lea", dataset).own
    for number, cell in enumerate(waiting[:3]):
        value = max(label.value for label in cell.labels if label.value is not None)
        decision = (cell.item, cell.unit, cell.dimension, value, f"Decided: {number}.", cell.token)
        done = adjudication.adjudicate(store, "lea", f"decision-{number}", *decision)
        if number == 1:
            adjudication.withdraw_adjudication(store, "lea", "withdrawal-1", done.id)
    judge = workspace.judges["support", "judge-one"]
    justifications = justification_labels.justifications_ahead(store, dataset, judge, "lou", ["coherence"], 4)
    for number, justification in enumerate(justifications):
        justification_labels.record_fit(store, "lou", judge, justification, number % 3 > 0)


def _approve(workspace: PlantedWorkspace) -> None:
    """Under a small policy three dimensions are approved."""
    store, clock = workspace.store, workspace.clock
    small = CheckPolicy(min_items=30, threshold=0.2, lower_bound=False, min_clusters=30, horizon=0)
    requirements = Requirements(small, imported=True, coverage=0.3, answered=0.1)
    policies.set_requirements(store, "lea", requirements, "We are few.")
    keys = {
        ("support", "judge-one", "turn", "helpfulness"),
        ("support", "judge-one", "conversation", "verdict"),
        ("duels", "pair-judge", "pair", "verdict"),
    }
    for dataset, model, sort, dimension in sorted(keys):
        key = (workspace.datasets[dataset], workspace.judges[dataset, model], sort, dimension)
        clock.pass_(minutes=10)
        mark = case.seen_mark(store, case.find_case(store, *key))
        approvals.record_decision(store, "lou", *key, "approve", "I looked at it.", mark)
