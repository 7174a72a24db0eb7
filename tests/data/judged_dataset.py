"""A dataset with several judges, confidences, two languages and timed answers, for what looks into an agreement."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from data.records.datasets import ensure_dataset
from data.store import Store
from data.store.ids import content_id, new_id

BEGIN = datetime(2026, 1, 31, 12)


@dataclass(frozen=True)
class Seat:
    """An item with its turns: gold by turn, {judge: scores by turn} (None = n/a, "unscored" = none), confidences.

    `beside` is the judge whose scores ann had in view.
    """

    number: int
    gold: list[float | None]
    scores: dict[str, list[Any]]
    sure: dict[str, list[float | None]] = field(default_factory=dict)
    system: str = "x"
    text: str = "Thank you for the help."
    meta: dict[str, Any] = field(default_factory=dict)
    mode: str = "blind"
    seconds: float = 30
    beside: str = ""


def add_seats(
    store: Store, seats: list[Seat], name: str = "seats", probability: float | None = 0.5, card: str = ""
) -> tuple[str, dict[str, str]]:
    """Write the seats as a dataset labelled by ann; (dataset id, judge ids by name). Item n: minute n."""
    judges = {judge: content_id("judge", name, judge) for seat in seats for judge in seat.scores}
    ids = {seat.number: content_id(name, seat.number) for seat in seats}

    def work(tx: Any) -> str:
        dataset: str = ensure_dataset(tx, name)
        tx.add(
            "judge",
            "id, card, card_version, model, params, synthetic",
            [(id_, card or "multi_turn_dialogue", "1", judge, "{}", False) for judge, id_ in judges.items()],
        )
        tx.add(
            "item",
            "id, dataset_id, name, kind, system_a, system_b, content, meta, hash, cells",
            [
                (ids[s.number], dataset, f"item {s.number}", "dialogue", s.system, "", _content(s), json.dumps(s.meta),
                 ids[s.number], len(s.gold))
                for s in seats
            ],
        )  # fmt: skip
        draws = {s.number: new_id() for s in seats}
        tx.add(
            "draw",
            "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons",
            [
                (draws[s.number], dataset, ids[s.number], "audit", s.mode, "", s.system, probability, 0.0, "[]")
                for s in seats
                if probability
            ],
        )
        answers = {s.number: new_id() for s in seats}
        tx.add(
            "answer",
            "id, dataset_id, item_id, draw_id, person, judge_id, action, mode, reason, previous, milliseconds, made_at",
            [
                (answers[s.number], dataset, ids[s.number], draws[s.number] if probability else "", "ann", "", "save",
                 s.mode, "", "", round(1000 * s.seconds), BEGIN + timedelta(minutes=s.number))
                for s in seats
            ],
        )  # fmt: skip
        labels = []
        for s in seats:
            for turn, value in enumerate(s.gold, 1):
                labels.append(
                    (new_id(), answers[s.number], ids[s.number], f"turn:{turn}", "helpfulness", value, "ann", s.mode,
                     draws[s.number] if probability else "", judges.get(s.beside, ""), False, None, None, None, False,
                     BEGIN + timedelta(minutes=s.number))
                )  # fmt: skip
        tx.add(
            "label",
            "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, seen, "
            "probability, replaces, withdrawn, made_at",
            labels,
        )
        scores = []
        for s in seats:
            for judge, values in s.scores.items():
                sure = s.sure.get(judge, [None] * len(values))
                for turn, (value, confidence) in enumerate(zip(values, sure, strict=True), 1):
                    if value != "unscored":
                        unit, source = f"turn:{turn}", "" if confidence is None else "self-reported"
                        row = ("", judges[judge], ids[s.number], unit, "helpfulness", value, confidence, source, 0)
                        scores.append(row)
        columns = "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample"
        tx.add("score", columns, scores)
        tx.add(
            "judgment",
            "id, judge_id, item_id, part, sample, raw, unscored, why",
            [(new_id(), judges[judge], ids[s.number], "", 0, "{}", "", "") for s in seats for judge in s.scores],
        )
        return dataset

    return store.tx("test", "seats", work), judges


def _content(seat: Seat) -> str:
    turns = [
        {"turn": t, "role": role, "text": seat.text}
        for t in range(1, len(seat.gold) + 1)
        for role in ("user", "assistant")
    ]
    item = {"id": f"item {seat.number}", "kind": "dialogue", "scenario": "", "system": seat.system, "turns": turns}
    return json.dumps(item, ensure_ascii=False)


def crowd(items: int, seed: int = 0, turns: int = 3, first: int = 0, **fixed: Any) -> list[Seat]:
    """Made seats: judge "good" is right in about four of five turns and sure where it is, "poor" in about half of them.

    Every third item is Japanese, and "good" is poor on those.
    """
    rng = np.random.default_rng(seed)
    seats = []
    for number in range(first, first + items):
        japanese = number % 3 == 0
        gold = [float(v) for v in rng.integers(1, 6, turns)]
        right = rng.random(turns) < (0.35 if japanese else 0.9)
        good = [g if ok else float(rng.integers(1, 6)) for g, ok in zip(gold, right, strict=True)]
        poor = [g if rng.random() < 0.5 else float(rng.integers(1, 6)) for g in gold]
        known = [g == v for g, v in zip(gold, good, strict=True)]
        sure = [float(rng.choice([0.6, 0.9], p=[0.3, 0.7] if yes else [0.7, 0.3])) for yes in known]
        text = "ありがとうございます。注文を確認します。" if japanese else "Thank you, I will check the order."
        seats.append(
            Seat(
                number, gold, {"good": good, "poor": poor}, {"good": sure}, "xyz"[number % 3 if number % 2 else 0],
                text * (1 + number % 7), {"topic": ("refund", "travel")[number % 2], "note": f"n{number}"},
                **{"seconds": 20 + number % 30, **fixed},
            )
        )  # fmt: skip
    return seats
