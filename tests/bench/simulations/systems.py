"""The order of systems: how often the intervals of tau, of rho and of ranks contain the truth.

Every system answers the same questions. A question is hard for all of them, people and judge read an answer's quality
with noise of their own, and the judge likes some systems better than people do. The truth is the order of the means of
many more questions.
"""

from math import sqrt
from statistics import NormalDist

import numpy as np

from judges.stats.intervals import Cells
from judges.stats.system_order import order_systems
from tests.bench.simulations.row import at_least

RUNS, LARGE = 400, 200_000


def draw_answers(systems, questions, spread, liking, rng):
    """Question, system, people's and the judge's answer (0 to 4) of each answer; `liking` is the judge's own."""
    quality = np.linspace(-spread, spread, systems) + rng.normal(size=(questions, 1))
    quality = quality + rng.normal(size=(questions, systems))
    human = quality + 0.8 * rng.normal(size=quality.shape)
    judge = quality + liking + 0.8 * rng.normal(size=quality.shape)
    ends = [NormalDist(0, sqrt(2.64)).inv_cdf(p) for p in (0.2, 0.4, 0.6, 0.8)]
    question, system = (n.ravel() for n in np.indices(quality.shape))
    return question, system, np.searchsorted(ends, human.ravel()), np.searchsorted(ends, judge.ravel())


def order_of(answers, systems):
    """The order of systems in these answers, resampled by question."""
    question, system, human, judge = answers
    cells = Cells(np.arange(len(question)), human, judge)
    return order_systems(cells, system, [f"{n:02}" for n in range(systems)], question)


def rows(scale=1.0):
    """Coverage for few and many systems, near and far apart. Figures take few values, so many intervals are wide."""
    runs, rng = max(20, round(RUNS * scale)), np.random.default_rng(5)
    for systems, spread, odd in ((4, 0.6, 0.0), (4, 0.6, 0.6), (8, 0.6, 0.3), (8, 0.15, 0.3), (20, 0.6, 0.3)):
        liking = odd * np.random.default_rng(2).normal(size=systems)
        _, _, human, judge = draw_answers(systems, max(20_000, round(LARGE * scale)), spread, liking, rng)
        mean = [side.reshape(-1, systems).mean(axis=0) for side in (human, judge)]
        sign = [np.sign(np.subtract.outer(m, m))[np.triu_indices(systems, 1)] for m in mean]
        tau = float((sign[0] * sign[1]).mean())
        ranks = [systems - m.argsort().argsort() for m in mean]
        rho = float(np.corrcoef(*ranks)[0, 1])
        for questions in (40, 160):
            hits, points = np.zeros(3), []
            for _ in range(runs):
                order = order_of(draw_answers(systems, questions, spread, liking, rng), systems)
                points.append((order.kendall.point, order.spearman.point))
                for n, (interval, real) in enumerate(((order.kendall, tau), (order.spearman, rho))):
                    hits[n] += interval.low - 1e-9 <= real <= interval.high + 1e-9
                inside = [
                    interval.low <= ranks[side][int(system.name)] <= interval.high
                    for system in order.systems
                    for side, interval in enumerate((system.human_rank, system.judge_rank))
                ]
                hits[2] += np.mean(inside)
            name = f"{systems} systems, {'near' if spread < 0.3 else 'far'} apart, tau {tau:.2f}, {questions} questions"
            average = np.mean(points, axis=0)
            yield at_least(f"{name}: tau", 0.93, hits[0] / runs, runs, f"mean {average[0]:.2f}")
            yield at_least(f"{name}: rho {rho:.2f}", 0.93, hits[1] / runs, runs, f"mean {average[1]:.2f}")
            yield at_least(f"{name}: ranks", 0.93, hits[2] / runs, runs)
