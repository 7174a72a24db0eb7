"""What a run costs, and a limit that it stops before."""

from __future__ import annotations

from dataclasses import dataclass

Price = tuple[float, float]
"""US dollars per million tokens: (in, out)."""


def cost(price: Price, tokens_in: float, tokens_out: float) -> float:
    """US dollars of so many tokens: (in * price in + out * price out) / 1,000,000."""
    return (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000


@dataclass
class Budget:
    """A spending limit in US dollars: what is spent, and the most that the calls under way can still cost (`open`).

    A call is begun only while spent + open + its own most <= limit, where its most is all of its `max_tokens`. So the
    limit is passed by no more than the error of the token counts (about; tokens are not counted by the model's own
    tokenizer, and the endpoint's figures replace the estimate as soon as they are known).
    """

    limit: float
    price: Price
    spent: float = 0.0
    open: float = 0.0

    def most(self, tokens_in: int, max_tokens: int) -> float:
        """The most that a call can cost."""
        return cost(self.price, tokens_in, max_tokens)

    def take(self, most: float) -> bool:
        """Begin a call that costs at most so much; False: the limit could be passed, nothing was begun."""
        if self.spent + self.open + most > self.limit + 1e-12:
            return False
        self.open += most
        return True

    def settle(self, most: float, real: float) -> None:
        """End a call that was begun with `take`: it cost `real`."""
        self.open = max(self.open - most, 0.0)
        self.spent += real
