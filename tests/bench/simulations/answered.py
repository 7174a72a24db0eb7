"""Who answered: people who leave out what is hard, in five ways and two orders, through the store as the app has it.

The judge agrees on the easy items and guesses on the hard ones, where it is unsure as well, so that the review queue
asks for these first; two of three systems are mostly hard. Its true kappa is far below the threshold, and that on the
items which are left is far above it.
"""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from data.approvals import check_results, policy
from data.approvals.rules import Requirements
from data.desk import labels
from data.gold import excluded_items
from data.queue import queue
from data.queue.queue import QueueFilters
from data.records import exposure, people, settings
from data.records.datasets import ensure_dataset
from data.store import open_store
from data.store.ids import content_id, new_id
from judges.stats.approval_check import CheckPolicy, check_dimension
from tests.bench.simulations.row import at_least, at_most

ITEMS, SHARE = 600, 0.7
"""Items of a dataset, and the share of them that is drawn."""
SYSTEMS = "xyz"
PER_SYSTEM_HARD = (0.05, 0.8, 0.8)
WAYS = {
    "review first": "the review queue is worked first, then all that is left of the sample",
    "one system only": "only the sample's items of one system are answered",
    "half a wave": "half of the sample is answered, of a judge that is good",
    "put aside": "drawn items on which the judge is off are put aside for tuning",
    "hard ones skipped": "drawn items that are hard are skipped",
}
"""Ways in which people leave out items, and what they do."""


class World(NamedTuple):
    """A dataset in a store: its id and judge, and by item what people find and whether it is hard."""

    store: Any
    dataset: str
    judge: str
    gold: dict[str, float]
    hard: set[str]


class Outcome(NamedTuple):
    """The state of the dimension, the one by its figures alone, its kappa, and how many drawn items have no answer."""

    state: str
    alone: str
    kappa: float | None
    unanswered: int


def world(path, seed, good=False, names=("lea", "ann"), items=ITEMS):
    """A store with judged single-turn dialogues of three systems; lea leads, the others annotate."""
    rng = np.random.default_rng(seed)
    store = open_store(f"duckdb:///{path}")
    for name in names:
        people.join_workspace(store, name)
    judge = content_id("judge", "sim")
    ids = [content_id("sim", n) for n in range(items)]
    system = [SYSTEMS[n % 3] for n in range(items)]
    hard = np.zeros(items, bool) if good else rng.random(items) < np.array(PER_SYSTEM_HARD)[np.arange(items) % 3]
    gold = rng.integers(1, 6, items)
    near = np.clip(gold + rng.choice([-1, 0, 1], items, p=[0.1, 0.8, 0.1]), 1, 5)
    scores = np.where(hard, rng.integers(1, 6, items), near)

    def work(tx):
        dataset = ensure_dataset(tx, "sim")
        tx.add(
            "judge", "id, card, card_version, model, params, synthetic",
            [(judge, "multi_turn_dialogue", "1", "sim", "{}", False)],
        )  # fmt: skip
        tx.add(
            "item", "id, dataset_id, name, kind, system_a, system_b, content, meta, hash, cells",
            [(i, dataset, f"item {n}", "dialogue", s, "", _content(n, s), "{}", i, 2)
             for n, (i, s) in enumerate(zip(ids, system, strict=True))],
        )  # fmt: skip
        tx.add(
            "judgment", "id, judge_id, item_id, part, sample, raw, unscored, why",
            [(f"m{i}", judge, i, "", 0, "{}", "", "") for i in ids],
        )  # fmt: skip
        tx.add(
            "score", "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample",
            [(f"m{i}", judge, i, "turn:1", "helpfulness", float(v), 0.3 if h else 0.95, "self-reported", 0)
             for i, v, h in zip(ids, scores, hard, strict=True)],
        )  # fmt: skip
        return dataset

    dataset = store.tx("test", "world", work)
    settings.hide_systems(store, "lea", dataset, False)  # people here choose what to answer by its system
    answers = dict(zip(ids, map(float, gold), strict=True))
    return World(store, dataset, judge, answers, {i for i, h in zip(ids, hard, strict=True) if h})


def _content(number, system):
    turns = [{"turn": 1, "role": role, "text": f"{role} {number}"} for role in ("user", "assistant")]
    return json.dumps({"id": f"item {number}", "kind": "dialogue", "scenario": "", "system": system, "turns": turns})


def draw(w, seed=0):
    """An audit sample of which all items are to be answered blind; how many were drawn."""
    return queue.draw_audit(w.store, "lea", w.dataset, round(SHARE * len(w.gold)), "", seed)


