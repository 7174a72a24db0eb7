"""Replies to a pair that come one order at a time, as in files: which two form one judgment, and its raw text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judges.protocols.call_plan import pack_replies, unpack_replies
from judges.protocols.orders import ORDERS, Order
from judges.types import UnscoredReason

OrderReply = tuple[str, UnscoredReason | None, str]
"""The reply to one order: its raw text, and why there is no score where the endpoint said so, with the words."""


@dataclass
class OrderMatcher:
    """The replies whose other order has not come yet. Lines of the two orders may be in any place.

    If a pair has several replies, the first as A/B belongs to the first as B/A, the second to the second, and so on.
    Replies that name their sample belong to the reply of the same sample.
    """

    waiting: dict[Hashable, dict[Order, list[tuple[int | None, int]]]] = field(default_factory=dict)
    marks: dict[tuple[Hashable, Order], set[tuple[int | None, int]]] = field(default_factory=lambda: defaultdict(set))

    def meet(self, about: Hashable, order: Order, sample: int | None, half: OrderReply, number: int) -> int | None:
        """The number under which the other order of this reply waits; -1 if the same reply came before; or None.

        None means that this reply now waits, under its own `number`. `about` says what is judged, and by whom.
        """
        mark = (sample, hash(half))
        if mark in self.marks[about, order]:
            return -1
        self.marks[about, order].add(mark)
        sides = self.waiting.setdefault(about, {"ab": [], "ba": []})
        others = sides["ba" if order == "ab" else "ab"]
        mate = next((other for other in others if other[0] == sample), None)
        if mate is None:
            sides[order].append((sample, number))
            return None
        others.remove(mate)
        if not sides["ab"] and not sides["ba"]:
            del self.waiting[about]
        return mate[1]

    @property
    def left(self) -> list[int]:
        """The numbers of those that still wait, in their order."""
        return sorted(number for sides in self.waiting.values() for side in sides.values() for _, number in side)


def pack_orders(halves: Mapping[Order, OrderReply]) -> str:
    """The raw text of one judgment of these orders, as our own runs keep it."""
    return pack_replies((f"order:{order}", *halves[order]) for order in ORDERS if order in halves)


def unpack_orders(raw: str) -> dict[Order, OrderReply]:
    """The reply to each whole order that a stored raw text holds; {} of any other text."""
    replies = {name: (text, unscored, why) for name, text, unscored, why in unpack_replies(raw) or ()}
    whole = {order: replies[f"order:{order}"] for order in ORDERS if f"order:{order}" in replies}
    return whole if len(whole) == len(replies) else {}


def params_with_orders(params: Mapping[str, Any], orders: Mapping[Order, Any]) -> dict[str, Any]:
    """The parameters of a judge that was asked in these orders."""
    return {**params, "orders": "both" if len(orders) == 2 else next(iter(orders))}
