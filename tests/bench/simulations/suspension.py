"""How often a good judge is suspended by luck, and how soon a bad one by right; each further item is looked at.

An approval is given by the policy at the first number of items, from 100 on, at which the gate passes; judges that it
does not pass by 200 items are drawn anew. Then items come one by one, and are looked at every `STEP` of them.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from judges.stats import approval_check, drift
from judges.stats.approval_check import CheckPolicy
from judges.stats.drift import FrozenEvidence, GoldAgreement
from judges.stats.intervals import interval_from_moments
from tests.bench.simulations.row import Row, at_least, at_most, figure_row
from tests.bench.simulations.worlds import LOPSIDED, ORDINARY, SKEWED, World, simulate_cells, world_of
from tests.judges.moments import moments

STEP = 4
POLICY = CheckPolicy()
SHARES = {"even answers": ORDINARY, "70 % one answer": SKEWED, "85 % one answer": LOPSIDED}


class Cells(NamedTuple):
    """Cells of items 0, 1, ... in the order in which they were labelled."""

    item: np.ndarray
    human: np.ndarray
    judge: np.ndarray

    def part(self, first: int, last: int) -> "Cells":
        """Those of items first to last - 1."""
        keep = slice(*np.searchsorted(self.item, [first, last]))
        return Cells(self.item[keep] - first, self.human[keep], self.judge[keep])

    def after(self, others: "Cells", items: int) -> "Cells":
        """Those of so many `others`, then these."""
        both = (others.item, self.item + items), (others.human, self.human), (others.judge, self.judge)
        return Cells(*(np.concatenate(pair) for pair in both))


def gold(cells: Cells) -> GoldAgreement:
    """Kappa with its linearised error, which thousands of looks can afford, and the share of the commonest answer."""
    total, cross, items = moments(cells.item, cells.human, cells.judge)
    counts = np.bincount(cells.human, minlength=5) + np.bincount(cells.judge, minlength=5)
    interval = interval_from_moments(total, cross, items, len(cells.item), items)
    return GoldAgreement(interval, counts.max() / counts.sum())


def approved_gold(world: World, items: int, most: int, rng: np.random.Generator) -> tuple[Cells, int]:
    """Gold that the gate passes at some number of items from `items` to `most`, and that number."""
    while True:
        cells = Cells(*simulate_cells(world, most, rng))
        for size in range(items, most + 1, STEP):
            if approval_check.check_dimension(gold(cells.part(0, size)).kappa, POLICY).state == "meets policy":
                return cells.part(0, size), size
            if size == most:
                break


def course(before: Cells, size: int, after: Cells, further: int) -> Iterator[tuple[int, drift.DriftFinding]]:
    """What is found after each `STEP` further items, the approval resting on the first."""
    first = gold(before).kappa
    then = FrozenEvidence(first.point, first.se, first.items, first.n_eff)
    whole = after.after(before, size)
    for new in range(STEP, further + 1, STEP):
        latest = gold(after.part(new - drift.LATEST_ITEMS, new)) if new > drift.LATEST_ITEMS else None
        yield new, drift.assess_drift(then, gold(whole.part(0, size + new)), gold(after.part(0, new)), latest, POLICY)


class JudgeCourse(NamedTuple):
    """What came of one judge.

    That is: further items until it was suspended (None: never), whether a lead ever was to look at it, and whether it
    was ever said to have changed.
    """

    suspended: int | None
    looked: bool
    changed: bool


def run_judge(before: Cells, size: int, after: Cells, further: int) -> JudgeCourse:
    """One judge, looked at until it is suspended."""
    looked = changed = False
    for new, finding in course(before, size, after, further):
        looked |= finding.state != "holds"
        changed |= bool({"up", "down"} & set(finding.reasons))
        if finding.state == "suspended":
            return JudgeCourse(new, looked, changed)
    return JudgeCourse(None, looked, changed)


def simulate_steady(
    world: World, further: int, runs: int, seed: int, items: int = 100, most: int = 200
) -> list[JudgeCourse]:
    """Judges that stay as they were approved."""
    rng, outcomes = np.random.default_rng(seed), []
    for _ in range(runs):
        before, size = approved_gold(world, items, most, rng)
        outcomes.append(run_judge(before, size, Cells(*simulate_cells(world, further, rng)), further))
    return outcomes


def simulate_fall(
    good: World, bad: World, items: int, still: int, further: int, runs: int, seed: int
) -> list[JudgeCourse]:
    """Judges approved at so many items that go on as they were for `still` items, and then fall."""
    rng, outcomes = np.random.default_rng(seed), []
    for _ in range(runs):
        before, size = approved_gold(good, items, 2 * items, rng)
        after = Cells(*simulate_cells(bad, further, rng))
        if still:
            after = after.after(Cells(*simulate_cells(good, still, rng)), still)
        outcome = run_judge(before, size, after, still + further)
        outcomes.append(outcome._replace(suspended=None if outcome.suspended is None else outcome.suspended - still))
    return outcomes


def rows(scale: float = 1.0) -> Iterator[Row]:
    """Suspensions by luck and by right, in even and skewed worlds of one, three and ten turns."""
    runs, fewer = (max(4, round(scale * n)) for n in (400, 60))
    for turns in (1, 3, 10):
        for name, shares in SHARES.items():
            where = f"{turns} turn{'s' if turns > 1 else ''}, {name}"
            good, fair, bad = (world_of(kappa, turns, shares) for kappa in (0.75, 0.6, 0.3))
            steady_outcomes = simulate_steady(fair, 100, runs, turns)
            looked, changed = (
                100 * np.mean([getattr(outcome, field) for outcome in steady_outcomes])
                for field in ("looked", "changed")
            )
            yield at_most(
                f".60 stays, {where}: suspended within 100 items", 0.02, _share(steady_outcomes, 100), runs,
                f"to be looked at {looked:.0f} %, said to have changed {changed:.1f} %",
            )  # fmt: skip
            for items, still in ((100, 0), (300, 0), (1_000, 0), (100, 300)):
                fallen_outcomes = simulate_fall(good, bad, items, still, 150, fewer, turns)
                before = f"after {items:,} items" + (f" and {still} good new ones" if still else "")
                title = f".75 falls to .30 {before}, {where}: found within 150"
                # Where 85 % of answers are one, 150 items hold too few others to tell .30 from .50: nothing is asked.
                share = _share(fallen_outcomes, 150)
                if shares is LOPSIDED and turns == 1:
                    yield figure_row(title, f"{100 * share:.0f} % ({_median(fallen_outcomes)})")
                else:
                    yield at_least(title, 0.5, share, fewer, _median(fallen_outcomes))
    stays = simulate_steady(world_of(0.6, 1, ORDINARY), 1_000, fewer, 5)
    figure = f"{100 * _share(stays, 1_000):.0f} %"
    yield figure_row(".60 stays, 1 turn, even answers: suspended within 1,000 items", figure)


def _share(outcomes: list[JudgeCourse], within: int) -> float:
    return float(np.mean([outcome.suspended is not None and outcome.suspended <= within for outcome in outcomes]))


def _median(outcomes: list[JudgeCourse]) -> str:
    middle = np.median([np.inf if outcome.suspended is None else outcome.suspended for outcome in outcomes])
    return f"median {middle:.0f}" if np.isfinite(middle) else "median beyond"
