"""Draw a stratified random sample in several steps, with the inclusion probability of every stratum."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal, get_args

import numpy as np

from judges.errors import BadStrata

MAX_STRATA = 24
"""Strata per wave of items: beyond it the smallest groups are put together, so that a small sample reaches all."""
MAX_BANDS = 6
"""Bands that a figure with many values is cut into."""
_MAX_DIGITS = 16
OTHER_STRATUM = "all others"
MIN_STRATUM_ITEMS = 2
"""Blind items of a stratum, where the sample is large enough for it: one alone has no variance."""
MIN_SPREAD = 0.25
"""A stratum counts for Neyman's allocation at least this part of the average spread: few labels prove no certainty."""
By = Literal["system", "score", "confidence", "language", "meta"]
Allocation = Literal["proportional", "root", "neyman"]
ALLOCATIONS: dict[Allocation, str] = {"proportional": "proportional", "root": "square root", "neyman": "Neyman"}


@dataclass(frozen=True)
class SampleDesign:
    """The strata of the items of a draw, and the allocation of a sample to the strata.

    `of` is the dimension ("turn.helpfulness") for `score`, where "" is the lowest score over all ordered dimensions,
    and the field for `meta`. `judge` is the id of the judge whose scores or confidence divide the items, and whose
    agreement on the dimension `about` Neyman's allocation is best for. Raises BadStrata for an impossible design.
    """

    by: By = "system"
    of: str = ""
    judge: str = ""
    allocation: Allocation = "proportional"
    about: str = ""

    def __post_init__(self) -> None:
        if self.by not in get_args(By) or self.allocation not in ALLOCATIONS:
            raise BadStrata(
                f"There are no strata by {self.by!r} with allocation {self.allocation!r}. There are: "
                f"{', '.join(get_args(By))}; {', '.join(ALLOCATIONS)}."
            )
        if self.by in ("score", "confidence") and not self.judge:
            raise BadStrata(f"Strata by {self.by} need a judge: say whose {self.by} it is.")
        if self.by == "meta" and not self.of:
            raise BadStrata("Strata by a field of the items' meta need the name of the field.")
        if self.allocation == "neyman" and not (self.judge and self.about):
            raise BadStrata("Neyman's allocation needs a judge and the dimension that it is to be best for.")


@dataclass(frozen=True)
class StratumShare:
    """One stratum's part in a draw: its items in all, how many were drawn before, and now, and how they are shown.

    `blind` and `assisted` are the probabilities with which an item of the stratum is in that part of the sample after
    the draw: n / N with n counting all draws so far. They add up to that of being in the sample at all.
    """

    stratum: str
    items: int
    before: int
    now: int
    now_assisted: int
    blind: float
    assisted: float


@dataclass(frozen=True)
class DrawnItem:
    """One drawn item, and its place in the random order of the draw.

    It is shown with the judge's scores (assisted) or without (blind); probability: that with which the items of its
    stratum are in that part of the sample so far.
    """

    item: str
    stratum: str
    probability: float
    assisted: bool
    place: int


def system_pair(a: str, b: str) -> str:
    """The system under test, or two of them in either order, as a stratum."""
    return " ~ ".join(sorted((a, b))) if b else a


def assign_strata(items: Iterable[tuple[str, str, int]]) -> dict[str, str]:
    """item -> stratum, from (item, what it is parted by, wave).

    The wave is the number of draws before the item was added. Items added later have another inclusion probability, so
    they form separate strata. The stratum of an item depends on nothing that changes from draw to draw.
    """
    rows = list(items)
    sizes = Counter((wave, name) for _, name, wave in rows)
    many = {wave for wave, n in Counter(wave for wave, _ in sizes).items() if n > MAX_STRATA}
    names_by_wave: dict[int, set[str]] = defaultdict(set)
    for (wave, name), _ in sorted(sizes.items(), key=lambda s: (-s[1], s[0])):
        if wave not in many or len(names_by_wave[wave]) < MAX_STRATA - 1:
            names_by_wave[wave].add(name)
    later = {wave: f" (added later, {wave})" if wave else "" for wave in names_by_wave}
    return {item: (name if name in names_by_wave[wave] else OTHER_STRATUM) + later[wave] for item, name, wave in rows}


def assign_bands(figures: Mapping[str, float | None], noun: str, max_bands: int = MAX_BANDS) -> dict[str, str]:
    """item -> the band that its figure falls into, in words: "lowest score 1", "confidence 0.60 to 0.80".

    Up to `max_bands` distinct values are a band each. More values are cut at their quantiles into at most so many
    bands; equal values stay together. Figures have two decimals, or as many as needed to distinguish the bands. Items
    without a figure form a separate band, "no ..." of `noun`.
    """
    known = np.array([f for f in figures.values() if f is not None], dtype=np.float64)
    values = np.unique(known)
    cuts = values
    if len(values) > max_bands:
        cuts = np.unique(np.quantile(known, np.arange(max_bands) / max_bands, method="lower"))
    last = [*(values[values < cut].max() for cut in cuts[1:]), values[-1]] if len(values) else []
    ends = list[tuple[str, str]]()
    for digits in range(0 if all(float(v).is_integer() for v in values) else 2, _MAX_DIGITS):
        ends = [(f"{low:.{digits}f}", f"{high:.{digits}f}") for low, high in zip(cuts, last, strict=True)]
        if len(set(ends)) == len(ends):
            break
    names = [f"{noun} {low}" if low == high else f"{noun} {low} to {high}" for low, high in ends]
    return {
        item: f"no {noun}" if f is None else names[int(np.searchsorted(cuts, f, side="right")) - 1]
        for item, f in figures.items()
    }


