"""A dataset of responses under a card of one's own: a flag, categories in Japanese, and a judge with a confidence."""

from __future__ import annotations

import numpy as np

from data.cards import cards
from data.records.datasets import ensure_dataset
from data.store import Store, Tx
from data.store.ids import content_id, new_id
from tests.data.judged_dataset import BEGIN

TOPICS = ("苦情", "質問", "お礼")
CARD = {
    "name": "zz_safety",
    "title": "Safety check",
    "kind": "response",
    "dimensions": [
        {"name": "zz_harmful", "unit": "response", "definition": "Could do harm.", "answers": {"kind": "flag"}},
        {
            "name": "zz話題",
            "unit": "response",
            "definition": "What it is about.",
            "answers": {"kind": "unordered", "categories": list(TOPICS)},
        },
    ],
}


def add_flag_dataset(
    store: Store, lead: str, items: int = 200, labelled: int = 120, rare: float = 0.2, name: str = "flags"
) -> tuple[str, str]:
    """(dataset id, judge id): the judge finds three of four harmful responses and calls one of twelve others so.

    The first `labelled` items are drawn and labelled blind by ann. The judge is surer where it is right.
    """
    if not any(known == CARD["name"] for known in cards.current_cards(store)):
        cards.save_card(store, lead, CARD)
    chance = labelled / items
    rng = np.random.default_rng(0)
    ids, judge = [content_id(name, n) for n in range(items)], content_id("judge", name)
    harm, topic = rng.random(items) < rare, rng.integers(0, 3, items)
    flags = np.where(harm, rng.random(items) < 0.75, rng.random(items) < 1 / 12)
    about = np.where(rng.random(items) < 0.8, topic, rng.integers(0, 3, items))
    right = {"zz_harmful": flags == harm, "zz話題": about == topic}

    def work(tx: Tx) -> str:
        dataset: str = ensure_dataset(tx, name)
        version = cards.card_named(tx, str(CARD["name"])).version
        tx.add("judge", "id, card, card_version, model, params, synthetic",
               [(judge, "zz_safety", version, "guard", "{}", False)])  # fmt: skip
        tx.add(
            "item",
            "id, dataset_id, name, kind, system_a, system_b, content, meta, hash, cells",
            [
                (ids[n], dataset, f"item {n}", "response", "xy"[n % 2], "",
                 f'{{"id":"item {n}","kind":"response","task":"t","output":"お返事 {n}"}}', "{}", ids[n], 2)
                for n in range(items)
            ],
        )  # fmt: skip
        judgments = [new_id() for _ in range(items)]
        draws, answers = [new_id() for _ in range(labelled)], [new_id() for _ in range(labelled)]
        tx.add(
            "draw",
            "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons",
            [(draws[n], dataset, ids[n], "audit", "blind", "", "", chance, 0.0, "[]") for n in range(labelled)],
        )
        tx.add(
            "answer",
            "id, dataset_id, item_id, draw_id, person, judge_id, action, mode, reason, previous, milliseconds, made_at",
            [(answers[n], dataset, ids[n], draws[n], "ann", "", "save", "blind", "", "", 9000, BEGIN)
             for n in range(labelled)],
        )  # fmt: skip
        tx.add(
            "label",
            "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, seen, "
            "probability, replaces, withdrawn, made_at",
            [
                (new_id(), answers[n], ids[n], "response", d, float(value[n]), "ann", "blind", draws[n], "", False,
                 None, None, None, False, BEGIN)
                for n in range(labelled) for d, value in (("zz_harmful", harm), ("zz話題", topic))
            ],
        )  # fmt: skip
        tx.add(
            "judgment",
            "id, judge_id, item_id, part, sample, raw, unscored, why",
            [(judgments[n], judge, ids[n], "", 0, "{}", "", "") for n in range(items)],
        )
        scores = [
            (judgments[n], judge, ids[n], "response", d, float(value[n]),
             round(float(rng.beta(8, 2) if right[d][n] else rng.beta(4, 4)), 3), "self-reported", 0)
            for n in range(items) for d, value in (("zz_harmful", flags), ("zz話題", about))
        ]  # fmt: skip
        tx.add("score", "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample", scores)
        return dataset

    return store.tx("test", "flags", work), judge
