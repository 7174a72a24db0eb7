"""What the practice endpoint of the tests was asked: so that a test can know that nothing was asked twice, or lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Call:
    """One call by its key: how often it was asked, how often answered in full, and the faults it met, in order."""

    asked: int = 0
    answered: int = 0
    faults: list[str] = field(default_factory=list)


class Log:
    """Counts of calls by key, of at most `most` keys; calls beyond are counted, but have no entry."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.calls: dict[str, Call] = {}
        self.asked = self.answered = self.dropped = 0
        self.open = self.widest = 0
        self.faults: dict[str, int] = {}
        self.refused: dict[str, int] = {}

    def ask(self, key: str) -> int:
        """Enter a request; the result is how often this call was asked by now (from 1; always 1 beyond the cap)."""
        self.asked += 1
        call = self.calls.get(key)
        if call is None:
            if len(self.calls) >= self._most:
                self.dropped += 1
                return 1
            call = self.calls[key] = Call()
        call.asked += 1
        return call.asked

    def answer(self, key: str) -> None:
        """Enter that the call got its reply, whole."""
        self.answered += 1
        if call := self.calls.get(key):
            call.answered += 1

    def fault(self, key: str, name: str) -> None:
        """Enter a fault that the call met."""
        self.faults[name] = self.faults.get(name, 0) + 1
        if call := self.calls.get(key):
            call.faults.append(name)

    def refuse(self, code: str) -> None:
        """Enter a request that was refused as the options say: a key, a parameter, a limit."""
        self.refused[code] = self.refused.get(code, 0) + 1

    def as_json(self) -> dict[str, Any]:
        """All of it, as GET /practice/log gives it."""
        return {
            "asked": self.asked,
            "answered": self.answered,
            "widest": self.widest,
            "dropped": self.dropped,
            "faults": self.faults,
            "refused": self.refused,
            "keys": {
                key: {"asked": c.asked, "answered": c.answered, "faults": c.faults} for key, c in self.calls.items()
            },
        }
