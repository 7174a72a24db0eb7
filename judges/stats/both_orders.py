"""Positional agreement: whether a judge says the same of a pair when the places of its responses are swapped."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from judges.plural import many
from judges.stats import intervals
from judges.stats.clustered import share_by_item
from judges.stats.uncertainty import MIN_CLUSTERS, Interval, why_no_interval

_Key = TypeVar("_Key", bound=Hashable)
OrderedVerdicts = tuple[Hashable, str, str]
"""A pair (its item), and the verdict as A/B and as B/A, both in the item's own A and B."""


@dataclass(frozen=True)
class PositionalAgreement:
    """`same`: share of pairs whose verdict is the same in both orders; `kappa`: plain kappa between the orders.

    `first`: share of the decided verdicts, of both orders, that the response in the first place won. All by item.
    `table` counts verdicts as A/B (rows) by verdicts as B/A, both in `answers`.
    """

    same: Interval
    kappa: Interval
    first: Interval
    answers: tuple[str, ...]
    table: NDArray[np.int64]


def positional_agreement(verdicts: Sequence[OrderedVerdicts], answers: Sequence[str]) -> PositionalAgreement:
    """The positional agreement of verdicts in both orders; `answers` are those of the scale.

    Several samples of a pair are cells of one item. Verdicts that are no answer of the scale (n/a) are one more answer:
    to say it in one order only is to say something else. Shares: Wilson's interval, by item; kappa: that of
    `intervals.kappa_interval`. Every figure of no pairs is None.
    """
    more = dict.fromkeys(word for _, *orders in verdicts for word in orders if word not in answers)
    words = (*answers, *more)
    numbers: dict[Hashable, int] = {}
    item = np.array([numbers.setdefault(key, len(numbers)) for key, _, _ in verdicts], dtype=np.int64)
    ab, ba = (np.array([words.index(verdict[n]) for verdict in verdicts], dtype=np.int64) for n in (1, 2))
    table = np.zeros((len(words), len(words)), dtype=np.int64)
    np.add.at(table, (ab, ba), 1)
    won = [(n, word == first) for n, (_, *orders) in zip(item, verdicts, strict=True)
           for word, first in zip(orders, ("a", "b"), strict=True) if word in ("a", "b")]  # fmt: skip
    return PositionalAgreement(
        share_by_item(ab == ba, item),
        intervals.kappa_interval(intervals.Cells(item, ab, ba), len(words), None) if verdicts else _NO_INTERVAL,
        share_by_item([hit for _, hit in won], [n for n, _ in won]),
        words,
        table,
    )


_NO_INTERVAL = Interval.point_only(0, 0, 0.0, "none")


def explain(agreement: PositionalAgreement) -> list[str]:
    """The figures in sentences."""
    same, first = agreement.same, agreement.first
    if same.point is None:
        return []
    of = many(same.cells, "pair") + same.in_brackets(".1%")
    sentences = [f"With the order swapped the verdict stays the same in {same.point:.1%} of {of}."]
    if agreement.kappa.point is not None:
        ends = agreement.kappa.in_brackets("z.2f")
        sentences.append(f"Kappa between the two orders is {agreement.kappa.point:z.2f}{ends}.")
    if why := why_no_interval(agreement.kappa, "both orders"):
        sentences.append(why)
    if first.point is not None:
        sentences.append(
            f"The first position wins {first.point:.1%} of {many(first.cells, 'verdict')} with a winner"
            f"{first.in_brackets('.1%')}."
        )
    if same.items < MIN_CLUSTERS:
        sentences.append(f"Fewer than {MIN_CLUSTERS} pairs: no conclusion.")
    return sentences


def as_json(agreement: PositionalAgreement) -> dict[str, Any]:
    """The figures as JSON has them, every digit."""

    def of(interval: Interval) -> dict[str, Any]:
        return {
            "point": interval.point, "low": interval.low, "high": interval.high, "items": interval.items,
            "cells": interval.cells,
        }  # fmt: skip

    figures = {"same": of(agreement.same), "kappa": of(agreement.kappa), "first_place": of(agreement.first)}
    return {**figures, "answers": list(agreement.answers), "table": agreement.table.tolist()}


def verdicts_in_both_orders(facts: Iterable[tuple[_Key, object]]) -> list[tuple[_Key, str, str]]:
    """The verdicts of those that were judged in both orders, of (item, `Reading.facts["orders"]`)."""
    verdicts = []
    for key, orders in facts:
        if isinstance(orders, dict) and isinstance(orders.get("ab"), str) and isinstance(orders.get("ba"), str):
            verdicts.append((key, orders["ab"], orders["ba"]))
    return verdicts
