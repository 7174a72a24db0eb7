"""Even shares: items over people, each item to several of them, by their weights; the same seed gives the same."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set
from heapq import heapify, heappop, heappush


def fair_quotas(seats: int, weights: Mapping[str, float], max_each: int) -> dict[str, int]:
    """Divide seats in proportion to the weights, at most `max_each` each, by the largest-remainder method.

    With equal weights the numbers differ by at most one; a person with weight 0 gets none. Seats that nobody can take,
    because all have `max_each`, are left over.
    """
    quotas = dict.fromkeys(weights, 0)
    open_, left = {name for name, weight in weights.items() if weight > 0}, seats
    while open_:
        total = sum(weights[name] for name in open_)
        capped = {name for name in open_ if left * weights[name] / total >= max_each}
        if not capped:
            exact = {name: left * weights[name] / total for name in open_}
            quotas |= {name: int(part) for name, part in exact.items()}
            rest = left - sum(quotas[name] for name in open_)
            by_rest = sorted(exact, key=lambda name: (int(exact[name]) - exact[name], -weights[name], name))
            for name in by_rest[:rest]:
                quotas[name] += 1
            return quotas
        quotas |= dict.fromkeys(capped, max_each)
        left -= max_each * len(capped)
        open_ -= capped
    return quotas


def spread_items(
    needs: Mapping[str, int], weights: Mapping[str, float], barred: Mapping[str, Set[str]], seed: int
) -> dict[str, list[str]]:
    """Return person -> items: each item goes to as many different people as it needs, none of them barred from it.

    Who gets which item is drawn at random. If somebody is barred from items, shares are as even as that allows. An item
    that too few people may have goes to those who may.
    """
    rng = random.Random(seed)
    able = {name: weight for name, weight in weights.items() if weight > 0}
    quotas = fair_quotas(sum(min(n, len(able)) for n in needs.values()), able, sum(n > 0 for n in needs.values()))
    shares: dict[str, dict[str, None]] = {name: {} for name in weights}
    order = sorted(item for item, n in needs.items() if n > 0)
    rng.shuffle(order)
    nobody: Set[str] = frozenset()
    order.sort(key=lambda item: len(able) - len(barred.get(item, nobody)) - needs[item])  # the least choice first
    line = [(-quotas[name], rng.random(), name) for name in able]  # whoever lacks most comes next
    heapify(line)
    for item in order:
        passed, lacks = [], needs[item]
        while line and lacks:
            has, _, name = heappop(line)
            if name not in barred.get(item, nobody):
                shares[name][item] = None
                has, lacks = has + 1, lacks - 1
            passed.append((has, rng.random(), name))
        for entry in passed:
            heappush(line, entry)
    _even_out(shares, quotas, barred)
    place = {item: number for number, item in enumerate(needs)}
    return {name: sorted(items, key=place.__getitem__) for name, items in shares.items()}


def _even_out(
    shares: Mapping[str, dict[str, None]], quotas: Mapping[str, int], barred: Mapping[str, Set[str]]
) -> None:
    """Move items from people above their quota to people below it, through others if need be."""
    over = {name: len(shares[name]) - quota for name, quota in quotas.items()}
    while lacking := [name for name, n in over.items() if n < 0]:
        chain = _shortest_chain(shares, [name for name, n in over.items() if n > 0], lacking, barred)
        if not chain:
            return
        for giver, taker, item in chain:
            del shares[giver][item]
            shares[taker][item] = None
        over[chain[0][0]] -= 1
        over[chain[-1][1]] += 1


def _shortest_chain(
    shares: Mapping[str, dict[str, None]], givers: Sequence[str], takers: Sequence[str], barred: Mapping[str, Set[str]]
) -> list[tuple[str, str, str]]:
    """The shortest chain (from, to, item) from one of the givers to one of the takers; [] where there is none."""
    came: dict[str, tuple[str, str] | None] = dict.fromkeys(givers)
    looked = list(givers)
    for giver in looked:
        for taker in shares:
            if taker in came:
                continue
            item = next((i for i in shares[giver] if i not in shares[taker] and taker not in barred.get(i, ())), None)
            if item is None:
                continue
            came[taker] = giver, item
            if taker in takers:
                chain, step = [], came[taker]
                while step is not None:
                    chain.append((step[0], taker, step[1]))
                    taker = step[0]
                    step = came[taker]
                return chain[::-1]
            looked.append(taker)
    return []
