"""What an endpoint allows: requests and tokens a minute, and as many calls at a time as it bears."""

from __future__ import annotations

_MINUTE = 60.0


class Bucket:
    """A budget per minute on a clock that is handed in (seconds, any origin): a token bucket that may owe.

    It holds at most one second's worth (at least 1) and fills so slowly that no 60 seconds see more than `per_minute`:

        capacity c = max(1, m / 60),  rate = (m - c) / 60 a second  (m / 60 where m < 60: one at a time)

    An amount above the capacity is let through when the bucket is full, and leaves a debt that later ones wait for.
    `per_minute` 0 is no limit.
    """

    def __init__(self, per_minute: float, now: float = 0.0) -> None:
        self._free = per_minute <= 0
        self._capacity = max(1.0, per_minute / _MINUTE)
        self._rate = per_minute / _MINUTE if per_minute < _MINUTE else (per_minute - self._capacity) / _MINUTE
        self._level, self._at = self._capacity, now

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount may be taken; 0.0: now."""
        if self._free:
            return 0.0
        self._fill(now)
        lacking = min(amount, self._capacity) - self._level
        return lacking / self._rate if lacking > 1e-9 else 0.0

    def take(self, amount: float, now: float) -> None:
        """Take an amount; whoever takes without waiting leaves a debt."""
        if not self._free:
            self._fill(now)
            self._level -= amount

    def settle(self, taken: float, real: float) -> None:
        """Put right an amount that was an estimate: `taken` was taken, `real` was used."""
        if not self._free:
            self._level = min(self._level + taken - real, self._capacity)

    def _fill(self, now: float) -> None:
        self._level = min(self._level + max(now - self._at, 0.0) * self._rate, self._capacity)
        self._at = max(now, self._at)


class ConcurrencyWindow:
    """How many calls may be under way: additive increase, multiplicative decrease, between 1 and `most`.

    A call that the endpoint turned away or left waiting (429, 503, a timeout) takes the window to 0.7 of itself, but
    only if it began after the last such cut: calls that were under way together count as one signal. A window's
    worth of good calls gives `most` / 20 (at least 1) back. Source: Chiu and Jain 1989.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._size = float(most)
        self._step = max(1.0, most / 20)
        self._cut_at = float("-inf")
        self.cuts = 0
        self._turned_away = 0.0

    @property
    def size(self) -> int:
        """The most calls under way."""
        return int(self._size)

    @property
    def crowded(self) -> bool:
        """Whether of the latest calls more than about a quarter were turned away: then a wait is meant for all."""
        return self._turned_away > 0.25

    def good(self) -> None:
        """A call was answered."""
        self._turned_away *= 0.9
        if self._size < self.most:
            self._size = min(self._size + self._step / self._size, float(self.most))

    def bad(self, began: float, now: float) -> None:
        """A call that began then was turned away now."""
        self._turned_away = 0.9 * self._turned_away + 0.1
        if began > self._cut_at:
            self._size, self._cut_at = max(1.0, self._size * 0.7), now
            self.cuts += 1