def allocation_weights(
    sizes: Mapping[str, int], allocation: Allocation, spreads: Mapping[str, float] | None = None
) -> dict[str, float]:
    """In proportion to what a sample is allocated to strata of N_h items: N_h, sqrt(N_h), or N_h S_h (Neyman).

    `spreads` are the S_h; a stratum whose spread is not known, or next to nothing, counts with `MIN_SPREAD` of the
    average one. Source: Neyman 1934; Bankier 1988 (power allocations).
    """
    if allocation == "proportional":
        return {h: float(n) for h, n in sizes.items()}
    if allocation == "root":
        return {h: sqrt(n) for h, n in sizes.items()}
    known = {h: s for h, s in (spreads or {}).items() if h in sizes}
    average = sum(sizes[h] * s for h, s in known.items()) / max(1, sum(sizes[h] for h in known))
    if average <= 0:
        return allocation_weights(sizes, "root")
    return {h: n * max(known.get(h, 0.0), MIN_SPREAD * average) for h, n in sizes.items()}


def plan_draw(
    strata: Mapping[str, str],
    already: Mapping[str, bool],
    size: int,
    assisted_share: float,
    worth: Mapping[str, float] | None = None,
) -> list[StratumShare]:
    """Return each stratum's share of a draw of `size` further items, with its probabilities; sorted by stratum.

    strata: item -> stratum, the whole population; already: items drawn before -> whether assisted. All draws together
    come as near as they can to an allocation by `worth` (default: proportional). Every stratum gets `MIN_STRATUM_ITEMS`
    blind items if `size` is large enough for that. It always gets one, so that no probability is 0. For that one, a
    draw may be larger than `size`.
    """
    total = Counter(strata.values())
    before = Counter(strata[i] for i in already if i in strata)
    shown = Counter(strata[i] for i, assisted in already.items() if assisted and i in strata)
    blind = {h: before[h] - shown[h] for h in total}
    aim = allocate(worth or allocation_weights(total, "proportional"), total, size + sum(before.values()))
    left = {h: n - before[h] for h, n in total.items()}
    pair, single = ({h: min(max(least - blind[h], 0), left[h]) for h in total} for least in (MIN_STRATUM_ITEMS, 1))
    first = pair if sum(pair.values()) <= size else single
    now = _allocate({h: max(aim[h] - before[h], 0.0) for h in total}, first, left, size)
    assisted = _allocate(
        {h: max(assisted_share * (before[h] + now[h]) - shown[h], 0.0) for h in total},
        dict.fromkeys(total, 0),
        {h: max(now[h] - first[h], 0) for h in total},
        round(sum(now.values()) * assisted_share),
    )
    return [
        StratumShare(
            h, total[h], before[h], now[h], assisted[h],
            (blind[h] + now[h] - assisted[h]) / total[h], (shown[h] + assisted[h]) / total[h],
        )
        for h in sorted(total)
    ]  # fmt: skip


def allocate(worth: Mapping[str, float], capacity: Mapping[str, int], total: int) -> dict[str, float]:
    """`total` items in proportion to worth, not in whole numbers; what a stratum cannot take goes to the others."""
    full: set[str] = set()
    while True:
        rest = total - sum(capacity[h] for h in full)
        open_ = sum(worth[h] for h in capacity if h not in full)
        aim = {h: float(n) if h in full or not open_ else rest * worth[h] / open_ for h, n in capacity.items()}
        over = {h for h in capacity if h not in full and aim[h] > capacity[h]}
        if not over:
            return aim
        full |= over


def draw_sample(
    strata: Mapping[str, str],
    already: Mapping[str, bool],
    size: int,
    assisted_share: float,
    seed: int,
    worth: Mapping[str, float] | None = None,
) -> list[DrawnItem]:
    """A stratified simple random sample of `size` further items, allocated as `plan_draw` says, in random order.

    Successive simple random samples from a stratum are together one simple random sample, and so is the part of it that
    is shown in one way, so the inclusion probability in a part is pi_h = n_h / N_h, with n_h counting all draws so far.
    """
    rng = random.Random(seed)
    left: dict[str, list[str]] = defaultdict(list)
    for item, stratum in sorted(strata.items()):
        if item not in already:
            left[stratum].append(item)
    drawn: list[DrawnItem] = []
    for share in plan_draw(strata, already, size, assisted_share, worth):
        for n, item in enumerate(rng.sample(left[share.stratum], share.now)):
            seen = n < share.now_assisted
            drawn.append(DrawnItem(item, share.stratum, share.assisted if seen else share.blind, seen, 0))
    rng.shuffle(drawn)
    return [DrawnItem(d.item, d.stratum, d.probability, d.assisted, place) for place, d in enumerate(drawn)]


def _allocate(
    targets: Mapping[str, float], least: Mapping[str, int], capacity: Mapping[str, int], total: int
) -> dict[str, int]:
    """`total` in whole numbers, in proportion to what is wanted (largest remainders), within least and most of each."""
    everything = sum(targets.values())
    exact = {h: total * w / everything if everything else 0.0 for h, w in targets.items()}
    counts = {h: min(max(int(x), least[h]), capacity[h]) for h, x in exact.items()}
    while sum(counts.values()) < total and (room := [h for h in counts if counts[h] < capacity[h]]):
        counts[min(room, key=lambda h: (counts[h] - exact[h], h))] += 1
    while sum(counts.values()) > total and (over := [h for h in counts if counts[h] > least[h]]):
        counts[max(over, key=lambda h: (counts[h] - exact[h], h))] -= 1
    return counts
