"""The cost of a run, and the spending limit before which it stops."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Price = tuple[float, float]
"""US dollars per million tokens: (in, out)."""
_ROUNDING = 1e-12


def cost(price: Price, tokens_in: float, tokens_out: float) -> float:
    """The cost of tokens in US dollars: (in * price in + out * price out) / 1,000,000."""
    return (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000


def dollars(amount: float) -> str:
    """An amount of US dollars in words: to the cent if that is exact or enough, else to a hundredth of a cent."""
    return f"${amount:,.2f}" if amount >= 10 or abs(round(amount, 2) - amount) < 1e-9 else f"${amount:,.4f}"


def explain_limit(limit: float, spent: float, max_cost: float) -> str:
    """Explain why a run ends at its limit: both figures, and the most that one more call could cost."""
    return (
        f"The spending limit of {dollars(limit)} ends the run: {dollars(spent)} is spent, and one more call could cost "
        f"up to {dollars(max_cost)}."
    )


@dataclass
class Budget:
    """A spending limit in US dollars, with the amount spent and the most that calls under way can still cost (`open`).

    A call starts only if spent + open + its own maximum <= limit; the maximum assumes all of its `max_tokens`. A call
    can cost more, because tokens are not counted by the model's own tokenizer and a model may think beyond its limit.
    Then the same is assumed of all others: `overrun_factor` is the worst factor so far. Until one call is `proven`,
    only one should be under way. So the limit is exceeded by no more than the error of the first call's count.

    Before a call starts, `hold` is told the amount up to which money may be spent by then. What it keeps still counts
    if the process dies. `reserved` is the amount that it was told last.
    """

    limit: float
    price: Price
    spent: float = 0.0
    committed: float = 0.0
    overrun_factor: float = 1.0
    proven: bool = False
    hold: Callable[[float], Awaitable[None]] | None = None
    reserved: float = 0.0

    def __post_init__(self) -> None:
        self.proven = self.proven or not any(self.price)  # what costs nothing has no count that could be wrong

    @property
    def open(self) -> float:
        """The most that the calls under way can still cost."""
        return self.committed * self.overrun_factor

    def highest_cost(self, tokens_in: int, max_tokens: int) -> float:
        """The most that a call can cost."""
        return cost(self.price, tokens_in, max_tokens)

    def take(self, max_cost: float) -> bool:
        """Begin a call that costs at most so much; False if the limit could be exceeded: then nothing was begun."""
        if self.spent + self.open + max_cost * self.overrun_factor > self.limit + _ROUNDING:
            return False
        self.committed += max_cost
        return True

    async def secure(self) -> None:
        """Have `hold` keep what may be spent by now, plus a quarter of `open`, so that not every call needs it."""
        possible_cost = self.spent + self.open
        if self.hold is not None and possible_cost > self.reserved + _ROUNDING:
            upto = min(possible_cost + self.open / 4, max(self.limit, possible_cost))
            await self.hold(upto)
            self.reserved = upto

    def lower_hold(self) -> float | None:
        """A lower amount to hold if what may be spent is now far below it, else None; `reserved` is set at once."""
        possible_cost = self.spent + self.open
        if self.hold is None or self.reserved <= possible_cost + self.open / 2 + _ROUNDING:
            return None
        self.reserved = possible_cost
        return possible_cost

    def settle(self, max_cost: float, real: float) -> None:
        """End a call that was begun with `take`: it cost `real`."""
        self.committed = max(self.committed - max_cost, 0.0)
        self.spent += real
        self.proven = self.proven or real > 0
        if real > max_cost > 0:
            self.overrun_factor = max(self.overrun_factor, real / max_cost)
