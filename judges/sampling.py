"""Drawing a stratified random sample in several goes, with the inclusion probability of every stratum."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MOST_STRATA = 24
"""Strata per wave of items: beyond it the smallest groups are put together, so that a small sample reaches all."""
OTHERS = "all others"


@dataclass(frozen=True)
class Share:
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
class Drawn:
    """One drawn item, and its place in the random order of the draw.

    It is shown with the judge's scores (assisted) or without (blind); probability: that with which the items of its
    stratum are in that part of the sample so far.
    """

    item: str
    stratum: str
    probability: float
    assisted: bool
    place: int


def strata(items: Iterable[tuple[str, str, str, int]]) -> dict[str, str]:
    """item -> stratum, from (item, system a, system b, wave).

    A stratum is a system under test, or two of them in either order. The wave says how many draws there were before the
    item came in: items that could not be drawn from the beginning have another chance than those that could, so they
    are strata of their own. What falls into which stratum depends on nothing that changes from draw to draw.
    """
    named = [(item, " ~ ".join(sorted((a, b))) if b else a, wave) for item, a, b, wave in items]
    sizes = Counter((wave, name) for _, name, wave in named)
    many = {wave for wave, n in Counter(wave for wave, _ in sizes).items() if n > MOST_STRATA}
    kept: dict[int, set[str]] = defaultdict(set)
    for (wave, name), _ in sorted(sizes.items(), key=lambda s: (-s[1], s[0])):
        if wave not in many or len(kept[wave]) < MOST_STRATA - 1:
            kept[wave].add(name)
    later = {wave: f" (added later, {wave})" if wave else "" for wave in kept}
    return {item: (name if name in kept[wave] else OTHERS) + later[wave] for item, name, wave in named}


def plan(strata: Mapping[str, str], already: Mapping[str, bool], size: int, assisted_share: float) -> list[Share]:
    """How a draw of `size` further items falls on the strata, and what probabilities that gives; by stratum.

    strata: item -> stratum, the whole population; already: items drawn before -> whether assisted. The draw evens out
    the probabilities as far as it can. A stratum of which nothing is drawn yet gets at least one item, and every
    stratum at least one blind one, so that no probability is 0; a draw may be larger than `size` for that.
    """
    total = Counter(strata.values())
    before = Counter(strata[i] for i in already if i in strata)
    shown = Counter(strata[i] for i, assisted in already.items() if assisted and i in strata)
    aim = min(size + sum(before.values()), sum(total.values())) / max(sum(total.values()), 1)
    wanted = {h: max(aim * n - before[h], 0.0) for h, n in total.items()}
    first = {h: int(not before[h]) for h in total}
    now = _allocate(wanted, first, {h: n - before[h] for h, n in total.items()}, size)
    assisted = _allocate(
        {h: max(assisted_share * (before[h] + now[h]) - shown[h], 0.0) for h in total},
        dict.fromkeys(total, 0),
        {h: max(now[h] - (0 if before[h] > shown[h] else 1), 0) for h in total},
        round(sum(now.values()) * assisted_share),
    )
    return [
        Share(
            h, total[h], before[h], now[h], assisted[h],
            (before[h] - shown[h] + now[h] - assisted[h]) / total[h], (shown[h] + assisted[h]) / total[h],
        )
        for h in sorted(total)
    ]  # fmt: skip


def draw(
    strata: Mapping[str, str], already: Mapping[str, bool], size: int, assisted_share: float, seed: int
) -> list[Drawn]:
    """A stratified simple random sample of `size` further items, allocated as `plan` says, in random order.

    Successive simple random samples from a stratum are together one simple random sample, and so is the part of it that
    is shown in one way, so the inclusion probability in a part is pi_h = n_h / N_h, with n_h counting all draws so far.
    """
    rng = random.Random(seed)
    left: dict[str, list[str]] = defaultdict(list)
    for item, stratum in sorted(strata.items()):
        if item not in already:
            left[stratum].append(item)
    drawn: list[Drawn] = []
    for share in plan(strata, already, size, assisted_share):
        for n, item in enumerate(rng.sample(left[share.stratum], share.now)):
            seen = n < share.now_assisted
            drawn.append(Drawn(item, share.stratum, share.assisted if seen else share.blind, seen, 0))
    rng.shuffle(drawn)
    return [Drawn(d.item, d.stratum, d.probability, d.assisted, place) for place, d in enumerate(drawn)]


def _allocate(
    wanted: Mapping[str, float], least: Mapping[str, int], most: Mapping[str, int], total: int
) -> dict[str, int]:
    """`total` in whole numbers, in proportion to what is wanted (largest remainders), within least and most of each."""
    everything = sum(wanted.values())
    exact = {h: total * w / everything if everything else 0.0 for h, w in wanted.items()}
    counts = {h: min(max(int(x), least[h]), most[h]) for h, x in exact.items()}
    while sum(counts.values()) < total and (room := [h for h in counts if counts[h] < most[h]]):
        counts[min(room, key=lambda h: (counts[h] - exact[h], h))] += 1
    while sum(counts.values()) > total and (over := [h for h in counts if counts[h] > least[h]]):
        counts[max(over, key=lambda h: (counts[h] - exact[h], h))] -= 1
    return counts
