"""The gain from several samples of a judge: agreement of one sample, of all combined, and how often they flip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judges.plural import many
from judges.stats.agreement import Floats
from judges.stats.bins import code_count, to_codes
from judges.stats.clustered import share_from_counts
from judges.stats.intervals import Cells, kappa_influences, kappa_interval
from judges.stats.strata import error_of_influences
from judges.stats.uncertainty import Interval, symmetric_interval
from judges.types import Scale

FLAKY_SHARE = 0.25
"""Above this share of cells in which the samples are not all alike a dimension is called flaky."""
_SINGLE_SAMPLE_SHARE = 0.5
"""A sample counts by itself where such a share of the cells have it: what was asked again here and there does not."""


@dataclass(frozen=True)
class SampledCells:
    """Cells with gold and what each sample said there.

    They have one row each: item, people's code, what stands for the judge, weight, and what each sample said,
    (cells, samples), nan where it is n/a or was not asked. Codes as the scale has them.
    """

    item: NDArray[np.int64]
    human: Floats
    judge: Floats
    weight: Floats
    samples: Floats


@dataclass(frozen=True)
class SelfConsistency:
    """The gain from several samples, and how often answers flip.

    `singles`: kappa of every sample alone, and `single` their mean (None: one of them is undefined); `together`: of
    all samples as one answer; `gain`: together - single, with its interval by items. `flips`: the share of cells in
    which not all samples say the same, n/a being an answer too.
    """

    samples: int
    singles: tuple[float | None, ...]
    single: float | None
    together: Interval
    gain: Interval
    flips: Interval

    @property
    def flaky(self) -> bool:
        """Whether more than FLAKY_SHARE of the cells flip, the interval's lower end too."""
        return self.flips.low is not None and self.flips.low > FLAKY_SHARE


def measure_self_consistency(table: SampledCells, flips: tuple[Floats, Floats], scale: Scale) -> SelfConsistency:
    """The gain from several samples, computed from the cells.

    `flips` are, for every item that has cells with several samples, how many of them flip, and how many there are,
    with gold or without.

        gain = kappa(together) - mean_s kappa(sample s),  se^2 = G / (G - 1) sum_g (u_g - mean_s u_gs)^2

    with u the influences of an item's cells on each kappa (`kappa_influences`): items are independent, the samples of
    one item are not.
    """
    has_gold = ~np.isnan(table.human)
    item = np.unique(table.item[has_gold], return_inverse=True)[1] if has_gold.any() else table.item[has_gold]
    shares = [np.mean(~np.isnan(table.samples[has_gold, n])) for n in range(table.samples.shape[1])]
    enough = [n for n, share in enumerate(shares) if share >= _SINGLE_SAMPLE_SHARE]

    def cells(judge: Floats) -> Cells:
        known = ~np.isnan(judge)
        human = to_codes(table.human[has_gold][known], scale)
        return Cells(item[known], human, to_codes(judge[known], scale), table.weight[has_gold][known])

    k, weights, items = code_count(scale), scale.weights, int(item.max(initial=-1)) + 1
    combined = cells(table.judge[has_gold])
    together = kappa_interval(combined, k, weights)
    point, slope = kappa_influences(combined, k, weights)
    moved: Floats = np.bincount(np.asarray(combined.item), slope, minlength=items).astype(np.float64)
    singles: list[float | None] = []
    for n in enough:
        sample = cells(table.samples[has_gold, n])
        kappa, slope = kappa_influences(sample, k, weights)
        singles.append(kappa)
        moved = moved - np.bincount(np.asarray(sample.item), slope, minlength=items) / len(enough)
    known = [kappa for kappa in singles if kappa is not None]
    single = float(np.mean(known)) if known and len(known) == len(singles) else None
    gap = None if single is None or point is None else point - single
    gain = symmetric_interval(gap, error_of_influences(moved), items, together.cells, float(items), "linearised")
    return SelfConsistency(table.samples.shape[1], tuple(singles), single, together, gain, share_from_counts(*flips))


def explain(consistency: SelfConsistency) -> list[str]:
    """The figures in sentences."""
    sentences = []
    flips = consistency.flips
    if consistency.single is not None and consistency.together.point is not None:
        spread = [kappa for kappa in consistency.singles if kappa is not None]
        gained = f"the gain of further samples is {consistency.gain.point or 0:+z.2f}"
        sentences.append(
            f"Kappa of a single sample is {consistency.single:z.2f} on average ({min(spread):z.2f} to "
            f"{max(spread):z.2f}), of all {consistency.samples} combined {consistency.together.point:z.2f}: "
            f"{gained}{consistency.gain.in_brackets('+z.2f')}."
        )
    elif consistency.together.cells:
        sentences.append("Kappa of a single sample is undefined here, so the gain of further samples is unknown.")
    if flips.point is not None:
        ends = flips.in_brackets(".0%")
        sentences.append(f"Samples disagree in {flips.point:.0%} of {many(flips.cells, 'rating')}{ends}.")
    if consistency.flaky:
        sentences.append(
            f"Flaky: that is above {FLAKY_SHARE:.0%}, so a single answer of this judge is unreliable here; make the "
            "question clearer, lower the temperature, or take more samples."
        )
    return sentences
