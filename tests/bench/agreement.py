"""What agreement costs at size: `python -m tests.bench.agreement` (some two minutes, 1 GB).

Ten million cells in eight dimensions over a million items of ten cells each: kappa and its interval by items for every
dimension, held in the same run against scikit-learn's plain `cohen_kappa_score` (a point, no interval) on the same
rows. The codes are int8, which is scikit-learn's best case. Held against it, too, is what one would write by hand:
scikit-learn's points, and a plain bootstrap of the rows with 2,000 replicates, of which 20 are run and their time
multiplied.
"""

import os
from time import perf_counter, process_time

import numpy as np
from sklearn.metrics import cohen_kappa_score

from judges.stats.agreement import cross_table, kappa
from judges.stats.intervals import Cells, bootstrap_kappa, interval_from_moments, kappa_interval
from tests.judges.moments import moments, with_sizes

ITEMS, K = int(os.environ.get("ITEMS", "1000000")), 5
REPLICATES, RUN = 2_000, 20
MOST, LEAST = 5.0, 20.0
"""Seconds that all points and intervals may take, and how many times faster than by hand they have to be."""
TURNS = (2, 2, 1, 1, 1, 1, 1, 1)  # cells of an item in each of the eight dimensions: ten in all


def cells(turns, rng):
    """One dimension: item index, human and judge codes as small as a database hands them over."""
    good, mood = rng.normal(size=(2, ITEMS, 1)).astype(np.float32)
    noise = rng.normal(size=(2, ITEMS, turns)).astype(np.float32)
    human = np.clip(np.rint(2 + good + 0.6 * noise[0]), 0, K - 1).astype(np.int8)
    judge = np.clip(np.rint(2 + good + 0.7 * mood + 0.6 * noise[1]), 0, K - 1).astype(np.int8)
    return np.repeat(np.arange(ITEMS, dtype=np.int32), turns), human.ravel(), judge.ravel()


def time_work(work, data):
    """Seconds that `work` takes over all dimensions, best of three on a machine that others use, and its results."""
    best = float("inf")
    for _ in range(3):
        start = perf_counter()
        results = [work(*dimension) for dimension in data]
        best = min(best, perf_counter() - start)
    return best, results


def by_hand(data, labels):
    """Seconds of scikit-learn's points and 2,000 replicates of a bootstrap of rows, told from RUN of them."""
    rng = np.random.default_rng(2)

    def points():
        for _, human, judge in data:
            cohen_kappa_score(human, judge, labels=labels, weights="quadratic")

    def replicates():
        for _ in range(RUN):
            for _, human, judge in data:
                chosen = rng.integers(0, len(human), len(human))
                cohen_kappa_score(human[chosen], judge[chosen], labels=labels, weights="quadratic")

    times = []
    for work in (points, replicates):
        start = process_time()
        work()
        times.append(process_time() - start)
    return times[0] + times[1] * REPLICATES / RUN


def main():
    rng = np.random.default_rng(1)
    data = [cells(turns, rng) for turns in TURNS]
    print(f"{sum(len(dimension[0]) for dimension in data):,} cells, {len(data)} dimensions, {ITEMS:,} items, K = {K}")
    labels = list(range(K))
    base, sklearn_points = time_work(lambda item, human, judge: cohen_kappa_score(human, judge, labels=labels), data)
    print(f"{'scikit-learn, plain kappa, point only':58} {base:7.2f} s   1.00")
    roads = {
        "plain kappa, point": lambda item, human, judge: kappa(cross_table(human, judge, K)),
        "quadratic kappa, point": lambda item, human, judge: kappa(cross_table(human, judge, K), "quadratic"),
        "plain kappa, point + interval by items": lambda *columns: kappa_interval(Cells(*columns), K, None),
        "quadratic kappa, point + interval by items": lambda *columns: kappa_interval(Cells(*columns), K),
        "the same by six sums and their products": lambda *columns: interval_from_moments(
            *with_sizes(*moments(*columns))
        ),
    }
    figures = {}
    for name, work in roads.items():
        seconds, figures[name] = time_work(work, data)
        print(f"{name:58} {seconds:7.2f} s {seconds / base:6.2f}")
    assert np.allclose(figures["plain kappa, point"], sklearn_points)
    assert np.allclose(
        [interval.point for interval in figures["plain kappa, point + interval by items"]], sklearn_points
    )
    two_roads = [[(interval.low, interval.high) for interval in figures[name]] for name in list(roads)[-2:]]
    assert np.allclose(*two_roads)
    small = [(item[: 2_999 * turns], *rest) for turns, (item, *rest) in zip(TURNS, data, strict=True)]
    small = [(item, human[: len(item)], judge[: len(item)]) for item, human, judge in small]
    seconds, _ = time_work(lambda *columns: bootstrap_kappa(Cells(*columns), K), small)
    print(f"{'bootstrap, 2,000 replicates of 2,999 items, 8 dimensions':58} {seconds:7.2f} s {seconds / base:6.2f}")
    start, cpu_start = perf_counter(), process_time()
    for dimension in data:
        kappa_interval(Cells(*dimension), K)
    ours, worked = perf_counter() - start, process_time() - cpu_start
    slow_seconds = by_hand(data, labels)
    print(f"{'quadratic kappa, point + interval, all dimensions':58} {ours:7.2f} s, {worked:.2f} s of processor time")
    print(f"{'scikit-learn, point + row bootstrap, told from 20 of 2,000':58} {slow_seconds:7.0f} s of processor time")
    print(f"{'times faster':58} {slow_seconds / worked:7.0f}")
    assert worked <= MOST, f"{worked:.1f} s of processor time for ten million cells; at most {MOST:.0f} s are allowed."
    assert slow_seconds / worked >= LEAST, (
        f"only {slow_seconds / worked:.0f} times faster than by hand; {LEAST:.0f} are asked."
    )


if __name__ == "__main__":
    main()