def work(w, person, stream="audit", system="", most=10_000, skips=lambda item: False):
    """Answer what the queue gives a person, up to `most` items; the review queue shows the judge's scores."""
    done = 0
    where = (w.store, person, w.dataset, stream, QueueFilters(system=system), [])
    while done < most and (items := queue.claim_items(*where, min(100, most - done))):
        if stream == "review":
            exposure.record_exposures(w.store, person, {g.item: [w.judge] for g in items}, "review desk")
        saved, refused = labels.save_answers(w.store, person, [_answer(w, person, g, skips(g.item)) for g in items])
        assert len(saved) == len(items) and not refused
        done += len(saved)
    return done


def _answer(w, person, item, skip):
    value = {"unit": "turn:1", "dimension": "helpfulness", "v": w.gold[item.item]}
    return {
        "key": new_id(), "person": person, "action": "skip" if skip else "save", "item": item.item,
        "claim": item.draw, "values": [] if skip else [value], "reason": "too hard" if skip else "", "ms": 1000,
    }  # fmt: skip


def leave_out(w, pattern, person="ann", seed=0):
    """Draw and answer in that way."""
    drawn = "select item_id from draw where stream = 'audit' order by item_id"
    if pattern == "review first":
        queue.fill_review(w.store, "lea", w.dataset, w.judge, len(w.hard))
        work(w, person, "review")
    size = draw(w, seed)
    if pattern == "put aside":
        off = [row[0] for row in w.store.rows(drawn) if row[0] in w.hard]
        excluded_items.exclude_items(w.store, "lea", w.dataset, off, "a prompt was tuned on them")
    skips = w.hard.__contains__ if pattern == "hard ones skipped" else (lambda _: False)
    most = size // 2 if pattern == "half a wave" else 10_000
    work(w, person, system="x" if pattern == "one system only" else "", most=most, skips=skips)


def outcome(w):
    """How the dimension stands."""
    line = next(
        line for line in check_results.dimension_results(w.store, w.dataset, w.judge) if line.key == "turn.helpfulness"
    )
    total = w.store.rows("select count(*) from draw where stream = 'audit' and mode = 'blind'")[0][0]
    gate = line.gate
    alone = check_dimension(gate.interval, replace(policy.requirements(w.store).policy, horizon=0))  # at a single look
    return Outcome(line.check.state, alone.state, gate.interval.point, total - gate.gold_items)


def once(pattern, seed, min_items=100, **options):
    """One run of a way in a store of its own; `min_items` is what the policy asks for."""
    with tempfile.TemporaryDirectory() as folder:
        w = world(Path(folder) / "sim.duckdb", seed, **options)
        try:
            if min_items != 100:
                requirements = Requirements(CheckPolicy(min_items=min_items))
                policy.set_requirements(w.store, "lea", requirements, "a small edition")
            if pattern in WAYS:
                leave_out(w, pattern)
            else:
                {"all answered": everything, "audit first": audit_first}[pattern](w)
            return outcome(w)
        finally:
            w.store.close()


def everything(w):
    """The sample is drawn, and all of it is answered."""
    draw(w)
    work(w, "ann")


def audit_first(w):
    """The sample is drawn, then the review queue is filled and worked first: what is drawn is reserved."""
    draw(w)
    queue.fill_review(w.store, "lea", w.dataset, w.judge, ITEMS)
    work(w, "ann", "review")
    work(w, "ann")


PASSES = ("meets policy", "meets policy")


def rows(scale=1.0):
    """What the check says in every way, and what the figures alone would have said."""
    runs = max(2, round(10 * scale))
    for pattern, text in WAYS.items():
        outcomes = [once(pattern, seed, good=pattern == "half a wave") for seed in range(runs)]
        alone = sum(outcome.alone in PASSES for outcome in outcomes)
        kappas = [outcome.kappa for outcome in outcomes if outcome.kappa is not None]
        more = f"figures alone {alone} of {runs}, mean kappa {np.mean(kappas):.2f}" if kappas else f"alone {alone}"
        wrong = sum(outcome.state in PASSES for outcome in outcomes) / runs
        yield at_most(f"approvable though {text}", 0.0, wrong, runs, more)
    first = [once("audit first", seed) for seed in range(runs)]
    kappas = np.array([outcome.kappa for outcome in first])
    yield at_most(
        "review queue filled after the draw and worked first: drawn items without an answer",
        0.0, sum(outcome.unanswered > 0 for outcome in first) / runs, runs,
        f"mean kappa {kappas.mean():.2f}, true about .4",
    )  # fmt: skip
    outcomes = [once("all answered", seed, good=True) for seed in range(runs)]
    good = sum(outcome.state in PASSES for outcome in outcomes) / runs
    yield at_least("a good judge, all answered, meets the policy", 0.95, good, runs)
