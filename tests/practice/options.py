"""What the practice endpoint of the tests lets one choose besides what the product's does."""

from __future__ import annotations

from dataclasses import dataclass, field

from judges.practice.options import PracticeOptions

REFUSABLE = ("json_schema", "json_object", "logprobs", "temperature", "seed", "max_tokens", "max_completion_tokens")
"""Parameters that real endpoints are known to refuse with status 400; this one can, too."""


@dataclass(frozen=True)
class Fault:
    """A fault with its probability. `detail` is what the fault lets one choose (tests/practice/faults.py)."""

    name: str
    share: float = 1.0
    detail: str = ""


@dataclass(frozen=True)
class Equipment(PracticeOptions):
    """The product's options, and what a test plants.

    faults: see tests/practice/faults.py; script: instead of `faults`, the fault of the first, second, ... time that a
    call is asked ("" = none; calls asked more often than the script is long are answered); rpm: requests a minute,
    above which the answer is 429 (0: any); refuses: of REFUSABLE; key_variable: name of an environment variable that
    holds the key to demand ("": none is demanded); echo_key: error messages repeat the key that was sent, as some
    proxies do; log_keys: how many calls the log keeps.
    """

    faults: tuple[Fault, ...] = ()
    script: tuple[str, ...] = ()
    rpm: int = 0
    refuses: frozenset[str] = field(default_factory=frozenset)
    key_variable: str = ""
    echo_key: bool = False
    log_keys: int = 200_000
