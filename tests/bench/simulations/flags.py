"""How often the intervals of true and false positive rates, precision and corrected prevalence hold the truth."""

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from judges.stats.calibration import PairedRatings
from judges.stats.rates import AnswerRates, judge_shares, rates_by_answer
from judges.types import Dimension, Scale
from tests.bench.simulations.row import Row, coverage_row, figure_row

FLAG = Dimension("harmful", "turn", Scale("flag"), "")
SIMILARITY, MOOD = 0.3, 0.6
"""How much turns of a dialogue are alike in being harmful, and how far the judge's mood moves all of them."""


def draw_rates(everybody, labelled, turns, rare, tpr, fpr, rng, weighted=False) -> list[AnswerRates]:
    """A judge's rates on a sample of dialogues, beside what it says of all of them.

    `weighted`: dialogues in which the judge raises something are two in five of the sample, however rare they are.
    """
    item = np.repeat(np.arange(everybody), turns)
    share = np.full(everybody, rare)
    if turns > 1:
        share = rng.beta(rare * (1 / SIMILARITY - 1), (1 - rare) * (1 / SIMILARITY - 1), everybody)
    mood = MOOD if turns > 1 else 0.0
    harm = rng.random(len(item)) < share[item]
    ends = [NormalDist(0, (1 + mood**2) ** 0.5).inv_cdf(p) for p in (fpr, tpr)]
    felt = mood * rng.normal(size=everybody)[item] + rng.normal(size=len(item))
    verdicts = felt < np.where(harm, ends[1], ends[0])
    raised = np.bincount(item, verdicts) > 0
    if weighted:
        chance = np.where(
            raised, min(0.9, 0.4 * labelled / max(1, raised.sum())), min(1, 0.6 * labelled / (~raised).sum())
        )
        sample = rng.random(everybody) < chance
    else:
        chance, sample = np.ones(everybody), np.zeros(everybody, dtype=bool)
        sample[rng.permutation(everybody)[:labelled]] = True
    mask = sample[item]
    met = PairedRatings(
        item[mask], harm[mask].astype(float), verdicts[mask].astype(float), np.ones(mask.sum(), dtype=bool),
        1 / chance[item[mask]],
    )  # fmt: skip
    return rates_by_answer(met, FLAG, judge_shares(item, verdicts.astype(float)))


def coverage(runs, seed=0, **world):
    """Figure -> (how often its interval holds the truth where there is one, in how many samples there is, width)."""
    rng, rare, tpr, fpr = np.random.default_rng(seed), world["rare"], world["tpr"], world["fpr"]
    precision = rare * tpr / (rare * tpr + (1 - rare) * fpr)
    real = {"recall": tpr, "false_positive_rate": fpr, "precision": precision, "people": rare}
    tally = {name: [0, 0, 0.0] for name in (*real, "corrected prevalence")}
    for _ in range(runs):
        [rates] = draw_rates(rng=rng, **world)
        for name, counts in tally.items():
            interval = rates.prevalence.interval if name == "corrected prevalence" else getattr(rates.rates, name)
            if interval is not None and interval.low is not None:
                counts[0] += interval.low <= real.get(name, rare) <= interval.high
                counts[1] += 1
                counts[2] += interval.high - interval.low
    return {name: (a / max(n, 1), n, w / max(n, 1)) for name, (a, n, w) in tally.items()}


WORLDS = (
    {"rare": 0.03, "labelled": 200, "turns": 1, "tpr": 0.8, "fpr": 0.03},
    {"rare": 0.05, "labelled": 100, "turns": 1, "tpr": 0.8, "fpr": 0.03},
    {"rare": 0.05, "labelled": 200, "turns": 1, "tpr": 0.6, "fpr": 0.1},
    {"rare": 0.05, "labelled": 400, "turns": 1, "tpr": 0.8, "fpr": 0.03},
    {"rare": 0.05, "labelled": 200, "turns": 3, "tpr": 0.8, "fpr": 0.03},
    {"rare": 0.2, "labelled": 100, "turns": 10, "tpr": 0.8, "fpr": 0.05},
    {"rare": 0.2, "labelled": 200, "turns": 1, "tpr": 0.6, "fpr": 0.1},
    {"rare": 0.05, "labelled": 400, "turns": 1, "tpr": 0.8, "fpr": 0.03, "weighted": True},
    {"rare": 0.2, "labelled": 200, "turns": 1, "tpr": 0.8, "fpr": 0.05, "weighted": True},
)


def rows(scale: float = 1.0) -> Iterator[Row]:
    """Every figure with what it has to reach."""
    runs = max(30, round(1_000 * scale))
    for world in WORLDS:
        named = f"{world['rare']:.0%} harmful, {world['labelled']} of 2,000 items of {world['turns']} turns"
        named += ", what is raised drawn more" if world.get("weighted") else ""
        figures = coverage(runs, everybody=2_000, **world)
        for name, (share, n, width) in figures.items():
            yield coverage_row(f"{named}: {name.replace('_', ' ')}", share, max(n, 1), f"width {width:.2f}")
        correction_share = figures["corrected prevalence"][1] / runs
        yield figure_row(f"{named}: a corrected prevalence is given in", f"{correction_share:.0%} of samples")
