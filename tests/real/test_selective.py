"""Verdicts of a real judge that need no person: GPT-3.5 on PandaLM's pairs, surer where a second judge agrees."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judges.stats.auto_accept import ConfidenceRatings, find_threshold

CALIBRATED = 500
SPLITS = 60


def load(folder: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "pandalm" / f"{name}.json").read_text(encoding="utf-8"))
    return rows


@pytest.fixture(scope="module")
def pairs(real: Path) -> ConfidenceRatings:
    """Whether the judge says what most of three people say, and a confidence that is the judges' own.

    It is higher where PandaLM-7B says the same, and where the side that wins is a model that wins more of its pairs.
    """
    people, judge, second = (
        load(real, name) for name in ("testset-v1", "gpt-3.5-turbo-testset-v1", "pandalm-7b-testset-v1")
    )
    verdicts = {n: v for n, row in enumerate(judge) if (v := {"1": 1, "2": 2}.get(str(row["gpt_result"]).strip(), 0))}
    wins: dict[str, list[int]] = {}
    for n, value in verdicts.items():
        for model, sign in zip(people[n]["cmp_key"].split("_"), (1, -1), strict=True):
            wins.setdefault(model, []).append(sign if value == 1 else -sign)
    agree, sure = [], []
    for n, value in verdicts.items():
        top = Counter(people[n][f"annotator{k}"] for k in (1, 2, 3)).most_common(1)[0]
        one, other = (float(np.mean(wins[model])) for model in people[n]["cmp_key"].split("_"))
        agree.append(value == (top[0] if top[1] > 1 else 0))
        sure.append(0.5 + 0.25 * (value == second[n]["pandalm_result"]) + (0.2 if value == 1 else -0.2) * (one - other))
    count = len(agree)
    return ConfidenceRatings(np.arange(count), np.array(sure), np.array(agree, dtype=np.float64), np.ones(count))


@pytest.mark.parametrize(("target", "least", "most"), [(0.8, 0.3, 0.75), (0.85, 0.05, 0.45)])
def test_what_is_spared_and_how_often_the_promise_is_broken(
    pairs: ConfidenceRatings, target: float, least: float, most: float
) -> None:
    rng, spared, broken = np.random.default_rng(0), 0.0, 0
    for _ in range(SPLITS):
        own = np.zeros(len(pairs.item), dtype=bool)
        own[rng.permutation(len(own))[:CALIBRATED]] = True
        sides = (pairs.item, pairs.confidence, pairs.agree, pairs.weight)
        selection = find_threshold(ConfidenceRatings(*(side[own] for side in sides)), target, 0.1)
        if selection.chosen is not None:
            accepted = ~own & (pairs.confidence >= selection.chosen.threshold)
            spared += accepted.sum() / (~own).sum()
            broken += pairs.agree[accepted].mean() < target
    print(f"target {target:.0%}: {spared / SPLITS:.0%} spared, broken in {broken} of {SPLITS} splits")
    assert least <= spared / SPLITS <= most
    # Agreement on the other half swings as well: a promise that is just kept seems broken in half of its splits.
    assert broken <= 0.25 * SPLITS
