"""Several samples of a judge as one answer: what they gain, and whether what is said of the gain and of flips is true.

A judge reads a turn's quality with an error of its own that stays, and one that is new each time it is asked; five
answers, three turns a dialogue that resemble each other. The truth is the same figure on a very large draw.
"""

import io
import json
import tempfile
from contextlib import redirect_stdout
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np

from data.calibration.self_consistency import measure_repeats
from judges.cards import cards
from judges.cli import main as command
from judges.stats.agreement import kappa_from_sums, six_moments
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.self_consistency import FLAKY_SHARE, SampledCells, measure_self_consistency
from judges.types import Scale
from tests.bench.simulations.row import Row, at_least, at_most, coverage_row, figure_row

SCALE = Scale("ordinal", 1, 5)
SAMPLES, TURNS, ITEMS, RUNS = 5, 3, 120, 400
LASTING, FRESH = 0.3, 1.06
"""The judge's errors, so that one sample reaches .58 and the median of five about .73."""
LARGE = 150_000


def draw_dialogues(items, fresh, rng):
    """Item, people's answer, and each sample's, (cells, samples), of that many dialogues."""
    item = np.repeat(np.arange(items), TURNS)
    quality = sqrt(0.5) * (rng.normal(size=items)[item] + rng.normal(size=len(item)))
    people = quality + 0.35 * rng.normal(size=len(item))
    lasting = quality + LASTING * rng.normal(size=len(item))
    judge = lasting[:, None] + fresh * rng.normal(size=(len(item), SAMPLES))

    def cut(values):
        spread = sqrt(np.mean(values**2))
        ends = [NormalDist(0, spread).inv_cdf(p) for p in (0.2, 0.4, 0.6, 0.8)]
        return np.searchsorted(ends, values) + 1.0

    return item, cut(people), cut(judge)


def figures(item, human, samples):
    """Kappa of the first sample, of the mean of single ones, of the median and of the mean of all, and the flips."""

    def kappa(judge):
        return kappa_from_sums(six_moments(human, judge).sum(axis=1))

    alone = [kappa(samples[:, n]) for n in range(SAMPLES)]
    flips = (samples != samples[:, :1]).any(axis=1)
    return alone[0], np.mean(alone), kappa(np.median(samples, axis=1)), kappa(samples.mean(axis=1)), flips.mean()


def measure_samples(item, human, samples):
    """The same as a workspace would hand it over, with medians."""
    cells = SampledCells(item, human, np.median(samples, axis=1), np.ones(len(item)), samples)
    hits = np.bincount(item, (samples != samples[:, :1]).any(axis=1))
    return measure_self_consistency(cells, (hits, np.bincount(item).astype(float)), SCALE)


def flipping(share, rng):
    """The fresh error at which that share of ratings flips."""
    low, high = 0.001, 1.0
    for _ in range(16):
        middle = (low + high) / 2
        low, high = (middle, high) if figures(*draw_dialogues(20_000, middle, rng))[4] < share else (low, middle)
    return (low + high) / 2


def rows(scale=1.0):
    """The table's rows; `scale` times the usual number of runs."""
    runs, rng = max(40, round(RUNS * scale)), np.random.default_rng(11)
    first, single, median, mean, flips = figures(*draw_dialogues(round(LARGE * max(scale, 0.1)), FRESH, rng))
    yield figure_row(
        "kappa in the population: one sample, median of five, mean of five", f"{first:.3f}, {median:.3f}, {mean:.3f}"
    )
    counts = {"median": 0, "mean": 0, "gain": 0, "flips": 0}
    for _ in range(runs):
        item, human, samples = draw_dialogues(ITEMS, FRESH, rng)
        consistency = measure_samples(item, human, samples)
        at_mean = kappa_interval(Cells(item, human - 1, samples.mean(axis=1) - 1), 5)
        counts["median"] += consistency.together.low <= median <= consistency.together.high
        counts["mean"] += at_mean.low <= mean <= at_mean.high
        counts["gain"] += consistency.gain.low <= median - single <= consistency.gain.high
        counts["flips"] += consistency.flips.low <= flips <= consistency.flips.high
    titles = {
        "median": "interval of kappa, median of five", "mean": "interval of kappa, mean of five (fractions)",
        "gain": "interval of what the further calls bought", "flips": "interval of the flip rate",
    }  # fmt: skip
    for name, title in titles.items():
        yield coverage_row(f"{title}: {ITEMS} dialogues of {TURNS} turns", counts[name] / runs, runs)
    for share, test in ((FLAKY_SHARE, at_most), (FLAKY_SHARE + 0.15, at_least)):
        fresh, marked = flipping(share, np.random.default_rng(3)), 0
        for _ in range(runs):
            item, _, samples = draw_dialogues(ITEMS, fresh, rng)
            hits = np.bincount(item, (samples != samples[:, :1]).any(axis=1))
            marked += _flaky(hits, np.bincount(item).astype(float))
        yield test(
            f"called flaky where {share:.0%} of ratings flip", 0.05 if test is at_most else 0.9, marked / runs, runs
        )
    page, files = _both(rng)
    yield Row(
        "the page and `judges agree` on the same files, 60 responses asked five times, every rule",
        "the same to the last digit", ", ".join(f"{k:.3f}" for k in page), page == files,
    )  # fmt: skip


def _flaky(hits, cells):
    unit = np.ones(1)
    return measure_self_consistency(
        SampledCells(np.zeros(1, dtype=np.int64), unit, unit, unit, np.ones((1, 2))), (hits, cells), SCALE
    ).flaky


def _both(rng):
    """Kappa of factuality by every rule, through an import and from the very files."""
    from data.calibration import calibration
    from data.records import datasets
    from tests import seeds

    item, human, samples = draw_dialogues(20, FRESH, rng)
    names = [d.name for d in cards()["rubric_open_ended"].dimensions if d.scale.kind == "ordinal"]
    items = [{"id": f"r{n}", "kind": "response", "task": "t", "output": f"o{n}"} for n in range(len(item))]
    labels = [
        {"item": f"r{n}", "unit": "response", "dimension": "factuality", "value": int(v), "annotator": "ann",
         "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
        for n, v in enumerate(human)
    ]  # fmt: skip
    page, files = [], []
    with tempfile.TemporaryDirectory() as folder:
        for rule in ("first", "median", "mean", "vote"):
            place = Path(folder) / rule
            place.mkdir()
            judgments = [
                {"item": f"r{n}", "card": "rubric_open_ended", "model": "m", "sample": s,
                 "params": {"samples": SAMPLES, "combine": rule},
                 "reply": {"scores": dict.fromkeys(names, int(samples[n, s])), "verdict": "good",
                           "decision_basis": f"{s}", "issues": []}}
                for n in range(len(item)) for s in range(SAMPLES)
            ]  # fmt: skip
            store = seeds.workspace(place / "a.duckdb", [*items, *judgments, *labels], review=False)
            dataset = datasets.dataset_named(store, "demo").id
            judge = datasets.dataset_judges(store, dataset)[0][0]
            dimension = calibration.compared_dimensions(store, judge)[0]
            consistency = measure_repeats(store, dataset, judge, dimension, "blind")
            store.close()
            output = io.StringIO()
            with redirect_stdout(output):
                paths = [str(seeds.lines(place / name, lines)) for name, lines in (("j", judgments), ("l", labels))]
                command(["agree", *paths, "--json"])
            row = json.loads(output.getvalue())[0]
            page += [consistency.together.point, consistency.single, consistency.gain.point, consistency.flips.point]
            files += [row["kappa"], row["single"], row["gain"], row["flips"]]
    return page, files
