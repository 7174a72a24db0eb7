"""Planted people: a dataset whose labels come from people with known habits, written straight into the tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from data.records.datasets import ensure_dataset
from data.store import Store
from data.store.ids import content_id, new_id

BEGIN = datetime(2026, 3, 2, 9)
Rng = np.random.Generator


@dataclass(frozen=True)
class Rater:
    """Somebody who labels.

    What they say of a turn whose truth is 1..5 (the judge's value is given too), in which mode, and in how many seconds
    an item; `every` n-th item is theirs.
    """

    says: Callable[[int, int, int, Rng], float]
    mode: str = "blind"
    seconds: float = 20.0
    every: int = 1


def mostly_right(share: float) -> Callable[[int, int, int, Rng], float]:
    """Right with that share, else a step off."""
    return lambda truth, judge, item, rng: clip(truth if rng.random() < share else truth + rng.choice([-1, 1]))


def lenient(truth: int, judge: int, item: int, rng: Rng) -> float:
    """A step more than the truth."""
    return clip(truth + 1)


def random(truth: int, judge: int, item: int, rng: Rng) -> float:
    """Anything."""
    return float(rng.integers(1, 6))


def accepting(truth: int, judge: int, item: int, rng: Rng) -> float:
    """What the judge says."""
    return float(judge)


def clip(value: Any) -> float:
    """On the scale."""
    return float(min(5, max(1, value)))


def plant(
    store: Store, raters: dict[str, Rater], items: int = 60, name: str = "planted", judge: float = 0.8, seed: int = 0
) -> tuple[str, str]:
    """(dataset id, judge id) of dialogues of two turns, their helpfulness scored by a judge right with that share.

    An item a day, so that the labels span weeks.
    """
    rng, ids, judge_id = (
        np.random.default_rng(seed), [content_id(name, n) for n in range(items)], content_id("judge", name)
    )  # fmt: skip
    truth = rng.integers(1, 6, (items, 2))
    scores = [[int(mostly_right(judge)(int(t), 0, n, rng)) for t in truth[n]] for n in range(items)]
    labels, answers = [], []
    for person, rater in raters.items():
        for n in range(0, items, rater.every):
            key, at = new_id(), BEGIN + timedelta(days=n)
            answers.append((key, "", ids[n], "", person, judge_id, "save", rater.mode, "", "",
                            int(rater.seconds * 1000), at))  # fmt: skip
            for turn in (0, 1):
                saw = rater.mode == "assisted"
                value = rater.says(int(truth[n, turn]), scores[n][turn], n, rng)
                labels.append((new_id(), key, ids[n], f"turn:{turn + 1}", "helpfulness", value, person, rater.mode, "",
                               judge_id, saw, float(scores[n][turn]) if saw else None, None, None, False,
                               at))  # fmt: skip

    def work(tx: Any) -> str:
        dataset: str = ensure_dataset(tx, name)
        tx.add("judge", "id, card, card_version, model, params, synthetic",
               [(judge_id, "multi_turn_dialogue", "1", "m", "{}", False)])  # fmt: skip
        rows = [(i, dataset, f"item {n:03d}", "dialogue", "s", "", _content(n), "{}", i, 2) for n, i in enumerate(ids)]
        tx.add("item", "id, dataset_id, name, kind, system_a, system_b, content, meta, hash, cells", rows)
        tx.add("judgment", "id, judge_id, item_id, part, sample, raw, unscored, why",
               [(new_id(), judge_id, i, "", 0, "{}", "", "") for i in ids])  # fmt: skip
        tx.add("score", "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample",
               [("", judge_id, i, f"turn:{t + 1}", "helpfulness", float(scores[n][t]), None, "", 0)
                for n, i in enumerate(ids) for t in (0, 1)])  # fmt: skip
        columns = "id, dataset_id, item_id, draw_id, person, judge_id, action, mode, reason, previous, milliseconds"
        tx.add("answer", f"{columns}, made_at", [(a[0], dataset, *a[2:]) for a in answers])
        tx.add("label", "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, "
               "seen, probability, replaces, withdrawn, made_at", labels)  # fmt: skip
        return dataset

    return store.tx("test", "plant", work), judge_id


def _content(number: int) -> str:
    turns = [{"turn": t, "role": r, "text": f"{r} {t}"} for t in (1, 2) for r in ("user", "assistant")]
    return json.dumps({"id": f"item {number:03d}", "kind": "dialogue", "scenario": f"Scene {number}.", "turns": turns})
